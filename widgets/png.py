"""Pictures of a scene as PNG: the same drawing as the SVG, filled in by us, without a library.

This reads the SVG that this package writes: rectangles, lines, paths, text and groups.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import ceil, inf
from xml.etree import ElementTree as ET

from aidge_nb.errors import AidgeError, explain
from aidge_nb.widgets.as_seen import draw_as_seen
from aidge_nb.widgets.pixels import Pixels, Point, text_width
from aidge_nb.widgets.scene import Scene
from aidge_nb.widgets.svg import to_svg

__all__ = ["draw_svg", "to_png"]

_NAMESPACE = "{http://www.w3.org/2000/svg}"
_TOKEN = re.compile(r"[MLHVhvCcZzl]|-?\d*\.?\d+(?:e-?\d+)?")
_CURVE = 12
_MOST_PIXELS = 24_000_000


def to_png(
    scene: Scene,
    picture: str = "",
    *,
    brief: bool = False,
    scale: float = 1.0,
    size: tuple[int, int] | None = None,
) -> bytes:
    """Draw one picture of a scene as a PNG file.

    Parameters
    ----------
    scene
        What to draw.
    picture
        One of :data:`~aidge_nb.widgets.PICTURES`; by default the first that the scene has.
    brief
        Whether to stop after about a screen, as notebooks need it.
    scale
        Pixels for each unit of the drawing.
    size
        Width and height; the panel is then drawn as the live view shows it at first.

    Raises
    ------
    AidgeError
        When the scene has nothing for this picture, and for a scale that is none.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.widgets import scene_of
    >>> to_png(scene_of(aidge_nb.sequential([aidge_nb.ReLU(name="a")])))[1:4]
    b'PNG'
    """
    if not 0 < scale < inf:
        expected, found = "a number above 0", scale
        raise AidgeError(explain("to_png", "no such scale", expected=expected, found=found))
    if size is not None:
        return draw_svg(draw_as_seen(scene, picture or scene.panels[0], *size), scale).png()
    return draw_svg(to_svg(scene, picture, brief=brief), scale).png()


@dataclass(frozen=True, slots=True)
class _Style:
    """What is passed on from a group to what is in it."""

    fill: str = "#000000"
    stroke: str = "none"
    width: float = 1.0
    opacity: float = 1.0
    fill_opacity: float = 1.0
    stroke_opacity: float = 1.0
    size: float = 12.0
    bold: bool = False
    anchor: str = "start"
    dash: tuple[float, ...] = ()
    halo: bool = False
    dx: float = 0.0
    dy: float = 0.0
    zoom: float = 1.0


def draw_svg(text: str, scale: float = 1.0) -> Pixels:
    """Draw an SVG that this package wrote."""
    root = ET.fromstring(text)
    width, height = float(root.get("width", "1")), float(root.get("height", "1"))
    if width * height * scale * scale > _MOST_PIXELS:
        scale = (_MOST_PIXELS / (width * height)) ** 0.5
    pixels = Pixels(max(1, ceil(width * scale)), max(1, ceil(height * scale)))
    _Drawer(pixels, scale).draw(root, _Style())
    return pixels


class _Drawer:
    """Draws elements one after the other."""

    def __init__(self, pixels: Pixels, scale: float) -> None:
        self._pixels = pixels
        self._scale = scale

    def draw(self, element: ET.Element, outer: _Style) -> None:
        """Draw an element and what is in it."""
        style = _style(element, outer)
        name = element.tag.removeprefix(_NAMESPACE)
        if name == "rect":
            self._rect(element, style)
        elif name == "line":
            ends = [
                (float(element.get(f"x{end}", "0")), float(element.get(f"y{end}", "0")))
                for end in (1, 2)
            ]
            self._line(ends, style)
        elif name == "path":
            self._path(element.get("d", ""), style)
        elif name == "text":
            self._text(element, style)
        for child in element:
            self.draw(child, style)

    def _place(self, x: float, y: float, style: _Style) -> Point:
        zoom = style.zoom
        return (x * zoom + style.dx) * self._scale, (y * zoom + style.dy) * self._scale

    def _length(self, length: float, style: _Style) -> float:
        return length * style.zoom * self._scale

    def _rect(self, element: ET.Element, style: _Style) -> None:
        x, y, width, height = (
            float(element.get(key, "0")) for key in ("x", "y", "width", "height")
        )
        radius = min(float(element.get("rx", "0")), width / 2, height / 2)
        outline = list(_rounded(x, y, width, height, radius))
        if style.fill != "none":
            alpha = style.opacity * style.fill_opacity
            if radius:
                contour = [self._place(*point, style) for point in outline]
                self._pixels.polygon([contour], _colour(style.fill), alpha)
            else:
                left, top = self._place(x, y, style)
                size = (self._length(width, style), self._length(height, style))
                self._pixels.rect(left, top, *size, _colour(style.fill), alpha)
        if style.stroke != "none":
            self._line([*outline, outline[0]], style)

    def _line(self, points: list[Point], style: _Style) -> None:
        if style.stroke == "none":
            return
        placed = [self._place(*point, style) for point in points]
        dash = tuple(self._length(each, style) for each in style.dash)
        alpha = style.opacity * style.stroke_opacity
        width = self._length(style.width, style)
        self._pixels.stroke(placed, width, _colour(style.stroke), alpha, dash)

    def _path(self, data: str, style: _Style) -> None:
        contours = list(_contours(data))
        if style.fill != "none":
            colour, alpha = _colour(style.fill), style.opacity * style.fill_opacity
            others = []
            for contour in contours:
                placed = [self._place(*point, style) for point in contour]
                if _is_box(placed):
                    (left, top), (right, bottom) = placed[0], placed[2]
                    self._pixels.rect(left, top, right - left, bottom - top, colour, alpha)
                else:
                    others.append(placed)
            for placed in others:
                self._pixels.polygon([placed], colour, alpha)
        for contour in contours:
            self._line(contour, style)

    def _text(self, element: ET.Element, style: _Style) -> None:
        text = element.text or ""
        size = self._length(style.size, style)
        x, y = self._place(float(element.get("x", "0")), float(element.get("y", "0")), style)
        turned = "rotate" in element.get("transform", "")
        wide = text_width(text, size)
        back = {"middle": wide / 2, "end": wide}.get(style.anchor, 0.0)
        if turned:
            y, x = y - 4 * self._scale + back, x
        else:
            x -= back
        if style.halo:
            self._pixels.rect(x - 1, y - size * 0.8, wide + 2, size, (255, 255, 255), 0.8)
        colour = _colour(style.fill)
        options = {"bold": style.bold, "upright": not turned, "alpha": style.opacity}
        self._pixels.text(x, y, text, size, colour, **options)  # type: ignore[arg-type]  # by name


def _style(element: ET.Element, outer: _Style) -> _Style:
    """Read what an element says about how it is drawn."""
    get = element.get
    changes: dict[str, object] = {}
    for name, key in (("fill", "fill"), ("stroke", "stroke"), ("text-anchor", "anchor")):
        if get(name) is not None:
            changes[key] = get(name)
    numbers = (
        ("stroke-width", "width"),
        ("fill-opacity", "fill_opacity"),
        ("stroke-opacity", "stroke_opacity"),
        ("font-size", "size"),
    )
    for name, key in numbers:
        if get(name) is not None:
            changes[key] = float(get(name, "1"))
    if get("opacity") is not None:
        changes["opacity"] = outer.opacity * float(get("opacity", "1"))
    if get("font-weight") is not None:
        changes["bold"] = True
    if get("stroke-dasharray") is not None:
        changes["dash"] = tuple(float(each) for each in get("stroke-dasharray", "").split())
    if get("paint-order") == "stroke":
        changes["halo"] = True
        changes["stroke"] = "none"
    moved = re.match(r"translate\(([-\d.]+) ([-\d.]+)\)", get("transform", ""))
    if moved:
        changes["dx"] = outer.dx + float(moved[1])
        changes["dy"] = outer.dy + float(moved[2])
    zoomed = re.search(r"scale\(([\d.]+)\)", get("transform", ""))
    if zoomed:
        changes["zoom"] = outer.zoom * float(zoomed[1])
    return replace(outer, **changes)  # type: ignore[arg-type]  # fields by name


def _colour(text: str) -> tuple[int, int, int]:
    digits = text.lstrip("#")
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)


def _rounded(x: float, y: float, width: float, height: float, radius: float) -> Iterator[Point]:
    """Go around a rectangle, its corners cut in three steps."""
    if radius <= 0:
        yield from ((x, y), (x + width, y), (x + width, y + height), (x, y + height))
        return
    corners = (
        (x + width - radius, y + radius, ((0.0, -1.0), (0.5, -0.866), (0.866, -0.5), (1.0, 0.0))),
        (
            x + width - radius,
            y + height - radius,
            ((1.0, 0.0), (0.866, 0.5), (0.5, 0.866), (0.0, 1.0)),
        ),
        (x + radius, y + height - radius, ((0.0, 1.0), (-0.5, 0.866), (-0.866, 0.5), (-1.0, 0.0))),
        (x + radius, y + radius, ((-1.0, 0.0), (-0.866, -0.5), (-0.5, -0.866), (0.0, -1.0))),
    )
    for cx, cy, turns in corners:
        for across, down in turns:
            yield cx + radius * across, cy + radius * down


def _contours(data: str) -> Iterator[list[Point]]:
    """Read the contours of a path; curves become lines."""
    tokens = _TOKEN.findall(data)
    points: list[Point] = []
    at, command = 0, ""
    x = y = 0.0

    def numbers(count: int) -> list[float]:
        nonlocal at
        found = [float(token) for token in tokens[at : at + count]]
        at += count
        return found

    while at < len(tokens):
        if tokens[at][0].isalpha():
            command = tokens[at]
            at += 1
        if command in "Zz":
            continue
        if command == "M":
            if points:
                yield points
            x, y = numbers(2)
            points = [(x, y)]
            command = "L"
            continue
        if command == "C":
            ax, ay, bx, by, ex, ey = numbers(6)
            points += _curve((x, y), (ax, ay), (bx, by), (ex, ey))
            x, y = ex, ey
            continue
        x, y = _step(command, x, y, numbers)
        points.append((x, y))
    if points:
        yield points


def _step(command: str, x: float, y: float, take: Callable[[int], list[float]]) -> Point:
    """Follow a straight part of a path."""
    if command in "Hh":
        (value,) = take(1)
        return (value if command == "H" else x + value), y
    if command in "Vv":
        (value,) = take(1)
        return x, (value if command == "V" else y + value)
    dx, dy = take(2)
    return (dx, dy) if command == "L" else (x + dx, y + dy)


def _curve(start: Point, one: Point, two: Point, end: Point) -> list[Point]:
    found = []
    for step in range(1, _CURVE + 1):
        t = step / _CURVE
        u = 1 - t
        weights = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
        points = (start, one, two, end)
        found.append(
            (
                sum(weight * point[0] for weight, point in zip(weights, points, strict=True)),
                sum(weight * point[1] for weight, point in zip(weights, points, strict=True)),
            )
        )
    return found


def _is_box(points: list[Point]) -> bool:
    """Whether a contour is a rectangle whose sides are those of the picture."""
    if len(points) != 4:
        return False
    (ax, ay), (bx, by), (cx, cy), (dx, dy) = points
    return ay == by and bx == cx and cy == dy and abs(dx - ax) < 1e-6 and cx > ax and cy > ay
