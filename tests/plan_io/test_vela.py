"""What Vela prints with --verbose-allocation."""

from __future__ import annotations

import re

import pytest

import aidge_nb
from aidge_nb.advice import lay_out_again
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory import MemoryPlan
from tests.plan_io.samples import SAMPLES


def sample(name: str) -> str:
    return (SAMPLES / f"vela_verbose_allocation_{name}.txt").read_text(encoding="utf-8")


def opened(text: str) -> MemoryPlan:
    return aidge_nb.read_plan(text.encode())


@pytest.mark.parametrize(
    ("name", "rows", "own", "peak", "bound"),
    [
        ("image_classification", 52, 34, 51808, 51808),
        ("keyword_spotting", 52, 37, 22208, 22208),
        ("linearalloc_keyword_spotting", 52, 37, 104320, 22208),
        ("legacy_core", 57, 36, 51824, 51824),
    ],
)
def test_tables_are_read(name: str, rows: int, own: int, peak: int, bound: int) -> None:
    plan = opened(sample(name))
    assert len(plan.buffers) == rows
    assert sum(each.view_of is None for each in plan.buffers) == own
    assert (plan.peak, plan.lower_bound, plan.alignment) == (peak, bound, 16)


def test_a_bad_plan_is_laid_out_again() -> None:
    assert lay_out_again(opened(sample("linearalloc_keyword_spotting"))).peak == 22208


def test_the_usage_that_vela_prints_is_what_lives() -> None:
    text = sample("keyword_spotting")
    live = opened(text).live_bytes()
    rows = re.findall(r"(?m)^ *(\d+) - +(\d+): +0x\S+ - +0x\S+ +\d+: +(\d+):", text)
    checked = [(max(live[int(a) : int(b) + 1]), int(used)) for a, b, used in rows[:52]]
    assert len(checked) == 52
    assert all(one == other for one, other in checked)


def test_long_names_of_fused_operators_are_cut() -> None:
    names = [each.name for each in opened(sample("keyword_spotting")).buffers]
    assert "model/activation_3/Relu" in names
    assert "model/dense/MatMul;model/dense/BiasAdd_softmax_2" in names


def test_weights_in_memory_are_told_apart() -> None:
    for name in ("keyword_spotting", "legacy_core"):
        kinds = {each.kind for each in opened(sample(name)).buffers}
        assert kinds == {"producer", "activation"}


ROW = (
    "         0 -          1:        0x0 -      0x7d0:        2000:         2512: NHWC           : "
)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (ROW, "   zero - one: 0x0 - 0x7d0: 2000: 2512: NHWC: ", "line 30: .*found '   zero - one"),
        (ROW, ROW.replace("2000", "2016"), "line 30: its times or addresses contradict"),
        (ROW, ROW.replace("0x7d0", "0x7d0000000000000000"), "line 30: is not understood"),
        (ROW, ROW.replace(" 1:", "-1:"), "line 30: is not understood"),
        (ROW, ROW.replace("NHWC           : ", "NHWC"), "line 30: is not understood"),
        ("0x1f40 -     0x2140", "0x0 -     0x200", "buffers input_1 and input_1_int8: overlap"),
        ("Start Time -", "Begin -", "line 29: is not understood .*found 'Begin -"),
        ("Allocation, memory", "Layout, memory", "holds no table of an arena"),
        ("Size: 22208 bytes", "Size: 22224 bytes", "another peak .*expected 22208 bytes"),
    ],
)
def test_what_is_not_understood_is_quoted(old: str, new: str, message: str) -> None:
    text = sample("keyword_spotting")
    assert old in text
    with pytest.raises(MemoryPlanError, match=message):
        opened(text.replace(old, new, 1))


def test_a_truncated_table_is_refused() -> None:
    text = sample("keyword_spotting")
    end = text.index("Allocation Peak")
    for cut in range(text.index("Start Time"), end, 997):
        with pytest.raises(MemoryPlanError):
            opened(text[:cut])
    with pytest.raises(MemoryPlanError, match="ends within a table"):
        opened(text[:end])
