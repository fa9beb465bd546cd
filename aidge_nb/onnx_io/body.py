"""Graphs inside of operators (If, Loop, Scan): run as often as the operator wants."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.onnx_io.check import reads
from aidge_nb.onnx_io.ir import OnnxValue
from aidge_nb.onnx_io.model import OnnxModel
from aidge_nb.tensor import Tensor

if TYPE_CHECKING:
    from aidge_nb.onnx_io.convert.conversion import Conversion

__all__ = ["Body"]


class Body:
    """A body that can be run.

    Parameters
    ----------
    model
        The body as a model of its own.
    inputs
        Values that its owner reads, by name and in order: among them what the body captures.
    around
        The conversion of the graph around it.
    """

    def __init__(self, model: OnnxModel, inputs: Sequence[str], around: Conversion) -> None:
        graph = model.graph
        own = {value.name for value in graph.inputs} | set(graph.initializers)
        own |= {output for node in graph.nodes for output in node.outputs}
        used = {name for node in graph.nodes for name in reads(node)}
        used |= {value.name for value in graph.outputs}
        self._captured = [(index, name) for index, name in enumerate(inputs) if name in used - own]
        captured = [OnnxValue(name, around.types.get(name), None) for _, name in self._captured]
        self._model = replace(
            model, graph=replace(graph, inputs=(*graph.inputs, *captured)), functions=()
        )
        self._types = around.types
        self._view: GraphView | None = None
        self._order: list[Node] = []
        self._ports: dict[str, Tensor] = {}

    def __call__(self, given: Sequence[NDArray[Any]], outer: Sequence[Any]) -> list[NDArray[Any]]:
        """Run it once: on its own inputs, and on all inputs of its owner."""
        if self._view is None:
            self._prepare()
        names = [value.name for value in self._model.inputs]
        arrays = [*given, *(outer[index] for index, _ in self._captured)]
        for name, array in zip(names, arrays, strict=True):
            if name in self._ports:
                self._ports[name].set_array(np.asarray(array))
        for node in self._order:
            node.forward()
        return [array.copy() for array in self._results()]

    def _results(self) -> list[NDArray[Any]]:
        if self._view is None:
            return []
        ports = self._view.get_ordered_outputs()
        return [port.node.get_operator().get_output(port.index).array for port in ports]

    def _prepare(self) -> None:
        from aidge_nb.onnx_io.convert import convert_node
        from aidge_nb.onnx_io.convert.conversion import Conversion

        conversion = Conversion(self._model, {}, convert_node, self._types)
        for node in self._model.nodes:
            conversion.convert(node)
        self._view = conversion.finish()
        self._view.set_backend("cpu")
        self._order = list(self._view.topological_order())
        self._ports = {}
        for name, ports in conversion.input_ports.items():
            for port in ports:
                tensor = port.node.get_operator().get_input(port.index)
                if tensor is not None:
                    self._ports[name] = tensor

    def missing(self) -> list[tuple[str, str, str]]:
        """List the nodes inside that cannot run: name, operator, reason."""
        from aidge_nb.onnx_io.convert import convert_node
        from aidge_nb.onnx_io.convert.conversion import Conversion

        conversion = Conversion(self._model, {}, convert_node, self._types)
        for node in self._model.nodes:
            conversion.convert(node)
        return [entry for entry in conversion.report if entry[2]]
