"""Put findings into words: a card each, with one figure, one sentence and what can be done.

The words are those of the strip above the panels, and of what reports say at their end. ``{0}``
stands for the first node of a card: the browser writes it as short as its panels do.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from aidge_nb.advice.findings import (
    BoundFinding,
    ChangeFinding,
    Finding,
    FitFinding,
    LayoutFinding,
    MemoryFullFinding,
    PeakFinding,
    WaitFinding,
)
from aidge_nb.core.values import dataclass
from aidge_nb.widgets.text import elide, size_text

if TYPE_CHECKING:
    from aidge_nb.memory.values.plan import MemoryPlan

NAMED = 3
"""Buffers of the peak that are named; the others are counted."""

LONGEST = 80
"""Characters of a path that a card writes."""

MOST_DRAWN = 4000
"""Most rectangles of a layout that is drawn for comparison."""


@dataclass(frozen=True, slots=True)
class Card:
    """A finding in words.

    Attributes
    ----------
    kind
        Kind of the finding.
    title, edge
        What it is about, in capitals, and the colour of its edge.
    figure, headline, text
        The one figure, the rest of its line, and a sentence.
    nodes
        Names of the nodes that ``{0}``, ``{1}``, … in headline and text stand for.
    bar
        Parts of a bar: node and bytes; ``total`` is its whole length.
    tick
        The tick to look at, or the cycle of a machine; -1 for none.
    why
        A longer explanation.
    where
        Names of the nodes that it concerns.
    python
        Lines that do it.
    layout
        Rectangles of the layout that it leads to, and its ticks and bytes.
    act, way
        Label of a button that shows another way to tile, and the index of that way.
    """

    kind: str
    title: str
    edge: str
    figure: str
    headline: str = ""
    text: str = ""
    nodes: tuple[str, ...] = ()
    bar: tuple[tuple[str, int], ...] = ()
    total: int = 0
    tick: int = -1
    why: str = ""
    where: tuple[str, ...] = ()
    python: str = ""
    layout: MemoryPlan | None = None
    act: str = ""
    way: int = -1

    def words(self, short: Callable[[str], str] = str) -> str:
        """Return the card as one line of text; ``short`` abbreviates names of nodes."""
        glue = ", " if self.kind in ("layout", "change", "wait", "loop") else " "
        line = glue.join(filter(None, (self.figure, self.headline)))
        line += f": {self.text}" if self.text else ""
        for number, name in enumerate(self.nodes):
            line = line.replace(f"{{{number}}}", short(name))
        return f"{self.title}: {line}"

    def to_meta(self, find: Callable[[str], int]) -> dict[str, Any]:
        """Return plain values for the browser; ``find`` tells the number of a node."""
        made: dict[str, Any] = {
            name: getattr(self, name) for name in ("kind", "title", "edge", "figure")
        }
        for name in ("headline", "text", "why", "python", "total"):
            if getattr(self, name):
                made[name] = getattr(self, name)
        if self.tick >= 0:
            made["tick"] = self.tick
        if self.act:
            made["act"] = [self.act, self.way]
        for name in ("nodes", "where"):
            if getattr(self, name):
                made[name] = [find(each) for each in getattr(self, name)]
        if self.bar:
            made["bar"] = [[find(node), size] for node, size in self.bar]
        if self.layout is not None:
            made["layout"] = _layout(self.layout, find)
        return made


_WORD = re.compile(r"[^\W\d_]{3}")


def cards_of(
    findings: Iterable[Finding], types: Mapping[str, str] | None = None
) -> tuple[Card, ...]:
    """Put findings into words; ``types`` has those of nodes, for names such as ``n10``.

    Examples
    --------
    >>> from aidge_nb.advice import FitFinding
    >>> cards_of([FitFinding("ram", 2**20, 2**20 + 2048)])[0].words()
    'DOES NOT FIT: 2 KiB too much for 1 MiB of ram: Nothing known here brings it there.'
    """
    given = list(findings)
    changes = [each for each in given if isinstance(each, ChangeFinding)]
    cards = []
    for each in given:
        if isinstance(each, FitFinding):
            cards.append(_fit(each, changes))
        elif isinstance(each, ChangeFinding):
            is_first = each is changes[0]
            title, why = ("DO THIS", _searched(each)) if is_first else ("OR", "")
            cards.append(replace(_change(each), title=title, why=why))
        else:
            cards.append(_WORDS[type(each)](each))
        if isinstance(each, PeakFinding) and not _WORD.search(each.node):
            kind = (types or {}).get(each.node)
            typed = f"{{0}} ({kind})" if kind else "{0}"
            cards[-1] = replace(cards[-1], headline=cards[-1].headline.replace("{0}", typed))
        if isinstance(each, LayoutFinding) and not changes:
            cards[-1] = replace(cards[-1], why=f"{cards[-1].why} {_MORE}")
    return tuple(cards)


_MORE = (
    "All changes that lower the peak are searched when asked for: aidge-nb report --advice "
    "(10 s), or aidge_nb.advice.find_changes(graph, plan)."
)


def _searched(found: ChangeFinding) -> str:
    """Say which changes were tried."""
    made = "Each change was planned for, and its plan checked."
    if found.limit is None:
        return f"All changes that are known here were tried, and sets of them. {made}"
    if found.limit:
        return f"The search was stopped after {found.limit:g} s; not every change was tried. {made}"
    if found.measures == ("layout",):
        return f"A quick search of other addresses found it. {made} {_MORE}"
    return f"A quick search found it: single changes, and stripes of one chain. {made} {_MORE}"


def _peak(found: PeakFinding) -> Card:
    parts = tuple((each.node, each.size) for each in found.alive)
    named = [f"{{{n}}} {size_text(each.size)}" for n, each in enumerate(found.alive[:NAMED], 1)]
    if len(found.alive) > NAMED:
        named.append(f"+ {len(found.alive) - NAMED} more")
    if found.holes:
        named.append(f"holes {size_text(found.holes)}")
    return Card(
        found.kind,
        "PEAK",
        "peak",
        size_text(found.peak),
        f"while {{0}} runs (tick {found.tick})",
        ", ".join(named),
        nodes=(found.node, *(node for node, _ in parts[:NAMED])),
        bar=parts,
        total=found.peak,
        tick=found.tick,
    )


def _layout_help(found: LayoutFinding) -> Card:
    holes = f"{size_text(found.holes)} of holes at the peak."
    others = "Only other buffers help: tile, fuse, share, reorder."
    card = Card(found.kind, "CAN A LAYOUT HELP?", "dim", "No", "peak = lower bound")
    at = f"At tick {found.tick}, {size_text(found.live)} are alive at once"
    if not found.gain:
        why = (
            f"{at}, and every layout must hold them at different addresses. This layout takes "
            "exactly that, so none can take less."
            if not found.holes
            else "The sizes of these buffers and the ticks at which they are alive leave no layout "
            f"that takes less than {size_text(found.lower_bound)}, and this one takes just that."
        )
        return replace(card, text=f"{holes} {others}", why=why)
    most = size_text(found.gain)
    why = (
        f"No layout of these buffers can do with fewer than {size_text(found.lower_bound)}, the "
        f"lower bound; this one takes {size_text(found.peak)}. What lies between is {most}."
    )
    if found.searched:
        return replace(card, figure=f"By at most {most}", headline="", text=holes, why=why)
    text = f"{holes} By at most {most}."
    return replace(card, figure="Not known", headline="search stopped", text=text, why=why)


def _fit(found: FitFinding, changes: Sequence[ChangeFinding]) -> Card:
    room = f"for {size_text(found.capacity)} of {found.memory}"
    if not found.excess:
        left = size_text(found.capacity - found.peak)
        return Card(found.kind, "FITS", "good", f"{left} left", room)
    there = next((each for each in changes if each.peak <= found.capacity), None)
    text = "Nothing known here brings it there."
    if there is not None:
        text = f"{_done(there)} brings it to {size_text(there.peak)}."
    too_much = f"{size_text(found.excess)} too much"
    return Card(found.kind, "DOES NOT FIT", "peak", too_much, room, text)


_DONE = {
    "layout": "Lay out again",
    "in place": "Work in place",
    "parts": "Join and split without copies",
    "order": "Reorder",
    "by rows": "Overwrite row by row",
    "fuse": "Fuse operators",
}
_PRICE = {
    "layout": "The same buffers at other addresses.",
    "in place": "Results of element-wise operators are written over their input.",
    "parts": "Slice, Split and Concat copy nothing.",
    "order": "The same operators in another order.",
    "by rows": "Convolutions and poolings run over their input, a row at a time.",
    "fuse": "Needs kernels that compute two operators together.",
}


def _done(found: ChangeFinding) -> str:
    count = len(found.chains)
    tiled = f"Tile {count} {'chain' if count == 1 else 'chains'}"
    first, *others = [_DONE.get(each, tiled) for each in found.measures]
    return ", ".join([first, *(each[0].lower() + each[1:] for each in others)])


def _change(found: ChangeFinding) -> Card:
    less = f"−{100 * (1 - found.peak / found.before):.0f} %"
    macs = f"{100 * found.extra_macs:.1f} % more MACs" if found.chains else "no more MACs"
    texts = [_PRICE[each] for each in found.measures if each in _PRICE]
    nodes: list[str] = []
    if found.chains:
        texts.insert(0, _chains(found, nodes))
    small = len(found.plan.buffers) <= MOST_DRAWN
    return Card(
        found.kind,
        "DO THIS",
        "good",
        f"{_done(found)}: {size_text(found.peak)}",
        f"{less}, {macs}",
        " ".join(texts),
        nodes=tuple(nodes),
        where=found.nodes,
        python=found.python,
        layout=found.plan if small else None,
    )


def _chains(found: ChangeFinding, nodes: list[str]) -> str:
    """Say which chains are tiled; ``nodes`` receives the names."""
    texts = []
    for chain in found.chains[:2]:
        rows, columns = chain.grid
        cut = f"{rows}×{columns} tiles" if min(chain.grid) > 1 else f"{max(chain.grid)} stripes"
        ends = f"{{{len(nodes)}}} … {{{len(nodes) + 1}}}"
        texts.append(f"{ends} in {cut}")
        nodes += [chain.nodes[0], chain.nodes[-1]]
    more = len(found.chains) - len(texts)
    kept = {"cache": "halos kept", "recompute": "halos recomputed"}
    halos = " or ".join(dict.fromkeys(kept[chain.halo] for chain in found.chains))
    return f"{' and '.join(texts)}{f' and {more} more' if more else ''}, {halos}."


def _bound(found: BoundFinding) -> Card:
    works = "its 1 work takes" if found.works == 1 else f"its {found.works} works take"
    return Card(
        found.kind,
        "BOUND BY",
        "peak",
        elide(found.device, LONGEST),
        f"busy {100 * found.busy / found.cycles:.0f} % of {found.cycles:,} cycles",
        f"{works} {found.busy:,} cycles; dealt like this, nothing ends sooner",
        tick=found.first,
    )


def _wait(found: WaitFinding) -> Card:
    gaps = sorted((stop - start for start, stop in found.gaps), reverse=True)
    between = " + ".join(f"{each:,}" for each in gaps[:NAMED])
    more = f" + {sum(gaps[NAMED:]):,} in {len(gaps) - NAMED} more" if len(gaps) > NAMED else ""
    texts = [f"{between}{more} for data between works"] if gaps else []
    texts += [f"{found.start:,} at the start"] if found.start else []
    texts += [f"{found.end:,} at the end"] if found.end else []
    share = f"{100 * found.waiting / found.cycles:.0f} %"
    figure = f"{found.waiting:,} cycles"
    text, tick = ", ".join(texts), found.longest[0]
    return Card(found.kind, "WHERE IT WAITS", "peak", figure, share, text, tick=tick)


def _full(found: MemoryFullFinding) -> Card:
    share = f"({100 * found.used / found.capacity:.0f} %)"
    used = f"{size_text(found.used)} of {size_text(found.capacity)} {share}"
    others = "; ".join(
        f"{elide(path, LONGEST)} {size_text(need)} of {size_text(room)}"
        for path, need, room in found.others[:3]
    )
    memory = elide(found.memory, LONGEST)
    return Card(found.kind, "NEARLY FULL", "warn", memory, used, others, tick=found.cycle)


_WORDS: Mapping[type[Finding], Callable[[Any], Card]] = {
    PeakFinding: _peak,
    LayoutFinding: _layout_help,
    BoundFinding: _bound,
    WaitFinding: _wait,
    MemoryFullFinding: _full,
}


def finder(names: Sequence[str]) -> Callable[[str], int]:
    """Return a function that tells the number of a node by its name, -1 for none.

    Tiles, and the slices between them, have the number of the node that they are a part of.

    Examples
    --------
    >>> find = finder(["conv", "conv_in"])
    >>> find("conv"), find("conv_in_3"), find("conv_Slice_2"), find("other")
    (0, 1, 0, -1)
    """
    numbers = {name: number for number, name in enumerate(names)}

    def find(name: str) -> int:
        while name and name not in numbers:
            name = name.rpartition("_")[0]
        return numbers.get(name, -1)

    return find


def _layout(plan: MemoryPlan, find: Callable[[str], int]) -> dict[str, Any]:
    """Return the rectangles of a plan: first tick, tick after the last, offset, bytes, node."""
    boxes = [
        [buffer.lower, buffer.upper, start, stop - start, find(buffer.node)]
        for buffer in plan.buffers
        for start, stop in (buffer.part.outline(1) if buffer.levels else buffer.intervals)
    ]
    return {"ticks": len(plan.order), "bytes": plan.peak, "boxes": boxes}
