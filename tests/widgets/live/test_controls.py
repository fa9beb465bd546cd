"""Controls that plan anew: what they say is what is planned."""

import base64
import gc
import gzip
import re

import pytest

import aidge_nb
from aidge_nb import course, hardware
from aidge_nb.memory.aidge.optimize import OptimizeStrategy
from aidge_nb.scheduling import SchedulingPolicy
from aidge_nb.widgets import explore, explore_tiling
from aidge_nb.widgets.exploration import Settings
from aidge_nb.widgets.live.controls import Explorer
from aidge_nb.widgets.live.front import FrontEnd, front_end
from aidge_nb.widgets.live.tile_controls import TileExplorer
from aidge_nb.widgets.still.html import BUNDLE
from aidge_nb.widgets.text import size_text
from tests.widgets.explored import move, network, peak


def test_a_control_plans_anew_and_compares_with_the_first_plan(explorer: Explorer) -> None:
    first = peak(explorer)
    explorer.settings = Settings(stripes=4)
    assert peak(explorer) < first
    memory = explorer.bench.scene.memory
    assert memory is not None
    assert memory.other is not None
    assert memory.other.peak == first
    assert "against the plan at first" in explorer.status
    explorer.settings = Settings()
    assert peak(explorer) == first


def test_stripes_that_cut_nothing_are_said_to() -> None:
    model = aidge_nb.sequential([aidge_nb.ReLU(name="a")])
    model.forward_dims([[1, 4]])
    view = explore(model)
    view.settings = Settings(stripes=4)
    assert "nothing that could be cut into stripes would lower it" in view.status
    view.settings = Settings()
    assert "stripes" not in view.status
    view.close()


def test_settings_and_controls_are_one(explorer: Explorer) -> None:
    wanted = Settings(
        "AsLateAsPossible", "OptimizeMaxLifetimeMaxSizeFirst", True, False, 1, 8192, 2
    )
    explorer.settings = wanted
    assert explorer.settings == wanted
    assert "over the budget" in explorer.status


