"""Meta-operators that pad first: a Pad and a pooling, as one node.

The micro-graph of ``pool`` holds ``pool_pad`` and ``pool_maxpooling`` or ``pool_avgpooling``.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aidge_nb.graph.node import Node
from aidge_nb.ops.padded import padded
from aidge_nb.ops.pooling import AVG_POOLINGS, HALF_AWAY, MAX_POOLINGS


def _max_pooling(
    rank: int, name: str, kernel_dims: Sequence[int], pads: Sequence[int] | None, **attributes: Any
) -> Node:
    spec = MAX_POOLINGS[rank - 1]
    return padded(spec, name, "maxpooling", kernel_dims, pads, "constant_lowest", **attributes)


def PaddedMaxPooling1D(
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    padding_dims: Sequence[int] | None = None,
    ceil_mode: bool = False,
    storage_order: bool = False,
) -> Node:
    """Make a padded MaxPooling over one dimension; see :func:`PaddedMaxPooling2D`."""
    return _max_pooling(
        1,
        name,
        kernel_dims,
        padding_dims,
        stride_dims=stride_dims,
        dilations=dilations,
        ceil_mode=ceil_mode,
        storage_order=storage_order,
    )


def PaddedMaxPooling2D(
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    padding_dims: Sequence[int] | None = None,
    ceil_mode: bool = False,
    storage_order: bool = False,
) -> Node:
    """Make a MaxPooling that pads its input with the lowest number first.

    Parameters
    ----------
    padding_dims
        Number of elements added above and left, then below and right; 0 by default.
    kernel_dims, name, stride_dims, dilations, ceil_mode, storage_order
        As for :func:`~aidge_nb.ops.MaxPooling2D`.

    Raises
    ------
    ShapeError
        For dims or pads that are too few, too many or negative.
    """
    return _max_pooling(
        2,
        name,
        kernel_dims,
        padding_dims,
        stride_dims=stride_dims,
        dilations=dilations,
        ceil_mode=ceil_mode,
        storage_order=storage_order,
    )


def PaddedMaxPooling3D(
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    padding_dims: Sequence[int] | None = None,
    ceil_mode: bool = False,
    storage_order: bool = False,
) -> Node:
    """Make a padded MaxPooling over three dimensions; see :func:`PaddedMaxPooling2D`."""
    return _max_pooling(
        3,
        name,
        kernel_dims,
        padding_dims,
        stride_dims=stride_dims,
        dilations=dilations,
        ceil_mode=ceil_mode,
        storage_order=storage_order,
    )


def _avg_pooling(
    rank: int,
    kernel_dims: Sequence[int],
    name: str,
    stride_dims: Sequence[int] | None,
    dilations: Sequence[int] | None,
    padding_dims: Sequence[int] | None,
    ceil_mode: bool,
    count_include_pad: bool,
    rounding_mode: str,
) -> Node:
    pads = tuple(padding_dims or (0,) * (2 * rank))
    return padded(
        AVG_POOLINGS[rank - 1],
        name,
        "avgpooling",
        kernel_dims,
        pads,
        stride_dims=stride_dims,
        dilations=dilations,
        ceil_mode=ceil_mode,
        rounding_mode=rounding_mode,
        ignore_pads=(0,) * (2 * rank) if count_include_pad else pads,
    )


def PaddedAvgPooling1D(
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    padding_dims: Sequence[int] | None = None,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    rounding_mode: str = HALF_AWAY,
) -> Node:
    """Make a padded AvgPooling over one dimension; see :func:`PaddedAvgPooling2D`."""
    return _avg_pooling(
        1,
        kernel_dims,
        name,
        stride_dims,
        dilations,
        padding_dims,
        ceil_mode,
        count_include_pad,
        rounding_mode,
    )


def PaddedAvgPooling2D(
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    padding_dims: Sequence[int] | None = None,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    rounding_mode: str = HALF_AWAY,
) -> Node:
    """Make an AvgPooling that pads its input with zeros first.

    Parameters
    ----------
    padding_dims
        Number of elements added above and left, then below and right; 0 by default.
    count_include_pad
        Whether the zeros count in the mean.
    kernel_dims, name, stride_dims, dilations, ceil_mode, rounding_mode
        As for :func:`~aidge_nb.ops.AvgPooling2D`.

    Raises
    ------
    ShapeError
        For dims or pads that are too few, too many or negative.
    """
    return _avg_pooling(
        2,
        kernel_dims,
        name,
        stride_dims,
        dilations,
        padding_dims,
        ceil_mode,
        count_include_pad,
        rounding_mode,
    )


def PaddedAvgPooling3D(
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] | None = None,
    dilations: Sequence[int] | None = None,
    padding_dims: Sequence[int] | None = None,
    ceil_mode: bool = False,
    count_include_pad: bool = True,
    rounding_mode: str = HALF_AWAY,
) -> Node:
    """Make a padded AvgPooling over three dimensions; see :func:`PaddedAvgPooling2D`."""
    return _avg_pooling(
        3,
        kernel_dims,
        name,
        stride_dims,
        dilations,
        padding_dims,
        ceil_mode,
        count_include_pad,
        rounding_mode,
    )
