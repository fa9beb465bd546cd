"""Quantizing after training: what each step is worth, what ONNX Runtime makes of the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray
from onnxruntime.quantization import CalibrationDataReader, QuantType, quantize_static

import aidge_nb
from aidge_nb.cli import main
from aidge_nb.core.errors import AidgeError
from aidge_nb.graph import GraphView
from aidge_nb.quantization import QuantizedNetwork, equalize_layers, quantize
from aidge_nb.quantization.ranges import RANGES, Observed, error
from aidge_nb.widgets.palette import FAMILIES, family_of
from aidge_nb.zoo.builder import ModelBuilder
from tests.quantization.test_integer import run

Array = NDArray[Any]


def network() -> GraphView:
    """Make two convolutions and a layer, with weights that a seed gives."""
    graph = aidge_nb.sequential(
        [
            aidge_nb.PaddedConv2D(1, 8, [3, 3], padding_dims=[1] * 4, name="c1"),
            aidge_nb.ReLU(name="r1"),
            aidge_nb.MaxPooling2D([2, 2], stride_dims=[2, 2], name="p1"),
            aidge_nb.PaddedConv2D(8, 16, [3, 3], padding_dims=[1] * 4, name="c2"),
            aidge_nb.ReLU(name="r2"),
            aidge_nb.Flatten(name="flat"),
            aidge_nb.FC(256, 10, name="fc"),
        ]
    )
    aidge_nb.init_weights(graph, seed=1)
    graph.forward_dims([[1, 1, 8, 8]])
    return graph


def unbalanced(graph: GraphView) -> GraphView:
    """Rescale channels through ReLU, by factors up to exp(7) apart: the same function."""
    copy, random = graph.clone(), np.random.default_rng(7)
    values = {
        name: copy.get_node(name).get_operator().get_output(0).array
        for name in ("c1_w", "c1_b", "c2_w", "c2_b", "fc_w")
    }
    one = np.exp(random.uniform(-3.5, 3.5, 8)).astype(np.float32)
    two = np.exp(random.uniform(-3.5, 3.5, 16)).astype(np.float32)
    values["c1_w"] *= one[:, None, None, None]
    values["c1_b"] *= one
    values["c2_w"] *= two[:, None, None, None] / one[None, :, None, None]
    values["c2_b"] *= two
    values["fc_w"] /= np.repeat(two, 16)
    return copy


def samples(count: int = 48) -> Array:
    return np.random.default_rng(0).standard_normal((count, 1, 8, 8)).astype(np.float32)


def outputs(graph: GraphView, data: Array) -> Array:
    graph.set_backend("cpu")
    scheduler = aidge_nb.SequentialScheduler(graph)
    return np.concatenate([scheduler.forward(data=[x[None]])[0].array.copy() for x in data])


class Reader(CalibrationDataReader):  # type: ignore[misc]  # it has no types
    """Inputs for ONNX Runtime's quantizer."""

    def __init__(self, left: list[dict[str, Array]]) -> None:
        self._left = left

    def get_next(self) -> dict[str, Array] | None:
        return self._left.pop(0) if self._left else None


def decibels(wanted: Array, found: Array) -> float:
    return float(10 * np.log10((wanted**2).sum() / ((wanted - found) ** 2).sum()))


def test_what_the_report_says_is_what_the_integers_give() -> None:
    graph, data = network(), samples()
    found = quantize(graph, data)
    integers, report = found.integer()
    assert not report.float_
    ours = decibels(outputs(graph, data), outputs(integers, data))
    assert abs(found.sqnr - ours) < 0.5
    assert ours > 30
    before, after = found.parameter_bytes
    assert after < 0.30 * before
    assert min(each.sqnr for each in found.tensors) > 30
    assert all(each.low <= each.observed[0] or each.clipped >= 0 for each in found.tensors)


def test_equalization_mends_channels_of_different_ranges() -> None:
    graph = network()
    other, data = unbalanced(graph), samples()
    np.testing.assert_allclose(outputs(other, data), outputs(graph, data), rtol=1e-3, atol=1e-4)
    without = quantize(other, data, equalize=False).sqnr
    even = quantize(graph, data).sqnr
    mended = quantize(other, data)
    assert mended.equalized == 2
    assert without < 15 < even - 5
    assert abs(mended.sqnr - even) < 1


def test_equalization_does_not_change_the_function() -> None:
    graph, data = unbalanced(network()), samples(8)
    before = outputs(graph, data)
    assert equalize_layers(graph) == 2
    np.testing.assert_allclose(outputs(graph, data), before, rtol=1e-3, atol=1e-4)
    assert equalize_layers(aidge_nb.sequential([aidge_nb.ReLU()])) == 0


