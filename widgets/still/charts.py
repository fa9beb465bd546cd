"""Small charts: peak and recomputation by number of slices, roofline, trade-offs of tilings.

Each is a value that the views draw, with points that can be selected like nodes;
:func:`to_plotly` makes a plotly figure of it, for notebooks whose outputs are committed.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from aidge_nb.core.errors import MissingExtraError
from aidge_nb.tiling.ranges import elements
from aidge_nb.widgets.scene.mapping import steps_by_tile
from aidge_nb.widgets.scene.parts import Chart, SceneNode
from aidge_nb.widgets.scene.scene import Scene
from aidge_nb.widgets.text import size_text

if TYPE_CHECKING:
    from aidge_nb.hardware.mapping import Mapping
    from aidge_nb.hardware.targets.target import Target
    from aidge_nb.tiling import TilingSearch
    from aidge_nb.tiling.choices import TilingChoice
    from aidge_nb.tiling.tiles import Tiling

KIB = 1024
_BEST, _OTHERS = 0, 6  # families of the palette: whose colours the choices of a search have


class Figures(NamedTuple):
    """Figures of a tiling.

    Attributes
    ----------
    bytes
        Bytes that the largest node of a tile reads, writes and keeps.
    overhead
        Multiply-accumulates beyond those of the nodes without tiles, as a part of these.
    """

    bytes: int
    overhead: float

    @classmethod
    def of(cls, tiling: Tiling) -> Figures:
        """Look at all tiles of a tiling."""
        return cls(tile_bytes(tiling), tiling.overhead)


def tile_bytes(tiling: Tiling) -> int:
    """Return the bytes that the largest node of a tile reads, writes and keeps.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")])
    >>> view.forward_dims([[4, 3, 66, 66]])
    True
    >>> tile_bytes(aidge_nb.plan_tiling(view, [view.get_node("conv0")], {2: 4}))
    581312
    """
    return tiling.itemsize * max(
        elements(part.output) + part.kept + (elements(part.inputs[0][1]) if part.inputs else 0)
        for tile in tiling
        for part in tile.parts
    )


def figures_charts(figures: Sequence[Figures], chosen: int) -> tuple[Chart, Chart]:
    """Draw the bytes of a tile and the recomputed MACs against the number of slices.

    Parameters
    ----------
    figures
        Those of the same nodes in 1, 2, 3, … slices.
    chosen
        The number of slices that is looked at.
    """
    memory = [(float(n), each.bytes / KIB) for n, each in enumerate(figures, 1)]
    more = [(float(n), 100 * each.overhead) for n, each in enumerate(figures, 1)]
    return (
        _by_slices("Largest tile", "KiB read and written by a node", memory, chosen),
        _by_slices("Recomputed", "% more MACs", more, chosen),
    )


def _by_slices(title: str, y: str, line: Sequence[tuple[float, float]], chosen: int) -> Chart:
    return Chart(title, "slices", y, ((*line[chosen - 1], -1),), (("", tuple(line)),))


def roofline_chart(mapping: Mapping, target: Target) -> Chart:
    """Draw the roof of a target, with a point for each tile of a mapping, as its scene has them.

    The roof is the peak of the elements, or what their links can transfer at this intensity.
    """
    speed = {each.path: each.macs_per_cycle for each in target.elements}
    peak = sum(speed[path] for path in mapping.elements)
    busy = {device for step in mapping.steps if step.kind != "operation" for device in step.devices}
    used = (link for link in target.links if busy & {link.busy_from(end) for end in link.between})
    bandwidth = sum({link.resource: link.bytes_per_cycle for link in used}.values())
    points = []
    for node, own in enumerate(steps_by_tile(mapping).values()):
        macs = sum(step.amount for step in own if step.kind == "operation")
        moved = sum(step.amount for step in own if step.kind != "operation")
        cycles = max(step.end for step in own) - min(step.start for step in own)
        if macs and moved and cycles:
            points.append((macs / moved, macs / cycles, node))
    at = [x for x, _, _ in points] or [1.0]
    knee = peak / bandwidth if bandwidth else 1.0
    xs = sorted({min(*at, knee) / 4, knee, max(*at, knee) * 4})
    roof = tuple((x, min(peak, bandwidth * x if bandwidth else peak)) for x in xs)
    label = f"{peak:g} MACs and {bandwidth:g} bytes per cycle"
    x, y = "MACs per byte moved", "MACs per cycle"
    return Chart("Roofline", x, y, tuple(points), ((label, roof),), log=True)


def front_scene(search: TilingSearch, title: str = "Trade-offs of tilings") -> Scene:
    """Draw the front of a search: each point is a choice that no other dominates.

    Its nodes are the choices: ``selected`` in the view names one.
    """
    nodes = tuple(_choice(search, number, choice) for number, choice in enumerate(search.front))
    points = tuple(
        (choice.peak / KIB, 100 * search.extra_of(choice), number)
        for number, choice in enumerate(search.front)
    )
    lines: tuple[tuple[str, tuple[tuple[float, float], ...]], ...] = ()
    if search.memory is not None:
        top = max((y for _, y, _ in points), default=1.0)
        budget = search.memory / KIB
        lines = ((f"budget {size_text(search.memory)}", ((budget, 0.0), (budget, top))),)
    figures = (
        ("choices", str(len(search.front))),
        ("untiled", size_text(search.untiled.peak)),
        ("chosen", size_text(search.best.peak)),
        ("for", f"{100 * search.extra_macs:.1f} % more MACs"),
    )
    chart = Chart("Trade-offs", "peak (KiB)", "% more MACs", points, lines)
    return Scene(title, nodes, charts=(chart,), figures=figures)


def _choice(search: TilingSearch, number: int, choice: TilingChoice) -> SceneNode:
    details = (
        ("peak", size_text(choice.peak)),
        ("more MACs", f"{100 * search.extra_of(choice):.1f} %"),
        ("bytes moved", size_text(choice.traffic)),
        *(("tiles", str(chain)) for chain in choice.chains),
    )
    name = f"choice {number}" if choice.chains else "untiled"
    family = _BEST if choice == search.best else _OTHERS
    return SceneNode(name, "Tiling", 0, choice.macs, details, family=family)


def to_plotly(chart: Chart) -> Any:
    """Make a plotly ``Figure`` of a chart; it has no random parts, and can be committed.

    Raises
    ------
    MissingExtraError
        When plotly is not installed.
    """
    try:
        import plotly.graph_objects as go
    except ImportError as error:
        raise MissingExtraError("plotly", "lab") from error
    figure = go.Figure()
    for label, line in chart.lines:
        xs, ys = [x for x, _ in line], [y for _, y in line]
        figure.add_scatter(x=xs, y=ys, mode="lines", name=label)
    if chart.points:
        xs, ys = [x for x, _, _ in chart.points], [y for _, y, _ in chart.points]
        figure.add_scatter(x=xs, y=ys, mode="markers", name=chart.title)
    kind = "log" if chart.log else "linear"
    figure.update_layout(
        title=chart.title,
        template="plotly_white",
        width=640,
        height=400,
        showlegend=any(label for label, _ in chart.lines),
    )
    figure.update_xaxes(title=chart.x, type=kind)
    figure.update_yaxes(title=chart.y, type=kind)
    return figure
