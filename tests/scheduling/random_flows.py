"""Random dataflow graphs: multi-rate, cyclo-static, cyclic, with models of users."""

from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

import aidge_nb
from aidge_nb.graph import GraphView, Node
from aidge_nb.scheduling import Elts_t, OperatorImpl, ProdConso
from tests.graph.nodes import source, unit


class Rates(ProdConso):
    """Takes and gives what a list says, in turn; ``counts`` lets it remember how often it ran."""

    def __init__(self, op: Any, takes: list[list[int]], gives: list[int], counts: bool) -> None:
        super().__init__(op)
        self.takes, self.gives, self.counts = takes, gives, counts
        self.turn = 0

    def get_nb_required_data(self, input_idx: int) -> Elts_t:
        amounts = self.takes[input_idx]
        return Elts_t.data_elts(amounts[self.turn % len(amounts)])

    def get_required_memory(self, output_idx: int, inputs_size: Any = ()) -> Elts_t:
        return Elts_t.data_elts(self.gives[self.turn % len(self.gives)])

    def update_consummer_producer(self) -> None:
        super().update_consummer_producer()
        self.turn += 1
        if not self.counts:
            lengths = [*map(len, self.takes), len(self.gives)]
            self.turn %= aidge_lcm(lengths)

    def reset_consummer_producer(self) -> None:
        super().reset_consummer_producer()
        self.turn = 0


def aidge_lcm(numbers: list[int]) -> int:
    """Give the least common multiple."""
    from math import lcm

    return lcm(*numbers)


class RatesImpl(OperatorImpl):
    """Gives an operator such a model."""

    def __init__(self, op: Any, *amounts: Any) -> None:
        super().__init__(op)
        self.amounts = amounts

    def get_prod_conso(self) -> ProdConso:
        return Rates(self.get_operator(), *self.amounts)


def set_rates(node: Node, takes: list[list[int]], gives: list[int], counts: bool = False) -> None:
    """Give a node rates by input, and of its outputs."""
    operator = node.get_operator()
    operator.set_impl(RatesImpl(operator, takes, gives, counts))


@st.composite
def flows(draw: st.DrawFn, most: int = 5, largest: int = 400) -> GraphView:
    """Draw a graph with known amounts everywhere."""
    amounts = st.lists(st.integers(1, 6), min_size=1, max_size=3)
    view = GraphView()
    nodes: list[Node] = []
    for number in range(draw(st.integers(1, most))):
        inputs = draw(st.integers(1, 2))
        node = unit(f"n{number}", inputs=inputs)
        for index in range(inputs):
            kind = draw(st.sampled_from(["node", "node", "producer", "tensor"]))
            size = draw(st.integers(1, largest))
            if kind == "node" and nodes:
                draw(st.sampled_from(nodes)).add_child(node, 0, index)
            elif kind == "producer":
                source([draw(st.integers(1, 12))], f"p{number}_{index}").add_child(node, 0, index)
            else:
                node.get_operator().set_input(index, aidge_nb.Tensor.of_dims([size]))
        set_rates(
            node,
            [draw(amounts) for _ in range(inputs)],
            draw(amounts),
            draw(st.sampled_from([False, False, False, True])),
        )
        nodes.append(node)
    view.add(nodes)
    if draw(st.booleans()):
        _add_loop(draw, view, nodes)
    return view


def _add_loop(draw: st.DrawFn, view: GraphView, nodes: list[Node]) -> None:
    """Close a cycle through a Memorize whose body reads a node at some rate."""
    memory = aidge_nb.Memorize(draw(st.integers(1, 60)), name="m")
    body = unit("body", inputs=2)
    memory.add_child(body, 1, 0)
    draw(st.sampled_from(nodes)).add_child(body, 0, 1)
    body.add_child(memory, 0, 0)
    memory.get_operator().set_input(1, aidge_nb.Tensor.of_dims([4]))
    for index in range(2):
        memory.get_operator().get_output(index).resize([4])
    set_rates(body, [[4], draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))], [4])
    view.add([memory, body])
    if draw(st.booleans()):
        last = unit("last")
        memory.add_child(last, 0, 0)
        view.add(last)
