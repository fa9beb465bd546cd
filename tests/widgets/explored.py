"""A small network behind controls, and what tests ask of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import aidge_nb
from aidge_nb.graph.view import GraphView
from aidge_nb.widgets.live.controls import Explorer


def network() -> GraphView:
    convs = [
        aidge_nb.PaddedConv2D(3 if n == 0 else 8, 8, [3, 3], f"conv{n}", None, [1, 1, 1, 1])
        for n in range(3)
    ]
    view = aidge_nb.sequential([*convs, aidge_nb.MaxPooling2D([4, 4], "pool", [4, 4])])
    view.forward_dims([[1, 3, 32, 32]])
    return view


def peak(explorer: Explorer) -> int:
    memory = explorer.bench.scene.memory
    assert memory is not None
    return memory.peak


def move(explorer: Explorer, **changes: Any) -> None:
    explorer.settings = replace(explorer.settings, **changes)
