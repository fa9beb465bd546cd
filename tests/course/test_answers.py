"""Questions accept right answers, name what is wrong with others, and open after a try."""

from __future__ import annotations

import random
import sys
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aidge_nb
from aidge_nb import course
from aidge_nb.core.errors import AidgeError, SchedulingError
from aidge_nb.course import generators, graphs
from aidge_nb.course.answers.firing_order import count_orders
from aidge_nb.course.answers.folding import unroll
from aidge_nb.course.covering import CoveredText
from aidge_nb.memory import Memory
from aidge_nb.widgets import workbench


def test_no_answer_is_no_try() -> None:
    asked = course.number("How many?", 3)
    assert not asked.check(None).correct
    assert asked.tries == 0
    assert asked.solution().value is None


def test_the_solution_opens_after_a_try() -> None:
    asked = course.number("How many?", 3, "steps", why="2 + 1")
    asked.check(7)
    assert (asked.solution().value, asked.solution().reason) == (3, "2 + 1")
    assert asked.check(3).reason == "2 + 1"
    assert asked.best == 1.0


def test_hints_come_in_steps() -> None:
    asked = course.number("How many?", 3, hints=["Look.", "Do.", "2 and …"])
    assert [asked.hint(number) for number in (1, 2, 3, 4)] == ["Look.", "Do.", "2 and …", "2 and …"]


# --- numbers ------------------------------------------------------------------------------------


@pytest.mark.parametrize("answer", [2048, "+2048", "2,048", "2 KiB", "2 kib", "2048 bytes", 2048.0])
def test_bytes_are_read_with_their_unit(answer: Any) -> None:
    assert course.number("How large?", 2048, "bytes").check(answer).correct


def test_the_right_number_of_another_unit_is_half_right() -> None:
    feedback = course.number("How large?", 2048, "bytes").check(2)
    assert (feedback.correct, feedback.score, feedback.idea) == (False, 0.5, "unit")
    assert feedback.right == ("the number",)


def test_a_known_wrong_number_has_its_sentence() -> None:
    asked = course.number("How many?", 1, near={2: "That is the late step."})
    assert asked.check(2).hint == "That is the late step."
    assert asked.check(5).hint == "Less."
    assert asked.check(-1).hint == "More."


def test_a_tolerance_and_percent() -> None:
    asked = course.number("How much?", 18.75, "%", within=0.1)
    assert asked.check("19 %").text == "19 %; exactly 18.75."
    assert not asked.check(25).correct


@pytest.mark.parametrize("answer", [True, "many", "", "1..2", [3], float("nan")])
def test_what_is_no_number_is_not_understood(answer: Any) -> None:
    assert "has not the form" in course.number("How many?", 3).check(answer).text


# --- choices and picks --------------------------------------------------------------------------


def test_each_option_has_its_sentence() -> None:
    asked = course.choose("Which?", {"a": "It waits.", "b": "It runs."}, lambda: "a")
    assert asked.check("a").text == "It waits."
    wrong = asked.check("b")
    assert (wrong.hint, wrong.idea) == ("It runs.", "b")
    assert "has not the form" in asked.check("c").text


def test_picks_are_compared_as_sets() -> None:
    asked = course.pick("Which?", "abcd", ["a", "b"], because=lambda name: f"{name} has slack.")
    assert asked.check(("b", "a", "b")).correct
    half = asked.check(["a"])
    assert (half.right, half.text, half.score) == (("a",), "1 more is to be found.", 0.5)
    wrong = asked.check(["a", "c"])
    assert (wrong.text, wrong.hint) == ("c is not one of them.", "c has slack.")
    assert asked.check("z").hint == "They are a, b, c, d."
    assert "has not the form" in asked.check(3).text


# --- orders -------------------------------------------------------------------------------------


def test_all_orders_that_can_run_are_accepted() -> None:
    asked = course.order("Which?", graphs.fork())
    right = asked.check("split, slow_1, quick, slow_2, join")
    assert right.text == "It runs: yours is one of 3 orders."
    assert count_orders(graphs.fork(), asked.items) == 3
    assert asked.check(["split", "quick"]).text == "It runs as far as it goes: 2 of 5 firings."


@pytest.mark.parametrize("seed", range(5))
def test_a_reader_before_its_source_is_found(seed: int) -> None:
    view = generators.fork(seed)
    asked = course.order("Which?", view)
    order = [name for name in aidge_nb.static_schedule(view).order if name in asked.items]
    assert asked.check(order).correct
    place = random.Random(seed).randrange(len(order) - 1)
    reader = order.pop()
    order.insert(place, reader)
    assert asked.check(order).text.startswith(f"{reader} cannot run")


def test_the_cost_of_an_order() -> None:
    asked = course.order("Which?", graphs.two_branches(), "peak")
    half = asked.check("split grow_a grow_b shrink_a shrink_b")
    assert half.text == "It runs, with 4,096 bytes; 2,688 are possible."
    assert "at tick 2, while grow_b runs" in half.hint
    assert half.score == pytest.approx(2688 / 4096)
    assert asked.check("split grow_a shrink_a grow_b shrink_b").correct
    assert max(asked.shown("split grow_a grow_b shrink_a shrink_b")["bars"]) == 4096
    assert asked.shown("join") == {}
    assert asked.solution().value == ["split", "grow_a", "shrink_a", "grow_b", "shrink_b"]


