"""Factories: names, Producers, meta-operators; and what holds for every declaration."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb import ops
from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import REQUIRED, SPECS, OpSpec

DECLARED = sorted(SPECS)  # before other tests register operators of their own
OF_META_OPERATORS = {
    "GRU",
    "LSTM",
    "Lapicque",
    "Leaky",
    "leaky_reset",
    *(name for name in ops.__all__ if name.startswith("Padded")),
}


@pytest.fixture(params=DECLARED)
def spec(request: pytest.FixtureRequest) -> OpSpec:
    return SPECS[request.param]


def test_every_operator_has_a_factory_of_its_name() -> None:
    assert set(ops.__all__) - OF_META_OPERATORS == set(DECLARED)


def test_every_factory_is_documented() -> None:
    assert not [name for name in ops.__all__ if not getattr(ops, name).__doc__]


def test_no_two_operators_stand_for_one_of_onnx() -> None:
    names = [name for each in DECLARED for name in SPECS[each].onnx]
    assert len(set(names)) == len(names)


def test_ports_that_a_declaration_names_exist(spec: OpSpec) -> None:
    assert set(spec.in_place) <= set(range(len(spec.inputs)))
    assert set(spec.back_edges) <= set(range(len(spec.inputs)))
    assert set(spec.optional_outputs) <= set(range(1, len(spec.outputs)))
    assert len({port.name for port in spec.inputs}) == len(spec.inputs)
    assert not spec.is_view or spec.overwrites == (0,)


def test_defaults_cannot_be_changed_by_accident(spec: OpSpec) -> None:
    shared = [value for value in spec.attrs.values() if value is not REQUIRED]
    assert not any(isinstance(value, (list, dict, set)) for value in shared)


def test_unnamed_nodes_have_unnamed_producers() -> None:
    assert [parent and parent.name() for parent in ops.Conv2D(1, 1, [1, 1]).get_parents()] == [
        None,
        "",
        "",
    ]
    inner = ops.PaddedConv2D(1, 1, [1, 1]).get_operator().micro_graph
    assert inner is not None
    assert [node.name() for node in inner.get_nodes()] == ["", ""]
    lstm = ops.LSTM(1, 1, 1).get_operator().micro_graph
    assert lstm is not None
    assert {node.name() for node in lstm.get_nodes()} == {""}


def test_producer_from_an_array_shares_it() -> None:
    array = np.arange(4)
    tensor = ops.Producer(array, "p", constant=True).get_operator().get_output(0)
    assert tensor.array is array
    assert tensor.dtype is DType.int64


def test_producer_from_dims_has_no_values() -> None:
    tensor = ops.Producer([2, 3]).get_operator().get_output(0)
    assert (tensor.dims, tensor.has_data) == ([2, 3], False)


def test_range_with_numbers_knows_its_size() -> None:
    node = ops.Range(0, 10, 4, name="r")
    view = aidge_nb.get_connected_graph_view(node)
    assert [parent and parent.name() for parent in node.get_parents()] == [
        "r_start",
        "r_limit",
        "r_delta",
    ]
    assert view.forward_dims()
    assert node.get_operator().get_output(0).dims == (3,)


def test_constant_of_shape_takes_its_type_from_the_value() -> None:
    made = ops.ConstantOfShape(Tensor(np.array([7], np.int8)))
    assert made.get_operator().attr.value.dtype == np.int8
    assert ops.ConstantOfShape(2.0).get_operator().attr.value.dtype == np.float32


@pytest.mark.parametrize(
    ("name", "inner"),
    [
        ("PaddedConv1D", ["p_pad", "p_conv"]),
        ("PaddedConv2D", ["p_pad", "p_conv"]),
        ("PaddedConv3D", ["p_pad", "p_conv"]),
        ("PaddedConvDepthWise1D", ["p_pad", "p_conv_depth_wise"]),
        ("PaddedConvDepthWise2D", ["p_pad", "p_conv_depth_wise"]),
        ("PaddedConvDepthWise3D", ["p_pad", "p_conv_depth_wise"]),
        ("PaddedMaxPooling1D", ["p_pad", "p_maxpooling"]),
        ("PaddedMaxPooling2D", ["p_pad", "p_maxpooling"]),
        ("PaddedMaxPooling3D", ["p_pad", "p_maxpooling"]),
        ("PaddedAvgPooling1D", ["p_pad", "p_avgpooling"]),
        ("PaddedAvgPooling2D", ["p_pad", "p_avgpooling"]),
        ("PaddedAvgPooling3D", ["p_pad", "p_avgpooling"]),
    ],
)
def test_padded_meta_operators(name: str, inner: list[str]) -> None:
    rank = int(name[-2])
    channels = [2] * {"PaddedConv": 2, "PaddedConvDepthWise": 1}.get(name[:-2], 0)
    make = getattr(ops, name)
    node = make(*channels, [3] * rank, "p", stride_dims=[2] * rank, padding_dims=[1] * (2 * rank))
    micro = node.get_operator().micro_graph
    assert [each.name() for each in micro.get_nodes()] == inner
    view = aidge_nb.get_connected_graph_view(node)
    assert view.forward_dims([[1, 2, *[9] * rank]])
    assert node.get_operator().get_output(0).dims == (1, 2, *[5] * rank)
    assert node.get_nb_outputs() == 1


def test_a_padded_convolution_runs_like_pad_and_convolution() -> None:
    rng = np.random.default_rng(0)
    x = rng.normal(size=(1, 2, 6, 5)).astype(np.float32)
    weights = rng.normal(size=(3, 2, 3, 3)).astype(np.float32)
    bias = rng.normal(size=3).astype(np.float32)

    def run(*nodes: aidge_nb.Node) -> np.ndarray:
        model = aidge_nb.sequential(list(nodes))
        nodes[-1].get_operator().set_input(1, Tensor(weights))
        nodes[-1].get_operator().set_input(2, Tensor(bias))
        model.set_backend("cpu")
        (output,) = aidge_nb.SequentialScheduler(model).forward(data=[Tensor(x)])
        return np.asarray(output)

    together = run(ops.PaddedConv2D(2, 3, [3, 3], padding_dims=[1, 0, 2, 1]))
    apart = run(ops.Pad([1, 0, 2, 1]), ops.Conv2D(2, 3, [3, 3]))
    np.testing.assert_array_equal(together, apart)


def test_the_mean_of_a_padded_pooling_may_leave_the_pads_out() -> None:
    def run(count_include_pad: bool) -> list[float]:
        node = ops.PaddedAvgPooling1D([2], padding_dims=[1, 0], count_include_pad=count_include_pad)
        model = aidge_nb.sequential([node])
        model.set_backend("cpu")
        data = [Tensor(np.array([[[4.0, 8.0]]], np.float32))]
        (output,) = aidge_nb.SequentialScheduler(model).forward(data=data)
        return [float(value) for value in np.asarray(output).ravel()]

    assert run(count_include_pad=True) == [2.0, 6.0]
    assert run(count_include_pad=False) == [4.0, 6.0]


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (
            lambda: ops.Conv2D(3, 8, 3, name="c"),  # type: ignore[arg-type]
            (
                "c (Conv2D): bad kernel_dims (expected 2 whole numbers from 1 on, found 3). "
                "Write kernel_dims=[3, 3]."
            ),
        ),
        (lambda: ops.Conv1D(3, 8, 3), "Write kernel_dims=[3]."),  # type: ignore[arg-type]
        (lambda: ops.ConvDepthWise2D(3, 3), "[3, 3]."),  # type: ignore[arg-type]
        (lambda: ops.ConvTranspose3D(3, 3, 2), "[2, 2, 2]."),  # type: ignore[arg-type]
        (lambda: ops.PaddedConv2D(3, 8, 5), "[5, 5]."),  # type: ignore[arg-type]
        (lambda: ops.PaddedConvDepthWise2D(3, 7), "[7, 7]."),  # type: ignore[arg-type]
        (lambda: ops.MaxPooling2D(2), "Write kernel_dims=[2, 2]."),  # type: ignore[arg-type]
        (
            lambda: ops.MaxPooling2D([2, 2], stride_dims=2),  # type: ignore[arg-type]
            "Write stride_dims=[2, 2].",
        ),
        (
            lambda: ops.PaddedConv2D(3, 8, [3, 3], padding_dims=1),  # type: ignore[arg-type]
            "Write padding_dims=[1, 1, 1, 1].",
        ),
        (lambda: ops.Conv2D(3, 8, "ab"), "found 'ab')"),  # type: ignore[arg-type]
        (lambda: ops.Conv2D(3, 8, -3), "found -3)"),  # type: ignore[arg-type]
    ],
)
def test_one_number_where_a_list_is_due(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ShapeError) as refusal:
        make()
    assert message in str(refusal.value)
