"""Plans with any options run in the arena, with the bits of an ordinary run."""

from __future__ import annotations

from dataclasses import replace
from itertools import chain, combinations
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb.graph import GraphView
from aidge_nb.memory import Memory, PlanOptions, plan_memory
from aidge_nb.runtime import check_execution, run_in_arena
from tests.runtime.arena.test_in_arena import expanded_lstm
from tests.runtime.models import random_inputs, zoo_view

CHANGES: dict[str, Any] = {
    "parts": True,
    "by_rows": True,
    "looped": True,
    "rings": True,
    "inc_producers": True,
    "memories": (Memory("fast", 4096), Memory("slow", 1 << 24)),
}
CHOSEN = [
    names
    for names in chain.from_iterable(combinations(CHANGES, count) for count in (0, 1, 2))
    if names != ("looped", "rings")  # excluded by PlanOptions
]


def model(name: str) -> GraphView:
    return expanded_lstm() if name == "lstm" else zoo_view(name)


@pytest.mark.parametrize("names", CHOSEN, ids="+".join)
@pytest.mark.parametrize("name", ["lstm", "squeezenet"])
def test_a_plan_with_any_options_runs(name: str, names: tuple[str, ...]) -> None:
    graph = model(name)
    options = replace(PlanOptions(effort=0.0), **{each: CHANGES[each] for each in names})
    plan = plan_memory(graph, aidge_nb.static_schedule(graph), options)
    inputs = random_inputs(graph)
    expected = aidge_nb.SequentialScheduler(graph).forward(data=inputs)
    run = run_in_arena(graph, plan, inputs)
    for found, right in zip(run.outputs, expected, strict=True):
        assert found.tobytes() == np.asarray(right).tobytes()
    assert run.touched <= plan.peak == run.arena_bytes
    check_execution(graph, plan, inputs)
