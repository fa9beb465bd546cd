"""Mutated texts: read and shown, or refused with an error of ours; what is shown runs nothing."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator
from typing import Any

import pytest

from aidge_nb.core.errors import AidgeError, ExportError, HardwareError, MemoryPlanError
from tests.hostile.names import WORST
from tests.hostile.test_values import ERRORS, KINDS, changed, values
from tests.hostile.text_fuzz import _Tags, doors, mutated_text, show, text_failures


def test_mutated_texts_end_in_errors_of_ours() -> None:
    assert list(text_failures(range(150))) == []


@pytest.mark.slow
def test_of_many_mutated_texts() -> None:
    assert list(text_failures(range(1000, 11_000))) == []


def test_every_door_is_tried() -> None:
    tried = [mutated_text(seed) for seed in range(300)]
    assert {name for name, _ in tried} == set(doors())
    assert tried == [mutated_text(seed) for seed in range(300)]
    assert sum(text != doors()[name].text for name, text in tried) > 250


def texts_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        yield from (text for each in value.values() for text in texts_in(each))
    elif isinstance(value, list):
        yield from (text for each in value for text in texts_in(each))
    elif isinstance(value, str):
        yield value


def renamed(value: Any, old: str, new: str) -> Any:
    if isinstance(value, dict):
        return {new if k == old else k: renamed(each, old, new) for k, each in value.items()}
    if isinstance(value, list):
        return [renamed(each, old, new) for each in value]
    return new if value == old else value


@pytest.mark.parametrize("kind", KINDS)
def test_a_hostile_name_in_a_saved_value_stays_text(kind: str) -> None:
    """The same name everywhere that another one was, so that what names it is still right."""
    value = values()[kind]
    text = json.dumps(value.to_dict())
    rng = random.Random(0)
    names = sorted(set(texts_in(json.loads(text))))
    for old in rng.sample(names, min(len(names), 6 if kind in ("mapping", "training") else 25)):
        new = WORST["markup"] if rng.random() < 0.5 else rng.choice(sorted(WORST.values()))
        try:
            found = type(value).from_dict(renamed(json.loads(text), old, new))
        except ERRORS[kind]:
            continue
        show(found)


def test_the_test_sees_markup() -> None:
    for text in ("<script>", "<b onclick=''>", f"<p>{WORST['markup']}</p>"):
        with pytest.raises(RuntimeError, match="the page runs"):
            _Tags().feed(text)


STEP = ("steps", 0)
CALL = (*STEP, "actions", 0)
TILE = ("tiles", 0)
PART = (*TILE, "parts", 0)
CONTRADICTIONS: list[tuple[str, tuple[Any, ...], Any, str]] = [
    ("schedule", ("firings", 4, 0), -1, "firings: no such actor .expected a number below 22"),
    ("schedule", ("firings", 4, 0), 22, "firings: no such actor .*, found 22"),
    ("schedule", ("parents", 2), [99], r"parents\[2\]: no such actor"),
    ("schedule", ("remaining",), [0], "remaining: has the wrong length .expected 22, found 1"),
    ("schedule", ("firings", 0), {"count": 0, "body": [], "shifts": []}, "count: is not positive"),
    (
        "schedule",
        ("firings", 0),
        {"count": 2, "body": [[3, 0, 1, 1]], "shifts": [[4, 1, 1, 1]]},
        "shifts: are not those of the actors in it .expected 3, found 4",
    ),
    ("schedule", ("firings", 0, 2), 1 << 70, "is too large .expected a number below 2..63"),
    ("plan", ("buffers", 0, "kind"), "gold", r"buffers\[0\].kind: unknown value .*'gold'"),
    ("tiling", ("halo",), "gold", "halo: unknown value .expected 'recompute' or 'cache'"),
    ("tiling", ("tiles",), [], "tiles: is empty"),
    ("tiling", ("axes",), [7], "axes: no such axis .expected numbers below 4, found 7"),
    ("tiling", ("grid",), [2, 2], "grid: has the wrong length .expected 1, found 2"),
    ("tiling", (*TILE, "parts"), [], r"tiles\[0\].parts: is empty"),
    ("tiling", (*PART, "node"), "gold", r"parts\[0\].node: is none of the nodes"),
    ("tiling", (*PART, "needed"), [[0, 1]], r"parts\[0\].needed: has the wrong rank"),
    ("tiling", (*PART, "inputs"), [], r"inputs: have other ranks than those before"),
    ("mapping", ("steps", 0, "work"), "gold", r"steps\[0\].work: unknown .*found 'gold'"),
    ("mapping", ("placements", 0, "memory"), "gold", r"placements\[0\].memory: unknown"),
    ("mapping", ("clock",), 0, "clock: wrong value .expected a frequency above 0"),
    ("export", ("name",), "a b", "name: is no identifier of C"),
    ("export", (*CALL, "function"), "system('ls')", r"function: is no identifier of C"),
    ("export", (*CALL, "unit"), "../../etc/passwd", r"unit: is no identifier of C"),
    ("export", (*CALL, "operands"), [], r"operands: has the wrong length"),
    ("export", (*CALL, "operands", 0, "name"), "gold", r"operands\[0\].name: unknown"),
    ("export", (*CALL, "operands", 0, "kind"), "gold", r"operands\[0\].kind: unknown"),
    ("export", (*STEP, "strides"), [1], r"strides: has the wrong length"),
    ("export", ("stack_by",), [], "stack_by: is empty"),
    ("export", ("results",), [], "results: has the wrong length"),
    ("export", ("buffers", 0, "arena"), "gold", r"buffers\[0\].arena: unknown"),
]


@pytest.mark.parametrize(
    ("kind", "path", "odd", "message"),
    CONTRADICTIONS,
    ids=[f"{n} {kind}" for n, (kind, *_) in enumerate(CONTRADICTIONS)],
)
def test_a_value_that_contradicts_itself(
    kind: str, path: tuple[Any, ...], odd: Any, message: str
) -> None:
    value = values()[kind]
    with pytest.raises(ERRORS[kind], match=message):
        type(value).from_dict(changed(json.dumps(value.to_dict()), path, odd))


def test_errors_inside_are_those_of_the_value() -> None:
    for kind, field, error in (
        ("export", ("memory", "buffers", 0, "kind"), ExportError),
        ("fit", ("plan", "buffers", 0, "kind"), MemoryPlanError),
    ):
        value = values()[kind]
        with pytest.raises(error, match="kind: unknown value"):
            type(value).from_dict(changed(json.dumps(value.to_dict()), field, "gold"))
    mapping = values()["mapping"].to_dict()
    tiled = next(n for n, work in enumerate(mapping["works"]) if work["tiling"])
    given = changed(json.dumps(mapping), ("works", tiled, "tiling", "tiles"), [])
    with pytest.raises(HardwareError, match="mapping: tiling: tiles: is empty"):
        type(values()["mapping"]).from_dict(given)
    assert issubclass(HardwareError, AidgeError)
