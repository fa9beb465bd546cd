"""Codes of 16 bits: integer layers with weights of 8 bits, in QDQ files and under a budget."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from onnxruntime.quantization import QuantType

import aidge_nb
from aidge_nb.cli import main
from aidge_nb.core.errors import AidgeError
from aidge_nb.export import plan_export
from aidge_nb.graph import GraphView
from aidge_nb.kernels.c import c_calls
from aidge_nb.memory import check_replay, plan_memory
from aidge_nb.ops.coded import kind_of
from aidge_nb.quantization import quantize, steps_by_layer, to_integer
from aidge_nb.scheduling import static_schedule
from aidge_nb.tiling.chain_model import can_weigh
from aidge_nb.widgets.live.quantized import QuantizedBoard
from aidge_nb.zoo.builder import ModelBuilder
from benchmarks.codes import Quantized
from tests.quantization.test_integer import (
    DIMS,
    Array,
    every_layer,
    quantized,
    results,
    run,
    step_of,
)
from tests.quantization.test_post_training import decibels, network, outputs, samples
from tests.quantization.test_spreading import spreading
from tests.tiling.test_coded import chain

BASIC = onnxruntime.GraphOptimizationLevel.ORT_ENABLE_BASIC
"""ONNX Runtime's later passes drop some roundings to 16 bits that the file asks for."""
KINDS = [QuantType.QInt16, QuantType.QUInt16]


def loaded(path: Path, dims: tuple[int, ...]) -> GraphView:
    view = aidge_nb.load_onnx(path)
    view.forward_dims([list(dims)], allow_data_dependency=True)
    return view


@pytest.mark.parametrize("symmetric", [False, True])
@pytest.mark.parametrize("kind", KINDS, ids=["int16", "uint16"])
def test_each_layer_gives_what_onnx_runtime_gives(
    kind: QuantType, symmetric: bool, tmp_path: Path
) -> None:
    options = {"activation_type": kind, "weight_type": QuantType.QInt8, "per_channel": True}
    more = {"ActivationSymmetric": symmetric}
    path = quantized(every_layer(), tmp_path, **options, extra_options=more)
    view = loaded(path, DIMS)
    report = to_integer(view)
    assert list(report.float_) == ["sigmoid (Sigmoid)", "softmax (Softmax)"]
    assert "65,536" in report.float_["sigmoid (Sigmoid)"]
    assert len(report) >= 13
    x = np.random.default_rng(1).standard_normal(DIMS).astype(np.float32)
    wanted, found = results(path, view, x, BASIC)
    assert np.abs(found - wanted).max() / step_of(view) < 1.01
    layers = steps_by_layer(view, [x], Quantized(path, x, integers=False, level=0).codes())
    assert len(layers) >= 13
    assert max(each.most for each in layers) <= 1, [str(each) for each in layers]
    np.testing.assert_array_equal(run(view, x, "exact"), run(view, x, "c"))
    plan_export(view)


def test_what_has_no_operator_of_16_bits_says_so() -> None:
    model, x = spreading(per_channel=False, group=1, opset=21, kind=np.int16)
    view = aidge_nb.load_onnx(model)
    view.forward_dims([list(x.shape)], allow_data_dependency=True)
    wanted = run(view, x, "cpu")
    report = to_integer(view)
    assert not report.integer
    for name, op_type in (("up", "ConvTranspose2D"), ("twice", "Resize"), ("less", "Resize")):
        (reason,) = (text for label, text in report.float_.items() if label.startswith(name))
        assert reason == f"there is no integer operator for {op_type} of 16-bit codes"
    np.testing.assert_array_equal(run(view, x, "cpu"), wanted)


