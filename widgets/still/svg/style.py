"""How the elements of an SVG that this package wrote are drawn."""

from __future__ import annotations

import re
from dataclasses import dataclass
from xml.etree import ElementTree as ET


@dataclass(frozen=True, slots=True)
class Style:
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


def style_of(element: ET.Element, outer: Style) -> Style:
    """Read what an element says about how it is drawn; the rest is as outside of it.

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
