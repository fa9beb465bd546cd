"""Which Slice, Split and Concat nodes work without a copy: each that takes no more memory.

Parts that stay in the whole keep it alive, and parts that are computed at their place in a result
occupy it early, so that copying sometimes needs less. Each node is decided by what it does to the
lower bound. What it changes is confined to its *family*, the values that may come to share memory,
so only these are looked at anew.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from aidge_nb.memory.bodies import bodies_of, steps_of
from aidge_nb.memory.liveness import Lives

if TYPE_CHECKING:
    from aidge_nb.graph import Node
    from aidge_nb.memory.storages import Liveness

__all__ = ["choose_parts"]


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
    shared = lives.find(candidates)
    if _live_bytes(lives, shared).max() <= live.max():
        return list(candidates), shared
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


def _live_bytes(lives: Lives, live: Liveness) -> NDArray[np.int64]:
    """Count the bytes that are live at each tick."""
    change = [0] * (len(lives.executed) + 1)
    for body in bodies_of(live.storages, lives.alignment):
        for lower, upper, used in steps_of(body):
            change[lower] += used
            change[upper] -= used
    return np.cumsum(change, dtype=np.int64)
