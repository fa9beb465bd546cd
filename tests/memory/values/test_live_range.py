"""The lower bound, against a sum taken tick by tick."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from aidge_nb.memory import LowerBound, live_bytes, lower_bound

RANGES = st.lists(
    st.tuples(st.integers(0, 20), st.integers(1, 8), st.integers(1, 9)).map(
        lambda each: (each[0], each[0] + each[1], each[2])
    ),
    max_size=15,
)


@given(RANGES)
def test_it_is_the_largest_sum_at_any_tick(ranges: list[tuple[int, int, int]]) -> None:
    sums = [
        sum(size for lower, upper, size in ranges if lower <= tick < upper) for tick in range(30)
    ]
    assert live_bytes(ranges, range(30)).tolist() == sums
    bound = lower_bound(ranges)
    assert bound.size == max(sums)
    assert sums[bound.tick] == bound.size


def test_nothing_needs_nothing() -> None:
    assert lower_bound([]) == LowerBound(0, 0)
