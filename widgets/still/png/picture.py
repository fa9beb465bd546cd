"""Draw pictures of a scene as PNG: the same drawing as the SVG, without a library.

This reads the SVG that this package writes: rectangles, lines, paths, text and groups.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from math import ceil, inf
from xml.etree import ElementTree as ET

from aidge_nb.core.errors import AidgeError
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.still.png.outlines import contours, is_box, rounded
from aidge_nb.widgets.still.png.pixels import Pixels, Point, text_width
from aidge_nb.widgets.still.svg.picture import draw_as_seen, to_svg

_NAMESPACE = "{http://www.w3.org/2000/svg}"
_MOST_PIXELS = 24_000_000

SCALE = 2.0
"""Pixels for each unit of a drawing, so that it is sharp on fine screens and on paper."""


def to_png(
    scene: Scene,
    picture: str = "",
    *,
    brief: bool = False,
    scale: float | None = None,
    width: float | None = None,
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
        Pixels for each unit of the drawing; by default 2, and 1 where there is a ``size``.
    width
        Pixels of the whole width, in place of ``scale``. No picture has more than 24 million
        pixels: a larger one is drawn as large as that.
    size
        Width and height; the panel is then drawn as the live view shows it at first.

    Raises
    ------
    AidgeError
        When the scene has nothing for this picture, for an invalid scale or width, and for both.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.widgets import scene_of
    >>> to_png(scene_of(aidge_nb.sequential([aidge_nb.ReLU(name="a")])))[1:4]
    b'PNG'
    """
    if size is not None:
        svg = draw_as_seen(scene, picture or scene.panels[0], *size)
        return svg_png(svg, 1.0 if scale is None else scale, width)
    return svg_png(to_svg(scene, picture, brief=brief), scale, width)


def svg_png(text: str, scale: float | None = None, width: float | None = None) -> bytes:
    """Draw an SVG that this package wrote as a PNG file; see :func:`to_png`."""
    for name, value in (("scale", scale), ("width", width)):
        if value is not None and not 0 < value < inf:
            expected = "a number above 0"
            raise AidgeError.at("to_png", f"no such {name}", expected=expected, found=value)
    if width is not None:
        if scale is not None:
            cure = "Leave one out."
            raise AidgeError.at("to_png", "scale and width exclude each other", cure=cure)
        scale = width / float(ET.fromstring(text).get("width", "1"))
    return draw_svg(text, SCALE if scale is None else scale).png()


def draw_svg(text: str, scale: float = 1.0) -> Pixels:
    """Draw an SVG that this package wrote."""
    root = ET.fromstring(text)
    width, height = float(root.get("width", "1")), float(root.get("height", "1"))
    if width * height * scale * scale > _MOST_PIXELS:
        scale = (_MOST_PIXELS / (width * height)) ** 0.5
    across, down = (max(1, ceil(round(side * scale, 6))) for side in (width, height))
    pixels = Pixels(across, down)
    _Drawer(pixels, scale).draw(root, Style())
    return pixels


