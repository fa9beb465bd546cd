"""Propagating dimensions: what is refused, what depends on data, what is followed."""

from __future__ import annotations

import logging
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb import ops
from aidge_nb.core.errors import ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView, Node, propagate_dims, sequential
from tests import oracle
from tests.graph.nodes import chain, loop, unit

CASES = oracle.load("forward_dims_a")["cases"]


def _make(name: str, described: Any) -> Node:
    kind, options = described if isinstance(described, list) else (described, {})
    match kind:
        case "Conv2D":
            return ops.Conv2D(options["in"], options["out"], options["kernel"], name=name)
        case "Producer":
            values = np.array(options["value"], options["dtype"])
            return ops.Producer(Tensor(values), name=name, constant=options["constant"])
        case "AvgPooling2D" | "MaxPooling2D":
            make = getattr(ops, kind)
            node: Node = make(
                options["kernel"], name=name, stride_dims=options.get("stride", [1, 1])
            )
            return node
        case _:
            simple: Node = getattr(ops, kind)(name=name)
            return simple


def _build(case: dict[str, Any]) -> GraphView:
    nodes = {name: _make(name, described) for name, described in case["nodes"].items()}
    for edge in case["edges"].split():
        start, end = edge.split(">")
        child, _, index = end.partition(".")
        nodes[start].add_child(nodes[child], 0, int(index or 0))
    view = GraphView()
    view.add(nodes.values())
    return view


@pytest.mark.parametrize("allow", [False, True])
@pytest.mark.parametrize("number", range(len(CASES)))
def test_as_aidge_does(number: int, allow: bool) -> None:
    case = CASES[number]
    view = _build(case)
    expected = case["allow_data_dependency" if allow else "plain"]
    try:
        returned = view.forward_dims(case["dims"] or [], allow)
    except ShapeError:
        returned = False
    assert returned is expected["returned"]
    for name, dims in expected["out_dims"].items():
        operator = view.get_node(name).get_operator()
        found = [operator.get_output(i) for i in range(operator.nb_outputs)]
        assert [None if t.undefined() else list(t.dims) for t in found] == dims


class TestInputs:
    def test_missing(self, caplog: pytest.LogCaptureFixture) -> None:
        view = chain("conv0", "b")
        with caplog.at_level(logging.WARNING, "aidge_nb"):
            assert view.forward_dims() is False
        (record,) = caplog.records
        assert record.levelname == "ERROR"
        assert record.message == (
            "Missing mandatory input#0 for node [conv0 (Unit)]: pass its dimensions with "
            "dims=[...] or connect a tensor or a Producer."
        )

    def test_tensors_are_made(self) -> None:
        view = chain("a", "b")
        assert view.forward_dims([[2, 3]]) is True
        made = view.get_node("a").get_operator().get_input(0)
        assert made is not None
        assert made.dims == [2, 3]
        assert not made.has_data
        assert view.forward_dims()

    def test_dims_that_are_there_are_checked(self) -> None:
        view = chain("a")
        view.forward_dims([[2, 3]])
        report = propagate_dims(view, [[2, 4]])
        assert not report.complete
        assert report.problems == (
            (
                "a (Unit), input#0: dimensions differ from those of the tensor that is there "
                "(expected [2, 3], found [2, 4]). Call "
                "reset_dims() first: the graph then takes any dimensions."
            ),
        )
        assert view.get_node("a").get_operator().get_output(0).dims == [2, 3]

    def test_inputs_that_share_a_tensor_need_dims_once(self) -> None:
        view = aidge_nb.parallel([unit("a"), unit("b"), unit("c")])
        shared = Tensor()
        for name in ("a", "b"):
            view.get_node(name).get_operator().associate_input(0, shared)
        assert view.forward_dims([[2], [3]])
        assert view.get_node("b").get_operator().get_output(0).dims == [2]
        assert view.get_node("c").get_operator().get_output(0).dims == [3]

    @pytest.mark.parametrize("dims", [[[1, float("nan")]], [[-1]], [["x"]], [7], [[None]]])
    def test_impossible_dims(self, dims: Any) -> None:
        with pytest.raises(ShapeError, match=r"a \(Unit\), input#0: dim(ension|s must)"):
            chain("a").forward_dims(dims)

    @pytest.mark.parametrize("dims", [7, float("nan"), "1,3"])
    def test_dims_that_are_no_list_of_lists(self, dims: Any) -> None:
        with pytest.raises(ShapeError, match=r"dimensions? "):
            chain("a").forward_dims(dims)

    def test_empty_entries_are_filled_by_what_is_there(self) -> None:
        view = aidge_nb.parallel([unit("a"), unit("b")])
        view.get_node("a").get_operator().set_input(0, Tensor.of_dims([5]))
        assert view.forward_dims([None, [3]])
        assert view.get_node("a").get_operator().get_output(0).dims == [5]

    def test_optional_inputs_may_be_missing(self) -> None:
        assert sequential([ops.FC(3, 2, no_bias=True, name="fc")]).forward_dims([[1, 3]])


