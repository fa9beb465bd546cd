"""Gradients of whole graphs, by finite differences."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import aidge_nb
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView, Node
from aidge_nb.runtime.schedulers.sequential import RunningScheduler

Array = NDArray[Any]
STEP = 1e-6


def producers_inside(view: GraphView) -> list[Node]:
    """List the Producers that learn, those inside of meta-operators too."""
    found: list[Node] = []
    for node in view.get_nodes():
        inner = node.get_operator().micro_graph
        if inner is not None:
            found += producers_inside(inner)
        elif node.type() == "Producer" and not node.get_operator().attr.constant:
            found.append(node)
    return sorted(found, key=Node.id)


def fill(view: GraphView, seed: int = 0) -> None:
    """Give all Producers random float64 values: small, as sums of many of them stay tame."""
    rng = np.random.default_rng(seed)
    for node in producers_inside(view):
        tensor = node.get_operator().get_output(0)
        if tensor.dtype.is_float:
            tensor.set_array(0.5 * rng.standard_normal(tensor.dims))


def check_graph(
    view: GraphView, data: Sequence[Array], kind: type[RunningScheduler] | None = None
) -> list[str]:
    """Compare the gradients of all inputs and Producers of a graph with finite differences.

    Give the names of the nodes in the order in which their gradients ran.
    """
    scheduler = (kind or aidge_nb.SequentialScheduler)(view)
    inputs = [Tensor(np.array(x)) for x in data]
    rng = np.random.default_rng(3)
    outputs = scheduler.forward(data=inputs)
    seeds = [rng.standard_normal(y.dims) for y in outputs]
    for output, seed in zip(outputs, seeds, strict=True):
        output.grad = Tensor(seed)
    scheduler.backward()
    ran = [element.node.name() for element in scheduler.get_backward_scheduling()]
    parameters = [node.get_operator().get_output(0) for node in producers_inside(view)]
    leaves = [t for t in (*inputs, *parameters) if t.dtype.is_float and t.has_data]
    assert leaves
    found = [None if not leaf.has_grad() else leaf.grad.array for leaf in leaves]

    def loss() -> float:
        again = scheduler.forward(data=inputs)
        return sum(float((y.array * s).sum()) for y, s in zip(again, seeds, strict=True))

    for number, (leaf, grad) in enumerate(zip(leaves, found, strict=True)):
        assert grad is not None, f"leaf {number}, {leaf}"
        direction = rng.standard_normal(leaf.dims)
        given = leaf.array
        sides = []
        for sign in (1, -1):
            leaf.set_array(given + sign * STEP * direction)
            sides.append(loss())
        leaf.set_array(given)
        expected = (sides[0] - sides[1]) / (2 * STEP)
        ours = float((grad * direction).sum())
        scale = max(1.0, float(np.abs(grad * direction).sum()))
        assert abs(ours - expected) <= 1e-5 * scale, f"leaf {number}, {leaf}: {expected}, {ours}"
    return ran
