"""Consumer-producer models: what each takes, protects and gives, and how it counts."""

from __future__ import annotations

import gc
from weakref import ref

import pytest

from aidge_nb import ops
from aidge_nb.core.errors import SchedulingError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import CpModel, Node, get_connected_graph_view, sequential
from aidge_nb.graph.operator import Operator
from aidge_nb.scheduling import Elts_t, OperatorImpl, ProdConso, prod_conso_of, static_schedule
from aidge_nb.scheduling.model.prod_conso import amount_of, make_prod_conso
from tests import oracle
from tests.graph.nodes import unit

SINGLE = sorted({"chain_fc", "pop_relu_3", "pop_relu_stack_3", "counter_3", "split_concat"})


def _model(node: Node, *dims: tuple[int, ...] | None) -> ProdConso:
    for index, each in enumerate(dims):
        tensor = Tensor() if each is None else Tensor.of_dims(each)
        node.get_operator().associate_input(index, tensor)
    return make_prod_conso(node.get_operator())


def _text(amount: Elts_t) -> dict[str, int] | None:
    return {"data": amount.data} if amount.type.value == "data" else None


@pytest.mark.parametrize("name", SINGLE)
def test_first_amounts_as_aidge(name: str) -> None:
    recorded = oracle.load(name)
    _, nodes = oracle.build_graph(recorded)
    for each, amounts in recorded["cp"].items():
        model = prod_conso_of(nodes[each].get_operator())
        model.reset_consummer_producer()
        required = [_text(model.get_nb_required_data(i)) for i in range(len(amounts["required"]))]
        produced = [_text(model.get_required_memory(o)) for o in range(len(amounts["produced"]))]
        assert required == amounts["required"], each
        assert produced == amounts["produced"], each


class TestDefault:
    def test_amounts_are_per_tensor(self) -> None:
        assert repr(amount_of(None)) == "Elts_t(none)"
        assert repr(amount_of(Tensor())) == "Elts_t(token=1)"
        assert repr(amount_of(Tensor.of_dims([2, 3]))) == "Elts_t(data=6, token=1)"
        assert repr(amount_of(Tensor.of_dims([]))) == "Elts_t(data=1, token=1)"

    def test_whole_in_whole_out(self) -> None:
        node = unit("a")
        model = _model(node, (2, 3))
        node.get_operator().get_output(0).resize([4])
        assert model.get_nb_required_data(0).data == 6
        assert model.get_nb_required_protected(0).data == 6
        assert model.get_required_memory(0, [[2, 3]]).data == 4

    def test_counting(self) -> None:
        node = unit("a")
        model = _model(node, (6,))
        node.get_operator().get_output(0).resize([6])
        for _ in range(3):
            model.update_consummer_producer()
        assert (model.get_nb_consumed_data(0).data, model.get_nb_produced_data(0).data) == (18, 18)
        model.reset_consummer_producer()
        assert repr(model.get_nb_consumed_data(0)) == "Elts_t(none)"

    def test_in_place_protects_nothing(self) -> None:
        operator = unit("a").get_operator()
        operator.set_input(0, Tensor.of_dims([6]))
        assert ProdConso.in_place_model(operator).get_nb_required_protected(0).data == 0
        assert ProdConso.default_model(operator).get_nb_required_protected(0).data == 6
        assert ProdConso.default_model(operator).get_operator() is operator


class TestPop:
    def test_takes_slices_and_protects_all(self) -> None:
        model = _model(ops.Pop(name="pop"), (3, 4, 5))
        assert model.get_nb_required_data(0).data == 20
        assert model.get_nb_required_protected(0).data == 60

    @pytest.mark.parametrize("dims", [None, (), (0, 4)])
    def test_needs_dims(self, dims: tuple[int, ...] | None) -> None:
        model = _model(ops.Pop(name="pop"), dims)
        with pytest.raises(SchedulingError) as refusal:
            model.get_nb_required_data(0)
        message = str(refusal.value)
        assert message.startswith(
            "pop (Pop), input#0: Pop needs known, non-empty dimensions: they say how often it runs"
        )
        assert "Call forward_dims()" in message
        assert "constant_folding()" in message

    def test_needs_a_tensor(self) -> None:
        with pytest.raises(SchedulingError, match="found unknown dims"):
            _model(ops.Pop(name="pop")).get_nb_required_data(0)


