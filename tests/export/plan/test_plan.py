"""Export plans are values: comparable, printable, and JSON keeps all of them."""

from __future__ import annotations

import json
from dataclasses import FrozenInstanceError

import pytest

from aidge_nb.core.errors import ExportError
from aidge_nb.export import ExportPlan, plan_export
from aidge_nb.graph import GraphView
from tests.export.models import diamond, sequence, zoo_small


@pytest.mark.parametrize("view", [diamond(), sequence(4), zoo_small("lenet")], ids=GraphView.name)
def test_json_keeps_a_plan(view: GraphView) -> None:
    plan = plan_export(view)
    again = ExportPlan.from_dict(json.loads(json.dumps(plan.to_dict())))
    assert again == plan
    assert repr(again) == repr(plan)


def test_planning_twice_gives_the_same() -> None:
    assert plan_export(diamond()) == plan_export(diamond())


def test_planning_leaves_the_graph_as_it_was() -> None:
    view = sequence(3)
    before = view.snapshot()
    plan_export(view)
    assert view.snapshot() == before


def test_a_plan_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        plan_export(diamond()).name = "other"  # type: ignore[misc]  # that is the point


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({}, "is: unknown kind of part .*found None"),
        ({"is": "Poem"}, "is: unknown kind of part .*found 'Poem'"),
        ({"is": "Place", "verse": 1}, "cannot be read"),
    ],
)
def test_what_is_no_plan_is_refused(values: dict[str, object], message: str) -> None:
    with pytest.raises(ExportError, match=f"export plan: {message}"):
        ExportPlan.from_dict(values)


def test_the_text_says_how_large_it_is() -> None:
    text = "ExportPlan(diamond for host: 3 entries, arena 96 bytes, parameters 0 bytes)"
    assert repr(plan_export(diamond())) == text
