"""What Vela prints with --verbose-high-level-command-stream."""

from __future__ import annotations

import pytest

import aidge_nb
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory import MemoryPlan
from tests.plan_io.samples import SAMPLES

TEXT = (SAMPLES / "vela_command_stream_keyword_spotting.txt").read_text(encoding="utf-8")

MATMUL = """High level NPU operations:
0 Transpose , subOps:[  - ], size=1,1
  IFM: t1, [1, 2, 5, 4], format: 1, Sram:FeatureMap|Staging, address: 0x50
  OFM: t1/Transpose, [1, 2, 4, 5], format: 1, Sram:FeatureMap|Staging, address: 0x0
1 MatMul , subOps:[  - ], size=1,1
  IFM: t0, [1, 2, 3, 5], format: 1, Sram:FeatureMap|Staging, address: 0x30
  IFM2: t1/Transpose, [1, 2, 4, 5], format: 1, Sram:FeatureMap|Staging, address: 0x0
  IFM3: #15, [1, 2, 3, 6], format: 1, Sram:FeatureMap|Staging, address: 0x70
  OFM: t2, [1, 2, 3, 4], format: 1, Sram:FeatureMap|Staging, address: 0x50
High level command stream:
0 Transpose OFM area [0, 0, 0, 0 - 1, 2, 4, 5], IFM [0, 0, 0, 0 - 1, 2, 5, 4], IFM2 [ - ]
"""


def opened(text: str) -> MemoryPlan:
    return aidge_nb.read_plan(text.encode())


def test_the_peak_is_that_of_the_tables() -> None:
    """22208 bytes, as Vela's allocation of the same network says."""
    plan = opened(TEXT)
    assert plan.peak == 22208
    assert plan.order[:3] == ("Conv2D", "DepthwiseConv2D", "Conv2D")
    assert len(plan.order) == TEXT.count("subOps")


def test_tensors_have_the_places_of_the_tables() -> None:
    """Of tensors that both texts name: address and size, save for those of more than 8 bits."""
    tables = SAMPLES / "vela_verbose_allocation_keyword_spotting.txt"
    known = {(b.name, b.offset): b.size for b in aidge_nb.read_plan(tables).buffers}
    both = [b for b in opened(TEXT).buffers if (b.name, b.offset) in known]
    assert len(both) >= 20
    large = [each for each in both if known[each.name, each.offset] > 64]
    assert len(large) >= 10
    assert all(known[each.name, each.offset] == each.size for each in large)
    # Those of softmax have 32 bits.
    assert all(known[each.name, each.offset] <= 4 * each.size for each in both)


def test_weights_are_as_large_as_what_is_moved() -> None:
    weights = [each for each in opened(TEXT).buffers if each.kind == "producer"]
    assert [(each.offset, each.size) for each in weights[:3]] == [
        (0x2140, 3360),
        (0x2E60, 1120),
        (0x3E80, 1328),
    ]
    assert (weights[0].lower, weights[0].upper) == (0, 1)


def test_scratch_lives_while_its_operation_runs_and_inputs_from_the_start() -> None:
    buffers = {each.name: each for each in opened(MATMUL).buffers}
    assert (buffers["#15"].lower, buffers["#15"].upper) == (1, 2)
    assert (buffers["t0"].lower, buffers["t0"].kind) == (0, "input")
    assert (buffers["t1"].upper, buffers["t2"].lower) == (1, 1)


def test_a_result_in_place_is_one_buffer_with_its_operand() -> None:
    text = MATMUL.replace("t2, [1, 2, 3, 4]", "t2, [1, 2, 3, 5]").replace(
        "0x50\nHigh", "0x30\nHigh"
    )
    (view,) = [each for each in opened(text).buffers if each.view_of]
    assert (view.name, view.view_of) == ("t2", "t0")


def test_bricks_round_channels_up() -> None:
    text = MATMUL.replace("[1, 2, 3, 6], format: 1", "[1, 2, 3, 6], format: 2")
    sizes = {each.name: each.size for each in opened(text).buffers}
    assert (sizes["#15"], sizes["t2"]) == (96, 32)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("  IFM3: #15, [1, 2", "  IFM3: #15, [x, 2", r"line 8: is not understood .*IFM3: #15, \[x"),
        ("High level command", "Low level command", "line 10: is not understood .*Low level"),
        ("0x0\n1 MatMul", "0x40\n1 MatMul", "overlap at tick 0"),
    ],
)
def test_what_is_not_understood_is_quoted(old: str, new: str, message: str) -> None:
    assert old in MATMUL
    with pytest.raises(MemoryPlanError, match=message):
        opened(MATMUL.replace(old, new))


def test_a_text_that_ends_early_is_refused() -> None:
    with pytest.raises(MemoryPlanError, match="ends within the operations"):
        opened(MATMUL.partition("High level command")[0])


def test_weights_that_nothing_moves_are_refused() -> None:
    assert "length: 1328" in TEXT
    line = next(each for each in TEXT.splitlines() if "length: 4672" in each)
    with pytest.raises(MemoryPlanError, match="its weights are not moved"):
        opened(TEXT.replace(line, "").replace("length: 4752", "size: 4752"))
