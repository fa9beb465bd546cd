"""Validate memory plans."""

from __future__ import annotations

from aidge_nb.core.errors import MemoryPlanError, explain
from aidge_nb.memory.values.plan import MemoryPlan


def check_is_plan(plan: object) -> None:
    """Refuse what is no memory plan.

    Raises
    ------
    MemoryPlanError
        Telling where the plan is, if it is part of what was given.
    """
    if not isinstance(plan, MemoryPlan):
        inside = isinstance(getattr(plan, "plan", None), MemoryPlan)
        raise MemoryPlanError(
            explain(
                "plan",
                "is no memory plan",
                expected="a MemoryPlan",
                found=type(plan).__name__,
                cure="Pass its .plan." if inside else "plan_memory(view, order) makes one.",
            )
        )
