"""Gradients of samples between elements, and of attention with a state, by finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aidge_nb.kernels.standard import Site, find_standard_kernel
from tests.kernels.standard_gradient import check, normal

IMAGE = normal(2, 3, 7, 6)


@pytest.mark.parametrize("align", [0, 1])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
def test_grids(mode: str, padding: str, align: int) -> None:
    """Many of the places lie outside the image, some more than its size away."""
    attributes = {"mode": mode, "padding_mode": padding, "align_corners": align}
    rng = np.random.default_rng(3)
    check("GridSample", [IMAGE[:, :2], rng.uniform(-3.5, 3.5, (2, 4, 5, 2))], 1, **attributes)
    check("GridSample", [normal(1, 2, 1, 3), rng.uniform(-1, 1, (1, 2, 2, 2))], 1, **attributes)
    if mode != "cubic":
        volume = normal(1, 2, 3, 4, 2)
        check("GridSample", [volume, rng.uniform(-1, 1, (1, 2, 1, 3, 3))], 1, **attributes)


REGIONS = np.array([[0, 0.3, 6.8, 7], [2.5, 1.5, 6.2, 3.1], [5, 6, 5.5, 6.3], [-3, -2, 2, 9.5]])


@pytest.mark.parametrize("ratio", [0, 2])
@pytest.mark.parametrize("opset", [10, 16])
@pytest.mark.parametrize("mode", ["avg", "max"])
def test_regions(mode: str, opset: int, ratio: int) -> None:
    """One region is shorter than a pixel, one leaves the image."""
    cells = {"output_height": 3, "output_width": 2, "sampling_ratio": ratio}
    arrays = [normal(2, 3, 8, 7), REGIONS, np.array([0, 1, 1, 0])]
    check("RoiAlign", arrays, 1, opset=opset, spatial_scale=0.9, mode=mode, **cells)


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"group": 2, "pads": (1, 0, 2, 1), "strides": (2, 1)},
        {"offset_group": 2, "dilations": (1, 2), "pads": (1, 1, 1, 1)},
        {"offset_group": 4, "group": 2, "strides": (2, 2)},
    ],
    ids=["plain", "groups", "groups of offsets", "both"],
)
def test_deformed_windows(attributes: dict[str, Any]) -> None:
    x, w, bias = normal(2, 4, 6, 7), normal(6, 4 // attributes.get("group", 1), 3, 2), normal(6)
    given = {name: value for name, value in attributes.items() if name != "offset_group"}
    kernel = find_standard_kernel("Conv")
    assert kernel is not None
    counts = kernel([x, w], given, Site(22))[0].shape[2:]
    groups = attributes.get("offset_group", 1)
    offset, mask = normal(2, groups * 12, *counts), normal(2, groups * 6, *counts)
    check("DeformConv", [x, w, offset, bias, mask], 1, **attributes)
    check("DeformConv", [x, w, offset], 1, **attributes)


NOTHING: dict[str, list[Any]] = {
    "GridSample": [normal(2, 3, 4, 5), normal(2, 0, 3, 2)],
    "RoiAlign": [normal(1, 3, 4, 5), normal(0, 4), np.zeros(0, np.int64)],
    "DeformConv": [normal(0, 3, 4, 5), normal(2, 3, 2, 2), normal(0, 8, 3, 4)],
    "CausalConvWithState": [normal(2, 3, 0), normal(3, 1, 3), None, normal(2, 3, 2)],
}


@pytest.mark.parametrize("op_type", list(NOTHING))
def test_nothing_goes_back_to_no_places(op_type: str) -> None:
    check(op_type, NOTHING[op_type], 1)


def test_deformed_windows_of_a_row() -> None:
    x, w, offset = normal(2, 3, 8), normal(2, 3, 3), normal(2, 3, 6)
    check("DeformConv", [x, w, offset, None, normal(2, 3, 6)], 1)


@pytest.mark.parametrize("activation", ["none", "silu", "swish"])
@pytest.mark.parametrize("length", [1, 5])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_convolutions_with_the_past(width: int, length: int, activation: str) -> None:
    x, w, bias = normal(2, 3, length), normal(3, 1, width), normal(3)
    past = normal(2, 3, width - 1)
    check("CausalConvWithState", [x, w, bias, past], 2, activation=activation)
    check("CausalConvWithState", [x, w], 1, activation=activation)


@pytest.mark.parametrize("per_key", [False, True], ids=["a head", "a key"])
@pytest.mark.parametrize("rule", ["linear", "gated", "delta", "gated_delta"])
@pytest.mark.parametrize("heads", [2, 4])
def test_linear_attention(heads: int, rule: str, per_key: bool) -> None:
    """Rules that do not read the decay or the rates give them zeros."""
    more = [-np.abs(normal(2, 3, 2 * (5 if per_key else 1))), normal(2, 3, 2)]
    attributes = {"q_num_heads": heads, "kv_num_heads": 2, "update_rule": rule}
    flat = [normal(2, 3, heads * 5), normal(2, 3, 10), normal(2, 3, 8)]
    check("LinearAttention", [*flat, normal(2, 2, 5, 4), *more], 2, scale=0.3, **attributes)
    check("LinearAttention", [*flat, None, *more], 1, **attributes)


def test_linear_attention_with_heads_apart_and_one_rate() -> None:
    arrays = [normal(2, 4, 3, 5), normal(2, 2, 3, 5), normal(2, 2, 3, 4), None, None]
    attributes = {"q_num_heads": 4, "kv_num_heads": 2, "update_rule": "delta"}
    check("LinearAttention", [*arrays, normal(2, 3, 1)], 2, **attributes)
