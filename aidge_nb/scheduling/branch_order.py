"""Sequential orders that finish one branch before the next begins."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from aidge_nb.scheduling.schedule import Firing

__all__ = ["order_by_branches"]

Membership = Mapping[int, Mapping[int, int]]
"""For each actor its forks, each with the number of the branch that the actor is in."""

Weight = Callable[[Sequence[Firing]], int]


def order_by_branches(
    firings: Sequence[Firing], membership: Membership, weight: Weight
) -> list[Firing]:
    """Order firings so that behind a fork its branches follow, one after the other.

    Parameters
    ----------
    firings
        The firings, in default order.
    membership
        The branches that each actor is in.
    weight
        Branches with the smallest weight come first; ties in the order of their numbers.

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
        for branch in sorted(branches, key=weight)[::-1]:
            pending.extend(reversed(branch))
    return ordered
