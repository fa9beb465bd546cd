"""Order nodes inside layers and place them across, the second half of the graph layout.

Order: sweeps that sort each layer by the mean position of its neighbours, as Sugiyama, Tagawa
and Toda (1981) do; the order with the fewest crossings is kept. Positions: each layer is moved as
close to its neighbours as separation allows, which is an isotonic regression and solved exactly
by pooling adjacent violators.
"""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Sequence
from itertools import pairwise

Layers = list[list[int]]
Links = Sequence[Sequence[int]]

_SWEEPS = 6
_STRAIGHT = 4.0
"""How much more a point of a long edge heeds other points of it than its ends."""
_YIELDING = 0.002
"""How little a point of a long edge pushes nodes aside: the edge bends, chains stay straight."""


def count_crossings(layers: Layers, below: Links) -> int:
    """Count the crossings between neighbouring layers.

    Examples
    --------
    >>> count_crossings([[0, 1], [2, 3]], [[3], [2], [], []])
    1
    """
    crossings = 0
    for upper, lower in pairwise(layers):
        if len(upper) < 2 or len(lower) < 2:
            continue
        rank = {node: index for index, node in enumerate(lower)}
        seen: list[int] = []
        for node in upper:
            ends = sorted(rank[target] for target in below[node])
            crossings += sum(len(seen) - bisect_left(seen, end + 1) for end in ends)
            for end in ends:
                insort(seen, end)
    return crossings


def order_layers(layers: Layers, above: Links, below: Links) -> Layers:
    """Reorder nodes inside their layers so that few edges cross.

    Parameters
    ----------
    layers
        Nodes of each layer, from top to bottom.
    above, below
        For each node its neighbours in the layer above, and in the layer below.

    Examples
    --------
    >>> order_layers([[0, 1], [2, 3]], [[], [], [1], [0]], [[3], [2], [], []])
    [[0, 1], [3, 2]]
    """
    best = [list(layer) for layer in layers]
    fewest = count_crossings(best, below)
    current = [list(layer) for layer in layers]
    position = [0.0] * len(above)
    for layer in current:
        _number(layer, position)
    for sweep in range(_SWEEPS):
        if fewest == 0:
            break
        down = sweep % 2 == 0
        for layer in current if down else reversed(current):
            if len(layer) > 1:
                _sort_by_neighbours(layer, above if down else below, position)
        crossings = count_crossings(current, below)
        if crossings < fewest:
            best, fewest = [list(layer) for layer in current], crossings
    return best


def _number(layer: list[int], position: list[float]) -> None:
    """Note positions so that layers of different sizes compare: centred on zero."""
    middle = (len(layer) - 1) / 2
    for index, node in enumerate(layer):
        position[node] = index - middle


def _sort_by_neighbours(layer: list[int], neighbours: Links, position: list[float]) -> None:
    wanted = {}
    for node in layer:
        near = neighbours[node]
        wanted[node] = (
            sum(position[other] for other in near) / len(near) if near else position[node]
        )
    layer.sort(key=wanted.__getitem__)
    _number(layer, position)


def separate(
    wanted: Sequence[float], widths: Sequence[float], weights: Sequence[float], gap: float
) -> list[float]:
    """Find the centres closest to the wanted ones that leave ``gap`` between neighbours.

    Examples
    --------
    >>> separate([0.0, 0.0], [10.0, 10.0], [1.0, 1.0], 2.0)
    [-6.0, 6.0]
    """
    return _pool(wanted, _closest(widths, gap), weights)


def _closest(widths: Sequence[float], gap: float) -> list[float]:
    """Return the centres of neighbours that lie as close as allowed."""
    offsets = [0.0] * len(widths)
    for index in range(1, len(widths)):
        offsets[index] = offsets[index - 1] + (widths[index - 1] + widths[index]) / 2 + gap
    return offsets


