"""Check the nodes of a model against the declarations of the ONNX standard, before they are used.

Converters and kernels may then rely on the kinds of attributes, that numbers are no text, and that
no node has more outputs than its operator.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import OnnxError
from aidge_nb.onnx_io.ir import default_domain

if TYPE_CHECKING:
    import onnx


@dataclass(frozen=True)
class _Declaration:
    """The facts about an operator that are checked; by default anything is permitted."""

    outputs: int = 1 << 30
    kinds: Mapping[str, int] = field(default_factory=dict)  # of attributes
    texts: Sequence[frozenset[bool]] = ()  # what inputs may be: True for text; the last one repeats


@cache
def _declared(op_type: str, domain: str, version: int) -> _Declaration:
    from onnx import defs

    try:
        schema: Any = defs.get_schema(op_type, version, domain)  # stubs lack attributes
    except (defs.SchemaError, TypeError):  # a name that is no UTF-8 is refused later
        return _Declaration()
    kinds = {name: each.type.value for name, each in schema.attributes.items()}
    texts = [frozenset("string" in kind for kind in each.types) for each in schema.inputs]
    return _Declaration(schema.max_output, kinds, texts)


def check_declared(model: onnx.ModelProto, source: str) -> None:
    """Check the nodes of a model, of its functions, and of the graphs inside nodes.

    Raises
    ------
    OnnxError
        When an attribute is not of the declared kind, a node has too many outputs, or text is
        given for numbers.
    """
    from onnx import TensorProto

    types = {each.name: each.type.tensor_type.elem_type for each in model.graph.input}
    types |= {each.name: each.data_type for each in model.graph.initializer}
    is_text = {name: kind == TensorProto.STRING for name, kind in types.items() if kind}
    bodies = [(model.graph.node, model.opset_import, is_text)]
    bodies += [(each.node, each.opset_import, {}) for each in model.functions]
    own = {(each.domain, each.name) for each in model.functions}
    for nodes, opsets, given in bodies:
        versions = {_domain(each.domain): each.version for each in opsets}
        pending = list(nodes)
        while pending:
            node = pending.pop()
            pending += [inner for each in node.attribute for inner in each.g.node]
            if (node.domain, node.op_type) not in own:
                domain = _domain(node.domain)
                declared = _declared(node.op_type, domain, versions.get(domain, 1))
                _check(node, declared, given, source)


def _domain(name: str) -> str:
    return "" if default_domain(name) else name


def _check(
    node: onnx.NodeProto, declared: _Declaration, is_text: Mapping[str, bool], source: str
) -> None:
    from onnx import AttributeProto

    where = f"{source}, node {node.name or node.op_type} ({node.op_type})"
    if len(node.output) > declared.outputs:
        expected, found = f"at most {declared.outputs}", len(node.output)
        raise OnnxError.at(where, "has too many outputs", expected=expected, found=found)
    kind_name = AttributeProto.AttributeType.Name
    kinds: dict[int, int] = {
        AttributeProto.FLOAT: AttributeProto.INT,
        AttributeProto.FLOATS: AttributeProto.INTS,
    }
    for attribute in node.attribute:
        found = attribute.type or _kind_of_content(attribute)
        kind = declared.kinds.get(attribute.name, found)
        if found not in (kind, kinds.get(kind)):
            raise OnnxError.at(
                f"{where}, attribute {attribute.name}",
                "is of the wrong kind",
                expected=kind_name(kind),
                found=kind_name(found),
            )
    for index, name in enumerate(node.input):
        text = is_text.get(name)
        if text is not None and declared.texts:
            allowed = declared.texts[min(index, len(declared.texts) - 1)]
            if text not in allowed:
                words = ("numbers", "text")
                raise OnnxError.at(
                    f"{where}, input#{index}",
                    "is of the wrong kind",
                    expected=words[not text],
                    found=words[text],
                )


def _kind_of_content(attribute: onnx.AttributeProto) -> int:
    """Return the kind of an attribute of an old file, which names none: fields have that order."""
    numbers = [field.number - 1 for field, _ in attribute.ListFields()]
    return next((number for number in numbers if 1 <= number <= attribute.GRAPHS), 0)
