"""Draw a mapping: elements and links in rows, and below them each memory, on one clock.

Sizes are those of the live view, in ``shared/panels.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from aidge_nb.widgets.scene.devices import NO_FAMILY, Devices
from aidge_nb.widgets.scene.labels.names import Names
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.still.svg.mapping_parts import (
    SIZES,
    CycleAxis,
    axis_of,
    heading,
    idle,
    ink_on,
    legend,
    moved,
    on_paper,
    shaded,
    span_of,
    upright_on_paper,
)
from aidge_nb.widgets.still.svg.memories import MEMORIES, left_out, memories_height, memories_parts
from aidge_nb.widgets.still.svg.page import NARROW, enlarged, noted
from aidge_nb.widgets.still.svg.parts import (
    AT_END,
    CENTRED,
    LINE,
    PAPER,
    SMALL,
    fit,
    line,
    rect,
    text,
    upright,
)
from aidge_nb.widgets.still.svg.patterns import definitions, pattern_of
from aidge_nb.widgets.still.svg.rows import too_many
from aidge_nb.widgets.text import width_of

_MOST_ROWS, _BRIEF_ROWS, _MOST_BARS = 450, 60, 6000
_HEADS = {
    "element": ("Elements", "what computes"),
    "link": ("Links", "what moves; hatched: colour of the tensor that is moved, grey: parameters"),
}


def mapping_svg(
    scene: Scene,
    devices: Devices,
    *,
    brief: bool = False,
    patterns: bool = False,
    window: tuple[int, int] | None = None,
) -> str:
    """Draw a mapping as a page of bounded size, with a note on what is left out.

    With ``patterns``, families of operators can be told apart without colours; with a ``window``,
    its cycles are drawn, half-open, and not all.
    """
    page = SIZES["page"]
    width, top = NARROW, float(page["ruler"])
    shown = list(range(len(devices.rows)))[: _BRIEF_ROWS if brief else _MOST_ROWS]
    axis = axis_of(scene, width, window)
    drawing = MappingRows(scene, devices, axis, shown, most=_MOST_BARS, patterns=patterns)
    parts = [
        *(definitions() if patterns else ()),
        *drawing.axis.ruler(top / 2),
        *drawing.parts(top),
    ]
    parts.append(line(0, top - 0.5, width, top - 0.5, f'stroke="{LINE}"'))
    height = top + drawing.height
    notes = []
    if len(devices.rows) > len(shown):
        notes.append(f"… and {len(devices.rows) - len(shown)} more rows")
    if scene.memory is not None and scene.memory.spaces:
        most = page["most"]
        spaces = scene.memory.spaces[:most]
        room = memories_height(len(spaces), MEMORIES)
        memory = scene.memory
        parts += memories_parts(
            scene, memory, axis, room, top=height, spaces=spaces, patterns=patterns
        )
        height += room
        notes += left_out(memory, spaces)
    if drawing.is_cut:
        notes.append("not every step is drawn")
    parts += legend(scene, height + page["legend"] / 2, width, patterns=patterns)
    instead = "" if devices.row.size else "nothing runs"
    height = noted(parts, height + page["legend"], notes, instead)
    return enlarged(height, f"Mapping of {scene.title}", parts)


def mapping_parts(scene: Scene, devices: Devices, width: float) -> Iterator[str]:
    """Draw elements and links as the live view shows them at first."""
    axis = axis_of(scene, width)
    return MappingRows(scene, devices, axis, range(len(devices.rows))).parts(0.0)


def row_height(devices: Devices, kind: str) -> float:
    """Return the height of a row: less where there are many."""
    count, sizes = sum(row.type == kind for row in devices.rows), SIZES[kind]
    for step in ("few", "some"):
        if step in sizes and count <= sizes[step][0]:
            return float(sizes[step][1])
    return float(sizes["many"])


class MappingRows:
    """Places rows down and cycles across, in pixels.

    Of more bars than ``most``, each row has some, evenly spread: the picture ``is_cut``.
    """

    def __init__(
        self,
        scene: Scene,
        devices: Devices,
        axis: CycleAxis,
        shown: Sequence[int],
        *,
        most: float = float("inf"),
        patterns: bool = False,
    ) -> None:
        self._has_patterns = patterns
        self._scene, self._devices, self._width = scene, devices, axis.width
        self._names, self.axis = scene.names, axis
        self.is_cut = too_many(devices.row[np.isin(devices.row, shown)], axis.plot, most)
        self._apart = axis.plot * len(shown) / most if self.is_cut else 0.0
        self._heads: list[tuple[str, float]] = []
        self._rows: list[tuple[int, float, float]] = []
        y, last = 0.0, ""
        for row in shown:
            kind = devices.rows[row].type
            if kind != last:
                self._heads.append((kind, y))
                y, last = y + SIZES["head"], kind
            high = row_height(devices, kind)
            self._rows.append((row, y, high))
            y += high
        self.height = y

    def parts(self, top: float) -> Iterator[str]:
        """Draw grid, bars, names of rows and headings."""
        yield from self.axis.grid(top, top + self.height)
        devices = self._devices
        for row, y, high in self._rows:
            yield from self._idle(row, top + y, high)
            low, up = np.searchsorted(devices.row, [row, row + 1]).tolist()
            yield from self._bars(range(low, up), row, top + y, high)
            yield from self._name(row, top + y, high)
        for kind, y in self._heads:
            yield from heading(top + y, self._width, self.axis, *_HEADS.get(kind, (kind, "")))

    def _bar(self, y: float, high: float) -> tuple[float, float]:
        """Return top and height of the bars of a row."""
        wide = round(high * SIZES["bar"])
        return y + (high - wide) // 2, wide

    def _idle(self, row: int, place: float, high: float) -> Iterator[str]:
        (top, size), reached = self._bar(place, high), -1
        for lower, upper in (span for at, *span in self._devices.idle if at == row):
            start, stop = self.axis.seen(lower, upper)
            left, right = span_of(self.axis.x(start), self.axis.x(stop))
            if start >= stop or right <= reached:
                continue
            reached = right
            yield idle(left, top, right - left, size)
            label = f"{upper - lower:,}"
            wide, x, y = width_of(label, 11), (left + right) / 2, top + size / 2
            if wide + SIZES["name"]["room"] <= right - left:
                yield from on_paper(x, y, label)
            elif wide <= size - 2 and right - left >= SIZES["name"]["upright"]:
                yield from upright_on_paper(x, y, label)

    def _bars(self, bars: Sequence[int], row: int, y: float, high: float) -> Iterator[str]:
        devices, reached = self._devices, -1.0
        is_link = devices.rows[row].type == "link"
        top, size = self._bar(y, high)
        for bar in bars:
            start = int(devices.start[bar])
            start, stop = self.axis.seen(start, start + int(devices.length[bar]))
            if start >= stop and devices.length[bar]:
                continue
            left, right = span_of(self.axis.x(start), self.axis.x(stop))
            if right <= reached:
                continue
            reached = max(right, reached + self._apart)
            family = int(devices.family[bar]) if devices.family is not None else 0
            if is_link:
                yield from moved(left, top, right - left, size, family)
                continue
            # Of many thin ones only some are drawn: shades would say what is not so.
            is_thin = right - left < SIZES["paper"]
            shade = 0 if is_thin or devices.shade is None else int(devices.shade[bar])
            fill = f'fill="{shaded(family, shade)}"'
            yield rect(left, top, right - left, size, fill)
            if self._has_patterns and not is_thin and family != NO_FAMILY:
                yield rect(left, top, right - left, size, pattern_of(family))
            yield from self._label(bar, left, right, top, size)

    def _label(self, bar: int, left: float, right: float, top: float, size: float) -> Iterator[str]:
        """Write the name of a work into its box: with its cycles, alone, or upright."""
        sizes, ink = SIZES["name"], ink_on(self._devices, bar)
        room, middle = right - left - sizes["room"], (left + right) / 2
        style = f'fill="{ink}" font-size="11" {CENTRED}'
        if room >= sizes["level"]:
            label = bar_label(self._scene, self._devices, bar, room, self._names)
            cycles = f"{int(self._devices.length[bar]):,} cycles"
            if (
                label
                and right - left >= sizes["two"]
                and size >= 30
                and width_of(cycles, 11) <= room
            ):
                yield text(middle, top + size / 2 - 2, label, f'{style} font-weight="600"')
                yield text(middle, top + size / 2 + 11, cycles, style)
                return
            if label:
                yield text(middle, top + size / 2 + 4, label, style)
                return
        if right - left >= sizes["upright"]:
            label = bar_label(self._scene, self._devices, bar, size - 2, self._names, 11)
            if label:
                yield upright(middle, top + size / 2, label, style)

    def _name(self, row: int, y: float, high: float) -> Iterator[str]:
        """Write name and busy share of a row; the share where there is a second line for it."""
        left = self.axis.left
        yield rect(0, y, left - 1, high, f'fill="{PAPER}"')
        devices, middle = self._devices, y + high / 2
        name = fit(devices.labels[row] if devices.labels else devices.rows[row].name, left - 14)
        busy, is_two = devices.busy_text(row), high >= SIZES["busy"]
        weight = ' font-weight="600"' if devices.rows[row].type == "element" else ""
        yield text(left - 8, middle + (-4 if is_two else 4), name, f"{AT_END}{weight}")
        if is_two:
            yield text(left - 8, middle + 10, busy, f"{SMALL} {AT_END}")
        yield line(left - 0.5, y, left - 0.5, y + high, f'stroke="{LINE}"')


def bar_label(
    scene: Scene, devices: Devices, bar: int, width: float, names: Names, size: float = 11
) -> str:
    """Write the nodes of a bar: all that are computed together, or the first and how many more."""
    own = [scene.nodes[node].name for node in devices.nodes_of(bar)]
    whole = " + ".join(map(names.path, own))
    if len(own) == 1:
        work = own[0].partition(", tile ")[0]  # a narrow box says the work alone
        return names.fit(own[0], width, size) or names.fit(work, width, size)
    if width_of(whole, size) <= width:
        return whole
    more = f" +{len(own) - 1}"
    first = names.fit(own[0], width - 7 * len(more), size)
    return first and first + more
