"""Quantizing after training: what each step is worth, what ONNX Runtime makes of the file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

import aidge_nb
from aidge_nb.cli import main
from aidge_nb.core.errors import AidgeError
from aidge_nb.graph import GraphView
from aidge_nb.quantization import QuantizedNetwork, equalize_layers, quantize
from aidge_nb.quantization.ranges import RANGES, Observed, error
from aidge_nb.widgets.palette import FAMILIES, family_of

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


def test_constant_samples_and_weights_of_zero() -> None:
    graph = network()
    graph.get_node("c1_w").get_operator().get_output(0).array[...] = 0
    found = quantize(graph, np.zeros((4, 1, 8, 8), np.float32))
    integers, _ = found.integer()
    data = np.zeros((1, 1, 8, 8), np.float32)
    np.testing.assert_allclose(outputs(integers, data), outputs(graph, data), atol=0.05)


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
