"""The graph as the scheduling algorithm sees it: actors, and what each has and lacks."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.errors import SchedulingError, explain
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.conditional import condition_nodes
from aidge_nb.scheduling.elts import Elts_t, EltType
from aidge_nb.scheduling.impl import prod_conso_of
from aidge_nb.scheduling.prod_conso import ProdConso
from aidge_nb.tensor import Tensor

__all__ = ["Dataflow"]


class Dataflow:
    """A view, its execution order and the consumer-producer state of its nodes.

    Parameters
    ----------
    view
        The graph; the C-P state of its nodes changes as they :meth:`fire`.
    """

    def __init__(self, view: GraphView) -> None:
        self.view = view
        self.order = view.topological_order()
        self.rank = {node: i for i, node in enumerate(self.order)}
        self.outputs = view.get_output_nodes()
        self.fired: dict[Node, int] = {}
        self._models: dict[Node, ProdConso] = {}

    def model(self, node: Node) -> ProdConso:
        """Give the C-P model of a node, inside the view or just outside."""
        model = self._models.get(node)
        if model is None:
            model = self._models[node] = prod_conso_of(node.get_operator())
        return model

    def reset(self) -> None:
        """Start all models over."""
        self.fired.clear()
        for node in self.order:
            self.model(node).reset_consummer_producer()

    def sorted(self, nodes: Iterable[Node]) -> list[Node]:
        """Put nodes into topological order."""
        return sorted(nodes, key=self.rank.__getitem__)

    def available(self, node: Node, index: int) -> Elts_t | None:
        """Tell how much was ever offered at an input; None where nothing is connected."""
        port = node.input(index)
        if port is not None:
            return self.model(port.node).get_nb_produced_data(port.index)
        tensor = node.get_operator().get_input(index)
        return None if tensor is None else _direct(tensor)

    def lacks(self, node: Node, index: int) -> bool:
        """Whether an input has too little for the next execution."""
        available = self.available(node, index)
        if available is None:
            return False
        model = self.model(node)
        required = model.get_nb_required_data(index)
        if available.type is EltType.Undef and required.type is not EltType.Undef:
            return True  # an empty tensor, too, must be made before it is read
        try:
            return model.get_nb_consumed_data(index) + required > available
        except SchedulingError as error:
            raise SchedulingError(f"{node.label}, input#{index}: {error}") from error

    def is_runnable(self, node: Node) -> bool:
        """Whether all inputs have enough for the next execution, and its conditions are known."""
        return self.knows_conditions(node) and not any(
            self.lacks(node, index) for index in range(node.get_nb_inputs())
        )

    def knows_conditions(self, node: Node) -> bool:
        """Whether all that decides if a conditional node runs at all has run before it."""
        done = self.fired.get(node, 0)
        return all(self.fired.get(each, 0) > done for each in condition_nodes(node))

    def has_backlog(self, node: Node) -> bool:
        """Whether data are left on a data input."""
        for index in range(node.get_nb_inputs()):
            if not node.input_category(index).is_data:
                continue
            available = self.available(node, index)
            if available is not None and self.model(node).get_nb_consumed_data(index) < available:
                return True
        return False

    def feeds(self, node: Node) -> bool:
        """Whether something produced by the node is not taken yet."""
        model = self.model(node)
        for output, ports in enumerate(node.outputs()):
            produced = model.get_nb_produced_data(output)
            for child, index in ports:
                if child in self.view and self.model(child).get_nb_consumed_data(index) < produced:
                    return True
        return False

    def fire(self, node: Node) -> None:
        """Count one execution of a node."""
        try:
            self.model(node).update_consummer_producer()
        except SchedulingError as error:
            raise SchedulingError(f"{node.label}: {error}") from error
        self.fired[node] = self.fired.get(node, 0) + 1

    def describe_lack(self, node: Node) -> str:
        """Say which inputs of a node lack how much."""
        model = self.model(node)
        parts = []
        for index in range(node.get_nb_inputs()):
            if self.lacks(node, index):
                port = node.input(index)
                source = "a tensor" if port is None else port.node.label
                parts.append(
                    explain(
                        f"{node.label}, input#{index}",
                        f"waits for {source}",
                        expected=model.get_nb_consumed_data(index)
                        + model.get_nb_required_data(index),
                        found=self.available(node, index),
                    )
                )
        return "; ".join(parts)


def _direct(tensor: Tensor) -> Elts_t:
    """Give a tensor set on an input: all of it, once."""
    return Elts_t.data_elts(0 if tensor.undefined else tensor.size)
