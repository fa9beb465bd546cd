"""Ranks of estimates beside published times: the arithmetic, and the table of what was found."""

from __future__ import annotations

from collections import defaultdict

import pytest

from aidge_nb.export import TARGETS
from aidge_nb.export.boards.cycles import COSTS
from aidge_nb.export.boards.targets import find_board
from benchmarks.published import PUBLISHED, TASKS, compared, ranks, spearman


def test_equal_values_share_their_ranks() -> None:
    assert ranks([7, 7, 7]) == [2, 2, 2]
    assert ranks([0.5, -1, 0.5, 9]) == [2.5, 1, 2.5, 4]


@pytest.mark.parametrize(
    ("first", "second", "rank"),
    [
        ([1, 2, 3, 4], [0.1, 5, 6, 1e9], 1),
        ([1, 2, 3, 4], [4, 3, 2, 1], -1),
        ([1, 2, 3, 4, 5], [5, 6, 7, 8, 7], 0.82078268),  # 8 / sqrt(10 * 9.5), by hand
        ([1, 2, 2, 3], [1, 2, 3, 4], 0.94868330),  # 4.5 / sqrt(4.5 * 5), by hand
    ],
)
def test_the_rank_is_spearmans(first: list[float], second: list[float], rank: float) -> None:
    assert spearman(first, second) == pytest.approx(rank, abs=1e-8)
    assert spearman(second, first) == pytest.approx(rank, abs=1e-8)


@pytest.mark.parametrize(
    ("first", "second"), [([1], [1]), ([1, 2], [1, 2, 3]), ([1, 2, 3], [4, 4, 4])]
)
def test_what_has_no_order_is_refused(first: list[float], second: list[float]) -> None:
    with pytest.raises(ValueError, match=r"ranks need two rows|have no order"):
        spearman(first, second)


def test_every_published_figure_has_its_source_and_a_core_that_is_estimated() -> None:
    assert len({(each.board, each.software) for each in PUBLISHED}) == len(PUBLISHED) >= 4
    for each in PUBLISHED:
        assert tuple(each.milliseconds) == TASKS
        assert "tiny_results_v1.0" in each.source or "silabs-mltk" in each.source
        core = find_board(TARGETS[each.target].board).core
        assert core in COSTS
        assert each.is_accelerated or core.startswith(each.core)
        # Anomaly detection is by far the least of the four, everywhere.
        assert min(each.milliseconds, key=each.milliseconds.__getitem__) == TASKS[0]
    one = PUBLISHED[0]
    assert one.milliseconds["keyword_spotting"] == pytest.approx(99.81, abs=0.01)
    assert one.megacycles("keyword_spotting") == pytest.approx(11.977, abs=0.001)


def test_estimates_stand_beside_what_was_published() -> None:
    estimated: dict[str, dict[str, float]] = defaultdict(dict)
    for each in PUBLISHED:
        for task in TASKS:
            estimated[each.target][task] = 2 * each.megacycles(task)
    lines = compared(estimated)
    assert sum("M estimated" in line for line in lines) == 4 * len(PUBLISHED)
    assert any("11.98 M cycles published" in line for line in lines)
    assert lines[-1].startswith("all 12 without accelerator: rank ")
    estimated["cortex-m4"]["anomaly_detection"] = 1e6
    worse = compared(estimated)
    assert any(line.startswith("  rank -0") for line in worse)
