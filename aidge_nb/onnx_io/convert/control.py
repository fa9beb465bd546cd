"""Convert control flow: an If decided beforehand, and bodies (of If, Loop, Scan) to run."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from threading import Lock
from typing import Any

from numpy.typing import NDArray

from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.node import Port
from aidge_nb.onnx_io.convert.call import OnnxCall, Unsupported, converts
from aidge_nb.onnx_io.convert.conversion import Conversion
from aidge_nb.onnx_io.ir import OnnxValue
from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.onnx_io.read.check import reads
from aidge_nb.onnx_io.read.inline import spliced


@converts("If")
def choice(call: OnnxCall) -> Sequence[Port]:
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


class OnnxBody:
    """A runnable body of a control-flow operator.

    ``model`` is the body as a model of its own; ``inputs`` are the values that its owner reads, in
    order, among them those that the body captures; ``around`` converts the graph around it.
    """

    def __init__(self, model: OnnxModel, inputs: Sequence[str], around: Conversion) -> None:
        graph = model.graph
        used = {name for node in graph.nodes for name in reads(node)}
        used |= {value.name for value in graph.outputs}
        used -= graph.defined
        captured = [
            (index, name) for index, name in enumerate(inputs) if name in used - graph.defined
        ]
        around_values = [OnnxValue(name, around.types.get(name), None) for _, name in captured]
        self._captured = [index for index, _ in captured]
        self._inputs = (*graph.inputs, *around_values)
        whole = replace(model, graph=replace(graph, inputs=self._inputs))
        conversion = Conversion(whole, {}, around.convert_node, around.types)
        for node in graph.nodes:
            conversion.convert(node)
        self._view = conversion.finish()
        self._view.set_backend("cpu")
        self._order = list(self._view.topological_order())
        self._tensors = _input_tensors(conversion)
        self._lock = Lock()
        self.missing = tuple(entry for entry in conversion.report if entry[2])
        """Nodes inside that cannot run: name, operator, reason."""

    def __call__(
        self, given: Sequence[NDArray[Any]], outer: Sequence[NDArray[Any] | None]
    ) -> list[NDArray[Any]]:
        """Run it once: on its own inputs, and on all inputs of its owner."""
        arrays = [*given, *(outer[index] for index in self._captured)]
        ports = self._view.get_ordered_outputs()
        with self._lock:  # copies of the owner share the body
            for value, array in zip(self._inputs, arrays, strict=True):
                if value.name in self._tensors and array is not None:
                    self._tensors[value.name].set_array(array)
            for node in self._order:
                node.forward()
            return [port.node.get_operator().get_output(port.index).array.copy() for port in ports]


def _input_tensors(conversion: Conversion) -> dict[str, Tensor]:
    """Return the tensor that all readers of an input share, by the input's name."""
    return {
        name: tensor
        for name, ports in conversion.input_ports.items()
        for port in ports
        if (tensor := port.node.get_operator().get_input(port.index)) is not None
    }
