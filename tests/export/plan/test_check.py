"""The checker of export plans names the rule that is broken."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given, settings

from aidge_nb.core.errors import ExportError
from aidge_nb.export import check_export, plan_export
from aidge_nb.export.plan.parts import ArenaBuffer, Place, ProgramLoop, Step
from aidge_nb.export.plan.prepare import prepare
from aidge_nb.export.plan.value import ExportPlan
from aidge_nb.graph import GraphView
from aidge_nb.memory import Memory
from tests.export.models import diamond, sequence
from tests.runtime.models import random_graphs


def moved(plan: ExportPlan, node: str, offset: int) -> ExportPlan:
    """Put a buffer elsewhere."""
    buffers = tuple(replace(b, offset=offset) if b.node == node else b for b in plan.buffers)
    return replace(plan, buffers=buffers)


def test_a_sound_plan_passes() -> None:
    check_export(plan_export(diamond()))
    check_export(plan_export(sequence(9)))


def test_a_buffer_over_another_is_named() -> None:
    broken = moved(plan_export(diamond()), "left", 16)
    match = r"step 3, join \(Add\): reads fork, of which 32 bytes were overwritten"
    with pytest.raises(ExportError, match=match):
        check_export(broken)


def test_a_buffer_outside_of_its_arena_is_named() -> None:
    with pytest.raises(ExportError, match=r"buffer left: does not lie.*bytes 64 to 112"):
        check_export(moved(plan_export(diamond()), "left", 64))


def test_an_arena_beyond_its_memory_is_named() -> None:
    plan = plan_export(diamond())
    arenas = tuple(replace(arena, capacity=95) for arena in plan.arenas)
    with pytest.raises(ExportError, match=r"arena arena: is larger.*at most 95 bytes"):
        check_export(replace(plan, arenas=arenas))


def test_arenas_beyond_the_memory_plan_are_named() -> None:
    plan = plan_export(diamond())
    arenas = tuple(replace(arena, size=100) for arena in plan.arenas)
    with pytest.raises(ExportError, match=r"larger than the memory plan.*found 100 bytes"):
        check_export(replace(plan, arenas=arenas))


def test_reading_what_was_not_written_is_named() -> None:
    plan = plan_export(diamond())
    first, *others = plan.steps
    with pytest.raises(ExportError, match="reads fork, which was not written yet"):
        check_export(replace(plan, steps=(*others, first)))


def test_an_output_that_is_lost_is_named() -> None:
    plan = plan_export(diamond())
    with pytest.raises(ExportError, match="output join at the end: reads fork"):
        check_export(replace(plan, results=(Place("arena", "fork"),)))


def test_a_state_that_a_loop_overwrites_is_named() -> None:
    plan = plan_export(sequence(4))
    state = next(b for b in plan.buffers if b.node == "lstm_cell_state" and b.output == 1)
    other = next(b for b in plan.buffers if b.node == "lstm_inputGateH")
    broken = moved_one(plan, other, state.offset)
    with pytest.raises(ExportError, match="were overwritten"):
        check_export(broken)


def moved_one(plan: ExportPlan, buffer: ArenaBuffer, offset: int) -> ExportPlan:
    buffers = tuple(replace(b, offset=offset) if b is buffer else b for b in plan.buffers)
    return replace(plan, buffers=buffers)


def test_a_step_that_should_copy_and_does_not_is_named() -> None:
    plan = plan_export(sequence(3))
    loop = next(item for item in plan.steps if isinstance(item, ProgramLoop))
    lazy = tuple(
        replace(step, actions=()) if isinstance(step, Step) and step.type == "Memorize" else step
        for step in loop.body
    )
    steps = tuple(replace(item, body=lazy) if item is loop else item for item in plan.steps)
    with pytest.raises(ExportError, match=r"moves nothing, but .* is not what it reads"):
        check_export(replace(plan, steps=steps))


@settings(max_examples=30)
@given(random_graphs())
def test_every_plan_of_a_random_graph_is_sound(view: GraphView) -> None:
    check_export(plan_export(view))
    assert len(prepare(view)) > 0


@settings(max_examples=15)
@given(random_graphs())
def test_plans_for_several_memories_are_sound(view: GraphView) -> None:
    alone = plan_export(view)
    memories = [Memory("near", 300), Memory("far", 10**6)]
    plan = plan_export(view, memories=memories)
    check_export(plan)
    assert [arena.capacity for arena in plan.arenas if arena.memory == "near"] in ([], [300])
    assert {b.symbol for b in plan.buffers} == {b.symbol for b in alone.buffers}
