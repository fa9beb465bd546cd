"""Check the nodes of a model against the declarations of the ONNX standard, before they are used.

Converters and kernels may then rely on the kinds of attributes, that numbers are no text, and that
no node has more outputs than its operator.
"""

from __future__ import annotations

from collections.abc import Mapping

from aidge_nb.core.errors import OnnxError
from aidge_nb.onnx_io.ir import default_domain
from aidge_nb.onnx_io.schemas import NUMBERS, TEXT, OperatorSchema, schema_of
from aidge_nb.onnx_io.wire.fields import ATTRIBUTE_FIELDS, ATTRIBUTE_KINDS, STRING
from aidge_nb.onnx_io.wire.message import Message

_ALSO = {1: 2, 6: 7}
"""Kinds of numbers that may stand for another: FLOAT, INT, FLOATS, INTS."""


def check_declared(model: Message, source: str) -> None:
    """Check the nodes of a model, of its functions, and of the graphs inside nodes.

    Raises
    ------
    OnnxError
        When an attribute is not of the declared kind, a node has too many outputs, or text is
        given for numbers.
    """
    types = {each.name: each.type.tensor_type.elem_type for each in model.graph.input}
    types |= {each.name: each.data_type for each in model.graph.initializer}
    is_text = {name: kind == STRING for name, kind in types.items() if kind}
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
                declared = schema_of(node.op_type, versions.get(domain, 1), domain)
                _check(node, declared, given, source)


def _domain(name: str) -> str:
    return "" if default_domain(name) else name


def _check(
    node: Message, declared: OperatorSchema | None, is_text: Mapping[str, bool], source: str
) -> None:
    if declared is None:
        return
    where = f"{source}, node {node.name or node.op_type} ({node.op_type})"
    if len(node.output) > declared.outputs:
        expected, found = f"at most {declared.outputs}", len(node.output)
        raise OnnxError.at(where, "has too many outputs", expected=expected, found=found)
    for attribute in node.attribute:
        found = _kind(attribute)
        kind = declared.attributes.get(attribute.name, found)
        if found not in (kind, _ALSO.get(kind)):
            raise OnnxError.at(
                f"{where}, attribute {attribute.name}",
                "is of the wrong kind",
                expected=ATTRIBUTE_KINDS.get(kind, "UNDEFINED"),
                found=ATTRIBUTE_KINDS.get(found, "UNDEFINED"),
            )
    for index, name in enumerate(node.input):
        text = is_text.get(name)
        if text is not None and declared.kinds:
            allowed = declared.kinds[min(index, len(declared.kinds) - 1)]
            if not allowed & (TEXT if text else NUMBERS):
                words = ("numbers", "text")
                raise OnnxError.at(
                    f"{where}, input#{index}",
                    "is of the wrong kind",
                    expected=words[not text],
                    found=words[text],
                )


def _kind(attribute: Message) -> int:
    """Return the kind of an attribute; old files name none: it is that of what is filled in."""
    if attribute.type in ATTRIBUTE_FIELDS:
        return int(attribute.type)
    kinds = {name: number for number, name in ATTRIBUTE_FIELDS.items()}
    return next((kinds[name] for name in attribute.filled if name in kinds), 0)