@pytest.mark.parametrize("kind", [QuantType.QInt8, QuantType.QUInt8], ids=["int8", "uint8"])
def test_weights_stand_for_themselves(kind: QuantType, tmp_path: Path) -> None:
    options = {"activation_type": QuantType.QInt16, "weight_type": kind}
    view = loaded(quantized(every_layer(), tmp_path, **options), DIMS)
    report = to_integer(view)
    x = np.random.default_rng(1).standard_normal(DIMS).astype(np.float32)
    for node in view.get_nodes():
        if node.type() == "QLinearConv":
            source = node.source(3)
            assert source is not None
            weights = source.node.get_operator().get_output(0).array
            assert weights.dtype == np.int8
    if kind is QuantType.QInt8:
        assert "conv" in report.integer
    np.testing.assert_array_equal(run(view, x, "exact"), run(view, x, "c"))


@pytest.mark.parametrize("kind", [QuantType.QInt8, QuantType.QInt16], ids=["int8", "int16"])
def test_a_network_of_the_zoo_keeps_a_quarter_of_its_parameters(
    kind: QuantType, tmp_path: Path
) -> None:
    model = aidge_nb.zoo.build("lenet")
    dims = (1, 1, 32, 32)
    options = {"activation_type": kind, "weight_type": QuantType.QInt8}
    path = quantized(model, tmp_path, **options)
    view = loaded(path, dims)
    plain = aidge_nb.load_onnx(model.to_bytes())
    plain.forward_dims([list(dims)])
    report = to_integer(view)
    assert set(report.float_) <= {"softmax (Softmax)"}
    assert plan_export(view).parameter_bytes <= 0.27 * plan_export(plain).parameter_bytes
    x = np.random.default_rng(1).standard_normal(dims).astype(np.float32)
    wanted, found = results(path, view, x, BASIC)
    assert np.abs(found - wanted).max() / step_of(view) < 1.01
    np.testing.assert_array_equal(run(view, x, "exact"), run(view, x, "c"))


@pytest.mark.parametrize("kind", ["ConvTranspose", "Resize"])
def test_layers_without_kernels_of_16_bits_stay_in_float(kind: str, tmp_path: Path) -> None:
    b = ModelBuilder("spread", 0, opset=21)
    x, dims = b.input("data", (1, 3, 6, 5)), (1, 3, 6, 5)
    x = b.node("Conv", [x, b.weight("first_w", (3, 3, 1, 1), 3)], "first", kernel_shape=(1, 1))
    if kind == "Resize":
        factors = b.constant("factors", np.array([1, 1, 2, 2], np.float32))
        y = b.node(kind, [x, "", factors], "layer", mode="linear")
    else:
        y = b.node(kind, [x, b.weight("w", (3, 4, 2, 2), 3)], "layer", strides=(2, 2))
    model = b.build({b.node("Relu", [y], "relu"): ()})
    for activations, has_layer in ((QuantType.QInt8, True), (QuantType.QInt16, False)):
        view = loaded(quantized(model, tmp_path, activation_type=activations), dims)
        report = to_integer(view)
        assert ("layer" in report.integer) == has_layer, report
        if not has_layer:
            assert any("of 16-bit codes" in why for why in report.float_.values())
        data = np.random.default_rng(1).standard_normal(dims).astype(np.float32)
        np.testing.assert_array_equal(run(view, data, "exact"), run(view, data, "c"))


def deep(channels: int, weight: int) -> tuple[GraphView, Array]:
    """Make a convolution of codes as large as they can be, and its data."""
    b = ModelBuilder("deep", 0, opset=21)
    scales = [b.constant(f"s{i}", np.float32(value)) for i, value in enumerate((1, 1, 2.0**20))]
    zeros = [b.constant("z0", np.int16(0)), b.constant("z1", np.int8(0))]
    x = b.node("QuantizeLinear", [b.input("data", (1, channels, 1, 1)), scales[0], zeros[0]], "q")
    x = b.node("DequantizeLinear", [x, scales[0], zeros[0]], "d")
    codes = b.constant("codes", np.full((2, channels, 1, 1), weight, np.int8))
    w = b.node("DequantizeLinear", [codes, scales[1], zeros[1]], "w")
    x = b.node("Conv", [x, w], "conv", kernel_shape=(1, 1))
    x = b.node("QuantizeLinear", [x, scales[2], zeros[0]], "q2")
    view = aidge_nb.load_onnx(
        b.build({b.node("DequantizeLinear", [x, scales[2], zeros[0]], "y"): ()})
    )
    view.forward_dims([[1, channels, 1, 1]])
    assert to_integer(view).integer == ("conv",)
    return view, np.full((1, channels, 1, 1), -32768, np.float32)


