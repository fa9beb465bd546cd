"""Saved values and descriptions that somebody changed: read, or refused with an error of ours."""

from __future__ import annotations

import json
import pickle
import random
import re
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest

from aidge_nb import advice, hardware, learning, plan_memory, static_schedule
from aidge_nb.core.errors import AidgeError, HardwareError
from aidge_nb.export import plan_export
from aidge_nb.memory.values.options import PlanOptions
from aidge_nb.tiling import plan_tiling
from tests.runtime.models import zoo_view

ODD: tuple[Any, ...] = (None, "x", -1, 3.5, [], {}, [[]], True, 1 << 70, {"is": "x"}, {"kind": "x"})


def deep(levels: int) -> list[Any]:
    made: list[Any] = []
    for _ in range(levels):
        made = [made]
    return made


@cache
def values() -> dict[str, Any]:
    view = zoo_view("lenet")
    schedule = static_schedule(view)
    plan = plan_memory(view, schedule)
    return {
        "schedule": schedule,
        "plan": plan,
        "options": PlanOptions(),
        "tiling": plan_tiling(view, [view.get_node("conv1")], {2: 2}),
        "mapping": hardware.map_schedule(view, hardware.target("quad_cluster")),
        "export": plan_export(view),
        "finding": advice.plan_findings(plan, None)[0],
        "report": advice.memory_report(view),
        "fit": advice.fit(view, 1 << 20),
        "training": learning.backward_memory(view),
    }


KINDS = (
    *("schedule", "plan", "options", "tiling", "mapping", "export", "finding", "report", "fit"),
    "training",
)


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    keys = value if isinstance(value, dict) else range(len(value)) if type(value) is list else ()
    for key in keys:
        yield from places(value[key], (*path, key))


def changed(text: str, path: tuple[Any, ...], odd: Any) -> Any:
    whole = json.loads(text)
    if not path:
        return odd
    inner = whole
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = odd
    return whole


@pytest.mark.parametrize("kind", KINDS)
def test_saved_values_that_were_changed(kind: str) -> None:
    value = values()[kind]
    text = json.dumps(value.to_dict())
    every = list(places(json.loads(text)))
    assert type(value).from_dict(json.loads(text)) == value
    refused = 0
    for path in random.Random(0).sample(every, min(60, len(every))):
        for odd in (*ODD, deep(5000)):
            try:
                type(value).from_dict(changed(text, path, odd))
            except AidgeError:
                refused += 1
    assert refused


@pytest.mark.parametrize("kind", [*KINDS, "target", "constraints"])
def test_values_can_be_pickled(kind: str) -> None:
    target = hardware.target("quad_cluster")
    constraints = hardware.Constraints("mcu", memory={"ram": 1024})
    value = {**values(), "target": target, "constraints": constraints}[kind]
    assert pickle.loads(pickle.dumps(value)) == value


@pytest.mark.parametrize("name", hardware.TARGETS)
def test_descriptions_that_were_changed(name: str) -> None:
    text = json.dumps(hardware.target(name).to_dict())
    for path in places(json.loads(text)):
        for odd in (*ODD, float("nan"), float("inf"), {3: 4}, "1e999KiB", "*", 10**400):
            try:
                hardware.as_target(changed(text, path, odd))
            except HardwareError:
                continue


TEXTS = {
    "deep JSON": '{"a":' + "[" * 100_000 + "]" * 100_000 + "}",
    "deep YAML": "a: " + "[" * 3000 + "]" * 3000,
    "deep mappings": "\n".join(" " * level + "a:" for level in range(2000)),
    "many digits": '{"device": ' + "9" * 5000 + "}",
    "many digits in YAML": "device: " + "9" * 5000,
    "no digits": "device: 0x_",
    "a month": "device: 2020-13-45",
    "an hour": "device: 2001-12-14t99:59:43.10-05:00",
    "an integer": "device: !!int x",
    "a number": "device: !!float x",
    "a truth": "device: !!bool x",
    "a time": "device: !!timestamp x",
    "an alias": "device: &a [*a]",
    "an object": "device: !!python/object:os.system x",
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_texts_that_no_description_has(text: str) -> None:
    for read in (
        lambda: hardware.read_target(text, "t.yaml"),
        lambda: hardware.read_constraints(text, hardware.target("mcu"), "t.yaml"),
    ):
        with pytest.raises(HardwareError, match=r"^t\.yaml") as caught:
            read()
        assert len(str(caught.value)) < 1000
        assert re.fullmatch(r"[^\x00-\x09\x0b-\x1f]*", str(caught.value))
