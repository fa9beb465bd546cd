"""Controls that plan anew: what they say is what is planned."""

import base64
import gc
import gzip
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

import aidge_nb
from aidge_nb import course, hardware
from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph.view import GraphView
from aidge_nb.memory.aidge.optimize import OptimizeStrategy
from aidge_nb.runtime import SequentialScheduler
from aidge_nb.scheduling import SchedulingPolicy, static_schedule
from aidge_nb.widgets import explore, explore_tiling
from aidge_nb.widgets.exploration import POLICIES as POLICIES_IN_WORDS
from aidge_nb.widgets.exploration import STRATEGIES, Settings
from aidge_nb.widgets.live.controls import Explorer
from aidge_nb.widgets.live.front import FrontEnd, front_end
from aidge_nb.widgets.live.tile_controls import TileExplorer, TileSettings
from aidge_nb.widgets.live.width import limit_width
from aidge_nb.widgets.still.html import BUNDLE
from aidge_nb.widgets.text import size_text
from tests.widgets.models import repeated


def network() -> GraphView:
    convs = [
        aidge_nb.PaddedConv2D(3 if n == 0 else 8, 8, [3, 3], f"conv{n}", None, [1, 1, 1, 1])
        for n in range(3)
    ]
    view = aidge_nb.sequential([*convs, aidge_nb.MaxPooling2D([4, 4], "pool", [4, 4])])
    view.forward_dims([[1, 3, 32, 32]])
    return view


@pytest.fixture
def explorer() -> Iterator[Explorer]:
    made = explore(network())
    yield made
    made.close()


def peak(explorer: Explorer) -> int:
    memory = explorer.bench.scene.memory
    assert memory is not None
    return memory.peak


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


def test_in_place_saves_memory() -> None:
    model = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.ReLU(name="b")])
    model.forward_dims([[1, 64]])
    made = explore(model)
    inside = peak(made)
    made.settings = Settings(in_place=False)
    assert peak(made) == 2 * inside
    made.close()


def test_width_limits_what_runs_at_once(explorer: Explorer) -> None:
    explorer.settings = Settings(width=1)
    timeline = explorer.bench.scene.timeline
    assert timeline is not None
    work = [
        early
        for row, early in zip(timeline.row, timeline.early, strict=True)
        if not timeline.rows[row].producer
    ]
    assert len(set(work)) == len(work)


POLICIES = [policy.name for policy in SchedulingPolicy if policy.name != "Default"]


def forked(width: int = 3) -> GraphView:
    """Make a fork of chains of different lengths, and sizes, that join again."""
    first, join = aidge_nb.FC(64, 64, name="first"), aidge_nb.Concat(width, 1, "join")
    for branch in range(width):
        before, out = first, 16 << branch
        for layer in range(1 + (branch + 1) % width):
            node = aidge_nb.FC(64 if layer == 0 else out, out, name=f"b{branch}_{layer}")
            before.add_child(node)
            before = node
        before.add_child(join, 0, branch)
    view = aidge_nb.get_connected_graph_view(first)
    view.forward_dims([[1, 64]])
    return view


@pytest.mark.parametrize("policy", POLICIES)
def test_the_schedule_shows_the_order_of_the_policy(policy: str) -> None:
    view = forked()
    made = explore(view)
    made.settings = Settings(policy=policy)
    scheduler = SequentialScheduler(view)
    scheduler.set_scheduling_policy(SchedulingPolicy[policy])
    scheduler.tag_fork_branches()
    scheduler.generate_scheduling()
    names = view.unique_names()
    wanted = [names[node] for node in scheduler.get_sequential_static_scheduling()]
    operators = {name for node, name in names.items() if node.type() != "Producer"}
    assert executed(made) == [name for name in wanted if name in operators]
    made.close()


def executed(explorer: Explorer) -> list[str]:
    """Name what runs at each tick."""
    scene = explorer.bench.scene
    assert scene.memory is not None
    return [scene.nodes[node].name for node in scene.memory.tick_node]


def test_policies_differ_in_the_order_that_they_show() -> None:
    made = explore(forked())
    orders = set()
    for policy in POLICIES:
        move(made, policy=policy)
        orders.add(tuple(executed(made)))
    assert len(orders) > 2
    made.close()


def move(explorer: Explorer, **changes: Any) -> None:
    explorer.settings = replace(explorer.settings, **changes)


@pytest.mark.parametrize("width", [1, 2, 3])
@pytest.mark.parametrize("policy", ["Default", "MinimumMemory"])
def test_so_many_at_once_are_planned_for(policy: str, width: int) -> None:
    view = forked()
    made = explore(view)
    made.settings = Settings(policy=policy, width=width)
    scene = made.bench.scene
    assert scene.timeline is not None
    assert scene.memory is not None
    of_row = [row.node for row in scene.timeline.rows]
    step_of = {
        scene.nodes[of_row[row]].name: int(early)
        for row, early in zip(scene.timeline.row, scene.timeline.early, strict=True)
        if not scene.timeline.rows[row].producer
    }
    steps = [step_of[name] for name in executed(made)]
    assert steps == sorted(steps), "the order runs step after step"
    assert max(steps.count(step) for step in steps) <= width
    # While a step runs, the results of all that run in it are there.
    memory = scene.memory
    for step in set(steps):
        ticks = [tick for tick, each in enumerate(steps) if each == step]
        for node in {memory.tick_node[tick] for tick in ticks}:
            own = [each for each, of in enumerate(memory.node) if of == node]
            assert any(
                memory.lower[each] <= ticks[0] and memory.upper[each] > ticks[-1] for each in own
            ), scene.nodes[node].name
    assert f"at most {width} at once: {scene.timeline.steps} steps" in made.status
    made.close()