def test_firings_need_their_amounts() -> None:
    asked = course.order("Who fires?", graphs.rates(6, (2, 1), (3, 1)))
    assert asked.check("a a a b").correct
    assert asked.check("a b").hint == "It takes 3 from a, and 1 are there."
    assert asked.check("a a a a b").text == "a cannot run after a."
    assert asked.check("a c").text == "There is nothing called 'c' to run."
    assert "has not the form" in asked.check(3).text


# --- bars ---------------------------------------------------------------------------------------

EARLY = {"split": 0, "slow_1": 1, "quick": 1, "slow_2": 2, "join": 3}
LATE = {**EARLY, "quick": 2}


@pytest.mark.parametrize(("ask", "wanted"), [("early", EARLY), ("late", LATE)])
@pytest.mark.parametrize("name", EARLY)
@pytest.mark.parametrize("shift", [-1, 1])
def test_any_wrong_bar_is_found(ask: str, wanted: dict[str, int], name: str, shift: int) -> None:
    asked = course.drag_bars("When?", graphs.fork(), ask)
    assert asked.check(wanted).correct
    feedback = asked.check({**wanted, name: wanted[name] + shift})
    assert feedback.score == 4 / 5
    assert feedback.hint.startswith(f"{name}: its {ask} step is not")
    assert (set(feedback.right), feedback.idea) == (set(EARLY) - {name}, ask)


def test_the_later_input_decides() -> None:
    asked = course.drag_bars("When?", graphs.fork(), "early")
    assert "the later one decides" in asked.check({**EARLY, "join": 2}).hint
    late = course.drag_bars("When?", graphs.two_ends(), "late")
    hint = late.check({"split": 0, "slow_1": 1, "slow_2": 2, "quick": 1}).hint
    assert "Nothing reads it: when does the last node of all run?" in hint


def test_live_ranges_count_both_ends() -> None:
    asked = course.drag_bars("Alive?", graphs.five_layers(), "ticks")
    wanted = {"conv": (0, 1), "relu": (1, 2), "pool": (2, 3), "flatten": (3, 4), "fc": (4, 4)}
    assert asked.check(wanted).correct
    assert "both ends count" in asked.check({**wanted, "conv": (0, 0)}).hint
    assert "until its last reader" in asked.check({**wanted, "conv": (0, 4)}).hint
    assert "that writes it" in asked.check({**wanted, "relu": (0, 2)}).hint
    assert asked.solution().text == "conv 0–1, relu 1–2, pool 2–3, flatten 3–4, fc 4"


def test_bars_of_another_form() -> None:
    asked = course.drag_bars("When?", graphs.fork(), "both")
    assert "has not the form" in asked.check([1]).text
    assert asked.check({"nobody": (0, 0)}).text == "There is no bar 'nobody'."
    assert asked.check({"split": 0}).hint == "split: give two numbers."
    with pytest.raises(ValueError, match="ask must be one of early, late, both, ticks"):
        course.drag_bars("When?", graphs.fork(), "soon")


def test_some_bars_alone_can_be_asked_for_on_the_whole_ruler() -> None:
    asked = course.drag_bars("Alive?", graphs.five_layers(), "ticks", only=["relu", "conv"])
    assert asked.config["names"] == ["relu", "conv"]
    assert asked.config["length"] == 5
    assert asked.check({"relu": (1, 2), "conv": (0, 1)}).correct
    assert asked.check({"relu": (1, 2), "conv": (0, 0)}).right == ("relu",)
    with pytest.raises(ValueError, match="there is no bar 'norm'"):
        course.drag_bars("Alive?", graphs.five_layers(), "ticks", only=["norm"])


# --- folding ------------------------------------------------------------------------------------

NESTS = st.recursive(
    st.sampled_from(["a", "b", "c"]),
    lambda inner: st.tuples(st.integers(0, 4), st.lists(inner, min_size=1, max_size=3)),
    max_leaves=6,
)


@given(st.lists(NESTS, min_size=1, max_size=4))
def test_unrolling_is_counting(nests: list[Any]) -> None:
    def text(nest: Any) -> str:
        return nest if isinstance(nest, str) else f"{nest[0]}×({' '.join(map(text, nest[1]))})"

    def flat(nest: Any) -> list[str]:
        if isinstance(nest, str):
            return [nest]
        return [name for each in nest[1] for name in flat(each)] * int(nest[0])

    wanted = [name for nest in nests for name in flat(nest)]
    assert list(unroll(" ".join(map(text, nests)))) == wanted


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("2×a", "needs a bracket"),
        ("a 2×", "stands before nothing"),
        ("a)", "was not opened"),
        ("(a", "left open"),
        ("a + b", "cannot be read"),
        ("1000000×(a)", "more than 100,000"),
    ],
)
def test_texts_that_cannot_be_read(text: str, message: str) -> None:
    with pytest.raises(SchedulingError, match=message):
        unroll(text)
    schedule = aidge_nb.static_schedule(graphs.rates(6, (2, 1), (3, 1)))
    assert message in course.fold("Fold it.", schedule).check(text).hint


