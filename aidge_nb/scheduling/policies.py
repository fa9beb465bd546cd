"""Sequential orders of a schedule."""

from __future__ import annotations

from enum import Enum

from aidge_nb.errors import SchedulingError, explain
from aidge_nb.scheduling.branch_order import Membership, order_by_branches
from aidge_nb.scheduling.schedule import Firing, StaticSchedule

__all__ = ["SchedulingPolicy", "as_policy", "sort_firings"]


class SchedulingPolicy(Enum):
    """How a sequential order is chosen among those that the dependencies allow.

    The branch policies need ``tag_fork_branches()``; without it they give the default order.
    """

    Default = 0
    AsSoonAsPossible = 1
    AsLateAsPossible = 2
    ShortestBranchFirst = 3
    LonguestBranchFirst = 4


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
        raise SchedulingError(
            explain("scheduler", "no such policy", expected=", ".join(names), found=repr(policy))
        )
    return names[policy]


def sort_firings(
    schedule: StaticSchedule,
    policy: SchedulingPolicy = SchedulingPolicy.Default,
    branches: Membership | None = None,
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
    """
    firings = list(schedule.firings)
    match policy:
        case SchedulingPolicy.Default:
            return firings
        case SchedulingPolicy.AsSoonAsPossible:
            return sorted(firings, key=lambda firing: (firing.early, firing.late))
        case SchedulingPolicy.AsLateAsPossible:
            return sorted(firings, key=lambda firing: (firing.late, -firing.early))
        case SchedulingPolicy.ShortestBranchFirst:
            return order_by_branches(firings, branches or {}, weight=len)
        case SchedulingPolicy.LonguestBranchFirst:
            return order_by_branches(firings, branches or {}, weight=lambda branch: -len(branch))
