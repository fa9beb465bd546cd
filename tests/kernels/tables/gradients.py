"""Cases of gradients: those of the other tables with smooth numbers, and some of their own."""

from __future__ import annotations

from collections import Counter
from zlib import crc32

import numpy as np
from numpy.typing import ArrayLike

from tests.kernels.case import Array, Case, Inputs
from tests.kernels.tables.data import i64, integers, normal, positive, truths
from tests.kernels.tables.every import CASES as TABLES

LARGEST = 10_000  # elements of an input; larger cases are about speed


def _smooth(array: Array | None, salt: int) -> Array | None:
    """Give float64 away from bends and ties; what is not finite, or huge, by other numbers."""
    if array is None or array.dtype.kind != "f":
        return array
    rng = np.random.default_rng(crc32(repr((array.shape, salt)).encode()))
    wide = array.astype(np.float64)
    if not np.isfinite(wide).all() or np.abs(wide).max(initial=0) > 60:
        return 0.1 + 1.8 * rng.random(array.shape)
    return np.asarray(wide + 0.01 * rng.standard_normal(array.shape))


KEPT = {
    ("Resize", 1),  # a region of interest, and factors: which element is read jumps with them
    ("Resize", 2),
    ("Dropout", 1),  # a ratio: what is left out jumps with it
}
"""Inputs that decide what happens and are no data."""


def _of(case: Case) -> Case:
    arrays: Inputs = [
        array if (case.type, index) in KEPT else _smooth(array, index)
        for index, array in enumerate(case.arrays)
    ]
    return Case(case.type, arrays, case.oracle, case.attrs)


def _own(type_name: str, *values: ArrayLike, **attrs: object) -> Case:
    arrays = map(np.asarray, values)
    wide = [a.astype(np.float64) if a.dtype.kind == "f" else a for a in arrays]
    return Case(type_name, wide, lambda *_: None, dict(attrs))


_WITH_ZEROS = np.where(np.arange(12).reshape(3, 4) % 5 == 0, 0, normal(3, 4))

OWN = [
    _own("Sqrt", positive(3, 4)),
    _own("Floor", positive(3, 4)),
    _own("Ceil", positive(3, 4)),
    _own("Round", positive(3, 4)),
    _own("Sign", normal(3, 4)),
    _own("Pow", positive(3, 1), normal(4, salt=1)),
    _own("Pow", normal(5), np.array(3)),
    _own("Pow", normal(5), np.array(2)),
    _own("Mod", normal(3, 4) * 7, positive(4), fmod=True),
    _own("Mod", normal(3, 4) * 7, positive(4), fmod=False),
    _own("Range", np.float64(0.3), np.float64(5.1), np.float64(0.7)),
    _own("Clip", normal(20), np.float64(-0.4), np.float64(0.6)),
    _own("Clip", normal(20), np.float64(0.6), np.float64(-0.4)),
    _own("Conv2D", normal(2, 4, 7, 8), normal(6, 2, 3, 2), normal(6),
         kernel_dims=(3, 2), stride_dims=(2, 1), dilation_dims=(1, 2), group=2),
    _own("ConvDepthWise2D", normal(2, 3, 6, 5), normal(3, 1, 3, 3), normal(3),
         kernel_dims=(3, 3), stride_dims=(1, 2), dilation_dims=(2, 1)),
    _own("MaxPooling2D", normal(1, 2, 7, 7), kernel_dims=(3, 3), stride_dims=(1, 1)),
    _own("AvgPooling2D", normal(1, 2, 7, 7), kernel_dims=(3, 3), stride_dims=(2, 2),
         ceil_mode=True),
    _own("BatchNorm2D", normal(4, 3, 5, 2), normal(3), normal(3, salt=1), normal(3, salt=2),
         positive(3), training_mode=True),
    _own("MatMul", normal(3), normal(2, 3, 4)),
    _own("MatMul", normal(2, 1, 3, 4), normal(5, 4, 2)),
    _own("Gemm", normal(4, 3), normal(5, 4), normal(3, 1), alpha=0.5, beta=2.0, transA=True,
         transB=True),
    _own("Einsum", normal(2, 3, 4), normal(2, 4, 5), equation="bij,bjk->bik"),
    _own("Einsum", normal(3, 3), equation="ii->"),
    _own("Einsum", normal(2, 3, 4), equation="abc->b"),
    _own("Einsum", normal(3), normal(4), normal(3, 4), equation="i,j,ij->i"),
    _own("Einsum", normal(1, 3), normal(4, 3), equation="ab,ab->b"),
    _own("ReduceProd", _WITH_ZEROS, i64(1)),
    _own("ReduceL2", normal(2, 3, 4), i64(0, 2), keep_dims=False),
    _own("ReduceL1", normal(2, 3, 4), i64(-1)),
    _own("ReduceMax", normal(2, 3, 4), i64(1)),
    _own("ReduceSumSquare", normal(2, 3), axes=(0,)),
    _own("Scatter", normal(3, 3), integers(2, 3, low=0, high=3), normal(2, 3, salt=1), axis=0,
         reduction="none"),
    _own("Scatter", normal(3, 3), np.array([[0, 0, 1]]), normal(1, 3, salt=1), axis=1,
         reduction="mul"),
    _own("ScatterND", normal(4, 2), i64(1, 3, 1).reshape(3, 1), normal(3, 2, salt=1),
         reduction="mul"),
    _own("ScatterND", normal(4, 2), i64(1, 3, 1).reshape(3, 1), normal(3, 2, salt=1),
         reduction="none"),
    _own("OneHot", i64(0, -1, 1), np.array(3), normal(2)),
    _own("OneHot", integers(2, 3, low=0, high=4), np.array(4), normal(2), axis=1),
    _own("TopK", normal(3, 6), i64(2), axis=1, largest=False),
    _own("Compress", normal(3, 4), truths(3), axis=0),
    _own("Split", normal(5, 6), i64(1, 0, 4), axis=0, nb_outputs=3),
    _own("Cast", np.float64(0.3), target_type="float64"),
    _own("Cast", normal(2, 3), target_type="float64"),
    _own("CastLike", normal(4), normal(1)),
    _own("Select", np.array(1), normal(3), normal(3, salt=1)),
    _own("Select", np.array(0), normal(2, 2), normal(2, 2, salt=1), normal(2, 2, salt=2)),
    _own("Hardmax", normal(3, 4), axis=1),
    _own("Dropout", normal(4, 5), np.float64(0.4), np.array(True), seed=3),
    _own("Where", truths(3, 4), normal(3, 1), normal(4, salt=1)),
    _own("Elu", normal(3, 4) * 2, alpha=0.5),
    _own("PRelu", normal(2, 3, 4), normal(3, 1)),
    _own("Tile", normal(2, 3), i64(3, 2)),
    _own("Pad", normal(3, 4), i64(2, 1, 0, 2), np.float64(0.5)),
    _own("LRN", normal(2, 6, 2), size=4, alpha=0.3, beta=0.7, bias=1.5),
    _own("LpNormalization", normal(3, 4), axis=1, p=1),
    _own("Softmax", np.float64(0.4), axis=0),
]  # fmt: skip


def _is_small(case: Case) -> bool:
    return all(array is None or array.size <= LARGEST for array in case.arrays)


CASES = [*(_of(case) for case in TABLES if _is_small(case)), *OWN]


def _ids() -> list[str]:
    seen: Counter[str] = Counter()
    found = []
    for case in CASES:
        found.append(f"{case.type}-{seen[case.type]}")
        seen[case.type] += 1
    return found


IDS = _ids()
