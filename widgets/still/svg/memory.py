"""Static picture of the memory plan."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from math import inf

from aidge_nb.widgets.palette import text_on
from aidge_nb.widgets.scene.scene import KINDS, MemoryMap, Scene, Space
from aidge_nb.widgets.still.svg.parts import (
    AT_END,
    CENTRED,
    INK,
    LINE,
    MUTED,
    SMALL,
    WARN,
    document,
    fit,
    line,
    nice_step,
    node_colour,
    number,
    rect,
    text,
    ticks,
)
from aidge_nb.widgets.text import size_text, width_of

_WIDTH, _HEIGHT = 960.0, 420.0
_LEFT, _RIGHT, _TOP, _BOTTOM = 78.0, 16.0, 24.0, 30.0
_PAPER = 'fill="#fff" fill-opacity="0.85"'
_TAG = 16.0
_MOST_BUFFERS = 4000
_PRODUCER = KINDS.index("producer")


def memory_svg(scene: Scene, memory: MemoryMap) -> str:
    """Draw a rectangle per buffer, ticks across and bytes upwards, with peak and lower bound.

    Several memories are drawn one above the other, with their names instead.
    """
    picture = _Picture(scene, memory)
    parts = [*picture.grid(), *picture.buffers()]
    parts += picture.limits()
    height = _HEIGHT
    hidden = len(memory) - min(len(memory), _MOST_BUFFERS)
    if hidden or not len(memory):
        height += 22
        note = (
            f"… and {hidden} smaller buffers: open the interactive view to see all"
            if hidden
            else "the memory plan is empty"
        )
        parts.append(text(12, height - 10, note, f'fill="{MUTED}"'))
    return document(_WIDTH, height, f"Memory of {scene.title}", parts)


def covered_from(memory: MemoryMap, drawn: Sequence[int]) -> list[int]:
    """Give the tick from which each rectangle is covered by one that is drawn later.

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


def space_parts(
    spaces: Sequence[Space], y_of: Callable[[float], float], left: float, right: float
) -> Iterator[str]:
    """Draw where each of several memories begins, and write its name there.

    It stands beside the name below where the memory between them is too small for both.
    """
    before, free = inf, left
    for space in spaces:
        y = round(y_of(space.base)) + 0.5
        yield line(left, y, right, y, f'stroke="{MUTED}"')
        is_low = y_of(0) - y_of(space.size) < _TAG
        name = space.name.partition(":")[0] if is_low else space.name
        x = free + 12 if abs(before - y) < _TAG else left + 8
        label = fit(name, min((right - left) / 2, right - x - 8), 11)
        if not label:
            continue
        wide = width_of(label, 11)
        yield rect(x - 4, y - 16, wide + 8, 14, _PAPER)
        yield text(x, y - 5, label, 'font-size="11" font-weight="600"')
        before, free = y, x + wide


class _Picture:
    """Places ticks across and bytes upwards."""

    def __init__(self, scene: Scene, memory: MemoryMap) -> None:
        self._scene = scene
        self._memory = memory
        last = int(memory.upper.max(initial=0))
        self._ticks = max(1, last, int(memory.tick_node.size))
        self._bytes = max(1, memory.peak, memory.lower_bound)
        self._across = (_WIDTH - _LEFT - _RIGHT) / self._ticks
        self._up = (_HEIGHT - _TOP - _BOTTOM) / self._bytes

    def _x(self, tick: float) -> float:
        return _LEFT + tick * self._across

    def _y(self, address: float) -> float:
        return _HEIGHT - _BOTTOM - address * self._up

    def grid(self) -> Iterator[str]:
        right, bottom = _WIDTH - _RIGHT, _HEIGHT - _BOTTOM
        for address in ticks(self._bytes, nice_step(self._bytes, 8, base=2)):
            y = self._y(address)
            yield line(_LEFT, y, right, y, f'stroke="{LINE}"')
            yield text(_LEFT - 8, y + 4, size_text(address), f"{SMALL} {AT_END}")
        for tick in ticks(self._ticks, nice_step(self._ticks, 14)):
            if self._x(tick) < right - 36:
                yield text(self._x(tick), bottom + 17, str(tick), f"{SMALL} {CENTRED}")
        yield text(right, bottom + 17, self._memory.unit, f"{SMALL} {AT_END}")

    def buffers(self) -> Iterator[str]:
        memory = self._memory
        order = sorted(range(len(memory)), key=lambda buffer: (-int(memory.size[buffer]), buffer))
        drawn = sorted(order[:_MOST_BUFFERS])
        for buffer in drawn:
            yield self._buffer(buffer)
        for buffer, until in zip(drawn, covered_from(memory, drawn), strict=True):
            yield from self._name(buffer, until)

    def _place(self, buffer: int, until: int) -> tuple[float, float, float, float]:
        memory = self._memory
        offset, size = int(memory.offset[buffer]), int(memory.size[buffer])
        x, y = self._x(int(memory.lower[buffer])), self._y(offset + size)
        return x, y, max(1.0, self._x(until) - x), max(1.0, self._y(offset) - y)

    def _colour(self, buffer: int) -> str:
        return node_colour(self._scene.nodes[int(self._memory.node[buffer])])

    def _buffer(self, buffer: int) -> str:
        place = self._place(buffer, int(self._memory.upper[buffer]))
        pattern = ' stroke-dasharray="3 2"' if self._memory.kind[buffer] == _PRODUCER else ""
        return rect(*place, f'fill="{self._colour(buffer)}" stroke="#fff"{pattern}')

    def _name(self, buffer: int, until: int) -> Iterator[str]:
        """Write the name where no buffer drawn later lies over it."""
        x, y, width, height = self._place(buffer, until)
        name, ink = self._memory.names[buffer], text_on(self._colour(buffer))
        shared = self._scene.shared
        extra = f'fill="{ink}" font-size="11" {CENTRED}'
        if height >= 13 and width >= 30:
            label = fit(name, width - 8, 11, shared)
            if label:
                yield text(x + width / 2, y + height / 2 + 4, label, extra)
        elif width >= 13 and height >= 44:
            label = fit(name, height - 8, 11, shared)
            turn = f"rotate(-90 {number(x + width / 2 + 4)} {number(y + height / 2)})"
            if label:
                turned = f'{extra} transform="{turn}"'
                yield text(x + width / 2 + 4, y + height / 2, label, turned)

    def limits(self) -> Iterator[str]:
        if self._memory.spaces:
            yield from space_parts(self._memory.spaces, self._y, _LEFT, _WIDTH - _RIGHT)
            return
        peak, bound = self._memory.peak, self._memory.lower_bound
        if peak == bound:
            yield from self._limit(peak, f"peak = lower bound {size_text(peak)}", WARN, "7 4", -5)
            return
        yield from self._limit(peak, f"peak {size_text(peak)}", WARN, "7 4", -5)
        yield from self._limit(bound, f"lower bound {size_text(bound)}", INK, "2 3", 13)

    def _limit(
        self, address: int, label: str, colour: str, dash: str, shift: float
    ) -> Iterator[str]:
        y, right = self._y(address), _WIDTH - _RIGHT
        dashed = f'stroke="{colour}" stroke-width="1.5" stroke-dasharray="{dash}"'
        yield line(_LEFT, y, right, y, dashed)
        width = width_of(label, 11) + 16
        yield rect(right - width, y + shift - 10.5, width, 14, _PAPER)
        extra = f'fill="{colour}" font-size="11" font-weight="600" {AT_END}'
        yield text(right - 6, y + shift, label, extra)
