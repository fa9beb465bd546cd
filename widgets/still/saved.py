"""Draw the pictures that a notebook keeps of a live view: sharp ones, but of bounded size.

The PNG has two pixels for each unit of the drawing where that is small enough, and fewer where it
is not. An SVG that leaves no room for a PNG is left out: every host shows a PNG.
"""

from __future__ import annotations

import base64
from collections.abc import Collection, Sequence
from typing import Any, NamedTuple
from xml.etree import ElementTree as ET

from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.shared import SAVED
from aidge_nb.widgets.still.mime import first_picture, fit_page
from aidge_nb.widgets.still.png.picture import SCALE, draw_svg
from aidge_nb.widgets.still.question import ask_above, draw_covered
from aidge_nb.widgets.still.svg.picture import to_svg
from aidge_nb.widgets.still.svg.stacking import stacked

_LEAST, _STEP, _TRIES = 0.25, 0.05, 6


class SavedPictures(NamedTuple):
    """Pictures by their types, and what hosts are told of them: the width of the PNG on a page."""

    forms: dict[str, Any]
    told: dict[str, Any]


NO_PICTURES = SavedPictures({}, {})


def saved_pictures(
    scene: Scene,
    panels: Sequence[str] = (),
    lit: Collection[int] | None = None,
    *,
    question: str = "",
    covered: bool = False,
) -> SavedPictures:
    """Draw what stands for a view; the question that it asks stands above it.

    Nothing is drawn of a view that is ``covered``. Other parameters are those of the pictures of a
    value.
    """
    if covered:
        return bounded(draw_covered(question or scene.title))
    if not scene.pictures:
        return NO_PICTURES
    drawn = [to_svg(scene, name, brief=True, lit=lit) for name in pictures_for(scene, panels)]
    return bounded(ask_above(stacked(drawn), question))


def pictures_for(scene: Scene, panels: Sequence[str]) -> list[str]:
    """Choose the pictures that stand for some panels: the whole, or the first two.

    A mapping has its memories in it, and tiles need no graph.
    """
    first = first_picture(scene, panels)
    among = [name for name in panels or scene.panels if name in scene.pictures]
    if first not in among:
        return [first]
    held = ["timeline", "memory"] if "devices" in among else []
    held += ["graph"] if "tiling" in among else []
    return [name for name in among if name not in held][:2]


def bounded(svg: str) -> SavedPictures:
    """Keep an SVG and a PNG of it, together not larger than a notebook should keep.

    Examples
    --------
    >>> kept = bounded('<svg xmlns="http://www.w3.org/2000/svg" width="30" height="9"/>')
    >>> list(kept.forms), kept.told
    (['image/svg+xml', 'image/png'], {'image/png': {'width': 30}})
    """
    most = int(SAVED["pictureBytes"])
    told = {"image/png": {"width": round(float(ET.fromstring(svg).get("width", "1")))}}
    drawing = fit_page(svg)
    beside = _sharpest(svg, most - len(drawing.encode()), 1.0)
    if beside:
        return SavedPictures({"image/svg+xml": drawing, "image/png": beside}, told)
    alone = _sharpest(svg, most, _LEAST)
    return SavedPictures({"image/png": alone}, told) if alone else NO_PICTURES


def _sharpest(svg: str, room: int, least: float) -> str:
    """Draw a PNG, in base64, as sharp as there is room for; nothing where it would be too coarse.

    Its size grows about as its width: letters and edges are most of it.
    """
    scale = SCALE
    for _ in range(_TRIES):
        if room <= 0:
            break
        png = base64.b64encode(draw_svg(svg, scale).png()).decode()
        if len(png) <= room:
            return png
        if scale <= least:
            break
        scale = max(least, min(scale * room / len(png) // _STEP * _STEP, scale - _STEP))
    return ""
