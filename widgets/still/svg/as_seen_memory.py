"""The memory map as the live view shows it at first.

The constants are those of ``frontend/src/memoryPainter.ts``.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aidge_nb.widgets.scene.scene import MemoryMap, Scene
from aidge_nb.widgets.still.svg.as_seen_rows import nice_marks
from aidge_nb.widgets.still.svg.memory import space_parts
from aidge_nb.widgets.still.svg.parts import (
    AT_END,
    CENTRED,
    INK,
    LINE,
    MUTED,
    SMALL,
    WARN,
    line,
    node_colour,
    number,
    rect,
    text,
)
from aidge_nb.widgets.text import size_text

_LEFT, _RIGHT, _TOP, _BOTTOM = 66.0, 10.0, 10.0, 26.0
_HALF_A_DIGIT, _UNIT_ROOM = 3.6, 38.0


@dataclass(frozen=True, slots=True)
class _Frame:
    """Where ticks and addresses are, in pixels."""

    wide: float
    high: float
    ticks: int
    most: float

    @property
    def right(self) -> float:
        return _LEFT + self.wide

    @property
    def base(self) -> float:
        return _TOP + self.high

    @property
    def across(self) -> float:
        return self.wide / self.ticks

    def x(self, tick: float) -> float:
        return _LEFT + tick * self.across

    def y(self, address: float) -> float:
        return self.base - address * (self.high / self.most)

    def level(self, address: float, style: str) -> str:
        """Draw a line along an address, sharp between two rows of pixels."""
        at = round(self.y(address)) + 0.5
        return line(_LEFT, at, self.right, at, style)


def memory_parts(scene: Scene, memory: MemoryMap, width: float, height: float) -> Iterator[str]:
    """Draw the axes, holes, buffers, and limits; or where each of several memories begins."""
    ticks = max(1, int(memory.upper.max(initial=0)), int(memory.tick_node.size))
    most = max(1, memory.peak, memory.lower_bound) * 1.08
    frame = _Frame(width - _LEFT - _RIGHT, height - _TOP - _BOTTOM, ticks, most)
    yield from _axes(memory, frame)
    yield from () if memory.spaces else _holes(memory, frame)
    for buffer in range(len(memory)):
        yield from _buffer(scene, memory, buffer, frame)
    if memory.spaces:
        yield from space_parts(memory.spaces, frame.y, _LEFT, frame.right)
    else:
        yield from _limits(memory, frame)
    corner = f"M{number(_LEFT - 0.5)} {number(_TOP)}V{number(frame.base + 0.5)}"
    yield f'<path d="{corner}H{number(frame.right)}" fill="none" stroke="{MUTED}"/>'


def _axes(memory: MemoryMap, frame: _Frame) -> Iterator[str]:
    for address in _sizes(frame.most, frame.high / 34):
        yield frame.level(address, f'stroke="{LINE}" stroke-opacity="0.6"')
        yield text(_LEFT - 8, frame.y(address) + 4, size_text(address), f"{SMALL} {AT_END}")
    for tick in nice_marks(0, frame.ticks, frame.wide / 64):
        label = str(tick)
        if tick * frame.across + _HALF_A_DIGIT * len(label) < frame.wide - _UNIT_ROOM:
            yield text(frame.x(tick), frame.base + 18, label, f"{SMALL} {CENTRED}")
    yield text(frame.right, frame.base + 18, memory.unit, f"{SMALL} {AT_END}")


def _holes(memory: MemoryMap, frame: _Frame) -> Iterator[str]:
    """Tint what lies below the highest address in use; buffers are drawn over it."""
    for tick, reach in enumerate(_reached(memory)):
        if reach:
            tint = f'fill="{MUTED}" fill-opacity="0.16"'
            top = frame.y(reach)
            yield rect(frame.x(tick), top, frame.across, frame.base - top, tint)


def _buffer(scene: Scene, memory: MemoryMap, buffer: int, frame: _Frame) -> Iterator[str]:
    columns = (memory.lower, memory.upper, memory.offset, memory.size, memory.node)
    lower, upper, offset, size, node = (int(column[buffer]) for column in columns)
    x, y = frame.x(lower), frame.y(offset + size)
    wide, high = (upper - lower) * frame.across, frame.y(offset) - y
    yield rect(x, y, max(1.0, wide), max(1.0, high), f'fill="{node_colour(scene.nodes[node])}"')
    if wide > 3 and high > 3:
        yield rect(x + 0.5, y + 0.5, wide - 1, high - 1, 'fill="none" stroke="#fff"')


def _limits(memory: MemoryMap, frame: _Frame) -> Iterator[str]:
    limits = [(memory.peak, WARN, "7 4"), (memory.lower_bound, INK, "2 3")]
    for address, colour, dash in limits[: 1 if memory.peak == memory.lower_bound else 2]:
        dashed = f'stroke="{colour}" stroke-width="1.5" stroke-dasharray="{dash}"'
        yield frame.level(address, dashed)


def _sizes(most: float, count: float) -> list[int]:
    """Give the marks that the browser gives an axis of bytes."""
    rough = max(1.0, most / max(1.0, count))
    unit = 1
    while unit * 1024 <= rough:
        unit *= 1024
    step = next((part * unit for part in (2**n for n in range(11)) if part * unit >= rough), unit)
    return list(range(0, int(most) + 1, step))


def _reached(memory: MemoryMap) -> list[int]:
    """Give the highest address in use at each tick; below it, what no buffer takes is a hole."""
    found = [0] * int(memory.tick_node.size)
    for lower, upper, offset, size in zip(
        *(column.tolist() for column in (memory.lower, memory.upper, memory.offset, memory.size)),
        strict=True,
    ):
        for tick in range(lower, min(upper, len(found))):
            found[tick] = max(found[tick], offset + size)
    return found
