"""The panel of tiles as the live view shows it at first.

The constants are those of ``frontend/src/tiling.ts``.
"""

from __future__ import annotations

from collections.abc import Iterator

from aidge_nb.widgets.scene.scene import Scene, TileDrawing
from aidge_nb.widgets.still.svg.parts import CENTRED, LINE, MUTED, fit, node_colour, rect, text

_GAP, _TOP, _SIDE, _BOTTOM, _LEAST = 36.0, 26.0, 12.0, 22.0, 64.0
_LEAST_GAP = 14.0


def tiles_parts(scene: Scene, tiles: TileDrawing, width: float, height: float) -> Iterator[str]:
    """Draw the maps, all as high as each other, and what each tile computes of them."""
    count = len(tiles.maps)
    high = max(20.0, height - _TOP - _BOTTOM)
    free = (width - 2 * _SIDE - _LEAST * count) / max(1, count - 1)
    gap = min(_GAP, max(_LEAST_GAP, free))
    room = (width - 2 * _SIDE - gap * (count - 1)) / count
    most = max(_LEAST, min(room, height - _TOP - _BOTTOM))
    whole = most * count + gap * (count - 1) + 2 * _SIDE
    start = _SIDE + max(0.0, (width - whole) / 2)
    frames = []
    for place, each in enumerate(tiles.maps):
        wide = max(14.0, min(most, high * each.width / max(1, each.height)))
        x = start + place * (most + gap) + (most - wide) / 2
        frames.append((x, wide))
        yield rect(x - 0.5, _TOP - 0.5, wide + 1, high + 1, f'fill="none" stroke="{LINE}"')
        centred = f'{CENTRED} font-size="11"'
        name = fit(each.name, most + gap - 8, 11)
        yield text(x + wide / 2, _TOP / 2 + 4, name, f'{centred} font-weight="600"')
        size = f"{each.height}×{each.width}"
        small = f'{centred} fill="{MUTED}"'
        yield text(x + wide / 2, _TOP + high + _BOTTOM / 2 + 4, size, small)
    for tile, place, halo, top, bottom, left, right in tiles.boxes.tolist():
        if halo:
            continue
        x, wide = frames[place]
        across = wide / max(1, tiles.maps[place].width)
        down = high / max(1, tiles.maps[place].height)
        yield from _tile(
            x + left * across,
            _TOP + top * down,
            (right - left) * across,
            (bottom - top) * down,
            node_colour(scene.nodes[tile]),
        )


def _tile(x: float, y: float, wide: float, high: float, colour: str) -> Iterator[str]:
    yield rect(x, y, wide, high, f'fill="{colour}" fill-opacity="0.42"')
    if wide > 3 and high > 3:
        yield rect(x + 0.5, y + 0.5, wide - 1, high - 1, f'fill="none" stroke="{colour}"')
