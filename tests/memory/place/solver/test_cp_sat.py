"""OR-Tools as a second solver, where it is installed."""

from __future__ import annotations

import sys

import pytest

from aidge_nb.core.errors import MissingExtraError
from aidge_nb.memory import LiveRange, check_offsets, plan
from aidge_nb.memory.place.solver.clock import Clock
from aidge_nb.memory.place.solver.cp_sat import cp_sat, is_installed
from aidge_nb.memory.place.solver.strip import Strip
from tests.memory.place.solver.packings import guillotine
from tests.memory.place.solver.test_valleys import ABOVE_THE_BOUND

needs_ortools = pytest.mark.skipif(not is_installed(), reason='pip install "aidge_nb[solver]"')

RANGES = [LiveRange(*triple) for triple in ABOVE_THE_BOUND]


def test_without_ortools_it_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    with pytest.raises(MissingExtraError, match=r'ortools, .* pip install "aidge_nb\[solver\]"'):
        plan(RANGES, solver="cp-sat")


def test_what_is_easy_does_not_need_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ortools.sat.python", None)
    assert plan([(0, 2, 10), (1, 3, 20)], solver="cp-sat").peak == 30


@needs_ortools
def test_the_least_is_found_and_proven() -> None:
    placement = plan(RANGES, solver="cp-sat", effort=0.1)
    check_offsets(RANGES, placement.offsets, capacity=5)
    assert (placement.peak, placement.lower_bound) == (5, 5)


@needs_ortools
def test_what_cannot_fit_is_proven() -> None:
    doubled = [LiveRange(lower, upper, 2 * size) for lower, upper, size in RANGES]
    found = cp_sat(Strip(doubled), 18, 8, 9, Clock(effort=0.1))
    assert (found.offsets, found.lower_bound) == (None, 10)


@needs_ortools
def test_perfect_packings_are_found() -> None:
    ranges = guillotine(4, pieces=40)
    found = cp_sat(Strip(ranges), 10**6, 64, 64, Clock(effort=0.1))
    assert found.offsets is not None
    check_offsets(ranges, found.offsets, capacity=64)
