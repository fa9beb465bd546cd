"""Sequential orders of a schedule."""

from __future__ import annotations

from enum import Enum

from aidge_nb.errors import SchedulingError, explain
from aidge_nb.scheduling.schedule import Firing, StaticSchedule

__all__ = ["SchedulingPolicy", "sort_firings"]


class SchedulingPolicy(Enum):
    """How a sequential order is chosen among those that the dependencies allow."""

    Default = 0
    AsSoonAsPossible = 1
    AsLateAsPossible = 2
    ShortestBranchFirst = 3
    LonguestBranchFirst = 4


def sort_firings(
    schedule: StaticSchedule, policy: SchedulingPolicy = SchedulingPolicy.Default
) -> list[Firing]:
    """Put the firings of a schedule into the order of a policy; ties keep the default order.

    Raises
    ------
    SchedulingError
        For the branch policies, which need fork branches to be tagged.
    """
    firings = list(schedule.firings)
    if policy is SchedulingPolicy.Default:
        return firings
    if policy is SchedulingPolicy.AsSoonAsPossible:
        return sorted(firings, key=lambda firing: (firing.early, firing.late))
    if policy is SchedulingPolicy.AsLateAsPossible:
        return sorted(firings, key=lambda firing: (firing.late, -firing.early))
    raise SchedulingError(
        explain(
            "schedule",
            f"policy {policy.name} is not available in this version",
            expected="Default, AsSoonAsPossible or AsLateAsPossible",
        )
    )