def test_more_at_once_take_more_memory_in_fewer_steps() -> None:
    first, join = aidge_nb.FC(8, 8, name="first"), aidge_nb.Concat(4, 1, "join")
    for branch in range(4):
        wide = aidge_nb.FC(8, 512, name=f"wide{branch}")
        narrow = aidge_nb.FC(512, 8, name=f"narrow{branch}")
        first.add_child(wide)
        wide.add_child(narrow)
        narrow.add_child(join, 0, branch)
    view = aidge_nb.get_connected_graph_view(first)
    view.forward_dims([[1, 8]])
    made = explore(view)
    move(made, policy="MinimumMemory")
    peaks, steps = [], []
    for width in (1, 2, 4):
        move(made, width=width)
        peaks.append(peak(made))
        assert made.bench.scene.timeline is not None
        steps.append(made.bench.scene.timeline.steps)
    assert peaks[0] < peaks[1] < peaks[2]
    assert steps == sorted(steps, reverse=True)
    assert steps[0] > steps[-1]
    made.settings = Settings(width=2, strategy="None_")
    assert "Aidge&#x27;s planner plans for one at a time" in made.status
    made.close()


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
    for policy in SchedulingPolicy:
        assert POLICIES_IN_WORDS[policy]
    for strategy in OptimizeStrategy:
        assert STRATEGIES[strategy]


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


def test_a_width_below_one_is_refused() -> None:
    with pytest.raises(SchedulingError, match="no number of operators at once"):
        limit_width(static_schedule(network()), 0)
    with pytest.raises(SchedulingError, match="who feeds whom"):
        limit_width(repeated(2), 2)


@pytest.mark.parametrize("width", [1, 2, 3, 100])
def test_every_firing_keeps_its_place_behind_what_it_waits_for(width: int) -> None:
    branches = [aidge_nb.ReLU(name=f"b{n}") for n in range(5)]
    model = aidge_nb.sequential(
        [aidge_nb.Tanh(name="a"), aidge_nb.parallel(branches), aidge_nb.Concat(5, name="sum")]
    )
    schedule = static_schedule(model)
    limited = limit_width(schedule, width)
    steps = [firing.early for firing in limited.firings]
    for place, before in enumerate(schedule.waits_for):
        assert all(steps[other] < steps[place] for other in before)
    assert max(steps.count(step) for step in steps) <= width


@pytest.fixture
def tiles() -> Iterator[TileExplorer]:
    view = network()
    made = explore_tiling(view, [view.get_node(f"conv{n}") for n in range(3)])
    yield made
    made.close()


def test_sliders_tile_anew(tiles: TileExplorer) -> None:
    tiles.settings = TileSettings(rows=7, columns=2)
    assert tiles.tiling.grid == (7, 2)
    assert len(tiles.bench.scene.nodes) == 14
    assert tiles.bench.scene.panels == ("tiling", "graph", "charts", "table")
    tiles.settings = TileSettings(rows=4, columns=2, halo="cache")
    assert tiles.status.startswith("<b>Not possible:</b>")
    assert tiles.tiling.grid == (7, 2)


@pytest.mark.parametrize("batch", [1, 4])
@pytest.mark.parametrize("name", list(hardware.TARGETS))
def test_tiles_on_every_ready_target_open_with_what_can_be_mapped(name: str, batch: int) -> None:
    conv = aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")
    view = aidge_nb.sequential([conv])
    view.forward_dims([[batch, 3, 66, 66]])
    made = explore_tiling(view, [conv], hardware.target(name))
    if made.mapping is None:
        assert made.status.startswith("<b>Not possible:</b> ")
    else:
        assert made.settings.rows == made.tiling.grid[0]
        assert len(made.mapping.elements) == (4 if name == "quad_cluster" else 1)
    made.settings = replace(made.settings, rows=64)
    assert (made.mapping is None) == ("Not possible" in made.status)
    made.close()


def test_more_elements_than_may_share_cannot_be_asked_for() -> None:
    conv = aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")
    view = aidge_nb.sequential([conv])
    view.forward_dims([[1, 3, 66, 66]])
    made = explore_tiling(view, [conv], hardware.target("quad_cluster"))
    assert made.settings.elements == 4
    cycles = []
    for elements in (1, 2, 4):
        made.settings = replace(made.settings, rows=32, elements=elements)
        assert made.mapping is not None
        assert len(made.mapping.elements) == elements
        cycles.append(made.mapping.cycles)
    assert cycles == sorted(cycles, reverse=True)
    most = max(value for _, value in made._panel["budget"].options)
    assert 0 < most < 64 * 1024, "no element has more of its own"
    slow = replace(made.settings, bandwidth=1.0)
    made.settings = slow
    assert made.mapping is not None
    assert made.mapping.cycles > cycles[-1]
    made.settings = replace(slow, budget=8 * 1024)
    assert "at most 8192" in made.status
    made.close()


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


def test_each_move_says_what_to_do_from_there(explorer: Explorer) -> None:
    for settings in (
        Settings(),
        Settings(in_place=False),
        Settings(budget=2048),
        Settings(stripes=2),
    ):
        explorer.settings = settings
        cards = {card.title: card for card in explorer.bench.scene.findings}
        assert size_text(peak(explorer)) == cards["PEAK"].figure
        assert ("DOES NOT FIT" in cards) == bool(settings.budget)
        assert cards["DO THIS"].layout is not None
        assert cards["DO THIS"].layout.peak < peak(explorer)
    explorer.settings = Settings(width=2)
    assert all(card.kind != "change" for card in explorer.bench.scene.findings)


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
