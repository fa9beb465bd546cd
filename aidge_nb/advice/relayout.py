"""Lay out the buffers of a plan again: what a plan alone, without its graph, can be told to do."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING

from aidge_nb.advice.findings import ChangeFinding
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory.check.plan import check_plan
from aidge_nb.memory.place.planners import plan as place

if TYPE_CHECKING:
    from collections.abc import Iterable

    from aidge_nb.memory.values.plan import Buffer, MemoryPlan

MOST_BUFFERS = 2000
"""Buffers up to which it takes little time."""

PYTHON = "plan = aidge_nb.advice.lay_out_again(plan)"
"""The line that does it."""


def lay_out_again(plan: MemoryPlan, effort: float = 0.02) -> MemoryPlan:
    """Search for other addresses of the same buffers, and return the plan with the lower peak.

    Buffers that share bytes (results in place, views, parts) move together, as one block.

    Parameters
    ----------
    plan
        The plan. It is returned as it is when its peak is its lower bound, when its buffers lie in
        several memories or break a rule, and when no lower peak is found.
    effort
        How long to search, as for :func:`~aidge_nb.memory.plan`.

    Examples
    --------
    >>> from aidge_nb.memory import Buffer, MemoryPlan
    >>> two = (Buffer("a", "a", 0, 64, 0, 1, 0), Buffer("b", "b", 0, 64, 1, 2, 64))
    >>> lay_out_again(MemoryPlan(("a", "b"), two, 128, 64)).peak
    64
    """
    if plan.peak <= plan.lower_bound or plan.memories or len(plan.buffers) > MOST_BUFFERS:
        return plan
    groups = [group for group in _sharing(plan.buffers) if any(each.size for each in group)]
    bases = [min(low for each in group for low, _ in each.intervals) for group in groups]
    blocks = [
        (
            min(each.lower for each in group),
            max(each.upper for each in group),
            max(each.end for each in group) - base,
        )
        for group, base in zip(groups, bases, strict=True)
    ]
    with suppress(MemoryPlanError):
        placed = place(blocks, alignment=plan.alignment, effort=effort)
        moved = {
            each.name: _moved(each, offset - base)
            for group, base, offset in zip(groups, bases, placed.offsets, strict=True)
            for each in group
        }
        buffers = tuple(moved.get(each.name, each) for each in plan.buffers)
        found = replace(plan, buffers=buffers, peak=max((each.end for each in buffers), default=0))
        check_plan(found)
        return found if found.peak < plan.peak else plan
    return plan


def layout_change(plan: MemoryPlan) -> tuple[ChangeFinding, ...]:
    """Return another layout of the same buffers as a finding; none if no lower peak is found."""
    found = lay_out_again(plan)
    if found is plan:
        return ()
    return (ChangeFinding(("layout",), plan.peak, found, python=PYTHON, limit=0.0),)


def _sharing(buffers: Iterable[Buffer]) -> list[list[Buffer]]:
    """Group the buffers that share bytes with each other."""
    group_of: dict[str, list[Buffer]] = {}
    for each in buffers:
        own = [each]
        for other in {id(g): g for n in each.shares_with if (g := group_of.get(n))}.values():
            own += other
        group_of |= dict.fromkeys((member.name for member in own), own)
    return list({id(group): group for group in group_of.values()}.values())


def _moved(buffer: Buffer, by: int) -> Buffer:
    wrapped = buffer.wrapped_offset + by if buffer.wrapped_size else 0
    return replace(buffer, offset=buffer.offset + by, wrapped_offset=wrapped)
