"""Find the blocks of a network, and the part of each name that the block does not say already.

A block is a group of operators that belong together: they share the first numbered words of their
names (``fire2_…``, ``layer1.0.…``), or the same sequence of types repeats in their order, or data
take several ways through them from one value to another. What most names begin and end with is left
out of all of them; inside its block only the rest, the leaf, is written.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise

import numpy as np

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.layout.layering import Edge, find_back_edges
from aidge_nb.widgets.scene.labels.leaves import Range, is_between, leaves_of
from aidge_nb.widgets.shared import LABELS, PANELS

_RULES = LABELS["blocks"]
_WORDS = re.compile(r"[^\W\d_]+|\d+|\W|_")
_SEPARATORS = frozenset("_./:")
_LONGEST = LABELS["longest"]


@dataclass(frozen=True, slots=True)
class Block:
    """Operators that belong together.

    Attributes
    ----------
    label
        What tells it from the others: ``3``, ``stem``; with its kind where there are several kinds.
    kind
        What its names begin with, without the number; empty for stem and head.
    members
        Its nodes, in order.
    """

    label: str
    kind: str
    members: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class NodeLabels:
    """Blocks of the nodes, and the part of each name that is written.

    Attributes
    ----------
    prefix, suffix
        What most names begin and end with, empty where nothing.
    blocks
        The blocks, in the order of their first nodes.
    block
        For each node the index of its block, -1 where it is in none.
    leaf
        For each node first and last character of its leaf, half-open.
    part
        The same of the shortest part of the leaf that tells it from the others of its block.
    """

    prefix: str = ""
    suffix: str = ""
    blocks: tuple[Block, ...] = ()
    block: tuple[int, ...] = ()
    leaf: tuple[Range, ...] = ()
    part: tuple[Range, ...] = ()


def label_nodes(
    names: Sequence[str], types: Sequence[str], edges: Sequence[Edge] = ()
) -> NodeLabels:
    """Find blocks and leaves.

    Parameters
    ----------
    names, types
        Name and type of each node, in an order in which they could run.
    edges
        Source and target of each edge that goes down: blocks that could not be contracted without
        closing a cycle are left out.

    Examples
    --------
    >>> names = ["net_stem", *(f"net_cell{n}_{part}" for n in (0, 1, 2) for part in "abc")]
    >>> labels = label_nodes(names, ["ReLU"] * 10)
    >>> labels.prefix, [(block.label, block.kind) for block in labels.blocks]
    ('net_', [('stem', ''), ('0', 'cell'), ('1', 'cell'), ('2', 'cell')])
    >>> [name[start:stop] for name, (start, stop) in zip(names, labels.leaf)][:4]
    ['stem', 'a', 'b', 'c']
    """
    prefix, suffix = _affix(names, 1), _affix(names, -1)
    own = [name[len(prefix) :] if is_between(name, prefix, "") else name for name in names]
    keyed, blocks = _best(len(names), edges, _ways(own, types, edges))
    block = [-1] * len(names)
    for number, each in enumerate(blocks):
        for node in each.members:
            block[node] = number
    of_node = {node: key for key, (_, members) in keyed.items() for node in members}
    keys = [of_node.get(node, "") if block[node] >= 0 else "" for node in range(len(names))]
    leaf, part = leaves_of(names, prefix, suffix, keys, block)
    return NodeLabels(prefix, suffix, blocks, tuple(block), leaf, part)


def _affix(names: Sequence[str], side: int) -> str:
    """Find the words that at least four in five names begin with (1) or end with (-1).

    They reach from or to a separator: ``conv0``, ``conv1`` have nothing in common.
    """
    left = [name[:_LONGEST] if side > 0 else name[-_LONGEST:][::-1] for name in names]
    enough = max(2, -(-len(names) * _RULES["share"] // 100))
    found = ""
    while True:
        words = Counter(_to_separator(name, len(found)) for name in left)
        words.pop("", None)
        word, often = words.most_common(1)[0] if words else ("", 0)
        rest = [name for name in left if name.startswith(found + word)]
        said = sum(any(map(str.isalpha, name[len(found + word) :])) for name in rest)
        if min(often, said) < enough:  # a number alone says nothing
            break
        found, left = found + word, rest
    if len(found) < _RULES["affix"]:
        return ""
    return found if side > 0 else found[::-1]


def _to_separator(name: str, start: int) -> str:
    """Return the characters from ``start`` to the next separator, which is one of them."""
    for place in range(start, len(name)):
        if name[place] in _SEPARATORS and place > start:
            return name[start : place + 1]
    return ""


Keyed = dict[str, tuple[str, list[int]]]
"""By the beginning of their names: the kind of a block, and its nodes."""


def _ways(names: Sequence[str], types: Sequence[str], edges: Sequence[Edge]) -> Iterator[Keyed]:
    """Group nodes by their names; by their types, and by their edges, if that is asked for, too."""
    yield from _by_name(names)
    yield _by_type(types)
    yield _by_edges(len(names), edges)


def _by_name(names: Sequence[str]) -> Iterator[Keyed]:
    """Group nodes by the numbered words that their names begin with, from fine to coarse."""
    for depth in (3, 2, 1):
        found: Keyed = {}
        for node, name in enumerate(names):
            key, kind = _key(name[:_LONGEST], depth)
            if key:
                found.setdefault(key, (kind, []))[1].append(node)
        found = {key: each for key, each in found.items() if len(each[1]) >= _RULES["members"]}
        if _is_useful(found, len(names)):
            yield found


def _is_useful(found: Keyed, count: int) -> bool:
    covered = sum(len(members) for _, members in found.values())
    return _RULES["count"][0] <= len(found) <= _most(count) and covered * 2 >= count


def _most(count: int) -> int:
    """Return how many blocks a network of some operators may have."""
    most: int = max(_RULES["count"][1], count // 40)
    return most


def _key(name: str, depth: int) -> tuple[str, str]:
    """Return the beginning of a name up to its first numbers that are not its end, and its kind.

    One pass over the words: names come from files, and can be long and odd.
    """
    words = _WORDS.findall(name)
    for place, word in enumerate(words):
        if not word.isdecimal() or place == 0:
            continue
        stop = place + 1
        for _ in range(depth - 1):
            if (
                stop + 2 < len(words)
                and words[stop] in _SEPARATORS
                and words[stop + 1].isdecimal()
                and words[stop + 2] in _SEPARATORS
            ):
                stop += 2
        if stop < len(words) and words[stop] in _SEPARATORS:
            return "".join(words[:stop]), "".join(words[:place]).rstrip("".join(_SEPARATORS))
    return "", ""


def _by_type(types: Sequence[str]) -> Keyed:
    """Find the sequence of types that repeats over most of the order."""
    count = len(types)
    numbers = np.unique(np.array(types, dtype=object).astype(str), return_inverse=True)[1]
    changes = np.concatenate(([0], np.cumsum(numbers[1:] != numbers[:-1])))
    best: tuple[int, int, int] = (0, 0, 0)  # nodes, minus the length, first node
    for length in range(_RULES["members"] - 1, min(_RULES["longest"], count // 3) + 1):
        same = np.concatenate(([0], numbers[length:] == numbers[:-length], [0]))
        ends = np.flatnonzero(np.diff(same.astype(np.int8)))
        begins, stops = ends[::2], ends[1::2]
        # One type again and again is no pattern.
        several = changes[begins] < changes[begins + length - 1]
        covered = np.where(several, (stops - begins + length) // length * length, 0)
        if covered.any():
            most = int(covered.max())
            best = max(best, (most, -length, int(begins[covered == most].max())))
    nodes, length, first = best[0], -best[1], best[2]
    if not nodes or nodes * 100 < count * _RULES["share"] or nodes < _RULES["count"][0] * length:
        return {}
    length *= -(-nodes // (length * _most(count)))  # several turns a block, where there are many
    end = first + nodes
    return {
        f"\0{number}": ("repeat", list(range(start, min(start + length, end))))
        for number, start in enumerate(range(first, end, length))
    }


def _by_edges(count: int, edges: Sequence[Edge]) -> Keyed:
    """Cut the order where all data pass through one value, and keep what forks between two cuts.

    Residual and inception blocks are found so, and fire modules. What follows one of them in a row,
    such as an activation, belongs to it. Networks that are drawn whole are left as they are.
    """
    if count <= PANELS["column"]["few"]:
        return {}
    last = list(range(count))
    for source, target in edges:
        last[source] = max(last[source], target)
    passing = np.zeros(count + 2, np.int64)  # values that pass before each node
    np.add.at(passing, np.arange(1, count + 1), 1)
    np.add.at(passing, np.array(last, np.int64) + 1, -1)
    cuts = [0, *(np.flatnonzero(np.cumsum(passing)[1:count] == 1) + 1).tolist(), count]
    forks = [(cut, end) for cut, end in pairwise(cuts) if end - cut >= _RULES["members"]]
    if len(forks) < _RULES["count"][0]:
        return {}
    tail = min(following - end for (_, end), (following, _) in pairwise(forks))
    ends = [*(following for following, _ in forks[1:]), min(forks[-1][1] + tail, count)]
    turns = -(-len(forks) // _most(count))  # several a block, where there are many
    blocks = [
        (forks[at][0], ends[min(at + turns, len(forks)) - 1]) for at in range(0, len(forks), turns)
    ]
    found = {f"\0{n}": ("part", list(range(*block))) for n, block in enumerate(blocks)}
    return found if _is_useful(found, count) else {}


def _best(
    count: int, edges: Sequence[Edge], ways: Iterable[Keyed]
) -> tuple[Keyed, tuple[Block, ...]]:
    """Return the first way all of whose blocks are possible; else the one that covers most."""
    best: tuple[int, Keyed, tuple[Block, ...]] = (0, {}, ())
    for keyed in filter(None, ways):
        wanted = tuple(_named(keyed, count))
        kept = _possible(count, edges, wanted)
        if kept == wanted:
            return keyed, kept
        covered = sum(len(block.members) for block in kept if block.kind)
        best = max(best, (covered, keyed, kept), key=lambda each: each[0])
    return best[1:]


def _named(keyed: Keyed, count: int) -> Iterator[Block]:
    """Make the blocks, in order, with what stands before the first and behind the last."""
    several = len({kind for kind, _ in keyed.values()}) > 1
    first = min(members[0] for _, members in keyed.values())
    last = max(members[-1] for _, members in keyed.values())
    if first > 0:
        yield Block("stem", "", tuple(range(first)))
    for key, (kind, members) in sorted(keyed.items(), key=lambda each: each[1][1][0]):
        number = key.removeprefix("\0").removeprefix(kind).strip("_./:")
        label = ".".join(re.split(r"[_./:]", number))
        yield Block(f"{kind} {label}" if several else label, kind, tuple(members))
    if last + 1 < count:
        yield Block("head", "", tuple(range(last + 1, count)))


def _possible(count: int, edges: Sequence[Edge], blocks: tuple[Block, ...]) -> tuple[Block, ...]:
    """Leave out blocks that close a cycle when each is one box."""
    if _is_acyclic(count, edges, blocks):
        return blocks  # as in most graphs: no block stands in the way of another
    kept: list[Block] = []
    for block in blocks[: _RULES["tried"]]:
        if _is_acyclic(count, edges, [*kept, block]):
            kept.append(block)
    return tuple(kept)


def _is_acyclic(count: int, edges: Sequence[Edge], blocks: Sequence[Block]) -> bool:
    """Check that edges still go down when each block is one node."""
    box = list(range(count))
    for block in blocks:
        for node in block.members:
            box[node] = block.members[0]
    links = {(box[source], box[target]) for source, target in edges}
    down = [(source, target) for source, target in links if source != target]
    return not any(find_back_edges(count, down, [False] * len(down)))
