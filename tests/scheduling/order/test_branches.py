"""Fork branches and the policies that follow them, against what aidge_core answered."""

from __future__ import annotations

from typing import Any

import pytest

import aidge_nb
from aidge_nb.core.log import NOTICE
from aidge_nb.graph import GraphView, Node
from aidge_nb.scheduling import (
    Scheduler,
    SchedulingPolicy,
    check_schedule,
    schedule_nodes,
    sort_firings,
)
from aidge_nb.scheduling.order.branches import FORK_BRANCH, find_fork_branches
from tests import oracle

RUNS = [
    (name, run)
    for name, recorded in ((name, oracle.load(name)) for name in oracle.names())
    for run in recorded.get("runs", {})
    if run in ("token", "data") and recorded["runs"][run].get("schedule", {}).get("fork_branches")
]
# Rates differ along the branches: Aidge's branch orders run consumers before their data are there.
MULTI_RATE = {"pipeline_with_branch"}


def _graph(name: str, run: str) -> tuple[dict[str, Any], GraphView, dict[str, Node]]:
    recorded = oracle.load(name)
    view, nodes = oracle.build_graph(recorded, with_dims=run == "data")
    return recorded["runs"][run]["schedule"], view, nodes


def test_there_are_many() -> None:
    assert len(RUNS) >= 70


@pytest.mark.parametrize(("name", "run"), RUNS)
def test_membership(name: str, run: str) -> None:
    recorded, view, _ = _graph(name, run)
    found = {
        node.name(): {fork.name(): number for fork, number in forks.items()}
        for node, forks in find_fork_branches(view).items()
    }
    expected: dict[str, dict[str, int]] = dict(recorded["fork_branches"])
    assert {node: set(forks) for node, forks in found.items()} == {
        node: set(forks) for node, forks in expected.items()
    }
    # The position of a branch among the connections of its fork is recorded only where a branch
    # begins, so numbers are compared by which nodes share one.
    assert _partition(found) == _partition(expected)


def _partition(numbers: dict[str, dict[str, int]]) -> set[frozenset[str]]:
    groups: dict[tuple[str, int], set[str]] = {}
    for node, forks in numbers.items():
        for fork, number in forks.items():
            groups.setdefault((fork, number), {fork}).add(node)
    return {frozenset(group) for group in groups.values()}


@pytest.mark.parametrize(("name", "run"), [r for r in RUNS if r[0] not in MULTI_RATE])
@pytest.mark.parametrize("policy", ["ShortestBranchFirst", "LonguestBranchFirst"])
def test_orders(name: str, run: str, policy: str) -> None:
    recorded, view, nodes = _graph(name, run)
    schedule = schedule_nodes(view, [nodes[row[0]] for row in recorded["order"]])
    number = {actor.name: i for i, actor in enumerate(schedule.actors)}
    branches = {
        number[node]: {number[fork]: branch for fork, branch in forks.items()}
        for node, forks in recorded["fork_branches"].items()
    }
    ordered = sort_firings(schedule, SchedulingPolicy[policy], branches)
    assert [schedule.name_of(f) for f in ordered] == recorded["sequential"][policy]


def _two_branches() -> aidge_nb.GraphView:
    fork, join = aidge_nb.ReLU(name="fork"), aidge_nb.Add(name="join")
    long = aidge_nb.sequential([aidge_nb.Tanh(name="a1"), aidge_nb.Tanh(name="a2")])
    short = aidge_nb.Sigmoid(name="b")
    fork.add_child(long.get_node("a1"))
    fork.add_child(short)
    long.get_node("a2").add_child(join)
    short.add_child(join)
    return aidge_nb.get_connected_graph_view(join)


@pytest.mark.parametrize(
    ("policy", "expected"),
    [
        (SchedulingPolicy.ShortestBranchFirst, "fork b a1 a2 join"),
        (SchedulingPolicy.LonguestBranchFirst, "fork a1 a2 b join"),
    ],
)
def test_scheduler_follows_tags(policy: SchedulingPolicy, expected: str) -> None:
    view = _two_branches()
    scheduler = aidge_nb.SequentialScheduler(view)
    scheduler.generate_scheduling()
    scheduler.set_scheduling_policy(policy)
    default = " ".join(node.name() for node in scheduler.get_sequential_static_scheduling())
    scheduler.tag_fork_branches()
    ordered = " ".join(node.name() for node in scheduler.get_sequential_static_scheduling())
    assert default not in ("fork b a1 a2 join", "fork a1 a2 b join")  # without tags: as scheduled
    assert ordered == expected


def test_shared_producers() -> None:
    """Weights that two branches share end both, unless shared Producers are allowed."""
    view = _two_branches()
    weight = aidge_nb.Producer(aidge_nb.Tensor([1.0]), name="weight")
    for name in ("a1", "b"):
        scale = aidge_nb.Mul(name=f"{name}_scale")
        node = view.get_node(name)
        for reader in node.output(0):
            reader.node.remove_parent(reader.index)
            scale.add_child(reader.node, 0, reader.index)
        node.add_child(scale, 0, 0)
        weight.add_child(scale, 0, 1)
        view.add(scale)
    Scheduler(view).tag_fork_branches()
    tagged = {node.name() for node in view if _fork_names(node) & {"fork"}}
    assert tagged == {"a1", "b"}
    Scheduler(view).tag_fork_branches(allow_shared_producers=True)
    tagged = {node.name() for node in view if _fork_names(node) & {"fork"}}
    assert tagged == {"weight", "a1", "a1_scale", "a2", "b", "b_scale"}