@pytest.mark.parametrize(("channels", "is_long"), [(500, False), (1200, True)])
def test_sums_have_64_bits_where_32_may_not_hold_them(channels: int, is_long: bool) -> None:
    view, x = deep(channels, 127)
    (node,) = (node for node in view.get_nodes() if node.type() == "QLinearConv")
    functions = {call.function for call in c_calls(node)}
    assert (any("long" in name for name in functions)) == is_long
    expected = np.rint(-32768 * 127 * channels / 2**20) * 2**20
    for backend in ("cpu", "exact", "c"):
        np.testing.assert_array_equal(run(view, x, backend).reshape(-1), [expected] * 2)


@pytest.mark.parametrize("activations", ["int8", "uint8"])
def test_types_of_layers_mix_in_any_order(activations: str, tmp_path: Path) -> None:
    graph, data = network(), samples(8)
    coarse = quantize(graph, data, activations=activations)
    for wides in (["c1"], ["c2"], ["fc"], ["c1", "fc"], ["c1", "c2", "fc"]):
        found = coarse.with_floats([], wides)
        assert found.wides == tuple(wides)
        integers, report = found.integer()
        assert set(wides) <= set(report.integer)
        assert not report.float_
        got = outputs(integers, data)
        assert abs(decibels(outputs(graph, data), got) - found.sqnr) < 0.5
        exact, compiled = (run(integers, data[:1], name) for name in ("exact", "c"))
        np.testing.assert_array_equal(exact, compiled)
        path = tmp_path / "mixed.onnx"
        aidge_nb.save_onnx(found.graph, path, opset=21)
        session = onnxruntime.InferenceSession(path)
        wanted = session.run(None, {session.get_inputs()[0].name: data[:1]})[0]
        assert np.abs(wanted - exact).max() <= 1.01 * step_of(integers)
    everything = coarse.with_floats([], ["c1", "c2", "fc"])
    assert everything.sqnr > coarse.sqnr + 1


def test_a_sum_of_both_types_is_one_of_16_bits() -> None:
    b = ModelBuilder("sum", 0)
    x = b.input("data", (1, 4, 8, 8))
    one, two = (
        b.node("Conv", [x, b.weight(f"{name}_w", (4, 4, 1, 1), 4)], name, kernel_shape=(1, 1))
        for name in ("one", "two")
    )
    graph = aidge_nb.load_onnx(b.build({b.node("Add", [one, two], "sum"): ()}))
    graph.forward_dims([[1, 4, 8, 8]])
    data = np.random.default_rng(0).standard_normal((8, 4, 8, 8)).astype(np.float32)
    found = quantize(graph, data).with_floats([], ["one"])
    integers, report = found.integer()
    assert "sum" in report.integer
    (node,) = (node for node in integers.get_nodes() if node.type() == "QLinearAdd")
    given = [node.get_operator().get_input(index) for index in (0, 3)]
    assert [None if each is None else each.dtype.name for each in given] == ["int16", "int16"]
    np.testing.assert_array_equal(run(integers, data[:1], "exact"), run(integers, data[:1], "c"))


