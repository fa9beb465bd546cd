"""Draw a memory plan: a rectangle per buffer, ticks across and bytes upwards.

Sizes are those of the live view, in ``shared/panels.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aidge_nb.widgets.palette import text_on
from aidge_nb.widgets.scene.parts import KINDS, MemoryMap
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.shared import COLOURS, PANELS
from aidge_nb.widgets.still.svg.parts import (
    AT_END,
    CENTRED,
    LINE,
    MUTED,
    PAPER,
    SMALL,
    byte_marks,
    document,
    line,
    nice_marks,
    node_colour,
    number,
    rect,
    stripes,
    text,
)
from aidge_nb.widgets.still.svg.rows import column_of
from aidge_nb.widgets.text import size_text, width_of

_SIZES, _AXIS = PANELS["memory"], PANELS["axis"]
_LEFT, _RIGHT, _TOP, _BOTTOM = (float(_SIZES[each]) for each in ("left", "right", "top", "bottom"))
_NAME = _SIZES["name"]
_BOLD = 'font-size="11" font-weight="600"'
_WIDTH, _HEIGHT = 960.0, 420.0
_MOST_BUFFERS, _MOST_HOLES = 4000, 2000
_PRODUCER = KINDS.index("producer")

Tag = tuple[float, float, float, float]
"""Left, top, right and bottom of a text on paper, in pixels."""


def memory_svg(scene: Scene, memory: MemoryMap) -> str:
    """Draw a memory plan as a page: the largest buffers, with a note on the others."""
    parts = list(_MemoryDrawing(scene, memory, _WIDTH, _HEIGHT).parts())
    hidden = max(0, len(memory) - _MOST_BUFFERS)
    note = f"… and {hidden} smaller buffers: open the interactive view to see all" if hidden else ""
    if not len(memory):
        note = "the memory plan is empty"
    height = _HEIGHT + 22 if note else _HEIGHT
    if note:
        parts.append(text(12, height - 10, note, f'fill="{MUTED}"'))
    return document(_WIDTH, height, f"Memory of {scene.title}", parts)


def memory_parts(scene: Scene, memory: MemoryMap, width: float, height: float) -> Iterator[str]:
    """Draw it as the live view shows it at first: below a ruler, and without a tick picked."""
    return _MemoryDrawing(scene, memory, width, height, is_linked=True).parts()


def covered_from(memory: MemoryMap, drawn: Sequence[int]) -> list[int]:
    """Return the tick from which each rectangle is covered by one that is drawn later.

    Operators that work in place write where they read, and so their rectangles overlap.
    """
    covered = {buffer: int(memory.upper[buffer]) for buffer in drawn}
    order = sorted(drawn, key=lambda buffer: (int(memory.lower[buffer]), buffer))
    ends = memory.offset + memory.size
    for place, buffer in enumerate(order):
        for other in order[place + 1 :]:
            if memory.lower[other] >= covered[buffer]:
                break
            apart = memory.offset[other] >= ends[buffer] or memory.offset[buffer] >= ends[other]
            if other > buffer and not apart:
                covered[buffer] = int(memory.lower[other])
    return [covered[buffer] for buffer in drawn]


class _MemoryDrawing:
    """Places ticks across and bytes upwards, in pixels; where it is linked, a ruler has the ticks.

    Holes are those of a tick that is picked, where there is a ruler, and else those of all ticks.
    """

    def __init__(
        self,
        scene: Scene,
        memory: MemoryMap,
        width: float,
        height: float,
        *,
        is_linked: bool = False,
    ) -> None:
        self._scene, self._memory, self._names = scene, memory, scene.names
        self._ticks = max(1, int(memory.upper.max(initial=0)), int(memory.tick_node.size))
        self._most = max(1, memory.peak, memory.lower_bound) * float(_SIZES["headroom"])
        self._is_linked = is_linked
        own = (_LEFT, width - _LEFT - _RIGHT)
        self._left: float
        self._left, plot = column_of(width) if is_linked else own
        self._right = self._left + plot
        self._base = height - (_SIZES["foot"] if is_linked else _BOTTOM)
        self._across = plot / self._ticks
        self._up = (self._base - _TOP) / self._most

    def _x(self, tick: float) -> float:
        return self._left + tick * self._across

    def _y(self, address: float) -> float:
        return self._base - address * self._up

    def _level(self, address: float, style: str) -> str:
        """Draw a line along an address, sharp between two rows of pixels."""
        at = round(self._y(address)) + 0.5
        return line(self._left, at, self._right, at, style)

    def parts(self) -> Iterator[str]:
        memory = self._memory
        yield from self._axes()
        if not self._is_linked:
            yield from self._holes()
        by_size = sorted(range(len(memory)), key=lambda buffer: (-int(memory.size[buffer]), buffer))
        drawn = sorted(by_size[:_MOST_BUFFERS])
        for buffer in drawn:
            yield from self._buffer(buffer)
        limits = self._limits()
        tags = [tag for *_, tag in limits]
        for buffer, until in zip(drawn, covered_from(memory, drawn), strict=True):
            yield from self._name(buffer, until, tags)
        for address, label, style, colour, (left, top, *_) in limits:
            yield self._level(address, style)
            yield from _tagged(left, top, label, colour)
        corner = f"M{number(self._left - 0.5)} {number(_TOP)}V{number(self._base + 0.5)}"
        yield f'<path d="{corner}H{number(self._right)}" fill="none" stroke="{MUTED}"/>'

    def _axes(self) -> Iterator[str]:
        for address in byte_marks(self._most, (self._base - _TOP) / _AXIS["bytes"]):
            yield self._level(address, f'stroke="{LINE}" stroke-opacity="0.6"')
            yield text(
                self._left - 8, self._y(address) + 4, size_text(address), f"{SMALL} {AT_END}"
            )
        if self._is_linked:
            return
        below = self._base + _BOTTOM - 8
        for tick in nice_marks(0, self._ticks, (self._right - self._left) / _AXIS["unit"]):
            end = self._x(tick) + _SIZES["digit"] / 2 * len(str(tick))
            if end < self._right - _SIZES["unit"]:
                yield text(self._x(tick), below, str(tick), f"{SMALL} {CENTRED}")
        yield text(self._right, below, self._memory.unit, f"{SMALL} {AT_END}")

    def _holes(self) -> Iterator[str]:
        """Tint what lies below the highest address in use; buffers are drawn over it."""
        tint = f'fill="{MUTED}" fill-opacity="{_SIZES["hole"]}"'
        reached = _reached(self._memory)
        for tick, reach in enumerate(reached if len(reached) <= _MOST_HOLES else ()):
            if reach:
                top = self._y(reach)
                yield rect(self._x(tick), top, self._across, self._base - top, tint)

    def _place(self, buffer: int, until: int) -> Tag:
        memory = self._memory
        offset, size = int(memory.offset[buffer]), int(memory.size[buffer])
        x, y = self._x(int(memory.lower[buffer])), self._y(offset + size)
        return x, y, max(1.0, self._x(until) - x), max(1.0, self._y(offset) - y)

    def _colour(self, buffer: int) -> str:
        return node_colour(self._scene.nodes[int(self._memory.node[buffer])])

    def _buffer(self, buffer: int) -> Iterator[str]:
        x, y, wide, high = self._place(buffer, int(self._memory.upper[buffer]))
        fill = f'fill="{self._colour(buffer)}"'
        if wide <= 3 or high <= 3:
            yield rect(x, y, wide, high, fill)
            return
        yield rect(x + 0.5, y + 0.5, wide - 1, high - 1, f'{fill} stroke="{PAPER}"')
        if self._memory.kind[buffer] == _PRODUCER and min(wide, high) > 4:
            hatch = f'stroke="{PAPER}" stroke-opacity="{_SIZES["hatch"]["alpha"]}"'
            path = stripes(x, y, wide, high, _SIZES["hatch"]["apart"])
            yield f'<path d="{path}" fill="none" {hatch}/>'

    def _name(self, buffer: int, until: int, tags: Sequence[Tag]) -> Iterator[str]:
        """Write the name where neither a buffer drawn later nor a limit lies over it."""
        x, y, wide, high = self._place(buffer, until)
        is_level = high >= _NAME["height"] and wide >= _NAME["width"]
        if not is_level and (wide < _NAME["narrow"] or high < _NAME["upright"]):
            return
        room = (wide if is_level else high) - _NAME["room"]
        label = self._names.fit(self._memory.names[buffer], room, 11)
        middle, level = x + wide / 2, y + high / 2
        half = (width_of(label, 11) / 2, 6.0) if is_level else (6.0, width_of(label, 11) / 2)
        box = (middle - half[0], level - half[1], middle + half[0], level + half[1])
        if not label or any(_overlap(box, tag) for tag in tags):
            return
        extra = f'fill="{text_on(self._colour(buffer))}" font-size="11" {CENTRED}'
        if is_level:
            yield text(middle, level + 4, label, extra)
        else:
            turn = f'transform="rotate(-90 {number(middle + 4)} {number(level)})"'
            yield text(middle + 4, level, label, f"{extra} {turn}")

    def _limits(self) -> list[tuple[int, str, str, str, Tag]]:
        """List address, text, style, colour and place of the text of peak and lower bound."""
        peak, bound = self._memory.peak, self._memory.lower_bound
        texts = {"peak": f"peak {size_text(peak)}", "bound": f"lower bound {size_text(bound)}"}
        if peak == bound:
            texts = {"peak": f"peak = lower bound {size_text(peak)}"}
        found = []
        for name, label in texts.items():
            limit, address = _SIZES["limits"][name], peak if name == "peak" else bound
            colour = COLOURS["light"][limit["colour"]]
            dash = " ".join(map(str, limit["dash"]))
            width = _SIZES["limits"]["width"]
            style = f'stroke="{colour}" stroke-width="{width}" stroke-dasharray="{dash}"'
            right, level = self._right - 6, self._y(address) + limit["shift"]
            tag = (right - width_of(label, 11) - 8, level - 7, right, level + 7)
            found.append((address, label, style, colour, tag))
        return found


def _tagged(left: float, top: float, label: str, colour: str) -> Iterator[str]:
    """Write text on paper, so that it can be read over anything."""
    paper = f'fill="{PAPER}" fill-opacity="0.85"'
    yield rect(left, top, width_of(label, 11) + 8, 14, paper)
    yield text(left + 4, top + 11, label, f'fill="{colour}" {_BOLD}')


def _overlap(one: Tag, other: Tag) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _reached(memory: MemoryMap) -> list[int]:
    """Return the highest address in use at each tick; below it, what no buffer takes is a hole."""
    found = [0] * int(memory.tick_node.size)
    for lower, upper, offset, size in zip(
        *(column.tolist() for column in (memory.lower, memory.upper, memory.offset, memory.size)),
        strict=True,
    ):
        for tick in range(lower, min(upper, len(found))):
            found[tick] = max(found[tick], offset + size)
    return found
