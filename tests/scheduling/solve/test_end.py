"""Where schedules end: what cannot reach an output stays, what can is drained."""

from __future__ import annotations

import aidge_nb
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView
from aidge_nb.scheduling import check_schedule, static_schedule, trace_of
from tests.graph.nodes import chain, unit
from tests.scheduling.rates import set_rates


def test_nothing_piles_up_in_front_of_a_node_that_never_runs_again() -> None:
    """Sequences of two lengths: aidge_core 0.10.1 takes five slices of the longer one, of six."""
    short, long, join = aidge_nb.Pop(name="short"), aidge_nb.Pop(name="long"), unit("join", 2)
    view = GraphView()
    for index, (pop, length) in enumerate(((short, 4), (long, 6))):
        pop.get_operator().set_input(0, Tensor.of_dims([length, 3]))
        pop.add_child(join, 0, index)
    view.add([short, long, join])
    view.forward_dims()
    schedule = static_schedule(view)
    check_schedule(view, schedule)
    assert [schedule.count(name) for name in ("short", "long", "join")] == [4, 5, 4]


def test_the_slow_end_of_a_chain_is_drained() -> None:
    """The literal rule stops when nobody who was asked can run, though others have data.

    aidge_core 0.10.1 does so here: 1001, 2335, 2335 and 3670 executions. The rule's aim is to give
    data at each output until none are left to take, and `d` can take all of them.
    """
    view = chain("a", "b", "c", "d")
    rates = {"a": (1, 7), "b": (3, 5), "c": (4, 9), "d": (1, 1)}
    for name, (takes, gives) in rates.items():
        set_rates(view.get_node(name), takes, gives)
    view.get_node("a").get_operator().set_input(0, Tensor.of_dims([1001]))
    schedule = static_schedule(view)
    check_schedule(view, schedule)
    left = 1001
    for name, (takes, gives) in rates.items():
        assert schedule.count(name) == left // takes
        left = left // takes * gives


def _sum_of_slices(length: int) -> tuple[GraphView, dict[str, aidge_nb.Node]]:
    """Make running sums of the slices of a sequence, and a stack of them."""
    pop, add, stack = aidge_nb.Pop(name="pop"), aidge_nb.Add(name="add"), aidge_nb.Stack(length)
    memory = aidge_nb.Memorize(length, name="memory")
    nodes = {"pop": pop, "add": add, "stack": stack, "memory": memory}
    pop.get_operator().set_input(0, Tensor.of_dims([length, 3]))
    memory.get_operator().set_input(1, Tensor.of_dims([3]))
    memory.add_child(add, 1, 0)
    pop.add_child(add, 0, 1)
    add.add_child(memory, 0, 0)
    add.add_child(stack)
    view = GraphView()
    view.add(nodes.values())
    return view, nodes


def test_a_loop_that_only_its_turns_are_wanted_of_is_begun() -> None:
    """From the one output, each way up is cut by the loop; aidge_core 0.10.1 schedules nothing."""
    view, nodes = _sum_of_slices(5)
    last, out = aidge_nb.ReLU(name="last"), unit("out", 2)
    nodes["memory"].add_child(last, 0, 0)
    last.add_child(out, 0, 0)
    nodes["stack"].add_child(out, 0, 1)
    view.add([last, out])
    view.forward_dims()
    assert [node.name() for node in view.get_output_nodes()] == ["out"]
    schedule = static_schedule(view)
    check_schedule(view, schedule)
    counts = {actor.type: schedule.count(i) for i, actor in enumerate(schedule.actors)}
    assert counts == {"Pop": 5, "Add": 5, "Stack": 5, "Memorize": 6, "ReLU": 6, "Unit": 1}
    assert [name for each in trace_of(view) for name in each.firings] == list(schedule.order)


def test_outputs_that_are_left_out_change_nothing() -> None:
    """An LSTM is the same whether its states are outputs, as in Aidge, or the stack alone."""
    schedules = []
    for is_alone in (False, True):
        cell, pop, stack = aidge_nb.LSTM(4, 8, 3), aidge_nb.Pop(), aidge_nb.Stack(3)
        pop.add_child(cell, 0, 0)
        cell.add_child(stack)
        view = aidge_nb.get_connected_graph_view(cell)
        aidge_nb.expand_metaops(view)
        if is_alone:
            view.set_ordered_outputs([(stack, 0)])
        view.forward_dims([[3, 2, 4], [2, 8], [2, 8]])
        schedules.append(static_schedule(view))
    # (With the states as outputs, aidge_core 0.10.1 lists 128 firings as well.)
    assert [len(each.firings) for each in schedules] == [128, 128]
    rows = [sorted((f.actor, f.early, f.late) for f in each.firings) for each in schedules]
    assert rows[0] == rows[1]


def test_a_rest_upstream_stops_nobody() -> None:
    """One of 31 elements stays in front of `a`; aidge_core 0.10.1 runs `b` 11 times."""
    view = chain("a", "b")
    for name, (takes, gives) in {"a": (3, 2), "b": (1, 1)}.items():
        set_rates(view.get_node(name), takes, gives)
    view.get_node("a").get_operator().set_input(0, Tensor.of_dims([31]))
    schedule = static_schedule(view)
    check_schedule(view, schedule)
    assert [schedule.count(name) for name in "ab"] == [10, 20]


def test_executions_of_a_node_without_readers_follow_each_other() -> None:
    """aidge_core 0.10.1 lets all of them begin at once, and their late steps wrap around."""
    view = chain("a")
    set_rates(view.get_node("a"), 1, 1)
    view.get_node("a").get_operator().set_input(0, Tensor.of_dims([4]))
    steps = [(firing.early, firing.late) for firing in static_schedule(view).firings]
    assert steps == [(0, 0), (1, 1), (2, 2), (3, 3)]
