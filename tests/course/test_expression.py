"""Expressions of C that answer a task: what they compute, and what cannot be read."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from aidge_nb.course.tasks.expression import ExpressionError, evaluate

KERNELS: list[tuple[str, Callable[[Any], Any]]] = [
    ("x > 0.0f ? x : 0.0f", lambda x: np.maximum(x, 0)),
    ("fmaxf(x, -1.5f) * 2", lambda x: np.fmax(x, np.float32(-1.5)) * np.float32(2)),
    ("(x >= 1) - (x < -1) / 4.0f", lambda x: (x >= 1) - (x < -1) / np.float32(4)),
    ("x == 0 ? 1 : x != 2 ? -x : fabsf(x)", lambda x: np.where(x == 0, 1, np.where(x != 2, -x, 2))),
    (".5f + +x - 1e-1", lambda x: (np.float32(0.5) + x) - np.float32(0.1)),
]


@pytest.mark.parametrize(("text", "same"), KERNELS)
def test_expressions_of_c(text: str, same: Callable[[Any], Any]) -> None:
    x = np.arange(-4, 5).astype(np.float32) / np.float32(2)
    assert evaluate(text, x).tolist() == np.asarray(same(x), np.float32).tolist()


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "ends too early"),
        ("x +", "ends too early"),
        ("(x", "')' is missing"),
        ("x x", "one too many"),
        ("y", "unknown name 'y'"),
        ("fmaxf(x)", "takes 2, and 1 are given"),
        ("x ? 1", "':' is missing"),
        ("__import__('os')", "cannot be read"),
        ("x" * 500, "more than 400 characters"),
        ("(" * 40 + "x" + ")" * 40, "nested too deeply"),
    ],
)
def test_expressions_that_cannot_be_read(text: str, problem: str) -> None:
    with pytest.raises(ExpressionError, match=re.escape(problem)):
        evaluate(text, np.zeros(1, np.float32))


def test_the_address_stands_in_the_c_text(tmp_path: Path) -> None:
    from aidge_nb.course.graphs import five_layers
    from aidge_nb.export import export

    view = five_layers()
    export(view, tmp_path / "net", name="net")
    text = "".join(path.read_text("utf-8") for path in (tmp_path / "net").rglob("*.[ch]"))
    assert re.search(r"define AT_POOL .*\[576\]", text)
