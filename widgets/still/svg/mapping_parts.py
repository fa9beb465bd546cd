"""Draw what rows and memories of a machine have in common: time, colours, copies, names.

Sizes are those of the live view, in ``shared/panels.json``.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import floor

from aidge_nb.core.values import dataclass
from aidge_nb.widgets.palette import FAMILIES, text_on
from aidge_nb.widgets.scene.devices import NO_FAMILY, Devices
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.shared import COLOURS, LABELS, PANELS
from aidge_nb.widgets.still.svg.parts import (
    AT_END,
    CENTRED,
    FAINT,
    INK,
    LINE,
    MUTED,
    PAPER,
    SMALL,
    fit,
    hatched,
    inside,
    line,
    nice_marks,
    rect,
    text,
    upright,
)
from aidge_nb.widgets.still.svg.patterns import pattern_of
from aidge_nb.widgets.still.svg.rows import column_of
from aidge_nb.widgets.text import width_of

SIZES = PANELS["mapping"]
PEAK: str = COLOURS["light"]["peak"]
BOLD = 'font-size="11" font-weight="600"'


@dataclass(frozen=True, slots=True)
class CycleAxis:
    """Cycles across a column, in pixels."""

    width: float
    end: int
    start: int = 0

    @property
    def left(self) -> float:
        """Where cycle 0 is."""
        return float(column_of(self.width)[0])

    @property
    def plot(self) -> float:
        """Pixels of all cycles."""
        return column_of(self.width)[1]

    def x(self, cycle: float) -> float:
        """Return where a cycle begins."""
        return self.left + (cycle - self.start) * self.plot / max(1, self.end - self.start)

    def seen(self, lower: int, upper: int) -> tuple[int, int]:
        """Cut a span of cycles to what is shown; what lies outside begins where it ends."""
        first = max(lower, self.start)
        return first, max(first, min(upper, self.end))

    @property
    def marks(self) -> list[int]:
        """Cycles with a number."""
        return nice_marks(self.start, max(1, self.end), self.plot / float(PANELS["axis"]["unit"]))

    def grid(self, top: float, bottom: float) -> Iterator[str]:
        """Draw a line at each mark."""
        for mark in self.marks:
            at = near(self.x(mark)) + 0.5
            yield line(at, top, at, bottom, f'stroke="{LINE}" stroke-opacity="0.6"')

    def ruler(self, y: float) -> Iterator[str]:
        """Write the numbers of the marks."""
        yield text(self.left - 8, y + 4, "cycle", f"{SMALL} {AT_END}")
        reached = self.left - 4
        for mark in self.marks:
            label = str(mark) if mark < LABELS["grouped"] else f"{mark:,}"
            half = width_of(label, 11) / 2
            at = max(self.x(mark), self.left + half)
            if at - half > reached and at + half < self.width:
                yield text(at, y + 4, label, f"{SMALL} {CENTRED}")
                reached = at + half + 6


def end_of(scene: Scene) -> int:
    """Return the cycle behind all that is drawn: buffers may live on after the last step."""
    last = 0 if scene.devices is None else scene.devices.end
    reach = 0 if scene.memory is None else int(scene.memory.upper.max(initial=0))
    return max(1, last, reach if scene.memory is not None and scene.memory.spaces else 0)


def axis_of(scene: Scene, width: float, window: tuple[int, int] | None = None) -> CycleAxis:
    """Return the axis of all cycles, or of a window of them."""
    start, end = inside(window, end_of(scene))
    return CycleAxis(width, end, start)


def near(value: float) -> int:
    """Round half up, as the browser does.

    Examples
    --------
    >>> near(2.5), near(-0.5)
    (3, 0)
    """
    return floor(value + 0.5)


def span_of(left: float, right: float) -> tuple[int, int]:
    """Return first and last pixel of a bar: there is paper between it and the next one."""
    wide = right - left
    paper = SIZES["paper"] if wide >= 2 * SIZES["paper"] else 1 if wide >= 2 else 0
    first = near(left)
    return first, max(first + 1, near(right) - paper)


def shaded(family: int, shade: int) -> str:
    """Return the colour of a family, or the second shade of it.

    Examples
    --------
    >>> shaded(0, 0), shaded(0, 1)
    ('#238bfb', '#1964b5')
    """
    if family == NO_FAMILY:
        return MUTED
    colour = FAMILIES[family].light
    if not shade:
        return colour
    part = SIZES["shade"]["light"]
    return "#" + "".join(f"{near(int(colour[at : at + 2], 16) * part):02x}" for at in (1, 3, 5))


def moved(x: float, y: float, wide: float, high: float, family: int) -> Iterator[str]:
    """Draw what is moved, or a copy: hatched in a family's colour, or grey for parameters."""
    colour = shaded(family, 0)
    grey, hatch = SIZES["grey"], SIZES["hatch"]
    if min(wide, high) < SIZES["narrow"]:
        yield rect(x, y, wide, high, f'fill="{colour}" fill-opacity="{grey["narrow"]}"')
        return
    fill = grey["fill"] if family == NO_FAMILY else hatch["fill"]
    yield rect(x, y, wide, high, f'fill="{colour}" fill-opacity="{fill}"')
    if family != NO_FAMILY:
        style = f'stroke="{colour}" stroke-opacity="{hatch["line"]}"'
        yield hatched(x, y, wide, high, hatch["apart"], style)
    yield rect(x + 0.5, y + 0.5, wide - 1, high - 1, f'fill="none" stroke="{colour}"')


