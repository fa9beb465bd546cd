"""Convert control flow that is decided before the graph runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from aidge_nb.graph.node import Port
from aidge_nb.onnx_io.convert.call import Call, Unsupported, converts
from aidge_nb.onnx_io.read.inline import spliced


@converts("If")
def choice(call: Call) -> Sequence[Port]:
    """Convert an If with a known condition to the branch taken."""
    condition = call.known(0)
    if condition is None:
        raise Unsupported(
            "its condition is not known before the graph runs; pass dims=, constants="
        )
    branch = call.attr("then_branch" if condition.all() else "else_branch")
    nodes, constants, outputs = spliced(branch, call.name)
    conversion = call.conversion
    conversion.constants.update(constants)
    for node in nodes:
        conversion.convert(replace(node, name=conversion.unique_name(node.name)))
    return [
        conversion.port(value) or Port(conversion.add("Identity", call.name, [value]), 0)
        for value in outputs
    ]
