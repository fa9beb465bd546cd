import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from traitlets import TraitError

import aidge_nb
import aidge_nb.widgets as views
from aidge_nb.core.errors import AidgeError, MissingExtraError
from aidge_nb.widgets import Workbench, build_scene, scene_of, show, workbench
from aidge_nb.widgets.wire.columns import unpack
from tests.widgets.models import mapping_of, repeated, residual, snapshot

WIDGET = "application/vnd.jupyter.widget-view+json"


@pytest.fixture
def view() -> Iterator[Workbench]:
    made = workbench(*residual())
    yield made
    made.close()


def test_a_view_has_the_panels_that_have_something_to_draw(view: Workbench) -> None:
    assert view.panels == ["graph", "timeline", "memory", "table"]
    assert show(repeated()).panels == ["factorized", "table"]


def test_panels_can_be_chosen() -> None:
    assert workbench(*residual(), panels=("memory",)).panels == ["memory"]


def test_a_panel_is_shown_once() -> None:
    view = workbench(*residual(), panels=("memory", "graph", "memory"))
    assert view.panels == ["memory", "graph"]


def test_an_unknown_panel_is_refused() -> None:
    with pytest.raises(TraitError, match="panels"):
        workbench(*residual(), panels=("memori",))


def test_an_unknown_keyword_is_refused() -> None:
    unknown: dict[str, Any] = {"colour": "red"}
    with pytest.raises(TypeError, match="colour"):
        workbench(*residual(), **unknown)


def test_the_data_travel_as_bytes(view: Workbench) -> None:
    meta, columns = view.scene.payload()
    assert view._meta == meta
    assert view._columns == columns
    assert unpack(view._meta["columns"], view._columns)["bar.row"].size == 21


def test_the_state_is_synchronised(view: Workbench) -> None:
    state = view.get_state()
    for name in ("selected", "hovered", "query", "time_range", "theme", "panels"):
        assert name in state


def test_python_hears_of_a_selection(view: Workbench) -> None:
    heard: list[str] = []
    view.observe(lambda change: heard.append(change["new"]), "selected")
    view.set_state({"selected": "b0_add"})
    assert heard == ["b0_add"]


def test_selecting_a_node_that_is_not_there_is_refused(view: Workbench) -> None:
    with pytest.raises(AidgeError, match="no node has this name, it cannot be selected"):
        view.selected = "b9_add"
    assert view.selected is None


def test_a_time_range_is_a_pair(view: Workbench) -> None:
    view.time_range = (2.0, 5.5)
    with pytest.raises(TraitError):
        view.time_range = (1.0,)


def test_an_unknown_theme_is_refused(view: Workbench) -> None:
    with pytest.raises(TraitError, match="theme"):
        view.theme = "pink"


def test_a_mapping_has_its_devices_beside_the_graph() -> None:
    graph = snapshot(["conv0", "other"], [(0, 1)])
    made = workbench(graph, mapping=mapping_of(), selected="conv0")
    assert made.panels == ["graph", "devices", "memory", "table"]
    bars = unpack(made._meta["columns"], made._columns)["devices.node"]
    assert {made._meta["nodes"]["name"][node] for node in bars} == {made.selected}
    made.close()


def test_another_scene_can_be_shown(view: Workbench) -> None:
    view.selected = "b0_add"
    view.scene = build_scene(snapshot(["a", "b"], [(0, 1)]))
    assert view._meta["nodes"]["name"] == ["a", "b"]
    assert view.selected is None
    assert view.panels == ["graph", "timeline", "memory", "table"]


def test_the_repr_is_deterministic(view: Workbench) -> None:
    assert repr(view) == repr(workbench(*residual()))
    assert repr(view).startswith("Workbench(residual: operators 17, ")


def test_notebooks_get_the_view_and_everybody_else_a_picture(view: Workbench) -> None:
    bundle, metadata = view._repr_mimebundle_(include=None, exclude=None)
    assert next(iter(bundle)) == WIDGET
    assert bundle[WIDGET]["model_id"] == view.model_id
    assert bundle["image/svg+xml"].startswith("<svg")
    assert bundle["text/plain"] == repr(view)
    assert metadata == {"image/png": {"width": 1200}}


def test_the_picture_is_of_the_first_panel() -> None:
    bundle, _ = workbench(*residual(), panels=("memory", "table"))._repr_mimebundle_()
    assert "Memory of residual" in bundle["image/svg+xml"]


def test_the_class_is_found_in_the_package() -> None:
    assert views.Workbench is Workbench
    with pytest.raises(AttributeError, match="nothing_like_it"):
        _ = views.nothing_like_it


