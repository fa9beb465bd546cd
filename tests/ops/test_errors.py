"""What operators say about inputs and attributes that they cannot take."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from aidge_nb import ops
from aidge_nb.core.dims import axis_of
from aidge_nb.core.errors import AidgeError, DataDependencyError, GraphError, ShapeError
from aidge_nb.graph import Node
from aidge_nb.ops import producer, rules
from tests.ops.shapes import Given, dims_of, ints

K33: dict[str, Any] = {"kernel_dims": (3, 3)}
IMAGE, WEIGHTS = (1, 3, 8, 8), (4, 3, 3, 3)

CASES: list[tuple[str, list[Given], dict[str, Any], str]] = [
    # element by element
    (
        "Add",
        [(2, 3), (4,)],
        {},
        (
            "node (Add): inputs cannot be combined element by element, axis -1 differs "
            "(expected equal sizes, or 1, found [2, 3] and [4])"
        ),
    ),
    ("PRelu", [(2, 3), (4,)], {}, "node (PRelu), input#1: slopes do not fit the data (expected"),
    # convolutions
    (
        "Conv2D",
        [(1, 5, 8, 8), WEIGHTS],
        K33,
        (
            "node (Conv2D), input#0: wrong number of channels "
            "(expected 3 (weights [4, 3, 3, 3], 1 groups), found 5)"
        ),
    ),
    ("Conv2D", [IMAGE, WEIGHTS, (5,)], K33, "input#2: wrong bias dims (expected [4], found [5])"),
    (
        "Conv2D",
        [IMAGE, (4, 3, 5, 5)],
        K33,
        "input#1: weights do not have the dims of the kernel (expected [3, 3], found [5, 5])",
    ),
    (
        "Conv2D",
        [(3, 8, 8), WEIGHTS],
        K33,
        "input#0: wrong number of dimensions (expected 4, found [3, 8, 8])",
    ),
    ("Conv2D", [IMAGE, (4, 27)], K33, "input#1: wrong number of dimensions (expected 4"),
    (
        "Conv2D",
        [(1, 3, 2, 8), WEIGHTS],
        K33,
        (
            "input#0: the kernel is larger than the input (expected a kernel [3, 3], dilated by "
            "[1, 1], that fits, found [1, 3, 2, 8]). Pad the input first."
        ),
    ),
    (
        "Conv2D",
        [IMAGE, WEIGHTS],
        {**K33, "stride_dims": (0, 1)},
        "node (Conv2D): bad stride_dims (expected 2 whole numbers from 1 on, found [0, 1])",
    ),
    ("Conv2D", [IMAGE, WEIGHTS], {**K33, "dilation_dims": (1,)}, "bad dilation_dims"),
    ("Conv2D", [(1, 6, 8, 8), WEIGHTS], {**K33, "group": 3}, "wrong number of channels"),
    ("ConvDepthWise2D", [IMAGE, (4, 1, 3, 3)], K33, "wrong number of channels (expected 4"),
    ("ConvTranspose2D", [IMAGE, (4, 3, 3, 3)], K33, "wrong number of channels (expected 4"),
    (
        "ConvTranspose2D",
        [(1, 4, 1, 1), WEIGHTS],
        {**K33, "pads": (2, 2, 2, 2)},
        "node (ConvTranspose2D): pads cut away more than there is",
    ),
    # pooling
    (
        "MaxPooling2D",
        [(1, 3, 2, 2)],
        K33,
        (
            "input#0: the pooling window is larger than the input (expected a window [3, 3], "
            "dilated by [1, 1], that fits, found [1, 3, 2, 2]). Pad the input first."
        ),
    ),
    ("AvgPooling2D", [(3, 8, 8)], K33, "input#0: wrong number of dimensions (expected 4"),
    ("GlobalAveragePooling", [(3, 8)], {}, "wrong number of dimensions (expected at least 3"),
    # normalizations
    (
        "BatchNorm2D",
        [IMAGE, (3,), (3,), (3,), (4,)],
        {},
        "node (BatchNorm2D), input#4: wrong number of features (expected [3], found [4])",
    ),
    ("InstanceNorm", [(3,), (3,), (3,)], {}, "wrong number of dimensions (expected at least 2"),
    (
        "LayerNorm",
        [(2, 5, 8), (5,)],
        {},
        "input#1: does not fit the normalized dims (expected [8], found [5])",
    ),
    (
        "GroupNormalization",
        [IMAGE, (3,), (3,)],
        {"num_groups": 2},
        "input#0: channels do not make up the groups (expected a multiple of 2 channels",
    ),
    (
        "Softmax",
        [(2, 3)],
        {"axis": 2},
        "node (Softmax): no such axis (expected -2 to 1, found 2)",
    ),
    # products
    ("FC", [(2, 7), (5, 6)], {}, "input#0: wrong number of features (expected [6], found [7])"),
    ("FC", [(), (5, 6)], {}, "input#0: wrong number of dimensions"),
    ("FC", [(2, 6), (5, 6), (6,)], {}, "input#2: wrong bias dims (expected [5], found [6])"),
    (
        "MatMul",
        [(2, 3), (4, 5)],
        {},
        (
            "node (MatMul): matrices do not fit (expected as many columns at input#0 as rows at "
            "input#1, found [2, 3] and [4, 5])"
        ),
    ),
    ("MatMul", [(), (3,)], {}, "input#0: wrong number of dimensions"),
    ("Gemm", [(2, 3), (3, 5), (2, 4)], {}, "input#2: bias does not fit the result"),
    ("Gemm", [(2, 1), (1, 1), (2, 4)], {}, "input#2: bias does not fit the result"),
    ("Einsum", [(2, 3)], {"equation": "ij,jk"}, "equation 'ij,jk' (expected 1 terms"),
    ("Einsum", [(2, 3)], {"equation": "ijk"}, "term 'ijk' does not fit its input"),
    ("Einsum", [(2, 3), (4, 5)], {"equation": "ij,jk"}, "axis 'j' (expected 3, found 4)"),
    ("Einsum", [(2, 3)], {"equation": "ij->k"}, "no input has these axes (found ['k'])"),
    # reductions
    ("ReduceSum", [(2, 3)], {"axes": (0, -2)}, "an axis is named twice (found [0, 0])"),
    ("ReduceSum", [(2, 3), ints(5)], {}, "no such axis (expected -2 to 1, found 5)"),
    (
        "ArgMax",
        [(0, 3)],
        {},
        "input#0: there is nothing to choose from along axis 0 (expected a size of 1 or more",
    ),
    (
        "TopK",
        [(2, 3)],
        {"k": 4},
        "input#1: cannot take so many elements along axis 1 (expected k from 0 to 3, found 4)",
    ),
    # dimensions
    (
        "Reshape",
        [(2, 3)],
        {"shape": (4, -1)},
        "node (Reshape): cannot reshape [2, 3] (expected 6 elements, found [4, -1]). Use at most",
    ),
    ("Reshape", [(2, 3)], {"shape": (-1, -1)}, "cannot reshape [2, 3]"),
    ("Flatten", [(2, 3)], {"axis": 3}, "no such axis (expected -2 to 2, found 3)"),
    (
        "Squeeze",
        [(2, 3)],
        {"axes": (1,)},
        "input#0: cannot squeeze axes [1] (expected a size of 1 there, found [2, 3])",
    ),
    ("Unsqueeze", [(2,)], {"axes": (0, 0)}, "an axis is named twice"),
    (
        "Transpose",
        [(2, 3)],
        {"output_dims_order": (1,)},
        "output_dims_order names too few axes (expected all 2 axes of [2, 3], found [1])",
    ),
    # cutting and joining
    (
        "Slice",
        [(4, 3)],
        {"starts": (0,), "ends": (1, 2)},
        "bad starts, ends, axes or steps (expected as many of each, and no step of 0",
    ),
    ("Slice", [(4,)], {"starts": (0,), "ends": (1,), "steps": (0,)}, "no step of 0"),
    (
        "Concat",
        [(2, 3), (3, 3)],
        {"axis": 1},
        (
            "node (Concat), input#1: differs from input#0 in other axes than 1 "
            "(expected [2, 'any'], found [3, 3])"
        ),
    ),
    (
        "Split",
        [(7,)],
        {"split": (3, 3), "nb_outputs": 2},
        "the parts do not make up the whole (expected 2 sizes that add up to 7, found [3, 3])",
    ),
    (
        "Pad",
        [(4, 3)],
        {"pads": (1, 1, 1)},
        "wrong number of pads (expected begins, then ends, of up to 2 axes, found [1, 1, 1])",
    ),
    ("Pad", [(4, 3)], {"pads": (-2, -3)}, "pads -2 and -3 do not fit a size of 3 (mode constant)"),
    ("Pad", [(0,)], {"pads": (1, 0), "mode": "edge"}, "do not fit a size of 0 (mode edge)"),
    ("Pad", [(4,)], {"pads": (1, 0), "mode": "mirror"}, "unknown padding mode (expected constant"),
    ("Tile", [(2, 3), ints(2)], {}, "input#1: bad repeats (expected 2 counts, none negative"),
    # given places
    (
        "GatherElements",
        [(4, 3), (2, 5)],
        {},
        "input#1: indices do not fit the data (expected no more than [4, 3] but along axis 0",
    ),
    ("GatherND", [(4, 3), (2, 3)], {}, "input#1: indices do not fit the data (batch_dims 0)"),
    ("Scatter", [(4, 3), (2, 3), (1, 3)], {}, "input#2: indices and updates do not fit"),
    ("ScatterND", [(4, 3), (2, 1), (2, 2)], {}, "updates [2, 3] for indices [2, 1]"),
    # resolution
    ("Resize", [IMAGE], {}, "Resize needs either scales or sizes (expected one for each of 4 axes"),
    ("Resize", [IMAGE], {"scales": (2, 2)}, "found scales [2, 2] and sizes []). Name fewer axes"),
    (
        "DepthToSpace",
        [IMAGE],
        {"block_size": 2},
        "input#0: cannot be cut into blocks (expected a multiple of 4 at axis 1, found",
    ),
    (
        "SpaceToDepth",
        [IMAGE],
        {"block_size": 3},
        "a multiple of 3 at axis 2 and a multiple of 3 at axis 3",
    ),
    (
        "Fold2D",
        [(1, 8, 8)],
        {"kernel_dims": (2, 2), "output_dims": (4, 4)},
        "windows do not make up the output (expected [batch, a multiple of 4, 9], found [1, 8, 8])",
    ),
    (
        "Unfold2D",
        [(1, 8, 1, 8)],
        {"kernel_dims": (2, 2)},
        "the window is larger than the image (expected a window [2, 2], dilated by [1, 1]",
    ),
    # cyclic graphs
    ("Pop", [()], {}, "input#0: wrong number of dimensions (expected at least 1, found [])"),
    (
        "Stack",
        [(2,)],
        {},
        (
            "the number of slices is not known (expected max_elements of 1 or more, or a number at "
            "input#1, found 0)"
        ),
    ),
    ("Select", [(2,), (3,)], {}, "input#0: the choice is not one number"),
    (
        "Select",
        [(), (3,), (4,)],
        {},
        "input#2: branches give different dims (expected [3], found [4])",
    ),
    # making tensors
    ("Range", [np.array(0), np.array(5), np.array(0)], {}, "the step of Range is 0. Give another"),
]


@pytest.mark.parametrize(("type_name", "inputs", "attributes", "message"), CASES)
def test_shape_errors(
    type_name: str, inputs: list[Given], attributes: dict[str, Any], message: str
) -> None:
    with pytest.raises(ShapeError, match=re.escape(message)) as caught:
        dims_of(type_name, *inputs, **attributes)
    assert str(caught.value).startswith(f"node ({type_name})")


def test_a_missing_input_is_named() -> None:
    with pytest.raises(GraphError, match=r"node \(Add\), input#1: is not connected"):
        dims_of("Add", (2,), None)


def test_memorize_without_initial_value() -> None:
    with pytest.raises(
        DataDependencyError, match=r"node \(Memorize\): .* Give the dims of input#1"
    ):
        dims_of("Memorize", None, None, end_step=2)


@pytest.mark.parametrize(
    ("make", "kind", "message"),
    [
        (
            lambda: ops.Conv2D(3, 4, [3], name="c"),
            ShapeError,
            "c (Conv2D): bad kernel_dims (expected 2 whole numbers from 1 on, found [3])",
        ),
        (
            lambda: ops.PaddedConv2D(3, 4, [3, 3], "p", padding_dims=[1, 1]),
            ShapeError,
            "p (PaddedConv2D): bad padding_dims (expected 4 whole numbers from 0 on",
        ),
        (
            lambda: ops.MaxPooling2D([2, 2], "m", stride_dims=[0, 1]),
            ShapeError,
            "m (MaxPooling2D): bad stride_dims",
        ),
        (
            lambda: ops.Pad([1, 1], name="p", mode="mirror"),
            ShapeError,
            (
                "p (Pad): unknown padding mode (expected constant or edge or reflect or wrap or "
                "constant_lowest, found 'mirror')"
            ),
        ),
        (
            lambda: ops.Concat(0, name="c"),
            GraphError,
            "c (Concat): too few inputs or outputs (expected at least 1 and 1, found 0 and None)",
        ),
        (lambda: ops.Select(0), GraphError, "(Select): too few inputs or outputs"),
        (lambda: ops.Split(0), GraphError, "(Split): too few inputs or outputs"),
        (lambda: ops.Cast("float3"), ShapeError, "unknown element type"),
        (lambda: ops.Producer([2, -1]), ShapeError, "dimension 1 is not a size"),
        (
            lambda: ops.ConstantOfShape([1, 2], name="c"),
            ShapeError,
            "c (ConstantOfShape), value: is one value (found [2])",
        ),
    ],
)
def test_errors_of_factories(
    make: Callable[[], Node], kind: type[AidgeError], message: str
) -> None:
    with pytest.raises(kind, match=re.escape(message)):
        make()


def test_rules_without_a_place_say_what_is_wrong() -> None:
    with pytest.raises(ShapeError, match=r"^no such axis"):
        axis_of(3, 2)
    with pytest.raises(ShapeError, match=r"^the step of Range"):
        producer.range_count(0, 1, 0)
    assert rules.port("", 2) == "input#2"
