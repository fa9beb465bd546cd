"""The checkers name the rule that is broken."""

from __future__ import annotations

from dataclasses import replace

import pytest

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory import Buffer, MemoryPlan, check_offsets, check_plan, check_replay, plan_memory
from tests.memory.graphs import binary, chain, graph, opaque, reshape, unary

A = Buffer("a", "a", 0, 64, 0, 2, 0)
B = Buffer("b", "b", 0, 32, 1, 3, 64)
C = Buffer("c", "c", 0, 64, 2, 3, 0)
GOOD = MemoryPlan(("a", "b", "c"), (A, B, C), peak=96, lower_bound=96)


def with_buffers(*buffers: Buffer, lower_bound: int = 96) -> MemoryPlan:
    return replace(GOOD, buffers=buffers, lower_bound=lower_bound)


def test_a_good_plan_passes() -> None:
    check_plan(GOOD)
    check_plan(with_buffers(A, replace(B, offset=0, size=64, in_place_of=("a",)), lower_bound=64))
    check_plan(with_buffers(A, replace(B, offset=0, size=64, view_of="a"), lower_bound=64))
    wrapped = replace(B, size=64, wrapped_size=32, wrapped_offset=0, in_place_of=("a",))
    check_plan(with_buffers(A, wrapped))


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (with_buffers(A, A), "buffer a: two have this name"),
        (with_buffers(replace(A, upper=4)), r"buffer a: live range .*found \[0, 4\)"),
        (with_buffers(replace(A, lower=2)), "buffer a: live range is not inside the schedule"),
        (with_buffers(replace(A, offset=-8)), "buffer a: negative offset .*found -8"),
        (with_buffers(replace(A, offset=40)), "buffer a: reaches beyond the peak .*found 104"),
        (with_buffers(replace(A, wrapped_size=65)), "buffer a: wrong sizes"),
        (replace(with_buffers(replace(A, offset=4)), alignment=8), "buffer a: misaligned"),
        (with_buffers(replace(A, in_place_of=("z",))), "buffer a: shares .*found z"),
        (with_buffers(replace(A, view_of="a")), "buffer a: shares .*found a"),
        (with_buffers(A, replace(C, in_place_of=("a",))), "buffer c: shares .* not live .*found a"),
        (
            with_buffers(A, replace(B, view_of="a")),
            "buffer b: is a view of a, but not of its bytes",
        ),
        (
            with_buffers(A, replace(B, offset=32)),
            r"buffers a and b: overlap at tick 1 \(b\) in bytes 32 to 64",
        ),
        (
            with_buffers(replace(A, upper=3), replace(B, offset=32, in_place_of=("a",))),
            "buffers a and b: overlap",
        ),
        (
            with_buffers(A, replace(B, offset=64, wrapped_size=8, wrapped_offset=8)),
            "buffers a and b: overlap at tick 1 .* in bytes 8 to 16",
        ),
        (
            with_buffers(replace(A, levels=((3, 32),))),
            r"buffer a: does not lie in blocks of one size .*64 bytes in levels \[\(3, 32\)\]",
        ),
        (with_buffers(replace(A, levels=((0, 32),))), "buffer a: does not lie in blocks"),
        (with_buffers(replace(A, levels=((2, 40), (2, 8)))), "buffer a: lies on itself"),
        (replace(GOOD, lower_bound=100), "lower bound: is above the peak"),
        (replace(GOOD, lower_bound=90), "lower bound: is below the live bytes"),
    ],
)
def test_a_broken_plan_is_refused(plan: MemoryPlan, message: str) -> None:
    with pytest.raises(MemoryPlanError, match=message):
        check_plan(plan)


@pytest.mark.parametrize(
    ("offsets", "options", "message"),
    [
        ([0], {}, "offsets: not one per buffer .*expected 2, found 1"),
        ([0, -1], {}, "buffer 1: negative offset"),
        ([0, 12], {"alignment": 8}, "buffer 1: misaligned"),
        ([0, 10], {"capacity": 19}, "buffer 1: does not fit .*expected 19, found 20"),
        ([0, 5], {}, "buffers 0 and 1: overlap at tick 1 in bytes 5 to 10"),
    ],
)
def test_broken_offsets_are_refused(
    offsets: list[int], options: dict[str, int], message: str
) -> None:
    with pytest.raises(MemoryPlanError, match=message):
        check_offsets([(0, 2, 10), (1, 3, 10)], offsets, **options)


# --- replay ---------------------------------------------------------------------------------------


