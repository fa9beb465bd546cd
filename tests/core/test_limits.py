"""Limits: defaults, the environment, and blocks that raise them."""

import re
import threading
from dataclasses import asdict
from pathlib import Path

import pytest

from aidge_nb.core.errors import AidgeError
from aidge_nb.core.limits import LIMITS, Limits, current_limits, limits

ROOT = Path(__file__).resolve().parents[2]


def test_a_block_raises_a_limit_and_puts_it_back() -> None:
    with limits(outside_links=1) as inside:
        assert inside == current_limits() == Limits(outside_links=1)
    assert current_limits() == Limits()


def test_another_thread_keeps_its_own() -> None:
    seen = []
    with limits(outside_links=1):
        thread = threading.Thread(target=lambda: seen.append(current_limits()))
        thread.start()
        thread.join()
    assert seen == [Limits()]


def test_the_environment_raises_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIDGE_NB_OUTSIDE_LINKS", "1")
    assert current_limits().outside_links == 1
    monkeypatch.setenv("AIDGE_NB_OUTSIDE_LINKS", "many")
    with pytest.raises(AidgeError, match=r"AIDGE_NB_OUTSIDE_LINKS: is not a number .* found many"):
        current_limits()


@pytest.mark.parametrize(("name", "value"), [("nothing", 1), ("outside_links", -1)])
def test_wrong_limits_are_refused(name: str, value: int) -> None:
    with pytest.raises(AidgeError, match=f"limit {name}"), limits(**{name: value}):
        pass
    assert current_limits() == Limits()


def test_the_page_for_users_lists_all_limits_with_their_defaults() -> None:
    page = (ROOT / "docs/howto/strangers.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `(\w+)` \| ([\d\s]+) \|", page, re.MULTILINE)
    assert {name: int(value.replace(" ", "")) for name, value in rows} == asdict(Limits())
    assert [name for name, _ in rows] == list(LIMITS)
