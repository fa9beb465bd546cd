"""Convert a ``ModelProto`` message to :class:`~aidge_nb.onnx_io.model.OnnxModel`."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from numpy.typing import NDArray

from aidge_nb.core.errors import OnnxError
from aidge_nb.core.values import dataclass
from aidge_nb.onnx_io.ir import (
    AttributeReference,
    OnnxFunction,
    OnnxGraph,
    OnnxNode,
    OnnxValue,
    default_domain,
)
from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.onnx_io.tensors import ReadExternal, element_type, read_sparse_tensor, read_tensor
from aidge_nb.onnx_io.wire.fields import ATTRIBUTE_FIELDS
from aidge_nb.onnx_io.wire.message import Message

_HOLDERS = frozenset(
    ("f", "i", "s", "t", "g", "floats", "ints", "strings", "tensors", "graphs", "sparse_tensor")
)
"""Fields of an attribute that hold its value; files before IR version 2 do not say which."""


def build_model(model: Message, source: str, external: ReadExternal) -> OnnxModel:
    """Make a model of a ``ModelProto``.

    Raise OnnxError when a required part is missing or invalid.
    """
    reader = _Reader(source, external)
    return OnnxModel(
        graph=reader.graph(model.graph),
        opsets=_opsets(model.opset_import),
        functions=tuple(map(reader.function, model.functions)),
        metadata={entry.key: entry.value for entry in model.metadata_props},
        ir_version=model.ir_version,
        producer=f"{model.producer_name} {model.producer_version}".strip(),
        source=source,
    )


def _opsets(entries: Iterable[Message]) -> dict[str, int]:
    return {
        "" if default_domain(entry.domain) else entry.domain: entry.version for entry in entries
    }


@dataclass(frozen=True)
class _Reader:
    """The file, and a function that fetches its external data."""

    source: str
    external: ReadExternal

    def graph(self, graph: Message) -> OnnxGraph:
        initializers = self._initializers(graph)
        return OnnxGraph(
            name=graph.name,
            nodes=tuple(map(self.node, graph.node)),
            initializers=initializers,
            inputs=tuple(_value(v) for v in graph.input if v.name not in initializers),
            outputs=tuple(map(_value, graph.output)),
            values={value.name: value for value in map(_value, graph.value_info)},
        )

    def _initializers(self, graph: Message) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {}
        named = [(tensor.name, tensor) for tensor in graph.initializer]
        named += [(tensor.values.name, tensor) for tensor in graph.sparse_initializer]
        for name, tensor in named:
            if not name or name in found:
                problem = f"there are two initializers {name!r}" if name else "one has no name"
                raise OnnxError.at(f"{self.source}, initializers", problem)
            found[name] = self.tensor(tensor, self.source)
        return found

    def tensor(self, tensor: Message, where: str) -> NDArray[Any]:
        read = read_tensor if tensor.kind == "TensorProto" else read_sparse_tensor
        return read(tensor, where, self.external)

    def node(self, node: Message) -> OnnxNode:
        inputs, outputs = node.input, node.output
        name = node.name or next(filter(None, outputs), "")
        where = f"{self.source}, node {name or '(unnamed)'} ({node.op_type})"
        if not node.op_type:
            raise OnnxError.at(where, "has no operator type")
        return OnnxNode(
            node.op_type,
            inputs,
            outputs,
            node.name,
            "" if default_domain(node.domain) else node.domain,
            {attribute.name: self.attribute(attribute, where) for attribute in node.attribute},
        )

    def attribute(self, attribute: Message, where: str) -> Any:
        """Convert an attribute to a plain value."""
        if attribute.ref_attr_name:
            return AttributeReference(attribute.ref_attr_name)
        if attribute.type in ATTRIBUTE_FIELDS:
            return self._plain(getattr(attribute, ATTRIBUTE_FIELDS[attribute.type]), where)
        filled = [name for name in attribute.filled if name in _HOLDERS]
        if len(filled) != 1:
            raise OnnxError.at(
                f"{where}, attribute {attribute.name!r}",
                "unknown kind of attribute",
                expected="a number, text, tensor, graph, or a list of them",
                found=", ".join(filled) or "nothing",
            )
        return self._plain(getattr(attribute, filled[0]), where)

    def _plain(self, value: Any, where: str) -> Any:
        if isinstance(value, memoryview | bytes):
            return str(value, "utf-8", "replace")
        if isinstance(value, Message):
            if value.kind == "GraphProto":
                return self.graph(value)
            return self.tensor(value, where) if "Tensor" in value.kind else None
        if isinstance(value, tuple):
            return tuple(self._plain(entry, where) for entry in value)
        return value

    def function(self, function: Message) -> OnnxFunction:
        where = f"{self.source}, function {function.name!r}"
        defaults = {a.name: self.attribute(a, where) for a in function.attribute_proto}
        return OnnxFunction(
            name=function.name,
            domain=function.domain,
            inputs=tuple(function.input),
            outputs=tuple(function.output),
            attributes=dict.fromkeys(function.attribute) | defaults,
            nodes=tuple(map(self.node, function.node)),
            opsets=_opsets(function.opset_import),
        )


def _value(value: Message) -> OnnxValue:
    """Read the name, element type and dimensions of a value."""
    if not value.type.has("tensor_type"):
        return OnnxValue(value.name, dtype=None)
    tensor = value.type.tensor_type
    dims = tuple(map(_dim, tensor.shape.dim)) if tensor.has("shape") else None
    return OnnxValue(value.name, element_type(tensor.elem_type), dims)


def _dim(dim: Message) -> Any:
    if dim.has("dim_value") and dim.dim_value >= 0:
        return dim.dim_value
    return dim.dim_param or None
