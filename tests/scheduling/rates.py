"""Nodes that take and give fixed amounts, for tests of graphs with several rates."""

from __future__ import annotations

from collections.abc import Sequence

from hypothesis import strategies as st

from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView, Node
from aidge_nb.graph.operator import Operator
from aidge_nb.scheduling import Elts_t, OperatorImpl, ProdConso
from tests.graph.nodes import source, unit


class Rates(ProdConso):
    """Takes from each input, and gives to each output, amounts in turn."""

    def __init__(self, op: Operator, takes: Sequence[int], gives: Sequence[int]) -> None:
        super().__init__(op)
        self.takes, self.gives, self.turn = takes, gives, 0

    def get_nb_required_data(self, input_idx: int) -> Elts_t:
        """Tell the amount whose turn it is."""
        return Elts_t.data_elts(self.takes[self.turn % len(self.takes)])

    def get_required_memory(
        self, output_idx: int, inputs_size: Sequence[Sequence[int]] = ()
    ) -> Elts_t:
        """Tell the amount whose turn it is."""
        return Elts_t.data_elts(self.gives[self.turn % len(self.gives)])

    def update_consummer_producer(self) -> None:
        """Count one execution."""
        super().update_consummer_producer()
        self.turn += 1

    def reset_consummer_producer(self) -> None:
        """Start over."""
        super().reset_consummer_producer()
        self.turn = 0


class _Impl(OperatorImpl):
    def __init__(self, op: Operator, takes: Sequence[int], gives: Sequence[int]) -> None:
        super().__init__(op)
        self._takes, self._gives = takes, gives

    def get_prod_conso(self) -> ProdConso:
        return Rates(self.get_operator(), self._takes, self._gives)


def set_rates(node: Node, takes: int | Sequence[int], gives: int | Sequence[int]) -> None:
    """Make a node take and give these amounts: always the same, or several in turn."""
    operator = node.get_operator()
    taken = [takes] if isinstance(takes, int) else takes
    given = [gives] if isinstance(gives, int) else gives
    operator.set_impl(_Impl(operator, taken, given))
    operator.get_output(0).resize([max(given)])


def fork_join(one: int, other: int) -> GraphView:
    """Make two ways from ``start`` to ``join``, of which ``b`` and ``c`` give these amounts."""
    start, b, c, join = unit("start"), unit("b"), unit("c"), unit("join", inputs=2)
    start.add_child(b)
    start.add_child(c)
    b.add_child(join, 0, 0)
    c.add_child(join, 0, 1)
    for node, gives in ((start, 1), (b, one), (c, other), (join, 1)):
        set_rates(node, 1, gives)
    start.get_operator().set_input(0, Tensor.of_dims([2]))
    view = GraphView()
    view.add([start, b, c, join])
    return view


@st.composite
def multi_rate_graphs(draw: st.DrawFn) -> GraphView:
    """Draw a graph whose nodes take and give fixed or cyclo-static amounts.

    What comes in from outside is finite; a Producer gives what its reader takes at once.
    """
    amounts = st.lists(st.integers(1, 4), min_size=1, max_size=3)
    view = GraphView()
    nodes: list[Node] = []
    for number in range(draw(st.integers(1, 7))):
        node = unit(str(number), inputs=draw(st.integers(1, 3)))
        takes = draw(amounts)
        set_rates(node, takes, draw(amounts))
        for index in range(node.get_nb_inputs()):
            kind = draw(st.sampled_from(["node", "node", "producer", "tensor"]))
            if kind == "node" and nodes:
                draw(st.sampled_from(nodes)).add_child(node, 0, index)
            elif kind == "producer" and index and len(takes) == 1:
                parameter = source(takes, f"p{number}_{index}")
                parameter.add_child(node, 0, index)
                view.add([parameter])
            else:
                size = draw(st.integers(1, 12))
                node.get_operator().set_input(index, Tensor.of_dims([size]))
        nodes.append(node)
    view.add(nodes)
    return view