class TestMismatch:
    def test_names_node_and_both_dims(self) -> None:
        view = sequential([ops.Conv2D(3, 4, [3, 3], name="conv0")])
        with pytest.raises(ShapeError) as refusal:
            view.forward_dims([[1, 4, 8, 8]])
        assert "conv0 (Conv2D)" in str(refusal.value)
        assert "expected 3" in str(refusal.value)
        assert "found 4" in str(refusal.value)

    def test_what_cannot_be_broadcast(self) -> None:
        view = sequential([ops.Add(name="sum")])
        with pytest.raises(ShapeError, match=r"sum \(Add\)"):
            view.forward_dims([[2, 3], [4]])


class TestDataDependence:
    def _reshape(self, constant: bool) -> GraphView:
        reshape = ops.Reshape(name="flat")
        shape = ops.Producer(Tensor(np.array([1, -1])), name="shape", constant=constant)
        shape.add_child(reshape, 0, 1)
        view = GraphView()
        view.add(reshape)
        return view

    def test_without_leave_it_is_false_and_a_warning(
        self, caplog: pytest.LogCaptureFixture
    ) -> None:
        view = self._reshape(constant=False)
        with caplog.at_level(logging.WARNING, "aidge_nb"):
            assert view.forward_dims([[2, 6]]) is False
        levels = {record.levelname for record in caplog.records}
        assert levels == {"WARNING"}
        first, second = caplog.messages
        assert "flat (Reshape): output dims are data dependent on input#1" in first
        assert second.startswith(
            "Unable to forward dimensions: output dims stay unknown for [flat (Reshape)]"
        )

    def test_with_leave_it_is_true(self) -> None:
        view = self._reshape(constant=False)
        assert view.forward_dims([[2, 6]], allow_data_dependency=True) is True
        assert view.get_node("flat").get_operator().get_output(0).dims == [1, 12]

    def test_constants_need_no_leave(self) -> None:
        view = self._reshape(constant=True)
        assert view.forward_dims([[2, 6]]) is True

    def test_generic_operators_stop_it(self, caplog: pytest.LogCaptureFixture) -> None:
        view = sequential([aidge_nb.GenericOperator("Odd", 1, 0, 1, name="odd"), unit("b")])
        assert view.forward_dims([[2]]) is False
        assert "odd (Odd): output dims are unknown for a generic operator" in caplog.text
        assert "stay unknown for [odd (Odd), b (Unit)]" in caplog.text

    def test_a_chain_of_shape_arithmetic_is_followed(self) -> None:
        data, shape, gather = unit("data"), ops.Shape(name="shape"), ops.Gather(name="gather")
        concat, reshape = ops.Concat(2, name="concat"), ops.Reshape(name="reshape")
        index = ops.Producer(Tensor(np.array([0])), name="index")
        rest = ops.Producer(Tensor(np.array([-1])), name="rest")
        data.add_child(shape, 0, 0)
        shape.add_child(gather, 0, 0)
        index.add_child(gather, 0, 1)
        gather.add_child(concat, 0, 0)
        rest.add_child(concat, 0, 1)
        data.add_child(reshape, 0, 0)
        concat.add_child(reshape, 0, 1)
        view = aidge_nb.get_connected_graph_view(data)
        assert view.forward_dims([[5, 2, 3]], allow_data_dependency=True)
        assert view.get_node("reshape").get_operator().get_output(0).dims == [5, 6]

    def test_values_that_the_graph_computes_from_its_input_are_not_known(self) -> None:
        reshape = ops.Reshape(name="flat")
        unit("data").add_child(reshape, 0, 1)
        view = aidge_nb.get_connected_graph_view(reshape)
        assert not view.forward_dims([[2], [3, 4]], allow_data_dependency=True)