def _pool(
    wanted: Sequence[float], offsets: Sequence[float], weights: Sequence[float]
) -> list[float]:
    """Move neighbours that want to lie closer than ``offsets`` to the mean of their wishes."""
    free = [want - offset for want, offset in zip(wanted, offsets, strict=True)]
    if free == sorted(free):  # nobody does
        return [mean + offset for mean, offset in zip(free, offsets, strict=True)]
    blocks: list[tuple[float, float, int]] = []  # mean, weight, number of members
    for mean, weight in zip(free, weights, strict=True):
        total, members = weight, 1
        while blocks and blocks[-1][0] > mean:
            other, other_weight, other_members = blocks.pop()
            both = total + other_weight
            mean = (mean * total + other * other_weight) / both
            total, members = both, members + other_members
        blocks.append((mean, total, members))
    means = [mean for mean, _, members in blocks for _ in range(members)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]


def place_across(
    layers: Layers, above: Links, below: Links, widths: Sequence[float], thin: int, gap: float
) -> list[float]:
    """Choose the horizontal centre of every node, in pixels.

    Parameters
    ----------
    layers
        Ordered nodes of each layer.
    above, below
        What pulls each node, from above and from below: for a node those it has edges with,
        however far; for a point of a long edge its neighbours on that edge.
    widths
        Width of each node in pixels.
    thin
        Nodes from this index on are points of a long edge: they are kept in line.
    gap
        Space between neighbours in pixels.
    """
    centres = [0.0] * len(widths)
    offsets = [_closest([widths[node] for node in layer], gap) for layer in layers]
    for layer in layers:
        start = -(sum(widths[node] for node in layer) + gap * (len(layer) - 1)) / 2
        for node in layer:
            centres[node] = start + widths[node] / 2
            start += widths[node] + gap
    for views in ((above,), (below,), (above,), (below,), (above, below)):
        rows = list(zip(layers, offsets, strict=True))
        for layer, closest in rows if views[0] is above else reversed(rows):
            _move_layer(layer, closest, views, centres, thin)
    return centres


def gather(layers: Layers, centres: Sequence[float], widths: Sequence[float]) -> list[float]:
    """Shift whole layers as little as needed for all to lie within the width of the widest one.

    Layers that lean to one side more and more, as those of a comb, come to lie below each other.
    A drawing that is no wider than its widest layer stays as it is.

    Examples
    --------
    >>> gather([[0], [1], [2, 3]], [0.0, 30.0, 60.0, 80.0], [10.0, 10.0, 10.0, 10.0])
    [60.0, 80.0, 60.0, 80.0]
    """
    spans = [
        (
            min(centres[node] - widths[node] / 2 for node in layer),
            max(centres[node] + widths[node] / 2 for node in layer),
        )
        for layer in layers
        if layer
    ]
    first, last = max(spans, key=lambda span: span[1] - span[0], default=(0.0, 0.0))
    shifted = list(centres)
    shift = 0.0
    for layer, (left, right) in zip(filter(None, layers), spans, strict=True):
        shift = min(max(shift, first - left), last - right)
        for node in layer:
            shifted[node] += shift
    return shifted


def _move_layer(
    layer: list[int],
    closest: Sequence[float],
    views: tuple[Links, ...],
    centres: list[float],
    thin: int,
) -> None:
    wanted: list[float] = []
    weights: list[float] = []
    for node in layer:
        is_thin, total, pull = node >= thin, 0.0, 0.0
        for view in views:
            for other in view[node]:
                if is_thin and other >= thin:
                    total += _STRAIGHT * centres[other]
                    pull += _STRAIGHT
                else:
                    total += centres[other]
                    pull += 1.0
        wanted.append(total / pull if pull else centres[node])
        weights.append((pull or 0.1) * (_YIELDING if is_thin else 1.0))
    if len(layer) == 1:
        centres[layer[0]] = wanted[0]
        return
    for node, centre in zip(layer, _pool(wanted, closest, weights), strict=True):
        centres[node] = centre
