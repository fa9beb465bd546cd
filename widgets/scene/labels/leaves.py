"""Find the part of each name that is written where little room is: what tells it from the others.

Names can be paths (``model/conv2d_1/Relu``), and where operators were fused several of them
(``model/conv2d_1/Relu;model/conv2d_1/BiasAdd``). Of these, the first path is written, and of a path
the shortest end that no other name of its block has. Where even that has no room, steps in its
middle or its last words are, if they are those of no other name.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence

from aidge_nb.widgets.shared import LABELS

_LONGEST = LABELS["longest"]
_STEPS = LABELS["blocks"]["steps"]
_SHORT = LABELS["blocks"]["short"]
_LEAST = 3
_WHOLE = 8  # characters from which on a part may do without its first words
_WORD = re.compile(r"[^\W\d_]+?(?=[A-Z](?<=[^A-Z].)|[\W\d_]|$)|\d+(?:x\d+)*|[\W_]+")
_SEPARATORS = frozenset("_./:")

Range = tuple[int, int]
"""First and last character of a part of a name, half-open."""


def is_between(name: str, prefix: str, suffix: str) -> bool:
    """Return whether a name has something between a beginning and an end.

    Examples
    --------
    >>> is_between("net_a_fwd", "net_", "_fwd"), is_between("net_fwd", "net_", "_fwd")
    (True, False)
    """
    return (
        len(name) > len(prefix) + len(suffix) and name.startswith(prefix) and name.endswith(suffix)
    )


def leaves_of(
    names: Sequence[str], prefix: str, suffix: str, keys: Sequence[str], block: Sequence[int]
) -> tuple[tuple[Range, ...], tuple[Range, ...]]:
    """Return the leaf of each name, and the shortest part of it that no other leaf has.

    Parameters
    ----------
    names
        Names of the nodes.
    prefix, suffix
        What most of them begin and end with.
    keys
        What the names of each node's block begin with behind the prefix; empty where nothing.
    block
        Block of each node, -1 for none: leaves differ from those of the same block.

    Examples
    --------
    >>> names = ["model/conv_1/Relu;model/conv_1/BiasAdd", "model/conv_2/Relu", "model/fc/MatMul"]
    >>> leaves, parts = leaves_of(names, "model/", "", ["", "", ""], [-1, -1, -1])
    >>> [name[slice(*leaf)] for name, leaf in zip(names, leaves)]
    ['conv_1/Relu', 'conv_2/Relu', 'MatMul']
    >>> [name[slice(*part)] for name, part in zip(names, parts)]
    ['conv_1', 'conv_2', 'MatMul']
    """
    whole = [_leaf(name, prefix, key, suffix) for name, key in zip(names, keys, strict=True)]
    leaf, part = list(whole), list(whole)
    for members in _by_block(names, block):
        firsts = Counter(names[n][whole[n][0] : _first(names[n], whole[n])] for n in members)
        for n in members:
            start, stop = whole[n][0], _first(names[n], whole[n])
            if stop < whole[n][1] and firsts[names[n][start:stop]] == 1:
                leaf[n] = part[n] = (start, stop)
        paths = {n: _steps(names[n], leaf[n]) for n in members}
        for n, found in _unlike(names, paths, at_end=True):
            leaf[n] = part[n] = found
        for n, found in _unlike(names, paths, at_end=False):
            if found[1] - found[0] < leaf[n][1] - leaf[n][0]:
                part[n] = found
        for n, found in _last_words(names, leaf, part, members):
            part[n] = found
    return tuple(leaf), tuple(part)


def _leaf(name: str, prefix: str, key: str, suffix: str) -> Range:
    """Leave out what most names have, and what the block says."""
    start = len(prefix) if is_between(name, prefix, "") else 0
    inner = start + len(key)
    if key and name.startswith(key, start) and len(name) > inner + 1:
        start = inner + (name[inner] in _SEPARATORS)
    has_end = suffix and is_between(name[start:], "", suffix)
    return start, len(name) - len(suffix) if has_end else len(name)


def _first(name: str, leaf: Range) -> int:
    """Return the end of the first of several paths in a leaf."""
    start, stop = leaf
    found = name.find(";", start + 1, min(stop, start + _LONGEST))
    return found if found > 0 else stop


def _by_block(names: Sequence[str], block: Sequence[int]) -> Iterator[list[int]]:
    """Yield the nodes of each block where a name is a path, or long."""
    found: dict[int, list[int]] = defaultdict(list)
    for node, own in enumerate(block):
        found[own].append(node)
    for members in found.values():
        if any(len(names[node]) > _SHORT or "/" in names[node] for node in members):
            yield members


def _steps(name: str, leaf: Range) -> list[Range]:
    """Return the last steps of a path; of what is no path, all of it."""
    start, stop = leaf
    steps: list[Range] = []
    while stop > start and len(steps) < _STEPS:
        cut = name.rfind("/", start, stop)
        if stop > cut + 1:
            steps.append((max(cut + 1, start), stop))
        if cut < start:
            break
        stop = cut
    return steps[::-1]


def _unlike(
    names: Sequence[str], paths: dict[int, list[Range]], *, at_end: bool
) -> Iterator[tuple[int, Range]]:
    """Yield for each path the shortest run of its steps that no other path has.

    The last such run comes first; or only runs at the end count.
    """

    def runs(node: int, count: int) -> list[Range]:
        steps = paths[node]
        ends = range(len(steps), count - 1 if not at_end else len(steps) - 1, -1)
        return [(steps[end - count][0], steps[end - 1][1]) for end in ends if end >= count]

    open_ = {node for node, steps in paths.items() if len(steps) > 1}
    for count in range(1, _STEPS):
        if not open_:
            return
        seen: Counter[str] = Counter()
        for node in paths:
            seen.update({names[node][slice(*run)] for run in runs(node, count)})
        for node in sorted(open_):
            for run in runs(node, count):
                text = names[node][slice(*run)]
                if seen[text] == 1 and _letters(text) >= _LEAST:
                    open_.discard(node)
                    yield node, run
                    break


def _last_words(
    names: Sequence[str], leaf: Sequence[Range], part: Sequence[Range], members: Sequence[int]
) -> Iterator[tuple[int, Range]]:
    """Yield for each long part its last words, if they are the last of no other name of its block.

    They have a number, or begin with a word of this name alone.
    """

    def words(node: int, of: Range) -> list[re.Match[str]]:
        return [*_WORD.finditer(names[node], max(of[0], of[1] - _LONGEST), of[1])]

    seen: Counter[str] = Counter()
    ends: Counter[str] = Counter()
    for n in members:
        own = words(n, leaf[n])
        seen.update({word[0] for word in own})
        tails = {names[n][word.start() : leaf[n][1]] for word in own[-_STEPS:]}
        own = words(n, part[n])[-_STEPS:]
        ends.update(tails | {names[n][word.start() : part[n][1]] for word in own})
    for n in members:
        start, stop = part[n]
        if stop - start <= _WHOLE:
            continue
        for word in reversed(words(n, part[n])[-_STEPS:]):
            tail = names[n][word.start() : stop]
            is_own = seen[word[0]] == 1 or any(map(str.isdecimal, tail))
            if word[0].isalpha() and is_own and ends[tail] == 1 and _letters(tail) >= _LEAST:
                yield n, (word.start(), stop)
                break


def _letters(text: str) -> int:
    return sum(map(str.isalpha, text))
