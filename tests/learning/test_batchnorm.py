"""BatchNorm nodes are put behind convolutions, and filled so that they change nothing."""

from __future__ import annotations

import numpy as np

import aidge_nb
from aidge_nb import learning


def compiled() -> aidge_nb.GraphView:
    graph = aidge_nb.sequential(
        [
            aidge_nb.Conv2D(1, 2, [3, 3], name="conv"),
            aidge_nb.ReLU(name="relu"),
            aidge_nb.ConvDepthWise2D(2, [1, 1], name="last"),
        ]
    )
    graph.compile("cpu", aidge_nb.dtype.float32, dims=[[1, 1, 5, 5]])
    for tensor in (each.get_operator().get_output(0) for each in aidge_nb.producers(graph)):
        aidge_nb.constant_filler(tensor, 0.5)
    return graph


def outputs(graph: aidge_nb.GraphView) -> np.ndarray:
    image = np.arange(25, dtype=np.float32).reshape(1, 1, 5, 5)
    (found,) = aidge_nb.SequentialScheduler(graph).forward(data=[aidge_nb.Tensor(image)])
    return np.array(found)


def test_the_network_runs_on_and_computes_the_same() -> None:
    graph = compiled()
    before = outputs(graph)
    assert learning.insert_batchnorm_nodes(graph, epsilon=0.0) == 2
    assert learning.init_batchnorm_producers(graph) == 2
    assert [port.node.name() for port in graph.get_ordered_outputs()] == ["last_BN"]
    (parent,) = graph.get_node("relu").get_parents()
    assert parent is not None
    assert parent.name() == "conv_BN"
    np.testing.assert_array_equal(outputs(graph), before)


def test_a_second_time_changes_nothing() -> None:
    graph = compiled()
    learning.insert_batchnorm_nodes(graph)
    assert learning.insert_batchnorm_nodes(graph) == 0
