"""The parts of an ONNX model as plain data: values, nodes, graphs, functions.

They say what ONNX says and nothing more: values are named edges, nodes are in the order of the
file, and sizes that the model leaves open are names or None.

Reference: https://onnx.ai/onnx/repo-docs/IR.html
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.values import dataclass


def default_domain(domain: str) -> bool:
    """Return whether ``domain`` is the one of the ONNX standard, which has two spellings."""
    return domain in ("", "ai.onnx")


@dataclass(frozen=True)
class OnnxValue:
    """An edge of the graph: its name and, if known, type and dimensions.

    Parameters
    ----------
    name
        Name of the value.
    dtype
        Element type as ONNX calls it (``float32``, ``bfloat16``); None if it is not a tensor.
    dims
        One entry per dimension: a size, the name of an open size (``"N"``), or None; None as a
        whole when even the number of dimensions is unknown.
    """

    name: str
    dtype: str | None = "float32"
    dims: tuple[int | str | None, ...] | None = None


@dataclass(frozen=True)
class AttributeReference:
    """In a function: a reference to an attribute of its caller.

    Attributes
    ----------
    name
        Its name.
    """

    name: str


@dataclass(frozen=True, eq=False)
class OnnxNode:
    """One operator of a graph.

    Parameters
    ----------
    op_type
        Operator, as ONNX calls it.
    inputs, outputs
        Names of the values read and written; an empty name is an optional one left out.
    name
        Name of the node; may be empty.
    domain
        Set of operators that ``op_type`` belongs to; empty for the ONNX standard.
    attributes
        Each an int, float, str, arrays, graphs, or tuples of them.

    Examples
    --------
    >>> OnnxNode("Concat", ("a", "b"), ("c",), attributes={"axis": 1})
    OnnxNode('Concat', ('a', 'b') -> ('c',), axis=1)
    """

    op_type: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    name: str = ""
    domain: str = ""
    attributes: Mapping[str, Any] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """The node's name in messages: its own, or that of its first output."""
        name = self.name or next((output for output in self.outputs if output), "")
        return f"{name or 'unnamed node'} ({self.op_type})"

    @property
    def bodies(self) -> dict[str, OnnxGraph]:
        """The graphs that it carries (those of If, Loop, Scan), by attribute."""
        return {k: body for k, body in self.attributes.items() if isinstance(body, OnnxGraph)}

    def with_bodies(self, change: Callable[[str, OnnxGraph], OnnxGraph]) -> OnnxNode:
        """Return the node with changed graphs inside; ``change`` gets the attribute as well."""
        bodies = {key: change(key, body) for key, body in self.bodies.items()}
        return replace(self, attributes={**self.attributes, **bodies}) if bodies else self

    def __repr__(self) -> str:
        name = f", name={self.name!r}" if self.name else ""
        attributes = "".join(f", {key}={_short(self.attributes[key])}" for key in self.attributes)
        return f"OnnxNode({self.op_type!r}, {self.inputs} -> {self.outputs}{name}{attributes})"


@dataclass(frozen=True, eq=False)
class OnnxGraph:
    """Nodes, constants, inputs and outputs.

    Parameters
    ----------
    name
        Name of the graph.
    nodes
        Operators, in an order in which they can run.
    initializers
        Constants by name: arrays with the shape of the tensor.
    inputs, outputs
        Values that the caller gives and gets, in order; constants are not among the inputs, even
        where the file lists them there.
    values
        What the file says about values in between, by name.
    """

    name: str
    nodes: tuple[OnnxNode, ...]
    initializers: Mapping[str, NDArray[Any]]
    inputs: tuple[OnnxValue, ...]
    outputs: tuple[OnnxValue, ...]
    values: Mapping[str, OnnxValue] = field(default_factory=dict)

    @property
    def defined(self) -> set[str]:
        """Names of the values that are defined in it: inputs, constants, what its nodes write."""
        written = {output for node in self.nodes for output in node.outputs}
        return written.union((value.name for value in self.inputs), self.initializers)

    def __repr__(self) -> str:
        return f"OnnxGraph({self.name!r}, {len(self.nodes)} nodes)"


@dataclass(frozen=True, eq=False)
class OnnxFunction:
    """An operator that the model defines as a function.

    Parameters
    ----------
    name, domain
        The operator's type and domain.
    inputs, outputs
        Names of the formal parameters.
    attributes
        Names of the attributes, with their default where there is one, else None.
    nodes
        The body.
    opsets
        Version per domain, for the body.
    """

    name: str
    domain: str
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]
    attributes: Mapping[str, Any]
    nodes: tuple[OnnxNode, ...]
    opsets: Mapping[str, int]


def trimmed(names: Sequence[str]) -> list[str]:
    """Return names of inputs without those at the end that stand for nothing."""
    given = list(names)
    while given and not given[-1]:
        given.pop()
    return given


def _short(value: object) -> str:
    if isinstance(value, np.ndarray):
        return f"array({list(value.shape)}, {value.dtype})"
    return repr(value)
