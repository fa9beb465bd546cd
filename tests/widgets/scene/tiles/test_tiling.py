"""Scenes of tilings and mappings, and charts."""

import json
from dataclasses import replace

import numpy as np
import plotly.graph_objects as go
import pytest

import aidge_nb
from aidge_nb import hardware
from aidge_nb.core.errors import AidgeError
from aidge_nb.graph.view import GraphView
from aidge_nb.tiling import plan_tiling, tile_for
from aidge_nb.tiling.chain import as_chain
from aidge_nb.tiling.plan import plan_chain
from aidge_nb.widgets import Workbench, scene_of, to_plotly, to_svg
from aidge_nb.widgets.scene.parts import KINDS
from aidge_nb.widgets.scene.tiles.slice_figures import SliceFigures
from aidge_nb.widgets.scene.tiles.tiling import tiling_scene
from aidge_nb.widgets.still.charts import Figures, figures_charts, roofline_chart, tile_bytes
from tests.tiling.graphs import block_of, chain_of, ready
from tests.widgets.models import mapping_of


def convs(count: int = 3) -> GraphView:
    nodes = [
        aidge_nb.PaddedConv2D(4, 4, [3, 3], f"conv{n}", None, [1, 1, 1, 1]) for n in range(count)
    ]
    view = aidge_nb.sequential(nodes)
    view.forward_dims([[1, 4, 32, 32]])
    return view


def tiled(grid: dict[int, int], halo: str = "recompute") -> aidge_nb.tiling.Tiling:
    view = convs()
    return plan_tiling(view, [view.get_node(f"conv{n}") for n in range(3)], grid, halo=halo)


def test_maps_are_the_input_and_each_output() -> None:
    drawing = tiling_scene(tiled({2: 4})).tiles
    assert drawing is not None
    assert [each.name for each in drawing.maps] == ["input of conv0", "conv0", "conv1", "conv2"]
    assert {(each.height, each.width) for each in drawing.maps} == {(32, 32)}


def test_the_last_map_is_covered_once_and_earlier_ones_by_halos() -> None:
    drawing = tiling_scene(tiled({2: 4})).tiles
    assert drawing is not None
    for place, more in ((3, 0), (2, 2), (1, 4), (0, 6)):
        times = np.zeros((32, 32), int)
        for _, own, halo, top, bottom, left, right in drawing.boxes.tolist():
            if own == place and not halo:
                times[top:bottom, left:right] += 1
        assert times.min() == 1
        assert (times[:, 0] - 1).sum() == 3 * more


def test_two_axes_are_drawn_down_and_across() -> None:
    drawing = tiling_scene(tiled({2: 2, 3: 4})).tiles
    assert drawing is not None
    assert (drawing.down, drawing.across) == ("rows", "columns")
    last = drawing.boxes[(drawing.boxes[:, 1] == 3) & (drawing.boxes[:, 2] == 0)]
    assert (len(np.unique(last[:, 3])), len(np.unique(last[:, 5]))) == (2, 4)


def test_kept_halos_are_needed_and_not_computed_again() -> None:
    drawing = tiling_scene(tiled({2: 4}, "cache")).tiles
    assert drawing is not None
    inner = drawing.boxes[drawing.boxes[:, 1] == 1]
    computed, needed = inner[inner[:, 2] == 0], inner[inner[:, 2] == 1]
    assert (computed[:, 4] - computed[:, 3]).sum() == 32
    assert len(needed) > 0


def test_the_tiled_graph_has_a_branch_for_each_tile() -> None:
    drawing = tiling_scene(tiled({2: 3})).graph
    assert drawing is not None
    names = [(box.name, box.node) for box in drawing.boxes]
    parts = [*(f"conv{n}" for n in range(3))]
    each = [(name, tile) for tile in range(3) for name in (*parts, f"input {tile}")]
    assert sorted(names) == sorted([("result", -1), *each])
    whole = names.index(("result", -1))
    for edge in drawing.edges:
        ends = [names[box][1] for box in (edge.source, edge.target) if box < drawing.nodes]
        assert len(set(ends)) == 1 or whole in (edge.source, edge.target)
        assert drawing.layout.layers[edge.source] < drawing.layout.layers[edge.target]
    given = [edge.label for edge in drawing.edges if edge.target == whole]
    assert given == ["1×4×11×32", "1×4×11×32", "1×4×10×32"]


