"""Random graphs: every layer of each has the bits of the exact NumPy runtime."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aidge_nb.export import check_export, export
from tests.export.building import VARIANTS, BoardBuilder, Builder
from tests.export.fuzz import random_view

SANITIZE = "-g -fsanitize=address,undefined -fno-sanitize-recover=all"


def check(builder: Builder, folder: Path, seed: int) -> None:
    package = export(random_view(seed), folder / f"fuzz{seed}")
    check_export(package.plan)
    said = builder.check(package)
    assert not said, f"random_view({seed}): {said}"


def test_a_few_random_graphs(tmp_path: Path, builder: Builder) -> None:
    for seed in range(8):
        check(builder, tmp_path, seed)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(VARIANTS)))
def test_fifty_random_graphs_for_each_compiler_and_level(
    tmp_path: Path, builder_of: Callable[..., Builder], number: int
) -> None:
    builder = builder_of(*VARIANTS[number])
    for seed in range(100 + 50 * number, 150 + 50 * number):
        check(builder, tmp_path, seed)


@pytest.mark.slow
@pytest.mark.parametrize("board", ["mps2-an385", "mps2-an386", "mps2-an500"])
def test_random_graphs_on_boards(
    tmp_path: Path, need_tools: Callable[..., None], board: str
) -> None:
    """A few for each processor; tests/export/matrix.py runs hundreds."""
    need_tools("arm-none-eabi-gcc", "qemu-system-arm")
    builder = BoardBuilder(tmp_path / "kernels", board)
    for seed in range(400, 406):
        check(builder, tmp_path, seed)


@pytest.mark.slow
def test_sanitizers_find_nothing(tmp_path: Path, builder_of: Callable[..., Builder]) -> None:
    builder = builder_of("gcc", "-O1", SANITIZE)
    for seed in range(60):
        check(builder, tmp_path, seed)
