"""Loops of a schedule stay loops: sources do not grow, and no bit differs."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

import aidge_nb
from aidge_nb.core.errors import ExportError
from aidge_nb.export import check_export, export, plan_export
from aidge_nb.export.plan.parts import ProgramLoop
from aidge_nb.graph import GraphView
from aidge_nb.scheduling.model.conditional import tag_conditional_nodes
from tests.export.models import check_package, sequence


def test_a_loop_of_the_schedule_is_a_loop_of_the_plan() -> None:
    plan = plan_export(sequence(7))
    check_export(plan)
    loops = [item for item in plan.steps if isinstance(item, ProgramLoop)]
    assert [loop.count for loop in loops] == [7]
    assert sum(1 for _ in plan.walk()) == 28


def test_the_source_does_not_grow_with_the_number_of_steps(tmp_path: Path) -> None:
    lines = []
    for steps in (10, 1000):
        export(sequence(steps), tmp_path / f"of{steps}", name="sequence")
        source = tmp_path / f"of{steps}" / "src" / "sequence.c"
        lines.append(source.read_text().count("\n"))
    assert lines[0] == lines[1]


def test_the_arena_of_a_loop_is_the_peak_of_its_schedule() -> None:
    view = sequence(50)
    scheduler = aidge_nb.SequentialScheduler(view)
    aidge_nb.expand_metaops(view)
    scheduler = aidge_nb.SequentialScheduler(view)
    scheduler.generate_scheduling()
    unrolled = scheduler.plan_memory(alignment=4)
    assert plan_export(sequence(50)).arena_bytes == unrolled.peak


@pytest.mark.parametrize("steps", [1, 2, 5])
def test_a_sequence_has_the_same_bits(
    tmp_path: Path, need_tools: Callable[..., None], steps: int
) -> None:
    need_tools("make")
    package = check_package(sequence(steps), tmp_path / "sequence")
    assert package.run(opt="-O1").is_equal


def test_a_loop_that_reaches_beyond_the_slices_is_refused() -> None:
    rows, cells = aidge_nb.Pop(name="rows"), aidge_nb.Pop(name="cells")
    stack, whole = aidge_nb.Stack(3, name="stack"), aidge_nb.Stack(5, name="whole")
    view = aidge_nb.sequential([rows, cells, aidge_nb.ReLU(name="relu"), stack, whole])
    assert view.forward_dims([[5, 3, 1, 4]])
    match = r"cells \(Pop\): runs more often than there are slices \(expected at most 3"
    with pytest.raises(ExportError, match=match):
        plan_export(view)


def chosen() -> GraphView:
    """Make a graph in which an input decides which branch is run."""
    question = aidge_nb.Identity(name="question")
    cheap, costly = aidge_nb.ReLU(name="cheap"), aidge_nb.Tanh(name="costly")
    choose = aidge_nb.Select(2, name="choose")
    for index, node in enumerate((question, cheap, costly)):
        node.add_child(choose, 0, index)
    view = GraphView("chosen")
    view.add([question, cheap, costly, choose])
    for index, (node, dims, dtype) in enumerate(
        ((question, (1,), "int64"), (cheap, (2, 3), "float32"), (costly, (2, 3), "float32"))
    ):
        del index
        tensor = aidge_nb.Tensor(np.zeros(dims, dtype))
        node.get_operator().associate_input(0, tensor)
    assert view.forward_dims([])
    tag_conditional_nodes(view)
    return view


@pytest.mark.parametrize("choice", [0, 1])
def test_a_branch_that_is_not_chosen_is_not_run(
    tmp_path: Path, need_tools: Callable[..., None], choice: int
) -> None:
    need_tools("make")
    x = np.linspace(-2, 2, 6, dtype=np.float32).reshape(2, 3)
    inputs = [np.array([choice]), x, -x]
    package = export(chosen(), tmp_path / "chosen", inputs=inputs)
    check = package.check_layers(opt="-O1")
    assert check.passed, check.text
    ran = "cheap" if choice == 0 else "costly"
    table = (tmp_path / "chosen" / "data" / "layers.csv").read_text()
    assert ran in table
    assert ("costly" if choice == 0 else "cheap") not in table
    result = package.run(inputs, opt="-O1")
    assert result.is_equal


def test_examples_of_a_model_with_choices_can_be_chosen(tmp_path: Path) -> None:
    for seed in range(6):
        package = export(chosen(), tmp_path / f"chosen{seed}", seed=seed)
        (question,) = np.fromfile(package.folder / "data/inputs/question_data_input.bin", np.int64)
        assert question in (0, 1)
