"""The graph of the API page of the scheduler, and what aidge_core 0.10.1 gave for it."""

from __future__ import annotations

import inspect
from typing import Any

import numpy as np
import pytest

ONE = np.array([[1.0, -2.0, 3.0]], np.float32)
KINDS = ("Scheduler", "SequentialScheduler", "ParallelScheduler")
RUNNING = KINDS[1:]


def core() -> Any:
    import aidge_core

    return aidge_core


def model() -> Any:
    """Make fc → relu → (left | right) → add."""
    ac = core()
    nodes = {name: getattr(ac, kind)(name=name) for name, kind in _KINDS.items()}
    nodes["fc"] = ac.FC(3, 3, name="fc")
    for first, second, index in _EDGES:
        nodes[first].add_child(nodes[second], 0, index)
    for index, values in ((1, np.eye(3, dtype=np.float32)), (2, np.zeros(3, np.float32))):
        nodes["fc"].get_parent(index).get_operator().set_output(0, ac.Tensor(values))
    view = ac.get_connected_graph_view(nodes["fc"])
    view.compile("cpu", ac.dtype.float32, dims=[[1, 3]])
    return view


_KINDS = {"relu": "ReLU", "left": "Tanh", "right": "Sigmoid", "last": "Tanh", "add": "Add"}
_EDGES = (
    ("fc", "relu", 0),
    ("relu", "left", 0),
    ("relu", "right", 0),
    ("right", "last", 0),
    ("left", "add", 0),
    ("last", "add", 1),
)
ORDER = ["fc_w", "fc_b", "fc", "relu", "left", "right", "last", "add"]
STEPS = {"fc": (1, 1), "relu": (2, 2), "left": (3, 4), "right": (3, 3), "last": (4, 4)}


def made(kind: str, *arguments: Any, **named: Any) -> Any:
    scheduler = getattr(core(), kind)(model(), *arguments, **named)
    scheduler.generate_scheduling()
    return scheduler


def names(elements: Any) -> list[str]:
    return [(each.node if hasattr(each, "node") else each).name() for each in elements]


def each_kind(first: int, second: int, third: int) -> pytest.MarkDecorator:
    lines = zip(KINDS, (first, second, third), strict=True)
    return pytest.mark.parametrize("kind", [pytest.param(k, id=f"{k}-line{n}") for k, n in lines])


def parameters(kind: str, method: str) -> list[tuple[str, Any]]:
    found = inspect.signature(getattr(getattr(core(), kind), method)).parameters.values()
    empty = inspect.Parameter.empty
    return [(p.name, ... if p.default is empty else p.default) for p in found][1:]
