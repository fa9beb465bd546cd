"""Pictures of what a view shows: a window of time, a number of stripes."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

import pytest

import aidge_nb
from aidge_nb.core.errors import AidgeError
from aidge_nb.widgets import Scene, build_scene, query_bench, to_svg
from aidge_nb.widgets.live.workbench import Workbench
from tests.widgets.mappings import mapped
from tests.widgets.models import plan_of, repeated, residual, schedule_of, snapshot

SVG = "{http://www.w3.org/2000/svg}"


def said(svg: str) -> list[str]:
    return [each.text or "" for each in ET.fromstring(svg).iter(f"{SVG}text")]


def numbers(svg: str) -> list[int]:
    """Read the marks of the axis, which are all numbers that stand alone."""
    return [int(each.replace(",", "")) for each in said(svg) if re.fullmatch(r"[\d,]+", each)]


def rows() -> Scene:
    names = [f"n{place}" for place in range(30)]
    return build_scene(schedule=schedule_of(names, [(10 * n, 10 * n) for n in range(30)]))


def lasts(svg: str) -> float:
    """Return how far to the right anything is drawn."""
    _, *inside = ET.fromstring(svg).iter(f"{SVG}rect")  # the first is the paper
    edges = [float(each.attrib["x"]) + float(each.attrib["width"]) for each in inside]
    return max(edges)


def test_a_schedule_shows_its_window() -> None:
    view = Workbench(rows(), time_range=(100.0, 150.0), clock="step")
    svg = view.to_svg(shown=True)
    assert min(numbers(svg)) == 100
    assert max(numbers(svg)) <= 150
    assert len(re.findall('<path fill="#', svg)) == len("01234"), "operators that run in it"
    assert view.to_svg() == to_svg(view.scene)
    assert Workbench(rows()).to_svg(shown=True) == view.to_svg()


def test_a_memory_plan_shows_its_window() -> None:
    view = Workbench(build_scene(plan=plan_of([f"n{place}" for place in range(200)])))
    view.time_range = (40.0, 60.0)
    marks = [each for each in numbers(view.to_svg(shown=True)) if each]
    assert 40 in marks
    assert max(marks) <= 60


@pytest.mark.parametrize("picture", ["devices", "memory"])
def test_a_mapping_shows_its_window(picture: str) -> None:
    _, scene = mapped()
    view = Workbench(scene, time_range=(10_000.0, 20_000.0))
    svg = view.to_svg(picture, shown=True)
    marks = [each for each in numbers(svg) if each >= 9000]
    assert min(marks) == 10_000
    assert max(marks) <= 20_000
    assert 0 < len(said(svg)) < len(said(view.to_svg(picture)))
    assert lasts(svg) <= 890
    assert len(svg) < len(view.to_svg(picture))


def test_a_chain_is_shown_in_as_many_stripes_as_are_looked_at() -> None:
    convs = [aidge_nb.PaddedConv2D(4, 4, [3, 3], name, None, [1] * 4) for name in "ab"]
    graph = aidge_nb.sequential(convs)
    graph.forward_dims([[1, 4, 32, 32]])
    view = aidge_nb.plan_tiling(graph, convs, {2: 4}).widget()
    assert view.to_svg(shown=True) == view.to_svg()
    view.stripes = 2
    assert "in 2 stripes" in " ".join(said(view.to_svg(shown=True)))
    assert "in 4 stripes" in " ".join(said(view.to_svg()))


def test_what_has_no_time_is_drawn_as_a_whole() -> None:
    view = Workbench(build_scene(*residual()), time_range=(1.0, 3.0))
    assert view.to_svg("graph", shown=True) == view.to_svg("graph")
    folded = Workbench(build_scene(schedule=repeated(400)), time_range=(1.0, 3.0))
    assert folded.to_svg("factorized", shown=True) == folded.to_svg("factorized")


def test_another_unit_than_that_of_the_view_is_refused() -> None:
    view = Workbench(build_scene(*residual()), time_range=(1.0, 3.0), clock="tick")
    with pytest.raises(AidgeError, match=r"timeline counts in another unit .*expected step"):
        view.to_svg("timeline", shown=True)
    view.clock = "step"
    assert view.to_svg("timeline", shown=True) != view.to_svg("timeline")


def test_a_measured_run_has_a_clock_of_its_own_and_is_drawn_as_a_whole() -> None:
    runs = [("stem", 10.0, 25.5), ("b0_conv", 25.5, 40.0)]
    scene = build_scene(*residual(), measured=runs)
    view = Workbench(scene, panels=["measured"], time_range=(1.0, 3.0))
    whole = to_svg(scene, "measured")
    assert "Measured run of residual" in whole
    assert max(numbers(whole)) == 25, "microseconds, from its first"
    for clock in scene.clocks:
        view.clock = clock
        assert view.to_svg(shown=True) == whole
    assert view.to_png(shown=True, width=300)[:4] == b"\x89PNG"


def test_a_graph_shows_what_a_query_found() -> None:
    lenet = aidge_nb.zoo.load("lenet")
    view = query_bench(lenet, "Conv2D->ReLU")
    assert view.to_svg(shown=True) == to_svg(view.scene, lit=view._lit)
    assert view.to_svg(shown=True) != view.to_svg()


def test_a_question_stands_above_what_is_shown_and_a_covered_view_is_not_drawn() -> None:
    view = Workbench(build_scene(snapshot(["b0_conv"], [])), question="What runs first?")
    assert "What runs first?" in said(view.to_svg(shown=True))
    assert "What runs first?" not in view.to_svg()
    view.covered = True
    covered = view.to_svg(shown=True)
    assert "What runs first?" in said(covered)
    assert "b0_conv" in view.to_svg()
    assert "b0_conv" not in covered
    view.question = ""
    assert view.scene.title in said(view.to_svg(shown=True))
