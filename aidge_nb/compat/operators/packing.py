"""Pack integers of less than eight bits into bytes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.compat.operators.declare import SPECS, operator
from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.node import Node
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.spec import ShapeContext

FIELDS = {"binary": 1, "int2": 2, "uint2": 2, "int3": 4, "uint3": 4, "int4": 4, "uint4": 4}
"""Bits that a number of each type takes in a byte."""


def _width(element: str, where: str = "WeightInterleaving") -> int:
    name = element.rpartition("_")[2]
    if name not in FIELDS:
        raise ShapeError.at(
            where,
            "the type of the numbers to pack is unknown",
            expected=", ".join(FIELDS),
            found=element or "none",
            cure="Say it with get_operator().set_datatype(aidge_core.dtype.int4).",
        )
    return FIELDS[name]


def _packed(context: ShapeContext) -> Sequence[Sequence[int]]:
    dims, count = context.dim(0), 8 // _width(context.attrs["element"], context.where)
    if not dims:
        raise ShapeError.at(context.where, "a scalar is not packed", expected="a dimension")
    return [(*dims[:-1], -(-dims[-1] // count))]


@operator("WeightInterleaving", "data_input", _packed, lambda context: [DType.int8])
def pack(x: NDArray[Any], *, element: str = "") -> NDArray[np.int8]:
    """Return bytes whose highest bits are the first numbers along the last dimension.

    Each number is cut to its bits; what is left of the last byte is 0.
    """
    width, bits = _width(element), int(element.strip("abcdefghijklmnopqrstuvwxyz_") or 1)
    count = 8 // width
    short = -x.shape[-1] % count
    padded = np.pad(x.astype(np.uint8) & (1 << bits) - 1, [(0, 0)] * (x.ndim - 1) + [(0, short)])
    fields = padded.reshape(*x.shape[:-1], -1, count)
    shifts = np.arange(8 - width, -1, -width, dtype=np.uint8)
    packed: NDArray[np.uint8] = np.bitwise_or.reduce(fields << shifts, axis=-1).astype(np.uint8)
    return packed.view(np.int8)


class PackingOp(Operator):
    """Packs integers; the type that it is set to says how many share a byte."""

    __slots__ = ()

    def set_datatype(self, dtype: Any) -> None:
        """Set the type of the numbers, such as ``int4`` or ``dual_int4``; ignore whole bytes."""
        name = str(getattr(dtype, "name", dtype))
        if name.rpartition("_")[2] in FIELDS:
            self.attr.element = name.rpartition("_")[2]


def WeightInterleaving(name: str = "") -> Node:
    """Make a node that packs integers of 1 to 4 bits along the last dimension.

    The type is set by ``get_operator().set_datatype(aidge_core.dtype.int4)``; data and results are
    bytes. Weights of a convolution are packed as Aidge does when their last dimension is that of
    the channels (NHWC).

    Parameters
    ----------
    name
        Name of the node.

    Examples
    --------
    >>> import numpy as np
    >>> from aidge_nb.compat import operators
    >>> import aidge_nb
    >>> node = operators.WeightInterleaving("pack")
    >>> node.get_operator().set_datatype("int4")
    >>> view = aidge_nb.get_connected_graph_view(node)
    >>> view.set_backend("cpu")
    >>> data = np.array([[4, 7, -3, -8]], np.int8)
    >>> np.asarray(aidge_nb.SequentialScheduler(view).forward(data=[data])[0])
    array([[ 71, -40]], dtype=int8)
    """
    spec = SPECS["WeightInterleaving"]
    return Node(PackingOp(spec, spec.make_attributes()), name)
