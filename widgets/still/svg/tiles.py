"""Draw a tiling: its feature maps side by side, with what each tile computes.

Sizes are those of the live view, in ``shared/panels.json``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aidge_nb.widgets.scene.parts import TileDrawing
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.shared import PANELS
from aidge_nb.widgets.still.svg.page import noted, widest
from aidge_nb.widgets.still.svg.parts import (
    CENTRED,
    INK,
    LINE,
    MUTED,
    document,
    fit,
    node_colour,
    rect,
    text,
)

_SIZES = PANELS["tiling"]
_TOP, _SIDE, _BOTTOM = (float(_SIZES[each]) for each in ("top", "side", "bottom"))
_HIGH, _MOST_MAPS = 300.0, 10


def tiles_svg(scene: Scene, tiles: TileDrawing) -> str:
    """Draw maps as a page, with numbered tiles; halos, where tiles overlap, are darker."""
    shown = list(range(len(tiles.maps)))
    if len(shown) > _MOST_MAPS:
        step = (len(shown) - 1) / (_MOST_MAPS - 1)
        shown = sorted({round(place * step) for place in range(_MOST_MAPS)})
    shares = [each.width / max(1, each.height) for each in (tiles.maps[place] for place in shown)]
    most = min(_HIGH, max(_SIZES["leastWide"], _HIGH * max(shares)))
    width = 2 * _SIDE + len(shown) * most + (len(shown) - 1) * _SIZES["gap"]
    width = min(width, widest(11))
    bottom = _TOP + _HIGH + _BOTTOM
    parts = list(_parts(scene, tiles, shown, width, bottom, numbered=True))
    hidden = len(tiles.maps) - len(shown)
    notes = [f"… and {hidden} maps between them"] if hidden else []
    height = noted(parts, bottom, notes, x=_SIDE, down=10)
    return document(width, height, f"Tiles of {scene.title}", parts)


def tiles_parts(scene: Scene, tiles: TileDrawing, width: float, height: float) -> Iterator[str]:
    """Draw all maps as the live view shows them at first."""
    return _parts(scene, tiles, range(len(tiles.maps)), width, height)


def _parts(
    scene: Scene,
    tiles: TileDrawing,
    shown: Sequence[int],
    width: float,
    height: float,
    *,
    numbered: bool = False,
) -> Iterator[str]:
    """Draw maps, all as high as each other, and what each tile computes of them."""
    count, least = len(shown), _SIZES["leastWide"]
    high = max(20.0, height - _TOP - _BOTTOM)
    free = (width - 2 * _SIDE - least * count) / max(1, count - 1)
    gap = min(_SIZES["gap"], max(_SIZES["leastGap"], free))
    room = (width - 2 * _SIDE - gap * (count - 1)) / count
    most = max(least, min(room, height - _TOP - _BOTTOM))
    whole = most * count + gap * (count - 1) + 2 * _SIDE
    start = _SIDE + max(0.0, (width - whole) / 2)
    frames = {}
    for position, place in enumerate(shown):
        each = tiles.maps[place]
        wide = max(14.0, min(most, high * each.width / max(1, each.height)))
        x = start + position * (most + gap) + (most - wide) / 2
        frames[place] = (x, wide)
        yield rect(x - 0.5, _TOP - 0.5, wide + 1, high + 1, f'fill="none" stroke="{LINE}"')
        small = f'{CENTRED} font-size="11"'
        name = fit(each.name, most + gap - 8, 11)
        yield text(x + wide / 2, _TOP / 2 + 4, name, f'{small} font-weight="600"')
        size = f"{each.height}×{each.width}"
        yield text(x + wide / 2, _TOP + high + _BOTTOM / 2 + 4, size, f'{small} fill="{MUTED}"')
    for tile, place, halo, top, bottom, left, right in tiles.boxes.tolist():
        if halo or place not in frames:
            continue
        (x, wide), each = frames[place], tiles.maps[place]
        across, down = wide / max(1, each.width), high / max(1, each.height)
        box = (x + left * across, _TOP + top * down, (right - left) * across, (bottom - top) * down)
        number = str(tile) if numbered and place == len(tiles.maps) - 1 else ""
        yield from _tile(box, node_colour(scene.nodes[tile]), number)


def _tile(box: tuple[float, float, float, float], colour: str, number: str) -> Iterator[str]:
    x, y, wide, high = box
    yield rect(*box, f'fill="{colour}" fill-opacity="{_SIZES["fill"]}"')
    if wide > 3 and high > 3:
        yield rect(x + 0.5, y + 0.5, wide - 1, high - 1, f'fill="none" stroke="{colour}"')
    if number and wide > 30 and high > 14:
        label = f'font-size="11" fill="{INK}" {CENTRED}'
        yield text(x + wide / 2, y + high / 2 + 4, number, label)
