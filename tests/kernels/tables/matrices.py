"""Cases of products, normalizations and reductions."""

from __future__ import annotations

from typing import Any

import numpy as np

from tests.kernels.case import Array, Case
from tests.kernels.onnx_oracle import onnx
from tests.kernels.tables.data import SCALAR, array, i64, integers, normal, positive, truths


def _fc(x: Array, weight: Array, bias: Array | None = None) -> Array:
    rows = x.reshape(1 if x.ndim == 1 else len(x), weight.shape[1]).astype(np.float64)
    return np.asarray(rows @ weight.T + (0 if bias is None else bias))


def _rms(x: Array, scale: Array) -> Array:
    wide = x.astype(np.float64)
    return np.asarray(wide / np.sqrt((wide**2).mean(axis=-1, keepdims=True) + 1e-5) * scale)


def _batch_norm_of_batch(x: Array, scale: Array, shift: Array, *rest: Array) -> Array:
    mean, variance = x.mean(axis=(0, 2)), x.var(axis=(0, 2))
    y = (x - mean[:, None]) / np.sqrt(variance[:, None] + 1e-5)
    return np.asarray(y * scale[:, None] + shift[:, None])


PRODUCTS = [
    Case("FC", [normal(3, 4), normal(5, 4), normal(5)], _fc),
    Case("FC", [normal(2, 2, 3), normal(5, 6), None], _fc),
    Case("FC", [normal(4), normal(5, 4), normal(5)], _fc),
    Case("FC", [normal(0, 4), normal(5, 4), normal(5)], _fc),
    *(
        Case("MatMul", [normal(*left), normal(*right, salt=1)], onnx("MatMul"))
        for left, right in (
            ((3, 4), (4, 5)),
            ((4,), (4,)),
            ((4,), (2, 4, 3)),
            ((2, 3, 4), (4,)),
            ((2, 3, 4), (4, 5)),
            ((2, 1, 3, 4), (5, 4, 2)),
        )
    ),
    Case("MatMul", [integers(3, 4, dtype=np.int32), integers(4, 2, dtype=np.int32)], np.matmul),
    Case("MatMul", [normal(3, 40, dtype=np.float16), normal(40, 2, dtype=np.float16)], np.matmul),
    Case("MatMul", [normal(2, 0), normal(0, 3)], lambda a, b: np.zeros((2, 3))),
    Case("Gemm", [normal(3, 4), normal(4, 5), normal(5)], onnx("Gemm")),
    Case("Gemm", [normal(3, 4), normal(4, 5), normal(3, 1)], onnx("Gemm")),
    Case("Gemm", [normal(3, 4), normal(4, 5)], onnx("Gemm")),
    Case(
        "Gemm",
        [normal(4, 3), normal(5, 4), SCALAR],
        onnx("Gemm", alpha=0.5, beta=2.0, transA=1, transB=1),
        {"alpha": 0.5, "beta": 2.0, "transA": True, "transB": True},
    ),
    *(
        Case("Einsum", arrays, onnx("Einsum", equation=equation), {"equation": equation})
        for equation, arrays in (
            ("bij,bjk->bik", [normal(2, 3, 4), normal(2, 4, 5)]),
            ("ij,jk", [normal(3, 4), normal(4, 5)]),
            ("ii->i", [normal(3, 3)]),
            ("...ij->...ji", [normal(2, 3, 4)]),
            ("i,j->ij", [normal(3), normal(4)]),
        )
    ),
]

_CHANNELS = [normal(3), normal(3, salt=1)]
NORMALIZATIONS = [
    *(
        Case(
            "BatchNorm2D",
            [normal(*dims), *_CHANNELS, normal(3, salt=2), positive(3)],
            onnx("BatchNormalization"),
        )
        for dims in ((2, 3), (2, 3, 5), (2, 3, 4, 5))
    ),
    Case(
        "BatchNorm2D",
        [normal(4, 3, 5), *_CHANNELS, normal(3), positive(3)],
        _batch_norm_of_batch,
        {"training_mode": True},
    ),
    Case("InstanceNorm", [normal(2, 3, 4, 5), *_CHANNELS], onnx("InstanceNormalization")),
    Case(
        "InstanceNorm",
        [normal(2, 3, 4), *_CHANNELS],
        onnx("InstanceNormalization", epsilon=0.1),
        {"epsilon": 0.1},
    ),
    Case("LayerNorm", [normal(2, 3, 4), normal(4), normal(4)], onnx("LayerNormalization")),
    Case("LayerNorm", [normal(2, 3, 4), normal(4)], onnx("LayerNormalization")),
    Case(
        "LayerNorm",
        [normal(2, 3, 4), normal(3, 4), normal(3, 4)],
        onnx("LayerNormalization", axis=1, epsilon=0.1),
        {"axis": 1, "epsilon": 0.1},
    ),
    Case("RMSNormalization", [normal(2, 3, 4), normal(4)], _rms),
    Case("RMSNormalization", [normal(5, 4), normal(4)], _rms, {"axis": 1}),
    *(
        Case(
            "GroupNormalization",
            [normal(2, 6, *spatial), normal(6), normal(6, salt=1)],
            onnx("GroupNormalization", num_groups=groups),
            {"num_groups": groups},
        )
        for groups, spatial in ((1, (3,)), (2, (3, 4)), (6, (3, 4)))
    ),
    Case("LRN", [normal(2, 7, 3, 3)], onnx("LRN", size=5), {"size": 5}),
    Case(
        "LRN",
        [normal(2, 7, 3, 3)],
        onnx("LRN", size=3, alpha=0.5, beta=0.6, bias=2.0),
        {"size": 3, "alpha": 0.5, "beta": 0.6, "bias": 2.0},
    ),
    Case(
        "LRN",
        [normal(1, 3, 2)],
        lambda x: (
            x / (1 + (x**2 + np.roll(np.pad(x, [(0, 0), (0, 1), (0, 0)]) ** 2, -1, 1)[:, :3]) / 2)
        ),
        {"size": 2, "alpha": 1.0, "beta": 1.0},
    ),
    *(
        Case(
            "LpNormalization",
            [normal(3, 4)],
            onnx("LpNormalization", axis=axis, p=p),
            {"axis": axis, "p": p},
        )
        for axis in (0, -1)
        for p in (1, 2)
    ),
    Case("LpNormalization", [np.zeros((2, 3), np.float32)], lambda x: x),
    *(
        Case(type_name, [x], onnx(type_name, axis=axis), {"axis": axis})
        for type_name in ("Softmax", "LogSoftmax", "Hardmax")
        for x, axis in (
            (normal(2, 3, 4), 1),
            (normal(2, 3, 4), -1),
            (normal(5), 0),
            (100 * normal(3, 7), 1),
        )
    ),
    *(
        Case(
            type_name,
            [normal(2, 3, 4)],
            onnx(type_name, axis=axis, opset=11),
            {"axis": axis, "flatten": True},
        )
        for type_name in ("Softmax", "LogSoftmax", "Hardmax")
        for axis in (0, 1, 2)
    ),
    Case("Softmax", [normal(0, 3)], lambda x: x, {"axis": 1}),
]