@pytest.mark.parametrize("size", [1, 7, 64, 5000, 1 << 22])
def test_budgets_are_in_steps_that_suit_the_model(size: int) -> None:
    model = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.ReLU(name="b")])
    model.forward_dims([[1, size]])
    made = explore(model)
    options = [value for _, value in made._panel["budget"].options]
    labels = [label for label, _ in made._panel["budget"].options]
    assert options[0] == 0
    assert options[-1] == peak(made)
    assert len(options) <= 24
    assert len(options) >= min(8, peak(made) // 2)
    assert min(options[1:]) >= peak(made) / 4
    assert len(set(labels)) == len(labels)
    assert labels[0] == "none"
    assert labels[-1].endswith(": peak")
    move(made, budget=peak(made))
    assert "within the budget" in made.status
    move(made, budget=12345)
    assert made.settings.budget == 12345, "what is no step can be asked for, too"
    made.close()


def test_controls_speak_plain_words(explorer: Explorer, tiles: TileExplorer) -> None:
    for made in (explorer, tiles):
        for control in made._panel._controls.values():
            options = getattr(control, "options", ())
            labels = [each if isinstance(each, str) else each[0] for each in options]
            for text in (control.description, *labels):
                assert not re.search(r"_|: any|[a-z][A-Z][a-z]|Optimize|Longuest", str(text)), text
    assert all(choice.words for choice in (*SchedulingPolicy, *OptimizeStrategy))


def test_no_control_is_wider_than_a_narrow_cell(explorer: Explorer, tiles: TileExplorer) -> None:
    for view in (explorer, tiles):
        controls = view._panel._controls.values()
        assert {control.layout.max_width for control in controls} == {"100%"}


def test_what_is_said_has_one_height(explorer: Explorer, tiles: TileExplorer) -> None:
    for made in (explorer, tiles):
        layout = made._panel.parts[-1].layout
        assert layout.height.endswith("px")
        assert layout.overflow == "auto"
        assert made.bench._steady


def test_a_layout_stays_while_only_the_plan_changes(explorer: Explorer) -> None:
    explorer.settings = Settings(stripes=4)
    drawn = explorer.bench.scene
    explorer.settings = Settings(stripes=4, in_place=False)
    assert explorer.bench.scene.graph is drawn.graph
    assert explorer.bench.scene.memory != drawn.memory
    explorer.settings = Settings(stripes=2)
    assert explorer.bench.scene.graph is not drawn.graph
    fresh = explore(network())
    fresh.settings = Settings(stripes=2)
    assert fresh.bench.scene == explorer.bench.scene, "what was planned before changes nothing"
    fresh.close()


@pytest.mark.parametrize("stripes", [1, 4])
def test_a_graph_that_was_changed_meanwhile_is_drawn_as_it_is_now(stripes: int) -> None:
    view = network()
    made = explore(view)
    made.settings = Settings(stripes=stripes)
    view.reset_dims()
    view.forward_dims([[1, 3, 64, 64]])
    made.settings = Settings(stripes=stripes, in_place=False)
    graph = made.bench.scene.graph
    assert graph is not None
    assert any(edge.label == "1×3×64×64" for edge in graph.edges)
    made.close()


def test_tiling_leaves_the_graph_and_its_weights_alone(explorer: Explorer) -> None:
    before = explorer._exploration.view.snapshot()
    weights = explorer._exploration.view.get_node("conv0").get_operator().get_input(1)
    explorer.settings = Settings(stripes=4)
    assert explorer._exploration.view.snapshot() == before
    assert explorer._exploration._made is not None
    tiled = explorer._exploration._made.view.get_node("conv0_0").get_operator().get_input(1)
    assert tiled is weights, "weights are shared, and not copied"


def test_views_with_controls_have_picture_text_and_forms(
    explorer: Explorer, tiles: TileExplorer
) -> None:
    for made in (explorer, tiles):
        bundle, _ = made._repr_mimebundle_()
        assert sorted(bundle) == [
            "application/vnd.aidge-nb.view+json",
            "application/vnd.jupyter.widget-view+json",
            "image/png",
            "image/svg+xml",
            "text/plain",
        ]
        name = type(made).__name__
        assert bundle["text/plain"] == repr(made) == repr(made.bench).replace("Workbench", name)
        assert made.to_csv() == made.bench.to_csv()
        assert made.scene is made.bench.scene


def test_the_collector_of_garbage_is_on_again(explorer: Explorer) -> None:
    explorer._panel["stripes"].max = 64
    for stripes in (4, 64):
        explorer.settings = Settings(stripes=stripes)
        assert gc.isenabled()


def test_what_is_not_possible_is_said_and_the_view_stays(explorer: Explorer) -> None:
    before = explorer.bench.scene
    explorer._panel["stripes"].max = 64
    explorer.settings = Settings(stripes=64)
    assert explorer.status.startswith("<b>Not possible:</b>")
    assert explorer.bench.scene is before


@pytest.mark.parametrize("has_target", [False, True])
def test_no_choice_is_a_riddle(has_target: bool) -> None:
    conv = aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")
    view = aidge_nb.sequential([conv])
    view.forward_dims([[1, 3, 66, 66]])
    target = hardware.target("quad_cluster") if has_target else None
    for made in (explore(network()), explore_tiling(view, [conv], target)):
        for control in made._panel._controls.values():
            labels = [label for label, _ in getattr(control, "options", ())]
            for words in (control.description, *labels):
                assert not re.search(r"_|0:|cache", str(words)), words
        made.close()


def test_a_question_is_not_answered_by_the_findings() -> None:
    view = network()
    asked = explore(view, task=course.reach("Reach 8 KiB.", view, 8192))
    assert [card.kind for card in asked.bench.scene.findings] == ["peak", "layout"]
    asked.close()


def test_a_budget_is_a_line_in_the_memory_panel(explorer: Explorer) -> None:
    explorer.settings = Settings(budget=peak(explorer) // 2)
    memory = explorer.scene.memory
    assert memory is not None
    assert memory.budget == peak(explorer) // 2
    assert f"budget {size_text(memory.budget)}, " in explorer.to_svg("memory")
    assert "too much" in explorer.to_svg("memory")
    explorer.settings = Settings()
    assert "budget" not in explorer.to_svg("memory")


def test_what_is_covered_is_not_told_by_the_controls(explorer: Explorer) -> None:
    explorer.settings = Settings(stripes=4)
    told = explorer.status
    assert size_text(peak(explorer)) in told
    explorer.bench.covered = True
    assert explorer.status.startswith("planned in")
    assert explorer._panel["budget"].layout.visibility == "hidden", "it names peak and bound"
    explorer.settings = Settings(stripes=8)
    assert explorer.status.startswith("planned in")
    explorer.bench.covered = False
    assert size_text(peak(explorer)) in explorer.status
    assert explorer._panel["budget"].layout.visibility == "visible"


def test_one_that_opens_covered_tells_nothing() -> None:
    made = explore(network(), covered=True)
    made.settings = Settings(policy="MinimumMemory")
    assert made.status.startswith("planned in")
    made.close()


def test_the_front_end_is_one_for_all_views() -> None:
    one, other = explore(network()), explore(network())
    assert one.bench._front is other.bench._front
    assert len(one.bench._esm) < 1000
    one.close()
    other.close()


def test_a_closed_front_end_is_made_anew() -> None:
    first = front_end()
    first.close()
    second = front_end()
    assert second is not first
    assert isinstance(second, FrontEnd)
    assert gzip.decompress(base64.b64decode(second.source)) == BUNDLE.read_bytes()
    assert len(second.source) < 156_000, "a saved notebook holds it"