def idle(x: float, y: float, wide: float, high: float) -> str:
    """Hatch a stretch in which nothing is done."""
    style = f'stroke="{MUTED}" stroke-opacity="{SIZES["idle"]["line"]}"'
    return hatched(x, y, wide, high, SIZES["idle"]["apart"], style)


def on_paper(x: float, y: float, label: str) -> Iterator[str]:
    """Write text around a point, on paper, so that it can be read over stripes."""
    half = width_of(label, 11) / 2 + 3
    yield rect(x - half, y - 7, 2 * half, 14, f'fill="{PAPER}" fill-opacity="0.85"')
    yield text(x, y + 4, label, f'font-size="11" {CENTRED}')


def upright_on_paper(x: float, y: float, label: str) -> Iterator[str]:
    """Write text from the bottom to the top, on paper, so that it can be read over stripes."""
    half = width_of(label, 11) / 2 + 3
    yield rect(x - 7, y - half, 14, 2 * half, f'fill="{PAPER}" fill-opacity="0.85"')
    yield upright(x, y, label, f'fill="{INK}" font-size="11" {CENTRED}')


def heading(y: float, width: float, axis: CycleAxis, title: str, words: str) -> Iterator[str]:
    """Draw the line above a group: its title, and what it shows."""
    yield rect(0, y, width, SIZES["head"], f'fill="{PAPER}"')
    yield rect(0, y, width, SIZES["head"], FAINT)
    middle = y + SIZES["head"] / 2 + 4
    title = fit(title, width / 2)
    yield text(12, middle, title, BOLD)
    start = 12 + width_of(title, 11) * 1.1 + 10
    if start + width_of(words, 11) < axis.width - 8:
        yield text(start, middle, words, SMALL)


def legend(scene: Scene, y: float, width: float, *, patterns: bool = False) -> Iterator[str]:
    """Explain the colours that occur, and the stripes."""
    x = float(column_of(width)[0])
    for kind, label in legend_of(scene):
        if x + 18 + width_of(label, 11) > width - 8:
            return
        if kind == "idle":
            yield idle(x, y - 6, 16, 12)
        elif kind == "moved":
            yield from moved(x, y - 6, 16, 12, 0)
        elif kind == "grey":
            yield from moved(x, y - 6, 16, 12, NO_FAMILY)
        else:
            yield rect(x, y - 6, 12, 12, f'fill="{shaded(int(kind), 0)}"')
            if patterns:
                yield rect(x, y - 6, 12, 12, pattern_of(int(kind)))
        yield text(x + 20, y + 4, label, SMALL)
        x += 20 + width_of(label, 11) + 18


def legend_of(scene: Scene) -> list[tuple[str, str]]:
    """List kind and words of each entry of the legend: a family, or a way to draw."""
    devices = scene.devices
    if devices is None or devices.family is None or devices.move is None:
        return []
    works = devices.move == 0
    of_works = dict.fromkeys(devices.family[works].tolist())
    others = dict.fromkeys(devices.family[~works].tolist())
    named = len({node.colours for node in scene.nodes} & {*of_works}) and _are_types(scene)
    found = [(str(each), FAMILIES[each].name) for each in of_works if named]
    given = [each for each in others if each not in of_works and each != NO_FAMILY]
    found += [(str(each), "input of the graph") for each in given[:1] if named]
    if any(each != NO_FAMILY for each in others):
        found.append(("moved", "moved, or a copy that was moved here"))
    if NO_FAMILY in others:
        found.append(("grey", "parameters"))
    return [*found, ("idle", "idle")] if devices.idle else found


def _are_types(scene: Scene) -> bool:
    """Tell whether colours stand for types, and not for tiles."""
    return all(node.family is None or node.family == node.colours for node in scene.nodes) and any(
        not node.name.startswith("tile ") for node in scene.nodes
    )


def ink_on(devices: Devices, bar: int) -> str:
    """Return black or white, whichever reads better on a bar."""
    family = 0 if devices.family is None else int(devices.family[bar])
    shade = 0 if devices.shade is None else int(devices.shade[bar])
    return text_on(shaded(family, shade))
