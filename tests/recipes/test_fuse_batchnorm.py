"""Batch normalisations folded into layers, and the cases in which they are not."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import aidge_nb
from aidge_nb.graph import GraphView, Node, Port
from aidge_nb.recipes import fuse_batchnorm
from tests.recipes.graphs import check, prepared

IMAGE = (2, 4, 6, 6)


def _layers(no_bias: bool) -> dict[str, Callable[[], Node]]:
    bias = {"no_bias": no_bias, "name": "layer"}
    return {
        "conv": lambda: aidge_nb.Conv2D(4, 6, [3, 3], **bias),  # type: ignore[arg-type]
        "grouped": lambda: aidge_nb.Conv2D(4, 6, [3, 3], group=2, **bias),  # type: ignore[arg-type]
        "padded": lambda: aidge_nb.PaddedConv2D(4, 6, [3, 3], padding_dims=[1] * 4, **bias),  # type: ignore[arg-type]
        "depthwise": lambda: aidge_nb.ConvDepthWise2D(4, [3, 3], **bias),  # type: ignore[arg-type]
        "transposed": lambda: aidge_nb.ConvTranspose2D(4, 6, [2, 2], **bias),  # type: ignore[arg-type]
    }


def _model(layer: Node) -> GraphView:
    weights = layer.get_operator().get_input(1)
    assert weights is not None
    channels = 4 if layer.type() == "ConvDepthWise2D" else 6
    norm = aidge_nb.BatchNorm2D(channels, name="norm")
    return aidge_nb.sequential([layer, norm, aidge_nb.ReLU(name="relu")])


@pytest.mark.parametrize("no_bias", [False, True])
@pytest.mark.parametrize("kind", _layers(False))
def test_layers(kind: str, no_bias: bool) -> None:
    layer = _layers(no_bias)[kind]()
    view = prepared(_model(layer), IMAGE)
    assert check(view, fuse_batchnorm, exact=False) == (1, [layer.type(), "ReLU"])
    assert {"layer_w", "layer_b"} <= {node.name() for node in view}
    assert len(view) == 4


def test_fully_connected() -> None:
    layers = [aidge_nb.FC(5, 3, name="layer"), aidge_nb.BatchNorm2D(3)]
    view = prepared(aidge_nb.sequential(layers), [4, 5])
    assert check(view, fuse_batchnorm, exact=False) == (1, ["FC"])


def test_an_output_of_the_graph_moves_to_the_layer() -> None:
    layer = _layers(False)["conv"]()
    view = aidge_nb.sequential([layer, aidge_nb.BatchNorm2D(6)])
    prepared(view, IMAGE)
    check(view, fuse_batchnorm, exact=False)
    assert view.get_ordered_outputs() == [Port(layer, 0)]


@pytest.mark.parametrize("how", ["read", "output"])
def test_a_layer_that_is_used_otherwise_stays(how: str) -> None:
    view = _model(_layers(False)["conv"]())
    if how == "read":
        view.add_child(aidge_nb.Tanh(name="tanh"), "layer")
    else:
        ports = [Port(view.get_node("relu"), 0), Port(view.get_node("layer"), 0)]
        view.set_ordered_outputs(ports)
    prepared(view, IMAGE)
    assert check(view, fuse_batchnorm, exact=False)[0] == 0


def test_shared_weights_are_not_changed_for_others() -> None:
    first, second = (aidge_nb.Conv2D(4, 4, [1, 1], name=name) for name in ("first", "second"))
    for index in (1, 2):
        shared = first.get_parent(index)
        assert shared is not None
        second.remove_parent(index)
        shared.add_child(second, 0, index)
    view = aidge_nb.sequential([first, aidge_nb.BatchNorm2D(4), second])
    prepared(view, IMAGE)
    assert check(view, fuse_batchnorm, exact=False) == (1, ["Conv2D", "Conv2D"])


def test_a_shared_normalisation() -> None:
    convs = [aidge_nb.Conv2D(4, 4, [1, 1], name=f"c{number}") for number in range(2)]
    norms = [aidge_nb.BatchNorm2D(4, name=f"n{number}") for number in range(2)]
    for index in range(1, 5):
        shared = norms[0].get_parent(index)
        assert shared is not None
        norms[1].remove_parent(index)
        shared.add_child(norms[1], 0, index)
    view = prepared(aidge_nb.sequential([convs[0], norms[0], convs[1], norms[1]]), IMAGE)
    assert check(view, fuse_batchnorm, exact=False) == (2, ["Conv2D", "Conv2D"])
    assert len(view) == 6


def test_without_values_nothing_is_done() -> None:
    view = _model(_layers(False)["conv"]())
    assert fuse_batchnorm(view) == 0
    assert len(view) == 9


def test_two_normalisations() -> None:
    layers = [_layers(True)["conv"](), aidge_nb.BatchNorm2D(6), aidge_nb.BatchNorm2D(6)]
    view = prepared(aidge_nb.sequential(layers), IMAGE)
    assert check(view, fuse_batchnorm, exact=False) == (2, ["Conv2D"])


def test_a_meta_operator_around_the_layer_is_left_alone() -> None:
    view = prepared(_model(_layers(False)["conv"]()), IMAGE)
    assert aidge_nb.fuse_to_metaops(view, "Conv2D->BatchNorm2D", "ConvNorm") == 1
    assert check(view, fuse_batchnorm) == (0, ["ConvNorm", "ReLU"])
    assert np.isfinite(view.get_node("relu").get_operator().get_output(0).array).all()
