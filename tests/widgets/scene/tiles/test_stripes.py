"""The scene of stripes: rows, memory and words are those of the tilings and their plans."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest

import aidge_nb
from aidge_nb.graph.view import GraphView
from aidge_nb.memory import plan_memory
from aidge_nb.tiling import Tiling, apply_tiling, plan_tiling
from aidge_nb.tiling.ranges import Range
from aidge_nb.tiling.stripes import StripeStudy, compare_stripes
from aidge_nb.widgets import Scene, scene_of
from aidge_nb.widgets.scene.tiles.stripe_cards import price_card
from aidge_nb.widgets.scene.tiles.stripe_parts import DrawnWay, StripeDrawing
from aidge_nb.widgets.scene.tiles.stripes import stripes_scene
from aidge_nb.widgets.text import size_text
from tests.tiling.graphs import block_of, chain_of, ready


@cache
def chain(count: int = 3, size: int = 32, pool: bool = True) -> Tiling:
    nodes: list[aidge_nb.Node] = [
        aidge_nb.PaddedConv2D(8, 8, [3, 3], f"conv{n}", None, [1, 1, 1, 1]) for n in range(count)
    ]
    if pool:
        nodes.append(aidge_nb.MaxPooling2D([4, 4], "pool", stride_dims=[4, 4]))
    view = aidge_nb.sequential(nodes)
    view.forward_dims([[1, 8, size, size]])
    return plan_tiling(view, nodes, {2: 4})


@cache
def scene_once(tiling: Tiling) -> Scene:
    return scene_of(tiling)


@cache
def studied(tiling: Tiling) -> StripeStudy:
    return compare_stripes(tiling)


def drawn(tiling: Tiling) -> tuple[Scene, StripeDrawing]:
    scene = scene_once(tiling)
    assert scene.stripes is not None
    return scene, scene.stripes


def shown(drawing: StripeDrawing) -> DrawnWay:
    return drawing.ways[drawing.chosen]


def strided() -> Tiling:
    view = ready(block_of(2, skip=False), [1, 3, 37, 31])
    return plan_tiling(view, chain_of(view), {2: 3})


def valid() -> Tiling:
    nodes = [aidge_nb.Conv2D(2, 2, [5, 5], f"c{n}") for n in range(3)]
    view = aidge_nb.sequential(nodes)
    view.forward_dims([[1, 2, 40, 20]])
    return plan_tiling(view, nodes, {2: 4}, halo="cache")


@pytest.mark.parametrize("make", [chain, strided, valid])
def test_own_rows_and_halo_are_the_rows_that_a_tile_reads(make: object) -> None:
    assert callable(make)
    tiling = make()
    _, drawing = drawn(tiling)
    study = studied(tiling)
    for number, way in enumerate([study.whole, *study.ways]):
        cells = drawing.cells[drawing.cells[:, 0] == number]
        found = {(s, m): rest for _, s, m, *rest in cells.tolist()}
        for stripe, tile in enumerate(way.tiling.tiles):
            first = tile.part(tiling.nodes[0])
            if first is not None:
                start, stop = first.inputs[0][1][2]
                assert found[stripe, 0][2:4] == [start, stop]
            for place, name in enumerate(tiling.nodes, 1):
                part = tile.part(name)
                needed = part.needed[2] if part is not None else dict(tile.reused).get(name)
                if isinstance(needed, Range):
                    assert found[stripe, place][2:4] == list(needed)
        for own, own_stop, start, stop, *columns in (rest for rest in found.values()):
            assert start <= own <= own_stop <= stop
            assert columns == [0, 1, 0, 1]


def test_own_rows_of_all_stripes_are_the_whole_map() -> None:
    tiling = chain()
    _, drawing = drawn(tiling)
    for number, way in enumerate(drawing.ways):
        for place, each in enumerate(drawing.maps):
            own = drawing.cells[(drawing.cells[:, 0] == number) & (drawing.cells[:, 2] == place)]
            assert own[:, 3].tolist() == [0, *own[:-1, 4].tolist()], (way, each)
            assert own[-1, 4] == each.rows


def test_the_halo_grows_towards_the_input() -> None:
    _, drawing = drawn(chain())
    mine = drawing.cells[(drawing.cells[:, 0] == drawing.chosen) & (drawing.cells[:, 1] == 1)]
    halo = (mine[:, 6] - mine[:, 5]) - (mine[:, 4] - mine[:, 3])
    assert halo.tolist() == [6, 4, 2, 0, 0]
    assert [each.rows for each in drawing.maps] == [32, 32, 32, 32, 8]


def test_rectangles_are_those_of_the_plan_and_reach_its_peak() -> None:
    tiling = chain()
    _, drawing = drawn(tiling)
    study = studied(tiling)
    for number, way in enumerate([study.whole, *study.ways]):
        boxes = drawing.boxes[drawing.boxes[:, 0] == number]
        assert (boxes[:, 3] + boxes[:, 4]).max() == way.plan.peak == drawing.ways[number].peak
        size = sum(b.size for b in way.plan.buffers if not b.made_of)
        assert boxes[:, 4].sum() == size
        runs = drawing.runs[drawing.runs[:, 0] == number]
        assert runs[:, 1].tolist() == list(range(*way.ticks))


def test_cards_say_peak_price_and_what_is_better() -> None:
    tiling = chain(size=64)
    scene, drawing = drawn(tiling)
    study = studied(tiling)
    kept = study.way(4, "cache")
    assert kept is not None
    peak, price, better = scene.findings
    assert peak.figure == size_text(study.asked.plan.peak)
    assert peak.headline.endswith(f"was {size_text(study.whole.plan.peak)}")
    assert price.figure == f"+{100 * tiling.overhead:.1f} % MACs"
    assert better.figure == f"Keep the halos: {size_text(kept.plan.peak)}"
    assert better.headline.endswith("0.0 % more MACs")
    assert drawing.ways[better.way].kept
    assert drawing.ways[better.way].count == 4
    assert [card.title for card in drawing.ways[better.way].cards] == ["PEAK", "PRICE"]


def test_parts_of_the_peak_add_up() -> None:
    tiling = chain(size=64)
    _, drawing = drawn(tiling)
    for way in drawing.ways:
        text = way.cards[0].text.split("; ")[0]
        sizes = text.split(": ", 1)[1].replace(" of holes", "").split(" + ")
        units = {"B": 1, "KiB": 1024}
        total = 0.0
        for each in sizes:
            *_, number, unit = each.split()
            total += float(number) * units[unit]
        assert total == pytest.approx(way.peak, rel=0.02)


def test_keeping_is_not_advised_where_it_takes_more_memory() -> None:
    tiling = chain(2, 64)
    study = compare_stripes(plan_tiling(_view(tiling), _nodes(tiling), {2: 8}))
    kept = study.way(8, "cache")
    assert kept is not None
    assert kept.plan.peak > study.asked.plan.peak
    scene = scene_of(study.asked.tiling)
    assert [card.title for card in scene.findings] == ["PEAK", "PRICE"]


def _view(tiling: Tiling) -> GraphView:
    assert tiling.view is not None
    return tiling.view


def _nodes(tiling: Tiling) -> list[aidge_nb.Node]:
    view = tiling.view
    assert view is not None
    by_name = {name: node for node, name in view.unique_names().items()}
    return [by_name[name] for name in tiling.nodes]


def test_a_tiling_without_its_graph_says_that_no_peak_is_known() -> None:
    tiling = Tiling.from_dict(chain().to_dict())
    scene = scene_of(tiling)
    drawing = scene.stripes
    assert drawing is not None
    assert [card.title for card in scene.findings] == ["PRICE"]
    assert "names no graph" in drawing.note
    assert shown(drawing).peak == -1
    assert drawing.counts == (4,)
    assert not drawing.boxes.size
    assert "No peak" in tiling.to_svg()
    assert "their peak" not in dict(scene.figures)


def test_long_chains_show_their_ends_and_count_the_maps_between() -> None:
    _, drawing = drawn(chain(12, 32, pool=False))
    assert drawing.hidden == (6, 3)
    assert [each.name for each in drawing.maps[1:]] == [f"conv{n}" for n in (0, 1, 8, 9, 10, 11)]
    assert drawing.cells[:, 2].max() == 6
    hidden = drawing.boxes[(drawing.boxes[:, 6] == -1) & (drawing.boxes[:, 8] >= 0)]
    assert hidden.size, "memory of maps that are not drawn has its colour"


def test_eight_maps_are_all_drawn() -> None:
    _, drawing = drawn(chain(7, 32, pool=False))
    assert drawing.hidden == (0, 0)
    assert len(drawing.maps) == 8


def test_names_of_any_length_and_stripes_of_one_layer() -> None:
    name = "long" * 2500
    view = aidge_nb.sequential([aidge_nb.PaddedConv2D(2, 2, [3, 3], name, None, [1] * 4)])
    view.forward_dims([[1, 2, 16, 16]])
    tiling = plan_tiling(view, view.get_node(name), {2: 4})
    scene, drawing = drawn(tiling)
    assert max(len(each.label) for each in drawing.maps) <= 40
    assert max(len(card.words()) for card in scene.findings) < 400
    assert len(tiling.to_svg()) < 60_000


def test_one_stripe_is_the_whole() -> None:
    tiling = chain()
    one = plan_tiling(_view(tiling), _nodes(tiling), {2: 1})
    scene, drawing = drawn(one)
    assert shown(drawing).count == 1
    assert scene.findings[0].headline == "nothing is tiled"
    assert 4 in drawing.counts


def test_columns_are_counted_where_they_are_cut() -> None:
    tiling = chain()
    upright = plan_tiling(_view(tiling), _nodes(tiling), {3: 4})
    _, drawing = drawn(upright)
    assert drawing.unit == "columns"
    assert "8 columns" in upright.to_svg()


def test_where_nothing_is_multiplied_the_price_says_so() -> None:
    view = aidge_nb.sequential([aidge_nb.MaxPooling2D([2, 2], "pool", stride_dims=[2, 2])])
    view.forward_dims([[1, 2, 16, 16]])
    card = price_card(plan_tiling(view, view.get_node("pool"), {2: 4}))
    assert (card.figure, card.text.split(";")[0]) == ("+0.0 % MACs", "no multiplications")


def test_the_page_shows_both_figures_and_all_maps() -> None:
    tiling = chain(size=64)
    scene, drawing = drawn(tiling)
    page = tiling.to_svg()
    for words in ("PEAK", "PRICE", "DO THIS", "more MACs", "halos recomputed", "+6 halo"):
        assert words in page
    assert size_text(shown(drawing).peak) in page
    for each in drawing.maps:
        assert f">{each.label}</text>" in page
    assert tiling.to_png()[:4] == b"\x89PNG"
    assert scene.payload() == scene_of(tiling).payload()


def test_what_is_sent_is_bounded() -> None:
    tiling = chain(3, 256)
    many = plan_tiling(_view(tiling), _nodes(tiling), {2: 64})
    _, drawing = drawn(many)
    assert len(drawing.boxes) < 6_000
    assert len(drawing.cells) < 6_000
    assert np.unique(drawing.cells[:, 0]).size == len(drawing.ways)
    assert "not planned" in drawing.note


def test_a_grid_has_a_peak_and_a_price() -> None:
    convs = [aidge_nb.PaddedConv2D(4, 4, [3, 3], f"conv{n}", None, [1] * 4) for n in range(3)]
    view = aidge_nb.sequential(convs)
    view.forward_dims([[1, 4, 32, 32]])
    tiling = plan_tiling(view, convs, {2: 2, 3: 2})
    scene = stripes_scene(tiling)
    copy = view.clone()
    nodes = [copy.get_node(f"conv{n}") for n in range(3)]
    apply_tiling(copy, plan_tiling(copy, nodes, {2: 2, 3: 2}))
    peak = plan_memory(copy, copy.topological_order(), parts=True, effort=0.01).peak
    whole = plan_memory(view, view.topological_order(), parts=True, effort=0.01).peak
    figures = dict(scene.figures)
    assert figures["their peak"] == size_text(peak)
    assert figures["as a whole"] == size_text(whole)
    found = {card.kind: card for card in scene.findings}
    assert found["peak"].figure == size_text(peak)
    assert f"was {size_text(whole)}" in found["peak"].words()
    assert found["price"].figure == f"+{100 * tiling.overhead:.1f} % MACs"
    assert scene.notes == ()


def test_a_grid_without_its_graph_says_why_there_is_no_peak() -> None:
    conv = aidge_nb.PaddedConv2D(4, 4, [3, 3], "conv", None, [1] * 4)
    view = aidge_nb.sequential([conv])
    view.forward_dims([[1, 4, 32, 32]])
    tiling = Tiling.from_dict(plan_tiling(view, [conv], {2: 2, 3: 2}).to_dict())
    scene = stripes_scene(tiling)
    assert [card.kind for card in scene.findings] == ["price"]
    assert scene.stripes is not None
    assert "names no graph" in scene.stripes.note
    assert (scene.stripes.noun, scene.stripes.ways[0].label) == ("tile", "2×2")


@cache
def grid(rows: int = 4, columns: int = 2, size: int = 32) -> Tiling:
    stripes = chain(size=size)
    return plan_tiling(_view(stripes), _nodes(stripes), {2: rows, 3: columns})


def test_a_grid_has_what_each_tile_needs_along_both_axes() -> None:
    tiling = grid()
    _, drawing = drawn(tiling)
    assert (drawing.unit, drawing.across, drawing.noun) == ("rows", "columns", "tile")
    study = studied(tiling)
    ways = [study.whole, *study.ways]
    assert [way.label for way in drawing.ways] == ["1", "2×1", "3×2", "4×2", "6×3", "8×4"]
    assert [way.peak for way in drawing.ways] == [way.plan.peak for way in ways]
    for number, way in enumerate(ways):
        own = drawing.cells[drawing.cells[:, 0] == number]
        found = {(tile, place): rest for _, tile, place, *rest in own.tolist()}
        for number, tile in enumerate(way.tiling.tiles):
            for place, name in enumerate(tiling.nodes, 1):
                part = tile.part(name)
                assert part is not None
                rows, columns = part.needed[2], part.needed[3]
                assert found[number, place][2:4] == list(rows)
                assert found[number, place][6:] == list(columns)
        # What is their own covers each map once.
        for place, each in enumerate(drawing.maps):
            covered = np.zeros((each.rows, each.columns), int)
            for (_, at), (top, bottom, _, _, left, right, _, _) in found.items():
                covered[top:bottom, left:right] += at == place
            assert (covered == 1).all()


def test_the_page_of_a_grid_has_charts_maps_and_memory() -> None:
    tiling = grid()
    _, drawing = drawn(tiling)
    page = tiling.to_svg()
    for words in ("What tile 3 of 8 needs", "in 4×2 tiles", ">Memory<", "more MACs", ">6×3<"):
        assert words in page
    assert ">5–18 × 0–18<" in page, "what it needs of the input"
    assert ">14×19<" in page or "14×19 with halo<" in page
    assert f"peak {size_text(shown(drawing).peak)}" in page
    assert "stripe" not in page
    assert tiling.to_png()[:4] == b"\x89PNG"


def test_tiles_along_three_axes_are_drawn_as_maps() -> None:
    view = aidge_nb.sequential([aidge_nb.Conv2D(2, 2, [3, 3], name="c")])
    view.forward_dims([[2, 2, 10, 10]])
    scene = stripes_scene(plan_tiling(view, view.get_node("c"), {0: 2, 2: 2, 3: 2}))
    assert scene.stripes is None
    assert [card.kind for card in scene.findings] == ["peak", "price"]
