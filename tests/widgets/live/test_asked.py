"""Views that take a task: what their controls or picks say is met with feedback."""

from __future__ import annotations

from typing import Any

import pytest

from aidge_nb import course, static_schedule
from aidge_nb.course import graphs
from aidge_nb.widgets import cp_debugger, explore, query_bench, show
from aidge_nb.widgets.exploration import Settings
from aidge_nb.widgets.live.controls import Explorer
from aidge_nb.widgets.live.tile_controls import TileExplorer, TileSettings


def reach(**options: Any) -> course.ReachQuestion:
    hints = ["Look at the order.", "Which policy looks at bytes?"]
    return course.reach("Reach it.", graphs.two_branches(), 2688, hints=hints, **options)


def click(explorer: Explorer, word: str) -> None:
    """Click a button of the line of the question."""
    line = explorer.children[0]
    next(each for each in line.children if each.description == word).click()


def test_the_controls_of_an_explorer_answer() -> None:
    task = reach(why="One branch is finished first.")
    explorer = explore(task.view, task=task)
    assert "Reach it." in explorer.children[0].children[0].value
    explorer.settings = Settings(width=2)
    assert "→ 4,096 bytes: 1,408 too many. What runs at once is alive at once." in explorer.status
    explorer.settings = Settings(policy="MinimumMemory")
    assert "✓ 2,688 bytes. One branch is finished first." in explorer.status
    assert (task.tries, task.best) == (2, 1.0)
    explorer.close()


def test_hints_come_in_steps_and_the_solution_after_a_try() -> None:
    task = reach()
    explorer = task.widget()
    assert isinstance(explorer, Explorer)
    for wanted in ("Look at the order.", "Which policy looks at bytes?"):
        click(explorer, "hint")
        assert explorer.status == wanted
    click(explorer, "show me")
    assert "Give an answer first" in explorer.status
    explorer.settings = Settings(policy="LonguestBranchFirst")
    assert "Length is time. Here bytes count." in explorer.status
    click(explorer, "show me")
    assert "✓" in explorer.status
    assert task.check(explorer.settings).correct
    explorer.close()


def test_a_covered_explorer_does_not_say_what_was_found() -> None:
    explorer = explore(graphs.two_branches(), task=reach(), covered=True)
    explorer.settings = Settings(width=2)
    assert "4,096" not in explorer.status
    explorer.bench.covered = False
    assert "4,096" in explorer.status
    explorer.close()


@pytest.mark.parametrize("answer", [3, "Settings()", None, Settings(strategy="nobody")])
def test_odd_settings_are_answered(answer: Any) -> None:
    assert not reach().check(answer).correct


def test_what_cannot_be_reached_is_said() -> None:
    task = course.reach("Reach it.", graphs.two_branches(), 1)
    task.check(Settings())
    assert task.solution().text == "No settings are known that reach it."
    explorer = task.widget()
    click(explorer, "show me")
    assert "No settings are known" in explorer.status
    explorer.close()


def test_picks_in_the_debugger_answer() -> None:
    task = course.pick("Who is next?", ["a", "b"], ["a"], many=False, hints=["Count."])
    bench = cp_debugger(graphs.rates(6, (2, 1), (3, 1)), tick=1, task=task)
    assert (bench.question, bench.tick) == ("Who is next?", 1)
    for name, says in (("b", "b is not one of them."), ("a", "Yes: a.")):
        bench.answer = [name]
        bench.answers += 1
        assert bench.feedback == says
    bench.close()


def test_a_saved_view_that_asks_does_not_answer() -> None:
    """Neither by a count of the firings without slack, nor by the schedule of the debugger."""
    asked = course.pick("Which reads both?", ["quick", "join"], ["join"])
    view = show(static_schedule(graphs.fork()), panels=["timeline"], clock="step")
    assert "without slack 4" in repr(view)
    said, _ = course.pick_in(asked, view)._repr_mimebundle_()
    assert "firings 5" in said["text/plain"]
    assert "slack" not in said["text/plain"] + said["image/svg+xml"]
    small, who = graphs.rates(6, (2, 1), (3, 1)), course.pick("Who is next?", ["a", "b"], ["a"])
    drawn = [
        bench._repr_mimebundle_()[0]["image/svg+xml"]
        for bench in (cp_debugger(small, tick=1), cp_debugger(small, tick=1, task=who))
    ]
    assert [">step<" in svg for svg in drawn] == [True, False]


def test_the_sliders_of_a_tile_explorer_answer() -> None:
    view = graphs.stripes()
    nodes = [view.get_node(name) for name in ("conv0", "conv1", "pool")]
    task = course.cut("Reach it.", view, nodes, 1800)
    explorer = task.widget()
    assert isinstance(explorer, TileExplorer)
    for settings, says in (
        (TileSettings(rows=2), "→ The peak is 2,560 bytes, for 6.2% more MACs. 1,800 bytes are"),
        (TileSettings(rows=4), "→ The peak is 1,664 bytes, for 18.8% more MACs. It fits"),
        (TileSettings(rows=4, halo="cache"), "✓ The peak is 1,792 bytes, for 0.0% more MACs."),
    ):
        explorer.settings = settings
        assert says in explorer.status
    assert (task.tries, task.best, task.solution().value) == (3, 1.0, explorer.settings)
    explorer.close()


def test_a_query_answers() -> None:
    task = course.query("Find relu with tanh.", graphs.gated(), "ReLU~>Tanh")
    bench = query_bench(graphs.gated(), task=task)
    assert (bench.question, bench.feedback) == (task.text, "Type a query into the search box.")
    for query, says in (
        ("ReLU->Tanh", "→ 0 matches"),
        ("ReLU~>", "→ 0"),
        ("ReLU~>Tanh", "✓ 1 match"),
    ):
        bench.query = query
        assert bench.feedback.startswith(says)
    bench.close()
