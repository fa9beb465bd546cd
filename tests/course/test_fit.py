"""Fit it in 16 KB: the numbers of all states, what is said of them, the runs, and the page."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from aidge_nb.core.errors import AidgeError
from aidge_nb.course import fit_in_16_kb, generators, graphs
from aidge_nb.course.boards import TOOLS
from aidge_nb.course.fit.__main__ import main
from aidge_nb.course.fit.game import FitGame
from aidge_nb.course.fit.moves import LEVELS, SCHEDULED, FitSetting, orders, setting_of, settings
from aidge_nb.course.fit.run import BOARD, measure, recorded, run
from aidge_nb.course.fit.states import FitState, state_of
from aidge_nb.course.fit.trained import set_trained
from aidge_nb.course.fit.words import as_wire, description, sentence
from aidge_nb.runtime import SequentialScheduler

HALF_FIRST = ("half", "pool_half", "wide", "relu_wide", "pool_wide")
WIDE_FIRST = ("wide", "relu_wide", "pool_wide", "half", "pool_half")

IN_ORDER = [
    (SCHEDULED, (67584, 57344, 40960)),
    (HALF_FIRST, (67584, 51200, 34816)),
    (WIDE_FIRST, (81920, 51200, 49152)),
]
ROW = 8 * 32 * 4  # bytes of a row of `wide`, which a program by rows holds aside
IN_STRIPES = [  # stripes, halo, peak, peak by rows, what is held aside in no hole of it, MACs in %
    (2, "recompute", 28160, 26624, 0, 0.63),
    (3, "recompute", 21760, 20480, 0, 1.26),
    (3, "cache", 21760, 16128, ROW, 0),
    (4, "recompute", 16384, 15424, 0, 1.90),
    (4, "cache", 16384, 14592, ROW, 0),
    (5, "recompute", 15872, 14848, 0, 2.53),
    (5, "cache", 16384, 12800, ROW, 0),
    (6, "recompute", 14848, 13824, 0, 3.16),
    (6, "cache", 15360, 11264, ROW, 0),
    (8, "recompute", 10496, 9728, 0, 4.42),
    (8, "cache", 11264, 10752, 0, 0),
]


@pytest.mark.parametrize(("order", "peaks"), IN_ORDER)
def test_orders(order: tuple[str, ...], peaks: tuple[int, int, int]) -> None:
    found = [
        state_of(FitSetting(order, in_place, rows)).plan.peak
        for in_place, rows in ((False, False), (True, False), (True, True))
    ]
    assert tuple(found) == peaks
    apart = state_of(FitSetting(order, in_place=False, rows=True))
    assert apart.plan.peak == peaks[0], "what may not overwrite cannot follow"


@pytest.mark.parametrize(("stripes", "halo", "peak", "by_rows", "aside", "more"), IN_STRIPES)
def test_stripes(stripes: int, halo: str, peak: int, by_rows: int, aside: int, more: float) -> None:
    found = state_of(FitSetting(in_place=True, stripes=stripes, halo=halo))
    assert (found.plan.peak, found.arena) == (peak, peak)
    assert round(100 * found.share, 2) == more
    rows = state_of(FitSetting(in_place=True, rows=True, stripes=stripes, halo=halo))
    assert (rows.plan.peak, rows.arena) == (by_rows, by_rows + aside)


@pytest.mark.parametrize(("order", "peaks"), IN_ORDER)
def test_numbers_of_one_byte_take_a_quarter(
    order: tuple[str, ...], peaks: tuple[int, int, int]
) -> None:
    found = [
        state_of(FitSetting(order, in_place, rows, variant="int8")).plan.peak
        for in_place, rows in ((False, False), (True, False), (True, True))
    ]
    assert found == [peak // 4 for peak in peaks]


@pytest.mark.parametrize(
    ("stripes", "halo", "peak"),
    [(4, "recompute", 19_968), (8, "recompute", 14_592), (8, "cache", 15_360)],
)
def test_the_image_counts(stripes: int, halo: str, peak: int) -> None:
    state = state_of(FitSetting(in_place=True, stripes=stripes, halo=halo, variant="image"))
    assert state.plan.peak == peak
    assert "image 4,096" in description(state)
    assert "image" in {block[0] for block in as_wire(state)["blocks"]}


def fitting(level: int) -> list[FitState]:
    allowed = LEVELS[level]
    return [
        state
        for state in map(state_of, settings())
        if state.setting.variant == allowed.variant
        and (held := state.arena if allowed.is_program else state.plan.peak) is not None
        and held <= allowed.budget
        and (state.setting.stripes == 1 or "stripes" in allowed.moves)
        and (not state.setting.rows or "rows" in allowed.moves)
    ]


def test_each_level_needs_what_it_teaches() -> None:
    first = [state.setting for state in fitting(0)]
    assert first
    assert all(setting.in_place and setting.order != SCHEDULED for setting in first)
    second = [state.setting for state in fitting(1)]
    assert second
    assert all(setting.rows and setting.in_place for setting in second)
    assert {setting.order for setting in second} == {HALF_FIRST}
    third = fitting(2)
    assert {state.setting.stripes for state in third} == {4, 5, 6, 8}
    assert {state.share == 0 for state in third} == {True, False}
    with_image = [state.setting for state in fitting(3)]
    assert {setting.stripes for setting in with_image} == {8}
    assert {setting.halo for setting in with_image if setting.in_place} == {"recompute", "cache"}
    bonus = [state.setting for state in fitting(4)]
    assert bonus
    assert FitSetting(variant="int8") not in bonus
    assert FitSetting(in_place=True, variant="int8") in bonus, "one move does it"


def test_every_choice_has_a_key_and_every_key_a_choice() -> None:
    all_settings = list(settings())
    keys = [setting.key for setting in all_settings]
    assert len(set(keys)) == len(keys) == 4 * (10 + 12) + 2 * (1 + 12) + 4 * 10
    assert [setting_of(key) for key in keys] == all_settings
    assert len(orders()) == 10
    for key in (
        "",
        "-|1|0|7|cache",
        "-|1|0|4|often",
        "half|1|0|1|-",
        "a|b|c|d|e",
        "-|1|0|4|-",
        "-|1|0|4|cache|int4",
    ):
        with pytest.raises(ValueError, match="no choice of moves"):
            setting_of(key)


def test_what_is_said_holds_the_numbers_of_the_state() -> None:
    for setting in settings():
        state = state_of(setting)
        text, says = description(state), sentence(state)
        assert f"Peak {state.plan.peak:,} bytes at tick {state.tick}" in text
        assert says.endswith(".")
        if not setting.rows and setting.stripes == 1:
            assert sum(state.alive.values()) == state.plan.peak
            assert all(f"{name} {size:,}" in text for name, size in state.alive.items())


@pytest.mark.parametrize(
    ("setting", "words"),
    [
        (FitSetting(), "Each result lies in a place of its own."),
        (FitSetting(rows=True), "cannot follow its input"),
        (FitSetting(in_place=True), "Both branches are open at once."),
        (FitSetting(HALF_FIRST, in_place=True), "half is pooled before wide begins."),
        (FitSetting(WIDE_FIRST, in_place=True), "wide is pooled before half begins."),
        (FitSetting(HALF_FIRST, in_place=True, rows=True), "wide follows relu through memory"),
        (FitSetting(WIDE_FIRST, in_place=True, rows=True), "half still has to read relu"),
        (FitSetting(in_place=True, stripes=2), "1 border, and at each"),
        (FitSetting(in_place=True, stripes=4), "1.90% more MACs"),
        (FitSetting(in_place=True, stripes=5), "8 rows do not divide by 5"),
        (FitSetting(in_place=True, stripes=4, halo="cache"), "The C program takes as much"),
        (FitSetting(in_place=True, rows=True, stripes=4), "The C program takes as much"),
        (
            FitSetting(in_place=True, rows=True, stripes=4, halo="cache"),
            "The C program holds a row of a result aside: 1,024 bytes more.",
        ),
        (FitSetting(stripes=4), "Nothing is overwritten"),
    ],
)
def test_sentences(setting: FitSetting, words: str) -> None:
    assert words in sentence(state_of(setting))


def test_each_winning_program_has_a_recorded_run() -> None:
    assert recorded().keys() == {state.setting.key for state in fitting(2)}
    for key in recorded():
        found = run(setting_of(key), use_recorded=True)
        assert found.is_equal
        assert found.answer == found.kind
        assert found.touched == found.arena == state_of(setting_of(key)).plan.peak
        assert f"{found.instructions:,} instructions" in found.text


def test_what_cannot_be_exported_is_refused() -> None:
    with pytest.raises(AidgeError, match="the C export does not do this"):
        run(FitSetting())
    assert "the C export does not do this" in FitGame().run(FitSetting().key)


def test_a_run_without_tools_and_record_says_what_is_missing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("aidge_nb.course.fit.run.has_tools", lambda: False)
    assert run(FitSetting(in_place=True, stripes=4)).is_recorded
    with pytest.raises(AidgeError, match="there is no recorded run"):
        run(FitSetting(in_place=True, stripes=2))


def test_the_program_runs_on_the_board(need_tools: Callable[..., None]) -> None:
    need_tools(*TOOLS)
    found = run(FitSetting(in_place=True, stripes=6, halo="cache"))
    assert not found.is_recorded
    assert found.is_equal
    assert 2e7 < found.instructions < 4e7
    assert "on an emulated Cortex-M3" in found.text
    assert BOARD == "mps2-an385"


@pytest.mark.slow
@pytest.mark.parametrize("key", sorted(recorded()))
def test_recorded_runs_are_what_the_board_gives(need_tools: Callable[..., None], key: str) -> None:
    need_tools(*TOOLS)
    found, kept = measure(setting_of(key)), recorded()[key]
    assert found["is_equal"] == kept["is_equal"] == 1
    # Other compilers give other instructions; the order of magnitude stays.
    assert found["instructions"] == pytest.approx(kept["instructions"], rel=0.2)
    assert found["stack"] == pytest.approx(kept["stack"], rel=0.3)


def test_the_page_holds_all_and_runs_its_one_script(tmp_path: Path) -> None:
    assert main([str(tmp_path / "fit.html")]) == 0
    page = (tmp_path / "fit.html").read_text("utf-8")
    data = json.loads(re.findall(r'id="aidge-nb-fit-data">(.*?)</script>', page)[0])
    assert data["states"].keys() == {setting.key for setting in settings()}
    assert next(iter(data["states"])) == FitGame().start
    assert data["runs"].keys() == recorded().keys()
    script = re.findall(r'<script type="module">(.*?)</script>', page, re.DOTALL)[0]
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    assert f"script-src 'sha256-{digest}'" in page
    assert not re.search(r"(?:src|href)=\"(?!data:)", page)
    assert "<noscript>" in page
    assert len(page) < 350_000


def test_the_network_knows_bars_that_it_has_never_seen() -> None:
    view = graphs.bars_net()
    set_trained(view)
    pictures, kinds = generators.pictures_of_bars(300, seed=7)
    (scores,) = SequentialScheduler(view).forward(data=[pictures])
    assert (np.asarray(scores).argmax(1) == kinds).mean() > 0.95
    points = FitGame().facts["picture"]
    assert {len(row) for row in points} == {len(points)} == {32}
    assert "f" in "".join(points)


def test_a_run_where_the_image_counts_is_that_of_its_program() -> None:
    setting = FitSetting(in_place=True, stripes=8, variant="image")
    assert FitGame().run(setting.key) == FitGame().run(replace(setting, variant="").key)


def test_the_command_says_how_it_is_used(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([]) == 2
    assert "usage: python -m aidge_nb.course.fit" in capsys.readouterr().err


def test_the_board_answers_what_the_screen_asks_for(tmp_path: Path) -> None:
    pytest.importorskip("anywidget")
    board = fit_in_16_kb()
    key = FitSetting(in_place=True, stripes=4).key
    assert set(board._states) == {FitSetting().key}
    board._asked = {"do": "state", "key": key, "n": 1}
    assert board._states[key] == as_wire(state_of(setting_of(key)))
    board._asked = {"do": "run", "key": FitSetting().key, "n": 2}
    assert "the C export does not do this" in board._runs[FitSetting().key]
    bundle, _ = board._repr_mimebundle_()
    picture = bundle["image/svg+xml"]
    assert picture.startswith("<svg")
    assert all(f">{name}</text>" in picture for name in ("half", "both", "pool_half", "pool_wide"))
    assert f">level 1 allows {LEVELS[0].budget:,} bytes</text>" in picture
    assert "67,584 bytes" in bundle["text/plain"]
    assert board.to_html(tmp_path / "page.html") == (tmp_path / "page.html").read_text("utf-8")
