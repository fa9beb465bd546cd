"""Sequential orders that finish one branch before the next begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from aidge_nb.scheduling.schedule.nest import Firing

Membership = Mapping[int, Mapping[int, int]]
"""For each actor its forks, each with the number of the branch that the actor is in."""

Branches = Sequence[Sequence[Firing]]
"""What is left of the branches of a fork, in the order of their numbers; none is empty."""

Arrange = Callable[[Firing, Branches], list[Firing]]
"""Puts the branches behind a firing of their fork into one order."""


def order_by_branches(
    firings: Sequence[Firing], membership: Membership, arrange: Arrange
) -> list[Firing]:
    """Order firings so that behind a fork its branches follow.

    Parameters
    ----------
    firings
        The firings, in default order.
    membership
        The branches that each actor is in.
    arrange
        In which order the branches of a fork follow.

    Returns
    -------
    list of Firing
        The same firings. Those of an actor that fires several times follow the corresponding
        execution of the fork.
    """
    inside: dict[tuple[int, int], dict[int, list[Firing]]] = {}
    for firing in firings:
        for fork, number in membership.get(firing.actor, {}).items():
            groups = inside.setdefault((fork, firing.execution), {})
            groups.setdefault(number, []).append(firing)
    ordered: list[Firing] = []
    done: set[Firing] = set()
    pending = list(reversed(firings))
    while pending:
        firing = pending.pop()
        if firing in done:
            continue
        done.add(firing)
        ordered.append(firing)
        branches = [
            [each for each in branch if each not in done]
            for _, branch in sorted(inside.get((firing.actor, firing.execution), {}).items())
        ]
        pending += reversed(arrange(firing, [branch for branch in branches if branch]))
    return ordered


def by_weight(weight: Callable[[Sequence[Firing]], int]) -> Arrange:
    """Take one branch after the other, that of the smallest weight first."""

    def arrange(fork: Firing, branches: Branches) -> list[Firing]:
        return [firing for branch in sorted(branches, key=weight) for firing in branch]

    return arrange


def shrinking_first(size: Callable[[Firing], int]) -> Arrange:
    """Take from each branch what makes less and less of the fork's output, then the rest.

    From the beginning of each branch come the firings whose output is smaller than that of the one
    before them, or than the fork's; when all branches had their turn, what is left of them.
    """

    def arrange(fork: Firing, branches: Branches) -> list[Firing]:
        shrinking: list[Firing] = []
        rest: list[Firing] = []
        for branch in branches:
            sizes = [size(fork), *map(size, branch)]
            count = 0
            while count < len(branch) and sizes[count + 1] < sizes[count]:
                count += 1
            shrinking += branch[:count]
            rest += branch[count:]
        return shrinking + rest

    return arrange