def test_kept_halos_come_from_the_tile_before() -> None:
    drawing = tiling_scene(tiled({2: 4}, "cache")).graph
    assert drawing is not None
    nodes = [box.node for box in drawing.boxes]
    kept = [
        (nodes[each.source], nodes[each.target]) for each in drawing.edges if each.label == "kept"
    ]
    assert set(kept) == {(0, 1), (1, 2), (2, 3)}


def branching() -> aidge_nb.tiling.Tiling:
    relu, tanh, add = aidge_nb.ReLU(name="r"), aidge_nb.Tanh(name="t"), aidge_nb.Add(name="add")
    relu.add_child(tanh)
    tanh.add_child(add, 0, 0)
    relu.add_child(add, 0, 1)
    view = aidge_nb.GraphView()
    for node in (relu, tanh, add):
        view.add(node)
    view.forward_dims([[1, 2, 8, 8]])
    return plan_tiling(view, [relu, tanh, add], {2: 2})


def test_branches_of_a_tiled_chain_are_drawn_from_the_tiling_alone() -> None:
    tiling = branching()
    kept = aidge_nb.tiling.Tiling.from_dict(json.loads(json.dumps(tiling.to_dict())))
    assert kept == tiling
    scene = tiling_scene(kept)
    graph = scene.graph
    assert graph is not None
    assert not scene.notes
    for tile in range(2):
        own = [n for n, box in enumerate(graph.boxes) if (box.name, box.node) == ("add", tile)]
        sources = [graph.boxes[edge.source] for edge in graph.edges if edge.target in own]
        assert sorted((box.name, box.node) for box in sources) == [("r", tile), ("t", tile)]


def test_who_reads_whom_is_not_guessed() -> None:
    """What was kept of a tiling without it says so, in place of the picture."""
    scene = tiling_scene(replace(branching(), links=()))
    assert scene.graph is None
    (note,) = scene.notes
    assert "does not tell which of its nodes reads which" in note
    assert note in Workbench(scene)._meta["notes"]


def test_a_tiled_graph_that_is_too_large_says_so() -> None:
    view = convs()
    nodes = [view.get_node(f"conv{n}") for n in range(3)]
    scene = tiling_scene(plan_tiling(view, nodes, {2: 32, 3: 16}))
    assert scene.graph is None
    (note,) = scene.notes
    assert note.startswith("the tiled graph is not drawn: of its 2049 boxes nothing could be read")


def test_a_tiling_has_a_picture_and_a_live_view() -> None:
    tiling = tiled({2: 4})
    assert "Stripes of" in tiling._repr_mimebundle_()["image/svg+xml"]
    assert "Tiles of" in tiling.to_svg("tiling")
    view = tiling.widget()
    assert view.panels == ["stripes"]
    view.close()


def test_a_grid_is_drawn_as_stripes_are() -> None:
    grid = tiled({2: 4, 3: 2})
    assert 'aria-label="Tiles of' in grid._repr_mimebundle_()["image/svg+xml"]
    view = grid.widget(stripes=18)
    assert view.panels == ["stripes"]
    assert [card.kind for card in view.scene.findings] == ["peak", "price"]
    with pytest.raises(AidgeError, match=r"8"):
        view.stripes = 7
    view.close()


def test_a_mapping_has_a_row_for_each_device_and_a_map_of_each_memory() -> None:
    mapping = mapping_of(8, 2)
    scene = scene_of(mapping)
    assert scene.devices is not None
    assert scene.memory is not None
    assert [row.name for row in scene.devices.rows] == list(mapping.devices)
    assert scene.devices.row.size == len(mapping.steps)
    assert len(scene.memory.spaces) == 2
    for space in scene.memory.spaces:
        inside = (scene.memory.offset >= space.base) & (
            scene.memory.offset + scene.memory.size <= space.base + space.size
        )
        assert inside.sum() == len(mapping.placements) / 2
    assert [node.name for node in scene.nodes] == [f"tile {tile}" for tile in range(8)]
    assert "Mapping of" in to_svg(scene, "devices")
    assert dict(scene.figures)["cycles"] == f"{mapping.cycles:,}"


@pytest.mark.parametrize("target", hardware.TARGETS)
def test_memories_of_a_machine_tell_parameters_from_inputs_and_results(target: str) -> None:
    view, machine = convs(2), hardware.target(target)
    tiling = plan_tiling(view, [view.get_node("conv0")], {2: 4})
    for mapping in (
        hardware.map_schedule(view, machine),
        hardware.map_tiles(view, tiling, machine),
    ):
        memory = scene_of(mapping).memory
        assert memory is not None
        weights = {node.name() for node in view.get_nodes() if node.type() == "Producer"}
        for name, kind in zip(memory.names, memory.kind.tolist(), strict=True):
            is_weight = name in weights or " parameters" in name
            expected = "producer" if is_weight else "input" if "#" in name else "activation"
            assert KINDS[kind] == expected, name
        assert KINDS.index("producer") in memory.kind


