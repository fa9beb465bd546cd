"""The API page of the scheduler, entry by entry: numbers are the lines of the page.

An entry of three schedulers is asked of each of them, with its three lines. Steps, orders and peaks
are those that aidge_core 0.10.1 gave for the same graph.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.compat.seed_001 import (
    KINDS,
    ONE,
    ORDER,
    RUNNING,
    STEPS,
    core,
    each_kind,
    made,
    model,
    names,
    parameters,
)

pytestmark = pytest.mark.usefixtures("served")


class TestConstruction:
    @each_kind(12, 285, 374)
    def test_graph_view_and_reset_cp_model(self, kind: str) -> None:
        declared = [("graph_view", ...), ("reset_cp_model", True)]
        assert parameters(kind, "__init__")[:2] == declared
        view = model()
        first = getattr(core(), kind)(graph_view=view, reset_cp_model=True)
        first.generate_scheduling()
        kept = getattr(core(), kind)(view, reset_cp_model=False)
        kept.generate_scheduling()
        assert sorted(names(first.get_static_scheduling())) == sorted(ORDER)
        assert "fc" not in names(kept.get_static_scheduling())  # its input was taken before

    def test_line_83_a_graph_is_needed(self) -> None:
        with pytest.raises(TypeError):
            core().Scheduler()

    def test_lines_310_and_395_both_are_schedulers(self) -> None:
        for kind in RUNNING:
            assert issubclass(getattr(core(), kind), core().Scheduler)


class TestStaticScheduling:
    @each_kind(14, 291, 377)
    def test_generate_scheduling(self, kind: str) -> None:
        steps = {e.node.name(): (e.early, e.late) for e in made(kind).get_static_scheduling()}
        assert steps == {**STEPS, "fc_w": (0, 0), "fc_b": (0, 0), "add": (5, 5)}

    @each_kind(18, 295, 381)
    def test_get_static_scheduling_and_its_step(self, kind: str) -> None:
        assert parameters(kind, "get_static_scheduling") == [("step", 0)]
        scheduler = made(kind)
        assert isinstance(scheduler.get_static_scheduling(step=0), list)
        with pytest.raises((RuntimeError, IndexError), match="1"):
            scheduler.get_static_scheduling(1)

    @each_kind(17, 294, 380)
    def test_get_sequential_static_scheduling_its_step_and_sorting(self, kind: str) -> None:
        assert parameters(kind, "get_sequential_static_scheduling")[0] == ("step", 0)
        order = names(made(kind).get_sequential_static_scheduling(step=0))
        places = [order.index(name) for name in ("fc", "relu", "right", "last", "add")]
        assert places == sorted(places)
        if kind != "SequentialScheduler":  # there, set_scheduling_policy() says the order
            assert [n for n, _ in parameters(kind, "get_sequential_static_scheduling")] == [
                "step",
                "sorting",
            ]
            policy = core().SchedulingPolicy.AsLateAsPossible
            late = made(kind).get_sequential_static_scheduling(0, sorting=policy)
            assert names(late)[-3:] == ["last", "left", "add"]

    @each_kind(19, 296, 382)
    def test_graph_view(self, kind: str) -> None:
        view = model()
        assert getattr(core(), kind)(view).graph_view() is view

    @each_kind(27, 304, 390)
    def test_reset_scheduling(self, kind: str) -> None:
        scheduler = made(kind)
        scheduler.reset_scheduling()
        with pytest.raises(RuntimeError, match="no static scheduling"):
            scheduler.get_static_scheduling()
        scheduler.generate_scheduling()
        assert len(scheduler.get_static_scheduling()) == len(ORDER)

    @each_kind(31, 309, 394)
    def test_tag_conditional_nodes(self, kind: str) -> None:
        ac = core()
        select = ac.Select(2, name="select")
        for index, name in enumerate(("zero", "one")):
            ac.ReLU(name=name).add_child(select, 0, 1 + index)
        view = ac.get_connected_graph_view(select)
        view.set_backend("cpu")
        getattr(ac, kind)(view).tag_conditional_nodes()
        tags = {n.name(): n.annotations.get("schedule.cond") for n in view.get_nodes()}
        assert tags["select"] is None
        assert [list(tags[name]) for name in ("zero", "one")] == [
            [(select, number)] for number in (0, 1)
        ]

    def test_line_100_tag_fork_branches(self) -> None:
        scheduler = made("Scheduler")
        scheduler.tag_fork_branches()
        view = scheduler.graph_view()
        branches = {
            name: list(view.get_node(name).annotations["schedule.forkBranch"].values())
            for name in ("left", "right", "last")
        }
        assert branches == {"left": [0], "right": [1], "last": [1]}


class TestPolicies:
    @pytest.mark.parametrize(
        ("policy", "line", "expected"),
        [
            ("Default", 75, ["left", "right", "last"]),
            ("AsSoonAsPossible", 76, ["right", "left", "last"]),
            ("AsLateAsPossible", 77, ["right", "last", "left"]),
            ("ShortestBranchFirst", 78, ["left", "right", "last"]),
            ("LonguestBranchFirst", 79, ["right", "last", "left"]),
        ],
    )
    def test_line_308_set_scheduling_policy(
        self, policy: str, line: int, expected: list[str]
    ) -> None:
        scheduler = core().SequentialScheduler(model())
        scheduler.set_scheduling_policy(policy=core().SchedulingPolicy[policy])
        scheduler.tag_fork_branches()
        scheduler.generate_scheduling()
        order = names(scheduler.get_sequential_static_scheduling())
        assert [name for name in order if name in expected] == expected


class TestDynamicScheduling:
    @pytest.mark.parametrize("kind", RUNNING)
    def test_lines_288_and_376_forward_its_data_and_forward_dims(self, kind: str) -> None:
        assert [name for name, _ in parameters(kind, "forward")] == ["forward_dims", "data"]
        scheduler = getattr(core(), kind)(model())
        (result,) = scheduler.forward(forward_dims=True, data=[core().Tensor(ONE)])
        relu = np.maximum(ONE, 0)
        expected = np.tanh(relu) + np.tanh(1 / (1 + np.exp(-relu)))
        np.testing.assert_allclose(np.asarray(result), expected, rtol=1e-6)
        scheduler.forward(forward_dims=False, data=[core().Tensor(ONE)])

    @pytest.mark.parametrize("kind", RUNNING)
    def test_lines_16_292_and_379_get_forward_scheduling(self, kind: str) -> None:
        scheduler = getattr(core(), kind)(model())
        assert scheduler.get_forward_scheduling() == []
        scheduler.forward(data=[core().Tensor(ONE)])
        assert set(names(scheduler.get_forward_scheduling())) >= set(STEPS)

    @pytest.mark.parametrize("kind", RUNNING)
    def test_lines_13_287_and_375_clear_scheduling(self, kind: str) -> None:
        scheduler = getattr(core(), kind)(model())
        scheduler.forward(data=[core().Tensor(ONE)])
        scheduler.clear_scheduling()
        assert scheduler.get_forward_scheduling() == []
        assert len(scheduler.get_static_scheduling()) == len(ORDER)  # of this only the record goes

    def test_lines_286_353_and_293_backward_and_its_scheduling(self) -> None:
        scheduler = core().SequentialScheduler(model())
        (result,) = scheduler.forward(data=[core().Tensor(ONE)])
        assert scheduler.get_backward_scheduling() == []
        result.grad = core().Tensor(np.ones((1, 3), np.float32))
        scheduler.graph_view().get_node("left").annotations["skipBackward"] = True
        scheduler.backward()
        order = names(scheduler.get_backward_scheduling())
        forward = names(scheduler.get_forward_scheduling())
        ran = [name for name in reversed(forward) if name in order]
        assert order == ran
        assert "left" not in order  # line 359: what has the attribute is skipped

    def test_lines_15_and_378_nothing_went_backward(self) -> None:
        for kind in KINDS:
            assert made(kind).get_backward_scheduling() == []

    def test_line_161_connect_inputs(self) -> None:
        scheduler = made("SequentialScheduler")
        scheduler.connect_inputs([core().Tensor(ONE)])
        (result,) = scheduler.forward()
        assert len(result) == 3


class TestDiagrams:
    @each_kind(30, 307, 393)
    def test_save_static_scheduling_diagram(self, kind: str, tmp_path: Path) -> None:
        declared = [("file_name", ...), ("ignore_producers", False)]
        assert parameters(kind, "save_static_scheduling_diagram")[:2] == declared
        made(kind).save_static_scheduling_diagram(file_name=str(tmp_path / "all"))
        made(kind).save_static_scheduling_diagram(str(tmp_path / "some"), ignore_producers=True)
        text = (tmp_path / "all.mmd").read_text()
        assert text.startswith("gantt\ndateFormat x\naxisFormat %Q\n\n")
        assert "relu (ReLU#0) :milestone, 2, 2" in text
        assert "left (Tanh#" in text
        assert "fc_w" in text
        assert "fc_w" not in (tmp_path / "some.mmd").read_text()

    @each_kind(28, 305, 391)
    def test_save_factorized_static_scheduling_diagram(self, kind: str, tmp_path: Path) -> None:
        declared = [("file_name", ...), ("ignore_producers", False), ("min_repeat", 2)]
        assert parameters(kind, "save_factorized_static_scheduling_diagram")[:3] == declared
        save = made(kind).save_factorized_static_scheduling_diagram
        save(file_name=str(tmp_path / "f"), ignore_producers=True, min_repeat=1)
        text = (tmp_path / "f.mmd").read_text()
        assert "section seq#" in text
        assert "fc_w" not in text

    @pytest.mark.parametrize("kind", RUNNING)
    def test_lines_29_306_and_392_save_scheduling_diagram(self, kind: str, tmp_path: Path) -> None:
        declared = [("file_name", ...), ("ignore_producers", False)]
        assert parameters(kind, "save_scheduling_diagram") == declared
        scheduler = getattr(core(), kind)(model())
        scheduler.forward(data=[core().Tensor(ONE)])
        scheduler.save_scheduling_diagram(file_name=str(tmp_path / "d"), ignore_producers=True)
        text = (tmp_path / "d_forward.mmd").read_text()
        assert "relu (ReLU#0) :" in text
        assert "fc_w" not in text


class TestMemory:
    def test_line_289_generate_memory(self) -> None:
        declared = [("inc_producers", False), ("wrap_around_buffer", False)]
        assert parameters("SequentialScheduler", "generate_memory")[:2] == declared
        scheduler = made("SequentialScheduler")
        without = scheduler.generate_memory(inc_producers=False, wrap_around_buffer=False)
        assert without.get_peak_usage() == 36
        assert scheduler.generate_memory(inc_producers=True).get_peak_usage() == 60
        assert scheduler.generate_memory(wrap_around_buffer=True).get_peak_usage() == 36

    def test_line_290_generate_memory_auto_concat(self) -> None:
        declared = [("inc_producers", False), ("wrap_around_buffer", False)]
        assert parameters("SequentialScheduler", "generate_memory_auto_concat")[:2] == declared
        ac = core()
        concat = ac.Concat(2, 1, name="concat")
        start = ac.ReLU(name="start")
        for index, name in enumerate(("one", "two")):
            branch = ac.Tanh(name=name)
            start.add_child(branch)
            branch.add_child(concat, 0, index)
        view = ac.get_connected_graph_view(start)
        view.compile("cpu", ac.dtype.float32, dims=[[1, 4]])
        scheduler = ac.SequentialScheduler(view)
        scheduler.generate_scheduling()
        memory = scheduler.generate_memory_auto_concat(False, wrap_around_buffer=False)
        planes = memory.get_planes(concat)
        assert planes[0].mem_space is memory.get_planes(view.get_node("one"))[0].mem_space
        plain = scheduler.generate_memory().get_peak_usage()
        assert memory.get_peak_usage() <= plain
