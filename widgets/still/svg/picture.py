"""Draw the pictures of a scene as SVG: as pages, and as the live view shows them at first."""

from __future__ import annotations

import re
from collections.abc import Collection
from typing import Any

from aidge_nb.core.errors import AidgeError
from aidge_nb.core.text import html_text
from aidge_nb.widgets.scene.parts import Timeline
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.still.svg.graph import graph_parts, graph_svg
from aidge_nb.widgets.still.svg.memory import memory_parts, memory_svg
from aidge_nb.widgets.still.svg.overview import overview_svg
from aidge_nb.widgets.still.svg.parts import document
from aidge_nb.widgets.still.svg.rows import bars_of, rows_parts, rows_svg
from aidge_nb.widgets.text import elide

_MOST_PAGES = 2
_LONGEST = 600
"""Characters of the words that stand for a picture."""


def to_svg(
    scene: Scene, picture: str = "", *, brief: bool = False, lit: Collection[int] | None = None
) -> str:
    """Draw one picture of a scene as SVG text.

    Parameters
    ----------
    scene
        What to draw.
    picture
        One of :data:`~aidge_nb.widgets.PICTURES`; by default the first that the scene has.
    brief
        Whether to stop after about a screen and say how much is left, as notebooks need it.
    lit
        Nodes of the graph that stand out, by their place in the scene; None lets all do.

    Raises
    ------
    AidgeError
        When the scene has nothing for this picture.

    Examples
    --------
    >>> from aidge_nb.widgets import build_scene
    >>> to_svg(build_scene(title="LeNet"))
    Traceback (most recent call last):
    ...
    aidge_nb.core.errors.AidgeError: LeNet: has no such picture (expected ...
    """
    picture = picture or next(iter(scene.pictures), "any")
    return told(page_of(scene, picture, brief=brief, lit=lit), scene)


def told(svg: str, scene: Scene) -> str:
    """Say in words what a picture says, for who cannot see it: figures and findings."""
    facts = ", ".join(f"{label} {text}" for label, text in scene.figures)
    path = scene.names.path
    cards = (card.words(path) for card in scene.findings)
    words = html_text(elide(". ".join(filter(None, [facts, *cards])), _LONGEST))
    if not words:
        return svg
    svg = re.sub(r'(aria-label="[^"]*)"', lambda found: f'{found[1]}. {words}"', svg, count=1)
    return svg.replace("</title>", f"</title><desc>{words}</desc>", 1)


def page_of(
    scene: Scene,
    picture: str,
    *,
    brief: bool = False,
    lit: Collection[int] | None = None,
    patterns: bool = False,
    window: tuple[int, int] | None = None,
) -> str:
    """Draw a picture as a page.

    With ``patterns``, families of operators can be told apart without colours, where there are
    some; with a ``window``, its units of time are drawn, half-open, where it shows time.
    """
    shown: Any = {"patterns": patterns, "window": window}
    if picture == "overview" and scene.memory is not None and picture in scene.pictures:
        return overview_svg(scene, scene.memory, **shown)
    folded = folded_of(scene, picture)
    if folded is not None:
        from aidge_nb.widgets.still.svg.folded import folded_svg  # drawn by few, as others below

        return folded_svg(scene, folded, brief=brief)
    bars = bars_of(scene, picture)
    if bars is not None:
        return rows_svg(scene, picture, bars, brief=brief, window=window)
    if picture == "graph" and scene.graph is not None:
        return graph_svg(scene, scene.graph, brief=brief, lit=lit)
    if picture == "stripes" and scene.stripes is not None:
        from aidge_nb.widgets.still.svg.stripes import stripes_svg

        return stripes_svg(scene, scene.stripes)
    if picture == "tiling" and scene.tiles is not None:
        from aidge_nb.widgets.still.svg.tiles import tiles_svg

        return tiles_svg(scene, scene.tiles)
    if picture == "devices" and scene.devices is not None:
        from aidge_nb.widgets.still.svg.mapping import mapping_svg

        return mapping_svg(scene, scene.devices, brief=brief, **shown)
    if picture == "memory" and scene.memory is not None:
        if not scene.memory.spaces:
            return memory_svg(scene, scene.memory, **shown)
        from aidge_nb.widgets.still.svg.memories import memories_svg

        return memories_svg(scene, scene.memory, window=window)
    if picture == "charts" and scene.charts:
        from aidge_nb.widgets.still.svg.charts import charts_svg

        return charts_svg(scene)
    raise no_picture(scene, picture)


