"""Values that are known before a graph runs.

Shapes are often computed inside a graph: Shape, Gather, Concat, Reshape. Following such chains
from constants and known dimensions gives the values that shape functions ask for.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import MissingKernelError
from aidge_nb.graph.backend import make_implementation

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node, Port

_LARGEST = 1 << 16
"""Values of more elements are not followed: shapes are small, activations are not."""


class KnownValues:
    """Values at the ports of a graph, computed once each.

    Parameters
    ----------
    allow_computed
        Whether values may be those of any Producer or tensor, or computed from them; otherwise
        constant Producers alone count.
    given
        Gives the value of an input, by node and index, that nothing in the graph feeds but
        something around it does; None when that is not known.
    """

    def __init__(
        self,
        allow_computed: bool,
        given: Callable[[tuple[Node, int]], NDArray[Any] | None] = lambda port: None,
    ) -> None:
        self.allow_computed = allow_computed
        self._given = given
        self._known: dict[Port, NDArray[Any] | None] = {}

    def of_input(self, node: Node, index: int) -> NDArray[Any] | None:
        """Give the value that an input will have, None when it is not known."""
        port = node.input(index)
        if port is not None:
            return self.of_output(port)
        value = self._given((node, index))
        if value is not None:
            return value
        tensor = node.get_operator().get_input(index)
        if self.allow_computed and tensor is not None and tensor.has_data:
            return tensor.array
        return None

    def of_output(self, port: Port) -> NDArray[Any] | None:
        """Give the value that an output will have, None when it is not known."""
        pending = [port]
        while pending:
            current = pending[-1]
            if current in self._known:
                pending.pop()
                continue
            needed = self._needed(current)
            unknown = [] if needed is None else [n for n in needed if n not in self._known]
            if unknown:
                pending.extend(unknown)
            else:
                self._known[current] = None if needed is None else self._compute(current)
                pending.pop()
        return self._known[port]

    def _needed(self, port: Port) -> list[Port] | None:
        """List the outputs whose values are needed first; None when it is hopeless."""
        operator = port.node.get_operator()
        kind = operator.type()
        if kind == "Producer":
            usable = self.allow_computed or operator.attr.constant
            return [] if usable and operator.get_output(0).has_data else None
        if not self.allow_computed or not operator.is_atomic() or operator.spec.back_edges:
            return None
        if kind in ("Shape", "Size"):
            tensor = operator.get_input(0)
            return None if tensor is None or tensor.undefined else []
        tensors = [operator.get_input(i) for i in range(operator.nb_inputs)]
        if any(t is not None and (t.undefined or t.size > _LARGEST) for t in tensors):
            return None
        needed = [parent for _, parent in port.node.edges_in()]
        return None if any(self._known.get(parent, 0) is None for parent in needed) else needed

    def _compute(self, port: Port) -> NDArray[Any] | None:
        operator = port.node.get_operator()
        if operator.type() == "Producer":
            return operator.get_output(0).array
        arrays: list[NDArray[Any] | None] = []
        for index in range(operator.nb_inputs):
            tensor = operator.get_input(index)
            if operator.type() in ("Shape", "Size") and tensor is not None:
                arrays.append(np.broadcast_to(np.zeros((), tensor.dtype.numpy), tensor.dims))
                continue
            value = self.of_input(port.node, index)
            if value is None and tensor is not None:
                return None
            arrays.append(value)
        try:
            return make_implementation("cpu", operator).run(arrays)[port.index]
        except MissingKernelError:
            return None
