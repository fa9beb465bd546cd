"""Read the file that ``aidge-nb plan`` is asked about."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aidge_nb.cli.text import complain
from aidge_nb.core.errors import MemoryPlanError

if TYPE_CHECKING:
    from aidge_nb.memory.values.live_range import LiveRange
    from aidge_nb.memory.values.plan import MemoryPlan


@dataclass(frozen=True)
class GivenPlan:
    """Content of a file: buffers to place, their offsets if it has some, and the sound plan."""

    problem: dict[str, LiveRange]
    offsets: list[int] | None
    plan: MemoryPlan | None
    alignment: int


def read_given(
    path: str, alignment: int | None, *, arena: str | None = None, is_check: bool = False
) -> GivenPlan:
    """Read a file; offsets of a CSV that break a rule are noted, and placed again."""
    from aidge_nb.advice.relayout import blocks_of
    from aidge_nb.memory.place.problem import read_solution
    from aidge_nb.plan_io.read import FORMATS, content_of, format_of, text_of
    from aidge_nb.plan_io.table import is_own_table

    content, where = content_of(path)
    form = format_of(content)
    if arena is None and form is FORMATS[-1] and not is_own_table(text := text_of(content, where)):
        problem, offsets = read_solution(text, where)
        plan = None
        if offsets and not is_check:
            try:
                plan = form.read(content, where)
            except MemoryPlanError as error:
                complain(f"note: {error}\n")
        return GivenPlan(problem, offsets, plan, 1 if alignment is None else alignment)
    plan = form.read(content, where, arena)
    problem, offsets = blocks_of(plan)
    return GivenPlan(problem, offsets, plan, plan.alignment if alignment is None else alignment)
