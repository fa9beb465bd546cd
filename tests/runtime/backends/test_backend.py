"""The NumPy backend: what it makes, and how failures of kernels are told."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aidge_nb import kernels, ops
from aidge_nb.core.errors import MissingKernelError, OnnxError, SchedulingError, ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import available_backends
from aidge_nb.runtime import CpuImpl, MetaImpl
from aidge_nb.runtime.backends.special import MemorizeImpl, PopImpl, ProducerImpl, StackImpl


def test_is_registered() -> None:
    assert "cpu" in available_backends()


def test_each_operator_gets_its_kind_of_implementation() -> None:
    made = {
        ops.ReLU(): CpuImpl,
        ops.Pop(): PopImpl,
        ops.Stack(1): StackImpl,
        ops.Memorize(1): MemorizeImpl,
        ops.Producer([1]): ProducerImpl,
        ops.PaddedConv2D(1, 1, [1, 1]): MetaImpl,
    }
    for node, kind in made.items():
        node.get_operator().set_backend("cpu")
        impl = node.get_operator().get_impl()
        assert isinstance(impl, kind)
        assert impl.get_operator() is node.get_operator()
        assert impl.backend() == "cpu"


@pytest.mark.parametrize("error", [ValueError("odd"), TypeError("odd"), IndexError("odd")])
def test_a_kernel_that_fails_names_node_and_arrays(
    monkeypatch: pytest.MonkeyPatch, error: Exception
) -> None:
    def find(*arguments: Any) -> Any:
        def kernel(*arrays: Any, **attributes: Any) -> Any:
            raise error

        return kernel

    monkeypatch.setattr(kernels, "find_kernel", find)
    operator = ops.ReLU(name="a").get_operator()
    operator.set_backend("cpu")
    operator.set_input(0, Tensor(np.zeros((2, 3), np.float32)))
    with pytest.raises(ShapeError) as refusal:
        operator.forward()
    assert str(refusal.value) == "a (ReLU): the kernel failed: odd (found ['float32[2, 3]'])"
    assert refusal.value.__cause__ is error


def test_what_a_kernel_refuses_keeps_its_kind(monkeypatch: pytest.MonkeyPatch) -> None:
    def find(*arguments: Any) -> Any:
        def kernel(*arrays: Any, **attributes: Any) -> Any:
            raise OnnxError("not this")

        return kernel

    monkeypatch.setattr(kernels, "find_kernel", find)
    operator = ops.ReLU(name="a").get_operator()
    operator.set_backend("cpu")
    operator.set_input(0, Tensor([1.0]))
    with pytest.raises(OnnxError, match="not this"):
        operator.forward()


def test_a_meta_operator_has_no_arrays_of_its_own() -> None:
    operator = ops.PaddedConv2D(1, 1, [1, 1], name="m").get_operator()
    operator.set_backend("cpu")
    impl = operator.get_impl()
    assert impl is not None
    with pytest.raises(
        MissingKernelError, match=r"m \(PaddedConv2D\): a meta-operator runs on its"
    ):
        impl.run([])


def test_a_single_operator_goes_back_on_its_tensors() -> None:
    node = ops.Mul(name="a")
    node.get_operator().set_backend("cpu")
    a, b = Tensor([2.0, 3.0]), Tensor([5.0, 7.0])
    node.get_operator().set_input(0, a)
    node.get_operator().set_input(1, b)
    node.get_operator().forward()
    with pytest.raises(SchedulingError, match=r"a \(Mul\), output#0: has no gradient\. Set its"):
        node.get_operator().backward()
    node.get_operator().get_output(0).grad = Tensor([1.0, 10.0])
    node.get_operator().backward()
    assert a.has_grad()
    assert b.has_grad()
    assert (a.grad.array.tolist(), b.grad.array.tolist()) == ([5, 70], [2, 30])
