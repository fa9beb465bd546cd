"""Stands in for ``aidge_onnx.node_import``: converters for operators of one's own."""

from __future__ import annotations

from collections.abc import Callable

from aidge_nb.compat.served.unserved import refusing
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import SPECS
from aidge_nb.onnx_io.convert.call import CONVERTERS
from aidge_nb.onnx_io.convert.rename import renamings
from aidge_nb.onnx_io.convert.user import USER_CONVERTERS as ONNX_NODE_CONVERTER_

__all__ = [
    "ONNX_NODE_CONVERTER_",
    "auto_register_import",
    "register_import",
    "remove_import_converter",
    "supported_operators",
]

Converter = Callable[..., Node | None]

__getattr__ = refusing(__name__, "aidge_onnx.node_import")


def register_import(key: str, converter_function: Converter) -> None:
    """Register a converter for the ONNX operators of a type.

    Parameters
    ----------
    key
        The type; case does not matter.
    converter_function
        Called with the ONNX node, the ports that feed it (None for what comes from outside), the
        version of its operators, and a list of None for the types of its inputs; functions that
        take fewer get the first ones. It gives a node that is not connected, or None to decline.
    """
    ONNX_NODE_CONVERTER_[key.lower()] = converter_function


def auto_register_import(*args: str) -> Callable[[Converter], Converter]:
    """Register the function that follows for operators of these types.

    Examples
    --------
    >>> import aidge_nb
    >>> @auto_register_import("my_relu")
    ... def convert(onnx_node, input_nodes, opset, inputs_tensor_info):
    ...     return aidge_nb.ReLU(name=onnx_node.name)
    >>> "my_relu" in supported_operators()
    True
    >>> remove_import_converter("my_relu")
    """

    def register(function: Converter) -> Converter:
        for key in args:
            register_import(key, function)
        return function

    return register


def remove_import_converter(key: str) -> None:
    """Remove the converter of a type, if any."""
    ONNX_NODE_CONVERTER_.pop(key.lower(), None)


def supported_operators() -> list[str]:
    """List the types that become an operator of this library, in lower case."""
    names = {*renamings(), *CONVERTERS, *(name for spec in SPECS.values() for name in spec.onnx)}
    return sorted({*map(str.lower, names), *ONNX_NODE_CONVERTER_})
