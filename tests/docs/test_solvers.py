"""The table and the picture of solvers are those that the benchmark recorded."""

from __future__ import annotations

from importlib.util import module_from_spec, spec_from_file_location
from pathlib import Path
from types import ModuleType

import pytest

from aidge_nb.memory import read_problem
from aidge_nb.memory.contest.solvers import SOLVERS, largest_into_first_gap

ROOT = Path(__file__).resolve().parents[2]
DATA = ROOT / "tests" / "memory" / "place" / "data"


@pytest.fixture(scope="module")
def solvers() -> ModuleType:
    """Import the script that makes the page."""
    spec = spec_from_file_location("docs_solvers", ROOT / "docs" / "solvers.py")
    assert spec is not None
    assert spec.loader is not None
    module = module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_guide_has_the_recorded_table(solvers: ModuleType) -> None:
    text = solvers.GUIDE.read_text("utf-8")
    assert solvers.with_table(text) == text


def test_every_solver_took_part_in_every_problem(solvers: ModuleType) -> None:
    placed = solvers.boards()[0]
    assert placed.missing == {}
    assert set(placed.solvers) == {each.name for each in SOLVERS}
    pairs = {(each.problem, each.solver) for each in placed.results}
    assert len(pairs) == len(placed.results) == len(placed.problems) * len(placed.solvers)


@pytest.mark.parametrize("path", sorted((DATA / "nn").glob("*_plain.*.csv")), ids=lambda p: p.stem)
def test_the_recorded_greedy_peak_is_the_one_of_the_rule(solvers: ModuleType, path: Path) -> None:
    name, capacity = path.stem.split(".")
    ranges = list(read_problem(path.read_text("utf-8")).values())
    offsets = largest_into_first_gap(ranges)
    peak = max(at + each.size for at, each in zip(offsets, ranges, strict=True))
    found = {r.solver: r for r in solvers.boards()[0].results if r.problem == name}
    assert found["TFLM greedy"].peak == peak
    assert found["aidge_nb"].peak == found["aidge_nb"].bound == int(capacity)


def test_the_page_has_the_picture_and_the_orders(solvers: ModuleType, tmp_path: Path) -> None:
    page = solvers.page(tmp_path / "solvers")
    assert 'src="solvers/board.svg"' in page
    drawn = (tmp_path / "solvers" / "board.svg").read_text("utf-8")
    placed, ordered = solvers.boards()
    assert all(problem in drawn for problem in placed.problems)
    assert all(problem in page for problem in ordered.problems)
