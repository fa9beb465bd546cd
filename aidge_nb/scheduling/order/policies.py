"""Sequential orders of a schedule."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING

from aidge_nb.core.errors import SchedulingError
from aidge_nb.core.log import NOTICE, logger
from aidge_nb.scheduling.order.branch_order import (
    Arrange,
    Membership,
    by_weight,
    order_by_branches,
    shrinking_first,
)
from aidge_nb.scheduling.order.branches import find_fork_branches
from aidge_nb.scheduling.schedule.names import nodes_named
from aidge_nb.scheduling.schedule.nest import Firing
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView


class SchedulingPolicy(Enum):
    """How a sequential order is chosen among those that the dependencies allow.

    The first seven are Aidge's. ``ShortestBranchFirst``, ``LonguestBranchFirst`` (number of
    nodes), ``LowestMemoryFirst`` (elements that the last node of a branch gives) and
    ``ReduceForkMemory`` (from each branch first what makes less and less of the fork's output)
    need ``tag_fork_branches()``; without it they give the default order, and a notice says so.
    ``MinimumMemory`` needs no tags: it searches for the order with the least peak of live bytes
    and gives the default order when none is better;
    :func:`~aidge_nb.scheduling.order_for_memory` tells what it proved.
    """

    Default = 0
    """The order in which nodes were found ready."""
    AsSoonAsPossible = 1
    """By early step."""
    AsLateAsPossible = 2
    """By late step."""
    ShortestBranchFirst = 3
    LonguestBranchFirst = 4
    LowestMemoryFirst = 5
    ReduceForkMemory = 6
    MinimumMemory = 100

    @property
    def needs_branches(self) -> bool:
        """Whether it chooses among branches, which ``tag_fork_branches()`` notes."""
        return self in (
            SchedulingPolicy.ShortestBranchFirst,
            SchedulingPolicy.LonguestBranchFirst,
            SchedulingPolicy.LowestMemoryFirst,
            SchedulingPolicy.ReduceForkMemory,
        )


def as_policy(policy: SchedulingPolicy | str) -> SchedulingPolicy:
    """Find a policy by itself or its name.

    Raises
    ------
    SchedulingError
        When there is no such policy.
    """
    if isinstance(policy, SchedulingPolicy):
        return policy
    names = SchedulingPolicy.__members__
    if policy not in names:
        raise SchedulingError.at(
            "scheduler", "no such policy", expected=", ".join(names), found=repr(policy)
        )
    return names[policy]


def sort_firings(
    schedule: StaticSchedule,
    policy: SchedulingPolicy = SchedulingPolicy.Default,
    branches: Membership | None = None,
    view: GraphView | None = None,
) -> list[Firing]:
    """Put the firings of a schedule into the order of a policy; ties keep the default order.

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
        When the policy needs sizes, and there is no graph, its dimensions are unknown, or it is
        not the one that was scheduled.
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
        _tell_untagged(policy, branches, view)
        return firings
    return order_by_branches(firings, branches, _arrangement(schedule, policy, view))


def _tell_untagged(
    policy: SchedulingPolicy, branches: Membership | None, view: GraphView | None
) -> None:
    """Say that a policy has no branches to choose from, unless the graph has none either."""
    if branches is None if view is None else find_fork_branches(view):
        logger.log(
            NOTICE,
            "policy %s: no branches are tagged, so this is the default order. Call "
            "tag_fork_branches() of the scheduler first.",
            policy.name,
        )


def _arrangement(
    schedule: StaticSchedule, policy: SchedulingPolicy, view: GraphView | None
) -> Arrange:
    """Tell how a branch policy arranges the branches of a fork."""
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
    """Tell how many elements the first output of an actor has."""
    nodes = nodes_named(view, [actor.name for actor in schedule.actors])
    tensors = [node.get_operator().get_output(0) for node in nodes]

    def size(firing: Firing) -> int:
        tensor = tensors[firing.actor]
        if tensor.undefined:
            raise SchedulingError.at(
                f"policy {policy.name}",
                "cannot compare branches: dimensions are unknown",
                found=f"{schedule.name_of(firing)}, output#0",
                cure="Call forward_dims() with the dimensions of the graph inputs first.",
            )
        return tensor.size

    return size
