"""Saved values and descriptions that somebody changed: read, or refused with an error of ours."""

from __future__ import annotations

import json
import pickle
import random
import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from aidge_nb import advice, hardware, learning, plan_memory, static_schedule
from aidge_nb.core.errors import (
    AidgeError,
    ExportError,
    GraphError,
    HardwareError,
    MemoryPlanError,
    SchedulingError,
)
from aidge_nb.course.release import main, release
from aidge_nb.export import plan_export
from aidge_nb.export.write.project import MADE_BY, MANIFEST, check_folder
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


ERRORS: dict[str, type[AidgeError]] = {
    "schedule": SchedulingError,
    "plan": MemoryPlanError,
    "options": MemoryPlanError,
    "tiling": GraphError,
    "mapping": HardwareError,
    "export": ExportError,
    "finding": AidgeError,
    "report": MemoryPlanError,
    "fit": MemoryPlanError,
    "training": MemoryPlanError,
}
"""The documented error of each."""


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


JSON: tuple[Any, ...] = (None, True, 7, 0.5, "text", [], {}, ["text"], {"text": 7})
"""A value or two of each type that JSON has."""


def different(text: str) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Yield the places of a document, one of each kind, and a value of every other JSON type."""
    seen = set()
    for path in places(json.loads(text)):
        shape = tuple(key if isinstance(key, str) else "*" for key in path)
        present = json.loads(text)
        for key in path:
            present = present[key]
        if (shape, type(present)) not in seen:
            seen.add((shape, type(present)))
            yield from ((path, odd) for odd in JSON if type(odd) is not type(present))


@pytest.mark.parametrize("kind", KINDS)
def test_each_field_of_another_type_is_named(kind: str) -> None:
    value = values()[kind]
    text = json.dumps(value.to_dict())
    refused = 0
    for path, odd in different(text):
        given = changed(text, path, odd)
        try:
            found = type(value).from_dict(given)
        except ERRORS[kind] as error:
            message = str(error)
            refused += 1
        else:  # a type that the field may have as well: nothing was converted
            assert json.loads(json.dumps(found.to_dict())) == given, path
            continue
        fields = [key for key in path if isinstance(key, str)]
        assert not fields or fields[-1] in message, (path, odd, message)
        assert re.search(r"\(expected .*, found .*\)", message), (path, odd, message)
    assert refused


@pytest.mark.parametrize("name", ["mcu", "quad_cluster", "duo_soc"])
def test_each_field_of_a_description_of_another_type_is_named(name: str) -> None:
    text = json.dumps(hardware.target(name).to_dict())
    check_named(text, lambda made: hardware.read_target(made))


def test_each_field_of_constraints_of_another_type_is_named() -> None:
    target = hardware.target("quad_cluster")
    given = hardware.Constraints("quad_cluster", {"l2": 1024}, ("cluster/0/pe",), 0.5)
    text = json.dumps(given.to_dict())
    assert hardware.read_constraints(text, target) == given
    check_named(text, lambda made: hardware.read_constraints(made, target))


def check_named(text: str, read: Callable[[str], object]) -> None:
    """Check that each field of another type is refused by name, and that null leaves a key out."""
    refused = 0
    for path, odd in different(text):
        if not path:
            continue
        found = outcome(changed(text, path, odd), read)
        if odd is None and not is_part(path):
            assert str(found) == str(outcome(left_out(text, path), read)), path
        elif isinstance(found, HardwareError):
            refused += 1
            fields = [key for key in path if isinstance(key, str)]
            assert fields[-1] in str(found), (path, odd, str(found))
        else:
            assert isinstance(odd, (int, float)), (path, odd)  # another number
    assert refused


def outcome(values: Any, read: Callable[[str], object]) -> object:
    """Return what is read, or the error."""
    try:
        return read(json.dumps(values))
    except HardwareError as error:
        return error


def left_out(text: str, path: tuple[Any, ...]) -> Any:
    """Return a document without the value at a place."""
    whole = json.loads(text)
    inner = whole
    for key in path[:-1]:
        inner = inner[key]
    del inner[path[-1]]
    return whole


def is_part(path: tuple[Any, ...]) -> bool:
    """Whether a place is an item of a list, or has a name that somebody chose."""
    by_name = ("memories", "devices", "memory", "cycles")
    return isinstance(path[-1], int) or path[-2:-1] in tuple((name,) for name in by_name)


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


CELLS = ("cells", 0)


@pytest.mark.parametrize(
    "path",
    [(), CELLS[:1], CELLS, (*CELLS, "cell_type"), (*CELLS, "source"), (*CELLS, "source", 0)],
)
def test_notebooks_of_another_form_are_refused(path: tuple[Any, ...], tmp_path: Path) -> None:
    cell = {"cell_type": "code", "source": ["a = 1\n", "b = 2"], "outputs": [], "metadata": {}}
    text = json.dumps({"cells": [cell], "nbformat": 4})
    for odd in (None, True, 7, 0.5, {}, {"text": 7}, [7]):
        with pytest.raises(AidgeError, match=r"^n.ipynb.*\(expected .*, found .*\)") as caught:
            release(changed(text, path, odd), "n.ipynb")
        fields = [key for key in path if isinstance(key, str)]
        assert not fields or fields[-1].removesuffix("s") in str(caught.value)
    source = tmp_path / "source"
    source.mkdir()
    for made in (json.dumps(changed(text, path, 7)), "{", "[" * 100_000):
        (source / "n.ipynb").write_text(made)
        assert main([str(source), str(tmp_path / "release")]) == 2


@pytest.mark.parametrize("text", ["7", "[]", '{"files": 7}', '{"files": [[]]}', "[" * 100_000])
def test_a_manifest_of_another_form_is_none_of_an_export(text: str, tmp_path: Path) -> None:
    made = text.replace("{", f'{{"made_by": "{MADE_BY}", ')
    (tmp_path / MANIFEST).write_text(made)
    with pytest.raises(ExportError, match="was not made by an export"):
        check_folder(tmp_path)
