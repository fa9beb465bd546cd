"""Where a part of a layer's result lies in the whole.

A tile has to know it to be computed with the same bits as the whole: in which order a BLAS adds up
the terms of an element depends on the place of the element in the product.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from aidge_nb.core.values import dataclass
from aidge_nb.ops.convolution import CONVS, DEPTHWISE_CONVS
from aidge_nb.ops.linear import FULLY_CONNECTED, GEMM, MATMUL

if TYPE_CHECKING:
    from aidge_nb.graph.operator import Operator

PLACE = "place"
"""Name of the attribute that a tile has besides those that its operator declares."""


@dataclass(frozen=True, slots=True)
class TilePlace:
    """The place of a part in a result.

    Attributes
    ----------
    starts
        Where the part begins: of a convolution among the channels of a group, then along each
        spatial axis (groups themselves do not count, for each is computed apart); of a product of
        matrices along each axis.
    whole
        The dimensions of the whole, the same ones.

    Examples
    --------
    >>> inner = TilePlace((0, 4, 0), (32, 8, 8)).inside(TilePlace((8, 16, 0), (64, 64, 8)))
    >>> inner
    TilePlace(starts=(8, 20, 0), whole=(64, 64, 8))
    """

    starts: tuple[int, ...]
    whole: tuple[int, ...]

    def inside(self, other: TilePlace | None) -> TilePlace:
        """Return the place of a part of a part, in the whole."""
        if other is None:
            return self
        starts = (one + two for one, two in zip(self.starts, other.starts, strict=True))
        return TilePlace(tuple(starts), other.whole)


def place_in(operator: Operator, starts: Sequence[int], dims: Sequence[int]) -> TilePlace | None:
    """Return the place of a part of an operator's output; None where bits do not depend on it.

    The part begins at ``starts`` along each axis, and ``dims`` are those of the whole output of
    ``operator``, which may be a part itself.

    Examples
    --------
    >>> import aidge_nb
    >>> conv = aidge_nb.Conv2D(6, 8, [3, 3], group=2).get_operator()
    >>> place_in(conv, (0, 4, 16, 0), (1, 8, 64, 64))
    TilePlace(starts=(0, 16, 0), whole=(4, 64, 64))
    """
    if operator.spec in (FULLY_CONNECTED, GEMM, MATMUL):
        return TilePlace(tuple(starts), tuple(dims)).inside(operator.attr.get(PLACE))
    if operator.spec not in (*CONVS, *DEPTHWISE_CONVS):
        return None
    groups = int(operator.attr.group) if "group" in operator.attr else dims[1]
    first, channels = (starts[1], dims[1]) if groups == 1 else (0, dims[1] // groups)
    place = TilePlace((first, *starts[2:]), (channels, *dims[2:]))
    return place.inside(operator.attr.get(PLACE))
