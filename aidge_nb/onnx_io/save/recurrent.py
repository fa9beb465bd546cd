"""Write recurrent layers: the inverse of ``convert.recurrent``."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.graph.view import GraphView
from aidge_nb.onnx_io.save.site import WriteSite, writes

_GATES = {"LSTM_ONNX": "iofc", "GRU_ONNX": "zrh"}
_STATES = {"LSTM_ONNX": ("initial_h", "initial_c"), "GRU_ONNX": ("initial_h",)}


@writes("LSTM_ONNX", "GRU_ONNX")
def recurrent(site: WriteSite) -> None:
    """Gather the weights of the gates, and write the layer as one operator."""
    inside = site.operator.micro_graph
    if inside is None:
        raise site.error("it has no graph inside")
    parameters = _parameters(inside, site.node.name())
    gates = _GATES[site.node.type()]
    weights = [parameters[f"w{gate}"] for gate in gates]
    recurrence = [parameters[f"r{gate}"] for gate in gates]
    hidden = int(recurrence[0].shape[0])
    inputs = [site.inputs[0], site.constant("W", np.concatenate(weights)[None], np.float32)]
    inputs.append(site.constant("R", np.concatenate(recurrence)[None], np.float32))
    inputs += ["", ""]
    if f"wb{gates[0]}" in parameters:
        biases = [parameters[f"{kind}b{gate}"] for kind in "wr" for gate in gates]
        inputs[3] = site.constant("B", np.concatenate(biases)[None], np.float32)
    given = iter(site.inputs[1:])
    for state in _STATES[site.node.type()]:
        inputs.append("" if state in parameters else next(given, ""))
    site.emit(site.node.type().partition("_")[0], {"hidden_size": hidden}, inputs)


def _parameters(inside: GraphView, name: str) -> dict[str, NDArray[Any]]:
    """Return the values of the inner Producers, by the part of their name after the layer's."""
    return {
        node.name()[len(name) + 1 :]: node.get_operator().get_output(0).array
        for node in inside.get_nodes()
        if node.type() == "Producer"
    }
