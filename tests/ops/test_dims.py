"""Output dims and types: known cases, those that ``aidge_core`` 0.10.1 gave among them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import DataDependencyError
from aidge_nb.graph import SPECS
from tests.ops.shapes import Given, dims_of, infer, ints, operator

DECLARED = sorted(SPECS)  # before other tests register operators of their own
WINDOW_2D = {"kernel_dims": (2, 2), "stride_dims": (2, 2)}

CASES: list[tuple[str, list[Given], dict[str, Any], list[tuple[int, ...]]]] = [
    # element by element
    ("Add", [(2, 1, 4), (3, 1)], {}, [(2, 3, 4)]),
    ("Add", [(), ()], {}, [()]),
    ("Add", [(0, 3), (1, 3)], {}, [(0, 3)]),
    ("Sum", [(2, 1), (1, 3), ()], {}, [(2, 3)]),
    ("Where", [(2, 1), (3,), ()], {}, [(2, 3)]),
    ("PRelu", [(1, 3, 4, 4), (3, 1, 1)], {}, [(1, 3, 4, 4)]),
    # convolutions
    ("Conv2D", [(1, 3, 8, 8), (4, 3, 3, 3), (4,)], {"kernel_dims": (3, 3)}, [(1, 4, 6, 6)]),
    ("Conv2D", [(0, 3, 8, 8), (4, 3, 3, 3), None], {"kernel_dims": (3, 3)}, [(0, 4, 6, 6)]),
    (
        "Conv2D",
        [(2, 4, 9, 8), (6, 2, 3, 2), None],
        {"kernel_dims": (3, 2), "stride_dims": (2, 1), "dilation_dims": (2, 3), "group": 2},
        [(2, 6, 3, 5)],
    ),
    ("ConvDepthWise1D", [(1, 5, 9), (5, 1, 3), None], {"kernel_dims": (3,)}, [(1, 5, 7)]),
    ("Conv3D", [(1, 1, 4, 5, 6), (2, 1, 2, 2, 2)], {"kernel_dims": (2, 2, 2)}, [(1, 2, 3, 4, 5)]),
    (
        "ConvTranspose2D",
        [(1, 2, 4, 4), (2, 3, 3, 3)],
        {"kernel_dims": (3, 3), "stride_dims": (2, 2)},
        [(1, 3, 9, 9)],
    ),
    (
        "ConvTranspose2D",
        [(1, 2, 4, 4), (2, 3, 3, 3)],
        {
            "kernel_dims": (3, 3),
            "stride_dims": (2, 2),
            "pads": (1, 1, 1, 1),
            "output_padding": (1, 1),
        },
        [(1, 3, 8, 8)],
    ),
    # pooling
    (
        "MaxPooling2D",
        [(1, 3, 5, 5)],
        {**WINDOW_2D, "ceil_mode": True},
        [(1, 3, 3, 3), (1, 3, 3, 3)],
    ),
    ("AvgPooling2D", [(1, 3, 5, 5)], WINDOW_2D, [(1, 3, 2, 2)]),
    ("GlobalAveragePooling", [(1, 3, 5, 5)], {}, [(1, 3, 1, 1)]),
    ("GlobalMaxPooling", [(2, 3, 5)], {}, [(2, 3, 1)]),
    # products
    ("FC", [(2, 3, 4), (5, 12)], {}, [(2, 5)]),
    ("FC", [(4,), (5, 4)], {}, [(1, 5)]),
    ("MatMul", [(4,), (4,)], {}, [()]),
    ("MatMul", [(2, 1, 3, 4), (5, 4, 6)], {}, [(2, 5, 3, 6)]),
    ("MatMul", [(3, 4), (4,)], {}, [(3,)]),
    ("Gemm", [(4, 3), (5, 4), (5,)], {"transA": True, "transB": True}, [(3, 5)]),
    ("Einsum", [(2, 3, 4), (4, 5)], {"equation": "...i, ij -> ...j"}, [(2, 3, 5)]),
    ("Einsum", [(3, 3)], {"equation": "ii"}, [()]),
    # reductions
    ("ReduceMean", [(4, 3)], {"axes": (), "keep_dims": True}, [(1, 1)]),
    ("ReduceMean", [(4, 3)], {"noop_with_empty_axes": True}, [(4, 3)]),
    ("ReduceSum", [(4, 3, 2), ints(-1)], {"keep_dims": False}, [(4, 3)]),
    ("ArgMax", [(4, 3)], {"axis": 1}, [(4, 1)]),
    ("ArgMin", [(4, 3)], {"axis": -2, "keep_dims": False}, [(3,)]),
    ("TopK", [(4, 9), ints(3)], {}, [(4, 3), (4, 3)]),
    ("CumSum", [(4, 9), None], {}, [(4, 9)]),
    # dimensions
    ("Reshape", [(2, 3, 4)], {"shape": (0, -1)}, [(2, 12)]),
    ("Reshape", [(2, 0), ints(0, 5)], {"allow_zero": True}, [(0, 5)]),
    ("Reshape", [(1, 1), ints()], {}, [()]),
    ("Flatten", [(2, 3, 4)], {"axis": 0}, [(1, 24)]),
    ("Flatten", [(2, 3, 4)], {"axis": -1}, [(6, 4)]),
    ("Flatten", [(2, 3, 4)], {"axis": 3}, [(24, 1)]),
    ("Squeeze", [(1, 3, 1)], {}, [(3,)]),
    ("Squeeze", [(1, 3, 1), ints(-1)], {}, [(1, 3)]),
    ("Unsqueeze", [(3,)], {"axes": (0, -1)}, [(1, 3, 1)]),
    ("Transpose", [(2, 3, 4)], {}, [(4, 3, 2)]),
    ("Transpose", [(2, 3, 4)], {"output_dims_order": (1, 0, 2)}, [(3, 2, 4)]),
    ("Shape", [(2, 3, 4)], {}, [(3,)]),
    ("Shape", [(2, 3, 4)], {"start": 0, "end": -2}, [(2,)]),
    ("Size", [(2, 3, 4)], {}, [()]),
    ("Expand", [(3, 1), ints(2, 1, 6)], {}, [(2, 3, 6)]),
    ("Dropout", [(2, 3)], {}, [(2, 3), (2, 3)]),
    # cutting and joining
    ("Slice", [(4, 3)], {"starts": (0,), "ends": (2,), "axes": (0,), "steps": (1,)}, [(2, 3)]),
    ("Slice", [(10,), ints(-1), ints(-99), ints(0), ints(-3)], {}, [(4,)]),
    ("Slice", [(10,)], {"starts": (5,), "ends": (2,)}, [(0,)]),
    ("Concat", [(2, 3), (2, 4), (2, 0)], {"axis": -1}, [(2, 7)]),
    ("Split", [(7, 2)], {"nb_outputs": 3}, [(3, 2), (3, 2), (1, 2)]),
    ("Split", [(7, 2)], {"nb_outputs": 2, "split": (2, 5)}, [(2, 2), (5, 2)]),
    ("Pad", [(1, 1, 10, 10)], {"pads": (1, 2, 3, 4)}, [(1, 1, 14, 16)]),
    ("Pad", [(2, 5), ints(0, 2, 0, -1)], {}, [(2, 6)]),
    ("Pad", [(2, 5), ints(1, -5), None, ints(1)], {}, [(2, 1)]),
    ("Tile", [(2, 3), ints(2, 0)], {}, [(4, 0)]),
    ("Trilu", [(3, 4)], {}, [(3, 4)]),
    # given places
    ("Gather", [(4, 3)], {"axis": 0, "indices": (1, 2)}, [(2, 3)]),
    ("Gather", [(4, 3)], {"indices": (1, 2, 3, 0), "gathered_shape": (2, 2)}, [(2, 2, 3)]),
    ("Gather", [(4, 3), ()], {"axis": 1}, [(4,)]),
    ("GatherElements", [(4, 3), (2, 3)], {}, [(2, 3)]),
    ("GatherND", [(2, 3, 4), (2, 5, 1)], {"batch_dims": 1}, [(2, 5, 4)]),
    ("Scatter", [(4, 3), (2, 3), (2, 3)], {}, [(4, 3)]),
    ("ScatterND", [(4, 3), (2, 1), (2, 3)], {}, [(4, 3)]),
    ("OneHot", [(2, 3), ints(5)], {"axis": 1}, [(2, 5, 3)]),
    ("NonZero", [np.array([[1, 0], [1, 1]])], {}, [(2, 3)]),
    ("Compress", [(3, 4), np.array([True, False, True])], {"axis": 0}, [(2, 4)]),
    ("Compress", [(3, 4), np.array([True, False, True])], {}, [(2,)]),
    # resolution
    ("Resize", [(1, 3, 4, 5)], {"scales": (2, 0.5), "axes": (2, 3)}, [(1, 3, 8, 2)]),
    ("Resize", [(1, 3, 4, 5), None, None, ints(1, 3, 8, 2)], {}, [(1, 3, 8, 2)]),
    (
        "Resize",
        [(1, 3, 4, 8)],
        {"sizes": (8, 8), "axes": (2, 3), "aspect_ratio": "not_larger"},
        [(1, 3, 4, 8)],
    ),
    ("DepthToSpace", [(1, 8, 2, 3)], {"block_size": 2}, [(1, 2, 4, 6)]),
    ("SpaceToDepth", [(1, 2, 4, 6)], {"block_size": 2}, [(1, 8, 2, 3)]),
    ("Unfold2D", [(1, 2, 4, 4)], {"kernel_dims": (2, 2)}, [(1, 8, 9)]),
    ("Fold2D", [(1, 8, 9)], {"kernel_dims": (2, 2), "output_dims": (4, 4)}, [(1, 2, 4, 4)]),
    # cyclic graphs
    ("Pop", [(2, 3, 4)], {}, [(3, 4)]),
    ("Pop", [(4,)], {}, [()]),
    ("Stack", [(2, 3)], {"max_elements": 5}, [(5, 2, 3)]),
    ("Stack", [(2, 3), ints(4)], {}, [(4, 2, 3)]),
    ("Memorize", [None, (2, 3)], {"end_step": 3}, [(2, 3), (2, 3)]),
    ("Select", [(), (2, 3), (2, 3)], {}, [(2, 3)]),
    # making tensors
    ("ConstantOfShape", [ints(2, 0)], {}, [(2, 0)]),
    ("Range", [np.array(1.0), np.array(2.0), np.array(0.3)], {}, [(4,)]),
    ("EyeLike", [(2, 3)], {}, [(2, 3)]),
]


@pytest.mark.parametrize(("type_name", "inputs", "attributes", "expected"), CASES)
def test_output_dims(
    type_name: str,
    inputs: list[Given],
    attributes: dict[str, Any],
    expected: list[tuple[int, ...]],
) -> None:
    assert dims_of(type_name, *inputs, **attributes) == expected


@pytest.mark.parametrize(
    ("type_name", "inputs"),
    [
        ("Reshape", [(4,), (2,)]),
        ("Slice", [(4,), (1,), (1,)]),
        ("ReduceSum", [(4,), (1,)]),
        ("Expand", [(4,), (2,)]),
        ("Tile", [(4,), (1,)]),
        ("ConstantOfShape", [(2,)]),
        ("NonZero", [(4,)]),
        ("Range", [(), (), ()]),
        ("TopK", [(4,), ()]),
    ],
)
def test_dims_that_depend_on_data_say_so(type_name: str, inputs: list[Given]) -> None:
    with pytest.raises(DataDependencyError, match=r"node .*: output dims are data dependent on in"):
        dims_of(type_name, *inputs)


F32, F64, F16, I32, I64, BOOL = (
    DType.float32,
    DType.float64,
    DType.float16,
    DType.int32,
    DType.int64,
    DType.boolean,
)


@pytest.mark.parametrize(
    ("type_name", "dtypes", "attributes", "expected"),
    [
        ("ReLU", [I32], {}, [I32]),
        ("Exp", [F64], {}, [F64]),
        ("Exp", [I64], {}, [F32]),
        ("Add", [F16, F16], {}, [F16]),
        ("Add", [I64, F32], {}, [F32]),
        ("Add", [I32, I64], {}, [I64]),
        ("Pow", [F32, I64], {}, [F32]),
        ("Less", [F32, F32], {}, [BOOL]),
        ("Where", [BOOL, I64, I64], {}, [I64]),
        ("ArgMax", [F32], {}, [I64]),
        ("TopK", [F64], {"k": 1}, [F64, I64]),
        ("Shape", [F32], {}, [I64]),
        ("Cast", [F32], {"target_type": I32}, [I32]),
        ("CastLike", [F32, F16], {}, [F16]),
        ("Dropout", [F32], {}, [F32, BOOL]),
        ("EyeLike", [I32], {}, [I32]),
        ("EyeLike", [I32], {"dtype": F32}, [F32]),
    ],
)
def test_output_types(
    type_name: str, dtypes: list[DType], attributes: dict[str, Any], expected: list[DType]
) -> None:
    made = operator(type_name, [(2, 2)] * len(dtypes), dtypes=dtypes, **attributes)
    infer(made)
    assert [made.get_output(index).dtype for index in range(made.nb_outputs)] == expected


@pytest.mark.parametrize(
    ("type_name", "inputs", "attributes", "expected"),
    [
        ("Conv2D", [(2, 3, 8, 8), (4, 3, 3, 3)], {"kernel_dims": (3, 3)}, 2 * 4 * 36 * 27),
        ("ConvDepthWise2D", [(1, 4, 8, 8), (4, 1, 3, 3)], {"kernel_dims": (3, 3)}, 4 * 36 * 9),
        ("ConvTranspose1D", [(1, 2, 5), (2, 3, 4)], {"kernel_dims": (4,)}, 10 * 3 * 4),
        ("FC", [(2, 4), (5, 4)], {}, 2 * 5 * 4),
        ("MatMul", [(7, 2, 3), (3, 4)], {}, 7 * 2 * 3 * 4),
        ("Gemm", [(3, 2), (3, 4)], {"transA": True}, 2 * 3 * 4),
        ("Einsum", [(2, 3), (3, 4)], {"equation": "ij,jk->ik"}, 24),
        ("ReLU", [(2, 3)], {}, 0),
    ],
)
def test_multiply_accumulates(
    type_name: str, inputs: list[Given], attributes: dict[str, Any], expected: int
) -> None:
    made = operator(type_name, inputs, **attributes)
    assert made.macs() is None
    infer(made)
    assert made.macs() == expected


LEFT_OUT = {
    # Each hands on the dims of input 0; tests of errors cover what they check besides.
    "BatchNorm2D",
    "GroupNormalization",
    "Hardmax",
    "InstanceNorm",
    "LayerNorm",
    "LogSoftmax",
    "LpNormalization",
    "LRN",
    "RMSNormalization",
    "Softmax",
    # Its dims are those of its tensor.
    "Producer",
}


def test_every_rule_on_dims_has_a_case() -> None:
    rules = {SPECS[case[0]].dims for case in CASES}
    without = {name for name in DECLARED if SPECS[name].dims not in rules}
    assert without == LEFT_OUT