def _fed(*joins: tuple[str, str]) -> dict[str, int]:
    """Number the nodes of branches a and b of fork f, with a source s and these joins."""
    nodes = {name: aidge_nb.ReLU(name=name) for name in "fsab"}
    for branch in "ab":
        nodes["f"].add_child(nodes[branch])
    for name, parents in joins:
        nodes[name] = aidge_nb.Concat(len(parents), 0, name=name)
        for index, parent in enumerate(parents):
            nodes[parent].add_child(nodes[name], 0, index)
    view = GraphView()
    view.add(nodes.values())
    found = find_fork_branches(view)
    return {node.name(): forks[nodes["f"]] for node, forks in found.items() if nodes["f"] in forks}


@pytest.mark.parametrize(
    ("joins", "expected"),
    [
        ([("x", "as")], {"a": 0, "s": 0, "x": 0, "b": 1}),
        ([("x", "as"), ("y", "xs")], {"a": 0, "b": 1}),
        ([("j", "sab")], {"a": 0, "s": 0, "b": 1}),
        ([("j", "abs")], {"a": 0, "b": 1}),
    ],
    ids=["for one node", "for two nodes", "before the other branch", "after the other branch"],
)
def test_what_feeds_a_branch(joins: list[tuple[str, str]], expected: dict[str, int]) -> None:
    """As aidge_core 0.10.1 answered."""
    assert _fed(*joins) == expected


def _fork_names(node: Node) -> set[str]:
    return {fork.name() for fork in node.annotations.get(FORK_BRANCH, {})}


def test_policies_by_name() -> None:
    scheduler = aidge_nb.SequentialScheduler(_two_branches())
    scheduler.generate_scheduling()
    scheduler.set_scheduling_policy("AsLateAsPossible")
    assert len(scheduler.get_sequential_static_scheduling()) == 5
    with pytest.raises(aidge_nb.SchedulingError, match=r"no such policy .*Default.*found 'late'"):
        scheduler.set_scheduling_policy("late")


BRANCHY = ["ShortestBranchFirst", "LonguestBranchFirst", "LowestMemoryFirst", "ReduceForkMemory"]


@pytest.mark.parametrize("policy", [SchedulingPolicy[name] for name in BRANCHY])
def test_a_branch_policy_without_tags_says_that_it_does_nothing(
    policy: SchedulingPolicy, caplog: pytest.LogCaptureFixture
) -> None:
    _, view, _ = _graph("diamond_unequal", "data")
    scheduler = Scheduler(view)
    scheduler.generate_scheduling()
    with caplog.at_level(NOTICE, "aidge_nb"):
        assert scheduler.get_sequential_static_scheduling(0, policy) == (
            scheduler.get_sequential_static_scheduling(0)
        )
        assert [record.levelname for record in caplog.records] == ["NOTICE"]
        assert f"policy {policy.name}: no branches are tagged" in caplog.text
        assert "tag_fork_branches()" in caplog.text
        caplog.clear()
        scheduler.tag_fork_branches()
        scheduler.get_sequential_static_scheduling(0, policy)
        assert not caplog.records


def test_a_graph_without_branches_needs_no_tags(caplog: pytest.LogCaptureFixture) -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU(), aidge_nb.Tanh()])
    scheduler = Scheduler(view)
    scheduler.generate_scheduling()
    with caplog.at_level(NOTICE, "aidge_nb"):
        scheduler.get_sequential_static_scheduling(0, SchedulingPolicy.ShortestBranchFirst)
    assert not caplog.records


@pytest.mark.parametrize("policy", [each for each in SchedulingPolicy if each.needs_branches])
def test_branches_of_a_fork_that_runs_several_times(policy: SchedulingPolicy) -> None:
    """Here aidge_core 0.10.1 runs `side` three times behind the first execution of `fork`."""
    pop, fork, side = aidge_nb.Pop(name="pop"), aidge_nb.Identity(name="fork"), aidge_nb.ReLU()
    main, last = aidge_nb.Identity(name="main"), aidge_nb.Sqrt(name="last")
    pop.get_operator().set_input(0, aidge_nb.Tensor.of_dims([3, 1, 2]))
    for source, target in ((pop, fork), (fork, side), (fork, main), (main, last)):
        source.add_child(target)
    view = aidge_nb.get_connected_graph_view(fork)
    view.forward_dims()
    scheduler = Scheduler(view)
    scheduler.tag_fork_branches()
    scheduler.generate_scheduling()
    order = scheduler.get_sequential_static_scheduling(0, policy)
    assert len(order) == 15
    check_schedule(view, schedule_nodes(view, order))
