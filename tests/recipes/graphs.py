"""Graphs that recipes are tried on, and how what they compute is compared before and after."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

import aidge_nb
from aidge_nb import zoo
from aidge_nb.graph import GraphView, Node

SMALL: dict[str, dict[str, object]] = {
    "densenet_like": {},
    "dinov2_like": {"size": 28, "dim": 16, "heads": 2, "depth": 2},
    "inception_like": {},
    "lenet": {},
    "mlp": {},
    "mobilenet_v2": {"size": 32, "width": 0.25, "depth": 5, "classes": 10},
    "resnet18": {"size": 32, "width": 0.125, "classes": 10},
    "shufflenet_like": {},
    "squeezenet": {"size": 64, "width": 0.125, "classes": 10},
}
"""Small models of the zoo, with batch normalisations, branches, shuffles and attention."""

TOLERANCE = 1e-6
"""What folding may change, relative to the largest number of a result."""


def load(name: str) -> GraphView:
    """Load a small model, with dimensions and a backend."""
    model = zoo.build(name, **SMALL[name])
    view = aidge_nb.load_onnx(model)
    view.set_backend("cpu")
    dims = [[int(dim or 1) for dim in value.dims or ()] for value in model.inputs]
    assert view.forward_dims(dims, allow_data_dependency=True)
    return view


def tensor(dims: Sequence[int], seed: int = 0) -> np.ndarray:
    """Draw float32 numbers."""
    return np.random.default_rng(seed).standard_normal(tuple(dims)).astype(np.float32)


def producer(values: object, name: str = "", constant: bool = False) -> Node:
    """Make a Producer of given values; Python's floats become float32."""
    array = np.asarray(values)
    array = array.astype(np.float32) if array.dtype == np.float64 else array
    return aidge_nb.Producer(aidge_nb.Tensor(array), name=name, constant=constant)


def fill(view: GraphView, seed: int = 0) -> GraphView:
    """Give Producers without values some, all positive, so that they do for variances."""
    for number, node in enumerate(view):
        if node.type() == "Producer" and not node.get_operator().get_output(0).has_data:
            result = node.get_operator().get_output(0)
            result.set_array(np.abs(tensor(result.dims, seed + number)) + np.float32(0.1))
    return view


def prepared(view: GraphView, *dims: Sequence[int]) -> GraphView:
    """Fill a graph, choose the backend and propagate dimensions."""
    fill(view)
    view.set_backend("cpu")
    assert view.forward_dims(dims, allow_data_dependency=True)
    return view


def results(view: GraphView, seed: int = 7) -> list[np.ndarray]:
    """Run a graph on random inputs of its dimensions."""
    data = []
    for number, (port, *_) in enumerate(view.get_input_groups()):
        given = port.node.get_operator().get_input(port.index)
        if given is not None and not given.undefined():
            values = tensor(given.dims, seed + number) * 4
            data.append(values.astype(given.dtype.numpy))
    outputs = aidge_nb.SequentialScheduler(view).forward(data=data)
    return [np.asarray(output).copy() for output in outputs]


def kinds(view: GraphView) -> list[str]:
    """List the types of the nodes that are no Producers, in topological order."""
    return [node.type() for node in view.topological_order() if node.type() != "Producer"]


def check(
    view: GraphView, apply: Callable[[GraphView], object], *, exact: bool = True
) -> tuple[object, list[str]]:
    """Apply a recipe and compare numbers; give what it returned and the types that are left."""
    expected = results(view)
    returned = apply(view)
    found = results(view)
    assert len(found) == len(expected)
    for new, old in zip(found, expected, strict=True):
        assert (new.shape, new.dtype) == (old.shape, old.dtype)
        if exact:
            np.testing.assert_array_equal(new, old)
        else:
            largest = max(float(np.abs(old).max(initial=0)), 1e-30)
            assert np.abs(new - old).max(initial=0) <= TOLERANCE * largest
    return returned, kinds(view)
