"""Operators: tensors at ports, shape inference, implementations."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from numpy.typing import NDArray

from aidge_nb import dtype
from aidge_nb.core.errors import DataDependencyError, GraphError, ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GenericOperator, Operator, available_backends, register_backend
from aidge_nb.graph import backend as backends
from aidge_nb.graph.generic import GenericOperatorOp
from tests.graph.nodes import unit


def _unknown(index: int) -> NDArray[Any] | None:
    return None


class _Impl:
    def __init__(self, operator: Operator, name: str) -> None:
        self.operator, self.name, self.ran = operator, name, 0

    def forward(self) -> None:
        self.ran += 1

    def backward(self) -> None:
        self.ran -= 1

    def reset_state(self) -> None:
        self.ran = 0

    def run(self, arrays: Sequence[NDArray[Any] | None]) -> tuple[NDArray[Any], ...]:
        return ()

    def prod_conso(self) -> Any:
        return None


class TestGeneric:
    def test_by_categories_or_counts(self) -> None:
        node = GenericOperator("Up", 2, 1, 3, name="up", factor=2)
        assert (node.get_nb_inputs(), node.get_nb_outputs()) == (3, 3)
        assert node.input_category(2).name == "Param"
        assert node.get_operator().attr.factor == 2

    @pytest.mark.parametrize("ports", [(1,), (1, 2), (1, 2, 3, 4), ([],), ([], 1, 2)])
    def test_other_ways_are_refused(self, ports: tuple[Any, ...]) -> None:
        with pytest.raises(GraphError) as refusal:
            GenericOperator("Up", *ports, name="up")
        assert str(refusal.value).startswith("up (Up): cannot tell its ports (expected (categories")

    def test_dims_without_a_function(self) -> None:
        operator = GenericOperator("Up", 1, 0, 1, name="up").get_operator()
        with pytest.raises(DataDependencyError, match=r"up \(Up\): output dims are unknown.*set_f"):
            operator.infer_dims(_unknown)

    def test_too_few_dims(self) -> None:
        operator = GenericOperator("Up", 1, 0, 2, name="up").get_operator()
        assert isinstance(operator, GenericOperatorOp)
        operator.set_forward_dims(lambda dims: [dims[0]])
        operator.set_input(0, Tensor.of_dims([2]))
        with pytest.raises(ShapeError, match=r"up \(Up\): too few output dims \(expected 2, found"):
            operator.infer_dims(_unknown)

    def test_dims_that_are_no_sizes(self) -> None:
        operator = GenericOperator("Up", 0, 0, 1, name="up").get_operator()
        assert isinstance(operator, GenericOperatorOp)
        operator.set_forward_dims(lambda dims: [[float("nan")]])  # type: ignore[list-item]  # the test
        with pytest.raises(ShapeError, match=r"up \(Up\): dimension 0 is not a size"):
            operator.infer_dims(_unknown)

    def test_clone_keeps_the_function(self) -> None:
        copy = unit("a", kind="Up").get_operator().clone()
        copy.set_input(0, Tensor.of_dims([4]))
        copy.infer_dims(_unknown)
        assert copy.get_output(0).dims == [4]
        assert copy.attr.dict() == {}


class TestTensors:
    def test_set_input_takes_the_content_when_there_is_a_tensor(self) -> None:
        operator = unit("a").get_operator()
        first, second = Tensor([1.0]), Tensor([2.0, 3.0])
        operator.set_input(0, first)
        assert operator.get_input(0) is first
        operator.set_input(0, second)
        assert operator.get_input(0) is first
        assert first.array.tolist() == [2, 3]

    def test_associate_input_shares(self) -> None:
        operator = unit("a").get_operator()
        shared = Tensor([1.0])
        operator.set_input(0, Tensor([2.0]))
        operator.associate_input(0, shared)
        assert operator.get_input(0) is shared
        operator.reset_input(0)
        assert operator.get_input(0) is None

    def test_set_output_takes_the_content(self) -> None:
        operator = unit("a").get_operator()
        tensor = operator.get_output(0)
        operator.set_output(0, Tensor([1.0]))
        assert operator.get_output(0) is tensor
        assert tensor.array.tolist() == [1]

    def test_inferred_outputs_drop_data_of_other_dims_alone(self) -> None:
        operator = unit("a").get_operator()
        operator.set_input(0, Tensor.of_dims([2]))
        operator.get_output(0).set_array(Tensor([1.0, 2.0], "float32").array)
        operator.infer_dims(_unknown)
        assert operator.get_output(0).has_data
        operator.set_input(0, Tensor.of_dims([3]))
        operator.infer_dims(_unknown)
        assert not operator.get_output(0).has_data

    def test_the_type_is_that_of_the_first_input(self) -> None:
        operator = unit("a").get_operator()
        operator.set_input(0, Tensor.of_dims([2], dtype.int16))
        operator.infer_dims(_unknown)
        assert operator.get_output(0).dtype is dtype.int16

    def test_set_datatype_leaves_integers(self) -> None:
        operator = unit("a", outputs=2).get_operator()
        operator.get_output(1).set_datatype("int64")
        operator.set_datatype("float16")
        assert [operator.get_output(i).dtype.name for i in (0, 1)] == ["float16", "int64"]

    def test_macs_are_unknown_without_dims(self) -> None:
        operator = unit("a").get_operator()
        assert operator.macs() is None
        operator.get_output(0).resize([2])
        assert operator.macs() == 0


class TestImplementations:
    def test_running_without_one(self) -> None:
        operator = unit("a").get_operator()
        for action in (operator.forward, operator.backward):
            with pytest.raises(GraphError) as refusal:
                action()
            message = 'a (Unit): has no implementation. Call set_backend("cpu") first.'
            assert str(refusal.value) == message

    def test_unknown_backend(self) -> None:
        with pytest.raises(GraphError, match=r"a \(Unit\): no such backend .*found 'abacus'"):
            unit("a").get_operator().set_backend("abacus")

    def test_backend_makes_the_implementation(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(backends, "_FACTORIES", {})
        register_backend("probe", _Impl)
        assert available_backends() == ["probe"]
        node = unit("a")
        node.get_operator().set_backend("probe")
        impl = node.get_operator().get_impl()
        assert isinstance(impl, _Impl)
        assert (impl.operator, impl.name) == (node.get_operator(), "probe")
        node.forward()
        assert impl.ran == 1
        assert node.get_operator().backend() == "probe"
        twin = node.get_operator().clone()
        assert twin.get_impl() is not impl
        assert isinstance(twin.get_impl(), _Impl)

    def test_an_implementation_of_the_user_stays(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setattr(backends, "_FACTORIES", {})
        register_backend("probe", _Impl)
        operator = unit("a").get_operator()
        mine = _Impl(operator, "mine")
        operator.set_impl(mine)
        operator.set_backend("probe")
        assert operator.get_impl() is mine
        operator.set_impl(None)
        assert operator.get_impl() is None
        operator.set_backend("probe")
        assert operator.get_impl() is not None
