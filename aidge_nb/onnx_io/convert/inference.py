"""Infer dimensions and values on demand while a graph is built."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from numpy.typing import NDArray

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.inference import KnownValues
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.onnx_io.ir import OnnxValue


class StaticInference:
    """Dimensions and values of a graph under construction.

    Nodes are added to ``view`` in an order in which they can run. ``inputs`` are the tensors of the
    graph inputs, ``declared`` the facts that the model has about them, and ``dims`` the dimensions
    that the caller gives.
    """

    def __init__(
        self,
        view: GraphView,
        inputs: Mapping[str, Tensor],
        declared: Iterable[OnnxValue],
        dims: Mapping[str, Sequence[int | str | None]],
    ) -> None:
        self._view = view
        self._inputs = inputs
        self._given: dict[str, tuple[int, ...]] = {}
        for value in declared:
            wanted = dims.get(value.name, value.dims)
            sizes = tuple(dim for dim in wanted or () if isinstance(dim, int))
            if wanted is not None and len(sizes) == len(wanted):
                self._given[value.name] = sizes
        self._values = KnownValues(allow_computed=True)
        self._visited: dict[Node, None] = {}

    def input_dims(self, name: str) -> tuple[int, ...] | None:
        """Return the dimensions of a graph input, None where they are open."""
        return self._given.get(name)

    def dims(self, port: Port) -> tuple[int, ...] | None:
        """Return the dimensions of an output, None where they are not known."""
        self._catch_up()
        tensor = port.node.get_operator().get_output(port.index)
        return None if tensor.undefined() else tuple(tensor.dims)

    def value(self, port: Port) -> NDArray[Any] | None:
        """Return the value of an output, None where it is not known before the graph runs."""
        return self._catch_up().of_output(port)

    def _catch_up(self) -> KnownValues:
        """Infer the nodes added since the last call."""
        for name, dims in self._given.items():
            self._inputs[name].resize(dims)
        for node in self._view.get_nodes():
            if node not in self._visited:
                self._visited[node] = None
                _infer(node, self._values)
        return self._values

    def forget(self) -> None:
        """Clear all inferred dimensions; scalar inputs remain scalars."""
        for node in self._visited:
            _clear(node)
        for tensor in self._inputs.values():
            if tensor.dims:
                tensor.clear()


def _infer(node: Node, values: KnownValues) -> None:
    operator = node.get_operator()
    tensors = [operator.get_input(index) for index in range(operator.nb_inputs)]
    if node.type() == "Producer" or any(t is not None and t.undefined() for t in tensors):
        return
    try:
        operator.infer_dims(lambda index: values.of_input(node, index), allow_data_dependency=True)
    except ShapeError:
        return


def _clear(node: Node) -> None:
    if node.type() == "Producer":
        return
    operator = node.get_operator()
    for index in range(operator.nb_outputs):
        operator.get_output(index).clear()
    if operator.micro_graph is not None:
        for inner in operator.micro_graph.get_nodes():
            _clear(inner)
