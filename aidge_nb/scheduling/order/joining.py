"""Tasks that may run one behind the other without loss, found before any search.

The rules are those of the min-max cumulative cost problem, of which this is a case as far as costs
are fixed:

- a task that never raises memory runs as soon as it can; one that leaves behind all that it
  raised, as late as it can;
- in a chain, u before v join when v would rather run first: hill-valley segments (Liu, "An
  Application of Generalized Tree Pebbling to Sparse Matrix Factorization", 1987);
- parallel chains between the same neighbours are merged by the order of their segments, which
  solves series-parallel parts and trees (Abdel-Wahab and Kameda, 1978; Monma and Sidney, 1979;
  Kayaaslan et al., "Scheduling Series-Parallel Task Graphs to Minimize Peak Memory", 2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise

from aidge_nb.scheduling.order.groups import FREE, Group, Relations
from aidge_nb.scheduling.order.problem import OrderProblem, bits


def group_tasks(problem: OrderProblem) -> Relations:
    """Join tasks into groups until no rule applies, and give what is left to be ordered.

    Examples
    --------
    >>> from aidge_nb.scheduling.order.problem import Block
    >>> blocks = (Block(4, 0, 0b10), Block(9, 1, 0b100), Block(1, 2, 0, kept=True))
    >>> [group.tasks for group in group_tasks(OrderProblem((0, 1, 2), blocks)).groups]
    [[0, 1, 2]]
    """
    groups = [Group([task], core=task) for task in range(len(problem))]
    for group, mask in zip(groups, problem.before, strict=True):
        for task in bits(mask):
            group.before.add(groups[task])
            groups[task].after.add(group)
    relations = Relations(problem, groups)
    while True:
        relations.drop_redundant()
        _fix_costs(relations)
        joined = _join_neighbours(relations.groups)
        if len(joined) == len(relations.groups) and not _merge_parallel(joined):
            return relations
        relations = Relations(problem, joined)


def _fix_costs(relations: Relations) -> None:
    for group in relations.groups:
        if group.core is not None and (cost := relations.fixed_cost(group.core)) is not None:
            group.core, group.head = None, group.head.then(cost).then(group.tail)
            group.tail = FREE


def _join_neighbours(groups: Sequence[Group]) -> list[Group]:
    """Join groups with the neighbour that they should run next to."""
    gone: set[Group] = set()
    pending = list(reversed(groups))
    while pending:
        group = pending.pop()
        while group not in gone and len(group.after) == 1:
            (follower,) = group.after
            if not _may_join(group, follower):
                break
            group.absorb(follower)
            gone.add(follower)
            if len(group.before) == 1:  # the new group may now join the one before it
                pending.extend(group.before)
    for group in groups:
        if group in gone or len(group.before) != 1 or not group.is_fixed:
            continue
        (leader,) = group.before
        if group.head.is_gift and len(leader.after) > 1:
            leader.absorb(group)
            gone.add(group)
    return [group for group in groups if group not in gone]


def _may_join(group: Group, follower: Group) -> bool:
    """Whether a follower, the only one, may run right behind a group."""
    if group.is_fixed and group.head.is_burden:
        return True
    if len(follower.before) > 1 or not follower.is_fixed:
        return False
    if follower.head.is_gift:
        return True
    return group.is_fixed and group.head.rank >= follower.head.rank


def _merge_parallel(groups: Sequence[Group]) -> bool:
    """Put parallel chains with the same neighbours into one; tell whether there were any."""
    alike: dict[tuple[frozenset[Group], frozenset[Group]], list[list[Group]]] = {}
    for group in groups:
        if group.is_fixed and not _continues(group):
            chain = _chain_from(group)
            key = (frozenset(chain[0].before), frozenset(chain[-1].after))
            alike.setdefault(key, []).append(chain)
    merged = False
    for chains in alike.values():
        if len(chains) > 1:
            merged = True
            _link(sorted((g for chain in chains for g in chain), key=lambda g: g.head.rank))
    return merged


def _continues(group: Group) -> bool:
    """Whether a group is inside a chain of fixed groups, behind its first."""
    if len(group.before) != 1:
        return False
    (leader,) = group.before
    return leader.is_fixed and len(leader.after) == 1


def _chain_from(group: Group) -> list[Group]:
    chain = [group]
    while len(chain[-1].after) == 1:
        (follower,) = chain[-1].after
        if len(follower.before) != 1 or not follower.is_fixed:
            break
        chain.append(follower)
    return chain


def _link(order: Sequence[Group]) -> None:
    """Demand that groups run in this order."""
    for first, second in pairwise(order):
        first.after.add(second)
        second.before.add(first)
