"""Sort the firings of a schedule by a policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from aidge_nb.core.errors import SchedulingError
from aidge_nb.core.log import NOTICE, logger
from aidge_nb.scheduling.order.branches import (
    Arrange,
    Membership,
    by_weight,
    find_fork_branches,
    order_by_branches,
    shrinking_first,
)
from aidge_nb.scheduling.order.policies import SchedulingPolicy
from aidge_nb.scheduling.schedule.names import nodes_named
from aidge_nb.scheduling.schedule.nest import Firing
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView


def sort_firings(
    schedule: StaticSchedule,
    policy: SchedulingPolicy = SchedulingPolicy.Default,
    branches: Membership | None = None,
    view: GraphView | None = None,
) -> list[Firing]:
    """Sort the firings of a schedule by a policy; ties keep the default order.

    Parameters
    ----------
    schedule
        The schedule.
    policy
        The policy.
    branches
        For each actor its forks, each with the number of the branch that the actor is in.
    view
        The graph that was scheduled, for policies that look at the sizes of tensors.

    Raises
    ------
    SchedulingError
        When the policy needs sizes, and the graph is missing, changed or without dimensions.
    """
    firings = list(schedule.firings)
    match policy:
        case SchedulingPolicy.Default:
            return firings
        case SchedulingPolicy.AsSoonAsPossible:
            return sorted(firings, key=lambda firing: (firing.early, firing.late))
        case SchedulingPolicy.AsLateAsPossible:
            return sorted(firings, key=lambda firing: (firing.late, -firing.early))
        case SchedulingPolicy.MinimumMemory:
            from aidge_nb.scheduling.order.order_result import minimum_memory_firings

            return minimum_memory_firings(_needed(view, policy), schedule)
    if not branches:
        # unless the graph has no branches at all
        if branches is None if view is None else find_fork_branches(view):
            logger.log(
                NOTICE,
                "policy %s: no branches are tagged, so this is the default order. Call "
                "tag_fork_branches() of the scheduler first.",
                policy.name,
            )
        return firings
    return order_by_branches(firings, branches, _arrangement(schedule, policy, view))


def _arrangement(
    schedule: StaticSchedule, policy: SchedulingPolicy, view: GraphView | None
) -> Arrange:
    """Return the function with which a branch policy arranges the branches of a fork."""
    match policy:
        case SchedulingPolicy.ShortestBranchFirst:
            return by_weight(len)
        case SchedulingPolicy.LonguestBranchFirst:
            return by_weight(lambda branch: -len(branch))
    size = _output_sizes(schedule, policy, _needed(view, policy))
    if policy is SchedulingPolicy.LowestMemoryFirst:
        return by_weight(lambda branch: size(branch[-1]))
    return shrinking_first(size)


def _needed(view: GraphView | None, policy: SchedulingPolicy) -> GraphView:
    if view is None:
        raise SchedulingError.at(
            f"policy {policy.name}",
            "cannot sort without the sizes of tensors",
            cure="Pass the graph that was scheduled as view=.",
        )
    return view


def _output_sizes(
    schedule: StaticSchedule, policy: SchedulingPolicy, view: GraphView
) -> Callable[[Firing], int]:
    """Return a function that counts the elements of the first output of an actor."""
    nodes = nodes_named(view, [actor.name for actor in schedule.actors])
    tensors = [node.get_operator().get_output(0) for node in nodes]

    def size(firing: Firing) -> int:
        tensor = tensors[firing.actor]
        if tensor.undefined():
            raise SchedulingError.at(
                f"policy {policy.name}",
                "cannot compare branches: dimensions are unknown",
                found=f"{schedule.name_of(firing)}, output#0",
                cure="Call forward_dims() with the dimensions of the graph inputs first.",
            )
        return tensor.size

    return size
