"""Execution times gathered over passes."""

from __future__ import annotations

import statistics

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aidge_nb
from aidge_nb import ops
from aidge_nb.runtime import ExecTime, NodeExecTime
from aidge_nb.scheduling import SchedulingElement


@given(st.lists(st.integers(0, 10**9), min_size=1))
def test_mean_and_deviation(durations: list[int]) -> None:
    time = NodeExecTime()
    for duration in durations:
        time.update(1000, 1000 + duration)
    micro = [duration / 1000 for duration in durations]
    assert time.count == len(durations)
    assert time.mean() == pytest.approx(statistics.fmean(micro))
    assert time.std_dev() == pytest.approx(statistics.pstdev(micro), abs=1e-3)


def test_nothing_measured() -> None:
    assert (NodeExecTime().mean(), NodeExecTime().std_dev()) == (0.0, 0.0)
    assert ExecTime().get() == {}


def test_by_node() -> None:
    a, b = ops.ReLU(name="a"), ops.ReLU(name="b")
    times = ExecTime()
    times.update([SchedulingElement(a, 0, 2000), SchedulingElement(b, 0, 4000)])
    times.update([SchedulingElement(a, 0, 4000)])
    assert {node.name(): (t.count, t.mean()) for node, t in times.get().items()} == {
        "a": (2, 3.0),
        "b": (1, 4.0),
    }


def test_of_a_run() -> None:
    view = aidge_nb.sequential([ops.ReLU(name="a")])
    view.set_backend("cpu")
    scheduler = aidge_nb.SequentialScheduler(view)
    times = ExecTime()
    for _ in range(3):
        scheduler.forward(data=[[1.0]])
        times.update(scheduler.get_forward_scheduling())
    assert times.get()[view.get_node("a")].count == 3
    assert times.get()[view.get_node("a")].mean() >= 0
