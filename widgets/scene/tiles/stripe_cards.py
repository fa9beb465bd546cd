"""Put a tiling into stripes into words: its peak, its price, and whether another way is better."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING

from aidge_nb.advice.reading import held_bytes
from aidge_nb.widgets.scene.findings import NAMED, Card
from aidge_nb.widgets.text import count_text, size_text

if TYPE_CHECKING:
    from aidge_nb.tiling.stripes import StripeStudy, StripeWay
    from aidge_nb.tiling.tiles import Tiling

Short = Callable[[str], str]


def stripe_cards(
    study: StripeStudy, ways: Sequence[StripeWay], at: int, unit: str, short: Short
) -> tuple[Card, ...]:
    """Return what there is to say about a way of a study.

    Parameters
    ----------
    study
        The study.
    ways
        Its ways as they are drawn.
    at
        Index of the way.
    unit
        What is counted along the cut axis.
    short
        Shortens the name of a node.
    """
    way = ways[at]
    if len(study.axes) > 1:
        return grid_cards(study.whole, way, short, first=1)
    cards = [_peak(study.whole, way, short), price_card(way.tiling, unit)]
    return (*cards, *_better(ways, way, unit))


def grid_cards(
    whole: StripeWay, way: StripeWay, short: Short, *, first: int = 0
) -> tuple[Card, ...]:
    """Return peak and price of a grid of tiles, compared with the whole.

    ``first`` is the number of the first tile: 0 beside nodes, which are named so.
    """
    return _peak(whole, way, short, "tile", first), price_card(way.tiling, "values")


def price_card(tiling: Tiling, unit: str = "rows") -> Card:
    """Say what a tiling costs in multiply-accumulates and reads.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")])
    >>> view.forward_dims([[1, 3, 66, 66]])
    True
    >>> price_card(aidge_nb.plan_tiling(view, view.get_node("conv0"), {2: 4})).words()
    'PRICE: +0.0 % MACs nothing is computed twice: 3.54 M; input rows are read 1.09 times'
    """
    kept = tiling.halo == "cache" and len(tiling.tiles) > 1
    if tiling.tiled_macs > tiling.macs:
        why = "because halos are recomputed"
        macs = f"{count_text(tiling.tiled_macs)} instead of {count_text(tiling.macs)}"
    else:
        why = "because halos are kept" if kept else "nothing is computed twice"
        macs = count_text(tiling.macs) if tiling.macs else "no multiplications"
    times = _times_read(tiling)
    read = f"; input {unit} are read {times:.2f} times" if times else ""
    edge = "warn" if tiling.tiled_macs > tiling.macs else "dim"
    figure = f"{100 * tiling.overhead:+.1f} % MACs".replace("-", "−")
    return Card("price", "PRICE", edge, figure, why, f"{macs}{read}")


def _times_read(tiling: Tiling) -> float:
    """Return how often tiles read an element of the input that is read at all."""
    parts = [tile.part(tiling.nodes[0]) for tile in tiling.tiles]
    regions = [part.inputs[0][1] for part in parts if part is not None and part.inputs]
    if not regions:
        return 0.0
    read = tiling.read(tiling.nodes[0], next(p for p in parts if p is not None).inputs[0][0])
    whole = tiling.itemsize
    for axis in range(len(regions[0])):
        whole *= max(each[axis].stop for each in regions) - min(e[axis].start for e in regions)
    return read / whole if whole else 0.0


def _peak(
    whole: StripeWay, way: StripeWay, short: Short, noun: str = "stripe", first: int = 1
) -> Card:
    before, plan = whole.plan.peak, way.plan
    change = "nothing is tiled"
    if way is not whole:
        less = 100 * (1 - plan.peak / before) if before else 0.0
        change = f"{change_text(less)}, was {size_text(before)}" if less else "as without tiles"
    parts = list(_parts(way, short))
    named = [f"{name} {size_text(size)}" for name, size in parts[:NAMED]]
    if len(parts) > NAMED:
        named.append(f"{len(parts) - NAMED} more {size_text(sum(n for _, n in parts[NAMED:]))}")
    holes = plan.peak - sum(size for _, size in parts)
    if holes:
        named.append(f"{size_text(holes)} of holes")
    gap = f"; lower bound {size_text(plan.lower_bound)}" if plan.gap else ""
    text = f"{_where(way, short, noun, first)}: {' + '.join(named)}{gap}"
    return Card("peak", "PEAK", "peak", size_text(plan.peak), change, text, why=_WHY)


_WHY = (
    "The peak of the memory plan of the whole graph, in topological order, with tiles put together "
    "without copies. Inputs of the graph are not counted."
)


def change_text(less: float) -> str:
    """Write by how many percent something is less, or more.

    Examples
    --------
    >>> change_text(79.8), change_text(-3.0), change_text(0.2)
    ('−80 %', '+3 %', '−0.2 %')
    """
    sign, size = ("−", less) if less >= 0 else ("+", -less)
    return f"{sign}{size:.0f} %" if size >= 1 else f"{sign}{size:.1f} %"


def _where(way: StripeWay, short: Short, noun: str, first: int) -> str:
    """Say when the peak is: in which stripe or tile, or while which operator runs."""
    tick = way.plan.peak_tick
    name = way.plan.order[tick] if way.plan.order else ""
    own = way.nodes.get(name)
    if own is None:
        return f"outside of these operators, while {short(name)} runs (tick {tick})"
    if way.count == 1:
        return f"while {short(own.of)} runs"
    if own.stripe < 0:
        return f"where {noun}s are joined"
    return f"in {noun} {own.stripe + first}"


def _parts(way: StripeWay, short: Short) -> Iterator[tuple[str, int]]:
    """Yield what the peak is made of: maps of the stripe, results so far, halos, other buffers."""
    plan = way.plan
    if not plan.order:
        return
    now = way.nodes.get(plan.order[plan.peak_tick])
    found: Counter[str] = Counter()
    for held in held_bytes(plan, plan.peak_tick):
        own = way.nodes.get(held.node)
        if own is None:
            found["other buffers"] += held.size
        elif way.count > 1 and own.of == way.tiling.nodes[-1]:
            found["result so far"] += held.size
        elif own.moves == "Concat" and way.halo == "cache":
            found[f"{short(own.of)} with its halo"] += held.size
        elif own.moves or (now is not None and own.stripe != now.stripe):
            found["kept halos" if way.halo == "cache" else "copies"] += held.size
        else:
            found[short(own.of)] += held.size
    yield from found.most_common()


def _better(ways: Sequence[StripeWay], way: StripeWay, unit: str) -> Iterator[Card]:
    """Yield a card for the same stripes with halos treated otherwise, if that is better."""
    for at, other in enumerate(ways):
        if other.count != way.count or other.halo == way.halo or way.count == 1:
            continue
        mine, its = ((w.plan.peak, w.tiling.tiled_macs) for w in (way, other))
        if its[0] > mine[0] or its[1] > mine[1] or its == mine:
            continue
        keeps = other.halo == "cache"
        figure = f"{'Keep' if keeps else 'Recompute'} the halos: {size_text(its[0])}"
        less = 100 * (1 - its[0] / mine[0]) if mine[0] else 0.0
        more = f"{100 * other.tiling.overhead:.1f} % more MACs"
        headline = f"{change_text(less)}, {more}" if less else more
        text = "Nothing is kept from one stripe to the next."
        if keeps:
            rows = _most_kept(other.tiling)
            noun = unit if rows != 1 else unit.removesuffix("s")
            text = f"Up to {rows} {noun} of each map stay in memory from one stripe to the next."
        label = "keep halos" if keeps else "recompute halos"
        yield Card("change", "DO THIS", "good", figure, headline, text, act=label, way=at)


def _most_kept(tiling: Tiling) -> int:
    """Return the most rows of a map that a stripe takes over from the one before."""
    return max(
        (
            a.size - b.size
            for tile in tiling.tiles
            for part in tile.parts
            for a, b in zip(part.needed, part.output, strict=True)
        ),
        default=0,
    )
