"""Objects of the real aidge_core, where it is installed, as ours."""

from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb.compat import from_aidge
from aidge_nb.core.errors import AidgeError
from aidge_nb.graph import GraphSnapshot
from aidge_nb.memory import check_plan
from aidge_nb.widgets import build_scene, to_svg

aidge_core: Any = pytest.importorskip(
    "aidge_core", reason="the real aidge_core is not installed: its objects cannot be read"
)
pytest.importorskip("aidge_backend_cpu", reason="the real aidge_backend_cpu is not installed")


def chain() -> Any:
    core = aidge_core
    view = core.sequential(
        [
            core.Producer([1, 3, 8, 8], name="image"),
            core.PaddedConv2D(3, 4, [3, 3], name="conv", padding_dims=[1, 1, 1, 1]),
            core.ReLU(name="relu"),
            core.MaxPooling2D([2, 2], name="pool", stride_dims=[2, 2]),
            core.Softmax(1, name="softmax"),
        ]
    )
    view.set_backend("cpu")
    view.set_datatype(core.dtype.float32)
    view.forward_dims()
    return view


def loop() -> Any:
    view = aidge_core.get_connected_graph_view(
        aidge_core.LSTM(in_channels=4, hidden_channels=8, seq_length=5)
    )
    aidge_core.expand_metaops(view)
    view.set_backend("cpu")
    return view


def scheduled(view: Any) -> Any:
    scheduler = aidge_core.SequentialScheduler(view)
    scheduler.generate_scheduling()
    return scheduler


def test_a_graph_keeps_names_types_edges_and_dims() -> None:
    real = chain()
    view = from_aidge(real)
    assert isinstance(view, aidge_nb.GraphView)
    assert {(n.name(), n.type()) for n in view.get_nodes()} == {
        (n.name(), n.type()) for n in real.get_nodes()
    }
    for node in real.get_nodes():
        mine = view.get_node(node.name())
        expected = [None if p is None else p.name() for p in node.get_parents()]
        found = [None if p is None else p.name() for p in mine.get_parents()]
        assert found[: len(expected)] == expected
        dims = list(node.get_operator().get_output(0).dims)
        assert list(mine.get_operator().get_output(0).dims) == dims


def test_a_graph_of_known_operators_runs_and_gives_the_same() -> None:
    real = chain()
    values = {}
    generator = np.random.default_rng(0)
    for node in real.get_nodes():
        if node.type() == "Producer":
            dims = node.get_operator().get_output(0).dims
            values[node.name()] = generator.normal(size=dims).astype(np.float32)
            node.get_operator().set_output(0, aidge_core.Tensor(values[node.name()]))
    scheduled(real).forward()
    expected = np.array(real.get_node("softmax").get_operator().get_output(0))
    view = from_aidge(real)
    assert isinstance(view, aidge_nb.GraphView)
    view.set_backend("cpu")
    (found,) = aidge_nb.SequentialScheduler(view).forward()
    np.testing.assert_allclose(np.asarray(found), expected, atol=1e-6)


@pytest.mark.parametrize("make", [chain, loop])
def test_a_schedule_has_aidges_own_steps(make: Any) -> None:
    scheduler = scheduled(make())
    schedule = from_aidge(scheduler)
    assert isinstance(schedule, aidge_nb.StaticSchedule)
    found = [(schedule.actors[f.actor].type, f.early, f.late) for f in schedule.firings]
    elements = scheduler.get_static_scheduling()
    assert found == [(each.node.type(), each.early, each.late) for each in elements]


def test_a_layout_has_aidges_own_offsets() -> None:
    scheduler = scheduled(chain())
    manager = scheduler.generate_memory()
    plan = from_aidge(manager, scheduler)
    assert isinstance(plan, aidge_nb.MemoryPlan)
    assert plan.peak == manager.get_peak_usage()
    planes = [plane for planes in manager.get_planes().values() for plane in planes]
    assert sorted(each.offset for each in plan.buffers) == sorted(
        plane.get_contiguous_offset() for plane in planes
    )
    check_plan(plan)


def test_they_are_drawn() -> None:
    scheduler = scheduled(chain())
    schedule, view = from_aidge(scheduler), from_aidge(scheduler.graph_view())
    plan = from_aidge(scheduler.generate_memory(), scheduler)
    scene = build_scene(GraphSnapshot.of(view), schedule, plan)  # type: ignore[arg-type]
    assert "softmax" in to_svg(scene)


def test_refusals() -> None:
    view = chain()
    with pytest.raises(AidgeError, match=r"has no schedule.*generate_scheduling"):
        from_aidge(aidge_core.SequentialScheduler(view))
    with pytest.raises(AidgeError, match=r"does not know its graph.*from_aidge\(manager, sched"):
        from_aidge(scheduled(view).generate_memory())
    with pytest.raises(AidgeError, match="found Node"):
        from_aidge(view.get_node("relu"))
