"""Draw a memory plan: a rectangle per buffer, ticks across and bytes upwards.

Sizes are those of the live view, in ``shared/panels.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.palette import text_on
from aidge_nb.widgets.scene.parts import KINDS, Ints, MemoryMap, table_rows
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.shared import COLOURS, PANELS
from aidge_nb.widgets.still.svg.joining import spread
from aidge_nb.widgets.still.svg.page import noted
from aidge_nb.widgets.still.svg.parts import (
    AT_END,
    CENTRED,
    LINE,
    MUTED,
    PAPER,
    SMALL,
    byte_marks,
    document,
    hatched,
    inside,
    line,
    nice_marks,
    node_colour,
    number,
    rect,
    text,
    upright,
)
from aidge_nb.widgets.still.svg.patterns import definitions, pattern_of
from aidge_nb.widgets.still.svg.rows import column_of
from aidge_nb.widgets.text import size_text, width_of

_SIZES, _AXIS = PANELS["memory"], PANELS["axis"]
_LEFT, _RIGHT, _TOP, _BOTTOM = (float(_SIZES[each]) for each in ("left", "right", "top", "bottom"))
_NAME = _SIZES["name"]
_TAG = f'fill="{PAPER}" fill-opacity="0.85"'  # below text that is to be read over anything
_WIDTH, _HEIGHT = 960.0, 420.0
_MOST_BUFFERS, _MOST_SMALL, _MOST_HOLES = 4000, 12_000, 2000
_PRODUCER = KINDS.index("producer")

Tag = tuple[float, float, float, float]
"""Left, top, right and bottom of a text on paper, in pixels."""


def memory_svg(
    scene: Scene,
    memory: MemoryMap,
    *,
    patterns: bool = False,
    window: tuple[int, int] | None = None,
) -> str:
    """Draw a memory plan as a page: the largest buffers, with a note on the others.

    With ``patterns``, families of operators can be told apart without colours; with a ``window``,
    its ticks are drawn, half-open, and not all.
    """
    ground = Ground(_LEFT, _WIDTH - _RIGHT, _TOP, _HEIGHT - _BOTTOM, window=window)
    drawing = (PatternedMemory if patterns else MemoryDrawing)(scene, memory, ground)
    parts = [*(definitions() if patterns else ()), *drawing.parts()]
    more = max(0, len(memory) - _MOST_BUFFERS)
    note = f"{more:,} smaller buffers have no name here: open the interactive view" if more else ""
    if not len(memory):
        note = "the memory plan is empty"
    height = noted(parts, _HEIGHT, (), note, room=22)
    return document(_WIDTH, height, f"Memory of {scene.title}", parts)


def memory_parts(scene: Scene, memory: MemoryMap, width: float, height: float) -> Iterator[str]:
    """Draw it as the live view shows it at first: below a ruler, and without a tick picked."""
    left, plot = column_of(width)
    ground = Ground(left, left + plot, _TOP, height - _SIZES["foot"], is_linked=True)
    return MemoryDrawing(scene, memory, ground).parts()


def covered_from(memory: MemoryMap, drawn: Sequence[int]) -> list[int]:
    """Return the tick from which each rectangle is covered by one that is drawn later.

    Operators that work in place write where they read, and so their rectangles overlap.
    """
    upper, ends = memory.upper.tolist(), memory.offset + memory.size
    covered = {buffer: upper[buffer] for buffer in drawn}
    places = np.array(sorted({*memory.offset.tolist(), *ends.tolist()}), np.int64)
    first = np.searchsorted(places, memory.offset).tolist()
    last = np.searchsorted(places, ends).tolist()
    on_top = np.full(len(places), -1, np.int64)  # the buffer between two places, of those drawn
    for tick, buffer in sorted((int(memory.lower[buffer]), buffer) for buffer in drawn):
        below = on_top[first[buffer] : last[buffer]]
        for other in set(below.tolist()):
            if 0 <= other < buffer and tick < covered[other]:
                covered[other] = tick
        below[(below < buffer) | (memory.upper[below] <= tick)] = buffer
    return [covered[buffer] for buffer in drawn]


@dataclass(frozen=True, slots=True)
class Ground:
    """Where a memory plan is drawn, in pixels.

    Attributes
    ----------
    left, right, top, base
        Its edges; addresses grow upwards from ``base``.
    is_linked
        Whether the ticks are written on a ruler above it.
    type
        Size of letters.
    window
        The ticks that are drawn, half-open; None for all.
    """

    left: float
    right: float
    top: float
    base: float
    is_linked: bool = False
    type: float = 11.0
    window: tuple[int, int] | None = None


class MemoryDrawing:
    """Places ticks across and bytes upwards, in pixels.

    Holes are those of a tick that is picked, where there is a ruler, and else those of all ticks.
    """

    def __init__(self, scene: Scene, memory: MemoryMap, ground: Ground) -> None:
        self._scene, self._memory, self._names = scene, memory, scene.names
        self.ticks = max(1, int(memory.upper.max(initial=0)), int(memory.tick_node.size))
        self.first, self.stop = inside(ground.window, self.ticks)
        self.is_part = self.stop - self.first < self.ticks
        highest = max(1, memory.peak, memory.lower_bound, memory.budget)
        self._most = highest * float(_SIZES["headroom"])
        self._is_linked, self._type = ground.is_linked, ground.type
        self._left, self._right, self._base = ground.left, ground.right, ground.base
        self._top = ground.top
        self._across = (ground.right - ground.left) / (self.stop - self.first)
        self._up = (ground.base - ground.top) / self._most

    def x(self, tick: float) -> float:
        """Return where a tick begins."""
        return self._left + (tick - self.first) * self._across

    def y(self, address: float) -> float:
        """Return the height of an address."""
        return self._base - address * self._up

    def _level(self, address: float, style: str) -> str:
        """Draw a line along an address, sharp between two rows of pixels."""
        at = round(self.y(address)) + 0.5
        return line(self._left, at, self._right, at, style)

    def parts(self) -> Iterator[str]:
        """Draw axes, buffers with their names, limits, and the corner of the axes."""
        memory = self._memory
        yield from self._axes()
        if not self._is_linked:
            yield from self._holes()
        inside = [buffer for buffer in range(len(memory)) if self.shows(buffer)]
        by_size = sorted(inside, key=lambda buffer: (-int(memory.size[buffer]), buffer))
        drawn = sorted(by_size[:_MOST_BUFFERS])
        yield from self._small(by_size[_MOST_BUFFERS:])
        for buffer in drawn:
            yield from self._buffer(buffer)
        limits = self._limits()
        tags = [tag for *_, tag in limits]
        for buffer, until in zip(drawn, covered_from(memory, drawn), strict=True):
            yield from self._name(buffer, until, tags)
        for address, label, style, colour, (left, top, right, _) in limits:
            yield self._level(address, style)
            yield rect(left, top, right - left, 14 * self._type / 11, _TAG)
            bold = f'fill="{colour}" font-size="{number(self._type)}" font-weight="600"'
            yield text(right - 4, top + self._type, label, f"{bold} {AT_END}")
        corner = f"M{number(self._left - 0.5)} {number(self._top)}V{number(self._base + 0.5)}"
        yield f'<path d="{corner}H{number(self._right)}" fill="none" stroke="{MUTED}"/>'

    def _axes(self) -> Iterator[str]:
        for address in byte_marks(
            self._most, (self._base - self._top) / _AXIS["bytes"] * 11 / self._type
        ):
            yield self._level(address, f'stroke="{LINE}" stroke-opacity="0.6"')
            small = f'fill="{MUTED}" font-size="{number(self._type)}" {AT_END}'
            yield text(self._left - 8, self.y(address) + 4, size_text(address), small)
        if self._is_linked:
            return
        below = self._base + _BOTTOM - 8
        for tick in nice_marks(self.first, self.stop, (self._right - self._left) / _AXIS["unit"]):
            end = self.x(tick) + _SIZES["digit"] / 2 * len(str(tick))
            if end < self._right - _SIZES["unit"]:
                yield text(self.x(tick), below, str(tick), f"{SMALL} {CENTRED}")
        yield text(self._right, below, self._memory.unit, f"{SMALL} {AT_END}")

    def _holes(self) -> Iterator[str]:
        """Tint what lies below the highest address in use; buffers are drawn over it."""
        tint = f'fill="{MUTED}" fill-opacity="{_SIZES["hole"]}"'
        is_short = self._memory.tick_node.size <= _MOST_HOLES
        for tick, reach in enumerate(used_bytes(self._memory).tolist() if is_short else ()):
            if reach:
                top = self.y(reach)
                yield rect(self.x(tick), top, self._across, self._base - top, tint)

    def place(self, buffer: int, until: int) -> Tag:
        """Return left, top, width and height of a buffer, up to a tick."""
        memory = self._memory
        offset, size = int(memory.offset[buffer]), int(memory.size[buffer])
        x = self.x(max(self.first, int(memory.lower[buffer])))
        y, end = self.y(offset + size), self.x(min(self.stop, until))
        return x, y, max(1.0, end - x), max(1.0, self.y(offset) - y)

    def shows(self, buffer: int) -> bool:
        """Tell whether a buffer is alive in the ticks that are drawn."""
        memory = self._memory
        return bool(memory.lower[buffer] < self.stop and self.first < memory.upper[buffer])

    def _colour(self, buffer: int) -> str:
        return node_colour(self._scene.nodes[int(self._memory.node[buffer])])

    def _buffer(self, buffer: int) -> Iterator[str]:
        x, y, wide, high = self.place(buffer, int(self._memory.upper[buffer]))
        fill = f'fill="{self._colour(buffer)}"'
        if wide <= 3 or high <= 3:
            yield rect(x, y, wide, high, fill)
            return
        yield rect(x + 0.5, y + 0.5, wide - 1, high - 1, f'{fill} stroke="{PAPER}"')
        if self._memory.kind[buffer] == _PRODUCER and min(wide, high) > 4:
            style = f'stroke="{PAPER}" stroke-opacity="{_SIZES["hatch"]["alpha"]}"'
            yield hatched(x, y, wide, high, _SIZES["hatch"]["apart"], style)

    def _small(self, buffers: Sequence[int]) -> Iterator[str]:
        """Draw buffers that are too many to be named, each place on screen once."""
        drawn: dict[tuple[float, ...], str] = {}
        for buffer in buffers:
            place = self.place(buffer, int(self._memory.upper[buffer]))
            drawn[tuple(round(2 * each) / 2 for each in place)] = self._colour(buffer)
        for (x, y, wide, high), colour in spread([*drawn.items()], _MOST_SMALL):
            yield rect(x, y, wide, high, f'fill="{colour}"')

    def _name(self, buffer: int, until: int, tags: Sequence[Tag]) -> Iterator[str]:
        """Write the name where neither a buffer drawn later nor a limit lies over it."""
        x, y, wide, high = self.place(buffer, until)
        size, grown = self._type, self._type / 11
        can_lie = high >= _NAME["height"] * grown and wide >= _NAME["width"] * grown
        is_wide = wide >= max(_NAME["narrow"], 0.95 * size)
        can_stand = is_wide and high >= _NAME["upright"] * grown
        for is_level in [True] * can_lie + [False] * can_stand:
            room = (wide if is_level else high) - _NAME["room"]
            label = self._names.fit(self._memory.names[buffer], room, size)
            if label:
                break
        else:
            return
        longer = f"{label} {size_text(int(self._memory.size[buffer]))}"
        if grown > 1 and width_of(longer, size) <= room - 4:
            label = longer
        middle, level = x + wide / 2, y + high / 2
        half = (width_of(label, size) / 2, 6.0) if is_level else (6.0, width_of(label, size) / 2)
        box = (middle - half[0], level - half[1], middle + half[0], level + half[1])
        if any(overlap(box, tag) for tag in tags):
            return
        extra = f'fill="{text_on(self._colour(buffer))}" font-size="{number(size)}" {CENTRED}'
        down = 4 * grown
        if is_level:
            yield text(middle, level + down, label, extra)
        else:
            yield upright(middle, level, label, extra, down)

    def _limits(self) -> list[tuple[int, str, str, str, Tag]]:
        """List address, text, style, colour and place of the text of each limit."""
        memory = self._memory
        peak, bound, budget = memory.peak, memory.lower_bound, memory.budget
        texts = {"peak": f"peak {size_text(peak)}", "bound": f"lower bound {size_text(bound)}"}
        if peak == bound:
            texts = {"peak": f"peak = lower bound {size_text(peak)}"}
        if budget:
            over = f", {size_text(peak - budget)} too much" if peak > budget else ""
            texts["budget"] = f"budget {size_text(budget)}{over}"
        levels = {"peak": peak, "bound": bound, "budget": budget}
        found = []
        for name, label in texts.items():
            limit, address = _SIZES["limits"][name], levels[name]
            colour = COLOURS["light"][limit["colour"]]
            dash = " ".join(map(str, limit["dash"]))
            width = _SIZES["limits"]["width"]
            style = f'stroke="{colour}" stroke-width="{width}"'
            style += f' stroke-dasharray="{dash}"' if dash else ""
            shift = limit["shift"] * self._type / 11
            level, half = self.y(address) + shift, 7 * self._type / 11
            wide = width_of(label, self._type) + 8
            right = self._left + 4 + wide if name == "budget" else self._right - 6
            tag = (right - wide, level - half, right, level + half)
            found.append((address, label, style, colour, tag))
        return found


def overlap(one: Tag, other: Tag) -> bool:
    """Tell whether two boxes share some area."""
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def used_bytes(memory: MemoryMap) -> Ints:
    """Return the highest address in use at each tick; below it, what no buffer takes is a hole."""
    used = np.zeros(memory.tick_node.size, np.int64)
    for lower, upper, top in table_rows(memory.lower, memory.upper, memory.offset + memory.size):
        np.maximum(used[lower:upper], top, out=used[lower:upper])
    return used


class PatternedMemory(MemoryDrawing):
    """A memory plan with patterns over its colours."""

    def _buffer(self, buffer: int) -> Iterator[str]:
        yield from super()._buffer(buffer)
        family = self._scene.nodes[int(self._memory.node[buffer])].colours
        x, y, wide, high = self.place(buffer, int(self._memory.upper[buffer]))
        if min(wide, high) > 3:
            yield rect(x + 0.5, y + 0.5, wide - 1, high - 1, pattern_of(family))