class _Drawer:
    """Draws elements one after the other."""

    def __init__(self, pixels: Pixels, scale: float) -> None:
        self._pixels = pixels
        self._scale = scale

    def draw(self, element: ET.Element, outer: Style) -> None:
        """Draw an element and its children."""
        style = style_of(element, outer)
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

    def _place(self, x: float, y: float, style: Style) -> Point:
        zoom = style.zoom
        return (x * zoom + style.dx) * self._scale, (y * zoom + style.dy) * self._scale

    def _length(self, length: float, style: Style) -> float:
        return length * style.zoom * self._scale

    def _rect(self, element: ET.Element, style: Style) -> None:
        x, y, width, height = (
            float(element.get(key, "0")) for key in ("x", "y", "width", "height")
        )
        radius = min(float(element.get("rx", "0")), width / 2, height / 2)
        outline = list(rounded(x, y, width, height, radius))
        if style.fill != "none":
            alpha = style.opacity * style.fill_opacity
            if radius:
                contour = [self._place(*point, style) for point in outline]
                self._pixels.polygon([contour], rgb_of(style.fill), alpha)
            else:
                left, top = self._place(x, y, style)
                size = (self._length(width, style), self._length(height, style))
                self._pixels.rect(left, top, *size, rgb_of(style.fill), alpha)
        if style.stroke != "none":
            self._line([*outline, outline[0]], style)

    def _line(self, points: list[Point], style: Style) -> None:
        if style.stroke == "none":
            return
        placed = [self._place(*point, style) for point in points]
        dash = tuple(self._length(each, style) for each in style.dash)
        alpha = style.opacity * style.stroke_opacity
        width = self._length(style.width, style)
        self._pixels.stroke(placed, width, rgb_of(style.stroke), alpha, dash)

    def _path(self, data: str, style: Style) -> None:
        found = list(contours(data))
        if style.fill != "none":
            colour, alpha = rgb_of(style.fill), style.opacity * style.fill_opacity
            others = []
            for contour in found:
                placed = [self._place(*point, style) for point in contour]
                if is_box(placed):
                    (left, top), (right, bottom) = placed[0], placed[2]
                    self._pixels.rect(left, top, right - left, bottom - top, colour, alpha)
                else:
                    others.append(placed)
            for placed in others:
                self._pixels.polygon([placed], colour, alpha)
        for contour in found:
            self._line(contour, style)

    def _text(self, element: ET.Element, style: Style) -> None:
        text = element.text or ""
        size = self._length(style.size, style)
        x, y = self._place(float(element.get("x", "0")), float(element.get("y", "0")), style)
        turned = "rotate" in element.get("transform", "")
        wide = text_width(text, size)
        room = self._length(float(element.get("textLength", "inf")), style)
        if wide > room:
            wide, size = room, size * room / wide
        back = {"middle": wide / 2, "end": wide}.get(style.anchor, 0.0)
        if turned:
            y += back - 4 * self._scale
        else:
            x -= back
        if style.halo:
            self._pixels.rect(x - 1, y - size * 0.8, wide + 2, size, (255, 255, 255), 0.8)
        self._pixels.text(
            x,
            y,
            text,
            size,
            rgb_of(style.fill),
            bold=style.bold,
            upright=not turned,
            alpha=style.opacity,
        )


@dataclass(frozen=True, slots=True)
class Style:
    """Style that a group passes on to its elements."""

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


def style_of(element: ET.Element, outer: Style) -> Style:
    """Read the style of an element; inherit the rest.

    Examples
    --------
    >>> line = ET.fromstring('<line stroke="#fff" opacity="0.5" stroke-dasharray="3 2"/>')
    >>> style = style_of(line, Style(opacity=0.5))
    >>> style.stroke, style.opacity, style.dash
    ('#fff', 0.25, (3.0, 2.0))
    """
    get = element.get
    has_halo = get("paint-order") == "stroke"

    def number(name: str, otherwise: float) -> float:
        return float(get(name, otherwise))

    dash = get("stroke-dasharray")
    moved = re.match(r"translate\(([-\d.]+) ([-\d.]+)\)", get("transform", ""))
    zoomed = re.search(r"scale\(([\d.]+)\)", get("transform", ""))
    return Style(
        fill=get("fill", outer.fill),
        stroke="none" if has_halo else get("stroke", outer.stroke),
        width=number("stroke-width", outer.width),
        opacity=outer.opacity * number("opacity", 1.0),
        fill_opacity=number("fill-opacity", outer.fill_opacity),
        stroke_opacity=number("stroke-opacity", outer.stroke_opacity),
        size=number("font-size", outer.size),
        bold=outer.bold or get("font-weight") is not None,
        anchor=get("text-anchor", outer.anchor),
        dash=outer.dash if dash is None else tuple(float(each) for each in dash.split()),
        halo=outer.halo or has_halo,
        dx=outer.dx + (float(moved[1]) if moved else 0.0),
        dy=outer.dy + (float(moved[2]) if moved else 0.0),
        zoom=outer.zoom * (float(zoomed[1]) if zoomed else 1.0),
    )


def rgb_of(text: str) -> tuple[int, int, int]:
    """Read a colour: ``#rgb`` or ``#rrggbb``.

    Examples
    --------
    >>> rgb_of("#0f8"), rgb_of("#0b62d6")
    ((0, 255, 136), (11, 98, 214))
    """
    digits = text.lstrip("#")
    if len(digits) == 3:
        digits = "".join(2 * digit for digit in digits)
    return int(digits[:2], 16), int(digits[2:4], 16), int(digits[4:6], 16)
