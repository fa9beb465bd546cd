"""The slow and obvious side: every order, and live ranges added up tick by tick."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aidge_nb.scheduling.order.problem import OrderProblem


def members(mask: int) -> list[int]:
    """List the tasks in a mask."""
    return [task for task in range(mask.bit_length()) if mask >> task & 1]


def all_orders(problem: OrderProblem) -> Iterator[list[int]]:
    """Yield every order in which tasks follow what must run before them."""
    wanted = [set(members(mask)) for mask in problem.before]

    def extend(order: list[int]) -> Iterator[list[int]]:
        if len(order) == len(wanted):
            yield order
        for task, needs in enumerate(wanted):
            if task not in order and needs <= set(order):
                yield from extend([*order, task])

    return extend([])


def simulate(problem: OrderProblem, order: Sequence[int]) -> int:
    """Add up the live ranges of all blocks, and give the largest sum."""
    tick = {task: when for when, task in enumerate(order)}
    live = [0] * len(order)
    for block in problem.blocks:
        uses = [tick[task] for task in members(block.users)]
        first = tick[block.writer] if block.writer >= 0 else 0
        last = len(order) - 1 if block.kept else max([first, *uses])
        if block.writer >= 0 or uses or block.kept:
            for when in range(first, last + 1):
                live[when] += block.size
    for task, candidates in enumerate(problem.overwrites):
        for number in candidates:
            block = problem.blocks[number]
            if not block.kept and max(tick[each] for each in members(block.users)) == tick[task]:
                live[tick[task]] -= block.size
                break
    return max(live)


def least_peak(problem: OrderProblem) -> int:
    """Give the least peak of all orders."""
    return min(simulate(problem, order) for order in all_orders(problem))


def is_valid(problem: OrderProblem, order: Sequence[int]) -> bool:
    """Tell whether an order has every task once, after those that must run before it."""
    done: set[int] = set()
    for task in order:
        if not 0 <= task < len(problem) or not set(members(problem.before[task])) <= done:
            return False
        done.add(task)
    return len(order) == len(problem) == len(done)