def test_importing_the_views_needs_no_widget_package() -> None:
    code = (
        "import sys, aidge_nb.widgets\n"
        "loaded = {'anywidget', 'ipywidgets', 'traitlets'} & set(sys.modules)\n"
        "sys.exit(', '.join(loaded) or 0)"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")


@pytest.mark.parametrize("name", ["Explorer", "QueryBench", "TileExplorer", "Workbench"])
def test_a_missing_package_is_named(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for missing in ("anywidget", "ipywidgets", "traitlets"):
        monkeypatch.setitem(sys.modules, missing, None)
    for module in ("controls", "workbench", "queries", "tile_controls"):
        monkeypatch.delitem(sys.modules, f"aidge_nb.widgets.live.{module}", raising=False)
    with pytest.raises(MissingExtraError, match=r'pip install "aidge_nb\[lab\]"'):
        getattr(views, name)


def test_a_view_that_misses_a_package_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "aidge_nb.widgets.live.workbench", raising=False)
    with pytest.raises(MissingExtraError, match=r'pip install "aidge_nb\[lab\]"'):
        workbench(*residual())


def test_the_package_takes_the_values_of_the_chain_as_they_are() -> None:
    graph = aidge_nb.sequential([aidge_nb.FC(4, 4, name="a"), aidge_nb.ReLU(name="b")])
    graph.forward_dims([[1, 4]])
    schedule = aidge_nb.static_schedule(graph)
    plan = aidge_nb.plan_memory(graph, schedule)
    view = aidge_nb.workbench(graph, schedule, plan)
    assert view.panels == ["graph", "timeline", "memory", "table"]
    assert view.scene == build_scene(graph, schedule, plan)


def test_several_nodes_can_be_picked(view: Workbench) -> None:
    view.picked = ["b0_add", "stem", "b0_add"]
    assert view.picked == ["b0_add", "stem"]
    assert view.selected is None
    assert view._opened["picked"] == ["b0_add", "stem"]
    with pytest.raises(AidgeError, match=r"picked: no node has this name.*'b9_add'"):
        view.picked = ["stem", "b9_add"]
    view.scene = build_scene(snapshot(["stem", "b"], [(0, 1)]))
    assert view.picked == ["stem"]


@pytest.mark.parametrize("unit", ["tick", "step"])
def test_a_time_out_of_range_is_refused(view: Workbench, unit: str) -> None:
    last = view.scene.lengths[unit] - 1
    for time in (last, 0, None):
        setattr(view, unit, time)
    for wrong in (last + 1, -1):
        with pytest.raises(AidgeError, match=f"the view has no such {unit}.*0 to {last}, or None"):
            setattr(view, unit, wrong)
    assert getattr(view, unit) is None


def test_a_time_that_other_data_do_not_have_is_forgotten(view: Workbench) -> None:
    view.tick = 16
    view.scene = build_scene(*residual(1))
    assert view.tick is None


def test_data_without_a_clock_have_no_tick() -> None:
    made = workbench(snapshot(["a"], []))
    with pytest.raises(AidgeError, match=r"the view has no such tick.*expected None"):
        made.tick = 0
    made.close()


def test_a_clock_that_the_data_do_not_have_is_refused(view: Workbench) -> None:
    view.clock = "step"
    with pytest.raises(AidgeError, match=r"the data have no such clock.*'tick', 'step'"):
        view.clock = "cycle"
    assert view.clock == "step"


def test_cycles_of_a_machine_are_the_ticks_of_its_clock() -> None:
    made = workbench(snapshot(["conv0"], []), mapping=mapping_of())
    assert set(made.scene.lengths) == set(made.scene.clocks)
    assert made.scene.clocks[0] == "cycle"
    made.tick = made.scene.lengths["cycle"] - 1
    with pytest.raises(AidgeError, match="no such tick"):
        made.tick = made.scene.lengths["cycle"]
    made.close()


def test_python_hears_of_each_answer(view: Workbench) -> None:
    heard: list[list[str]] = []
    forget = view.on_answer(heard.append)
    view.set_state({"answer": ["stem", "b0_add"], "answers": 1})
    view.set_state({"answer": ["stem", "b0_add"], "answers": 2})
    assert heard == [["stem", "b0_add"]] * 2
    forget()
    view.set_state({"answer": ["stem"], "answers": 3})
    assert len(heard) == 2
    assert view.answer == ["stem"]


def test_a_covered_view_shows_no_figure_and_no_picture_of_itself(view: Workbench) -> None:
    open_ = view._repr_mimebundle_()[0]
    view.covered = True
    bundle, _ = view._repr_mimebundle_()
    assert set(bundle) == set(open_)
    assert repr(view) == "Workbench(residual: covered)"
    view.question = "What runs first?"
    page = view.to_html().partition("<script")[0]
    assert "needs JavaScript" in page
    for picture in (bundle["image/svg+xml"], page):
        assert "The view is covered until an answer is given." in picture
        assert "b0_conv" not in picture
        assert "peak" not in picture
    assert ">What runs first?</text>" in page
    view.question = ""
    view.covered = False
    assert view._repr_mimebundle_()[0] == open_


def test_stripes_are_set_and_heard() -> None:
    conv = aidge_nb.PaddedConv2D(2, 2, [3, 3], "conv", None, [1] * 4)
    view = aidge_nb.sequential([conv])
    view.forward_dims([[1, 2, 16, 16]])
    made = Workbench(scene_of(aidge_nb.plan_tiling(view, [conv], {2: 4})), stripes=2)
    heard: list[int] = []
    made.observe(lambda change: heard.append(change["new"]), "stripes")
    made.stripes = 3
    assert heard == [3]
    with pytest.raises(AidgeError, match=r"stripes was not planned \(expected one of 1, 2, 3"):
        made.stripes = 5
    with pytest.raises(TraitError):
        made.halo = "keep"
    made.halo = "cache"
    assert (made._opened["stripes"], made._opened["halo"]) == (3, "cache")
    made.scene = build_scene(title="without stripes")
    assert made.stripes is None
