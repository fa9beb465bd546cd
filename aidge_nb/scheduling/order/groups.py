"""Groups of tasks that run one behind the other, and how they relate.

What a task frees may depend on who else ran: the last user of a block frees it. Where the
precedence between tasks decides that, its cost is *fixed*: it raises memory by ``hump`` bytes while
it runs and leaves ``change`` bytes more or less behind.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from heapq import heapify, heappop, heappush
from typing import NamedTuple

from aidge_nb.scheduling.order.problem import OrderProblem, bits


class Cost(NamedTuple):
    """Bytes by which memory rises at most, and by which it has changed in the end."""

    hump: int = 0
    change: int = 0

    def then(self, other: Cost) -> Cost:
        """Give the cost of this and the other behind it."""
        return Cost(max(self.hump, self.change + other.hump), self.change + other.change)

    @property
    def rank(self) -> tuple[int, int]:
        """What runs better first, among tasks that do not depend on each other, has less."""
        return (0, self.hump) if self.change < 0 else (1, self.change - self.hump)

    @property
    def is_gift(self) -> bool:
        """Whether to run it never hurts."""
        return self.hump <= 0 and self.change <= 0

    @property
    def is_burden(self) -> bool:
        """Whether to put it off never hurts."""
        return self.hump <= self.change


FREE = Cost()


@dataclass(slots=True, eq=False)
class Group:
    """Tasks in sequence; at most one of them, the core, has a cost that is not fixed.

    ``head`` is the cost of what runs before the core (of all tasks when there is none), ``tail``
    that of what runs behind it.
    """

    tasks: list[int]
    core: int | None = None
    head: Cost = FREE
    tail: Cost = FREE
    before: set[Group] = field(default_factory=set)
    after: set[Group] = field(default_factory=set)

    @property
    def is_fixed(self) -> bool:
        """Whether its cost does not depend on who else ran."""
        return self.core is None

    def absorb(self, other: Group) -> None:
        """Append a group that runs right behind this one."""
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
    """Who runs before whom, and whose block frees when: facts about groups in a given state.

    ``earlier[i]`` and ``later[i]`` are masks of the groups that must run before and behind group
    ``i``; ``owner`` tells in which group a task is, ``users`` the groups that use each block.
    """

    def __init__(self, problem: OrderProblem, groups: Iterable[Group]) -> None:
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
        """Remove the edges that follow from others."""
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
        """Whether a task is the last user of a block; None when that depends on the order."""
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
        """Mask of the groups on which it depends whether a task frees a block."""
        here = self.owner[task]
        return self.users[block] & ~(1 << here) & ~self.earlier[here]

    def taken_over(self, task: int) -> tuple[int, list[int]]:
        """Give the bytes that a task surely takes over, and blocks that it may if it is last."""
        maybe = []
        for block in self.problem.overwrites[task] if self.problem.overwrites else ():
            frees = self.frees(block, task)
            if frees:
                return self.problem.blocks[block].size, []
            if frees is None:
                maybe.append(block)
        return 0, maybe

    def fixed_cost(self, task: int) -> Cost | None:
        """Give the cost of a task, unless it depends on the order."""
        over, maybe = self.taken_over(task)
        blocks = self.problem.blocks
        made = sum(blocks[number].size for number in self.written[task])
        freed = 0
        for number in {*self.written[task], *self.used[task]}:
            frees = self.frees(number, task)
            if frees is None or maybe:
                return None
            freed += blocks[number].size if frees else 0
        return Cost(made - over, made - freed)


def _sorted(groups: Iterable[Group]) -> list[Group]:
    """Sort topologically; ties by the smallest task, as in the default order."""
    waiting = {group: len(group.before) for group in groups}
    by_task = {min(group.tasks): group for group in waiting}
    ready = [task for task, group in by_task.items() if not waiting[group]]
    heapify(ready)
    found = []
    while ready:
        group = by_task[heappop(ready)]
        found.append(group)
        for each in group.after:
            waiting[each] -= 1
            if not waiting[each]:
                heappush(ready, min(each.tasks))
    return found
