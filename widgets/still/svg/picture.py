"""Static pictures of a scene: what GitHub, a PDF or an untrusted notebook can show."""

from __future__ import annotations

from collections.abc import Collection

from aidge_nb.core.errors import AidgeError, explain
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.still.svg.as_seen_rows import bars_of, measured_svg
from aidge_nb.widgets.still.svg.charts import charts_svg
from aidge_nb.widgets.still.svg.devices import devices_svg
from aidge_nb.widgets.still.svg.graph import graph_svg
from aidge_nb.widgets.still.svg.memory import memory_svg
from aidge_nb.widgets.still.svg.tiles import tiles_svg
from aidge_nb.widgets.still.svg.timeline import timeline_svg


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
    aidge_nb.core.errors.AidgeError: LeNet: there is no such picture of this scene (expected ...
    """
    if not picture:
        picture = next(iter(scene.pictures), "any")
    if picture == "graph" and scene.graph is not None:
        return graph_svg(scene, scene.graph, brief=brief, lit=lit)
    if picture in ("timeline", "factorized") and scene.timeline is not None:
        factorized = picture == "factorized" or scene.timeline.is_abridged
        return timeline_svg(scene, scene.timeline, factorized=factorized, brief=brief)
    if picture == "tiling" and scene.tiles is not None:
        return tiles_svg(scene, scene.tiles)
    if picture == "devices" and scene.devices is not None:
        return devices_svg(scene, scene.devices)
    if picture == "memory" and scene.memory is not None:
        return memory_svg(scene, scene.memory)
    if picture == "charts" and scene.charts:
        return charts_svg(scene)
    run = bars_of(scene, "measured") if picture == "measured" else None
    if run is not None:
        return measured_svg(scene, run)
    raise no_picture(scene, picture)


def no_picture(scene: Scene, wanted: str) -> AidgeError:
    """Say which pictures a scene has when another is asked for."""
    drawn = ", ".join(scene.pictures) or "none: it is empty"
    problem = "there is no such picture of this scene"
    return AidgeError(explain(scene.title, problem, expected=f"one of {drawn}", found=wanted))


def scene_svgs(scene: Scene, *, brief: bool = False) -> dict[str, str]:
    """Draw every picture that a scene has, by name."""
    return {name: to_svg(scene, name, brief=brief) for name in scene.pictures}
