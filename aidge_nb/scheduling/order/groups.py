"""Join tasks into groups that run one after the other, without loss, before any search.

The bytes that a task frees can depend on the order: the last user of a block frees it. Where the
precedence between tasks decides which user is last, the cost of the task is *fixed*: it raises
memory by ``hump`` bytes while it runs, and changes it by ``change`` bytes.

With fixed costs the problem is that of minimum maximum cumulative cost. The rules are:

- A task that never raises memory runs as soon as it can; a task that keeps all it raised runs as
  late as it can.
- In a chain, u before v join when v would rather run first: hill-valley segments (Liu, "An
  Application of Generalized Tree Pebbling to Sparse Matrix Factorization", 1987).
- Parallel chains between the same neighbours merge in the order of their segments, which solves
  series-parallel parts and trees (Abdel-Wahab and Kameda, 1978; Monma and Sidney, 1979; Kayaaslan
  et al., "Scheduling Series-Parallel Task Graphs to Minimize Peak Memory", 2018).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from aidge_nb.graph.topology import smallest_first
from aidge_nb.scheduling.order.problem import OrderProblem, bits


class GroupCost(NamedTuple):
    """Bytes by which memory rises while a task runs, and by which it has changed afterwards."""

    hump: int = 0
    change: int = 0

    def then(self, other: GroupCost) -> GroupCost:
        """Return the cost of this followed by the other."""
        return GroupCost(max(self.hump, self.change + other.hump), self.change + other.change)

    @property
    def rank(self) -> tuple[int, int]:
        """Sort key of independent tasks: the smaller one runs first."""
        return (0, self.hump) if self.change < 0 else (1, self.change - self.hump)

    @property
    def is_gift(self) -> bool:
        """True when running it now never hurts."""
        return self.hump <= 0 and self.change <= 0

    @property
    def is_burden(self) -> bool:
        """True when delaying it never hurts."""
        return self.hump <= self.change


FREE = GroupCost()


@dataclass(slots=True, eq=False)
class TaskGroup:
    """Tasks in sequence; at most one of them, the core, has a cost that is not fixed.

    ``head`` is the cost of the tasks before the core (of all tasks without a core), ``tail`` that
    of the tasks after it.
    """

    tasks: list[int]
    core: int | None = None
    head: GroupCost = FREE
    tail: GroupCost = FREE
    before: set[TaskGroup] = field(default_factory=set)
    after: set[TaskGroup] = field(default_factory=set)

    @property
    def is_fixed(self) -> bool:
        """True when its cost does not depend on the order."""
        return self.core is None

    def absorb(self, other: TaskGroup) -> None:
        """Append a group that runs right after this one."""
        if self.core is None:
            self.core, self.head, self.tail = other.core, self.head.then(other.head), other.tail
        else:
            self.tail = self.tail.then(other.head)
        self.tasks += other.tasks
        self.before |= other.before
        self.after |= other.after
        self.before -= {self, other}
        self.after -= {self, other}
        for each in other.before - {self}:
            each.after.discard(other)
            each.after.add(self)
        for each in other.after - {self}:
            each.before.discard(other)
            each.before.add(self)


class Relations:
    """Precedence between groups, and which task frees which block.

    ``earlier[i]`` and ``later[i]`` are masks of the groups that must run before and after group
    ``i``; ``owner`` is the group of each task, ``users`` the mask of groups that use each block.
    """

    def __init__(self, problem: OrderProblem, groups: Iterable[TaskGroup]) -> None:
        self.problem = problem
        self.groups = _sorted(groups)
        self.number = {group: number for number, group in enumerate(self.groups)}
        self.owner = [0] * len(problem)
        self.place = [0] * len(problem)
        for number, group in enumerate(self.groups):
            for place, task in enumerate(group.tasks):
                self.owner[task], self.place[task] = number, place
        count = len(self.groups)
        self.earlier, self.later = [0] * count, [0] * count
        for number, group in enumerate(self.groups):
            for each in group.before:
                other = self.number[each]
                self.earlier[number] |= self.earlier[other] | 1 << other
        for number in range(count - 1, -1, -1):
            for each in self.groups[number].after:
                other = self.number[each]
                self.later[number] |= self.later[other] | 1 << other
        self.users = [self._users(block.users) for block in problem.blocks]
        self.written, self.used = problem.written_by(), problem.used_by()

    def _users(self, tasks: int) -> int:
        mask = 0
        for task in bits(tasks):
            mask |= 1 << self.owner[task]
        return mask

    def drop_redundant(self) -> None:
        """Remove edges that follow from others (transitive reduction)."""
        for number, group in enumerate(self.groups):
            if len(group.before) < 2:
                continue
            implied = 0
            for each in group.before:
                implied |= self.earlier[self.number[each]]
            for each in [e for e in group.before if implied >> self.number[e] & 1]:
                group.before.discard(each)
                each.after.discard(self.groups[number])

    def frees(self, block: int, task: int) -> bool | None:
        """Tell whether a task is the last user of a block; None when the order decides."""
        if self.problem.blocks[block].kept:
            return False
        here = self.owner[task]
        others = self.users[block] & ~(1 << here)
        if others & self.later[here]:
            return False
        for other in bits(self.problem.blocks[block].users):
            if self.owner[other] == here and self.place[other] > self.place[task]:
                return False
        return None if others & ~self.earlier[here] else True

    def others(self, block: int, task: int) -> int:
        """Return the mask of the groups that decide whether a task frees a block."""
        here = self.owner[task]
        return self.users[block] & ~(1 << here) & ~self.earlier[here]

    def taken_over(self, task: int) -> tuple[int, list[int]]:
        """Return the bytes that a task always takes over, and the blocks that it may take over."""
        maybe = []
        for block in self.problem.overwrites[task] if self.problem.overwrites else ():
            frees = self.frees(block, task)
            if frees:
                return self.problem.blocks[block].size, []
            if frees is None:
                maybe.append(block)
        return 0, maybe

    def fixed_cost(self, task: int) -> GroupCost | None:
        """Return the cost of a task; None when the order decides."""
        over, maybe = self.taken_over(task)
        blocks = self.problem.blocks
        made = sum(blocks[number].size for number in self.written[task])
        freed = 0
        for number in {*self.written[task], *self.used[task]}:
            frees = self.frees(number, task)
            if frees is None or maybe:
                return None
            freed += blocks[number].size if frees else 0
        return GroupCost(made - over, made - freed)


def _sorted(groups: Iterable[TaskGroup]) -> list[TaskGroup]:
    """Sort topologically; ties by the smallest task, as in the default order."""
    listed = sorted(groups, key=lambda group: min(group.tasks))
    number = {group: place for place, group in enumerate(listed)}
    order, _ = smallest_first([[number[each] for each in group.after] for group in listed])
    return [listed[place] for place in order]


def group_tasks(problem: OrderProblem) -> Relations:
    """Join tasks into groups until no rule applies; return the groups that remain to be ordered.

    Examples
    --------
    >>> from aidge_nb.scheduling.order.problem import MemoryBlock
    >>> blocks = (
    ...     MemoryBlock(4, 0, 0b10),
    ...     MemoryBlock(9, 1, 0b100),
    ...     MemoryBlock(1, 2, 0, kept=True),
    ... )
    >>> [group.tasks for group in group_tasks(OrderProblem((0, 1, 2), blocks)).groups]
    [[0, 1, 2]]
    """
    groups = [TaskGroup([task], core=task) for task in range(len(problem))]
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


def _join_neighbours(groups: Sequence[TaskGroup]) -> list[TaskGroup]:
    """Join groups with the neighbour next to which they should run."""
    gone: set[TaskGroup] = set()
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


def _may_join(group: TaskGroup, follower: TaskGroup) -> bool:
    """Tell whether the only follower of a group may run right after it."""
    if group.is_fixed and group.head.is_burden:
        return True
    if len(follower.before) > 1 or not follower.is_fixed:
        return False
    if follower.head.is_gift:
        return True
    return group.is_fixed and group.head.rank >= follower.head.rank


def _merge_parallel(groups: Sequence[TaskGroup]) -> bool:
    """Merge parallel chains with the same neighbours; return True if any was merged."""
    alike: dict[tuple[frozenset[TaskGroup], frozenset[TaskGroup]], list[list[TaskGroup]]] = {}
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


def _continues(group: TaskGroup) -> bool:
    """Tell whether a group continues a chain of fixed groups."""
    if len(group.before) != 1:
        return False
    (leader,) = group.before
    return leader.is_fixed and len(leader.after) == 1


def _chain_from(group: TaskGroup) -> list[TaskGroup]:
    chain = [group]
    while len(chain[-1].after) == 1:
        (follower,) = chain[-1].after
        if len(follower.before) != 1 or not follower.is_fixed:
            break
        chain.append(follower)
    return chain


def _link(order: Sequence[TaskGroup]) -> None:
    """Add edges that make groups run in this order."""
    for first, second in pairwise(order):
        first.after.add(second)
        second.before.add(first)
