"""Types of plain values: what fits, and how what does not is named."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np
import pytest

from aidge_nb.core.errors import GraphError
from aidge_nb.core.forms import Many, check_form


class Span(NamedTuple):
    start: int
    stop: int


@dataclass(frozen=True)
class Inner:
    ratio: float
    kind: Literal["a", "b"] = "a"


@dataclass(frozen=True)
class Outer:
    name: str
    parts: tuple[Inner, ...]
    spans: tuple[Span, ...] = ()
    note: str | None = None
    table: dict[str, int] | None = None


NEST: dict[str, Any] = {"count": int}
NEST["body"] = Many([Span, NEST])


@pytest.mark.parametrize(
    ("value", "form"),
    [
        ({"name": "n", "parts": []}, Outer),
        ({"name": "n", "parts": [{"ratio": 1}], "spans": [[0, 1]], "note": None}, Outer),
        ({"name": "n", "parts": [Inner(0.5)], "table": {"a": np.int64(1)}}, Outer),
        (Outer("n", (Inner(0.5),)), Outer),
        ({"count": 2, "body": [[0, 1], {"count": 3, "body": []}]}, NEST),
        ({"a": 1}, {"a": int, "b?": str}),
        (np.bool_(True), bool),
        ([[], {}], list[Any]),
    ],
)
def test_what_fits(value: object, form: Any) -> None:
    check_form(value, form, "doc")


@pytest.mark.parametrize(
    ("value", "form", "message"),
    [
        (7, Outer, "doc: wrong type (expected a mapping, found 7)"),
        ({"parts": []}, Outer, "doc: name: is missing (expected text, found no such field)"),
        ({"name": "n", "parts": [], "x": 1}, Outer, "doc: unknown field (expected name, parts, "),
        ({"name": "n", "parts": [{"ratio": "1"}]}, Outer, "doc: parts[0].ratio: wrong type (exp"),
        ({"name": "n", "parts": [], "spans": [[0]]}, Outer, "doc: spans[0]: has the wrong length"),
        ({"name": "n", "parts": [], "note": 1}, Outer, "doc: note: wrong type (expected text or "),
        ({"name": "n", "parts": [], "table": {"k": "1"}}, Outer, "doc: table['k']: wrong type"),
        (Outer("n", (Inner("x"),)), Outer, "doc: parts[0].ratio: wrong type"),  # type: ignore[arg-type]  # wrong on purpose
        ({"ratio": 1, "kind": "c"}, Inner, "doc: kind: unknown value (expected 'a' or 'b', found"),
        ({"count": 2, "body": [{"count": "3", "body": []}]}, NEST, "doc: body[0].count: wrong t"),
        ({"count": 2, "body": [3]}, NEST, "doc: body[0]: wrong type (expected a list or a mapp"),
        (True, int, "doc: wrong type (expected a whole number, found True)"),
        (1, bool, "doc: wrong type (expected true or false, found 1)"),
        (0.5, int, "doc: wrong type (expected a whole number, found 0.5)"),
        ("x" * 1000, int, "doc: wrong type (expected a whole number, found 'xxxxx"),
    ],
)
def test_what_does_not_fit_is_named(value: object, form: Any, message: str) -> None:
    with pytest.raises(GraphError) as caught:
        check_form(value, form, "doc", GraphError)
    assert str(caught.value).startswith(message)
    assert len(str(caught.value)) < 200


def test_what_is_too_deep_is_refused() -> None:
    nest: dict[str, Any] = {"count": 1, "body": []}
    for _ in range(500):
        nest = {"count": 1, "body": [nest]}
    with pytest.raises(GraphError, match="is nested too deeply"):
        check_form(nest, NEST, "doc", GraphError)