def test_the_bias_takes_off_what_rounding_adds() -> None:
    graph, data = network(), np.abs(samples(96)) + 1
    without = quantize(graph, data, weight_bits=4, correct_bias=False).sqnr
    assert quantize(graph, data, weight_bits=4).sqnr > without + 1


@pytest.mark.parametrize("group", [1, 2])
@pytest.mark.parametrize("op_type", ["Conv", "ConvTranspose"])
def test_the_bias_takes_off_what_rounding_adds_with_groups(op_type: str, group: int) -> None:
    b = ModelBuilder("mean", 3)
    spreads = op_type == "ConvTranspose"
    dims = (8, 6 // group, 4, 4) if spreads else (6, 8 // group, 4, 4)
    inputs = [b.input("data", (1, 8, 9, 9)), b.weight("w", dims, 32), b.weight("b", (6,), 6)]
    options: dict[str, Any] = {"kernel_shape": (4, 4), "strides": (2, 2), "group": group}
    graph = aidge_nb.load_onnx(b.build({b.node(op_type, inputs, "layer", **options): ()}))
    graph.forward_dims([[1, 8, 9, 9]])
    random = np.random.default_rng(1)
    # The mean of each channel is another one, far from 0.
    data = random.standard_normal((16, 8, 9, 9)) / 4 + np.arange(1, 9).reshape(8, 1, 1)
    data = data.astype(np.float32)
    wanted = outputs(graph, data)
    inside = (slice(None), slice(None), slice(3, -3), slice(3, -3)) if spreads else ...
    shifts = []
    for correct in (False, True):
        found = quantize(graph, data, weight_bits=4, correct_bias=correct, equalize=False).graph
        shift = (outputs(found, data) - wanted)[inside].mean((0, 2, 3))
        shifts.append(float(np.abs(shift).mean()))
    assert shifts[1] < shifts[0] / 5


@pytest.mark.parametrize("ranges", list(RANGES))
def test_every_rule_of_ranges(ranges: str) -> None:
    values = np.random.default_rng(0).standard_normal(1_000_000)
    values[0] = 30  # one number far from all others
    observed = Observed()
    observed.widen(values)
    observed.count(values)
    low, high = RANGES[ranges](observed, 255)
    assert (observed.low, observed.high) == (values.min(), 30)
    assert (high == 30) == (ranges == "minmax")
    assert high > 3
    assert low < -3
    assert (observed.clipped(low, high) > 0) == (ranges != "minmax")
    if ranges == "mse":
        assert error(observed, low, high, 255) < error(observed, observed.low, 30, 255) / 2
    assert quantize(network(), samples(4), ranges=ranges).sqnr > 20


def test_the_same_samples_give_the_same_network() -> None:
    first, second = (quantize(network(), samples(8)) for _ in range(2))
    assert first.tensors == second.tensors
    assert first.sqnr == second.sqnr


def test_a_kept_layer_stays_in_floating_point() -> None:
    integers, report = quantize(network(), samples(8), keep=["fc"]).integer()
    assert "fc" not in report.integer
    assert integers.get_node("fc").type() == "FC"


def test_onnx_runtime_agrees_with_the_saved_file(tmp_path: Path) -> None:
    found: QuantizedNetwork = quantize(network(), samples(8))
    path = tmp_path / "int8.onnx"
    aidge_nb.save_onnx(found.graph, path, opset=21)
    session = onnxruntime.InferenceSession(str(path))
    name = session.get_inputs()[0].name
    data = samples(12)[8:]
    wanted = np.concatenate([session.run(None, {name: x[None]})[0] for x in data])
    integers, _ = found.integer()
    steps = np.abs(outputs(integers, data) - wanted) / float(
        next(each.high - each.low for each in found.tensors if each.name == "fc") / 255
    )
    assert steps.max() < 1.01
    assert (steps < 0.01).mean() > 0.95


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"samples": np.zeros((0, 1, 8, 8))}, "multiple of the batch"),
        ({"samples": np.zeros((4, 1, 8, 9))}, "not like the input"),
        ({"samples": np.full((4, 1, 8, 8), "a")}, "not like the input"),
        ({"samples": np.full((4, 1, 8, 8), np.nan)}, "must be finite"),
        ({"samples": [samples(4), samples(4)[..., :1]]}, "one array for each input.*concatenate"),
        ({"ranges": "best"}, "ranges: unknown"),
        ({"weight_bits": 3}, "weight_bits: unknown"),
        ({"keep": ["nobody"]}, "no such layers"),
    ],
)
def test_bad_input_is_named(options: dict[str, Any], problem: str) -> None:
    given = {"samples": samples(4), **options}
    with pytest.raises(AidgeError, match=problem):
        quantize(network(), given.pop("samples"), **given)


