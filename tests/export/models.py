"""Graphs to export, and what all tests of exports do with them."""

from __future__ import annotations

from pathlib import Path

import numpy as np

import aidge_nb
from aidge_nb import zoo
from aidge_nb.export import ExportedPackage, check_export, export
from aidge_nb.graph import GraphView
from aidge_nb.onnx_io import load_onnx
from tests.zoo.small import SMALL


def two_relus(dims: tuple[int, ...] = (1, 2, 3, 4)) -> GraphView:
    """Make the smallest graph that is worth exporting: its second node works in place."""
    view = aidge_nb.sequential([aidge_nb.ReLU(name="first"), aidge_nb.ReLU(name="second")])
    view.set_name("two")
    assert view.forward_dims([dims])
    return view


def diamond() -> GraphView:
    """Make a graph whose buffers cannot all be one."""
    fork, left, join = (
        aidge_nb.ReLU(name="fork"),
        aidge_nb.ReLU(name="left"),
        aidge_nb.Add(name="join"),
    )
    fork.add_child(left)
    fork.add_child(join, 0, 0)
    left.add_child(join, 0, 1)
    view = GraphView("diamond")
    view.add([fork, left, join])
    assert view.forward_dims([[1, 3, 4]])
    return view


def fill_producers(view: GraphView, seed: int = 0) -> None:
    """Give every Producer values."""
    generator = np.random.default_rng(seed)
    for node in view.get_nodes():
        if node.type() == "Producer":
            tensor = node.get_operator().get_output(0)
            tensor.set_array((generator.standard_normal(tensor.dims) / 2).astype(np.float32))


def sequence(steps: int, inputs: int = 3, hidden: int = 4) -> GraphView:
    """Make an LSTM that reads a sequence step by step, and stacks what it puts out."""
    pop = aidge_nb.Pop(name="pop")
    lstm = aidge_nb.LSTM(inputs, hidden, steps, name="lstm")
    stack = aidge_nb.Stack(steps, name="stack")
    pop.add_child(lstm, 0, 0)
    lstm.add_child(stack, 0, 0)
    view = GraphView("sequence")
    view.add([pop, lstm, stack])
    assert view.forward_dims([[steps, 1, inputs], [1, hidden], [1, hidden]])
    fill_producers(view)
    return view


def zoo_small(name: str) -> GraphView:
    """Load a model of the zoo, small."""
    return load_onnx(zoo.build(name, **SMALL[name]))


def check_package(
    view: GraphView,
    folder: Path,
    *,
    compiler: str | None = None,
    opt: str = "-O1",
    **options: object,
) -> ExportedPackage:
    """Export a graph, build it, and check every layer and the outputs, bit by bit."""
    package = export(view, folder, **options)  # type: ignore[arg-type]  # of all kinds
    check_export(package.plan)
    check = package.check_layers(compiler=compiler, opt=opt)
    assert check.passed, check.text
    assert check.layers == check.equal > 0 or not package.plan.calls
    return package
