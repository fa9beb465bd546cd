"""Questions of the course in a real browser: right, half right and wrong answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, Literal

import pytest
from playwright.sync_api import Browser, expect

import aidge_nb
from aidge_nb import course
from aidge_nb.course import graphs
from tests.widgets.browser.desk import Desk
from tests.widgets.browser.test_panels import AXE


def slack() -> course.NumberQuestion:
    schedule = aidge_nb.static_schedule(graphs.fork())
    return course.number(
        "How many steps may quick wait without delaying the end?",
        lambda: schedule.slack("quick"),
        "steps",
        near={2: "2 is its late step. From which step does it wait?"},
        hints=["Look at join: which of its inputs comes later?", "join runs at step 3."],
        why="late 2 − early 1 = 1",
    )


def stripe() -> course.RowsQuestion:
    view = graphs.stripes()
    nodes = [view.get_node(name) for name in ("conv0", "conv1", "pool")]
    tiling = aidge_nb.plan_tiling(view, nodes, {2: 4})
    return course.rows("Which rows does stripe 2 need?", view, tiling, 2, why="One more each.")


def waiting() -> course.PickQuestion:
    schedule = aidge_nb.static_schedule(graphs.fork())
    return course.pick(
        "Which operators may not wait at all?",
        ["split", "quick", "slow_1", "slow_2", "join"],
        lambda: [name for name in schedule.order if schedule.slack(name) == 0],
        because=lambda name: f"{name} has {schedule.slack(name)} step of slack.",
    )


QUESTIONS: dict[str, Callable[[], course.Question]] = {
    "number": slack,
    "choose": lambda: course.choose(
        "Which branch first?",
        {"a": "It gives most back.", "b": "Compare climb and rest."},
        "a",
    ),
    "pick": waiting,
    "order": lambda: course.order("In which order?", graphs.two_branches(), "peak"),
    "firings": lambda: course.order("Who fires when?", graphs.rates(6, (2, 1), (3, 1))),
    "early": lambda: course.drag_bars("When can each begin?", graphs.fork(), "early"),
    "both": lambda: course.drag_bars("From when until when?", graphs.fork(), "both"),
    "rows": stripe,
    "fold": lambda: course.fold(
        "Write the 25 firings shorter.",
        aidge_nb.static_schedule(graphs.rates(48, (3, 2), (4, 1))),
    ),
}


Open = Callable[..., Desk]


@pytest.fixture
def desk(browser: Browser) -> Iterator[Open]:
    opened: list[Desk] = []

    def open_one(name: str, **context: Any) -> Desk:
        opened.append(Desk(browser, QUESTIONS[name](), **context))
        return opened[-1]

    yield open_one
    for each in opened:
        assert each.complaints == []
        each.page.close()


def test_a_number_is_typed(desk: Open) -> None:
    at = desk("number")
    field = at.page.get_by_role("textbox")
    expect(at.page.get_by_role("button", name="show me")).to_be_hidden()
    at.check()
    at.says("There is no answer yet")
    field.fill("2")
    field.press("Enter")
    at.says("2 is its late step")
    expect(at.page.get_by_role("button", name="show me")).to_be_visible()
    field.press("ArrowDown")
    field.press("Enter")
    at.says("1 step.")
    at.says("late 2 − early 1 = 1")
    assert at.sheet.feedback.correct
    assert at.sheet.answer == "1"


def test_hints_come_one_by_one_and_the_solution_after_a_try(desk: Open) -> None:
    at = desk("number")
    hint, hints = at.page.get_by_role("button", name="hint"), at.page.locator(".anc-hints li")
    hint.click()
    expect(hints).to_have_count(1)
    hint.click()
    expect(hints).to_have_count(2)
    expect(hint).to_be_hidden()
    at.page.get_by_role("textbox").fill("7")
    at.check()
    at.says("7 steps is not it")
    at.page.get_by_role("button", name="show me").click()
    expect(at.page.locator(".anc-shown")).to_contain_text("1 step")
    at.page.get_by_role("button", name="set it").click()
    expect(at.page.get_by_role("textbox")).to_have_value("1")


def test_an_option_is_chosen_by_its_number(desk: Open) -> None:
    at = desk("choose")
    at.page.get_by_role("radio").first.focus()
    at.page.keyboard.press("2")
    at.page.keyboard.press("Enter")
    at.says("Compare climb and rest")
    at.page.keyboard.press("1")
    at.page.keyboard.press("Enter")
    at.says("It gives most back")
    assert at.sheet.feedback.correct


def test_names_are_picked(desk: Open) -> None:
    at = desk("pick")
    for name in ("split", "join"):
        at.page.get_by_label(name).check()
    at.check()
    at.says("Right: split, join.")
    at.says("2 more are to be found")
    at.page.get_by_label("quick").check()
    at.check()
    at.says("quick has 1 step of slack")
    at.page.get_by_label("quick").uncheck()
    for name in ("slow_1", "slow_2"):
        at.page.get_by_label(name).check()
    at.check()
    at.says("Yes:")
    assert at.sheet.feedback.correct


def chips(at: Desk) -> list[str]:
    found: list[str] = at.page.locator(".anc-chip").evaluate_all(
        "chips => chips.map(chip => chip.dataset.name)"
    )
    return found


def test_chips_are_moved_by_keys_and_dragged(desk: Open) -> None:
    at = desk("order")
    assert chips(at) == ["grow_a", "grow_b", "shrink_a", "shrink_b", "split"]
    at.check()
    at.says("grow_a cannot run first")
    at.says("It reads split, which stands later")
    at.page.locator("[data-name=split]").focus()
    for _ in range(4):
        at.page.keyboard.press("ArrowLeft")
    assert chips(at) == ["split", "grow_a", "grow_b", "shrink_a", "shrink_b"]
    at.check()
    at.says("It runs, with 4,096 bytes; 2,688 are possible")
    expect(at.page.locator(".anc-chart li")).to_have_count(5)
    expect(at.page.locator(".anc-chart [data-peak]")).to_contain_text("4,096")
    at.page.locator("[data-name=shrink_a]").hover()
    at.page.mouse.down()
    at.page.locator("[data-name=grow_b]").hover()
    at.page.mouse.up()
    assert chips(at) == ["split", "grow_a", "shrink_a", "grow_b", "shrink_b"]
    at.check()
    at.says("2,688 bytes, and no order needs less")
    assert at.sheet.feedback.correct


def test_firings_are_added_and_taken_away(desk: Open) -> None:
    at = desk("firings")
    add = {name: at.page.get_by_role("button", name=f"+ {name}") for name in "ab"}
    for name in "aab":
        add[name].click()
    at.check()
    at.says("b cannot run after a")
    at.says("It takes 3 from a, and 2 are there")
    at.page.locator(".anc-chip").last.focus()
    at.page.keyboard.press("Backspace")
    at.check()
    at.says("It runs as far as it goes: 2 of 4 firings")
    add["a"].click()
    add["b"].click()
    at.check()
    at.says("4 firings, each with what it takes")
    assert at.sheet.answer == ["a", "a", "a", "b"]


def test_bars_are_moved_by_keys(desk: Open) -> None:
    at = desk("early")
    for name, times in (("slow_1", 1), ("quick", 1), ("join", 3)):
        at.page.get_by_role("slider", name=f"{name}: early").focus()
        for _ in range(times):
            at.page.keyboard.press("ArrowRight")
    at.check()
    at.says("4 of 5 are right")
    at.says("It waits for slow_1, whose early step is 1: what is 1 + 1?")
    slow_2 = at.page.get_by_role("slider", name="slow_2: early")
    slow_2.focus()
    at.page.keyboard.press("End")
    expect(slow_2).to_have_attribute("aria-valuenow", "4")
    at.page.keyboard.press("ArrowLeft")
    at.page.keyboard.press("ArrowLeft")
    expect(at.page.locator(".anc-live")).to_have_text("slow_2: early 2")
    at.page.keyboard.press("Enter")
    at.says("All 5 are right")


def test_bars_are_dragged(desk: Open) -> None:
    at = desk("both")
    wanted = {"split": (0, 0), "slow_1": (1, 1), "quick": (1, 2), "slow_2": (2, 2), "join": (3, 3)}
    for name, (early, late) in wanted.items():
        for part, to in (("late", late), ("early", early)):
            handle = at.page.get_by_role("slider", name=f"{name}: {part}")
            track = handle.locator("xpath=..").bounding_box()
            assert track is not None
            handle.hover()
            at.page.mouse.down()
            x = track["x"] + track["width"] * (to + 0.5) / 5
            at.page.mouse.move(x, track["y"] + 5, steps=3)
            at.page.mouse.up()
            expect(handle).to_have_attribute("aria-valuenow", str(to))
    at.check()
    at.says("All 5 are right")


def test_rows_are_moved_by_keys(desk: Open) -> None:
    at = desk("rows")
    at.check()
    at.says("0 of 3 are right")
    at.says("conv1: pool computes rows 2–3")
    for name, (first, last) in {"conv1": (4, 7), "conv0": (3, 8), "input": (3, 8)}.items():
        for end, to in (("first", first), ("last", last)):
            handle = at.page.get_by_role("slider", name=f"{name}: {end} row")
            handle.focus()
            at.page.keyboard.press("Home" if end == "first" else "End")
            if end == "last":
                for _ in range(15 - to):
                    at.page.keyboard.press("ArrowUp")
            for _ in range(to if end == "first" else 0):
                at.page.keyboard.press("ArrowDown")
            expect(handle).to_have_attribute("aria-valuenow", str(to))
            if end == "last":
                expect(handle).to_have_attribute("aria-valuetext", f"{name}: rows {first}–{last}")
    at.check()
    at.says("Right: conv0, conv1.")
    at.says("input: conv0 computes rows 3–8")
    at.page.get_by_role("slider", name="input: first row").focus()
    at.page.keyboard.press("ArrowLeft")
    at.page.get_by_role("slider", name="input: last row").focus()
    at.page.keyboard.press("ArrowRight")
    expect(at.page.locator(".anc-live")).to_have_text("input: rows 2–9")
    at.page.keyboard.press("Enter")
    at.says("Yes: input 2–9, conv0 3–8, conv1 4–7.")
    at.says("One more each.")
    assert at.sheet.answer == {"input": [2, 9], "conv0": [3, 8], "conv1": [4, 7]}


def test_rows_are_painted(desk: Open) -> None:
    at = desk("rows")
    expect(at.page.locator(".anc-map").last).to_contain_text("pool, given")
    for name, (first, last) in {"conv1": (4, 7), "conv0": (5, 8), "input": (2, 9)}.items():
        field = at.page.locator(".anc-map", has_text=name).locator(".anc-field")
        box = field.bounding_box()
        assert box is not None
        high = (box["height"] - 2) / 16
        x = box["x"] + 40
        at.page.mouse.move(x, box["y"] + 1 + high * (first + 0.5))
        at.page.mouse.down()
        at.page.mouse.move(x, box["y"] + 1 + high * (last + 0.5), steps=3)
        at.page.mouse.up()
        expect(field.locator("..")).to_contain_text(f"rows {first}–{last}")
    conv0 = at.page.locator(".anc-map", has_text="conv0")
    box = conv0.locator(".anc-field").bounding_box()
    assert box is not None
    high = (box["height"] - 2) / 16
    at.page.mouse.move(box["x"] + 40, box["y"] + 1 + high * 5.5)
    at.page.mouse.down()
    at.page.mouse.move(box["x"] + 40, box["y"] + 1 + high * 3.5, steps=3)
    at.page.mouse.up()
    expect(conv0).to_contain_text("rows 3–8")
    at.check()
    at.says("Yes: input 2–9, conv0 3–8, conv1 4–7.")


def test_a_schedule_is_folded(desk: Open) -> None:
    at = desk("fold")
    field = at.page.get_by_role("textbox")
    field.fill("source 8")
    at.page.get_by_role("button", name="write ×").click()
    expect(field).to_have_value("source 8×")
    at.check()
    at.says("The text cannot be read")
    field.fill("source 4×(2×(a) b)")
    at.check()
    at.says("It unrolls to 13 of 25 firings")
    field.fill("source 8×(2×(a) b)")
    at.check()
    at.says("25 firings, the same as in the schedule")


def test_after_three_wrong_answers_the_solution_is_free(desk: Open) -> None:
    at = desk("number")
    for wrong in "567":
        at.page.get_by_role("textbox").fill(wrong)
        at.check()
        at.says(f"{wrong} steps is not it")
    expect(at.page.locator(".anc-shown")).to_contain_text("1 step")


def test_the_keys_are_not_the_notebooks(desk: Open) -> None:
    at = desk("early")
    at.page.evaluate("document.body.addEventListener('keydown', () => (window.heard = true))")
    at.page.get_by_role("slider").first.focus()
    for key in ("ArrowRight", "Enter", "?", "Escape", "d"):
        at.page.keyboard.press(key)
    assert at.page.evaluate("window.heard") is None


@pytest.mark.parametrize(
    "name",
    [
        name if name in ("early", "order", "rows") else pytest.param(name, marks=pytest.mark.slow)
        for name in QUESTIONS
    ],
)
@pytest.mark.parametrize("theme", ["light", "dark"])
def test_axe_finds_nothing_on_a_narrow_page(
    desk: Open, name: str, theme: Literal["light", "dark"], artifacts: Path
) -> None:
    at = desk(name, color_scheme=theme)
    at.page.set_viewport_size({"width": 390, "height": 700})
    at.page.evaluate(
        "dark => { document.title = 'question'; document.documentElement.lang = 'en';"
        "document.body.style.background = dark ? '#14171c' : '#fff'; }",
        theme == "dark",
    )
    solution = at.sheet._task
    solution.tries = 1
    wrong: dict[str, object] = {"number": "5", "choose": "b", "pick": ["split"], "fold": "source a"}
    wrong |= {"order": ["split", "grow_a", "grow_b", "shrink_a", "shrink_b"], "firings": ["a"]}
    wrong |= {"early": {"split": 0}, "both": {"split": [0, 0]}, "rows": {"conv1": [4, 7]}}
    for request in ({"do": "hint"}, {"do": "check", "answer": wrong[name]}, {"do": "show"}):
        at.page.evaluate(
            "request => { kernel.set('_asked', request); kernel.save_changes(); }", request
        )
    expect(at.page.locator(".anc-shown")).not_to_be_empty()
    at.page.evaluate(AXE.read_text("utf-8"))
    found = at.page.evaluate("axe.run(document.body).then(found => found.violations)")
    assert [(each["id"], [node["html"] for node in each["nodes"]]) for each in found] == []
    assert at.page.evaluate("document.documentElement.scrollWidth <= innerWidth")
    at.page.screenshot(path=artifacts / f"question_{name}_{theme}.png", full_page=True)
    at.page.evaluate("leave()")
    assert at.page.evaluate("listeners.length") == 0
