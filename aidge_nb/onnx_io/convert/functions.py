"""Operators that the ONNX standard defines as a function of other operators.

Where this library has nothing of its own for such an operator, the function takes its place.

Reference: https://onnx.ai/onnx/repo-docs/IR.html#functions
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

from aidge_nb.core.log import logger
from aidge_nb.onnx_io.element_types import with_types
from aidge_nb.onnx_io.ir import default_domain
from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.onnx_io.schemas import newest_opset, schema_of
from aidge_nb.onnx_io.wire.message import Message

if TYPE_CHECKING:
    import onnx


def with_bodies_of_functions(model: Message) -> Message:
    """Return the model with such operators expanded, and with types where NumPy lacks them.

    The ``onnx`` package expands them; without it they stay, as operators that cannot run.
    """
    if _has_foreign_functions(model) or next(_expandable(model, model.graph), None):
        from aidge_nb.onnx_io.wire.exchange import from_package, to_package

        try:
            model = from_package(_expanded(to_package(model)))
        except ImportError:
            logger.warning(
                "%s: some operators are defined by others, and the onnx package, which expands "
                "them, is not installed: pip install onnx",
                model.graph.name,
            )
    return with_types(model)


def _expanded(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Expand, with the ``onnx`` package, all that this library does not know."""
    from onnx import inliner, shape_inference

    from aidge_nb.onnx_io.wire.exchange import from_package

    proto = _without_own_functions(proto)
    while True:
        model = from_package(proto)
        wanted = sorted(set(_expandable(model, model.graph)))
        if not wanted:
            break
        proto = _with_defaults(proto, {name for _, name in wanted})
        try:
            expanded = inliner.inline_selected_functions(
                proto, wanted, exclude=False, inline_schema_functions=True
            )
        except (RuntimeError, ValueError, shape_inference.InferenceError) as error:
            names = ", ".join(name for _, name in wanted)
            logger.info("%s: cannot expand %s: %s", proto.graph.name, names, error)
            break
        if len(expanded.graph.node) == len(proto.graph.node):
            break
        proto = expanded
    return proto


def for_expansion(model: OnnxModel) -> Any:
    """Return the bytes of a model if it has operators to be expanded, else as it is."""
    if all(_is_ours(node.op_type, node.domain) for node in model.nodes):
        return model
    known = any(
        schema_of(node.op_type, newest_opset(), node.domain)
        for node in model.nodes
        if not _is_ours(node.op_type, node.domain)
    )
    return model.to_bytes() if known else model


def _has_foreign_functions(model: Message | onnx.ModelProto) -> bool:
    """Return whether the model has functions that are written for another opset version."""
    version = _version(model.opset_import)
    return any(_version(each.opset_import) not in (version, None) for each in model.functions)


def _without_own_functions(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Expand model functions that are written for another opset version.

    All others are left to :func:`~aidge_nb.onnx_io.read.inline.inline_functions`, which keeps
    names.
    """
    if not _has_foreign_functions(proto):
        return proto
    from onnx import ModelProto, inliner

    complete = ModelProto()
    complete.CopyFrom(proto)
    _write_defaults_of_functions(complete)
    try:
        return inliner.inline_local_functions(complete, convert_version=True)
    except RuntimeError as error:
        logger.info("%s: cannot expand its functions: %s", proto.graph.name, error)
        return proto


def _version(opsets: Iterable[Any]) -> int | None:
    return next((entry.version for entry in opsets if default_domain(entry.domain)), None)


def _write_defaults_of_functions(proto: onnx.ModelProto) -> None:
    """Add default attributes of functions to their calls, because the inliner drops them."""
    defaults = {
        (function.domain, function.name): list(function.attribute_proto)
        for function in proto.functions
    }
    bodies = [node for function in proto.functions for node in function.node]
    for node in (*_nodes(proto.graph), *bodies):
        given = {attribute.name for attribute in node.attribute}
        node.attribute.extend(
            attribute
            for attribute in defaults.get((node.domain, node.op_type), ())
            if attribute.name not in given
        )


def _expandable(model: Message, graph: Message) -> Iterator[tuple[str, str]]:
    """Yield domain and type of the operators that the standard defines by others."""
    versions = {entry.domain: entry.version for entry in model.opset_import}
    own = {(function.domain, function.name) for function in model.functions}
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.has("g"):
                yield from _expandable(model, attribute.g)
        domain = "" if default_domain(node.domain) else node.domain
        if (node.domain, node.op_type) in own or _is_ours(node.op_type, domain):
            continue
        version = versions.get(node.domain, versions.get(domain, 1))
        schema = schema_of(node.op_type, version, domain)
        if schema is not None and schema.has_body and version <= newest_opset():
            yield node.domain, node.op_type


def _with_defaults(proto: onnx.ModelProto, op_types: set[str]) -> onnx.ModelProto:
    """Write down the defaults of attributes and types of initializers, which the inliner misses."""
    from onnx import ModelProto, defs

    from aidge_nb.onnx_io.wire.exchange import declare_initializers

    result = ModelProto()
    result.CopyFrom(proto)
    declare_initializers(result.graph)  # type-dependent functions look only there
    versions = {entry.domain: entry.version for entry in proto.opset_import}
    for node in _nodes(result.graph):
        if node.op_type not in op_types:
            continue
        schema = defs.get_schema(node.op_type, versions.get(node.domain, 1), node.domain)
        given = {attribute.name for attribute in node.attribute}
        node.attribute.extend(
            attribute.default_value
            for name, attribute in sorted(schema.attributes.items())
            if name not in given and attribute.default_value.type
        )
    return result


def _nodes(graph: onnx.GraphProto) -> Iterator[onnx.NodeProto]:
    for node in graph.node:
        yield node
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _nodes(attribute.g)


def _is_ours(op_type: str, domain: str) -> bool:
    from aidge_nb.kernels.registry import has_standard_kernel
    from aidge_nb.onnx_io.convert.call import CONVERTERS
    from aidge_nb.onnx_io.convert.rename import has_rename

    if has_standard_kernel(op_type, domain):
        return True
    return not domain and (op_type in CONVERTERS or has_rename(op_type))
