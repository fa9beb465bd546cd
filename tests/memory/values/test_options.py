"""Options of memory planning: one value, or keywords that change it."""

from __future__ import annotations

import json
import math
from dataclasses import FrozenInstanceError
from typing import Any

import pytest

import aidge_nb
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory import Memory, MemoryPlan, PlanOptions, WhatIf, plan_memory

ALL = PlanOptions(
    inc_producers=True,
    inc_inputs=True,
    alignment=8,
    in_place=False,
    parts=True,
    contiguous=True,
    by_rows=True,
    looped=True,
    effort=1,
    what_if=WhatIf((("a", "b"),), ("c",)),
    memories=[Memory("fast", 64), Memory("slow", 1024, 1)],
)


def test_options_go_through_json() -> None:
    assert PlanOptions.from_dict(json.loads(json.dumps(ALL.to_dict()))) == ALL
    assert PlanOptions.from_dict({}) == PlanOptions()


def test_options_do_not_change_and_print_what_differs_from_the_default() -> None:
    with pytest.raises(FrozenInstanceError):
        ALL.parts = False  # type: ignore[misc]
    assert hash(ALL) == hash(PlanOptions.of(ALL))
    assert repr(PlanOptions()) == "PlanOptions()"
    assert repr(PlanOptions(effort=0, rings=True)) == "PlanOptions(rings=True, effort=0)"


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"part": True}, r"unknown option 'part' \(expected inc_producers, .*memories\)"),
        ({"parts": "yes"}, r"parts: invalid value \(expected True or False, found 'yes'\)"),
        ({"alignment": 0}, r"alignment: invalid value \(expected 1 byte or more, found 0\)"),
        ({"effort": -1}, "effort: invalid value"),
        ({"effort": math.nan}, "effort: invalid value"),
        ({"memories": []}, "memories: invalid value"),
        ({"looped": True, "rings": True}, "looped=True and rings=True cannot be combined"),
    ],
)
def test_wrong_options_are_refused(wrong: dict[str, Any], message: str) -> None:
    with pytest.raises(MemoryPlanError, match=message):
        PlanOptions.of(None, **wrong)
    with pytest.raises(MemoryPlanError, match=message):
        plan_memory(model(), **wrong)


def test_options_of_another_kind_are_refused() -> None:
    with pytest.raises(MemoryPlanError, match=r"options: invalid value \(expected PlanOptions"):
        plan_memory(model(), None, {"parts": True})  # type: ignore[arg-type]


def model() -> aidge_nb.GraphView:
    view = aidge_nb.sequential(
        [aidge_nb.FC(2, 8, name="a"), aidge_nb.ReLU(name="b"), aidge_nb.FC(8, 2, name="c")]
    )
    view.forward_dims([[1, 2]])
    return view


def test_keywords_change_options() -> None:
    base = PlanOptions(in_place=False, alignment=16)
    plan = plan_memory(model(), None, base, in_place=True)
    assert plan.options == PlanOptions(alignment=16)
    assert plan == plan_memory(model(), alignment=16)
    assert plan != plan_memory(model(), options=base)


def test_a_plan_keeps_its_options() -> None:
    view = model()
    plan = plan_memory(view, options=PlanOptions(looped=True, memories=[Memory("m", 100)]))
    again = MemoryPlan.from_dict(json.loads(json.dumps(plan.to_dict())))
    assert (again, again.options) == (plan, plan.options)
    assert plan_memory(view, plan, plan.options) == plan


def test_what_if_names_nodes_of_the_graph() -> None:
    with pytest.raises(MemoryPlanError, match="what_if: the graph has no node 'x'"):
        plan_memory(model(), what_if=WhatIf(in_place=("x",)))