def test_whatever_unrolls_to_the_same_is_right() -> None:
    schedule = aidge_nb.static_schedule(graphs.rates(48, (3, 2), (4, 1)))
    asked = course.fold("Fold it.", schedule)
    for text in ("source 8×(2×(a) b)", "8*(2x(a) b)", "source " + "a a b " * 8):
        assert asked.check(text).correct
    assert "A shorter text is possible" in asked.check("source 8×(a a b) 0×(b)").text
    assert asked.check("source 9×(2×(a) b)").hint == "Which count is too large?"
    assert asked.check("source 8×(a b)").right == ("the first 2 firings",)


# --- queries ------------------------------------------------------------------------------------

DIAMOND = "ReLU#1~>Tanh->Mul#1;ReLU#1~>Sigmoid-1>Mul#1"


@pytest.mark.parametrize(
    ("answer", "score", "hint", "idea"),
    [
        ("ReLU->Tanh->Mul", 0.0, "It does not match", "match"),
        ("ReLU~>Tanh->Mul", 0.675, "It matches a part of a group: gate is missing", "match"),
        (DIAMOND + "->ReLU", 0.72, "It matches first, which is in no group", "match"),
        ("ReLU->>Tanh", 0.0, "ReLU->>Tanh", "syntax"),
    ],
)
def test_queries_are_judged_by_what_they_match(
    answer: str, score: float, hint: str, idea: str
) -> None:
    feedback = course.query("Find the diamond.", graphs.gated(), DIAMOND).check(answer)
    assert (feedback.correct, feedback.idea) == (False, idea)
    assert feedback.score == pytest.approx(score)
    assert hint in feedback.hint


def test_another_query_with_the_same_matches_is_right() -> None:
    asked = course.query("Find the diamond.", graphs.gated(), DIAMOND)
    assert asked.check("Mul#1<-Tanh<~ReLU#1;Mul#1<1-Sigmoid<~ReLU#1").correct
    assert "has not the form" in asked.check(3).text
    assert asked.solution().value == DIAMOND


# --- in views -----------------------------------------------------------------------------------


def test_a_view_is_covered_until_the_first_answer() -> None:
    view = workbench(graphs.fork())
    asked = course.predict(course.number("How many?", 5), view)
    assert view.covered
    assert "image/svg+xml" in asked._repr_mimebundle_()[0]
    assert asked.check(4).hint == "More."
    assert not view.covered


def test_only_questions_cover_views() -> None:
    with pytest.raises(AidgeError, match="no question"):
        course.predict(3, workbench(graphs.fork()))  # type: ignore[arg-type]


def test_picked_nodes_of_a_view_are_the_answer() -> None:
    asked = course.pick("Which two?", ["a", "quick", "join"], ["quick", "join"], hints=["Look."])
    view = workbench(graphs.fork())
    assert course.pick_in(asked, view) is view
    assert (view.question, view.many) == ("Which two?", True)
    for names, says in (
        (["quick"], "Right: quick. 1 more is to be found. Look."),
        (["split"], "'split' cannot be picked. They are a, quick, join."),
        (["quick"], "Right: quick. 1 more is to be found. It is quick, join."),
        (["quick", "join"], "Yes: quick, join."),
    ):
        view.answer = names
        view.answers += 1
        assert view.feedback == says


def test_the_buffers_of_a_plan_are_placed() -> None:
    view = graphs.second_reader()
    plan = aidge_nb.plan_memory(view, aidge_nb.static_schedule(view), in_place=False)
    asked = course.place_blocks(plan)
    assert asked.best.peak == plan.peak == 1728
    assert asked.check({buffer.name: buffer.offset for buffer in plan.buffers}).correct
    assert course.place_blocks({"a": (0, 1, 2)}).best.peak == 2


def test_what_is_covered_is_text_for_browsers_and_terminals(
    capsys: pytest.CaptureFixture[str],
) -> None:
    with course.covered():
        sys.stdout.write("1 < 2")
    assert capsys.readouterr().out == "1 < 2\n"
    html = CoveredText("1 < 2", "Open me.")._repr_html_()
    assert html == "<details><summary>Open me.</summary><pre>1 &lt; 2</pre></details>"


def test_the_best_of_two_memories_is_what_the_planner_finds() -> None:
    five = graphs.five_layers()
    memories = [Memory("fast", 200, 0), Memory("slow", 4096, 1)]
    spread = aidge_nb.plan_memory(five, aidge_nb.static_schedule(five), memories=memories)
    exercise = course.place_blocks(spread, fast=200)
    best = dict(zip(exercise.blocks, exercise.best.offsets, strict=True))
    fast = {each.name for each in spread.buffers if spread.memory_of(each) == "fast"}
    assert {name for name, offset in best.items() if offset < 200} == fast & best.keys()
    assert exercise.check(best).correct
    all_slow = exercise.check({name: 200 + 576 * n for n, name in enumerate(best)})
    assert 0 < all_slow.score < 1
