"""The scheduling tutorial of the seeds, as it is written there."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import aidge_nb
from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph import GraphView
from aidge_nb.scheduling import Elts_t, check_schedule


def test_a_chain_starts_with_its_producers() -> None:
    model = aidge_nb.sequential(
        [
            aidge_nb.Producer([16, 3, 512, 512], name="dataProvider"),
            aidge_nb.Conv2D(3, 4, [5, 5], name="conv1"),
            aidge_nb.ReLU(name="relu1"),
            aidge_nb.PaddedConv2D(
                4, 8, [5, 5], name="conv2", stride_dims=[1, 1], padding_dims=[2, 2, 2, 2]
            ),
            aidge_nb.ReLU(name="relu2"),
            aidge_nb.PaddedConv2D(
                8,
                16,
                [3, 3],
                name="conv3",
                stride_dims=[1, 1],
                padding_dims=[2, 2, 2, 2],
                no_bias=True,
            ),
            aidge_nb.ReLU(name="relu3"),
        ]
    )
    model.set_backend("cpu")
    scheduler = aidge_nb.SequentialScheduler(model)
    scheduler.generate_scheduling()
    order = [node.name() for node in scheduler.get_sequential_static_scheduling()]
    assert order[6:] == ["conv1", "relu1", "conv2", "relu2", "conv3", "relu3"]
    assert set(order[:6]) == {"dataProvider", "conv1_w", "conv1_b", "conv2_w", "conv2_b", "conv3_w"}
    late = {each.node.name(): each.late for each in scheduler.get_static_scheduling()}
    assert (late["dataProvider"], late["conv2_w"], late["conv3_w"]) == (0, 2, 4)


class Conv2D_DataFlow_CP(aidge_nb.ProdConso):  # noqa: N801  # the seed's name
    def __init__(self, op: aidge_nb.Operator) -> None:
        aidge_nb.ProdConso.__init__(self, op, False)
        self.state_begin = True

    def get_nb_required_data(self, input_idx: int) -> Elts_t:
        input = self.get_operator().get_input(input_idx)
        if input:
            if self.state_begin:
                return aidge_nb.Elts_t.data_elts(3 * input.dims()[2])
            else:
                return aidge_nb.Elts_t.data_elts(input.dims()[2])
        else:
            return aidge_nb.Elts_t.none_elts()

    def get_required_memory(self, output_idx: int, inputs_size: Sequence[Any] = ()) -> Elts_t:
        output = self.get_operator().get_output(output_idx)
        self.state_begin = False
        return aidge_nb.Elts_t.data_elts(output.dims()[2])


class GenericConv2D_DataFlow_Impl(aidge_nb.OperatorImpl):  # noqa: N801  # the seed's name
    def __init__(self, op: aidge_nb.Operator) -> None:
        aidge_nb.OperatorImpl.__init__(self, op, "cpu")

    def get_prod_conso(self) -> aidge_nb.ProdConso:
        return Conv2D_DataFlow_CP(self.get_operator())


def _pipeline() -> GraphView:
    category = aidge_nb.InputCategory
    ports = [category.Data, category.OptionalParam, category.OptionalParam]
    model = aidge_nb.sequential(
        [
            aidge_nb.Producer([1, 3, 16, 16], name="dataProvider"),
            *(aidge_nb.GenericOperator("Conv2D_DF", ports, 1, name=f"conv{i}") for i in (1, 2, 3)),
        ]
    )
    for node in model.get_nodes():
        if node.type() == "Conv2D_DF":
            operator: Any = node.get_operator()
            operator.set_impl(GenericConv2D_DataFlow_Impl(operator))
            operator.set_forward_dims(lambda x: [x[0]])
    return model


def test_the_dataflow_pipeline() -> None:
    model = _pipeline()
    assert model.forward_dims()
    scheduler = aidge_nb.SequentialScheduler(model)
    scheduler.generate_scheduling()
    schedule = scheduler.schedule()
    sections = [
        (section.repeat, [schedule.name_of(firing) for firing in section.firings])
        for section in schedule.sections()
    ]
    assert sections == [
        (1, ["dataProvider"]),
        (3, ["conv1"]),
        (2, ["conv2", "conv1"]),
        (41, ["conv2", "conv3", "conv1"]),
        (1, ["conv2"]),
        (1, ["conv3"]),
    ]
    assert len(schedule.firings) == 133


def test_the_dataflow_pipeline_needs_dims() -> None:
    model = _pipeline()
    scheduler = aidge_nb.SequentialScheduler(model)
    with pytest.raises((SchedulingError, IndexError)):
        scheduler.generate_scheduling()


@pytest.mark.parametrize("length", [1, 2, 5])
def test_the_lstm(length: int) -> None:
    lstm = aidge_nb.LSTM(in_channels=4, hidden_channels=8, seq_length=length)
    model = aidge_nb.get_connected_graph_view(lstm)
    aidge_nb.expand_metaops(model)
    model.set_backend("cpu")
    scheduler = aidge_nb.SequentialScheduler(model)
    scheduler.generate_scheduling()
    schedule = scheduler.schedule()
    check_schedule(model, schedule)
    executions = [node for node in schedule.order if "Memorize" in node]
    assert len(executions) == 2 * (length + 1)


def test_three_modes() -> None:
    def model() -> GraphView:
        return aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Pop(name="pop")])

    tokens = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    assert aidge_nb.static_schedule(tokens).order == ("a", "b")
    with pytest.raises(SchedulingError, match=r"pop \(Pop\), input#0: Pop needs known, non-empty"):
        aidge_nb.static_schedule(model())
    view = model()
    assert view.forward_dims([[3, 2]])
    assert aidge_nb.static_schedule(view).order == ("a", "pop", "pop", "pop")
