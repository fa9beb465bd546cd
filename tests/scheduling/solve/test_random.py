"""Random graphs: whatever is built, its schedule is checked by replay, and is always the same."""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import lcm
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.graph import GraphView, Node
from aidge_nb.scheduling import (
    Elts_t,
    OperatorImpl,
    ProdConso,
    SchedulingPolicy,
    check_schedule,
    sort_firings,
    static_schedule,
)
from tests.graph.nodes import source, unit


@st.composite
def dags(draw: st.DrawFn) -> GraphView:
    """Draw a graph: each input is fed by an earlier node, by a Producer, or from outside."""
    count = draw(st.integers(1, 15))
    nodes: list[Node] = []
    for number in range(count):
        node = unit(str(number), inputs=draw(st.integers(1, 3)))
        for index in range(node.get_nb_inputs()):
            if number and draw(st.booleans()):
                nodes[draw(st.integers(0, number - 1))].add_child(node, 0, index)
            elif draw(st.booleans()):
                source([2], f"p{number}_{index}").add_child(node, 0, index)
        nodes.append(node)
    view = GraphView()
    order: list[Node] = draw(st.permutations(nodes))
    view.add(order)
    if draw(st.booleans()):
        view.forward_dims([[2]] * len(view.get_input_groups()))
    return view


@given(dags())
def test_dags(view: GraphView) -> None:
    schedule = static_schedule(view)
    check_schedule(view, schedule)
    needed = _ancestors(view)
    assert Counter(schedule.order) == Counter(node.name() for node in needed)
    assert static_schedule(view) == schedule
    for policy in (SchedulingPolicy.AsSoonAsPossible, SchedulingPolicy.AsLateAsPossible):
        order = [schedule.name_of(firing) for firing in sort_firings(schedule, policy)]
        position = {name: i for i, name in enumerate(order)}
        for node in needed:
            for _, parent in node.edges_in():
                assert position[parent.node.name()] < position[node.name()]
    assert schedule.n_steps == _depth(needed)


def _ancestors(view: GraphView) -> set[Node]:
    found: set[Node] = set()
    pending = list(view.get_output_nodes())
    while pending:
        node = pending.pop()
        if node not in found:
            found.add(node)
            pending += [parent.node for _, parent in node.edges_in()]
    return found


def _depth(nodes: set[Node]) -> int:
    depth: dict[Node, int] = {}
    for node in sorted(nodes, key=Node.id):
        parents = [parent.node for _, parent in node.edges_in()]
        for parent in parents:
            depth.setdefault(parent, 1)
        depth[node] = 1 + max((depth[parent] for parent in parents), default=0)
    return max(depth.values(), default=0)


class _Rates(OperatorImpl):
    """Takes and gives fixed amounts each time."""

    def __init__(self, op: Any, takes: int, gives: int) -> None:
        super().__init__(op)
        self.takes, self.gives = takes, gives

    def get_prod_conso(self) -> ProdConso:
        takes, gives = self.takes, self.gives

        class Model(ProdConso):
            def get_nb_required_data(self, input_idx: int) -> Elts_t:
                return Elts_t.data_elts(takes)

            def get_required_memory(self, output_idx: int, inputs_size: Any = ()) -> Elts_t:
                return Elts_t.data_elts(gives)

        return Model(self.get_operator())


@settings(max_examples=60)
@given(st.lists(st.tuples(st.integers(1, 6), st.integers(1, 6)), min_size=1, max_size=4), st.data())
def test_multi_rate_chains(rates: list[tuple[int, int]], data: st.DataObject) -> None:
    """Fed with what divides evenly, every actor fires as often as the balance equations say."""
    repetitions = [1]
    for (_, gives), (takes, _) in pairwise(rates):
        # r[i] * gives[i] = r[i + 1] * takes[i + 1]: scale all so that it comes out whole.
        scale = lcm(repetitions[-1] * gives, takes) // (repetitions[-1] * gives)
        repetitions = [scale * r for r in repetitions]
        repetitions.append(repetitions[-1] * gives // takes)
    rounds = data.draw(st.integers(1, 3))
    view = GraphView()
    nodes = [unit(str(i)) for i in range(len(rates))]
    for first, second in pairwise(nodes):
        first.add_child(second)
    for node, (takes, gives) in zip(nodes, rates, strict=True):
        node.get_operator().set_impl(_Rates(node.get_operator(), takes, gives))
        node.get_operator().get_output(0).resize([gives])
    view.add(nodes)
    total = rounds * repetitions[0] * rates[0][0]
    nodes[0].get_operator().set_input(0, aidge_nb.Tensor.of_dims([total]))
    schedule = static_schedule(view)
    check_schedule(view, schedule)
    fired = Counter(schedule.order)
    assert [fired[str(i)] for i in range(len(rates))] == [rounds * r for r in repetitions]
    assert schedule.remaining == ()