def test_a_budget_takes_16_bits_where_they_cost_less_than_floats() -> None:
    graph, data = network(), samples(8)
    coarse = quantize(graph, data)
    budget = coarse.sqnr + 1
    found = quantize(graph, data, budget=budget)
    assert found.sqnr >= budget
    assert found.wides
    plain = quantize(graph, data, budget=budget, wide=False)
    assert plain.floats
    assert not plain.wides
    assert spent(found) < spent(plain)
    assert [each.name for each in found.layers if each.is_wide] == list(found.wides)
    assert all(each.wide_sqnr is None for each in plain.layers)
    assert f"{len(found.wides)} on int16" in repr(found)


def spent(found: Any) -> int:
    return sum(
        each.more_bytes if each.is_float else each.wide_bytes if each.is_wide else 0
        for each in found.layers
    )


def test_a_layer_in_float_has_no_codes_of_16_bits() -> None:
    found = quantize(network(), samples(4)).with_floats(["c1"], ["c1", "c2"])
    assert (found.floats, found.wides) == (("c1",), ("c2",))
    with pytest.raises(AidgeError, match="no such layers"):
        found.with_floats([], ["nobody"])


def test_a_view_keeps_codes_of_16_bits_where_layers_go_to_float_and_back() -> None:
    found = quantize(network(), samples(4)).with_floats([], ["c1", "fc"])
    board = QuantizedBoard(found)
    board.floats = ["c1"]
    assert (board.network.floats, board.network.wides) == (("c1",), ("fc",))
    board.floats = []
    assert board.network.sqnr == found.sqnr


def test_the_command_says_which_layers_have_16_bits(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    model, data, target = (tmp_path / name for name in ("m.onnx", "s.npy", "mixed.onnx"))
    aidge_nb.save_onnx(network(), model)
    np.save(data, samples(8))
    budget = quantize(network(), samples(8)).sqnr + 1
    options = ["--samples", str(data), "-o", str(target), "-q", "--budget", str(budget)]
    assert main(["quantize", str(model), *options]) == 0
    said = capsys.readouterr().out
    assert re.search(r"int16 +(c1|c2|fc)", said)
    assert onnxruntime.InferenceSession(target)
    assert main(["quantize", str(model), *options, "--no-int16"]) == 0
    said = capsys.readouterr().out
    assert not re.search(r"int16 +(c1|c2|fc)", said)


@pytest.mark.parametrize("seed", range(0, 24, 3))
def test_chains_are_planned_as_those_of_8_bits(seed: int) -> None:
    graph = chain(seed)
    tensor = graph.get_input_groups()[0][0].node.get_operator().get_input(0)
    assert tensor is not None
    data = np.random.default_rng(0).standard_normal((4, *tensor.dims[1:])).astype(np.float32)
    narrow = quantize(graph, data)
    assert narrow._laboratory is not None
    wide = narrow.with_floats([], list(narrow._laboratory.units))
    small, large = narrow.integer()[0], wide.integer()[0]
    floats = [node.name() for node in large.get_nodes() if not is_known(node)]
    peaks = []
    for view in (small, large):
        plan = plan_memory(view, by_rows=True)
        check_replay(plan, view)
        peaks.append(plan_memory(view, static_schedule(view)).peak)
    if not floats:
        assert peaks[1] <= 2 * peaks[0]
    names = {node.name(): node for node in small.get_nodes()}
    for node in large.get_nodes():
        other = names.get(node.name())
        if other is not None and node.type() == other.type() and node.type() != "Producer":
            assert can_weigh(node) == can_weigh(other), node.name()
            assert kind_of(node) == kind_of(other)
            result, same = (one.get_operator().get_output(0) for one in (node, other))
            if node.type().startswith("QLinear"):
                assert result.nbytes == 2 * same.nbytes
    np.testing.assert_array_equal(run(large, data[:1], "exact"), run(large, data[:1], "c"))


def is_known(node: aidge_nb.Node) -> bool:
    """Return whether a node computes on codes, or makes them."""
    return node.type() in ("Producer", "QuantizeLinear", "DequantizeLinear") or bool(
        node.get_operator().get_output(0).dtype.name.endswith(("int8", "int16"))
    )
