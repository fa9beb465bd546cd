"""Snapshots: graphs as values."""

from __future__ import annotations

import json

import numpy as np

import aidge_nb
from aidge_nb import ops
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import EdgeView, GraphSnapshot, GraphView, PortView, sequential
from tests.graph.nodes import loop, source, unit


def test_producers_are_folded_into_their_reader() -> None:
    view = sequential([ops.FC(4, 2, name="fc"), ops.ReLU(name="relu")], "net")
    view.compile("cpu", dims=[[3, 4]])
    snapshot = view.snapshot()
    assert isinstance(snapshot, GraphSnapshot)
    assert snapshot.name == "net"
    assert [(n.name, n.type, n.parameters) for n in snapshot.nodes] == [
        ("fc", "FC", 10),
        ("relu", "ReLU", 0),
    ]
    assert {(name, reader) for name, reader in snapshot.folded} == {("fc_w", 0), ("fc_b", 0)}
    assert sorted(snapshot.nodes[0].weights) == [(2,), (2, 4)]
    assert snapshot.nodes[0].weight_bytes == 40
    assert snapshot.nodes[0].macs == 3 * 4 * 2
    assert snapshot.nodes[0].backend == "cpu"
    assert snapshot.nodes[0].native
    assert snapshot.edges == (EdgeView(0, 0, 1, 0, (3, 2), "float32", 24, False),)
    assert snapshot.inputs == (PortView("input", 0, 0, (3, 4), "float32", 48),)
    assert snapshot.outputs == (PortView("output", 1, 0, (3, 2), "float32", 24),)


def test_only_what_is_learned_is_a_parameter() -> None:
    """Weights and slopes are; shapes, axes, limits, single factors and statistics are not."""
    weights = aidge_nb.Producer(np.ones((4, 6), np.float32), "w")
    factor = aidge_nb.Producer(np.array(0.5, np.float32), "half")
    shape = aidge_nb.Producer(np.array([2, 3], np.int64), "shape")
    low, high = (aidge_nb.Producer(np.array(v, np.float32), n) for n, v in (("l", 0), ("h", 6)))
    matmul, mul, clip = ops.MatMul(name="matmul"), ops.Mul(name="mul"), ops.Clip(name="clip")
    slope, reshape = ops.PRelu(name="slope"), ops.Reshape(name="reshape")
    weights.add_child(matmul, 0, 1)
    factor.add_child(mul, 0, 1)
    low.add_child(clip, 0, 1)
    high.add_child(clip, 0, 2)
    shape.add_child(reshape, 0, 1)
    norm = ops.BatchNorm2D(3, name="norm")
    view = sequential([matmul, mul, clip, slope, reshape, norm])
    counts = {node.name: (node.parameters, node.constants) for node in view.snapshot().nodes}
    assert counts == {
        "matmul": (24, 0),
        "mul": (0, 1),
        "clip": (0, 2),
        "slope": (1, 0),
        "reshape": (0, 2),
        "norm": (6, 6),
    }


def test_shared_producers_count_once() -> None:
    weights, a, b = source([7], "w"), unit("a", 2), unit("b", 2)
    weights.add_child(a, 0, 1)
    weights.add_child(b, 0, 1)
    a.add_child(b, 0, 0)
    view = GraphView()
    view.add([a, b])
    snapshot = view.snapshot()
    assert [node.parameters for node in snapshot.nodes] == [7, 0]
    assert snapshot.folded == (("w", 0),)


def test_a_producer_that_nobody_reads_is_shown() -> None:
    view = GraphView()
    view.add(source([7], "w"))
    assert [node.name for node in view.snapshot().nodes] == ["w"]


def test_what_is_unknown_is_none() -> None:
    view = sequential([ops.FC(4, 2, name="fc"), aidge_nb.GenericOperator("Odd", 1, 0, 1, name="o")])
    snapshot = view.snapshot()
    assert snapshot.edges[0].dims is None
    assert snapshot.edges[0].nbytes is None
    assert snapshot.nodes[0].macs is None
    assert [node.native for node in snapshot.nodes] == [True, False]


def test_back_edges_are_marked() -> None:
    memory, body = loop("m"), unit("body")
    memory.add_child(body, 1, 0)
    body.add_child(memory, 0, 0)
    view = GraphView()
    view.add([memory, body])
    assert {(e.source, e.target, e.back) for e in view.snapshot().edges} == {
        (0, 1, False),
        (1, 0, True),
    }


def test_holds_no_link_to_the_graph() -> None:
    view = sequential([ops.ReLU(name="a")])
    snapshot = view.snapshot()
    view.forward_dims([[2]])
    view.get_node("a").set_name("other")
    assert snapshot.nodes[0].name == "a"
    assert snapshot.outputs[0].dims is None
    assert snapshot == snapshot
    assert snapshot != view.snapshot()


def test_is_plain_data() -> None:
    view = sequential([ops.Conv2D(3, 4, [3, 3], name="conv"), ops.ReLU()])
    view.forward_dims([[1, 3, 8, 8]])
    values = json.loads(json.dumps(view.snapshot().to_dict()))
    assert values["nodes"][0]["name"] == "conv"
    assert dict(values["nodes"][0]["attrs"])["kernel_dims"] in ("[3, 3]", "(3, 3)")
    assert values["nodes"][1]["name"] == "(ReLU#0)"
    assert values["edges"][0]["dims"] == [1, 4, 6, 6]


def test_direct_tensors_of_optional_inputs_are_inputs() -> None:
    view = sequential([ops.FC(4, 2, no_bias=True, name="fc")])
    assert [port.port for port in view.snapshot().inputs] == [0]
    view.get_node("fc").get_operator().set_input(2, Tensor(np.zeros(2, np.float32)))
    assert [port.port for port in view.snapshot().inputs] == [0, 2]
