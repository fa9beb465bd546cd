"""Cases of operators that cut, join, pad, read and write at places."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tests.kernels.case import Case
from tests.kernels.onnx_oracle import onnx
from tests.kernels.tables.data import EMPTY, SCALAR, array, i64, integers, normal, truths

_X = normal(5, 6, 7)


def _slice(starts: Sequence[int], ends: Sequence[int], *more: Sequence[int]) -> Case:
    return Case("Slice", [_X, *(i64(*each) for each in (starts, ends, *more))], onnx("Slice"))


SLICING = [
    _slice([1, 0], [4, -1]),
    _slice([1], [100], [1]),
    _slice([1, -1], [-1, 0], [0, 2], [2, -3]),
    _slice([-1], [-100], [-1], [-1]),
    _slice([3], [1], [0]),
    Case(
        "Slice",
        [_X],
        lambda x: x[1:3, :, ::-2],
        {"starts": (1, 99), "ends": (3, -99), "axes": (0, 2), "steps": (1, -2)},
    ),
    Case("Slice", [EMPTY, i64(0), i64(1)], onnx("Slice")),
    *(
        Case(
            "Concat",
            [normal(2, 3, 4), normal(2, 3, 4, salt=1), normal(2, 3, 4, salt=2)],
            onnx("Concat", axis=axis),
            {"axis": axis},
        )
        for axis in (0, 1, -1)
    ),
    Case("Concat", [normal(2, 3), normal(2, 0)], onnx("Concat", axis=1), {"axis": 1}),
    Case("Concat", [normal(2, 3)], lambda x: x),
    Case("Split", [_X, i64(2, 3)], onnx("Split", 2, axis=0), {"nb_outputs": 2}),
    Case("Split", [_X], onnx("Split", 3, axis=-1, num_outputs=3), {"axis": -1, "nb_outputs": 3}),
    Case(
        "Split",
        [_X],
        lambda x: [x[:, :1], x[:, 1:1], x[:, 1:]],
        {"axis": 1, "split": (1, 0, 5), "nb_outputs": 3},
    ),
    Case("Tile", [normal(2, 3), i64(2, 3)], onnx("Tile")),
    Case("Tile", [normal(2, 3), i64(1, 0)], onnx("Tile")),
    *(
        Case(
            "Trilu",
            [normal(2, 4, 5), np.array(k)],
            onnx("Trilu", upper=upper),
            {"upper": bool(upper)},
        )
        for upper in (0, 1)
        for k in (-2, 0, 1)
    ),
    Case("Trilu", [integers(3, 3)], np.triu),
]

PADDING = [
    *(
        Case("Pad", [normal(3, 4), i64(*pads)], onnx("Pad", mode=mode), {"mode": mode})
        for mode in ("constant", "edge", "reflect", "wrap")
        for pads in ((1, 2, 2, 1), (0, 3, 0, 0), (0, 0, 0, 0))
    ),
    Case("Pad", [normal(3, 4), i64(-1, 2, 1, -2)], onnx("Pad")),
    Case("Pad", [normal(3, 4), i64(1, 1), SCALAR, i64(-1)], onnx("Pad")),
    Case("Pad", [integers(3, 4), i64(1, 1, 0, 0), np.array(7)], onnx("Pad")),
    Case(
        "Pad",
        [normal(1, 2, 3, 3)],
        lambda x: np.pad(x, [(0, 0), (0, 0), (1, 2), (0, 1)], constant_values=-np.inf),
        {"mode": "constant_lowest", "pads": (1, 0, 2, 1), "axes": (-2, -1)},
    ),
    Case(
        "Pad",
        [integers(3, dtype=np.int8)],
        lambda x: np.pad(x, 1, constant_values=-128),
        {"mode": "constant_lowest", "pads": (1, 1)},
    ),
    Case("Pad", [normal(2, 0), i64(0, 1, 0, 1)], onnx("Pad")),
]

_INDICES = i64(0, -1, 3, 3).reshape(2, 2)
READING = [
    *(
        Case("Gather", [_X, _INDICES], onnx("Gather", axis=axis), {"axis": axis})
        for axis in (0, 1, -1)
    ),
    Case("Gather", [_X, np.array(-2)], onnx("Gather")),
    Case("Gather", [_X, _INDICES[:0]], onnx("Gather")),
    Case("Gather", [_X], lambda x: x[[2, 0]], {"indices": (2, 0)}),
    Case(
        "Gather",
        [_X],
        lambda x: x[:, [[2], [0]]],
        {"axis": 1, "indices": (2, 0), "gathered_shape": (2, 1)},
    ),
    *(
        Case(
            "GatherElements",
            [_X, integers(3, 4, 5, low=-5, high=5)],
            onnx("GatherElements", axis=axis),
            {"axis": axis},
        )
        for axis in (0, 1, -1)
    ),
    *(
        Case(
            "GatherND",
            [normal(2, 3, 4, 5), integers(*dims, low=-2, high=2)],
            onnx("GatherND", batch_dims=batch),
            {"batch_dims": batch},
        )
        for batch, dims in ((0, (2, 2)), (0, (3, 2, 4)), (1, (2, 2)), (2, (2, 3, 6, 1)))
    ),
    Case(
        "OneHot",
        [i64(0, -1, 5, 2), np.array(3), array(np.float32, [-1, 4])],
        onnx("OneHot"),
    ),
    Case(
        "OneHot",
        [integers(2, 3, low=0, high=4), np.array([4]), i64(0, 1)],
        onnx("OneHot", axis=1),
        {"axis": 1},
    ),
    Case("OneHot", [i64(1)], lambda x: [[0, 1, 0]], {"depth": 3}),
    Case("NonZero", [truths(3, 4)], onnx("NonZero")),
    Case("NonZero", [array(np.float32, 2)], lambda x: [[0]]),
    Case("NonZero", [np.zeros((2, 2), np.float32)], onnx("NonZero")),
    Case("Compress", [normal(3, 4), truths(3)], onnx("Compress", axis=0), {"axis": 0}),
    Case("Compress", [normal(3, 4), truths(4)], onnx("Compress", axis=-1), {"axis": -1}),
    Case("Compress", [normal(3, 4), truths(7)], onnx("Compress")),
]

_ROWS = np.array([[0, 1, 2], [1, 2, 0]], np.int64)
_PLACES = np.array([[0, 1], [2, -1], [0, 1]], np.int64)
WRITING = [
    *(
        Case(
            "Scatter",
            [normal(3, 3), _ROWS, normal(2, 3)],
            onnx("ScatterElements", axis=axis, reduction=reduction),
            {"axis": axis, "reduction": reduction},
        )
        for axis in (0, -1)
        for reduction in ("none", "add", "mul", "max", "min")
    ),
    *(
        Case(
            "ScatterND",
            [normal(3, 3, 2), _PLACES if reduction != "none" else _PLACES[:2], updates],
            onnx("ScatterND", reduction=reduction),
            {"reduction": reduction},
        )
        for reduction in ("none", "add", "mul", "max", "min")
        for updates in ([normal(3, 2) if reduction != "none" else normal(2, 2)])
    ),
]

CASES = [*SLICING, *PADDING, *READING, *WRITING]
