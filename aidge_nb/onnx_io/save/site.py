"""The context of a writer: one node, the names of its values, and the output model."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from aidge_nb.core.errors import OnnxError
from aidge_nb.graph.attributes import Attributes
from aidge_nb.graph.node import Node
from aidge_nb.graph.operator import Operator
from aidge_nb.onnx_io.ir import trimmed
from aidge_nb.onnx_io.save.schema import schema_in
from aidge_nb.onnx_io.schemas import OperatorSchema
from aidge_nb.onnx_io.wire.fields import ATTRIBUTE_KINDS

if TYPE_CHECKING:
    from aidge_nb.onnx_io.save.graph import GraphWriter


@dataclass(frozen=True)
class WriteSite:
    """One node to write."""

    node: Node
    name: str  # in the file
    inputs: Sequence[str]  # the value at each input; empty for free inputs
    outputs: Sequence[str]  # the value of each output; empty for outputs without readers
    writer: GraphWriter  # takes what is written

    @property
    def operator(self) -> Operator:
        """The operator."""
        return self.node.get_operator()

    @property
    def attr(self) -> Attributes:
        """Its attributes."""
        return self.node.get_operator().attr

    @property
    def opset(self) -> int:
        """Version of the standard operators in the file."""
        return self.writer.opset

    def error(self, problem: str, **facts: Any) -> OnnxError:
        """Make the error that says why the node cannot be written."""
        return OnnxError.at(self.node.label, f"cannot be written as ONNX: {problem}", **facts)

    def constant(self, suffix: str, value: Any, dtype: Any = np.int64) -> str:
        """Add a constant that belongs to the node, and give its value's name."""
        return self.writer.constant(f"{self.name}_{suffix}", np.asarray(value, dtype))

    def prepend(self, op_type: str, attributes: Mapping[str, Any]) -> str:
        """Write an operator on the first input, and give the name of its result."""
        return self.write(op_type, attributes, self.inputs[:1])

    def write(self, op_type: str, attributes: Mapping[str, Any], inputs: Sequence[str]) -> str:
        """Write a standard operator before the node, and give the name of its result."""
        name, value = self.writer.fresh(f"{self.name}_{op_type.lower()}")
        given = list(inputs)
        wanted = self._fitted(op_type, dict(attributes), given)
        self.writer.add(op_type, trimmed(given), [value], name, "", wanted)
        return value

    def schema(self, op_type: str) -> OperatorSchema:
        """Return the schema of an operator in the file's opset."""
        schema = schema_in(op_type, self.opset)
        if schema is None:
            raise self.error(f"opset {self.opset} has no operator {op_type}", cure="Pass opset=.")
        return schema

    def emit(
        self,
        op_type: str,
        attributes: Mapping[str, Any] | None = None,
        inputs: Iterable[str] | None = None,
        domain: str = "",
    ) -> None:
        """Write the node; attributes of a standard operator that have their default are left out.

        An attribute that this version of the operator takes as an input becomes a constant.
        """
        given = list(self.inputs if inputs is None else inputs)
        wanted = dict(attributes or {})
        if not domain:
            wanted = self._fitted(op_type, wanted, given)
        outputs = list(self.outputs)
        while len(outputs) > 1 and not outputs[-1]:
            outputs.pop()
        self.writer.add(op_type, trimmed(given), outputs, self.name, domain, wanted)

    def _fitted(self, op_type: str, wanted: dict[str, Any], given: list[str]) -> dict[str, Any]:
        schema = self.schema(op_type)
        written = {}
        for name, value in wanted.items():
            if value is None:
                continue
            if name in schema.attributes:
                typed = _typed(value, ATTRIBUTE_KINDS[schema.attributes[name]])
                if not _equal(typed, schema.defaults[name]):
                    written[name] = typed
            elif name.lower() in schema.inputs:
                self._as_input(schema.inputs.index(name.lower()), name, value, given)
            else:
                raise self.error(
                    f"{op_type} of opset {self.opset} has no {name}", found=f"{name} = {value}"
                )
        return written

    def _as_input(self, index: int, name: str, value: Any, given: list[str]) -> None:
        while len(given) <= index:
            given.append("")
        if not given[index]:
            array = np.asarray(value)
            kind = np.dtype(np.int64) if array.dtype.kind in "iu" or not array.size else array.dtype
            given[index] = self.constant(name, array, kind)


def _typed(value: Any, kind: str) -> Any:
    """Return an attribute with the type that ONNX requires."""
    if kind == "INT":
        return int(value)
    if kind == "FLOAT":
        return float(value)
    if kind == "INTS":
        return tuple(int(each) for each in value)
    if kind == "FLOATS":
        return tuple(float(each) for each in value)
    return value


def _equal(value: Any, default: Any) -> bool:
    if isinstance(value, np.ndarray) or default is None:
        return False
    if isinstance(value, float) and isinstance(default, float):
        return value == float(str(np.float32(default)))  # ONNX has 0.01 as 0.009999999776
    if isinstance(value, tuple):
        return list(value) == list(default) if isinstance(default, (list, tuple)) else False
    return bool(value == default)


Writer = Callable[[WriteSite], None]

WRITERS: dict[str, Writer] = {}
"""Writers of operators that are more than a rename, by our type."""


def writes(*types: str) -> Callable[[Writer], Writer]:
    """Make a function the writer of these types."""

    def bind(writer: Writer) -> Writer:
        WRITERS.update(dict.fromkeys(types, writer))
        return writer

    return bind
