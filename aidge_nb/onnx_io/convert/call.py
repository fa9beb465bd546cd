"""The context of a converter: one ONNX node, and the graph to add nodes to.

A converter takes an :class:`OnnxCall`, makes nodes with :meth:`OnnxCall.make` and returns the node,
or the ports that stand for the outputs of the ONNX node. For a variant that no operator covers it
raises :class:`Unsupported` before it makes anything; the node then becomes a generic operator.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from numpy.typing import NDArray

from aidge_nb.core.values import dataclass
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.spec import SPECS
from aidge_nb.onnx_io.convert.conversion import Conversion
from aidge_nb.onnx_io.ir import OnnxNode, trimmed
from aidge_nb.onnx_io.read.check import reads


class Unsupported(Exception):  # noqa: N818  # a variant and not an error of the user
    """No operator of ours covers this variant; the message names it."""


@dataclass(frozen=True)
class OnnxCall:
    """One ONNX node to convert."""

    node: OnnxNode
    conversion: Conversion

    @property
    def name(self) -> str:
        """Name of the node."""
        return self.node.name

    @property
    def opset(self) -> int:
        """Opset version of the node's domain."""
        return self.conversion.model.opsets.get(self.node.domain, 1)

    @property
    def inputs(self) -> tuple[str, ...]:
        """Names of the input values; empty for omitted optional inputs."""
        return self.node.inputs

    def everything_read(self) -> tuple[list[str], list[str]]:
        """Return the values that the node reads: its inputs, and what its bodies read besides."""
        inputs = trimmed(self.inputs)
        return inputs, [each for each in dict.fromkeys(reads(self.node)) if each not in inputs]

    def has(self, index: int) -> bool:
        """Return whether input ``index`` is there."""
        return index < len(self.node.inputs) and bool(self.node.inputs[index])

    def uses_output(self, index: int) -> bool:
        """Return whether output ``index`` is wanted."""
        return index < len(self.node.outputs) and bool(self.node.outputs[index])

    def reads_output(self, index: int) -> bool:
        """Return whether output ``index`` is read by a node or is an output of the model."""
        return self.uses_output(index) and self.node.outputs[index] in self.conversion.read

    def need_outputs(self, count: int) -> None:
        """Raise if more than the first ``count`` outputs are used."""
        if any(map(self.uses_output, range(count, len(self.node.outputs)))):
            raise Unsupported(f"outputs beyond the first {count} are wanted")

    def attr(self, name: str, default: Any = None) -> Any:
        """Return an attribute, or its default."""
        return self.node.attributes.get(name, default)

    def constant(self, index: int) -> NDArray[Any] | None:
        """Return the value of input ``index``; None when it is absent or not constant."""
        return self.conversion.constants.get(self.inputs[index]) if self.has(index) else None

    def known(self, index: int) -> NDArray[Any] | None:
        """Return the value of input ``index`` where it follows from constants and known dims."""
        return self.conversion.value(self.inputs[index]) if self.has(index) else None

    def need_constant(self, index: int, what: str) -> NDArray[Any]:
        """Return the value of an input that has to be known before the graph runs."""
        value = self.known(index)
        if value is None:
            raise Unsupported(f"{what} is not constant")
        return value

    def dims(self, index: int) -> tuple[int, ...] | None:
        """Return the dimensions of an input, None where they are not known."""
        return self.conversion.dims(self.inputs[index]) if self.has(index) else None

    def rank(self, index: int) -> int:
        """Return the number of dimensions of an input that has to be known."""
        dims = self.dims(index)
        if dims is None:
            raise Unsupported(f"the dimensions of input#{index} are not known; pass dims=")
        return len(dims)

    def make(
        self,
        type_name: str,
        inputs: Sequence[str | Port | None] | None = None,
        suffix: str = "",
        **attributes: Any,
    ) -> Node:
        """Add a node, named as the ONNX node; ``suffix`` sets helpers of it apart."""
        if type_name not in SPECS:
            raise Unsupported(f"no operator {type_name}")
        name = self.conversion.unique_name(f"{self.name}_{suffix}") if suffix else self.name
        given = self.inputs if inputs is None else inputs
        return self.conversion.add(type_name, name, given, **attributes)


Converter = Callable[[OnnxCall], Node | Sequence[Port]]

CONVERTERS: dict[str, Converter] = {}
"""Converters of standard operators that are more than a rename, by ONNX operator type."""


def converts(*op_types: str) -> Callable[[Converter], Converter]:
    """Make a function the converter of these operators."""

    def bind(converter: Converter) -> Converter:
        CONVERTERS.update(dict.fromkeys(op_types, converter))
        return converter

    return bind
