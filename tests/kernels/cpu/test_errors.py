"""What kernels say when they cannot."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aidge_nb.core.errors import ShapeError
from tests.kernels.case import Array, run
from tests.kernels.tables.data import i64, normal

_BAD: list[tuple[str, list[Array], dict[str, Any], str]] = [
    ("Add", [normal(2, 3), normal(4)], {}, r"axis -1 differs .*found \[2, 3\] and \[4\]"),
    ("Where", [normal(2), normal(3), normal(3)], {}, "cannot be combined element by element"),
    ("Max", [normal(2), normal(3)], {}, "cannot be combined element by element"),
    ("BitShift", [i64(1), i64(1)], {"direction": "up"}, "unknown direction .*'up'"),
    ("Round", [normal(2)], {"rounding_mode": "nearest"}, "unknown rounding mode"),
    ("Gelu", [normal(2)], {"approximate": "sigmoid"}, "unknown approximation of Gelu"),
    (
        "Conv2D",
        [normal(1, 3, 4, 4), normal(2, 4, 3, 3)],
        {"kernel_dims": (3, 3)},
        r"input#0: wrong number of channels .*\[2, 4, 3, 3\]",
    ),
    (
        "Conv2D",
        [normal(1, 3, 2, 4), normal(2, 3, 3, 3)],
        {"kernel_dims": (3, 3)},
        r"larger than the input .*found \[2, 4\]\). Pad the input first",
    ),
    ("MaxPooling1D", [normal(1, 3, 2)], {"kernel_dims": (3,)}, "larger than the input"),
    ("AvgPooling1D", [normal(1, 3, 2)], {"kernel_dims": (3,)}, "larger than the input"),
    ("FC", [normal(2, 3), normal(5, 4)], {}, r"features \(expected \[2, 4\], found \[2, 3\]\)"),
    ("MatMul", [normal(2, 3), normal(2, 3)], {}, "matrices do not fit"),
    ("Einsum", [normal(2), normal(3)], {"equation": "i,i->i"}, "'i,i->i' does not fit"),
    ("Einsum", [normal(2)], {"equation": "i->j"}, "'i->j' does not fit"),
    ("ArgMax", [normal(0, 2)], {}, "nothing to choose from along axis 0"),
    ("ReduceSum", [normal(2, 3), i64(2)], {}, "no such axis .*found 2"),
    ("ReduceMean", [np.zeros((2, 0), int)], {"axes": (1,)}, r"mean of none .*int64\[2, 0\]"),
    ("TopK", [normal(3), i64(4)], {}, "cannot take so many .*expected k from 0 to 3, found 4"),
    ("Concat", [normal(2, 3), normal(3, 3)], {"axis": 1}, "differ in other axes than 1"),
    ("Slice", [normal(3), i64(0), i64(3), i64(0), i64(0)], {}, "no step of 0"),
    ("Pad", [normal(3), i64(1, 1)], {"mode": "mirror"}, "unknown padding mode"),
    ("Pad", [normal(3), i64(-2, -2)], {}, "cut off more than there is"),
    ("Pad", [normal(0), i64(1, 1)], {"mode": "edge"}, "nothing to pad with"),
    ("Tile", [normal(3), i64(1, 1)], {}, "bad repeats .*expected 1 counts"),
    ("Split", [normal(3), i64(1, 1)], {}, "do not make up the whole"),
    ("Gather", [normal(3), i64(3)], {}, "input#1: index out of range .*-3 to 2, found 3"),
    ("Gather", [normal(3), i64(-4)], {}, "index out of range .*found -4"),
    ("GatherElements", [normal(3), i64(5)], {}, "index out of range .*found 5"),
    ("GatherND", [normal(3, 3), i64(0, 7)], {}, "index out of range .*found 7"),
    ("ScatterND", [normal(3), i64(9).reshape(1, 1), normal(1)], {}, "index out of range"),
    ("Scatter", [normal(3), i64(0), normal(1)], {"reduction": "mean"}, "unknown reduction"),
    ("Reshape", [normal(3), i64(2, -1)], {}, r"cannot reshape \[3\]"),
    ("Squeeze", [normal(3), i64(0)], {}, r"cannot squeeze axes \[0\]"),
    ("Expand", [normal(3), i64(2)], {}, "cannot be combined"),
    ("Select", [i64(2), normal(1), normal(1)], {}, "this branch does not exist .*0 to 1, found 2"),
    ("Range", [i64(0), i64(1), i64(0)], {}, "the step of Range is 0"),
    ("Resize", [normal(3)], {}, "needs either scales or sizes"),
    ("Resize", [normal(3)], {"sizes": (2,), "padding_mode": "wrap"}, "padding mode of Resize"),
    ("Resize", [normal(3)], {"sizes": (2,), "interpolation_mode": "x"}, "unknown interpolation"),
    (
        "Fold2D",
        [normal(1, 4, 5)],
        {"output_dims": (3, 3), "kernel_dims": (2, 2)},
        r"windows do not make up the output .*found \[1, 4, 5\]",
    ),
    ("DepthToSpace", [normal(1, 4, 2, 2)], {"block_size": 2, "mode": "x"}, "unknown mode"),
]


@pytest.mark.parametrize(("type_name", "arrays", "attrs", "message"), _BAD)
def test_message(type_name: str, arrays: list[Array], attrs: dict[str, Any], message: str) -> None:
    with pytest.raises(ShapeError, match=message):
        run(type_name, *(np.asarray(array) for array in arrays), **attrs)
