"""Operators with a sliding window: their attributes, and factories for one to three dimensions."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from inspect import signature
from typing import Any, Concatenate, ParamSpec

from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import OpSpec
from aidge_nb.ops.build import factory, make_node
from aidge_nb.ops.rules import spatial

P = ParamSpec("P")

_DIMENSIONS = ("one spatial dimension", "two spatial dimensions", "three spatial dimensions")

_WINDOW = ("kernel_dims", "stride_dims", "dilation_dims", "dilations")

_PARAMETERS = {
    "name": "Name of the node.",
    "in_channels": "Number of channels of the data.",
    "out_channels": "Number of channels of the result.",
    "nb_channels": "Number of channels of data and result.",
    "kernel_dims": "Size of the window along each spatial axis, in elements.",
    "stride_dims": "Elements from one window to the next along each spatial axis; 1 by default.",
    "dilation_dims": "Elements from one tap to the next along each spatial axis; 1 by default.",
    "dilations": "Elements from one tap to the next along each spatial axis; 1 by default.",
    "padding_dims": "Elements added before each spatial axis, then after each; 0 by default.",
    "no_bias": "Whether to leave out the bias.",
    "group": (
        "Number of groups of channels that are convolved separately (an extension: Aidge has none)."
    ),
    "ceil_mode": "Whether windows that begin inside and end outside of the data count.",
    "storage_order": "Whether the indices of the second output count column by column.",
    "count_include_pad": "Whether the added zeros count in the mean.",
    "rounding_mode": "How means of integers are rounded; see :func:`~aidge_nb.ops.Round`.",
}


def per_rank(
    specs: Sequence[OpSpec], make: Callable[Concatenate[OpSpec, P], Node], prefix: str = ""
) -> tuple[Callable[P, Node], Callable[P, Node], Callable[P, Node]]:
    """Make the factories of an operator in one, two and three spatial dimensions.

    The docstring of ``make`` may use ``{type}``, ``{rank}`` and ``{dimensions}``. The sections on
    parameters and errors come in place of ``{parameters}``.
    """
    names = [name for name in signature(make).parameters if name != "spec"]
    described = [line for name in names for line in (name, f"    {_PARAMETERS[name]}")]
    error = "    When a list is too short or too long for {dimensions}, or a number too small."
    sections = [
        *("Parameters", "----------", *described, ""),
        *("Raises", "------", "ShapeError", error),
    ]
    text = "\n    ".join(sections).replace("\n    \n", "\n\n")
    one, two, three = (
        factory(
            *(spec, make, f"{prefix}{spec.type}"),
            parameters=text,
            rank=rank,
            dimensions=dimensions,
        )
        for rank, (spec, dimensions) in enumerate(zip(specs, _DIMENSIONS, strict=True), 1)
    )
    return one, two, three


def window_attributes(spec: OpSpec, where: str, given: dict[str, Any]) -> dict[str, Any]:
    """Check attributes of an operator with a sliding window; strides and dilations may be None.

    Raise ShapeError when there are too few, too many, or such as are not positive.
    """
    rank = len(spec.attrs["stride_dims"])
    found = dict(given)
    for name in _WINDOW:
        if name in spec.attrs:
            default = () if name == "kernel_dims" else (1,) * rank
            found[name] = spatial(given.get(name) or default, rank, name, where=where)
    return found


def make_sliding(
    spec: OpSpec,
    name: str,
    kernel_dims: Sequence[int],
    stride_dims: Sequence[int] | None,
    dilations: Sequence[int] | None,
    **attributes: Any,
) -> Node:
    """Make a node that slides a window over its input."""
    dilated = "dilations" if "dilations" in spec.attrs else "dilation_dims"
    window = {"kernel_dims": kernel_dims, "stride_dims": stride_dims, dilated: dilations}
    where = f"{name} ({spec.type})"
    return make_node(spec, name, **window_attributes(spec, where, {**window, **attributes}))