def test_samples_of_one_input_may_be_a_list() -> None:
    data = samples(4)
    apart = quantize(network(), [data[:1], data[1:2], data[2:3], data[3:]])
    assert apart.tensors == quantize(network(), data).tensors


def test_dims_that_are_not_known_are_named() -> None:
    graph = aidge_nb.sequential([aidge_nb.FC(4, 8, name="fc")])
    with pytest.raises(AidgeError, match="the dims of the input are not known"):
        quantize(graph, np.zeros((4, 4), np.float32))


@pytest.mark.parametrize("has_weights", [True, False])
@pytest.mark.parametrize("value", [0.0, -2.5])
def test_constant_samples_and_weights_of_zero(value: float, has_weights: bool) -> None:
    graph = network()
    graph.get_node("c1_w").get_operator().get_output(0).array[...] *= has_weights
    found = quantize(graph, np.full((4, 1, 8, 8), value, np.float32))
    integers, _ = found.integer()
    data = np.full((1, 1, 8, 8), value, np.float32)
    wanted = outputs(graph, data)
    assert np.abs(outputs(integers, data) - wanted).max() < 0.05 * max(1, np.abs(wanted).max())
    exact, compiled = (run(integers, data, backend) for backend in ("exact", "c"))
    np.testing.assert_array_equal(exact, compiled)


def test_what_is_quantized_is_not_quantized_again() -> None:
    found = quantize(network(), samples(4))
    with pytest.raises(AidgeError, match="quantized already"):
        quantize(found.graph, samples(4))


def test_the_command_writes_a_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, data, target = (tmp_path / name for name in ("m.onnx", "s.npz", "int8.onnx"))
    aidge_nb.save_onnx(network(), model)
    np.savez(data, samples(8))
    arguments = ["quantize", str(model), "--samples", str(data), "-o", str(target), "-q"]
    assert main(arguments) == 0
    assert "layers on integers" in capsys.readouterr().out
    assert main(["memory", str(target), "-q"]) == 0
    assert "QGemm" in capsys.readouterr().out or target.exists()
    assert main(["quantize", str(model), "--samples", str(model), "-o", str(target), "-q"]) == 2
    assert "--samples" in capsys.readouterr().err


def test_layers_on_codes_are_known_and_their_weights_are_parameters() -> None:
    integers, _ = quantize(network(), samples(4)).integer()
    before, after = network().snapshot(), integers.snapshot()
    assert all(node.native for node in after.nodes)
    assert sum(each.parameters for each in after.nodes) == sum(n.parameters for n in before.nodes)
    families = {FAMILIES[family_of(node.type)].name for node in after.nodes}
    assert "other" not in families


def with_shortcut() -> GraphView:
    """Make a sum of two convolutions that two others read."""
    builder = ModelBuilder("shortcut", 0, opset=17)
    value = builder.input("data", (1, 3, 8, 8))
    first = builder.node("Relu", [builder.conv("a", value, 3, 8, 3, pad=1)], "relu")
    total = builder.node("Add", [builder.conv("b", first, 8, 8, 3, pad=1), first], "add")
    ends = [builder.conv(name, total, 8, 4, 1) for name in ("c", "d")]
    return aidge_nb.load_onnx(builder.build(dict.fromkeys(ends, (1, 4, 8, 8))))


def test_all_that_gives_or_reads_a_sum_is_equalized_together() -> None:
    graph = with_shortcut()
    graph.forward_dims([[1, 3, 8, 8]])
    weights = {
        name: graph.get_node(f"{name}_weight").get_operator().get_output(0).array for name in "abcd"
    }
    factors = np.exp(np.linspace(-3, 3, 8)).astype(np.float32)
    for name in "ab":
        weights[name][...] *= factors[:, None, None, None]
        bias = graph.get_node(f"{name}_bias").get_operator().get_output(0).array
        bias *= factors
    for name in "bcd":
        weights[name][...] /= factors[None, :, None, None]
    data = np.random.default_rng(1).standard_normal((16, 3, 8, 8)).astype(np.float32)

    def run(view: GraphView) -> list[Array]:
        view.set_backend("cpu")
        aidge_nb.SequentialScheduler(view).forward(data=[data[:1]])
        nodes = [*(port.node for port in view.get_ordered_outputs()), view.get_node("add")]
        return [node.get_operator().get_output(0).array.copy() for node in nodes]

    before = run(graph)
    assert equalize_layers(graph, data) == 1
    after = run(graph)
    for was, now in zip(before[:-1], after[:-1], strict=True):
        np.testing.assert_allclose(now, was, rtol=1e-3, atol=1e-4)
    unequal = [np.ptp(np.log(np.abs(each).max(axis=(0, 2, 3)))) for each in (before[2], after[2])]
    assert unequal[1] < unequal[0] / 3