def test_replay_finds_a_live_range_that_is_too_short() -> None:
    view = graph([opaque("a"), opaque("b"), opaque("c", nb_inputs=2)], [(0, 1), (0, 2), (1, 2)])
    nodes = list(view.get_nodes())
    check_replay(plan_memory(view, nodes), view, nodes)
    too_short = MemoryPlan(
        ("a", "b", "c"),
        (
            Buffer("a", "a", 0, 16, 0, 1, 0),  # c reads it at tick 2
            Buffer("b", "b", 0, 16, 1, 3, 0),
            Buffer("c", "c", 0, 16, 2, 3, 16),
        ),
        peak=32,
        lower_bound=32,
    )
    check_plan(too_short)  # which believes the live ranges
    message = r"tick 2, input#0 of c \(Op\): buffer a was overwritten .*found b"
    with pytest.raises(MemoryPlanError, match=message):
        check_replay(too_short, view, nodes)


def test_replay_finds_an_operator_that_may_not_overwrite() -> None:
    view = chain(opaque("a"), opaque("b"))
    nodes = list(view.get_nodes())
    wrong = MemoryPlan(
        ("a", "b"),
        (Buffer("a", "a", 0, 16, 0, 2, 0), Buffer("b", "b", 0, 16, 1, 2, 0, in_place_of=("a",))),
        16,
        16,
    )
    check_plan(wrong)
    with pytest.raises(
        MemoryPlanError, match=r"tick 1, b \(Op\): may not be computed in the place"
    ):
        check_replay(wrong, view, nodes)


def test_replay_finds_an_output_that_was_overwritten() -> None:
    view = graph([opaque("in"), opaque("out"), opaque("a"), opaque("b")], [(0, 1), (0, 2), (2, 3)])
    nodes = list(view.get_nodes())
    good = plan_memory(view, nodes)
    out = next(each for each in good.buffers if each.name == "out")
    wrong = tuple(
        replace(each, offset=out.offset) if each.name == "b" else each for each in good.buffers
    )
    with pytest.raises(MemoryPlanError, match=r"output 0 of out \(Op\) at the end: .*found b"):
        check_replay(replace(good, buffers=wrong), view, nodes)


def test_replay_refuses_another_order() -> None:
    view = chain(opaque("a"), unary("b"))
    nodes = list(view.get_nodes())
    with pytest.raises(MemoryPlanError, match="memory plan: is for another order"):
        check_replay(plan_memory(view, nodes), view, [*nodes, *nodes])


def test_replay_knows_views_and_inputs() -> None:
    view = graph(
        [opaque("a"), reshape("v"), unary("b"), binary("sum")], [(0, 1), (1, 2), (2, 3, 0)]
    )
    nodes = list(view.get_nodes())
    check_replay(plan_memory(view, nodes, inc_inputs=True), view, nodes)


def tiles(**changes: int) -> MemoryPlan:
    """Lay out two tiles of two rows of a 4 x 8 matrix, put together, with one of them changed."""
    left = Buffer("left", "a", 0, 8, 0, 3, 0, levels=((2, 8),))
    right = replace(left, name="right", node="b", lower=1, offset=4)
    below = replace(left, name="below", node="c", lower=1, size=16, offset=16, levels=())
    whole = Buffer("whole", "d", 0, 32, 2, 3, 0, made_of=("left", "right", "below"))
    moved = replace(right, **changes)  # type: ignore[arg-type]
    return MemoryPlan(("a", "b", "c", "d"), (left, moved, below, whole), 40, 32)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"offset": 3}, r"buffers left and right: overlap at tick 1 \(b\) in bytes 3 to 4"),
        ({"offset": 12}, "buffers right and below: overlap at tick 1 .* in bytes 20 to 24"),
        ({"offset": 32}, "buffer right: reaches beyond the peak"),
        ({"levels": ()}, "buffers left and right: overlap at tick 1 .* in bytes 8 to 12"),
    ],
)
def test_tiles_that_lie_wrongly_are_found(changes: dict[str, int], message: str) -> None:
    check_plan(tiles())
    with pytest.raises(MemoryPlanError, match=message):
        check_plan(replace(tiles(**changes), buffers=tiles(**changes).buffers[:3], lower_bound=32))
    with pytest.raises(MemoryPlanError, match=r"whole: its parts do not fill it|beyond the peak"):
        check_plan(tiles(**changes))


def test_only_buffers_that_may_meet_are_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    count = 500
    buffers = tuple(Buffer(f"b{n}", "a", n, 4, 0, 1, 4 * n) for n in range(count))
    plan = MemoryPlan(("a",), buffers, peak=4 * count, lower_bound=4 * count)
    compared = []
    monkeypatch.setattr(
        "aidge_nb.memory.check.plan.first_common", lambda one, other: compared.append(one)
    )
    check_plan(plan)
    assert not compared
    moved = replace(buffers[-1], offset=0)
    check_plan(replace(plan, buffers=(*buffers[:-1], moved), lower_bound=4 * count - 4))
    assert len(compared) == 1
