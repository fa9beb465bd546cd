"""Where schedules end: what cannot reach an output stays, what can is drained."""

from __future__ import annotations

import aidge_nb
from aidge_nb.graph import GraphView
from aidge_nb.scheduling import check_schedule, static_schedule
from aidge_nb.tensor import Tensor
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
    """The literal rule stops when `b` and `c` have no data, and leaves some to `d`."""
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
