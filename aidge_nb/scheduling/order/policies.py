"""Scheduling policies: their names, their words, and what they need.

No more than this is read to offer policies: :mod:`aidge_nb.scheduling.order.sort` sorts by them.
"""

from __future__ import annotations

from enum import Enum
from typing import Self

from aidge_nb.core.errors import SchedulingError


class SchedulingPolicy(Enum):
    """Rule that chooses a sequential order among those that the dependencies allow.

    The first seven are Aidge's. ``ShortestBranchFirst`` and ``LonguestBranchFirst`` count nodes,
    ``LowestMemoryFirst`` counts the elements of a branch's last output, ``ReduceForkMemory`` takes
    first the nodes of each branch that shrink the fork's output. These four need
    ``tag_fork_branches()``; without it they return the default order and log a notice.
    ``MinimumMemory`` needs no tags: it searches for the order with the smallest peak of live bytes,
    and returns the default order when none is better; see
    :func:`~aidge_nb.scheduling.order_for_memory` for the proof.
    """

    Default = 0, "as operators become ready"
    AsSoonAsPossible = 1, "as soon as possible"
    AsLateAsPossible = 2, "as late as possible"
    ShortestBranchFirst = 3, "shortest branch first"
    LonguestBranchFirst = 4, "longest branch first"
    LowestMemoryFirst = 5, "branch with the smallest result first"
    ReduceForkMemory = 6, "branch that frees memory first"
    MinimumMemory = 100, "least memory"

    words: str

    def __new__(cls, value: int, words: str = "") -> Self:
        """Make a member of its value and its ``words``, which views and help show."""
        member = object.__new__(cls)
        member._value_, member.words = value, words
        return member

    @property
    def needs_branches(self) -> bool:
        """True for policies that need ``tag_fork_branches()``."""
        return self in (
            SchedulingPolicy.ShortestBranchFirst,
            SchedulingPolicy.LonguestBranchFirst,
            SchedulingPolicy.LowestMemoryFirst,
            SchedulingPolicy.ReduceForkMemory,
        )


def as_policy(policy: SchedulingPolicy | str) -> SchedulingPolicy:
    """Return a policy, given as such or by name."""
    if isinstance(policy, SchedulingPolicy):
        return policy
    names = SchedulingPolicy.__members__
    if policy not in names:
        raise SchedulingError.at(
            "scheduler", "no such policy", expected=", ".join(names), found=repr(policy)
        )
    return names[policy]
