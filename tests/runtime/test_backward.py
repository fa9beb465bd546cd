"""The backward pass: gradients of user implementations, in reverse order of what ran."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import aidge_nb
from aidge_nb import ops
from aidge_nb.errors import MissingKernelError, SchedulingError
from aidge_nb.graph import GraphView, Operator
from aidge_nb.tensor import Tensor

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
        assert y.grad is not None
        x.grad = Tensor(2 * x.array * y.grad.array)


def _squares(count: int) -> GraphView:
    view = aidge_nb.sequential([ops.ReLU(name=f"square{i}") for i in range(count)])
    for node in view.get_nodes():
        node.get_operator().set_impl(_Square(node.get_operator()))
    return view


@pytest.mark.parametrize("kind", [aidge_nb.SequentialScheduler, aidge_nb.ParallelScheduler])
def test_gradients_go_back_the_way_the_data_came(kind: Any) -> None:
    scheduler = kind(_squares(3))
    x = Tensor(np.array([1.0, 2.0, -1.5]))
    (y,) = scheduler.forward(data=[x])
    y.grad = Tensor(np.ones(3))
    scheduler.backward()
    assert x.grad is not None
    np.testing.assert_allclose(x.grad.array, 8 * x.array**7)
    ran = scheduler.get_backward_scheduling()
    assert [each.node.name() for each in ran] == ["square2", "square1", "square0"]
    assert all(each.start <= each.end for each in ran)
    scheduler.clear_scheduling()
    assert scheduler.get_backward_scheduling() == []


def test_producers_are_left_out_and_missing_gradients_named() -> None:
    view = aidge_nb.sequential([ops.Producer(Tensor([2.0]), name="p"), ops.ReLU(name="relu")])
    view.set_backend("cpu")
    scheduler = aidge_nb.SequentialScheduler(view)
    scheduler.forward()
    with pytest.raises(MissingKernelError, match=r"relu \(ReLU\): .*ReLU has no gradient"):
        scheduler.backward()


def test_a_diagram_of_both_passes(tmp_path: Any) -> None:
    scheduler = aidge_nb.SequentialScheduler(_squares(2))
    (y,) = scheduler.forward(data=[Tensor([1.0])])
    y.grad = Tensor([1.0])
    scheduler.backward()
    scheduler.save_scheduling_diagram(tmp_path / "run")
    assert "square1 (ReLU#1)" in (tmp_path / "run_backward.mmd").read_text(encoding="utf-8")


def test_without_a_pass_there_is_nothing_to_go_back() -> None:
    scheduler = aidge_nb.SequentialScheduler(_squares(1))
    with pytest.raises(SchedulingError, match=r"no pass whose gradients .*Call forward\(\) first"):
        scheduler.backward()
    scheduler.forward(data=[Tensor([1.0])])
    scheduler.reset_scheduling()
    with pytest.raises(SchedulingError, match="no pass"):
        scheduler.backward()
