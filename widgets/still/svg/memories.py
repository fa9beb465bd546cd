"""Draw what lies in each memory of a machine, cycle by cycle, one memory under another.

Sizes are those of the live view, in ``shared/panels.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from aidge_nb.widgets.palette import text_on
from aidge_nb.widgets.scene.devices import NO_FAMILY, Space
from aidge_nb.widgets.scene.labels.names import Names
from aidge_nb.widgets.scene.parts import MemoryMap
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.shared import PANELS
from aidge_nb.widgets.still.svg.joining import spread
from aidge_nb.widgets.still.svg.mapping_parts import (
    BOLD,
    PEAK,
    SIZES,
    CycleAxis,
    axis_of,
    heading,
    moved,
    near,
    on_paper,
    shaded,
)
from aidge_nb.widgets.still.svg.page import NARROW, enlarged, noted
from aidge_nb.widgets.still.svg.parts import (
    AT_END,
    CENTRED,
    INK,
    LINE,
    MUTED,
    PAPER,
    SMALL,
    byte_marks,
    line,
    rect,
    text,
    upright,
)
from aidge_nb.widgets.still.svg.patterns import pattern_of
from aidge_nb.widgets.text import size_text, width_of

_SIZES, _AXIS = SIZES["memory"], PANELS["axis"]
MOST_BUFFERS = 4000
"""Buffers that all memories of a page have together; of more, some are drawn."""

MEMORIES = 360.0
"""Pixels of all memories of a page together, before it is enlarged."""

Tag = tuple[float, float, str, str]
"""A text on paper beside a line: its left, its middle, and its colour."""


def memories_svg(scene: Scene, memory: MemoryMap, *, window: tuple[int, int] | None = None) -> str:
    """Draw the memories of a machine as a page of bounded size; all cycles, or a window."""
    page = SIZES["page"]
    axis, top = axis_of(scene, NARROW, window), float(page["ruler"])
    spaces = memory.spaces[: page["most"]]
    room = memories_height(len(spaces), MEMORIES)
    parts = [
        *axis.ruler(top / 2),
        *memories_parts(scene, memory, axis, room, top=top, spaces=spaces),
    ]
    height = noted(parts, top + room, left_out(memory, spaces), down=14, room=22)
    return enlarged(height, f"Memory of {scene.title}", parts)


def left_out(memory: MemoryMap, spaces: Sequence[Space]) -> list[str]:
    """List what a page with some memories leaves out."""
    more = len(memory.spaces) - len(spaces)
    notes = [f"… and {more} more memories"] if more else []
    return [*notes, "not every buffer is drawn"] if len(memory) > MOST_BUFFERS else notes


def memories_height(count: int, wanted: float) -> float:
    """Return the height of some memories: as much as wanted, or what each needs at least."""
    return max(wanted, count * float(SIZES["head"] + _SIZES["least"]))


def shares(peaks: Sequence[int], height: float) -> list[float]:
    """Divide a height among memories by their bytes in use, but for a least height of each.

    Examples
    --------
    >>> shares([10, 30], 444), shares([1, 99], 444), shares([1, 1], 0)
    ([100.0, 300.0], [64.0, 336.0], [64.0, 64.0])
    """
    least = float(_SIZES["least"])
    free = height - len(peaks) * SIZES["head"]
    held: set[int] = set()
    while True:
        rest = [place for place in range(len(peaks)) if place not in held]
        unit = max(0.0, free - least * len(held)) / max(1, sum(peaks[place] for place in rest))
        low = [place for place in rest if peaks[place] * unit < least]
        if not low:
            return [least if n in held else peak * unit for n, peak in enumerate(peaks)]
        held.update(low)


def memories_parts(
    scene: Scene,
    memory: MemoryMap,
    axis: CycleAxis,
    height: float,
    *,
    top: float = 0.0,
    spaces: Sequence[Space] | None = None,
    patterns: bool = False,
) -> Iterator[str]:
    """Draw memories as the live view shows them at first, without a cycle picked."""
    shown = memory.spaces if spaces is None else spaces
    y, each = top, MOST_BUFFERS // max(1, len(shown))
    most = each if len(memory) > MOST_BUFFERS else len(memory)
    for number, high in enumerate(shares([space.size for space in shown], height)):
        own = np.flatnonzero(memory.space == number)
        if own.size > most:  # the largest, and some of the others
            size = memory.size[own]
            is_large = size > np.sort(size)[-max(1, most // 2)]
            some = spread(own[~is_large].tolist(), most - int(is_large.sum()))
            own = np.sort(np.concatenate([own[is_large], np.array(some, np.int64)]))
        drawing = _SpaceDrawing(scene, memory, shown[number], axis, y, high, patterns)
        yield from drawing.parts(own.tolist())
        y += SIZES["head"] + high


class _SpaceDrawing:
    """One memory: bytes upwards from 0, to its end or to somewhat more than is used."""

    def __init__(
        self,
        scene: Scene,
        memory: MemoryMap,
        space: Space,
        axis: CycleAxis,
        y: float,
        high: float,
        has_patterns: bool,
    ) -> None:
        self._has_patterns = has_patterns
        self._scene, self._memory, self._space, self._axis = scene, memory, space, axis
        self._names, self._head, self._bottom = scene.names, y, y + SIZES["head"] + high
        self._base = self._bottom - _SIZES["foot"]
        self._up = (high - _SIZES["top"] - _SIZES["foot"]) / space.scale
        self._tags = self._find_tags()

    def _y(self, address: float) -> float:
        return float(self._base - address * self._up)

    def parts(self, own: list[int]) -> Iterator[str]:
        """Draw grid, buffers, limits and the heading."""
        axis, right = self._axis, self._axis.left + self._axis.plot
        yield from axis.grid(self._head + SIZES["head"], self._bottom)
        room = (self._base - self._y(self._space.scale)) / _AXIS["bytes"]
        for address in byte_marks(self._space.scale, room):
            at = near(self._y(address)) + 0.5
            yield line(axis.left, at, right, at, f'stroke="{LINE}" stroke-opacity="0.6"')
            label = size_text(address) if address else "0"
            yield text(axis.left - 8, self._y(address) + 4, label, f"{SMALL} {AT_END}")
        for buffer in own:
            yield from self._buffer(buffer)
        yield line(axis.left, self._base + 0.5, right, self._base + 0.5, f'stroke="{MUTED}"')
        yield line(
            axis.left - 0.5,
            self._head + SIZES["head"],
            axis.left - 0.5,
            self._base + 0.5,
            f'stroke="{MUTED}"',
        )
        yield from self._limits(axis.left, right)
        yield from heading(self._head, axis.width, axis, self._space.name, self._space.text)

    def _buffer(self, buffer: int) -> Iterator[str]:
        memory = self._memory
        lower, upper = int(memory.lower[buffer]), int(memory.upper[buffer])
        first, stop = self._axis.seen(lower, upper)
        if first >= stop and lower < upper:
            return
        x = self._axis.x(first)
        wide = max(1.0, self._axis.x(stop) - x)
        offset = int(memory.offset[buffer]) - self._space.base
        y = self._y(offset + int(memory.size[buffer]))
        high = max(1.0, self._y(offset) - y)
        family = int(memory.family[buffer]) if memory.family is not None else 0
        is_copy = memory.copy is not None and bool(memory.copy[buffer])
        if is_copy or family == NO_FAMILY:
            yield from moved(x, y, wide, high, family)
        elif wide > 3 and high > 3:
            style = f'fill="{shaded(family, 0)}" stroke="{PAPER}"'
            yield rect(x + 0.5, y + 0.5, wide - 1, high - 1, style)
            if self._has_patterns:
                yield rect(x + 0.5, y + 0.5, wide - 1, high - 1, pattern_of(family))
        else:
            yield rect(x, y, wide, high, f'fill="{shaded(family, 0)}"')
        yield from self._name(buffer, (x, y, wide, high), hatched=is_copy or family == NO_FAMILY)

    def _name(
        self, buffer: int, box: tuple[float, float, float, float], *, hatched: bool
    ) -> Iterator[str]:
        x, y, wide, high = box
        sizes = SIZES["name"]
        is_level = high >= _SIZES["name"] and wide >= sizes["level"] + sizes["room"]
        if not is_level and (hatched or wide < sizes["upright"] or high < 44):
            return
        node = self._scene.nodes[int(self._memory.node[buffer])].name
        room = (wide if is_level else high) - sizes["room"]
        label = buffer_label(self._memory.names[buffer], node, room, self._names)
        if not label:
            return
        middle, level = x + wide / 2, y + high / 2
        half = width_of(label, 11) / 2
        if self._is_taken(middle, level, *((half, 6) if is_level else (6, half))):
            return
        if hatched:
            yield from on_paper(middle, level, label)
            return
        ink = (
            text_on(shaded(int(self._memory.family[buffer]), 0))
            if self._memory.family is not None
            else INK
        )
        style = f'fill="{ink}" font-size="11" {CENTRED}'
        write, down = (text, 4) if is_level else (upright, 0)
        yield write(middle, level + down, label, style)

    def _limits(self, left: float, right: float) -> Iterator[str]:
        """Draw the line of the peak, and that of all bytes where it is on the scale."""
        space = self._space
        if space.capacity <= space.scale:
            end = near(self._y(space.capacity)) + 0.5
            yield line(left, end, right, end, f'stroke="{INK}" stroke-width="1.5"')
        peak = near(self._y(space.size)) + 0.5
        dash = f'stroke="{PEAK}" stroke-width="1.5" stroke-dasharray="7 4"'
        yield line(left, peak, right, peak, dash)
        for x, y, label, colour in self._tags:  # on paper, so that it can be read over anything
            yield rect(x, y - 7, _tag_width(label), 14, f'fill="{PAPER}" fill-opacity="0.85"')
            yield text(x + 4, y + 4, label, f'fill="{colour}" {BOLD}')

    def _find_tags(self) -> list[Tag]:
        """List what is written at the limits: left, middle, text, colour."""
        space, left = self._space, self._axis.left
        if self._axis.plot < _SIZES["words"]:
            return []
        peak, top = near(self._y(space.size)) + 0.5, self._head + SIZES["head"]
        is_seen, apart = space.capacity <= space.scale, _SIZES["apart"]
        end = near(self._y(space.capacity)) + 0.5
        is_above = peak - top > apart and not (is_seen and peak - end <= apart)
        label = f"peak {size_text(space.size)}"
        x = left + self._axis.plot - _tag_width(label) - 6
        found = [(x, peak - 8 if is_above else peak + 9, label, PEAK)]
        if is_seen:
            found.append((left + 6, end + 9, f"capacity {size_text(space.capacity)}", INK))
        return found

    def _is_taken(self, x: float, y: float, across: float, down: float) -> bool:
        """Tell whether what is written at a limit lies where a name would be."""
        return any(
            left < x + across and left + _tag_width(label) > x - across and abs(at - y) < 7 + down
            for left, at, label, _ in self._tags
        )


def _tag_width(label: str) -> float:
    return width_of(label, 11) * 1.1 + 8


def buffer_label(name: str, node: str, room: float, names: Names) -> str:
    """Write the name of a buffer of a node: the work, and which of its values it is.

    Examples
    --------
    >>> from aidge_nb.widgets.scene.labels.blocks import NodeLabels
    >>> buffer_label("stem input 0", "stem", 100, Names(["stem"], NodeLabels()))
    'stem in'
    """
    rest = name[len(node) :] if name.startswith(f"{node} ") else ""
    for long, short in ((" input 0", " in"), (" result 0", " out")):
        rest = short if rest == long else rest
    if not rest:
        return names.fit(name, room, 11)
    own = names.fit(node, room - width_of(rest, 11), 11)
    return own and own + rest