def test_stack_gives_a_slice_each_time() -> None:
    node = ops.Stack(4, name="stack")
    model = _model(node, (2, 3))
    for _ in range(3):
        model.update_consummer_producer()
    assert model.get_nb_produced_data(0).data == 18


class TestMemorize:
    def _model(self, end_step: int = 2) -> ProdConso:
        node = ops.Memorize(end_step, name="m")
        model = _model(node, (3,), (3,))
        for index in range(2):
            node.get_operator().get_output(index).resize([3])
        return model

    def test_the_initial_value_first_the_last_one_later(self) -> None:
        model = self._model()
        assert [model.get_nb_required_data(i).data for i in (0, 1)] == [0, 3]
        model.update_consummer_producer()
        assert [model.get_nb_required_data(i).data for i in (0, 1)] == [3, 0]

    def test_the_recurrent_output_ends_the_loop(self) -> None:
        model = self._model()
        given = []
        for _ in range(3):
            given.append([model.get_required_memory(o).data for o in (0, 1)])
            model.update_consummer_producer()
        assert given == [[3, 3], [3, 3], [3, 0]]
        with pytest.raises(SchedulingError) as refusal:
            model.update_consummer_producer()
        assert str(refusal.value) == (
            "m (Memorize): runs more often than its loop lasts (expected 3 executions). "
            "Close the cycle over output#1 of Memorize; output#0 is the last value."
        )
        model.reset_consummer_producer()
        assert model.get_required_memory(1).data == 3


class TestPadded:
    def test_protects_what_padding_adds(self) -> None:
        conv = ops.PaddedConv2D(3, 4, [3, 3], name="c", padding_dims=[1, 1, 1, 1])
        view = get_connected_graph_view(conv)
        assert view.forward_dims([[1, 3, 8, 8]])
        assert conv.get_operator().spec.cp is CpModel.PADDED
        protected = prod_conso_of(conv.get_operator()).get_nb_required_protected(0)
        assert protected.data == 3 * (100 - 64)

    def test_protects_all_while_dims_are_unknown(self) -> None:
        conv = ops.PaddedConv2D(3, 4, [3, 3], name="c", padding_dims=[1, 1, 1, 1])
        assert prod_conso_of(conv.get_operator()).get_nb_required_protected(0).data == 0
        conv.get_operator().associate_input(0, Tensor.of_dims([1, 3, 8, 8]))
        assert prod_conso_of(conv.get_operator()).get_nb_required_protected(0).data == 192


class TestWhoseModel:
    def test_that_of_the_implementation(self) -> None:
        class Mine(ProdConso):
            pass

        class Impl(OperatorImpl):
            made = 0

            def get_prod_conso(self) -> ProdConso:
                Impl.made += 1
                return Mine(self.get_operator())

        operator = unit("a").get_operator()
        operator.set_impl(Impl(operator))
        assert isinstance(prod_conso_of(operator), Mine)
        assert prod_conso_of(operator) is prod_conso_of(operator)
        assert Impl.made == 1

    def test_that_of_the_declaration_without_one(self) -> None:
        operator = ops.ReLU().get_operator()
        assert prod_conso_of(operator) is prod_conso_of(operator)
        operator.set_input(0, Tensor.of_dims([2]))
        assert prod_conso_of(operator).get_nb_required_protected(0).data == 0

    @pytest.mark.parametrize("model", list(CpModel))
    def test_every_declared_model_can_be_made(self, model: CpModel) -> None:
        from dataclasses import replace

        operator: Operator = ops.Memorize(1).get_operator()
        operator.spec = replace(operator.spec, cp=model)
        assert isinstance(make_prod_conso(operator), ProdConso)


def test_graphs_that_were_scheduled_go_when_nobody_holds_them() -> None:
    view = sequential([ops.ReLU(), ops.Tanh()])
    static_schedule(view)
    model = prod_conso_of(next(iter(view)).get_operator())
    assert prod_conso_of(next(iter(view)).get_operator()) is model
    left = [ref(node.get_operator()) for node in view]
    del view, model
    gc.collect()
    assert [each() for each in left] == [None, None]
