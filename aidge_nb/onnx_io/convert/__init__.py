"""From ONNX operators to ours: one module per family, for what is more than a rename.

:func:`convert_node` converts one node. Operators that differ by their name alone are found through
``OpSpec.onnx``; everything else is listed in
:data:`~aidge_nb.onnx_io.convert.context.CONVERTERS`.
"""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.graph.node import Node, Port
from aidge_nb.onnx_io.convert import recurrent, simple, windows
from aidge_nb.onnx_io.convert.context import CONVERTERS, Call, Unsupported
from aidge_nb.onnx_io.convert.rename import renamed

__all__ = ["convert_node"]

FAMILIES = (recurrent, simple, windows)
"""Modules whose converters are in the registry."""


def convert_node(call: Call) -> Node | Sequence[Port | None]:
    """Add the nodes for one ONNX node; give it, or the ports of its outputs.

    Raises
    ------
    Unsupported
        When there is no operator for it.
    """
    if call.node.domain:
        raise Unsupported(f"no operators of the domain {call.node.domain} are known")
    converter = CONVERTERS.get(call.node.op_type)
    return renamed(call) if converter is None else converter(call)
