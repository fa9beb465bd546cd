"""Draw the picture that stands for a whole view: findings, order and memory on one clock.

Findings on top; below one ruler of ticks the blocks, the operators in the order that runs, and the
memory plan. Letters are large enough for paper: 14.5 px are 6 pt where the picture is 180 mm wide.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from aidge_nb.widgets.palette import FAMILIES
from aidge_nb.widgets.scene.findings import Card
from aidge_nb.widgets.scene.parts import MemoryMap
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.shared import COLOURS
from aidge_nb.widgets.still.svg.memory import (
    Ground,
    MemoryDrawing,
    PatternedMemory,
    Tag,
    covered_from,
    used_bytes,
)
from aidge_nb.widgets.still.svg.parts import (
    AT_END,
    CENTRED,
    INK,
    MUTED,
    PAPER,
    document,
    fit,
    line,
    nice_marks,
    number,
    rect,
    text,
)
from aidge_nb.widgets.still.svg.patterns import definitions, pattern_of
from aidge_nb.widgets.text import size_text, width_of

WIDTH, HEIGHT = 1200.0, 700.0
_LEFT, _RIGHT = 88.0, WIDTH - 14
_RULER, _BLOCKS, _LANE, _TOP, _BASE = 128.0, 136.0, 164.0, 206.0, 634.0
_TYPE, _LINE = 14.5, 16.0
_ASIDE = f'fill="{MUTED}" font-size="{_TYPE}" {AT_END}'
_SHADES = (0.3, 0.17)
_BOLD = 1.18
"""How much wider bold letters are, in fonts with wide ones."""

_MOST_TICKS = 2400
"""Operators that are drawn one by one; of more, one is drawn for each half pixel."""

_FREE_COLUMNS, _MOST_BOXES, _NEAR = 24, 2000, 44.0
_MOST_READ = 1_000_000
"""Ticks of all buffers together that are looked at one by one."""

_PEAK = COLOURS["light"]["peak"]


def overview_svg(
    scene: Scene,
    memory: MemoryMap,
    *,
    patterns: bool = False,
    window: tuple[int, int] | None = None,
) -> str:
    """Draw findings, order and memory of a scene on one clock, 1200 × 700.

    With ``patterns``, families of operators can be told apart without colours; with a ``window``,
    its ticks are drawn, half-open, and not all.
    """
    lines = [_sentence(scene, card) for card in _told(scene.findings)]
    title = f"{scene.title}: findings, order and memory"
    return document(WIDTH, HEIGHT, title, _Overview(scene, memory, patterns, window).parts(lines))


def _told(cards: Sequence[Card]) -> list[Card]:
    """Choose what the picture says: the peak, then what to do, or else whether a layout helps."""
    peak = [card for card in cards if card.kind == "peak"][:1]
    others = [card for card in cards if card.kind == "change"] or [
        card for card in cards if card.kind in ("layout", "fit")
    ]
    return [*peak, *others[:1]]


def _sentence(scene: Scene, card: Card) -> tuple[str, str, str]:
    """Return the bold beginning of a finding, the rest that has room, and its colour."""
    title, _, rest = card.words(scene.names.path).partition(": ")
    head = title.capitalize() + (" " if title.endswith("?") else ": ")
    room = _RIGHT - 40 - width_of(head, _LINE * _BOLD)
    while width_of(rest, _LINE) > room and " " in rest:
        rest = rest.rpartition(next(cut for cut in (". ", ", ", " ") if cut in rest))[0]
    colours = {"peak": _PEAK, "good": COLOURS["light"]["good"]}
    return head, rest, colours.get(card.edge, INK)


class _Overview:
    """The parts of the picture, from top to bottom."""

    def __init__(
        self,
        scene: Scene,
        memory: MemoryMap,
        has_patterns: bool = False,
        window: tuple[int, int] | None = None,
    ) -> None:
        self._has_patterns = has_patterns
        self._scene, self._memory, self._names = scene, memory, scene.names
        ground = Ground(_LEFT, _RIGHT, _TOP, _BASE, is_linked=True, type=_TYPE, window=window)
        self._drawing = (PatternedMemory if has_patterns else MemoryDrawing)(scene, memory, ground)
        self._order = memory.tick_node.tolist()
        told = [card.tick for card in scene.findings if card.kind == "peak"]
        self._peak = told[0] if told else int(used_bytes(memory).argmax())
        blocks = scene.labels.block
        self._runs = [
            (block, [tick for tick, _ in run])
            for block, run in groupby(
                enumerate(self._order),
                lambda each: blocks[each[1]] if each[1] < len(blocks) else -1,
            )
        ]

    def parts(self, lines: Sequence[tuple[str, str, str]]) -> Iterator[str]:
        """Draw everything; ``lines`` are the findings."""
        if self._has_patterns:
            yield from definitions()
        yield from self._head(lines)
        x = self._drawing.x(self._peak)
        wide = max(1.0, self._drawing.x(self._peak + 1) - x)
        if self._is_inside(self._peak):
            yield rect(x, _RULER, wide, _BASE - _RULER, f'fill="{_PEAK}" fill-opacity="0.18"')
        yield from self._ruler()
        if self._scene.labels.blocks:
            yield from self._blocks()
        yield from self._lane()
        yield from self._drawing.parts()
        yield from self._alive()
        yield from self._notes()
        yield from self._foot()

    def _head(self, lines: Sequence[tuple[str, str, str]]) -> Iterator[str]:
        title = fit(self._scene.title, 560, 22 * _BOLD)
        yield text(14, 32, title, 'font-size="22" font-weight="600"')
        told = ("operators", "parameters", "MACs")
        said = [f"{value} {name}" for name, value in self._scene.figures if name in told]
        graph = self._scene.graph
        inputs = [end.dims for end in graph.terminals if end.is_input] if graph else []
        facts = ", ".join([*said, *(f"input {dims}" for dims in inputs if len(inputs) == 1)])
        omitted = self._scene.names.omitted
        longer = f"{facts}, names without {omitted}" if omitted else facts
        x = 14 + width_of(title, 22 * _BOLD) + 14
        line = next((each for each in (longer, facts) if x + width_of(each, 15) < _RIGHT), "")
        if line:
            yield text(x, 32, line, f'font-size="15" fill="{MUTED}"')
        for place, (head, rest, colour) in enumerate(lines):
            y = 64 + 26 * place
            yield rect(14, y - 16, 4, 22, f'fill="{colour}"')
            size = f'font-size="{number(_LINE)}"'
            yield text(28, y, head, f'{size} font-weight="600" fill="{colour}"')
            yield text(34 + width_of(head, _LINE * _BOLD), y, rest, size)

    def _ruler(self) -> Iterator[str]:
        small = f'fill="{MUTED}" font-size="{number(_TYPE)}"'
        yield text(_LEFT - 8, _RULER - 6, "tick", f"{small} {AT_END}")
        for tick in nice_marks(self._drawing.first, self._drawing.stop, 16):
            x = self._drawing.x(tick + 0.5)
            if x + width_of(str(tick), _TYPE) / 2 < _RIGHT:
                yield text(x, _RULER - 6, str(tick), f"{small} {CENTRED}")
                yield line(x, _RULER - 2, x, _RULER + 3, f'stroke="{MUTED}"')

    def _blocks(self) -> Iterator[str]:
        yield text(_LEFT - 8, _BLOCKS + 16, "block", _ASIDE)
        for place, (block, ticks) in enumerate(self._runs):
            ticks = [tick for tick in ticks if self._is_inside(tick)]
            if block < 0 or not ticks:
                continue
            x, end = self._drawing.x(ticks[0]), self._drawing.x(ticks[-1] + 1)
            shade = f'fill="{MUTED}" fill-opacity="{_SHADES[place % 2]}"'
            yield rect(x + 0.5, _BLOCKS, end - x - 1, 24, shade)
            label = self._scene.labels.blocks[block].label
            if width_of(label, _TYPE) + 8 <= end - x:
                bold = f'font-size="{number(_TYPE)}" font-weight="600" {CENTRED}'
                yield text((x + end) / 2, _BLOCKS + 17, label, bold)

    def _lane(self) -> Iterator[str]:
        """Draw the operators in the order that runs, a path for each colour."""
        yield text(_LEFT - 8, _LANE + 18, "operator", _ASIDE)
        paths: dict[int, list[str]] = {}
        apart = 0.7 if self._drawing.x(1) - self._drawing.x(0) > 4 else 0.0
        first, stop = self._drawing.first, min(self._drawing.stop, len(self._order))
        for tick in range(first, stop, max(1, -(-(stop - first) // _MOST_TICKS))):
            x, end = self._drawing.x(tick), self._drawing.x(tick + 1)
            wide = number(max(0.5, end - x - apart))
            family = self._scene.nodes[self._order[tick]].colours
            paths.setdefault(family, []).append(f"M{number(x)} {number(_LANE)}h{wide}v26h-{wide}z")
        for family, path in paths.items():
            for fill in self._fills(family):
                yield f'<path {fill} d="{"".join(path)}"/>'

    def _alive(self) -> Iterator[str]:
        """Outline what is alive at the peak, and the operator that runs there."""
        style = f'fill="none" stroke="{INK}" stroke-width="2"'
        x, end = self._drawing.x(self._peak), self._drawing.x(self._peak + 1)
        if end - x > 3 and self._is_inside(self._peak):
            yield rect(x, _LANE - 1, end - x, 28, style)
        lower = self._memory.lower.tolist()
        for buffer, until in enumerate(covered_from(self._memory, range(len(lower)))):
            x, y, wide, high = self._drawing.place(buffer, until)
            is_alive = lower[buffer] <= self._peak < until and self._drawing.shows(buffer)
            if is_alive and min(wide, high) > 3:
                yield rect(x, y, wide, high, style)

    def _notes(self) -> Iterator[str]:
        """Write notes where nothing lies, each with a line to what it is about."""
        taken = self._taken()
        for (x, y), label, more in self._said():
            wide = max(width_of(label, _TYPE + 1), width_of(more, _TYPE)) + 12
            place = free_place(taken, (x, y), wide, 42.0)
            if place is None or not _LEFT <= x <= _RIGHT:
                continue
            left, top = place
            end = left - 4 if left > x else left + wide + 4
            yield line(x, y, end, top + 16, f'stroke="{MUTED}"')
            bold = f'font-size="{number(_TYPE)}" font-weight="600"'
            yield text(left, top + 16, label, bold)
            yield text(left, top + 35, more, f'font-size="{number(_TYPE)}" fill="{MUTED}"')
            taken.append((left, top, left + wide, top + 42))

    def _taken(self) -> list[Tag]:
        """List the boxes of buffers, and of the line of the peak."""
        upper = self._memory.upper.tolist()
        places = [
            self._drawing.place(buffer, until)
            for buffer, until in enumerate(upper)
            if self._drawing.shows(buffer)
        ]
        boxes = [(x, y, x + wide, y + high) for x, y, wide, high in places]
        peak = self._drawing.y(self._memory.peak)
        return [*boxes, (_LEFT, peak - 24, _RIGHT, peak + 6)]

    def _said(self) -> Iterator[tuple[tuple[float, float], str, str]]:
        """List what to point at: the peak, the next highest block, and from where on it is low."""
        peak = self._peak
        alive = np.array(alive_bytes(self._memory))
        node = self._scene.nodes[self._order[peak]]
        sizes = self._memory.size[
            (self._memory.lower <= peak) & (peak < self._memory.upper)
        ].tolist()
        total = " + ".join(map(size_text, sorted(sizes, reverse=True)[:3]))
        more = f" + {len(sizes) - 3} more" if len(sizes) > 3 else ""
        yield self._beside(peak), f"tick {peak}: {self._names.path(node.name)} runs", total + more
        runs = [(block, [t for t in ticks if self._is_inside(t)]) for block, ticks in self._runs]
        tops = [(int(alive[ticks].max()), block, ticks) for block, ticks in runs if ticks]
        tops = [each for each in tops if each[1] >= 0]
        others = [each for each in tops if peak not in each[2]]
        if not others or self._drawing.is_part:
            return
        blocks = self._scene.labels.blocks
        size, block, ticks = max(others, key=lambda each: each[0])
        tick = ticks[int(alive[ticks].argmax())]
        label = f"block {blocks[block].label}: {size_text(size)}"
        yield self._beside(tick), label, f"the next highest block, at tick {tick}"
        high = [place for place, (size, *_) in enumerate(tops) if size * 4 > alive[peak]]
        low = max(high, default=-1) + 1
        if low > len(tops) - 3:
            return
        most = max(size for size, *_ in tops[low:])
        first = blocks[tops[low][1]].label
        middle = tops[(low + len(tops)) // 2]
        where = self._beside(middle[2][int(alive[middle[2]].argmax())])
        yield where, f"from block {first} on", f"at most {size_text(most)} alive"

    def _is_inside(self, tick: int) -> bool:
        return self._drawing.first <= tick < self._drawing.stop

    def _beside(self, tick: int) -> tuple[float, float]:
        """Return the right end of the buffer that lies highest at a tick."""
        memory = self._memory
        alive = np.flatnonzero((memory.lower <= tick) & (tick < memory.upper))
        top = alive[(memory.offset + memory.size)[alive].argmax()] if alive.size else None
        if top is None:
            return self._drawing.x(tick + 1), self._drawing.y(0)
        middle = int(memory.offset[top]) + int(memory.size[top]) / 2
        return self._drawing.x(int(memory.upper[top])), self._drawing.y(middle)

    def _foot(self) -> Iterator[str]:
        small = f'font-size="{number(_TYPE)}" fill="{MUTED}"'
        said = (
            "position in the order that runs (tick); "
            "a rectangle is one tensor: when it is alive, and its bytes in the arena"
        )
        yield text(_LEFT, _BASE + 24, said, small)
        x, y = _LEFT, _BASE + 42
        shown = self._order[self._drawing.first : self._drawing.stop]
        kinds = sorted({self._scene.nodes[node].colours for node in shown})
        keys = [(FAMILIES[kind].name, self._fills(kind)) for kind in kinds]
        alive = [f'fill="{PAPER}" stroke="{INK}" stroke-width="2"']
        for name, styles in [*keys, ("alive at the peak", alive)]:
            if x + width_of(name, _TYPE) + 24 > _RIGHT:
                return
            yield from (rect(x, y, 13, 13, style) for style in styles)
            yield text(x + 20, y + 12, name, small)
            x += width_of(name, _TYPE) + 46
        if x + 90 < _RIGHT:
            yield text(_RIGHT, y + 12, "aidge_nb", f"{small} {AT_END}")

    def _fills(self, family: int) -> list[str]:
        """Return the colour of a family and, where there are patterns, its pattern over it."""
        pattern = [pattern_of(family)] if self._has_patterns else []
        return [f'fill="{FAMILIES[family].light}"', *pattern]


def alive_bytes(memory: MemoryMap) -> list[int]:
    """Return the bytes alive at each tick; addresses that several buffers share count once."""
    if int((memory.upper - memory.lower).sum()) > _MOST_READ:
        found: list[int] = used_bytes(memory).tolist()
        return found
    start = np.argsort(memory.offset, kind="stable")
    alive: list[list[tuple[int, int]]] = [[] for _ in range(memory.tick_node.size)]
    for buffer in start.tolist():
        offset, size = int(memory.offset[buffer]), int(memory.size[buffer])
        for tick in range(int(memory.lower[buffer]), min(int(memory.upper[buffer]), len(alive))):
            alive[tick].append((offset, offset + size))
    counted = []
    for boxes in alive:
        reached = total = 0
        for low, high in boxes:
            total += max(0, high - max(low, reached))
            reached = max(reached, high)
        counted.append(total)
    return counted


def free_place(
    taken: Sequence[Tag], point: tuple[float, float], wide: float, high: float
) -> tuple[float, float] | None:
    """Find a box near a point, to its right or left, in which nothing lies; None where none is.

    Examples
    --------
    >>> free_place([(88.0, 206.0, 300.0, 634.0)], (300.0, 400.0), 200.0, 42.0)
    (332.0, 379.0)
    """
    boxes = np.array(taken, float).reshape(-1, 4)
    if boxes.shape[0] > _MOST_BOXES:
        return None
    x, y = point
    found: list[tuple[float, float, float]] = []
    for across in range(_FREE_COLUMNS):
        for left in (x + 32 + 40 * across, x - 32 - 40 * across - wide):
            if left < _LEFT + 8 or left + wide > _RIGHT:
                continue
            for top in [*np.arange(_TOP, _BASE - high, 12.0).tolist(), y - high / 2]:
                distance = abs(left - x) + 1.5 * abs(top + high / 2 - y)
                found.append((distance, left, top))
    for _, left, top in sorted(found):
        if top < _TOP or top + high > _BASE:
            continue
        apart = (
            (boxes[:, 0] >= left + wide)
            | (boxes[:, 2] <= left - 6)
            | (boxes[:, 1] >= top + high)
            | (boxes[:, 3] <= top)
        )
        end = left - 4 if left > x else left + wide + 4
        if apart.all() and not _crosses(boxes, (x, y), (end, top + 16)):
            return left, top
    return None


def _crosses(boxes: np.ndarray, start: tuple[float, float], end: tuple[float, float]) -> bool:
    """Tell whether a line meets a box away from its start."""
    length = float(np.hypot(end[0] - start[0], end[1] - start[1]))
    share = np.arange(min(_NEAR, length), length, 3.0) / max(1.0, length)
    x, y = (start[axis] + (end[axis] - start[axis]) * share[:, None] for axis in (0, 1))
    inside = (boxes[:, 0] < x) & (x < boxes[:, 2]) & (boxes[:, 1] < y) & (y < boxes[:, 3])
    return bool(inside.any())
