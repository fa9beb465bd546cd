"""The chain of values: each step takes what the step before returned, and enters few files."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import numpy as np
import pytest

import aidge_nb
from tests.house import FOLDERS, ROOT

T = TypeVar("T")

IMAGE = np.linspace(-1, 1, 100, dtype=np.float32).reshape(1, 1, 10, 10)


@pytest.fixture
def graph() -> aidge_nb.GraphView:
    """Make four nodes with seeded weights."""
    graph = aidge_nb.sequential(
        [
            aidge_nb.Conv2D(1, 4, [3, 3], "conv"),
            aidge_nb.ReLU("relu"),
            aidge_nb.MaxPooling2D([2, 2], "pool", [2, 2]),
            aidge_nb.Softmax(1, "softmax"),
        ]
    )
    graph.set_backend("cpu")
    aidge_nb.init_weights(graph, seed=1)
    graph.forward_dims([[1, 1, 10, 10]])
    return graph


def entered(call: Callable[..., T], *arguments: Any, **named: Any) -> tuple[T, list[str]]:
    """Return the result of a call and the files of this package whose functions it ran."""
    files: set[str] = set()

    def note(frame: FrameType, event: str, argument: Any) -> None:
        if event == "call" and frame.f_code.co_name != "<module>":
            files.add(frame.f_code.co_filename)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        result = call(*arguments, **named)
    finally:
        sys.setprofile(before)
    real = {Path(name).resolve() for name in files if name.endswith(".py")}
    ours = [path.relative_to(ROOT) for path in real if path.is_relative_to(ROOT)]
    return result, sorted(str(path) for path in ours if path.parts[0] in FOLDERS)


MOST_FILES = {"static_schedule": 15, "plan_memory": 20, "run_in_arena": 22, "export": 60}
"""Files that each step enters on four nodes, at most."""


def steps(graph: aidge_nb.GraphView, folder: Path) -> dict[str, list[str]]:
    """Walk along the chain; return the files that each step entered."""
    schedule, of_schedule = entered(aidge_nb.static_schedule, graph)
    plan, of_plan = entered(aidge_nb.plan_memory, graph, schedule)
    ran, of_run = entered(aidge_nb.run_in_arena, graph, plan, [IMAGE])
    package, of_export = entered(aidge_nb.export.export, graph, folder, plan=plan)
    assert ran.outputs[0].shape == (1, 4, 4, 4)
    assert package.plan.memory.peak == plan.peak
    return {
        "static_schedule": of_schedule,
        "plan_memory": of_plan,
        "run_in_arena": of_run,
        "export": of_export,
    }


def test_each_step_takes_the_one_before_and_enters_few_files(
    graph: aidge_nb.GraphView, tmp_path: Path
) -> None:
    steps(graph, tmp_path / "cold")  # modules bind their operators
    found = steps(graph, tmp_path / "warm")
    too_many = {
        step: (len(files), files) for step, files in found.items() if len(files) > MOST_FILES[step]
    }
    assert not too_many
