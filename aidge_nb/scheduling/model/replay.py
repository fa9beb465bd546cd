"""Execute a graph on its consumer-producer models alone, for checks and explanations.

Works on fresh models, so that the C-P state left in the graph by a scheduler does not change.
"""

from __future__ import annotations

import copy

from aidge_nb.graph.node import Node
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.model.elts import Elts_t, EltType
from aidge_nb.scheduling.model.impl import OperatorImpl, prod_conso_of
from aidge_nb.scheduling.model.prod_conso import ProdConso, make_prod_conso


def fresh_model(operator: Operator) -> ProdConso:
    """Make a new C-P model of an operator in its initial state.

    Copies the model of an implementation that always returns the same object.
    """
    impl = operator.get_impl()
    if impl is None:
        model = make_prod_conso(operator)
    elif isinstance(impl, OperatorImpl):
        model = impl.get_prod_conso()
    else:
        model = impl.prod_conso()
    if model is prod_conso_of(operator):
        model = copy.copy(model)
    model.reset_consummer_producer()
    return model


def count_of(amount: Elts_t, like: Elts_t) -> int:
    """Return an amount in elements if ``like`` counts elements, otherwise in tokens.

    Examples
    --------
    >>> count_of(Elts_t.data_elts(6), like=Elts_t.data_elts(2))
    6
    >>> count_of(Elts_t.data_elts(6), like=Elts_t.token_elts(1))
    1
    """
    return amount.data if like.type is EltType.Data else amount.token


class Replay:
    """The C-P state of a graph, from its first execution on.

    Nodes outside of the view have given the amounts that their models count now.

    Examples
    --------
    >>> import aidge_nb
    >>> a, b = aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")
    >>> replay = Replay(aidge_nb.sequential([a, b]))
    >>> replay.lacks(b, 0)
    True
    >>> replay.fire(a)
    >>> replay.lacks(b, 0)
    False
    """

    def __init__(self, view: GraphView) -> None:
        self._models = {node: fresh_model(node.get_operator()) for node in view}
        self.executions = dict.fromkeys(self._models, 0)
        self.look_back: set[Node] = set()  # nodes whose models read their own counters

    def model(self, node: Node) -> ProdConso:
        """Return the model of a node of the graph, or of a node that feeds it."""
        return self._models.get(node) or prod_conso_of(node.get_operator())

    def offered(self, node: Node, index: int) -> Elts_t | None:
        """Return the amount that an input was ever given; None for an unconnected input."""
        port = node.source(index)
        if port is not None:
            return self.model(port.node).get_nb_produced_data(port.index)
        tensor = node.get_operator().get_input(index)
        if tensor is None:
            return None
        return Elts_t.data_elts(0 if tensor.undefined() else tensor.size)  # there once

    def wanted(self, node: Node, index: int) -> Elts_t:
        """Return the amount that an input must have been given for the next execution."""
        model = self.model(node)
        return model.get_nb_consumed_data(index) + model.get_nb_required_data(index)

    def lacks(self, node: Node, index: int) -> bool:
        """Tell whether an input was given too little for the next execution."""
        offered = self.offered(node, index)
        if offered is None:
            return False
        required = self.model(node).get_nb_required_data(index)
        if offered.type is EltType.Undef and required.type is not EltType.Undef:
            return True  # even an empty tensor must exist before it is read
        return self.wanted(node, index) > offered

    def left_over(self, node: Node, index: int) -> int:
        """Return the amount that an input was given and did not take."""
        offered = self.offered(node, index)
        if offered is None:
            return 0
        taken = self.model(node).get_nb_consumed_data(index)
        if taken.type is EltType.Undef:
            taken = Elts_t(offered.type, 0, 0)
        return count_of(offered, like=taken) - count_of(taken, like=taken)

    def fire(self, node: Node) -> None:
        """Execute a node of the graph once."""
        model = self._models[node]
        model._counts_were_read = False
        model.update_consummer_producer()
        if model._counts_were_read:
            self.look_back.add(node)
        self.executions[node] += 1
