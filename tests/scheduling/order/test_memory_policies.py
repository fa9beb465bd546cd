"""LowestMemoryFirst and ReduceForkMemory, against what aidge_core answered; MinimumMemory."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import aidge_nb
from aidge_nb.core.dtype import DType
from aidge_nb.graph import GraphView, Node
from aidge_nb.scheduling import SchedulingPolicy, schedule_nodes, sort_firings
from tests.memory.graphs import graph, op, producer

LINES = Path(__file__).with_name("aidge_memory_policies.jsonl").read_text().splitlines()
CASES = [json.loads(line) for line in LINES[1:]]
"""The first line tells where they come from."""

POLICIES = ["LowestMemoryFirst", "ReduceForkMemory"]


def _rebuild(case: dict[str, Any]) -> tuple[GraphView, dict[str, Node]]:
    number = {row[0]: i for i, row in enumerate(case["nodes"])}
    nodes, edges = [], []
    for name, kind, parents, sizes, nbytes in case["nodes"]:
        if kind == "Producer":
            node = producer(name, sizes[0])
        else:
            node = op(name, len(parents), nb_outputs=len(sizes))
        for index, size in enumerate(sizes):
            tensor = node.get_operator().get_output(index)
            tensor.set_datatype(DType.int8 if nbytes == 1 else DType.float32)
            tensor.resize([size])
        nodes.append(node)
        edges += [(number[p], number[name], i) for i, p in enumerate(parents) if p is not None]
    return graph(nodes, edges), {node.name(): node for node in nodes}


def test_values_are_those_of_aidge() -> None:
    names = ["Default", "AsSoonAsPossible", "AsLateAsPossible", "ShortestBranchFirst"]
    names += ["LonguestBranchFirst", *POLICIES]
    assert [SchedulingPolicy[name].value for name in names] == list(range(7))


def test_there_are_enough_cases_that_tell_the_policies_apart() -> None:
    assert len(CASES) >= 60
    assert all(len({tuple(order) for order in case["orders"].values()}) == 3 for case in CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case['kind']}-{case['seed']}")
@pytest.mark.parametrize("policy", POLICIES)
def test_orders_of_aidge(case: dict[str, Any], policy: str) -> None:
    view, nodes = _rebuild(case)
    schedule = schedule_nodes(view, [nodes[name] for name in case["orders"]["Default"]])
    number = {actor.name: i for i, actor in enumerate(schedule.actors)}
    branches = {
        number[node]: {number[fork]: branch for fork, branch in forks.items()}
        for node, forks in case["fork_branches"].items()
    }
    ordered = sort_firings(schedule, SchedulingPolicy[policy], branches, view)
    assert [schedule.name_of(firing) for firing in ordered] == case["orders"][policy]


def _fork(first: int, second: int) -> GraphView:
    nodes = [op("f", 1, 8), op("a", 1, 40), op("a2", 1, first), op("b", 1, 40)]
    nodes += [op("b2", 1, second), op("j", 2, 4)]
    return graph(nodes, [(0, 1), (1, 2), (0, 3), (3, 4), (2, 5, 0), (4, 5, 1)])


def _sorted(view: GraphView, policy: SchedulingPolicy, given: GraphView | None) -> str:
    schedule = aidge_nb.static_schedule(view)
    branches = {i: {0: 0} for i, actor in enumerate(schedule.actors) if actor.name[0] == "a"}
    branches |= {i: {0: 1} for i, actor in enumerate(schedule.actors) if actor.name[0] == "b"}
    return " ".join(schedule.name_of(f) for f in sort_firings(schedule, policy, branches, given))


class TestMinimumMemory:
    """The policy of least peak memory."""

    @pytest.mark.parametrize(
        ("sizes", "expected"), [((1, 9), "f a a2 b b2 j"), ((9, 1), "f b b2 a a2 j")]
    )
    def test_the_branch_that_shrinks_more_goes_first(
        self, sizes: tuple[int, int], expected: str
    ) -> None:
        view = _fork(*sizes)
        assert _sorted(view, SchedulingPolicy.MinimumMemory, view) == expected

    def test_nothing_better_is_default(self) -> None:
        view = graph([op("a"), op("b"), op("c")], [(0, 1), (1, 2)])
        schedule = aidge_nb.static_schedule(view)
        found = sort_firings(schedule, SchedulingPolicy.MinimumMemory, view=view)
        assert found == list(schedule.firings)


class TestErrors:
    """What is asked that cannot be answered."""

    @pytest.mark.parametrize("policy", [*POLICIES, "MinimumMemory"])
    def test_without_sizes(self, policy: str) -> None:
        with pytest.raises(aidge_nb.SchedulingError, match=rf"policy {policy}: .*sizes.*as view="):
            _sorted(_fork(1, 9), SchedulingPolicy[policy], None)

    @pytest.mark.parametrize("policy", [*POLICIES, "MinimumMemory"])
    def test_unknown_dimensions(self, policy: str) -> None:
        view = _fork(1, 9)
        view.reset_dims()
        with pytest.raises(aidge_nb.SchedulingError, match=r"dimensions are unknown") as raised:
            _sorted(view, SchedulingPolicy[policy], view)
        assert "output#0" in str(raised.value)
        assert "forward_dims()" in str(raised.value)

    def test_of_another_graph(self) -> None:
        schedule = aidge_nb.static_schedule(_fork(1, 9))
        with pytest.raises(aidge_nb.SchedulingError, match=r"no node 'f'.*schedule it again"):
            sort_firings(
                schedule, SchedulingPolicy.MinimumMemory, view=graph([op("x"), op("y")], [(0, 1)])
            )
