"""Repeated blocks of a graph, found by the names of its nodes: ``fire2_…``, ``layer1.0.…``.

A block is what shares the first numbered words of its names. Blocks that could not be contracted
without closing a cycle are left as they are, for edges go down.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from aidge_nb.widgets.layout.layering import Edge
from aidge_nb.widgets.text import common_prefix

_LEAST_MEMBERS, _LEAST_GROUPS = 3, 2
_WORDS = re.compile(r"[^\W\d_]+|\d+|\W|_")
_SEPARATORS = frozenset("_./:")
_LONGEST = 160


@dataclass(frozen=True, slots=True)
class RepeatedBlock:
    """A block: what its names begin with, and its nodes."""

    name: str
    members: tuple[int, ...]


def find_groups(names: Sequence[str], edges: Sequence[Edge]) -> tuple[RepeatedBlock, ...]:
    """Find the blocks that can be collapsed, in the order of their first nodes.

    Parameters
    ----------
    names
        Name of each node.
    edges
        Source and target of each edge that goes down.

    Examples
    --------
    >>> names = ["stem", *(f"fire{n}_{part}" for n in (2, 3) for part in ("in", "mid", "out"))]
    >>> [group.name for group in find_groups(names, [(n, n + 1) for n in range(6)])]
    ['fire2', 'fire3']
    """
    shared = len(common_prefix(names))
    members: dict[str, list[int]] = {}
    for node, name in enumerate(names):
        block = _block_of(name[shared : shared + _LONGEST])
        if block:
            members.setdefault(block, []).append(node)
    groups = [
        RepeatedBlock(label, tuple(own))
        for label, own in members.items()
        if len(own) >= _LEAST_MEMBERS
    ]
    kept: list[RepeatedBlock] = []
    if _is_acyclic(len(names), edges, groups):
        kept, groups = groups, []  # as most graphs: none of them stands in the way of another
    for group in groups:
        if _is_acyclic(len(names), edges, [*kept, group]):
            kept.append(group)
    return tuple(kept) if len(kept) >= _LEAST_GROUPS else ()


def _block_of(name: str) -> str:
    """Return the beginning of a name up to its first number that is not at its end, or "".

    One pass over the words: names come from files, and can be long and odd.
    """
    words = _WORDS.findall(name)
    for place, word in enumerate(words):
        if not word.isdecimal() or place == 0:
            continue
        stop = place + 1
        while stop + 2 < len(words) and words[stop] == "." and words[stop + 1].isdecimal():
            stop += 2
        if stop < len(words) and words[stop] in _SEPARATORS:
            return "".join(words[:stop])
    return ""


def _is_acyclic(count: int, edges: Sequence[Edge], groups: Sequence[RepeatedBlock]) -> bool:
    """Check that edges still go down when each group is one node."""
    box = list(range(count))
    for group in groups:
        for node in group.members:
            box[node] = group.members[0]
    below: dict[int, set[int]] = {}
    waiting = dict.fromkeys(box, 0)
    for source, target in edges:
        one, other = box[source], box[target]
        if one != other and other not in below.setdefault(one, set()):
            below[one].add(other)
            waiting[other] += 1
    ready = [node for node, open_ in waiting.items() if not open_]
    done = 0
    while ready:
        node = ready.pop()
        done += 1
        for target in below.get(node, ()):
            waiting[target] -= 1
            if not waiting[target]:
                ready.append(target)
    return done == len(waiting)
