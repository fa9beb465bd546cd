"""Static picture of a mapping: a row for each element, link and bus."""

from __future__ import annotations

from collections.abc import Iterator

from aidge_nb.widgets.palette import text_on
from aidge_nb.widgets.scene.scene import Devices, Scene
from aidge_nb.widgets.still.svg.parts import (
    CENTRED,
    LINE,
    MUTED,
    SMALL,
    document,
    fit,
    line,
    nice_step,
    node_colour,
    rect,
    text,
    ticks,
)
from aidge_nb.widgets.text import count_text

_WIDTH, _LEFT, _RIGHT, _TOP, _ROW = 960.0, 170.0, 20.0, 28.0, 26.0
_MOST_BARS = 4000


def devices_svg(scene: Scene, devices: Devices) -> str:
    """Draw what each device does from cycle to cycle; transfers are paler."""
    scale = (_WIDTH - _LEFT - _RIGHT) / max(1, devices.end)
    bottom = _TOP + _ROW * len(devices.rows)
    parts = [*_grid(devices, scale, bottom), *_bars(scene, devices, scale)]
    height = bottom + 12
    hidden = max(0, int(devices.row.size) - _MOST_BARS)
    if hidden or not devices.row.size:
        height += 20
        note = f"… and {hidden} more" if hidden else "nothing runs"
        parts.append(text(12, height - 10, note, f'fill="{MUTED}"'))
    return document(_WIDTH, height, f"Devices of {scene.title}", parts)


def _grid(devices: Devices, scale: float, bottom: float) -> Iterator[str]:
    yield text(12, 18, "cycle", SMALL)
    for tick in ticks(devices.end, nice_step(max(1, devices.end), 10)):
        x = _LEFT + tick * scale
        yield line(x, _TOP, x, bottom, f'stroke="{LINE}"')
        yield text(x, 18, count_text(tick), f"{SMALL} {CENTRED}")
    for place, row in enumerate(devices.rows):
        name = fit(row.name, _LEFT - 24, 12)
        yield text(12, _TOP + place * _ROW + 17, name)


def _bars(scene: Scene, devices: Devices, scale: float) -> Iterator[str]:
    columns = (devices.row, devices.start, devices.length, devices.node)
    bars = zip(*(column.tolist() for column in columns), strict=True)
    for count, (row, start, length, node) in enumerate(bars):
        if count == _MOST_BARS:
            return
        own = scene.nodes[node]
        colour = node_colour(own)
        is_link = devices.rows[row].type == "link"
        x, wide = _LEFT + start * scale, max(0.75, length * scale - 0.5)
        y = _TOP + row * _ROW + 4
        faint = ' fill-opacity="0.65"' if is_link else ""
        yield rect(x, y, wide, _ROW - 8, f'fill="{colour}"{faint}')
        label = bar_label(scene, devices, count, wide - 6) if wide > 30 else ""
        if label:
            ink = f'fill="{text_on(colour)}" font-size="11" {CENTRED}'
            yield text(x + wide / 2, y + 13, label, ink)


def bar_label(scene: Scene, devices: Devices, bar: int, width: float) -> str:
    """Write whose a bar is: all that is computed together, or the first and how many more."""
    names = [scene.nodes[node].name for node in devices.nodes_of(bar)]
    whole = " + ".join(names)
    if len(names) == 1 or fit(whole, width, 11) == whole:
        return fit(whole, width, 11, scene.shared)
    more = f" +{len(names) - 1}"
    first = fit(names[0], width - 7 * len(more), 11, scene.shared)
    return first and first + more
