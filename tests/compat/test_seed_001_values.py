"""The API page of the scheduler: its elements, its times, and what it says in C++."""

from __future__ import annotations

import re

import numpy as np
import pytest

from tests.compat.seed_001 import (
    ONE,
    core,
    made,
    model,
    names,
    parameters,
)

pytestmark = pytest.mark.usefixtures("served")


class TestElements:
    def test_lines_255_to_278_a_static_element(self) -> None:
        elements = {e.node.name(): e for e in made("Scheduler").get_static_scheduling()}
        left = elements["left"]
        assert (left.node.name(), left.early, left.late) == ("left", 3, 4)
        assert names(left.earlier_than) == ["add"]
        assert names(left.later_than) == ["relu"]

    def test_line_261_made_by_hand(self) -> None:
        ac = core()
        node = ac.ReLU(name="r")
        element = ac.StaticSchedulingElement(node)
        assert (element.node, element.early, element.late) == (node, -1, -1)
        assert ac.StaticSchedulingElement(node, 2, 3).late == 3

    def test_lines_233_to_251_an_element_with_times(self) -> None:
        scheduler = core().SequentialScheduler(model())
        scheduler.forward(data=[core().Tensor(ONE)])
        elements = scheduler.get_forward_scheduling()
        assert all(each.start <= each.end for each in elements)
        assert [each.start for each in elements] == sorted(each.start for each in elements)

    def test_line_241_made_by_hand(self) -> None:
        node = core().ReLU(name="r")
        element = core().SchedulingElement(node, 5, 9)
        assert (element.node, element.start, element.end) == (node, 5, 9)


class TestTimes:
    def test_lines_186_to_191_times_of_a_pass(self) -> None:
        scheduler = core().SequentialScheduler(model())
        times = core().ExecTime()
        for _ in range(2):
            scheduler.forward(data=[core().Tensor(ONE)])
            times.update(scheduler.get_forward_scheduling())
        found = {node.name(): time for node, time in times.get().items()}
        assert found["relu"].count >= 2
        assert found["relu"].mean() >= 0

    def test_lines_192_to_208_mean_and_deviation(self) -> None:
        time = core().NodeExecTime()
        for start, end in ((0, 2_000), (0, 4_000), (0, 6_000)):  # nanoseconds
            time.update(start, end)
        assert time.count == 3
        assert time.mean() == pytest.approx(4)  # microseconds
        assert time.std_dev() == pytest.approx(np.std([2, 4, 6], ddof=1)) or (
            time.std_dev() == pytest.approx(np.std([2, 4, 6]))
        )


class TestInside:
    """Check what the page documents of C++ alone; Aidge's Python does not have it."""

    def test_lines_62_to_70_where_data_of_an_input_come_from(self) -> None:
        assert [each.name for each in core().AvailableDataStatus] == [
            "Connected",
            "UpperNodeInputFound",
            "UpperNodeInputConnected",
            "ValidTensor",
            "NotConnected",
        ]

    def test_lines_212_to_229_priors(self) -> None:
        priors = core().PriorProducersConsumers()
        assert priors.is_prior is False
        assert (set(priors.required_producers), set(priors.prior_consumers)) == (set(), set())


# The page says each method a second time in C++: line, class, name and parameters there.
IN_CPP = [
    (84, "Scheduler", "Scheduler", "graphView resetCPModel"),
    (96, "Scheduler", "tagConditionalNodes", ""),
    (100, "Scheduler", "tagForkBranches", ""),
    (104, "Scheduler", "getStaticScheduling", "step"),
    (112, "Scheduler", "getSequentialStaticScheduling", "step policy"),
    (125, "Scheduler", "getForwardScheduling", ""),
    (133, "Scheduler", "getBackwardScheduling", ""),
    (141, "Scheduler", "graphView", ""),
    (149, "Scheduler", "generateScheduling", ""),
    (153, "Scheduler", "resetScheduling", ""),
    (157, "Scheduler", "clearScheduling", ""),
    (161, "Scheduler", "connectInputs", "data"),
    (169, "Scheduler", "saveStaticSchedulingDiagram", "fileName ignoreProducers"),
    (
        177,
        "Scheduler",
        "saveFactorizedStaticSchedulingDiagram",
        "fileName ignoreProducers minRepeat",
    ),
    (178, "Scheduler", "saveSchedulingDiagram", "fileName"),
    (316, "SequentialScheduler", "SequentialScheduler", "graphView resetCPModel"),
    (318, "SequentialScheduler", "setSchedulingPolicy", "policy"),
    (319, "SequentialScheduler", "getSequentialStaticScheduling", "step"),
    (331, "SequentialScheduler", "generateMemory", "incProducers wrapAroundBuffer"),
    (340, "SequentialScheduler", "generateMemoryAutoConcat", "incProducers wrapAroundBuffer"),
    (349, "SequentialScheduler", "forward", "forwardDims data"),
    (353, "SequentialScheduler", "backward", ""),
    (401, "ParallelScheduler", "ParallelScheduler", "graphView resetCPModel"),
    (403, "ParallelScheduler", "forward", "forwardDims data"),
]


@pytest.mark.parametrize(
    ("owner", "name", "given"), [pytest.param(*each, id=f"line{n}") for n, *each in IN_CPP]
)
def test_what_is_written_in_cpp_has_these_arguments_in_python(
    owner: str, name: str, given: str
) -> None:
    def snake(word: str) -> str:
        return re.sub(r"(?<=[a-z])([A-Z]+)", lambda found: f"_{found[1].lower()}", word)

    method = "__init__" if name == owner else snake(name)
    names = [each for each, _ in parameters(owner, method)]
    wanted = ["reset_cp_model" if w == "resetCPModel" else snake(w) for w in given.split()]
    renamed = {"policy": "sorting"} if method.startswith("get_seq") else {}
    assert names[: len(wanted)] == [renamed.get(each, each) for each in wanted]
