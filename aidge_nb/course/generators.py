"""Draw small problems from a seed: the same seed gives the same problem everywhere."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING

import numpy as np

from aidge_nb import ops
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.course.graphs import chained
from aidge_nb.graph.builders import get_connected_graph_view
from aidge_nb.memory import MemoryManager, MemorySpace, plan

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from numpy.typing import NDArray

    from aidge_nb.graph.view import GraphView

_TYPES = (
    ops.ReLU,
    ops.Tanh,
    ops.Sqrt,
    ops.Exp,
    ops.Abs,
    ops.Sigmoid,
)
_TRIES = 1000


def fork(seed: int, branches: int = 2, longest: int = 4, *, joined: bool = True) -> GraphView:
    """Draw a fork whose branches differ in length.

    Examples
    --------
    >>> sorted(node.name() for node in fork(0).get_nodes())
    ['a1', 'a2', 'a3', 'a4', 'b1', 'b2', 'in', 'out']
    """
    random = Random(seed)
    lengths = random.sample(range(1, longest + 1), branches)
    start, ends = ops.Identity(name="in"), []
    for letter, length in zip("abcd", lengths, strict=False):
        branch = [random.choice(_TYPES)(name=f"{letter}{number + 1}") for number in range(length)]
        ends.append(chained([start, *branch]))
    if joined:
        out = ops.Sum(branches, name="out") if branches > 2 else ops.Add(name="out")
        for port, end in enumerate(ends):
            end.add_child(out, 0, port)
    return get_connected_graph_view(start)


def fork_bytes(seed: int) -> GraphView:
    """Draw two branches that grow and shrink, of one or two operators each.

    Examples
    --------
    >>> sorted(node.name() for node in fork_bytes(1).get_nodes() if node.type() != "Producer")
    ['grow_a', 'grow_b', 'shrink_a', 'shrink_b', 'split']
    """
    random, split = Random(seed), ops.ReLU(name="split")
    for letter in "ab":
        count, channels = random.choice([1, 2]), random.choice([4, 6, 8, 10])
        branch = [ops.Conv2D(2, channels, [1, 1], name=f"grow_{letter}")]
        branch += [ops.ReLU(name=f"act_{letter}") for _ in range(count - 1)]
        pool = random.choice([2, 4])
        shrink = ops.MaxPooling2D([pool, pool], f"shrink_{letter}", stride_dims=[pool, pool])
        chained([split, *branch, shrink])
    view = get_connected_graph_view(split)
    view.forward_dims([[1, 2, 8, 8]])
    return view


def first_fit_offsets(blocks: Mapping[str, tuple[int, int, int]]) -> dict[str, int]:
    """Place blocks in the order of time, each in the lowest hole; return their offsets.

    Examples
    --------
    >>> first_fit_offsets({"a": (0, 1, 2), "b": (0, 2, 1), "c": (1, 3, 3)})
    {'a': 0, 'b': 2, 'c': 3}
    """
    return {name: space.offset for name, space in _spaces(blocks)[1].items()}


def first_fit(blocks: Mapping[str, tuple[int, int, int]]) -> int:
    """Return the peak when blocks are placed in the order of time, each in the lowest hole."""
    return int(_spaces(blocks)[0].get_peak_usage())


def _spaces(
    blocks: Mapping[str, tuple[int, int, int]],
) -> tuple[MemoryManager, dict[str, MemorySpace]]:
    manager = MemoryManager()
    spaces: dict[str, MemorySpace] = {}
    for tick in range(max(upper for _, upper, _ in blocks.values())):
        for name, (_, upper, _) in blocks.items():
            if upper == tick:
                manager.release(spaces[name])
        for name, (lower, _, size) in blocks.items():
            if lower == tick:
                spaces[name] = manager.reserve(size)
        manager.tick()
    return manager, spaces


def blocks(
    seed: int, count: int = 5, ticks: int = 5, sizes: Sequence[int] = (1, 2, 3, 4)
) -> dict[str, tuple[int, int, int]]:
    """Draw blocks, (lower, upper, size) by name, for which first fit is not the best.

    Raises
    ------
    MemoryPlanError
        When 1,000 tries found none.

    Examples
    --------
    >>> found = blocks(0)
    >>> first_fit(found), plan(found).peak
    (12, 11)
    """
    for again in range(_TRIES):
        random, found = Random(seed * _TRIES + again), {}
        for name in "abcdefgh"[:count]:
            lower = random.randrange(ticks - 1)
            upper = random.randrange(lower + 1, min(ticks, lower + 3) + 1)
            found[name] = (lower, upper, random.choice(sizes))
        best = plan(found)
        if best.is_optimal and first_fit(found) > best.peak:
            return found
    raise MemoryPlanError.at("blocks", f"no such problem in {_TRIES:,} tries", found=f"seed {seed}")


def pictures_of_bars(
    count: int, seed: int, size: int = 32
) -> tuple[NDArray[np.float32], NDArray[np.int64]]:
    """Draw pictures with a bar in each; return them, and their kinds.

    A bar is upright (0), lies (1), or is diagonal (2); it is at a random place, with noise.

    Examples
    --------
    >>> pictures, kinds = pictures_of_bars(6, seed=0)
    >>> pictures.shape, kinds.tolist()
    ((6, 1, 32, 32), [0, 1, 2, 0, 1, 2])
    """
    generator = np.random.default_rng(seed)
    pictures = 0.3 * generator.standard_normal((count, 1, size, size))
    kinds = np.arange(count, dtype=np.int64) % 3
    line = np.arange(size)
    for picture, kind in zip(pictures, kinds.tolist(), strict=True):
        place = generator.integers(size)
        rows = (line, np.full(size, place), line)[kind]
        columns = (np.full(size, place), line, (line + place) % size)[kind]
        picture[0, rows, columns] += 1
    return pictures.astype(np.float32), kinds
