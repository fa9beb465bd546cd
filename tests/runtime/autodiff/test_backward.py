"""The backward pass: gradients that add up, and what it refuses."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import aidge_nb
from aidge_nb import ops
from aidge_nb.core.errors import AidgeError, MissingKernelError, SchedulingError, ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView, Operator

Array = NDArray[Any]


class _Square(aidge_nb.OperatorImpl):
    def __init__(self, op: Operator) -> None:
        super().__init__(op, "mine")

    def run(self, arrays: Sequence[Array | None]) -> tuple[Array, ...]:
        (x,) = arrays
        assert x is not None
        return (x * x,)

    def backward(self) -> None:
        operator = self.get_operator()
        x, y = operator.get_input(0), operator.get_output(0)
        assert x is not None
        assert y.has_grad()
        x.add_grad(2 * x.array * y.grad.array)


def _squares(count: int) -> GraphView:
    view = aidge_nb.sequential([ops.ReLU(name=f"square{i}") for i in range(count)])
    for node in view.get_nodes():
        node.get_operator().set_impl(_Square(node.get_operator()))
    return view


def _cpu(view: GraphView) -> GraphView:
    view.set_backend("cpu")
    return view


def _grad(tensor: Tensor) -> list[Any]:
    assert tensor.has_grad()
    found: list[Any] = tensor.grad.array.tolist()
    return found


@pytest.mark.parametrize("kind", [aidge_nb.SequentialScheduler, aidge_nb.ParallelScheduler])
def test_gradients_go_back_the_way_the_data_came(kind: Any) -> None:
    scheduler = kind(_squares(3))
    x = Tensor(np.array([1.0, 2.0, -1.5]))
    (y,) = scheduler.forward(data=[x])
    y.grad = Tensor(np.ones(3))
    scheduler.backward()
    assert x.has_grad()
    np.testing.assert_allclose(x.grad.array, 8 * x.array**7)
    ran = scheduler.get_backward_scheduling()
    assert [each.node.name() for each in ran] == ["square2", "square1", "square0"]
    assert all(each.start <= each.end for each in ran)
    assert all(a.end <= b.start for a, b in pairwise(ran))
    scheduler.clear_scheduling()
    assert scheduler.get_backward_scheduling() == []


def test_a_diagram_of_both_passes(tmp_path: Any) -> None:
    scheduler = aidge_nb.SequentialScheduler(_squares(2))
    (y,) = scheduler.forward(data=[Tensor([1.0])])
    y.grad = Tensor([1.0])
    scheduler.backward()
    scheduler.save_scheduling_diagram(tmp_path / "run")
    assert "square1 (ReLU#1)" in (tmp_path / "run_backward.mmd").read_text(encoding="utf-8")


class TestAddingUp:
    @staticmethod
    def _product() -> tuple[GraphView, Tensor]:
        """Make y = w x + w, with one Producer w."""
        w, mul, add = ops.Producer(Tensor([3.0]), name="w"), ops.Mul(name="m"), ops.Add(name="a")
        w.add_child(mul, 0, 1)
        mul.add_child(add, 0, 0)
        w.add_child(add, 0, 1)
        view = _cpu(aidge_nb.get_connected_graph_view(add))
        return view, w.get_operator().get_output(0)

    def test_what_is_read_twice_gets_the_sum(self) -> None:
        view, w = self._product()
        scheduler, x = aidge_nb.SequentialScheduler(view), Tensor([5.0])
        (y,) = scheduler.forward(data=[x])
        y.grad = Tensor([1.0])
        scheduler.backward()
        assert (_grad(x), _grad(w)) == ([3], [6])

    def test_inputs_and_parameters_add_up_over_passes(self) -> None:
        view, w = self._product()
        scheduler, x = aidge_nb.SequentialScheduler(view), Tensor([5.0])
        for _ in range(3):
            (y,) = scheduler.forward(data=[x])
            y.grad = Tensor([1.0])
            scheduler.backward()
        assert (_grad(x), _grad(w)) == ([9], [18])

    def test_going_back_twice_over_one_pass_adds_the_same_again(self) -> None:
        view, w = self._product()
        scheduler, x = aidge_nb.SequentialScheduler(view), Tensor([5.0])
        (y,) = scheduler.forward(data=[x])
        y.grad = Tensor([1.0])
        for count in (1, 2, 3):
            scheduler.backward()
            assert (_grad(x), _grad(w)) == ([3 * count], [6 * count])
            middle = view.get_node("m").get_operator().get_output(0)
            assert _grad(middle) == [1]
        y.grad = Tensor([10.0])
        scheduler.backward()
        assert (_grad(x), _grad(w)) == ([39], [78])

    def test_an_output_that_is_read_inside_gets_both(self) -> None:
        first, second = ops.Tanh(name="t"), ops.Mul(name="m")
        first.add_child(second, 0, 0)
        first.add_child(second, 0, 1)
        view = _cpu(aidge_nb.get_connected_graph_view(second))
        view.set_ordered_outputs([(first, 0), (second, 0)])
        scheduler, x = aidge_nb.SequentialScheduler(view), Tensor([0.3])
        t, m = scheduler.forward(data=[x])
        t.grad, m.grad = Tensor([2.0]), Tensor([1.0])
        for count in (1, 2):  # what the caller set is not added to
            scheduler.backward()
            value = float(t.array[0])
            expected = count * (2 + 2 * value) * (1 - value**2)
            assert _grad(x)[0] == pytest.approx(expected)
            assert _grad(t)[0] == pytest.approx(2 + 2 * value)

    def test_a_new_pass_forgets_the_gradients_of_what_it_computes(self) -> None:
        view, w = self._product()
        scheduler = aidge_nb.SequentialScheduler(view)
        (y,) = scheduler.forward(data=[[5.0]])
        y.grad = Tensor([1.0])
        scheduler.backward()
        (y,) = scheduler.forward(data=[[6.0]])
        assert not y.has_grad()
        assert w.has_grad()
        with pytest.raises(SchedulingError, match=r"no output has a gradient\. Compute a loss"):
            scheduler.backward()

    def test_constants_get_none(self) -> None:
        view, w = self._product()
        view.get_node("w").get_operator().attr.constant = True
        scheduler, x = aidge_nb.SequentialScheduler(view), Tensor([5.0])
        (y,) = scheduler.forward(data=[x])
        y.grad = Tensor([1.0])
        scheduler.backward()
        assert (_grad(x), w.has_grad()) == ([3], False)

    def test_values_are_those_of_the_pass(self) -> None:
        """Replacing parameters, or writing over the data, comes after."""
        view, w = self._product()
        scheduler, x = aidge_nb.SequentialScheduler(view), Tensor([5.0])
        (y,) = scheduler.forward(data=[x])
        y.grad = Tensor([1.0])
        w.set_array(np.array([1000.0]))
        x.set_array(np.array([2000.0]))
        scheduler.backward()
        assert (_grad(x), _grad(w)) == ([3], [6])
        assert (w.array.tolist(), x.array.tolist()) == ([1000], [2000])


class TestRefusals:
    def test_without_a_pass_there_is_nothing_to_go_back(self) -> None:
        scheduler = aidge_nb.SequentialScheduler(_squares(1))
        with pytest.raises(
            SchedulingError, match=r"no forward pass ran whose .*Call forward\(\) first"
        ):
            scheduler.backward()
        scheduler.forward(data=[Tensor([1.0])])
        scheduler.reset_scheduling()
        with pytest.raises(SchedulingError, match="no forward pass"):
            scheduler.backward()

    def test_no_gradient_to_begin_with(self) -> None:
        scheduler = aidge_nb.SequentialScheduler(_squares(1))
        (y,) = scheduler.forward(data=[Tensor([3.0])])
        with pytest.raises(SchedulingError, match=r"no output has a gradient.*y\.grad = aidge_nb"):
            scheduler.backward()
        y.grad = Tensor([1.0])
        scheduler.backward()

    def test_a_gradient_of_other_dimensions(self) -> None:
        scheduler, x = aidge_nb.SequentialScheduler(_squares(1)), Tensor([3.0])
        (y,) = scheduler.forward(data=[x])
        y.grad = Tensor([1.0, 2.0])
        with pytest.raises(ShapeError, match=r"square0 .*output#0: .*expected \[1\], found \[2\]"):
            scheduler.backward()
        assert not x.has_grad()

    def test_an_operator_without_gradient_is_named_and_nothing_changed(self) -> None:
        class Mine(aidge_nb.OperatorImpl):
            def run(self, arrays: Any) -> tuple[Array, ...]:
                return (2 * arrays[0],)

        odd = aidge_nb.GenericOperator("Odd", 1, 0, 1, name="odd")
        odd.get_operator().set_impl(Mine(odd.get_operator()))
        view = _cpu(aidge_nb.sequential([ops.ReLU(name="a"), odd, ops.Tanh(name="b")]))
        scheduler, x = aidge_nb.SequentialScheduler(view), Tensor([1.0])
        (y,) = scheduler.forward(data=[x])
        y.grad = Tensor([1.0])
        with pytest.raises(MissingKernelError, match=r"odd \(Odd\): .*Odd has no gradient"):
            scheduler.backward()
        assert not x.has_grad()
        assert scheduler.get_backward_scheduling() == []
        (y,) = scheduler.forward(data=[x])
        assert y.array[0] == pytest.approx(np.tanh(2.0))

    def test_what_no_gradient_can_pass_is_named(self) -> None:
        arg, cast = ops.ArgMax(0, name="where"), ops.Cast("float32", name="c")
        view = _cpu(aidge_nb.sequential([arg, cast]))
        scheduler = aidge_nb.SequentialScheduler(view)
        (y,) = scheduler.forward(data=[Tensor(np.array([1, 3, 2], np.float32))])
        y.init_grad()
        with pytest.raises(SchedulingError, match=r"no gradient reaches .*where \(ArgMax\) gives"):
            scheduler.backward()

    def test_other_ways_are_open_beside_it(self) -> None:
        """The gradient of x * (x > 0) is that of the factor alone."""
        x, zero = ops.Identity(name="x"), ops.Producer(Tensor([0.0]), name="zero")
        greater, cast, mul = ops.Greater(name="g"), ops.Cast("float64", name="c"), ops.Mul(name="m")
        x.add_child(greater, 0, 0)
        zero.add_child(greater, 0, 1)
        greater.add_child(cast)
        x.add_child(mul, 0, 0)
        cast.add_child(mul, 0, 1)
        scheduler = aidge_nb.SequentialScheduler(_cpu(aidge_nb.get_connected_graph_view(mul)))
        data = Tensor([-1.0, 2.0])
        (y,) = scheduler.forward(data=[data])
        y.grad = Tensor([1.0, 1.0])
        scheduler.backward()
        assert _grad(data) == [0, 1]

    def test_new_data_before_going_back(self) -> None:
        scheduler = aidge_nb.SequentialScheduler(_squares(1))
        (y,) = scheduler.forward(data=[Tensor([1.0])])
        y.grad = Tensor([1.0])
        scheduler.connect_inputs([Tensor([2.0])])
        with pytest.raises(SchedulingError, match=r"square0 \(ReLU\), input#0: is another tensor"):
            scheduler.backward()

    def test_a_gradient_that_fails_leaves_all_others_as_they_were(self) -> None:
        class Broken(_Square):
            def backward(self) -> None:
                raise ShapeError("broken")

        view = _squares(3)
        middle = view.get_node("square1").get_operator()
        middle.set_impl(Broken(middle))
        scheduler, x = aidge_nb.SequentialScheduler(view), Tensor([3.0])
        (y,) = scheduler.forward(data=[x])
        y.grad = Tensor([1.0])
        with pytest.raises(AidgeError, match="broken"):
            scheduler.backward()
        assert not middle.get_output(0).has_grad()
        assert _grad(y) == [1]
        middle.set_impl(_Square(middle))
        scheduler.backward()
        assert _grad(x) == [8 * 3**7]


def test_annotated_nodes_are_skipped() -> None:
    a, b = ops.Producer(Tensor([2.0]), name="a"), ops.Producer(Tensor([5.0]), name="b")
    square, add = ops.Mul(name="square"), ops.Add(name="add")
    a.add_child(square, 0, 0)
    a.add_child(square, 0, 1)
    square.add_child(add, 0, 0)
    b.add_child(add, 0, 1)
    view = _cpu(aidge_nb.get_connected_graph_view(add))
    square.attributes()["skipBackward"] = True
    scheduler = aidge_nb.SequentialScheduler(view)
    (y,) = scheduler.forward()
    y.grad = Tensor([1.0])
    scheduler.backward()
    assert not a.get_operator().get_output(0).has_grad()
    assert _grad(b.get_operator().get_output(0)) == [1]
    assert [e.node.name() for e in scheduler.get_backward_scheduling()] == ["add"]


def test_nodes_that_a_condition_left_out_are_left_out() -> None:
    branches = [ops.Mul(name="double"), ops.Exp(name="exp")]
    x, select = ops.Identity(name="x"), ops.Select(2, name="select")
    x.add_child(branches[0], 0, 0)
    x.add_child(branches[0], 0, 1)
    x.add_child(branches[1], 0, 0)
    for index, branch in enumerate(branches, 1):
        branch.add_child(select, 0, index)
    view = _cpu(aidge_nb.get_connected_graph_view(select))
    scheduler = aidge_nb.SequentialScheduler(view)
    scheduler.tag_conditional_nodes()
    order = [port.node.name() for port, *_ in view.get_input_groups()]
    for choice, expected in ((0, 6.0), (1, float(np.exp(3.0)))):
        data = Tensor(np.array([3.0]))
        given = {"x": data, "select": Tensor(np.array([choice]))}
        (y,) = scheduler.forward(data=[given[name] for name in order])
        y.grad = Tensor(np.array([1.0]))
        scheduler.backward()
        assert _grad(data)[0] == pytest.approx(expected)
        ran = [e.node.name() for e in scheduler.get_backward_scheduling()]
        assert branches[1 - choice].name() not in ran
