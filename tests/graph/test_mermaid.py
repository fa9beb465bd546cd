"""Flowcharts as Mermaid text."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

import pytest

from aidge_nb import ops
from aidge_nb.graph import GraphView, residual, sequential, to_mermaid
from tests.graph.nodes import loop, unit

Golden = Callable[[str, str], None]


def _small() -> GraphView:
    body = sequential(
        [ops.PaddedConv2D(3, 3, [3, 3], name="conv", padding_dims=[1, 1, 1, 1]), ops.ReLU()]
    )
    return residual([ops.ReLU(name="first"), body, ops.Add(name="sum")], "small")


def test_without_dims(golden: Golden) -> None:
    golden("small.mmd", to_mermaid(_small()))


def test_with_dims_and_producers(golden: Golden) -> None:
    view = _small()
    view.forward_dims([[1, 3, 4, 4]])
    golden("small_dims.mmd", to_mermaid(view, producers=True))


def test_cycles_are_dotted() -> None:
    memory, body = loop("m"), unit("body")
    memory.add_child(body, 1, 0)
    body.add_child(memory, 0, 0)
    view = GraphView()
    view.add([memory, body])
    text = to_mermaid(view)
    assert "Memorize_0 --> Unit_0" in text
    assert "Unit_0 -.-> Memorize_0" in text


def test_save_adds_the_suffix(tmp_path: Path) -> None:
    view = _small()
    view.save(tmp_path / "graph")
    assert (tmp_path / "graph.mmd").read_text(encoding="utf-8") == to_mermaid(view)


@pytest.mark.parametrize(
    "name",
    ['a "b"', "<b>x</b>", "a#b;", "`x`", "two\nlines", "a:b", "end", "%%x", "a\\b", "[x](y)"],
)
def test_names_do_not_break_the_text(name: str) -> None:
    line = to_mermaid(sequential([unit(name)])).split("\n")[3]
    assert re.fullmatch(
        r'Unit_0\("[^"<>`]*<br/><sub><em>\(Unit#35;0\)</em></sub>"\):::genericCls', line
    )


@pytest.mark.parametrize("kind", ["com.ms:Fused", "a b", "x-y", "end", "Été", "a(b)", '"', "1d"])
def test_types_do_not_break_the_text(kind: str) -> None:
    view = sequential([unit("a", kind=kind), unit("b", kind=kind)])
    text = to_mermaid(view)
    assert 'node_0("a<br/>' in text
    assert "node_0 --> node_1" in text


def test_types_that_differ_in_signs_alone_stay_apart() -> None:
    view = sequential([unit("a", kind="x-y"), unit("b", kind="x.y")])
    identifiers = [line.split("(")[0] for line in to_mermaid(view).split("\n")[3:5]]
    assert len(set(identifiers)) == 2
