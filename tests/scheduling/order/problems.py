"""Random order problems: anything, series-parallel, trees, and randomly wired cells."""

from __future__ import annotations

import random

from hypothesis import strategies as st

from aidge_nb.scheduling.order.problem import MemoryBlock, OrderProblem


def from_edges(
    sizes: list[int], edges: list[tuple[int, int]], *, private: bool = False
) -> OrderProblem:
    """Give each task a block that its followers use; or one for each of them when ``private``."""
    count = len(sizes)
    before, after = [0] * count, [0] * count
    for parent, child in edges:
        before[child] |= 1 << parent
        after[parent] |= 1 << child
    if private:
        blocks = [MemoryBlock(sizes[parent], parent, 1 << child) for parent, child in edges]
        blocks += [MemoryBlock(sizes[t], t, 0, kept=True) for t in range(count) if not after[t]]
    else:
        blocks = [MemoryBlock(sizes[t], t, after[t], kept=not after[t]) for t in range(count)]
    return OrderProblem(tuple(before), tuple(blocks), ((),) * count)


@st.composite
def problems(draw: st.DrawFn, most: int = 7) -> OrderProblem:
    """Draw any problem: blocks from the start, kept ones, several of a task, overwriting."""
    count = draw(st.integers(1, most))
    size = st.integers(0, draw(st.sampled_from([2, 9])))
    before = [draw(st.integers(0, (1 << task) - 1)) for task in range(count)]
    if draw(st.booleans()):
        before = [mask & draw(st.integers(0, (1 << count) - 1)) for mask in before]
    blocks: list[MemoryBlock] = []
    own: dict[int, int] = {}
    for task in range(count):
        later = sum(1 << other for other in range(task + 1, count) if before[other] >> task & 1)
        for number in range(draw(st.sampled_from([1, 1, 1, 2, 0]))):
            users = later & draw(st.integers(0, (1 << count) - 1)) if number else later
            own.setdefault(task, len(blocks))
            blocks.append(MemoryBlock(draw(size), task, users, draw(st.integers(0, 6)) == 0))
    if draw(st.booleans()):
        users = draw(st.integers(0, (1 << count) - 1))
        blocks.append(MemoryBlock(draw(size), -1, users, draw(st.integers(0, 4)) == 0))
    overwrites = tuple(
        tuple(
            number
            for number, block in enumerate(blocks)
            if task in own
            and block.users >> task & 1
            and block.writer != task
            and block.size == blocks[own[task]].size
            and draw(st.booleans())
        )
        for task in range(count)
    )
    return OrderProblem(tuple(before), tuple(blocks), overwrites)


@st.composite
def series_parallel(draw: st.DrawFn, most: int = 8) -> OrderProblem:
    """Draw a series-parallel graph, each edge with memory of its own."""
    edges = [(0, 1)]
    count = 2
    for _ in range(draw(st.integers(1, most - 2))):
        place = draw(st.integers(0, len(edges) - 1))
        parent, child = edges[place]
        edges[place : place + 1] = [(parent, count), (count, child)]
        if draw(st.booleans()):
            edges.append((parent, child))
        count += 1
    return from_edges(*_numbered(draw, count, edges), private=True)


@st.composite
def trees(draw: st.DrawFn, most: int = 8) -> OrderProblem:
    """Draw a tree in which every task but the last gives to one other."""
    count = draw(st.integers(2, most))
    edges = [(task, draw(st.integers(task + 1, count - 1))) for task in range(count - 1)]
    return from_edges([draw(st.integers(1, 20)) for _ in range(count)], edges)


def _numbered(
    draw: st.DrawFn, count: int, edges: list[tuple[int, int]]
) -> tuple[list[int], list[tuple[int, int]]]:
    """Number tasks topologically, and draw sizes."""
    rank: dict[int, int] = {}
    while len(rank) < count:
        for task in range(count):
            parents = [parent for parent, child in edges if child == task]
            if task not in rank and all(parent in rank for parent in parents):
                rank[task] = len(rank)
    sizes = [draw(st.integers(1, 20)) for _ in range(count)]
    return sizes, sorted({(rank[parent], rank[child]) for parent, child in edges})


def random_cell(count: int, seed: int, largest: int = 64) -> OrderProblem:
    """Wire a cell as a ring of neighbours with edges moved at random (Watts and Strogatz, 1998).

    Edges lead to larger numbers, a first task feeds those without parents and a last one reads
    those without readers, as in RandWire (Xie et al., "Exploring Randomly Wired Neural Networks
    for Image Recognition", 2019).
    """
    draw = random.Random(seed)
    wired: set[tuple[int, int]] = set()
    for node in range(count):
        for step in (1, 2):
            other = (node + step) % count
            while draw.random() < 0.75 or (min(node, other), max(node, other)) in wired:
                other = draw.randrange(count)
                if other != node and (min(node, other), max(node, other)) not in wired:
                    break
            if other != node:
                wired.add((min(node, other), max(node, other)))
    edges = [(parent + 1, child + 1) for parent, child in sorted(wired)]
    inner = range(1, count + 1)
    edges += [(0, node) for node in inner if all(child != node for _, child in edges)]
    edges += [(node, count + 1) for node in inner if all(parent != node for parent, _ in edges)]
    return from_edges([draw.randint(1, largest) for _ in range(count + 2)], edges)
