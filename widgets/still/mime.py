"""Draw the picture of a value, for ``_repr_mimebundle_`` of schedules, plans and graphs."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Sequence
from typing import Any

from aidge_nb.core.errors import AidgeError, GraphError
from aidge_nb.widgets.scene.build import build_scene
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.still.svg.picture import to_svg

Bundle = dict[str, Any]

_SIZE = re.compile(r'(<svg xmlns="[^"]*" )width="([\d.]+)" height="[\d.]+" ')
_PAGE_WIDTH = 560
"""Pixels of a printed page of A4 that nbconvert leaves for an output."""


def scene_of(value: object) -> Scene:
    """Build the scene of one value.

    Raises
    ------
    AidgeError
        When the value has no view.

    Examples
    --------
    >>> scene_of(3)
    Traceback (most recent call last):
    ...
    aidge_nb.core.errors.AidgeError: picture: cannot show this value (expected ...
    """
    drawn_by: dict[type, Callable[[Any], Scene]] = {}
    for kinds in (_kinds, _exports):  # exports last: they start compilers, and a browser has none
        drawn_by |= kinds()
        for kind, draw in drawn_by.items():
            if isinstance(value, kind):
                return draw(value)
    *names, last = (kind.__name__ for kind in drawn_by)
    expected = f"{', '.join(names)} or {last}"
    problem = "cannot show this value"
    raise AidgeError.at("picture", problem, expected=expected, found=type(value).__name__)


def _kinds() -> dict[type, Callable[[Any], Scene]]:
    """Return the types that have a scene, with the function that makes it."""
    from aidge_nb.graph.snapshot import GraphSnapshot
    from aidge_nb.graph.view import GraphView
    from aidge_nb.hardware.mapping import Mapping
    from aidge_nb.memory.values.plan import MemoryPlan
    from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
    from aidge_nb.tiling import TilingSearch
    from aidge_nb.tiling.tiles import Tiling
    from aidge_nb.widgets.scene.mapping import mapping_scene
    from aidge_nb.widgets.scene.tiles.stripes import stripes_scene
    from aidge_nb.widgets.still.charts import front_scene

    return {
        GraphView: build_scene,
        GraphSnapshot: build_scene,
        StaticSchedule: lambda schedule: build_scene(schedule=schedule, title="schedule"),
        MemoryPlan: lambda plan: build_scene(plan=plan, title="memory plan"),
        Tiling: stripes_scene,
        TilingSearch: front_scene,
        Mapping: mapping_scene,
    }


def _exports() -> dict[type, Callable[[Any], Scene]]:
    from aidge_nb.export import ExportedPackage, ExportPlan
    from aidge_nb.widgets.scene.export_scene import export_scene

    return {ExportPlan: export_scene, ExportedPackage: export_scene}


def picture(value: object) -> dict[str, Any]:
    """Draw a graph, a schedule or a memory plan.

    Returns
    -------
    dict
        The SVG text under ``image/svg+xml``, the same as PNG in base64 under ``image/png``, and one
        line under ``text/plain``; the latter alone for what has no picture, such as a graph with a
        cycle that nothing starts.
    """
    try:
        scene = scene_of(value)
    except GraphError as error:
        return {"text/plain": f"{value!r}: {error}"}
    return {**images(scene), "text/plain": summary(scene)}


def images(scene: Scene) -> Bundle:
    """Draw a scene as SVG text and, in base64, as PNG; nothing where it has no picture."""
    if not scene.pictures:
        return {}
    from aidge_nb.widgets.still.png.picture import draw_svg

    svg = to_svg(scene, first_picture(scene, ()), brief=True)
    png = base64.b64encode(draw_svg(svg).png()).decode()
    return {"image/svg+xml": fit_page(svg), "image/png": png}


def fit_page(svg: str) -> str:
    """Let a wide SVG be as wide as the page it is in, also where its size is not limited.

    Pages that nbconvert makes limit the size of PNG, but not of SVG, and would be cut in print.

    Examples
    --------
    >>> fit_page('<svg xmlns="" width="1200" height="700" viewBox="0 0 1200 700"/>')
    '<svg xmlns="" viewBox="0 0 1200 700"/>'
    """
    size = _SIZE.match(svg)
    if size is None or float(size[2]) <= _PAGE_WIDTH:
        return svg
    return size[1] + svg[size.end() :]


def first_picture(scene: Scene, panels: Sequence[str]) -> str:
    """Choose the picture that stands for some panels: the whole, or the first that has one.

    Examples
    --------
    >>> first_picture(Scene("LeNet"), ["graph"])
    ''
    """
    drawn = scene.pictures
    if "overview" in drawn and (not panels or {"timeline", "memory"} <= set(panels)):
        return "overview"
    return next((name for name in (*panels, *drawn) if name in drawn), "")


def summary(scene: Scene) -> str:
    """Say in one line what a scene shows.

    Examples
    --------
    >>> summary(Scene("LeNet", figures=(("steps", "7"), ("memory peak", "12 KiB"))))
    'LeNet: steps 7, memory peak 12 KiB'
    """
    facts = ", ".join(f"{label} {text}" for label, text in scene.figures)
    return f"{scene.title}: {facts}" if facts else scene.title
