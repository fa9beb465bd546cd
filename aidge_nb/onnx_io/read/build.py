"""Convert an ``onnx.ModelProto`` to :class:`~aidge_nb.onnx_io.model.OnnxModel`."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from aidge_nb.core.errors import OnnxError
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

if TYPE_CHECKING:
    import onnx

_HOLDERS = frozenset(
    ("f", "i", "s", "t", "g", "floats", "ints", "strings", "tensors", "graphs", "sparse_tensor")
)
"""Fields of an attribute that hold its value; files before IR version 2 do not say which."""


def build_model(proto: onnx.ModelProto, source: str, external: ReadExternal) -> OnnxModel:
    """Make a model of a ``ModelProto``.

    Raise OnnxError when a required part is missing or invalid.
    """
    reader = _Reader(source, external)
    return OnnxModel(
        graph=reader.graph(proto.graph),
        opsets=_opsets(proto.opset_import),
        functions=tuple(map(reader.function, proto.functions)),
        metadata={entry.key: entry.value for entry in proto.metadata_props},
        ir_version=proto.ir_version,
        producer=f"{proto.producer_name} {proto.producer_version}".strip(),
        source=source,
    )


def _opsets(entries: Iterable[onnx.OperatorSetIdProto]) -> dict[str, int]:
    return {
        "" if default_domain(entry.domain) else entry.domain: entry.version for entry in entries
    }


@dataclass(frozen=True)
class _Reader:
    """The file, and a function that fetches its external data."""

    source: str
    external: ReadExternal

    def graph(self, graph: onnx.GraphProto) -> OnnxGraph:
        initializers = self._initializers(graph)
        return OnnxGraph(
            name=_text(graph.name),
            nodes=tuple(map(self.node, graph.node)),
            initializers=initializers,
            inputs=tuple(_value(v) for v in graph.input if _text(v.name) not in initializers),
            outputs=tuple(map(_value, graph.output)),
            values={value.name: value for value in map(_value, graph.value_info)},
        )

    def _initializers(self, graph: onnx.GraphProto) -> dict[str, NDArray[Any]]:
        found: dict[str, NDArray[Any]] = {}
        named = [(tensor.name, tensor) for tensor in graph.initializer]
        named += [(tensor.values.name, tensor) for tensor in graph.sparse_initializer]
        for name, tensor in named:
            name = _text(name)
            if not name or name in found:
                problem = f"there are two initializers {name!r}" if name else "one has no name"
                raise OnnxError.at(f"{self.source}, initializers", problem)
            found[name] = self.tensor(tensor, self.source)
        return found

    def tensor(self, tensor: onnx.TensorProto | onnx.SparseTensorProto, where: str) -> NDArray[Any]:
        from onnx import TensorProto

        if isinstance(tensor, TensorProto):
            return read_tensor(tensor, where, self.external)
        return read_sparse_tensor(tensor, where, self.external)

    def node(self, node: onnx.NodeProto) -> OnnxNode:
        inputs, outputs = (tuple(map(_text, names)) for names in (node.input, node.output))
        name = _text(node.name) or next(filter(None, outputs), "")
        where = f"{self.source}, node {name or '(unnamed)'} ({node.op_type})"
        if not node.op_type:
            raise OnnxError.at(where, "has no operator type")
        return OnnxNode(
            _text(node.op_type),
            inputs,
            outputs,
            _text(node.name),
            "" if default_domain(node.domain) else _text(node.domain),
            {
                _text(attribute.name): self.attribute(attribute, where)
                for attribute in node.attribute
            },
        )

    def attribute(self, attribute: onnx.AttributeProto, where: str) -> Any:
        """Convert an attribute to a plain value."""
        from onnx import helper

        if attribute.ref_attr_name:
            return AttributeReference(attribute.ref_attr_name)
        if attribute.type:
            return self._plain(helper.get_attribute_value(attribute), where)
        filled = [field for field, _ in attribute.ListFields() if field.name in _HOLDERS]
        if len(filled) != 1:
            raise OnnxError.at(
                f"{where}, attribute {_text(attribute.name)!r}",
                "unknown kind of attribute",
                expected="a number, text, tensor, graph, or a list of them",
                found=", ".join(field.name for field in filled) or "nothing",
            )
        return self._plain(getattr(attribute, filled[0].name), where)

    def _plain(self, value: Any, where: str) -> Any:
        from onnx import GraphProto, SparseTensorProto, TensorProto

        if isinstance(value, (bytes, str)):
            return _text(value)
        if isinstance(value, (TensorProto, SparseTensorProto)):
            return self.tensor(value, where)
        if isinstance(value, GraphProto):
            return self.graph(value)
        if isinstance(value, (int, float)):
            return value
        if hasattr(value, "__len__"):
            return tuple(self._plain(entry, where) for entry in value)
        return None

    def function(self, function: onnx.FunctionProto) -> OnnxFunction:
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


def _value(value: onnx.ValueInfoProto) -> OnnxValue:
    """Read the name, element type and dimensions of a value."""
    if not value.type.HasField("tensor_type"):
        return OnnxValue(_text(value.name), dtype=None)
    tensor = value.type.tensor_type
    dims = tuple(map(_dim, tensor.shape.dim)) if tensor.HasField("shape") else None
    return OnnxValue(_text(value.name), element_type(tensor.elem_type), dims)


def _dim(dim: onnx.TensorShapeProto.Dimension) -> int | str | None:
    if dim.HasField("dim_value") and dim.dim_value >= 0:
        return dim.dim_value
    return _text(dim.dim_param) or None


def _text(text: str | bytes) -> str:
    """Return a text; protobuf returns damaged ones as bytes."""
    return text if isinstance(text, str) else text.decode("utf-8", "replace")
