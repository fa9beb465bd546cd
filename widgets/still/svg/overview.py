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
from aidge_nb.widgets.still.svg.memory import Ground, MemoryDrawing, Tag, covered_from
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
    node_colour,
    number,
    rect,
    text,
)
from aidge_nb.widgets.text import size_text, width_of

WIDTH, HEIGHT = 1200.0, 700.0
_LEFT, _RIGHT = 88.0, WIDTH - 14
_RULER, _BLOCKS, _LANE, _TOP, _BASE = 128.0, 136.0, 164.0, 206.0, 634.0
_TYPE, _LINE = 14.5, 16.0
_SHADES = (0.3, 0.17)
_BOLD = 1.18
"""How much wider bold letters are, in fonts with wide ones."""

_MOST_TICKS = 2400
"""Operators that are drawn one by one; of more, one is drawn for each half pixel."""

_FREE_COLUMNS, _MOST_BOXES, _NEAR = 24, 2000, 44.0
_PEAK = COLOURS["light"]["peak"]


def overview_svg(scene: Scene, memory: MemoryMap) -> str:
    """Draw findings, order and memory of a scene on one clock, 1200 × 700."""
    lines = [_sentence(scene, card) for card in _told(scene.findings)]
    title = ". ".join([scene.title, *(head + rest for head, rest, _ in lines)])
    return document(WIDTH, HEIGHT, title, _Overview(scene, memory).parts(lines))


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

    def __init__(self, scene: Scene, memory: MemoryMap) -> None:
        self._scene, self._memory, self._names = scene, memory, scene.names
        ground = Ground(_LEFT, _RIGHT, _TOP, _BASE, is_linked=True, type=_TYPE)
        self._drawing = MemoryDrawing(scene, memory, ground)
        self._order = memory.tick_node.tolist()
        self._used = used_bytes(memory)
        told = [card.tick for card in scene.findings if card.kind == "peak"]
        self._peak = told[0] if told else int(self._used.argmax())
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
        yield from self._head(lines)
        x = self._drawing.x(self._peak)
        wide = max(1.0, self._drawing.x(self._peak + 1) - x)
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
        facts = ", ".join(f"{value} {name}" for name, value in self._scene.figures if name in told)
        x = 14 + width_of(title, 22 * _BOLD) + 14
        if x + width_of(facts, 15) < _RIGHT:
            yield text(x, 32, facts, f'font-size="15" fill="{MUTED}"')
        for place, (head, rest, colour) in enumerate(lines):
            y = 64 + 26 * place
            yield rect(14, y - 16, 4, 22, f'fill="{colour}"')
            size = f'font-size="{number(_LINE)}"'
            yield text(28, y, head, f'{size} font-weight="600" fill="{colour}"')
            yield text(28 + width_of(head, _LINE * _BOLD), y, rest, size)

    def _ruler(self) -> Iterator[str]:
        small = f'fill="{MUTED}" font-size="{number(_TYPE)}"'
        yield text(_LEFT - 8, _RULER - 6, "tick", f"{small} {AT_END}")
        for tick in nice_marks(0, self._drawing.ticks, 16):
            x = self._drawing.x(tick + 0.5)
            if x + width_of(str(tick), _TYPE) / 2 < _RIGHT:
                yield text(x, _RULER - 6, str(tick), f"{small} {CENTRED}")
                yield line(x, _RULER - 2, x, _RULER + 3, f'stroke="{MUTED}"')

    def _blocks(self) -> Iterator[str]:
        yield text(_LEFT - 8, _BLOCKS + 16, "block", _aside())
        for place, (block, ticks) in enumerate(self._runs):
            if block < 0:
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
        yield text(_LEFT - 8, _LANE + 18, "operator", _aside())
        paths: dict[str, list[str]] = {}
        apart = 0.7 if self._drawing.x(1) - self._drawing.x(0) > 4 else 0.0
        for tick in range(0, len(self._order), -(-len(self._order) // _MOST_TICKS)):
            x, end = self._drawing.x(tick), self._drawing.x(tick + 1)
            wide = number(max(0.5, end - x - apart))
            colour = node_colour(self._scene.nodes[self._order[tick]])
            paths.setdefault(colour, []).append(f"M{number(x)} {number(_LANE)}h{wide}v26h-{wide}z")
        for colour, path in paths.items():
            yield f'<path fill="{colour}" d="{"".join(path)}"/>'

    def _alive(self) -> Iterator[str]:
        """Outline what is alive at the peak, and the operator that runs there."""
        style = f'fill="none" stroke="{INK}" stroke-width="2"'
        x, end = self._drawing.x(self._peak), self._drawing.x(self._peak + 1)
        if end - x > 3:
            yield rect(x, _LANE - 1, end - x, 28, style)
        lower = self._memory.lower.tolist()
        for buffer, until in enumerate(covered_from(self._memory, range(len(lower)))):
            x, y, wide, high = self._drawing.place(buffer, until)
            if lower[buffer] <= self._peak < until and min(wide, high) > 3:
                yield rect(x, y, wide, high, style)

    def _notes(self) -> Iterator[str]:
        """Write notes where nothing lies, each with a line to what it is about."""
        taken = self._taken()
        for (x, y), label, more in self._said():
            wide = max(width_of(label, _TYPE + 1), width_of(more, _TYPE)) + 12
            place = free_place(taken, (x, y), wide, 42.0)
            if place is None:
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
        places = [self._drawing.place(buffer, until) for buffer, until in enumerate(upper)]
        boxes = [(x, y, x + wide, y + high) for x, y, wide, high in places]
        peak = self._drawing.y(self._memory.peak)
        return [*boxes, (_LEFT, peak - 24, _RIGHT, peak + 6)]

    def _said(self) -> Iterator[tuple[tuple[float, float], str, str]]:
        """List what to point at: the peak, the next highest block, and from where on it is low."""
        used, peak = self._used, self._peak
        where = self._drawing.x(peak + 1), self._drawing.y(int(used[peak]) * 0.94)
        node = self._scene.nodes[self._order[peak]]
        running = self._names.path(node.name)
        yield where, f"tick {peak}: {running} runs", f"{size_text(int(used[peak]))} in use"
        tops = [(int(used[ticks].max()), block, ticks) for block, ticks in self._runs if block >= 0]
        others = [each for each in tops if peak not in each[2]]
        if not others:
            return
        size, block, ticks = max(others, key=lambda each: each[0])
        tick = ticks[int(used[ticks].argmax())]
        label = self._scene.labels.blocks[block].label
        where = self._drawing.x(tick + 1), self._drawing.y(size * 0.94)
        yield where, f"block {label}: {size_text(size)}", f"the next highest block, at tick {tick}"
        low = [place for place, (size, *_) in enumerate(tops) if size * 4 > used[peak]][-1] + 1
        if low > len(tops) - 3:
            return
        most = max(size for size, *_ in tops[low:])
        first = self._scene.labels.blocks[tops[low][1]].label
        middle = tops[(low + len(tops)) // 2]
        highest = middle[2][int(used[middle[2]].argmax())]
        where = self._drawing.x(highest + 0.5), self._drawing.y(middle[0])
        yield where, f"from block {first} on", f"at most {size_text(most)} in use"

    def _foot(self) -> Iterator[str]:
        small = f'font-size="{number(_TYPE)}" fill="{MUTED}"'
        said = "a rectangle is one tensor: the ticks in which it is alive, its bytes in the arena"
        yield text(_LEFT, _BASE + 24, said, small)
        x, y = _LEFT, _BASE + 42
        kinds = sorted({self._scene.nodes[node].colours for node in self._order})
        keys = [(FAMILIES[kind].name, f'fill="{FAMILIES[kind].light}"') for kind in kinds]
        alive = f'fill="{PAPER}" stroke="{INK}" stroke-width="2"'
        for name, style in [*keys, ("alive at the peak", alive)]:
            if x + width_of(name, _TYPE) + 24 > _RIGHT:
                return
            yield rect(x, y, 13, 13, style)
            yield text(x + 20, y + 12, name, small)
            x += width_of(name, _TYPE) + 46


def _aside() -> str:
    return f'fill="{MUTED}" font-size="{number(_TYPE)}" {AT_END}'


def used_bytes(memory: MemoryMap) -> np.ndarray[tuple[int], np.dtype[np.int64]]:
    """Return the highest address in use at each tick, in bytes."""
    used = np.zeros(memory.tick_node.size, np.int64)
    for lower, upper, end in zip(
        memory.lower.tolist(),
        memory.upper.tolist(),
        (memory.offset + memory.size).tolist(),
        strict=True,
    ):
        np.maximum(used[lower:upper], end, out=used[lower:upper])
    return used


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