class TestCycles:
    def test_the_initial_value_starts_them(self) -> None:
        memory, body = loop("m"), unit("body")
        memory.add_child(body, 1, 0)
        body.add_child(memory, 0, 0)
        view = GraphView()
        view.add([memory, body])
        memory.get_operator().set_input(1, Tensor.of_dims([4]))
        assert view.forward_dims()
        assert body.get_operator().get_output(0).dims == [4]

    def test_without_one_it_is_false(self) -> None:
        memory, body = ops.Memorize(3, name="m"), unit("body")
        memory.add_child(body, 1, 0)
        body.add_child(memory, 0, 0)
        view = GraphView()
        view.add([memory, body])
        report = propagate_dims(view)
        assert not report.complete
        assert report.unknown == ("m (Memorize)", "body (Unit)")
        assert "initial value that is not there" in report.notes[0]


def test_compile_sets_all_three() -> None:
    view = sequential([ops.ReLU(name="a")])
    assert view.compile("cpu", "float64", dims=[[2]])
    operator = view.get_node("a").get_operator()
    assert operator.backend() == "cpu"
    assert operator.get_output(0).dims == [2]
    assert operator.get_output(0).dtype is aidge_nb.dtype.float64


def test_dims_that_were_refused_can_be_tried_again_otherwise() -> None:
    """A refused call changes nothing: wrong channels, then right ones."""
    view = aidge_nb.sequential([aidge_nb.Conv2D(3, 4, [3, 3], name="conv")])
    with pytest.raises(ShapeError, match="wrong number of channels"):
        view.forward_dims([[1, 4, 8, 8]])
    assert view.forward_dims([[1, 3, 8, 8]])


class TestOtherDims:
    """Dimensions that are known are kept until the graph is told to forget them."""

    @pytest.mark.parametrize(
        "view",
        [
            aidge_nb.sequential([aidge_nb.Conv2D(3, 4, [3, 3]), aidge_nb.ReLU(name="last")]),
            aidge_nb.sequential(
                [aidge_nb.PaddedConv2D(3, 4, [3, 3]), aidge_nb.Tanh(name="last")],
            ),
        ],
        ids=["plain", "padded"],
    )
    def test_after_a_reset(self, view: GraphView) -> None:
        last = view.get_node("last").get_operator().get_output(0)
        assert view.forward_dims([[1, 3, 8, 8]])
        assert not view.forward_dims([[1, 3, 16, 16]])
        assert last.dims == [1, 4, 6, 6]
        view.reset_dims()
        assert last.undefined()
        assert view.forward_dims([[2, 3, 16, 16]])
        assert last.dims == [2, 4, 14, 14]

    def test_parameters_stay(self) -> None:
        view = aidge_nb.sequential([aidge_nb.FC(4, 2, name="fc")])
        aidge_nb.init_weights(view)
        view.forward_dims([[1, 4]])
        view.reset_dims()
        weights = view.get_node("fc").get_operator().get_input(1)
        assert weights is not None
        assert weights.has_data
