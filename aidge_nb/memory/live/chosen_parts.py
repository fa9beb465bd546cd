"""Choose the Slice, Split and Concat nodes that work without a copy.

Parts that stay in the whole keep it alive, and parts that are computed at their place in a result
occupy it early, so that copying sometimes needs less. It is tried whether none needs to copy, or
none but the slices that outlast their whole where these bind, such as halos that are kept. Else
each node is decided by what it does to the lower bound. What it changes is confined to its
*family*, the values that may come to share memory, so only these are looked at anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aidge_nb.memory.live.liveness import Lives
from aidge_nb.memory.values.live_range import steps_of
from aidge_nb.memory.values.storages import footprints_of

if TYPE_CHECKING:
    from aidge_nb.graph import Node
    from aidge_nb.memory.values.storages import Liveness


def choose_parts(
    lives: Lives, candidates: Sequence[Node], copied: Liveness | None = None
) -> tuple[list[Node], Liveness | None]:
    """Choose the nodes whose parts stay in place: each that does not raise the lower bound.

    Also gives the live ranges that come of it, where they were found on the way. ``copied`` are
    those when all of the nodes copy, where they are known already.
    """
    if not candidates:
        return [], None
    live = _live_bytes(lives, lives.find() if copied is None else copied)
    chosen_at_once, shared = list(candidates), lives.find(candidates)
    used = _live_bytes(lives, shared)
    lasting = lasting_slices(lives, candidates)
    if _may_bind(lasting, used):
        others = [node for node in candidates if node not in lasting]
        copies = lives.find(others)
        if (now := _live_bytes(lives, copies)).max() < used.max():
            chosen_at_once, shared, used = others, copies, now
    if used.max() <= live.max():
        return chosen_at_once, shared
    families = lives.families(set(candidates))
    family_of = {node: family for family in families for node in family}
    chosen: dict[int, list[Node]] = {id(family): [] for family in families}
    mine = {
        id(family): _live_bytes(lives, lives.find(only=family))
        for family in {id(family_of[node]): family_of[node] for node in candidates}.values()
    }
    for node in candidates:
        family = family_of[node]
        before = chosen[id(family)]
        now = _live_bytes(lives, lives.find([*before, node], only=family))
        changed = live - mine[id(family)] + now
        if changed.max() <= live.max():
            live = changed
            mine[id(family)] = now
            before.append(node)
    return [node for node in candidates if node in chosen[id(family_of[node])]], None


def largest_joins(chosen: Sequence[Node], most: int) -> list[Node]:
    """List so many Concats whose parts stay in place, those of the largest results first.

    Such a result stands in the way of others early, in one piece. Where not all that could be
    shared finds room, less memory may do if one of them copies.
    """
    joins = [node for node in chosen if node.type() == "Concat"]
    return sorted(joins, key=lambda node: -node.get_operator().get_output(0).nbytes)[:most]


def lasting_slices(lives: Lives, candidates: Sequence[Node]) -> dict[Node, tuple[int, int]]:
    """Find the slices that are read when nothing else of their whole is, and slices of them.

    Returns
    -------
    dict
        For each, the last tick at which something else of the whole is read, and its own last one:
        between these all of the whole would stay alive for the sake of the slice.
    """
    ticks = {node: tick for tick, node in enumerate(lives.executed)}
    found: dict[Node, tuple[int, int]] = {}
    for node in candidates:
        source = node.source(0) if node.type() == "Slice" else None
        if source is None or source.node not in ticks:
            continue
        mine = max((ticks.get(each.node, -1) for each in node.output(0)), default=-1)
        beside = [each.node for each in source.node.output(source.index) if each.node is not node]
        others = max((ticks.get(each, -1) for each in beside), default=-1)
        if source.node in found or mine > others >= 0:
            found[node] = (max(others, ticks[node]), mine)
    return found


def _may_bind(lasting: dict[Node, tuple[int, int]], used: NDArray[np.int64]) -> bool:
    """Return whether some slice keeps its whole alive when the most is."""
    binding = np.flatnonzero(used == used.max())
    return any(((low < binding) & (binding <= high)).any() for low, high in lasting.values())


def _live_bytes(lives: Lives, live: Liveness) -> NDArray[np.int64]:
    """Count the bytes that are live at each tick."""
    change = [0] * (len(lives.executed) + 1)
    for footprint in footprints_of(live.storages, lives.alignment):
        for lower, upper, used in steps_of(footprint):
            change[lower] += used
            change[upper] -= used
    return np.cumsum(change, dtype=np.int64)
