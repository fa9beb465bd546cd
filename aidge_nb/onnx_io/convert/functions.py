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

if TYPE_CHECKING:
    import onnx


def with_bodies_of_functions(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Return the model with such operators expanded, and with types where NumPy lacks them."""
    proto = _without_own_functions(proto)
    while wanted := sorted(set(_expandable(proto, proto.graph))):
        from onnx import inliner, shape_inference

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
    return with_types(proto)


def for_expansion(model: OnnxModel) -> Any:
    """Return a model as a ``ModelProto`` if it has operators to be expanded, else as it is."""
    if all(_is_ours(node.op_type, node.domain) for node in model.nodes):
        return model
    try:
        from onnx import defs
    except ImportError:
        return model
    known = any(
        defs.has(node.op_type, node.domain)
        for node in model.nodes
        if not _is_ours(node.op_type, node.domain)
    )
    return model.to_proto() if known else model


def _without_own_functions(proto: onnx.ModelProto) -> onnx.ModelProto:
    """Expand model functions that are written for another opset version.

    All others are left to :func:`~aidge_nb.onnx_io.read.inline.inline_functions`, which keeps
    names.
    """
    version = _version(proto.opset_import)
    if not any(
        _version(function.opset_import) not in (version, None) for function in proto.functions
    ):
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


def _version(opsets: Iterable[onnx.OperatorSetIdProto]) -> int | None:
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


def _expandable(proto: onnx.ModelProto, graph: onnx.GraphProto) -> Iterator[tuple[str, str]]:
    from onnx import defs

    versions = {entry.domain: entry.version for entry in proto.opset_import}
    own = {(function.domain, function.name) for function in proto.functions}
    for node in graph.node:
        for attribute in node.attribute:
            if attribute.HasField("g"):
                yield from _expandable(proto, attribute.g)
        domain = "" if default_domain(node.domain) else node.domain
        if (node.domain, node.op_type) in own or _is_ours(node.op_type, domain):
            continue
        version = versions.get(node.domain, versions.get(domain, 1))
        if not defs.has(node.op_type, domain) or version > defs.onnx_opset_version():
            continue
        try:
            schema: Any = defs.get_schema(node.op_type, version, domain)  # stubs lack attributes
        except defs.SchemaError:
            continue
        if schema.has_function or schema.has_context_dependent_function:
            yield node.domain, node.op_type


def _with_defaults(proto: onnx.ModelProto, op_types: set[str]) -> onnx.ModelProto:
    """Write down the defaults of attributes and types of initializers, which the inliner misses."""
    from onnx import ModelProto, defs

    result = ModelProto()
    result.CopyFrom(proto)
    _declare_initializers(result.graph)
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


def _declare_initializers(graph: onnx.GraphProto) -> None:
    """Declare the types of initializers, because type-dependent functions look only there."""
    from onnx import helper

    declared = {value.name for value in (*graph.input, *graph.value_info)}
    graph.value_info.extend(
        helper.make_tensor_value_info(tensor.name, tensor.data_type, tensor.dims)
        for tensor in graph.initializer
        if tensor.name not in declared
    )


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
