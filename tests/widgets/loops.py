"""Schedules with loops, for tests of the folded schedule."""

from __future__ import annotations

from collections.abc import Sequence

import aidge_nb
from aidge_nb.core.tensor import Tensor
from aidge_nb.scheduling.schedule.nest import Actor, Firing, Loop
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
from tests.graph.nodes import chain
from tests.scheduling.random_flows import set_rates


def lstm(length: int) -> StaticSchedule:
    """Schedule an LSTM that reads a sequence of the given length."""
    cell = aidge_nb.LSTM(in_channels=4, hidden_channels=8, seq_length=length, name="lstm")
    view = aidge_nb.get_connected_graph_view(cell)
    aidge_nb.expand_metaops(view)
    return aidge_nb.static_schedule(view)


def chain_of_rates(rates: Sequence[tuple[int, int]], size: int) -> StaticSchedule:
    """Schedule a chain whose nodes take and give these amounts; ``size`` elements come in."""
    names = "abcdefgh"[: len(rates)]
    view = chain(*names)
    for name, (takes, gives) in zip(names, rates, strict=True):
        set_rates(view.get_node(name), [[takes]], [gives])
    view.get_node("a").get_operator().set_input(0, Tensor.of_dims([size]))
    return aidge_nb.static_schedule(view)


def nested(count: int) -> StaticSchedule:
    """Make `count` × (a, 3 × b), then c."""
    actors = tuple(Actor(name, "ReLU", False, name, 0) for name in "abc")
    inner = Loop(3, (Firing(1, 0, 1, 1),), ((1, 1, 1, 1),))
    outer = Loop(count, (Firing(0, 0, 0, 0), inner), ((0, 1, 4, 4), (1, 3, 4, 4)))
    return StaticSchedule(actors, (outer, Firing(2, 0, 4 * count, 4 * count)))