def test_more_slices_need_less_and_compute_more() -> None:
    view = convs()
    nodes = [view.get_node(f"conv{n}") for n in range(3)]
    tilings = [plan_tiling(view, nodes, {2: count}) for count in range(1, 9)]
    memory, more = figures_charts(list(map(Figures.of, tilings)), 4)
    needs = [y for _, y in memory.lines[0][1]]
    assert needs == sorted(needs, reverse=True)
    assert needs[0] == tile_bytes(tilings[0]) / 1024
    again = [y for _, y in more.lines[0][1]]
    assert again == sorted(again)
    assert again[0] == 0
    assert memory.points == ((4.0, needs[3], -1),)


@pytest.mark.parametrize("columns", [1, 2, 5])
@pytest.mark.parametrize("name", ["convs", "block", "strided block", "transposed", "product"])
def test_figures_of_grids_follow_from_slices_along_each_axis(name: str, columns: int) -> None:
    make = {
        "convs": lambda: ready(convs(), [1, 4, 32, 32]),
        "block": lambda: ready(block_of(), [1, 3, 26, 22]),
        "strided block": lambda: ready(block_of(2, skip=False), [1, 3, 37, 31]),
        "transposed": lambda: ready(
            aidge_nb.sequential([aidge_nb.ConvTranspose2D(2, 3, [3, 3], stride_dims=[2, 2])]),
            [1, 2, 6, 7],
        ),
        "product": lambda: ready(
            aidge_nb.sequential(
                [
                    aidge_nb.PaddedConv2D(1, 2, [3, 3], "c", None, [1] * 4),
                    aidge_nb.Softmax(1, "s"),
                    aidge_nb.ReLU("r"),
                ]
            ),
            [2, 1, 9, 8],
        ),
    }
    view = make[name]()
    chain = as_chain(view, chain_of(view))
    figures = SliceFigures(chain)
    counts = range(1, 7)
    for halo in ("recompute", "cache") if columns == 1 else ("recompute",):
        wanted = [Figures.of(plan_chain(chain, {2: count, 3: columns}, halo)) for count in counts]
        assert figures.up_to(6, columns, halo) == wanted
        assert figures.up_to(6, columns, halo) == wanted, "and once more, from what is known"


def test_points_below_the_roof_belong_to_the_nodes_of_the_mapping() -> None:
    view, machine = convs(2), hardware.target("quad_cluster")
    mapping = hardware.map_schedule(view, machine)
    assert len(mapping.works) == 2
    nodes = scene_of(mapping).nodes
    points = roofline_chart(mapping, machine).points
    assert len(points) == len(nodes)
    for intensity, _, node in points:
        moved = (nodes[node].macs or 0) / intensity
        own = [step for step in mapping.steps if step.kind == "transfer"]
        names = {f"{step.work}, tile {step.tile}": 0 for step in own}
        for step in own:
            names[f"{step.work}, tile {step.tile}"] += step.amount
        assert moved == pytest.approx(names[nodes[node].name])


def test_choices_of_a_search_can_be_picked() -> None:
    view = convs()
    found = tile_for(view)
    scene = scene_of(found)
    assert scene.panels == ("charts", "table")
    (chart,) = scene.charts
    assert [node for _, _, node in chart.points] == list(range(len(found.front)))
    assert [x * 1024 for x, _, _ in chart.points] == [choice.peak for choice in found.front]
    view_of_it = found.widget(selected="choice 0")
    assert view_of_it.scene == scene
    view_of_it.close()


def test_a_search_where_nothing_is_multiplied_recomputes_nothing() -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    view.forward_dims([[1, 8, 16, 16]])
    scene = scene_of(tile_for(view))
    assert dict(scene.figures)["for"] == "0.0 % more MACs"
    assert all(y == 0 for _, y, _ in scene.charts[0].points)


def test_charts_become_plotly_figures_that_are_always_the_same() -> None:
    chart = scene_of(tile_for(convs())).charts[0]
    figure = to_plotly(chart)
    assert isinstance(figure, go.Figure)
    assert figure.to_json() == to_plotly(chart).to_json()


def test_plotly_that_is_missing_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "plotly.graph_objects", None)
    chart = scene_of(tile_for(convs())).charts[0]
    with pytest.raises(aidge_nb.core.errors.MissingExtraError, match="lab"):
        to_plotly(chart)
