"""Random graphs: every plan keeps every rule, and its arena really holds what is read."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aidge_nb.graph import GraphView, Node
from aidge_nb.memory import (
    MemoryPlan,
    check_plan,
    check_replay,
    generate_memory,
    plan_memory,
    plan_of_manager,
)
from tests.memory.graphs import binary, graph, op, opaque, producer, reshape, unary
from tests.oracle import build_graph, load, names

MAKERS = {
    "unary": (unary, 1),
    "binary": (binary, 2),
    "reshape": (reshape, 1),
    "opaque": (opaque, 1),
}


@st.composite
def graphs(draw: st.DrawFn) -> GraphView:
    """Draw an acyclic graph of up to a dozen operators of two sizes."""
    nodes: list[Node] = []
    edges: list[tuple[int, ...]] = []
    for number in range(draw(st.integers(1, 12))):
        kind = draw(st.sampled_from([*MAKERS, "split", "producer"]))
        size = draw(st.sampled_from([4, 4, 8]))
        name = f"n{number}"
        if kind == "producer":
            nodes.append(producer(name, size))
            continue
        if kind == "split":
            nodes.append(op(name, 1, size, nb_outputs=2))
            nb_inputs = 1
        else:
            maker, nb_inputs = MAKERS[kind]
            nodes.append(maker(name, size))
        for index in range(nb_inputs):
            parent = draw(st.integers(-1, number - 1))
            if parent >= 0:
                output = draw(st.integers(0, nodes[parent].get_nb_outputs() - 1))
                edges.append((parent, number, index, output))
    view = graph(nodes, edges)
    if draw(st.booleans()):
        ports = [(node, index) for node in nodes for index in range(node.get_nb_outputs())]
        view.set_ordered_outputs(draw(st.lists(st.sampled_from(ports), max_size=4, unique=True)))
    return view


@given(graphs(), st.booleans(), st.booleans(), st.booleans(), st.integers(1, 2))
@settings(max_examples=150)
def test_plans_hold(
    view: GraphView, in_place: bool, inc_producers: bool, inc_inputs: bool, times: int
) -> None:
    order = list(view.get_nodes()) * times
    plan = plan_memory(
        view, order, in_place=in_place, inc_producers=inc_producers, inc_inputs=inc_inputs
    )
    check_plan(plan)
    check_replay(plan, view, order)
    assert plan.peak >= plan.lower_bound
    assert MemoryPlan.from_dict(plan.to_dict()) == plan


@given(graphs(), st.booleans(), st.booleans())
@settings(max_examples=150)
def test_layouts_of_the_manager_hold(view: GraphView, wrap: bool, inc_producers: bool) -> None:
    order = list(view.get_nodes())
    manager = generate_memory(view, order, inc_producers, wrap)
    plan = plan_of_manager(manager, view, order, inc_producers=inc_producers)
    check_plan(plan)
    assert plan.peak == manager.get_peak_usage()


@pytest.mark.parametrize("name", [name for name in names("memory") if "light" not in name])
def test_plans_of_recorded_graphs_hold(name: str) -> None:
    recorded = load(name)
    memory = recorded["runs"]["data"]["memory"]
    view, nodes = build_graph(recorded)
    order = [nodes[each] for each in memory["order"]]
    plan = plan_memory(view, order, inc_inputs=True)
    check_plan(plan)
    check_replay(plan, view, order)
