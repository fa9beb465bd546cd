"""Messages: what is shown, where, and that the level can be changed again and again."""

from __future__ import annotations

import logging
from collections.abc import Iterator

import pytest

from aidge_nb.core.log import NOTICE, Level, Log, logger


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    handlers, level, propagate = list(logger.handlers), logger.level, logger.propagate
    yield
    logger.handlers[:], logger.propagate = handlers, propagate
    logger.setLevel(level)


def test_levels_are_ordered_and_named() -> None:
    assert list(Level) == sorted(Level)
    assert Level.Info < Level.Notice < Level.Warn
    assert logging.getLevelName(NOTICE) == "NOTICE"


def test_messages_of_the_level_and_above_are_shown(capsys: pytest.CaptureFixture[str]) -> None:
    Log.set_console_level(Level.Notice)
    logger.info("hidden")
    logger.log(Level.Notice, "seen %d", 1)
    logger.warning("seen too")
    assert capsys.readouterr().out == "[NOTICE] - seen 1\n[WARNING] - seen too\n"


def test_setting_the_level_twice_shows_messages_once(capsys: pytest.CaptureFixture[str]) -> None:
    Log.set_console_level(Level.Debug)
    Log.set_console_level(Level.Error)
    logger.warning("hidden")
    logger.error("once")
    assert capsys.readouterr().out == "[ERROR] - once\n"


def test_what_was_there_stays() -> None:
    mine = logging.NullHandler()
    logger.addHandler(mine)
    Log.set_console_level(Level.Info)
    assert mine in logger.handlers


def test_warnings_are_shown_without_configuration(caplog: pytest.LogCaptureFixture) -> None:
    logger.setLevel(logging.NOTSET)
    logger.propagate = True
    logger.warning("to whoever listens")
    assert caplog.messages == ["to whoever listens"]
