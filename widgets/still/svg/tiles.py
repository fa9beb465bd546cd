"""Static picture of a tiling: its feature maps side by side, with what each tile computes."""

from __future__ import annotations

from collections.abc import Iterator

from aidge_nb.widgets.scene.scene import Scene, TileDrawing
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

_HIGH, _TOP, _GAP, _SIDE, _LEAST = 300.0, 40.0, 30.0, 16.0, 70.0
_MOST_MAPS = 12


def tiles_svg(scene: Scene, tiles: TileDrawing) -> str:
    """Draw the maps; tiles that reach into each other (halos) are darker where they do."""
    shown = list(range(len(tiles.maps)))
    if len(shown) > _MOST_MAPS:
        step = (len(shown) - 1) / (_MOST_MAPS - 1)
        shown = sorted({round(place * step) for place in range(_MOST_MAPS)})
    parts: list[str] = []
    x = _SIDE
    for place in shown:
        each = tiles.maps[place]
        wide = min(_HIGH, max(_LEAST, _HIGH * each.width / each.height))
        parts += _map(scene, tiles, place, x, wide)
        x += wide + _GAP
    height = _TOP + _HIGH + 30
    hidden = len(tiles.maps) - len(shown)
    if hidden:
        height += 20
        note = f"… and {hidden} maps between them: open the interactive view to see all"
        parts.append(text(_SIDE, height - 10, note, f'fill="{MUTED}"'))
    return document(x - _GAP + _SIDE, height, f"Tiles of {scene.title}", parts)


def _map(scene: Scene, tiles: TileDrawing, place: int, x: float, wide: float) -> Iterator[str]:
    each = tiles.maps[place]
    name = fit(each.name, wide + _GAP - 6, 11.5)
    yield text(x + wide / 2, 22, name, f'font-weight="600" font-size="11.5" {CENTRED}')
    frame = f'fill="none" stroke="{LINE}"'
    yield rect(x - 0.5, _TOP - 0.5, wide + 1, _HIGH + 1, frame)
    across, down = wide / each.width, _HIGH / each.height
    for tile, own, halo, top, bottom, left, right in tiles.boxes.tolist():
        if own != place or halo:
            continue
        colour = node_colour(scene.nodes[tile])
        box = (x + left * across, _TOP + top * down, (right - left) * across, (bottom - top) * down)
        yield rect(*box, f'fill="{colour}" fill-opacity="0.4" stroke="{colour}"')
        if place == len(tiles.maps) - 1 and box[3] > 14 and box[2] > 30:
            label = f'font-size="11" fill="{INK}" {CENTRED}'
            yield text(box[0] + box[2] / 2, box[1] + box[3] / 2 + 4, str(tile), label)
    sizes = f"{each.height}×{each.width}"
    small = f'font-size="11" fill="{MUTED}" {CENTRED}'
    yield text(x + wide / 2, _TOP + _HIGH + 18, sizes, small)
