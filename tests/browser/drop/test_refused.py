"""Files that the page refuses: it says why, and goes on."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from aidge_nb import zoo
from tests.browser.drop.using import (
    PATIENCE,
    RECORDED,
    choose,
    studied,
    why_refused,
)
from tests.hostile.bombs import FOLDED, REFUSED, TRIED
from tests.hostile.fuzz import mutated
from tests.hostile.seeds import seed_models

if TYPE_CHECKING:
    from playwright.sync_api import Page

pytestmark = pytest.mark.slow


def test_a_damaged_tflite_file(page: Page, tmp_path: Path) -> None:
    whole = (RECORDED / "moved.tflite").read_bytes()
    (tmp_path / "cut.tflite").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "words.tflite").write_bytes(b"hello\n")
    for name in ("cut", "words"):
        assert why_refused(page, tmp_path / f"{name}.tflite")
    page.select_option("#zoo", "")
    page.select_option("#zoo", "lenet")
    studied(page, "lenet")


@pytest.mark.parametrize(
    ("content", "why"),
    [
        (b"hello\n", "plain text"),
        (zoo.build("lenet").to_bytes()[:1000], "truncated or damaged"),
        (bytes([8, 8]) + bytes([0xFF]) * 64, "truncated or damaged"),
        (b"", "empty"),
    ],
    ids=["text", "cut off", "damaged", "empty"],
)
def test_wrong_files(page: Page, tmp_path: Path, content: bytes, why: str) -> None:
    page.select_option("#zoo", "lenet")
    studied(page, "lenet")
    (tmp_path / "wrong.onnx").write_bytes(content)
    choose(page, tmp_path / "wrong.onnx")
    page.locator("#alert", has_text=why).wait_for(timeout=PATIENCE)
    page.select_option("#zoo", "")
    page.select_option("#zoo", "lenet")
    studied(page, "lenet")


def test_damaged_files_one_after_the_other(page: Page, tmp_path: Path) -> None:
    """Read damaged files as the library does, or say on the page why not, and go on."""
    seeds = [proto.SerializeToString() for proto in seed_models()]
    refused = 0
    for seed in range(48):
        path = tmp_path / f"seed{seed}.onnx"
        path.write_bytes(mutated(seeds, seed))
        refused += bool(why_refused(page, path))
    assert 0 < refused < 48
    page.select_option("#zoo", "lenet")
    studied(page, "lenet")


def test_small_files_that_ask_for_much(page: Page, tmp_path: Path) -> None:
    """They have the limits that they have elsewhere, and the tab is still there after them."""
    refused = {name: proto for name, (proto, *_) in REFUSED.items()}
    for name, proto in {**FOLDED, **TRIED, **refused}.items():
        path = tmp_path / f"{name.replace(' ', '_')}.onnx"
        path.write_bytes(proto.SerializeToString())
        assert bool(why_refused(page, path)) == (name in refused), name
    page.select_option("#zoo", "")
    page.select_option("#zoo", "lenet")
    studied(page, "lenet")


def test_a_file_of_500_megabytes(page: Page, tmp_path: Path) -> None:
    path = tmp_path / "big.onnx"
    with path.open("wb") as file:
        file.truncate(500 << 20)
    choose(page, path)
    page.locator("#alert", has_text="not an ONNX model").wait_for(timeout=PATIENCE)
    larger = tmp_path / "larger.onnx"
    with larger.open("wb") as file:
        file.truncate((1 << 30) + 1)
    choose(page, larger)
    page.locator("#alert", has_text="too many for a tab").wait_for(timeout=PATIENCE)
    page.select_option("#zoo", "")
    page.select_option("#zoo", "lenet")
    studied(page, "lenet")


def test_two_models_at_once(page: Page, tmp_path: Path) -> None:
    for name in ("a", "b"):
        zoo.build("lenet").save(tmp_path / f"{name}.onnx")
    choose(page, tmp_path / "a.onnx", tmp_path / "b.onnx")
    page.locator("#alert", has_text="one of them must be a model").wait_for(timeout=PATIENCE)