_REDUCTIONS = (
    *("ReduceSum", "ReduceMean", "ReduceMax", "ReduceMin", "ReduceProd", "ReduceL1", "ReduceL2"),
    *("ReduceSumSquare", "ReduceLogSum", "ReduceLogSumExp"),
)


def _reduction(type_name: str, x: Array, axes: tuple[int, ...], **flags: int) -> Case:
    names = {"keepdims": "keep_dims", "noop_with_empty_axes": "noop_with_empty_axes"}
    attrs: dict[str, Any] = {names[name]: bool(value) for name, value in flags.items()}
    reference = onnx(type_name, **flags)
    return Case(
        type_name,
        [x],
        lambda x: reference(x, i64(*axes)) if axes else reference(x),
        {"axes": axes, **attrs},
    )


REDUCTIONS = [
    case
    for type_name in _REDUCTIONS
    for case in (
        _reduction(type_name, positive(2, 3, 4), (1,)),
        _reduction(type_name, positive(2, 3, 4), (0, -1), keepdims=0),
        _reduction(type_name, positive(2, 3, 4), (), keepdims=0),
        _reduction(type_name, integers(3, 4, low=1, dtype=np.int32), (1,))
        if type_name
        not in ("ReduceMean", "ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp")
        else _reduction(type_name, SCALAR, (), keepdims=0),
    )
]
REDUCTIONS += [
    Case("ReduceL1", [array(np.int8, [-128, 100]), i64(0)], lambda x, axes: [-28]),  # as int8
    _reduction("ReduceSum", normal(2, 3), (), noop_with_empty_axes=1),
    Case("ReduceSum", [normal(2, 3, 4), i64(-1)], onnx("ReduceSum")),
    Case("ReduceSum", [normal(2, 0), i64(1)], onnx("ReduceSum")),
    Case("ReduceMax", [normal(0, 2), i64(0)], lambda x, axes: np.full((1, 2), -np.inf)),
    Case("ReduceMax", [truths(3, 4), i64(1)], lambda x, axes: x.any(axis=1, keepdims=True)),
    Case("ReduceMin", [truths(3, 4), i64(1)], lambda x, axes: x.all(axis=1, keepdims=True)),
    Case("ReduceMean", [array(np.int32, [1, 2]), i64(0)], lambda x, axes: [2]),
    Case(
        "ReduceMean",
        [array(np.int32, [1, 2]), i64(0)],
        lambda x, axes: [1],
        {"rounding_mode": "down"},
    ),
    Case(
        "ReduceLogSumExp",
        [array(np.float32, [1000, 1000]), i64(0)],
        lambda x, a: [1000 + np.log(2)],
    ),
    Case("ReduceLogSumExp", [array(np.float32, [-np.inf]), i64(0)], lambda x, a: [-np.inf]),
]

_TIES = np.array([[3, 1, 3, 2], [0, 0, 0, 0]], np.float32)
ORDER = [
    *(
        Case(
            type_name,
            [_TIES],
            onnx(type_name, axis=axis, keepdims=keep, select_last_index=last),
            {"axis": axis, "keep_dims": bool(keep), "select_last_index": bool(last)},
        )
        for type_name in ("ArgMax", "ArgMin")
        for axis in (0, -1)
        for keep in (0, 1)
        for last in (0, 1)
    ),
    *(
        Case(
            "CumSum",
            [normal(3, 4), np.array(axis)],
            onnx("CumSum", exclusive=exclusive, reverse=reverse),
            {"exclusive": bool(exclusive), "reverse": bool(reverse)},
        )
        for axis in (0, -1)
        for exclusive in (0, 1)
        for reverse in (0, 1)
    ),
    Case("CumSum", [integers(5, dtype=np.int32)], np.cumsum),
    *(
        Case(
            "TopK",
            [x, i64(k)],
            onnx("TopK", 2, axis=axis, largest=largest),
            {"axis": axis, "largest": bool(largest)},
        )
        for x, k, axis in ((_TIES, 3, 1), (normal(3, 5), 2, 0), (integers(2, 6), 6, -1))
        for largest in (0, 1)
    ),
]

CASES = [*PRODUCTS, *NORMALIZATIONS, *REDUCTIONS, *ORDER]
