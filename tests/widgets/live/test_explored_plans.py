"""What comes of a setting: the order, the plan, what runs at once, and what to do from there."""

from typing import Any

import pytest

import aidge_nb
from aidge_nb.advice import joint
from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph.view import GraphView
from aidge_nb.memory import joint as planned_jointly
from aidge_nb.runtime import SequentialScheduler
from aidge_nb.scheduling import SchedulingPolicy, static_schedule
from aidge_nb.widgets import explore
from aidge_nb.widgets.exploration import Settings
from aidge_nb.widgets.live.controls import Explorer
from aidge_nb.widgets.live.width import limit_width
from aidge_nb.widgets.text import size_text
from tests.widgets.explored import move, network, peak
from tests.widgets.models import repeated


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


MOVES = [
    Settings(in_place=False),
    Settings(policy="MinimumMemory"),
    Settings(strategy="OptimizeMaxLifetimeMaxSizeFirst"),
    Settings(budget=4096),
    Settings(stripes=4),
    Settings(),
]


def test_advice_that_was_planned_for_is_what_a_fresh_view_says(explorer: Explorer) -> None:
    for settings in (*MOVES, *MOVES):
        explorer.settings = settings
        fresh = explore(network())
        fresh.settings = settings
        assert explorer.bench.scene.findings == fresh.bench.scene.findings
        fresh.close()


def test_a_move_back_plans_no_advice_anew(
    explorer: Explorer, monkeypatch: pytest.MonkeyPatch
) -> None:
    for settings in MOVES:
        explorer.settings = settings
    calls: list[str] = []
    places = dict.fromkeys(("plan_memory", "clone_view", "check_plan"), joint)
    for called, place in {**places, "plan_jointly": planned_jointly}.items():
        real = getattr(place, called)

        def counted(*args: Any, real: Any = real, called: str = called, **kwargs: Any) -> Any:
            calls.append(called)
            return real(*args, **kwargs)

        monkeypatch.setattr(place, called, counted)
    for settings in MOVES:
        if settings.stripes == 1:
            explorer.settings = settings
            assert any(card.kind == "change" for card in explorer.bench.scene.findings)
    assert calls == []
    explorer._exploration.view.reset_dims()
    explorer._exploration.view.forward_dims([[1, 3, 64, 64]])
    explorer.settings = Settings(in_place=False)
    assert "plan_memory" in calls, "nothing of the graph as it was is used for another one"