def test_channels_that_a_reshape_mixes_are_left_alone() -> None:
    builder = ModelBuilder("mixed", 0, opset=17)
    value = builder.conv("a", builder.input("data", (1, 3, 4, 4)), 3, 4, 1)
    value = builder.node("Reshape", [value, builder.constant("dims", [4, 16])], "rows")
    builder.weight("w", [16, 5], 16, gain=1.0)
    value = builder.node("Gemm", [value, "w"], "fc")
    graph = aidge_nb.load_onnx(builder.build({value: (4, 5)}))
    graph.forward_dims([[1, 3, 4, 4]])
    assert equalize_layers(graph) == 0


def test_ranges_allow_for_samples_that_were_not_seen() -> None:
    random = np.random.default_rng(0)
    batches = random.standard_normal((4, 40))
    few, one, same = Observed(), Observed(), Observed()
    for number, values in enumerate(batches):
        few.widen(values, number)
        one.widen(values)
        same.widen(np.clip(8 * values, 0, 6), number)
    for number, values in enumerate(batches):
        few.count(values, number)
        one.count(values)
        same.count(np.clip(8 * values, 0, 6), number)
    wide, seen, known = (RANGES["mse"](each, 255) for each in (few, one, same))
    assert wide[1] - wide[0] > few.high - few.low
    assert seen[1] - seen[0] <= one.high - one.low
    assert known == (0, 6)  # all of them reach a bound


def test_normalizations_and_gelu_are_single_operators_and_moves_in_float_have_no_codes() -> None:
    graph = aidge_nb.zoo.load("dinov2_like", size=28, dim=32, heads=2, depth=1)
    graph.forward_dims([[1, 3, 28, 28]], allow_data_dependency=True)
    data = np.random.default_rng(0).standard_normal((2, 3, 28, 28)).astype(np.float32)
    found = quantize(graph, data)
    kinds = [node.type() for node in found.graph.get_nodes()]
    assert (kinds.count("LayerNorm"), kinds.count("Gelu"), kinds.count("Erf")) == (3, 1, 0)
    assert "layer0_gelu" in found.integer()[1].integer
    assert "pooler_output" not in {each.name for each in found.tensors}


@pytest.mark.parametrize(
    ("name", "options"),
    [
        ("mobilenet_v2", {"size": 64, "width": 0.35}),
        ("dinov2_like", {"size": 28, "dim": 96, "heads": 3, "depth": 2}),
    ],
)
def test_the_default_loses_no_more_than_the_quantizer_of_onnx_runtime(
    name: str, options: dict[str, Any], tmp_path: Path
) -> None:
    model = aidge_nb.zoo.build(name, **options)
    value = model.graph.inputs[0]
    graph = aidge_nb.load_onnx(model)
    aidge_nb.recipes.fuse_batchnorm(graph)
    dims = [1, 3, options["size"], options["size"]]
    graph.forward_dims([dims], allow_data_dependency=True)
    data = np.random.default_rng(0).standard_normal((12, *dims[1:])).astype(np.float32)
    wanted = outputs(graph, data[4:])
    ours = outputs(quantize(graph, data[:4]).integer()[0], data[4:])
    aidge_nb.save_onnx(graph, tmp_path / "float.onnx", opset=17)
    reader = Reader([{value.name: each[None]} for each in data[:4]])
    quantize_static(
        tmp_path / "float.onnx",
        tmp_path / "int8.onnx",
        reader,
        per_channel=True,
        activation_type=QuantType.QInt8,
        weight_type=QuantType.QInt8,
    )
    session = onnxruntime.InferenceSession(str(tmp_path / "int8.onnx"))
    theirs = np.concatenate([session.run(None, {value.name: x[None]})[0] for x in data[4:]])
    assert decibels(wanted, ours) >= decibels(wanted, theirs)
