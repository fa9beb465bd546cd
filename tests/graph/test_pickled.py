"""Pickled graphs: the same names, order, plans and results, to the bit."""

from __future__ import annotations

import pickle
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from numpy.typing import NDArray

import aidge_nb
from aidge_nb import hardware, ops
from aidge_nb.core.errors import GraphError
from aidge_nb.graph import GraphView, Node
from aidge_nb.graph.cloning import clone_view
from aidge_nb.graph.spec import SPECS, InputSpec, OpSpec, register
from tests.runtime.models import random_graphs, random_inputs, zoo_view
from tests.zoo.small import SMALL

Array = NDArray[Any]


def _again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


def _run(view: GraphView, data: Sequence[Array]) -> list[Array]:
    return [y.array for y in aidge_nb.SequentialScheduler(view).forward(data=data)]


def _check_equal(view: GraphView, twin: GraphView) -> None:
    assert twin.snapshot() == view.snapshot()
    assert [n.name() for n in twin] == [n.name() for n in view]
    assert [n.name() for n in sorted(twin, key=Node.id)] == [
        n.name() for n in sorted(view, key=Node.id)
    ]
    schedule = aidge_nb.static_schedule(view)
    assert aidge_nb.static_schedule(twin) == schedule
    assert aidge_nb.plan_memory(twin, schedule) == aidge_nb.plan_memory(view, schedule)
    data = random_inputs(view)
    for ours, theirs in zip(_run(twin, data), _run(view, data), strict=True):
        assert ours.tobytes() == theirs.tobytes()


@pytest.mark.parametrize("name", SMALL)
def test_models_of_the_zoo(name: str) -> None:
    view = zoo_view(name)
    _check_equal(view, _again(view))


@given(random_graphs())
def test_random_graphs(view: GraphView) -> None:
    _check_equal(view, _again(view))


def test_depth_is_no_limit() -> None:
    view = aidge_nb.sequential([ops.ReLU(name=f"r{number}") for number in range(3000)])
    twin = _again(view)
    assert [n.name() for n in twin.topological_order()] == [f"r{i}" for i in range(3000)]


def test_shared_inputs_stay_shared() -> None:
    view = aidge_nb.parallel([ops.ReLU(name="a"), ops.Tanh(name="b")])
    x = aidge_nb.Tensor(np.ones(2))
    for node in view:
        node.get_operator().associate_input(0, x)
    (group,) = _again(view).get_input_groups()
    assert [port.node.name() for port in group] == ["a", "b"]


def test_arrays_go_out_of_band_and_are_not_copied() -> None:
    view = aidge_nb.sequential([ops.FC(64, 64, name="fc")])
    aidge_nb.init_weights(view, seed=0)
    view.compile("cpu", dims=[[1, 64]])
    buffers: list[pickle.PickleBuffer] = []
    text = pickle.dumps(view, protocol=5, buffer_callback=buffers.append)
    assert len(text) < 64 * 64
    twin = pickle.loads(text, buffers=buffers)
    ours, theirs = (g.get_node("fc_w").get_operator().get_output(0).array for g in (view, twin))
    assert np.shares_memory(ours, theirs)
    copy, _ = clone_view(view, share_values=True)
    assert len(pickle.dumps((view, copy))) < 1.5 * len(pickle.dumps(view))


class Doubled(aidge_nb.OperatorImpl):
    def run(self, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
        assert arrays[0] is not None
        return (2 * arrays[0],)


def test_implementations_of_the_user_go_along() -> None:
    view = aidge_nb.sequential([ops.ReLU(name="own"), ops.Tanh(name="t")])
    view.set_backend("cpu")
    operator = view.get_node("own").get_operator()
    operator.set_impl(Doubled(operator))
    twin = _again(view)
    impl = twin.get_node("own").get_operator().get_impl()
    assert isinstance(impl, Doubled)
    assert impl.get_operator() is twin.get_node("own").get_operator()
    (y,) = _run(twin, [np.array([0.25])])
    assert y.tolist() == [np.tanh(0.5)]


def test_annotations_name_the_new_nodes() -> None:
    view = aidge_nb.parallel([ops.ReLU(name="a"), ops.Tanh(name="b")])
    a = view.get_node("a")
    a.annotations["notes"] = {"one": [(view.get_node("b"), 3)], a: {a}}
    twin = _again(view)
    new = twin.get_node("a")
    assert new.annotations == {"notes": {"one": [(twin.get_node("b"), 3)], new: {new}}}


def test_inner_graphs_and_generic_operators() -> None:
    generic = aidge_nb.GenericOperator("Mine", 1, 0, 1, name="g", factor=2)
    inner = aidge_nb.sequential([ops.Tanh(name="t"), generic])
    meta = aidge_nb.MetaOperator("Inner", inner, name="inner", attributes={"k": 1})
    view = aidge_nb.sequential([ops.ReLU(name="r"), meta])
    assert _again(view).snapshot() == view.snapshot()
    twin = _again(view).get_node("inner").get_operator()
    assert twin.get_output(0) is twin.micro_graph.get_node("g").get_operator().get_output(0)
    assert twin.get_input(0) is twin.micro_graph.get_node("t").get_operator().get_input(0)


def test_declarations_are_found_by_name() -> None:
    spec = register(OpSpec("Pickled", (InputSpec("x"),), lambda context: [context.dim(0)]))
    assert _again(spec) is spec
    content = pickle.dumps(spec)
    del SPECS["Pickled"]
    with pytest.raises(GraphError, match=r"Pickled: is not declared in this process\. Import"):
        pickle.loads(content)


def test_nodes_alone_are_refused() -> None:
    with pytest.raises(GraphError, match=r"a \(ReLU\): is part of a graph.*Pickle the graph"):
        pickle.dumps(ops.ReLU(name="a"))


def test_values_that_follow_from_a_graph() -> None:
    view = zoo_view("lenet")
    schedule = aidge_nb.static_schedule(view)
    target = hardware.target("quad_cluster")
    for value in (
        view.snapshot(),
        schedule,
        aidge_nb.plan_memory(view, schedule),
        aidge_nb.tile_for(view),
        target,
        hardware.map_schedule(view, target),
    ):
        assert _again(value) == value


def _forward(view: GraphView, data: Sequence[Array]) -> list[bytes]:
    return [array.tobytes() for array in _run(view, data)]


def test_another_process_runs_it() -> None:
    view = zoo_view("lenet")
    view.set_backend("exact")
    data = random_inputs(view)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as executor:
        assert executor.submit(_forward, view, data).result(60) == _forward(view, data)
