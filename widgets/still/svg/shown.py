"""Draw what a live view shows: the window of time, the way that a chain is cut."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import ceil, floor
from typing import Any

from aidge_nb.core.errors import AidgeError
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.still.question import ask_above, draw_covered
from aidge_nb.widgets.still.svg.picture import folded_of, no_picture, page_of, to_svg, told
from aidge_nb.widgets.still.svg.rows import bars_of


def shown_svg(scene: Scene, opened: Mapping[str, Any], picture: str) -> str:
    """Draw a picture of a view with what is shown of it; ``opened`` is the state of the view.

    A question that the view asks stands above; of a covered view it is all that is drawn. Where a
    graph is scrolled to, the browser alone knows: such pictures are drawn as a whole here.

    Raises
    ------
    AidgeError
        When the view has no such picture, counts time in another unit, or cannot cut the picture.
    """
    asked = str(opened.get("question", ""))
    if opened.get("covered"):
        return draw_covered(asked or scene.title)
    if picture not in scene.pictures:
        raise no_picture(scene, picture)
    return ask_above(_uncovered(scene, opened, picture), asked)


def _uncovered(scene: Scene, opened: Mapping[str, Any], picture: str) -> str:
    if picture == "stripes":
        return to_svg(_chosen(scene, opened), picture)
    if picture == "graph":
        found = opened.get("found")
        return to_svg(scene, picture, lit=found["nodes"] if found else None)
    window = opened.get("timeRange")
    unit = "" if folded_of(scene, picture) is not None else _unit(scene, picture)
    if not unit or window is None:
        return to_svg(scene, picture)
    clock = opened.get("clock") or scene.clocks[0]
    if clock != unit:
        cure = f'Set clock = "{unit}", or save the picture with the button of the view.'
        problem = f"the picture {picture} counts in another unit than the view"
        raise AidgeError.at(scene.title, problem, expected=unit, found=clock, cure=cure)
    cut = (floor(window[0]), ceil(window[1]))
    return told(page_of(scene, picture, window=cut), scene)


def _unit(scene: Scene, picture: str) -> str:
    """Return what time is counted in; nothing where the window of a view does not apply."""
    if picture == "measured":  # it has a clock and a window of its own
        return ""
    if picture == "devices":
        return "cycle"
    if picture == "memory" and scene.memory is not None:
        return "cycle" if scene.memory.spaces else "tick"
    bars = bars_of(scene, picture)
    return "tick" if picture == "overview" else bars.unit if bars is not None else ""


def _chosen(scene: Scene, opened: Mapping[str, Any]) -> Scene:
    """Choose the number of stripes, and what becomes of halos, that the view shows."""
    drawing = scene.stripes
    if drawing is None:
        return scene
    chosen = drawing.ways[drawing.chosen]
    count = opened.get("stripes") or chosen.count
    kept = {"cache": True, "recompute": False}.get(opened.get("halo") or "", chosen.kept)
    same = [place for place, way in enumerate(drawing.ways) if way.count == count]
    best = [place for place in same if drawing.ways[place].kept == kept] or same
    chosen_place = best[0] if best else drawing.chosen
    return replace(scene, stripes=replace(drawing, chosen=chosen_place))
