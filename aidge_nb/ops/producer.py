"""Operators that make tensors."""

from __future__ import annotations

from collections.abc import Sequence
from math import ceil
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.dtype import DType, as_dtype
from aidge_nb.core.errors import ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import ShapeContext
from aidge_nb.ops import ports
from aidge_nb.ops.arithmetic import common_result
from aidge_nb.ops.build import declare, make_node, make_producer
from aidge_nb.ops.rules import integers


def scalar_of(value: Any, where: str = "") -> NDArray[Any]:
    """Return one value as an array without dimensions; Python's float becomes float32.

    Raise ShapeError for several values.

    Examples
    --------
    >>> scalar_of([2.5]).dtype, scalar_of(3).dtype
    (dtype('float32'), dtype('int64'))
    """
    array = np.asarray(value)
    if array.size != 1:
        raise ShapeError.at(where, "is one value", found=list(array.shape))
    plain = isinstance(value, (float, list, tuple)) and array.dtype == np.float64
    return array.reshape(()).astype(np.float32 if plain else array.dtype)


CONSTANT_OF_SHAPE = declare(
    "ConstantOfShape",
    ports.data("input"),
    lambda context: [integers(context, 0, ())],
    outputs=("constant_of_shape",),
    attrs={"value": np.zeros((), np.float32)},
    dtypes=lambda context: [as_dtype(scalar_of(context.attrs.value).dtype)],
    onnx=("ConstantOfShape",),
)


def range_count(start: float, limit: float, delta: float, where: str = "") -> int:
    """Count the numbers from ``start`` to before ``limit``, in steps of ``delta``.

    Raise ShapeError for a step of 0.

    Examples
    --------
    >>> range_count(0, 5, 2), range_count(5, 0, 1)
    (3, 0)
    """
    if delta == 0:
        raise ShapeError.at(where, "the step of Range is 0", cure="Give another delta.")
    return max(0, ceil((limit - start) / delta))


def _range_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    start, limit, delta = (np.ravel(context.value(index))[0].item() for index in range(3))
    return [(range_count(start, limit, delta, context.where),)]


RANGE = declare(
    "Range",
    ports.attr("start", "limit", "delta"),
    _range_dims,
    dtypes=common_result,
    onnx=("Range",),
)


def _eye_types(context: ShapeContext) -> Sequence[DType]:
    wanted = context.attrs.dtype
    return [(context.dtypes[0] or DType.float32) if wanted is None else as_dtype(wanted)]


EYE_LIKE = declare(
    "EyeLike",
    ports.DATA,
    lambda context: [context.dim(0)],
    attrs={"k": 0, "dtype": None},
    dtypes=_eye_types,
)


def Producer(
    tensor: Tensor | NDArray[Any] | Sequence[int], name: str = "", constant: bool = False
) -> Node:
    """Make a node that outputs a tensor: a parameter or a constant.

    Parameters
    ----------
    tensor
        A tensor, an array, or only dimensions: the values then come later, with
        ``set_output(0, tensor)`` here or ``set_input(i, tensor)`` at the node that reads them.
    name
        Name of the node.
    constant
        Whether the values never change, so that shapes may depend on them.

    Examples
    --------
    >>> from aidge_nb import ops
    >>> ops.Producer([2, 3], name="w").get_operator().get_output(0)
    Tensor([2, 3], float32, no data)
    """
    if isinstance(tensor, np.ndarray):
        tensor = Tensor(tensor)
    elif not isinstance(tensor, Tensor):
        tensor = Tensor.of_dims(tensor)
    return make_producer(tensor, name, constant=constant)


def ConstantOfShape(value: Any = 0.0, name: str = "") -> Node:
    """Make a node that outputs a tensor of one value, with the dimensions that its input says.

    Parameters
    ----------
    value
        Value of all elements.
    name
        Name of the node.

    Raises
    ------
    ShapeError
        When ``value`` is more than one.
    """
    where = f"{name} (ConstantOfShape), value"
    value = value.array if isinstance(value, Tensor) else value
    return make_node(CONSTANT_OF_SHAPE, name, value=scalar_of(value, where))


def Range(
    start: float | None = None,
    limit: float | None = None,
    delta: float | None = None,
    name: str = "",
) -> Node:
    """Make a node that outputs numbers from start to before limit, in equal steps.

    Those of the three that are given become constant Producers, the others are to be connected.

    Parameters
    ----------
    start
        First value.
    limit
        Value before which the sequence ends.
    delta
        Difference of one value from the one before.
    name
        Name of the node.
    """
    node = make_node(RANGE, name)
    for index, (part, value) in enumerate((("start", start), ("limit", limit), ("delta", delta))):
        if value is not None:
            producer = make_producer(
                Tensor(scalar_of(value)), f"{name}_{part}" if name else "", constant=True
            )
            producer.add_child(node, 0, index)
    return node


def EyeLike(k: int = 0, dtype: DType | None = None, name: str = "") -> Node:
    """Make a node that outputs 1 on diagonal ``k`` and 0 elsewhere, with the dims of its input.

    Parameters
    ----------
    k
        Number of the diagonal: 0 the main one, positive ones above it.
    dtype
        Element type of the output; that of the input when None.
    name
        Name of the node.
    """
    return make_node(EYE_LIKE, name, k=k, dtype=dtype)
