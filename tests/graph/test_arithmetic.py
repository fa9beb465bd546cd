"""Which backend has which arithmetic."""

import numpy as np
import pytest

import aidge_nb
from aidge_nb.core.errors import GraphError


def view() -> aidge_nb.GraphView:
    return aidge_nb.sequential([aidge_nb.Tanh(name="tanh")])


def test_exact_is_asked_for_in_two_ways() -> None:
    one, other = view(), view()
    one.set_backend("cpu", arithmetic="exact")
    assert other.compile("cpu", aidge_nb.dtype.float32, dims=[[3]], arithmetic="exact")
    for graph in (one, other):
        assert graph.get_node("tanh").get_operator().backend() == "exact"
    data = [np.array([0.1, 0.5, 2.0], np.float32)]
    results = [
        np.asarray(aidge_nb.SequentialScheduler(g).forward(data=data)[0]) for g in (one, other)
    ]
    assert results[0].tobytes() == results[1].tobytes()


def test_fast_is_the_default() -> None:
    graph = view()
    graph.set_backend("cpu")
    assert graph.get_node("tanh").get_operator().backend() == "cpu"


def test_refusals() -> None:
    with pytest.raises(GraphError, match="expected fast or exact, found 'precise'"):
        view().set_backend("cpu", arithmetic="precise")
    with pytest.raises(GraphError, match="backend 'gpu': has no exact arithmetic"):
        view().set_backend("gpu", arithmetic="exact")
