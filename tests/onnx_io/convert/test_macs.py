"""Multiply-accumulates of operators that run as ONNX defines them, and machines that count them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb import hardware
from aidge_nb.core.dims import Dims
from aidge_nb.onnx_io import OnnxGraph, OnnxModel, OnnxNode, OnnxValue
from aidge_nb.onnx_io.convert.macs import macs_of

MICROSOFT = "com.microsoft"
Shape = tuple[int, ...]

CASES: list[tuple[str, str, dict[str, Any], list[Shape], int]] = [
    ("FusedMatMul", MICROSOFT, {"transA": 1}, [(2, 5, 3), (2, 5, 4)], 2 * 3 * 5 * 4),
    ("FusedGemm", MICROSOFT, {"activation": "Relu"}, [(3, 5), (5, 4), (4,)], 3 * 5 * 4),
    ("FusedConv", MICROSOFT, {"activation": "Relu"}, [(1, 2, 6, 6), (4, 2, 3, 3)], 64 * 18),
    # Four heads of three queries and five keys: scores of six terms each, then their sums.
    ("Attention", "", {}, [(1, 4, 3, 6), (1, 4, 5, 6), (1, 4, 5, 2)], 4 * 3 * 5 * (6 + 2)),
    (
        *("Attention", "", {"q_num_heads": 4, "kv_num_heads": 4}),
        [(1, 3, 24), (1, 5, 24), (1, 5, 8)],
        4 * 3 * 5 * (6 + 2),
    ),
    (
        *("MultiHeadAttention", MICROSOFT, {"num_heads": 4}),
        [(1, 3, 24), (1, 5, 24), (1, 5, 8)],
        4 * 3 * 5 * (6 + 2),
    ),
    (
        *("Attention", MICROSOFT, {"num_heads": 2}),
        [(1, 3, 7), (7, 3 * 8), (3 * 8,)],
        3 * 7 * 24 + 2 * 3 * 3 * (4 + 4),
    ),
]


@pytest.mark.parametrize(
    ("kind", "domain", "attributes", "shapes", "expected"),
    CASES,
    ids=[f"{number}_{case[0]}" for number, case in enumerate(CASES)],
)
def test_products_inside_are_counted_and_take_their_time(
    kind: str, domain: str, attributes: dict[str, Any], shapes: list[Shape], expected: int
) -> None:
    names = tuple(f"i{number}" for number in range(len(shapes)))
    constants = dict(zip(names, (np.ones(shape, np.float32) for shape in shapes), strict=True))
    constants.pop("i0")
    node = OnnxNode(kind, names, ("y",), "node", domain, attributes)
    given = (OnnxValue("i0", "float32", shapes[0]),)
    graph = OnnxGraph(kind, (node,), constants, given, (OnnxValue("y", None),))
    view = aidge_nb.load_onnx(OnnxModel(graph, {"": 23, MICROSOFT: 1}))
    assert view.forward_dims([list(shapes[0])], allow_data_dependency=True)
    assert sum(each.get_operator().macs() or 0 for each in view) == expected
    target = hardware.target("mcu")
    mapping = hardware.map_schedule(view, target)
    hardware.check_mapping(mapping, target, view=view)
    pace = target.elements[0].macs_per_cycle
    assert mapping.cycles >= expected / pace


def macs_for(kind: str, inputs: list[Shape], output: Shape, given: dict[str, Any]) -> int | None:
    return macs_of(kind, "", [Dims(shape) for shape in inputs], Dims(output), given)


def test_convolutions_at_places_that_move_count_as_others() -> None:
    """Each of 6 x 4 x 5 outputs sums 2 channels of 3 x 2; where they are read counts nothing."""
    inputs: list[Shape] = [(1, 4, 6, 6), (6, 2, 3, 2), (1, 12, 4, 5)]
    found = macs_for("DeformConv", inputs, (1, 6, 4, 5), {"group": 2})
    assert found == 6 * 4 * 5 * 2 * 3 * 2
    assert found == macs_for("Conv", inputs[:2], (1, 6, 4, 5), {"group": 2})


def test_convolutions_with_the_past_count_each_tap() -> None:
    assert macs_for("CausalConvWithState", [(2, 3, 5), (3, 1, 4)], (2, 3, 5), {}) == 2 * 3 * 5 * 4


def test_linear_attention_counts_updates_and_reads_of_states() -> None:
    """2 samples of 3 tokens, 4 heads of queries on 2 states of 5 x 4."""
    packed: list[Shape] = [(2, 3, 20), (2, 3, 10), (2, 3, 8)]
    apart: list[Shape] = [(2, 4, 3, 5), (2, 2, 3, 5), (2, 2, 3, 4)]
    state, tokens = 5 * 4, 2 * 3
    for rule, per_key in (("linear", 1), ("gated", 1), ("delta", 2), ("gated_delta", 2)):
        given: dict[str, Any] = {"q_num_heads": 4, "kv_num_heads": 2, "update_rule": rule}
        expected = tokens * state * (4 + 2 * per_key)
        assert macs_for("LinearAttention", packed, (2, 3, 16), given) == expected
        assert macs_for("LinearAttention", apart, (2, 4, 3, 4), given) == expected
    default: dict[str, Any] = {"q_num_heads": 4, "kv_num_heads": 2}
    assert macs_for("LinearAttention", packed, (2, 3, 16), default) == tokens * state * 8
    assert macs_for("LinearAttention", packed[:2], (2, 3, 16), default) is None


def test_dims_that_the_operator_cannot_take_count_nothing() -> None:
    assert macs_for("MatMulInteger", [(), ()], (), {}) is None
