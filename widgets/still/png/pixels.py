"""A picture of pixels: rectangles, polygons, strokes and text, with soft edges; and its PNG file.

Coverage of a pixel is computed, not sampled, for rectangles and strokes; polygons are sampled four
times in each direction. Text is drawn with the strokes of :mod:`aidge_nb.widgets.still.png.glyphs`.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Sequence
from functools import lru_cache
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from aidge_nb.widgets.still.png.glyphs import UNITS, advance, strokes

Mask = NDArray[np.float32]
Point = tuple[float, float]
Colour = tuple[int, int, int]

_CAPITAL = 0.72
"""Height of a capital, as a part of the size of a font."""
_FINE = 4
_LARGE = 10_000  # pixels


def text_width(text: str, size: float) -> float:
    """Return the width of text in pixels, as :class:`Pixels` draws it.

    Examples
    --------
    >>> text_width("conv1", 12) < text_width("conv1", 14)
    True
    """
    return sum(advance(char) for char in text) * size * _CAPITAL / UNITS


class Pixels:
    """A picture of some width and height, white at first.

    Examples
    --------
    >>> picture = Pixels(4, 2)
    >>> picture.rect(1, 0, 2, 1, (255, 0, 0))
    >>> picture.rows[0].tolist()[1]
    [255.0, 0.0, 0.0]
    >>> picture.png()[1:4]
    b'PNG'
    """

    def __init__(self, width: int, height: int) -> None:
        self.rows: NDArray[np.float32] = np.full((height, width, 3), 255, np.float32)

    @property
    def width(self) -> int:
        """Width in pixels."""
        return int(self.rows.shape[1])

    @property
    def height(self) -> int:
        """Height in pixels."""
        return int(self.rows.shape[0])

    # --- shapes ---------------------------------------------------------------------------------

    def blend(self, mask: Mask, left: int, top: int, colour: Colour, alpha: float = 1.0) -> None:
        """Put a colour where a mask is, by its coverage; what lies outside is cut off."""
        y0, x0 = max(0, top), max(0, left)
        y1 = min(self.height, top + mask.shape[0])
        x1 = min(self.width, left + mask.shape[1])
        if y0 >= y1 or x0 >= x1:
            return
        part = mask[y0 - top : y1 - top, x0 - left : x1 - left, None] * np.float32(alpha)
        place = self.rows[y0:y1, x0:x1]
        place += part * (np.array(colour, np.float32) - place)

    def rect(
        self, x: float, y: float, width: float, height: float, colour: Colour, alpha: float = 1.0
    ) -> None:
        """Fill a rectangle whose sides are those of the picture."""
        x, y = max(-4.0, x), max(-4.0, y)
        right, bottom = min(self.width + 4.0, x + width), min(self.height + 4.0, y + height)
        if right <= x or bottom <= y:
            return
        if alpha == 1.0:  # of a large one, the inner part is simply filled
            x0, x1 = max(0, int(np.ceil(x))), int(np.floor(right))
            y0, y1 = max(0, int(np.ceil(y))), int(np.floor(bottom))
            if (x1 - x0) * (y1 - y0) > _LARGE:
                self.rows[y0:y1, x0:x1] = colour
                above, below = (x, y, right, y0), (x, y1, right, bottom)
                for left, top, end, low in (above, below, (x, y0, x0, y1), (x1, y0, right, y1)):
                    self.rect(left, top, end - left, low - top, colour)
                return
        across, down = _cover(x, right), _cover(y, bottom)
        self.blend(np.outer(down, across), int(np.floor(x)), int(np.floor(y)), colour, alpha)

    def polygon(
        self, contours: Sequence[Sequence[Point]], colour: Colour, alpha: float = 1.0
    ) -> None:
        """Fill what closed contours hold, by the even-odd rule."""
        points = [point for contour in contours for point in contour]
        if len(points) < 3:
            return
        left = int(np.floor(max(-2.0, min(x for x, _ in points))))
        right = int(np.ceil(min(self.width + 2.0, max(x for x, _ in points)))) + 1
        top = int(np.floor(max(-2.0, min(y for _, y in points))))
        bottom = int(np.ceil(min(self.height + 2.0, max(y for _, y in points)))) + 1
        if right <= left or bottom <= top:
            return
        inside = np.zeros(((bottom - top) * _FINE, (right - left) * _FINE), np.bool_)
        ys = top + (np.arange(inside.shape[0]) + 0.5) / _FINE
        xs = left + (np.arange(inside.shape[1]) + 0.5) / _FINE
        for contour in contours:
            for (ax, ay), (bx, by) in zip(contour, (*contour[1:], contour[0]), strict=True):
                if ay == by:
                    continue
                crossed = (ys >= min(ay, by)) & (ys < max(ay, by))
                at = ax + (ys[crossed] - ay) * (bx - ax) / (by - ay)
                inside[crossed] ^= xs[None, :] >= at[:, None]
        shape = (bottom - top, _FINE, right - left, _FINE)
        mask = inside.reshape(shape).mean(axis=(1, 3), dtype=np.float32)
        self.blend(mask, left, top, colour, alpha)

    def stroke(
        self,
        points: Sequence[Point],
        width: float,
        colour: Colour,
        alpha: float = 1.0,
        dash: Sequence[float] = (),
    ) -> None:
        """Draw lines from point to point."""
        for start, stop in _dashes(points, dash) if dash else pairwise(points):
            mask, left, top = _segment(start, stop, width)
            if mask.size:
                self.blend(mask, left, top, colour, alpha)

    def text(
        self,
        x: float,
        y: float,
        text: str,
        size: float,
        colour: Colour,
        *,
        bold: bool = False,
        upright: bool = True,
        alpha: float = 1.0,
    ) -> None:
        """Write text from a point of its base line on; turned left where it is not upright."""
        unit = size * _CAPITAL / UNITS
        for char in text:
            here = x if upright else y
            shift = round((here - np.floor(here)) * 4) / 4
            mask, left, top = _glyph_mask(char, size, bold, upright, shift)
            if mask.size:
                place = (int(np.floor(x)), round(y)) if upright else (round(x), int(np.floor(y)))
                self.blend(mask, place[0] + left, place[1] + top, colour, alpha)
            if upright:
                x += advance(char) * unit
            else:
                y -= advance(char) * unit

    # --- the file -------------------------------------------------------------------------------

    def array(self) -> NDArray[np.uint8]:
        """Return rows of pixels: red, green, blue."""
        return np.clip(np.rint(self.rows), 0, 255).astype(np.uint8)

    def png(self) -> bytes:
        """Write a PNG file with at most 256 colours: all that fill something, and close ones."""
        palette, places = _palette(self.array())
        filtered = np.zeros((self.height, self.width + 1), np.uint8)
        filtered[:, 1:] = places
        head = struct.pack(">IIBBBBB", self.width, self.height, 8, 3, 0, 0, 0)
        parts = (
            (b"IHDR", head),
            (b"PLTE", palette.tobytes()),
            (b"IDAT", zlib.compress(filtered.tobytes(), 9)),
            (b"IEND", b""),
        )
        return b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts)


def _palette(rows: NDArray[np.uint8]) -> tuple[NDArray[np.uint8], NDArray[np.uint8]]:
    """Return the most frequent colours, and the closest of them for each pixel."""
    wide = rows.astype(np.uint32)
    codes = ((wide[..., 0] << 16) | (wide[..., 1] << 8) | wide[..., 2]).ravel()
    first = np.flatnonzero(np.append(True, codes[1:] != codes[:-1]))  # of runs of one colour
    lengths = np.diff(first, append=codes.size)
    known, inverse = np.unique(codes[first], return_inverse=True)
    order = np.argsort(-np.bincount(inverse, lengths), kind="stable")[:256]
    channels = np.stack([known >> 16, (known >> 8) & 255, known & 255], axis=1).astype(np.int32)
    palette = channels[order]
    closest = np.empty(known.size, np.uint8)
    for start in range(0, known.size, 1024):
        part = channels[start : start + 1024]
        distance = np.square(part[:, None] - palette[None]).sum(axis=2)
        closest[start : start + 1024] = distance.argmin(axis=1)
    places = np.repeat(closest[inverse], lengths)
    return palette.astype(np.uint8), places.reshape(rows.shape[:2])


def _chunk(kind: bytes, data: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + data))
    return struct.pack(">I", len(data)) + kind + data + check


def _cover(start: float, stop: float) -> Mask:
    """Return the share of each pixel along an axis that lies between two places."""
    edges = np.arange(np.floor(start), np.ceil(stop) + 1)
    return np.diff(np.clip(edges, start, stop)).astype(np.float32)


def _segment(start: Point, stop: Point, width: float) -> tuple[Mask, int, int]:
    """Return the mask of a line with round ends, and its place."""
    (ax, ay), (bx, by) = start, stop
    half = max(width, 0.8) / 2
    left, right = int(np.floor(min(ax, bx) - half - 1)), int(np.ceil(max(ax, bx) + half + 1))
    top, bottom = int(np.floor(min(ay, by) - half - 1)), int(np.ceil(max(ay, by) + half + 1))
    if (right - left) * (bottom - top) > 4_000_000:
        return np.zeros((0, 0), np.float32), 0, 0
    ys, xs = np.mgrid[top:bottom, left:right]
    px, py = xs + 0.5 - ax, ys + 0.5 - ay
    dx, dy = bx - ax, by - ay
    length = dx * dx + dy * dy
    along = np.clip((px * dx + py * dy) / length, 0, 1) if length else 0.0
    distance = np.hypot(px - along * dx, py - along * dy)
    strength = min(1.0, max(width, 0.0) / 0.8) if width < 0.8 else 1.0
    mask = np.clip(half + 0.5 - distance, 0, 1) * strength
    return mask.astype(np.float32), left, top


def _dashes(points: Sequence[Point], dash: Sequence[float]) -> list[tuple[Point, Point]]:
    """Cut lines into dashes."""
    found: list[tuple[Point, Point]] = []
    on, left = True, dash[0]
    turn = 0
    for (ax, ay), (bx, by) in pairwise(points):
        length = float(np.hypot(bx - ax, by - ay))
        at = 0.0
        while at < length and len(found) < 5000:
            step = min(left, length - at)
            ends = tuple(
                (ax + (bx - ax) * k, ay + (by - ay) * k)
                for k in (at / length, (at + step) / length)
            )
            if on:
                found.append((ends[0], ends[1]))
            at, left = at + step, left - step
            if left <= 0:
                turn += 1
                on, left = not on, dash[turn % len(dash)]
    return found


@lru_cache(maxsize=4096)
def _glyph_mask(
    char: str, size: float, bold: bool, upright: bool, shift: float
) -> tuple[Mask, int, int]:
    """Return the mask of a character whose base line begins inside a pixel."""
    unit = size * _CAPITAL / UNITS
    width = size * (0.135 if bold else 0.092)
    reach = int(np.ceil((advance(char) + 3) * unit)) + 3
    canvas = np.zeros((2 * reach + 24, 2 * reach + 24), np.float32)
    origin = reach + 8
    for stroke in strokes(char):
        placed = [
            (x * unit + shift, (y - UNITS) * unit)
            if upright
            else ((y - UNITS) * unit, shift - x * unit)
            for x, y in stroke
        ]
        for start, stop in pairwise(placed):
            mask, left, top = _segment(start, stop, width)
            x, y = origin + left, origin + top
            if (
                min(x, y) < 0
                or y + mask.shape[0] > canvas.shape[0]
                or x + mask.shape[1] > canvas.shape[1]
            ):
                continue
            part = canvas[y : y + mask.shape[0], x : x + mask.shape[1]]
            np.maximum(part, mask, out=part)
    rows, columns = np.nonzero(canvas)
    if not rows.size:
        return np.zeros((0, 0), np.float32), 0, 0
    y0, x0 = int(rows.min()), int(columns.min())
    cut = canvas[y0 : rows.max() + 1, x0 : columns.max() + 1]
    return cut, x0 - origin, y0 - origin
