"""The rules of tutorial 02 on who fires next, and for which graphs they hold."""

from __future__ import annotations

from itertools import pairwise

import pytest

from aidge_nb import static_schedule
from aidge_nb.course import graphs
from aidge_nb.scheduling import trace_of


@pytest.mark.parametrize(
    ("pairs", "holds"),
    [
        (((1, 1), (2, 1), (1, 1)), True),
        (((2, 1), (3, 2), (2, 3)), True),
        (((2, 3), (1, 1)), False),
        (((1, 2), (1, 1)), False),
    ],
)
def test_for_which_chains_the_one_nearest_the_end_fires(
    pairs: tuple[tuple[int, int], ...], holds: bool
) -> None:
    """Where no firing gives more than one firing of the next operator takes."""
    assert all(given <= taken for (_, given), (taken, _) in pairwise(pairs)) == holds
    waits, order = [24, *(0 for _ in pairs)], ["source"]
    while ready := [at for at, (takes, _) in enumerate(pairs) if waits[at] >= takes]:
        waits[ready[-1]] -= pairs[ready[-1]][0]
        waits[ready[-1] + 1] += pairs[ready[-1]][1]
        order.append("abc"[ready[-1]])
    assert (list(static_schedule(graphs.rates(24, *pairs)).order) == order) == holds


def test_the_rounds_of_a_loop_with_an_epilogue() -> None:
    """`b` is asked when `a` has fired; both are asked when `b` alone has fired."""
    rounds = trace_of(graphs.rates(24, (2, 3), (1, 1)), 9)
    assert [each.fired for each in rounds] == [("a",), *[("b",), ("a", "b")] * 4]
    asked = [each.consumers for each in rounds]
    assert asked[1:] == [("b",), ("a", "b")] * 4


def test_numbers_at_the_arrows_are_all_that_pass() -> None:
    view = graphs.rates(6, (2, 1), (3, 1))
    dims = {each.name(): each.get_operator().get_output(0).dims for each in view.get_nodes()}
    assert dims == {"source": (6,), "a": (3,), "b": (1,)}
    fired = static_schedule(view)
    assert [fired.count(name) for name in ("a", "b")] == [3, 1]
    lines = graphs.pipeline(8, (3, 3))
    assert lines.get_node("conv2").get_operator().get_output(0).dims == (1, 1, 4, 16)
