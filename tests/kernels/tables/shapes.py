"""Cases of operators that change dimensions or types, and of those that make tensors."""

from __future__ import annotations

import numpy as np

from aidge_nb.core.dtype import DType
from tests.kernels.case import Array, Case
from tests.kernels.onnx_oracle import onnx
from tests.kernels.tables.data import EMPTY, SCALAR, SPECIAL, i64, integers, normal, truths

_X = normal(2, 3, 4)


def _dropped(x: Array, ratio: Array, training: Array) -> list[Array]:
    kept = np.random.RandomState(3).uniform(0, 1, x.shape) >= ratio
    return [np.where(kept, x / (1 - ratio), 0), kept]


DIMENSIONS = [
    Case("Reshape", [_X, i64(0, -1)], onnx("Reshape")),
    Case("Reshape", [_X], lambda x: x.reshape(4, 6), {"shape": (4, 6)}),
    Case("Reshape", [EMPTY, i64(0, 5)], onnx("Reshape", allowzero=1), {"allow_zero": True}),
    Case("Reshape", [SCALAR, i64(1, 1)], onnx("Reshape")),
    *(Case("Flatten", [_X], onnx("Flatten", axis=axis), {"axis": axis}) for axis in (0, 1, 3, -1)),
    Case("Squeeze", [normal(1, 3, 1), i64(0)], onnx("Squeeze")),
    Case("Squeeze", [normal(1, 3, 1)], onnx("Squeeze")),
    Case("Squeeze", [normal(1, 3, 1)], lambda x: x[..., 0], {"axes": (-1,)}),
    Case("Unsqueeze", [normal(3, 4), i64(0, -1)], onnx("Unsqueeze")),
    Case("Unsqueeze", [SCALAR], lambda x: x[None], {"axes": (0,)}),
    Case("Transpose", [_X], onnx("Transpose")),
    Case("Transpose", [_X], onnx("Transpose", perm=[1, 2, 0]), {"output_dims_order": (1, 2, 0)}),
    Case("Transpose", [SCALAR], lambda x: x),
    Case("Identity", [_X], lambda x: x),
    Case("Identity", [EMPTY], lambda x: x),
    Case("Dropout", [_X], lambda x: [x, np.ones(x.shape, bool)]),
    Case("Dropout", [_X, SCALAR, np.array(False)], onnx("Dropout", 2)),
    Case("Dropout", [_X, SCALAR, np.array(True)], _dropped, {"seed": 3}),
    Case("Expand", [normal(3, 1), i64(2, 1, 4)], onnx("Expand")),
    Case("Expand", [normal(3, 4), i64(1)], onnx("Expand")),
    Case("Expand", [SCALAR, i64(2, 0)], onnx("Expand")),
    Case("Shape", [_X], onnx("Shape")),
    Case("Shape", [_X], onnx("Shape", start=1, end=2), {"start": 1, "end": 1}),
    Case("Shape", [SCALAR], onnx("Shape")),
    Case("Size", [_X], onnx("Size")),
    Case("Size", [EMPTY], onnx("Size")),
]

TYPES = [
    Case("Cast", [normal(5) * 10], lambda x: np.trunc(x), {"target_type": DType.int32}),
    Case("Cast", [SPECIAL], lambda x: x != 0, {"target_type": DType.boolean}),
    Case("Cast", [integers(4)], lambda x: x, {"target_type": DType.float16}),
    Case("Cast", [normal(4)], lambda x: x, {"target_type": DType.float32}),
    Case("CastLike", [normal(5) * 10, i64(1)], lambda x, like: np.trunc(x)),
    Case("CastLike", [truths(5), SCALAR], lambda x, like: x),
]


def _constant(value: object) -> Case:
    return Case(
        "ConstantOfShape",
        [i64(2, 3)],
        lambda shape: np.full((2, 3), np.ravel(np.asarray(value))[0]),
        {"value": value},
    )


PRODUCERS = [
    _constant(np.zeros((), np.float32)),
    _constant(np.array([7], np.int64)),
    _constant(2.5),
    Case("ConstantOfShape", [i64()], lambda shape: np.float32(0)),
    Case("ConstantOfShape", [i64(0, 2)], onnx("ConstantOfShape")),
    *(
        Case("Range", [np.array(each, kind) for each in numbers], onnx("Range"))
        for kind, numbers in (
            (np.int64, (1, 10, 3)),
            (np.int64, (10, 1, -4)),
            (np.float32, (0, 1, 0.3)),
            (np.int32, (5, 1, 1)),
        )
    ),
    Case("EyeLike", [normal(3, 4)], onnx("EyeLike")),
    Case("EyeLike", [normal(3, 4)], onnx("EyeLike", k=-1, dtype=7), {"k": -1, "dtype": "int64"}),
]


def _select(choice: Array, *branches: Array) -> Array:
    return branches[int(choice)]


SELECTIONS = [
    Case("Select", [np.array(1), normal(3), normal(3, salt=1)], _select),
    Case("Select", [np.array(False), normal(2, 2), integers(2, 2)], _select),
]

CASES = [*DIMENSIONS, *TYPES, *PRODUCERS, *SELECTIONS]
