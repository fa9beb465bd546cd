"""Write names where there is little room, as ``frontend/src/model/names.ts`` does in browsers."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from aidge_nb.widgets.scene.labels.blocks import NodeLabels
from aidge_nb.widgets.shared import LABELS
from aidge_nb.widgets.text import elide, width_of

_LONGEST = LABELS["longest"]
_ENDLESS, _SHORT = LABELS["blocks"]["endless"], LABELS["blocks"]["short"]
_WHOLE = 4  # letters of a word that is never cut
_WORDS = re.compile(r"[^\W\d_]+|\d+(?:x\d+)*|[\W_]+")
_CAMEL = re.compile(r"(?<=[^\W\d_A-Z])(?=[A-Z])")


class Names:
    """The names of a scene, and what is written of each.

    Parameters
    ----------
    names
        Names of the nodes.
    labels
        Their blocks and leaves.

    Examples
    --------
    >>> from aidge_nb.widgets.scene.labels.blocks import label_nodes
    >>> names = [f"net_cell{cell}_{part}" for cell in (0, 1) for part in ("reduce", "conv", "add")]
    >>> known = Names(names, label_nodes(names, ["Add"] * 6))
    >>> known.path("net_cell1_reduce"), known.fit("net_cell1_reduce", 50), known.fit("other", 9)
    ('1 · reduce', 'reduce', '')
    """

    def __init__(self, names: Sequence[str], labels: NodeLabels) -> None:
        self._labels = labels
        self._node = {name: node for node, name in enumerate(names[: len(labels.leaf)])}

    @property
    def omitted(self) -> str:
        """Parts left out of all names: ``net_features_ … _fwd``; empty where nothing is."""
        prefix, suffix = self._labels.prefix, self._labels.suffix
        return f"{prefix} … {suffix}".strip() if prefix or suffix else ""

    def leaf(self, name: str) -> str:
        """Return what is left of a name without what most names have, and without its block."""
        node = self._node.get(name)
        if node is not None:
            return name[slice(*self._labels.leaf[node])]
        own = name.removeprefix(self._labels.prefix)
        return own.removesuffix(self._labels.suffix) or own or name

    def part(self, name: str) -> str:
        """Return the shortest part of the leaf that tells it from the others of its block."""
        node = self._node.get(name)
        parts = self._labels.part
        return name[slice(*parts[node])] if node is not None and parts else self.leaf(name)

    def path(self, name: str) -> str:
        """Return block and leaf."""
        block = self._labels.block[self._node[name]] if name in self._node else -1
        label, leaf = self._labels.blocks[block].label if block >= 0 else "", self.leaf(name)
        return f"{label} · {leaf}" if label and label != leaf else leaf

    def fit(self, name: str, width: float, size: float = 12.0, *, in_block: bool = False) -> str:
        """Write a name in at most ``width`` pixels, as long as possible; empty where nothing fits.

        ``in_block`` is for places that say the block already.
        """
        path = self.leaf(name) if in_block else self.path(name)
        ways = [path, self.leaf(name)]
        return fitting(ways, width, lambda text: width_of(text, size), self.part(name))


def fitting(
    ways: Sequence[str], width: float, measure: Callable[[str], float], part: str = ""
) -> str:
    """Return the first way to write a name that has room; of the last one shorter ways, too.

    ``part`` is a part of the last way that says enough.

    Examples
    --------
    >>> [fitting(["1 · 3x3_reduce_relu"[4:]], room, len) for room in (15, 14, 4, 3)]
    ['3x3_reduce_relu', '3x3_red_relu', '', '']
    """
    leaf = elide(ways[-1], _LONGEST)
    part = elide(part, _LONGEST) or leaf
    for way in (*ways[:-1], leaf, *shorter(leaf), part, *shorter(part)):
        text = elide(way, _LONGEST)
        if measure(text) <= width:
            return text
    if len(leaf) > _ENDLESS:
        for limit in range(_ENDLESS, 7, -4):
            if measure(text := elide(leaf, limit)) <= width:
                return text
    return ""


def shorter(leaf: str) -> list[str]:
    """List the one short way to write a leaf; empty where there is none.

    Words are cut to three letters from the left, the last one at last, until few letters are left.
    A word of four letters stays: one letter less is harder to read, and hardly shorter. The last
    word alone could be that of another leaf.

    Examples
    --------
    >>> [shorter(leaf) for leaf in ("3x3_reduce_relu", "relu_expand3x3", "wide, tile 0")]
    [['3x3_red_relu'], ['relu_exp3x3'], []]
    """
    words = [part for word in _WORDS.findall(leaf) for part in _CAMEL.split(word)]
    last = max((at for at, word in enumerate(words) if word[0].isalpha()), default=0)
    found: list[str] = []
    for at in range(last + 1 if last else 0):
        if len(words[at]) > _WHOLE and words[at][0].isalpha():
            words[at] = words[at][:3]
            found = ["".join(words)]
            if len(found[0]) <= _SHORT:
                break
    return found