def draw_as_seen(scene: Scene, panel: str, width: int, height: int) -> str:
    """Draw a panel as the live view shows it at first, in a given size.

    A schedule is drawn with a row per operator, on the clock of steps.

    Raises
    ------
    AidgeError
        When the scene has nothing for this panel, or it is not drawn on a canvas.
    """
    from aidge_nb.widgets.still.svg.charts import charts_parts
    from aidge_nb.widgets.still.svg.folded import folded_parts
    from aidge_nb.widgets.still.svg.mapping import mapping_parts
    from aidge_nb.widgets.still.svg.mapping_parts import axis_of
    from aidge_nb.widgets.still.svg.memories import memories_parts
    from aidge_nb.widgets.still.svg.tiles import tiles_parts

    bars, folded = bars_of(scene, panel), folded_of(scene, panel)
    if folded is not None:
        parts = folded_parts(scene, folded, width, height)
    elif bars is not None:
        parts = rows_parts(scene, bars, width, height)
    elif panel == "graph" and scene.graph is not None:
        parts = graph_parts(scene, scene.graph, width, height)
    elif panel == "devices" and scene.devices is not None:
        parts = mapping_parts(scene, scene.devices, width)
    elif panel == "memory" and scene.memory is not None:
        if scene.memory.spaces:
            parts = memories_parts(scene, scene.memory, axis_of(scene, width), height)
        else:
            parts = memory_parts(scene, scene.memory, width, height)
    elif panel == "tiling" and scene.tiles is not None:
        parts = tiles_parts(scene, scene.tiles, width, height)
    elif panel == "charts" and scene.charts:
        parts = charts_parts(scene, width, height)
    else:
        raise no_picture(scene, panel)
    return document(width, height, f"{panel} of {scene.title}", parts)


def folded_of(scene: Scene, picture: str) -> Timeline | None:
    """Return the schedule if it is drawn folded: where it is asked for, and where it is long."""
    timeline = scene.timeline
    if timeline is None or not (timeline.frames or timeline.is_folded):
        return None
    is_long = picture == "timeline" and timeline.is_folded
    return timeline if is_long or picture == "factorized" else None


def no_picture(scene: Scene, wanted: str) -> AidgeError:
    """Return the error that lists the pictures of a scene."""
    drawn = ", ".join(scene.pictures) or "none: it is empty"
    problem = "has no such picture"
    return AidgeError.at(scene.title, problem, expected=f"one of {drawn}", found=wanted)


def paper_svgs(scene: Scene) -> dict[str, str]:
    """Draw the pictures of a scene for paper, at most two: each fits a page, without colours too.

    The overview and the mapping have schedule and memory in them.
    """
    names = [
        name
        for name in scene.pictures
        if not (name in ("timeline", "memory") and {"overview", "devices"} & set(scene.pictures))
    ]
    if "factorized" in names and "timeline" in names:
        names.remove("timeline")
    pages = {name: page_of(scene, name, brief=True, patterns=True) for name in names[:_MOST_PAGES]}
    return {name: told(svg, scene) for name, svg in pages.items()}


def scene_svgs(scene: Scene, *, brief: bool = False) -> dict[str, str]:
    """Draw every picture that a scene has, by name."""
    return {name: to_svg(scene, name, brief=brief) for name in scene.pictures}
