"""Estimated cycles: the mix is that of the instructions that ran, and costs are applied to it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from aidge_nb.core.errors import ExportError
from aidge_nb.export import BOARDS, TARGETS, export
from aidge_nb.export.boards.cycles import COSTS, CycleEstimate, _Mixer, estimate_cycles, kind_of
from tests.export.quantized import qlinear

TOOLS = ("make", "arm-none-eabi-gcc", "qemu-system-arm")


def test_every_core_has_a_table_of_costs() -> None:
    assert set(COSTS) == {board.core for board in BOARDS.values()}
    known = {kind_of(name) for name in ("ldr", "ldrd", "str", "push", "mul", "sdiv", "add", "vldr")}
    known |= {
        kind_of(name) for name in ("vadd.f32", "vfma.f32", "vdiv.f32", "vldrb.u8", "vmlav.s8")
    }
    for costs in COSTS.values():
        assert set(costs) <= known | {"jump"}


def test_cycles_are_instructions_times_costs() -> None:
    mix = {"load": 10, "multiply": 10, "jump": 5, "other": 25}
    estimate = CycleEstimate("mps2-an386", "Cortex-M4F", 100, mix, error=0.5)
    assert estimate.cycles == 2 * (10 * 2 + 10 + 5 * 3 + 25)
    assert estimate.range == (70, 210)
    assert "estimated, not measured" in repr(estimate)


LOG = """
IN: caller
0x00000010:  bl
Trace 0: 0x1 [0/00000010/0/0] caller
IN: forward
0x00000100:  ldr
0x00000102:  bne
Trace 0: 0x1 [0/00000100/0/0] forward
Trace 0: 0x1 [0/00000100/0/0] forward
IN: forward
0x00000104:  bx
Trace 0: 0x1 [0/00000104/0/0] forward
Trace 0: 0x1 [0/00000010/0/0] caller
Trace 0: 0x1 [0/00000100/0/0] forward
"""


def test_blocks_are_counted_from_the_entry_to_the_return() -> None:
    """The loop runs twice: one branch is taken; what runs after the return does not count."""
    reader = _Mixer(0x100, {0x10: "other", 0x100: "load", 0x102: "other", 0x104: "other"})
    reader.feed(iter(LOG.splitlines()))
    assert reader.mix == Counter({"load": 2, "other": 2, "jump": 1})


def test_a_core_without_costs_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    package = export(qlinear("int8"), tmp_path / "layer", target="cortex-m4")
    monkeypatch.setattr("aidge_nb.export.boards.cycles.COSTS", {"Cortex-M3": {}})
    with pytest.raises(ExportError, match=r"board mps2-an386.*found Cortex-M4F"):
        estimate_cycles(package, "mps2-an386")


@pytest.mark.parametrize("target", ["cortex-m4", "cortex-m55"])
def test_the_mix_is_that_of_what_ran(
    tmp_path: Path, need_tools: Callable[..., None], target: str
) -> None:
    need_tools(*TOOLS)
    package = export(qlinear("int8"), tmp_path / "layer", target=target)
    estimate = estimate_cycles(package, TARGETS[target].board)
    counted = sum(estimate.mix.values())
    assert estimate.instructions == package.run_on(TARGETS[target].board).instructions
    assert abs(counted - estimate.instructions) <= 0.02 * estimate.instructions
    assert bool(estimate.mix.get("vector")) == (target == "cortex-m55")
    low, high = estimate.range
    assert low < estimate.cycles < high
    assert 0.5 * estimate.instructions < estimate.cycles < 3 * estimate.instructions
    assert re.search(r"from \d+ to \d+; estimated, not measured", repr(estimate))
