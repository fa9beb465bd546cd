"""Loops found in an order, and which execution each place of them stands for."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from aidge_nb.export.plan.loops import Turn, fold, turns
from aidge_nb.scheduling.schedule.nest import Repeat, walk

ORDERS = st.recursive(
    st.lists(st.sampled_from("abcd"), min_size=1, max_size=4),
    lambda inner: st.tuples(inner, st.integers(1, 4), inner).map(lambda t: t[0] * t[1] + t[2]),
    max_leaves=6,
)


@given(ORDERS)
def test_a_nest_unrolls_to_its_order(order: list[str]) -> None:
    assert list(walk(fold(order))) == order


@given(ORDERS)
def test_turns_count_the_executions(order: list[str]) -> None:
    nest = fold(order)
    seen: Counter[str] = Counter()
    each = iter(list(turns(nest)))
    for name, number in _executions(nest, each):
        assert number == seen[name]
        seen[name] += 1
    assert seen == Counter(order)


def _executions(
    nest: Sequence[Any], each: Iterator[Turn], at: tuple[int, ...] = ()
) -> Iterator[tuple[str, int]]:
    """Unroll a nest; number executions by base and steps, as a program does."""
    for item in nest:
        if not isinstance(item, Repeat):
            turn = next(each)
            yield item, turn.base + sum(i * step for i, step in zip(at, turn.steps, strict=True))
            continue
        inside = [next(each) for _ in turns(item.body)]
        for copy in range(item.count):
            yield from _executions(item.body, iter(inside), (*at, copy))


def test_a_thousand_turns_are_one_loop() -> None:
    nest = fold(["start", *["a", "b"] * 1000])
    assert nest == ("start", Repeat(1000, ("a", "b")))


def test_nodes_that_run_once_are_no_loops() -> None:
    assert fold("abc") == ("a", "b", "c")
