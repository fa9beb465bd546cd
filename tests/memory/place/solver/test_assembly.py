"""Blocks: whatever is joined lies apart, and what is taken back leaves no trace."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aidge_nb.memory import LiveRange, check_offsets
from aidge_nb.memory.place.solver.assembly import Assembly
from tests.memory.place.solver.packings import guillotine

BOXES = st.lists(
    st.tuples(st.integers(0, 4), st.integers(1, 3), st.integers(1, 3)).map(
        lambda each: (each[0], each[0] + each[1], each[2])
    ),
    min_size=1,
    max_size=16,
)

PINWHEEL = [(0, 2, 3), (2, 5, 5), (1, 5, 2), (0, 1, 4), (1, 2, 2)]
"""Four boxes around a fifth: no two of them match."""


def check_blocks(boxes: list[tuple[int, int, int]], assembly: Assembly) -> None:
    """Place all blocks one above the other; no two buffers may overlap inside them."""
    floors, top = {}, 0
    for number, block in assembly.roots.items():
        floors[number] = top
        top += block.height
    offsets = assembly.offsets(floors)
    assert sorted(offsets) == list(range(len(boxes)))
    ranges = [LiveRange(*box) for box in boxes]
    check_offsets(ranges, [offsets[number] for number in range(len(boxes))], capacity=top)
    area = sum((behind - first) * height for first, behind, height in boxes)
    blocks = assembly.roots.values()
    assert area == sum((each.behind - each.first) * each.height for each in blocks)


@given(BOXES, st.sampled_from([0.0, 3.0]), st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_blocks_hold_their_buffers_without_overlap_or_hole(
    boxes: list[tuple[int, int, int]], noise: float, random: Random
) -> None:
    assembly = Assembly(boxes)
    assembly.grow(random, noise)
    check_blocks(boxes, assembly)


@given(BOXES, st.randoms(use_true_random=False))
@settings(max_examples=100, deadline=None)
def test_what_is_taken_back_leaves_no_trace(
    boxes: list[tuple[int, int, int]], random: Random
) -> None:
    assembly = Assembly(boxes)
    for _ in range(5):
        before = dict(assembly.roots)
        assembly.grow(random, 3.0)
        blocks = [number for number, block in assembly.roots.items() if block.parts]
        left = [part for number in blocks[:2] for part in assembly.split(number)]
        assembly.grow(random, 3.0, left)
        check_blocks(boxes, assembly)
        if random.random() < 0.5:
            assembly.undo()
            assert assembly.roots == before
            check_blocks(boxes, assembly)
        else:
            assembly.commit()


@pytest.mark.parametrize("order", [[0, 1, 2, 3, 4], [4, 3, 2, 1, 0], [2, 4, 0, 3, 1]])
@pytest.mark.parametrize("is_mirrored", [False, True])
def test_a_pinwheel_is_a_block(order: list[int], is_mirrored: bool) -> None:
    boxes = [PINWHEEL[number] for number in order]
    if is_mirrored:
        boxes = [(5 - behind, 5 - first, height) for first, behind, height in boxes]
    assembly = Assembly(boxes)
    assembly.grow(Random(0), 0.0)
    assert [each[:3] for each in assembly.roots.values()] == [(0, 5, 7)]
    check_blocks(boxes, assembly)


def test_one_size_more_is_no_pinwheel() -> None:
    assembly = Assembly([*PINWHEEL[:4], (1, 2, 3)])
    assembly.grow(Random(0), 0.0)
    assert len(assembly.roots) == 5


def test_the_only_neighbours_come_before_pairs_that_match_by_accident() -> None:
    """At tick 2 only 0 ends and 1 begins; 2 has the height of 1 as well, but other company."""
    assembly = Assembly([(0, 2, 5), (2, 4, 5), (4, 6, 5), (1, 4, 5), (4, 7, 5)])
    assembly.grow(Random(0), 0.0)
    joined = {block.parts for block in assembly.roots.values()} | {
        block.parts for block in assembly._under.values()
    }
    assert (0, 1) in joined


def test_most_of_a_cut_rectangle_is_joined_at_the_first_go() -> None:
    ranges = guillotine(1, pieces=400, ticks=400, height=1024)
    assembly = Assembly((each.lower, each.upper, each.size) for each in ranges)
    assembly.grow(Random(0), 0.3)
    assert len(assembly.roots) < 200
