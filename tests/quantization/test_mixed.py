"""Mixed precision: which layers stay in floating point so that an error budget holds."""

from __future__ import annotations

import re
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb.cli import main
from aidge_nb.core.errors import AidgeError
from aidge_nb.quantization import quantize
from aidge_nb.quantization.observe import Remembered
from aidge_nb.runtime.schedulers.sequential import SequentialScheduler
from tests.quantization.test_post_training import decibels, network, outputs, samples


def test_a_budget_keeps_the_layers_of_least_bytes() -> None:
    graph, data = network(), samples(8)
    said: list[str] = []
    without = quantize(graph, data, weight_bits=4)
    assert not without.floats
    budget = without.sqnr + 5
    found = quantize(graph, data, weight_bits=4, budget=budget, progress=said.append)
    assert found.sqnr >= budget
    more = {each.name: each.more_bytes for each in found.layers}
    taken = sum(more[name] for name in found.floats)
    for count in range(len(more) + 1):
        for names in combinations(more, count):
            if without.with_floats(names).sqnr >= budget:
                assert sum(more[name] for name in names) >= taken
    assert any(re.match(r"price fc \(3/3\)", stage) for stage in said)
    assert [each.name for each in found.layers if each.is_float] == list(found.floats)


def test_the_network_with_the_budget_is_what_it_says() -> None:
    graph, data = network(), samples(8)
    without = quantize(graph, data, weight_bits=4)
    budget = without.sqnr + 2
    found, again = (quantize(graph, data, weight_bits=4, budget=budget) for _ in range(2))
    assert (found.floats, found.sqnr) == (again.floats, again.sqnr)
    integers, report = found.integer()
    assert 0 < len(found.floats) < 3
    assert not set(found.floats) & set(report.integer)
    assert abs(decibels(outputs(graph, data), outputs(integers, data)) - found.sqnr) < 0.5
    before, after = found.parameter_bytes
    assert after > without.parameter_bytes[1]
    assert after < before


def test_with_all_layers_in_float_nothing_is_lost() -> None:
    found = quantize(network(), samples(4), budget=500)
    assert found.floats == ("c1", "c2", "fc")
    assert found.sqnr == np.inf
    assert not found.tensors


def test_a_layer_goes_to_float_and_back() -> None:
    found = quantize(network(), samples(4), weight_bits=4)
    other = found.with_floats(["c2"])
    assert other.sqnr > found.sqnr
    assert other.parameter_bytes[1] > found.parameter_bytes[1]
    assert other.with_floats([]).sqnr == found.sqnr
    priced = found.with_prices()
    assert [each.name for each in priced.layers] == ["c1", "c2", "fc"]
    assert min(each.sqnr for each in priced.layers) > found.sqnr
    assert all(each.worst[1] <= each.sqnr for each in found.tensors)
    with pytest.raises(AidgeError, match="no such layers"):
        found.with_floats(["nobody"])


def test_the_network_runs_three_times_for_each_sample(monkeypatch: pytest.MonkeyPatch) -> None:
    runs: list[int] = []
    forward = SequentialScheduler.forward

    def counted(scheduler: SequentialScheduler, *given: Any, **named: Any) -> Any:
        runs.extend([1] if "data" in named else [])
        return forward(scheduler, *given, **named)

    monkeypatch.setattr(SequentialScheduler, "forward", counted)
    kept = quantize(network(), samples(4))
    assert len(runs) == 3 * 4  # for channels, for ranges, and on codes
    monkeypatch.setattr(Remembered, "MOST", 0)
    assert quantize(network(), samples(4)).tensors == kept.tensors


def test_layers_without_names_have_prices_of_their_own() -> None:
    graph = aidge_nb.sequential([aidge_nb.FC(4, 8), aidge_nb.ReLU(), aidge_nb.FC(8, 4)])
    aidge_nb.init_weights(graph, seed=0)
    graph.forward_dims([[1, 4]])
    data = np.random.default_rng(0).standard_normal((8, 4))
    found = quantize(graph, data, budget=500)
    assert found.floats == ("(FC#0)", "(FC#1)")
    assert [each.more_bytes for each in found.layers] == [3 * (4 * 8 + 8 + 8), 3 * (8 * 4 + 4 + 4)]


def test_a_budget_that_is_no_number() -> None:
    with pytest.raises(AidgeError, match="budget: not a number"):
        quantize(network(), samples(4), budget=float("nan"))


def test_the_command_takes_a_budget(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    model, data, target = (tmp_path / name for name in ("m.onnx", "s.npy", "int8.onnx"))
    aidge_nb.save_onnx(network(), model)
    np.save(data, samples(4))
    options = ["--samples", str(data), "-o", str(target), "-q", "--weight-bits", "4"]
    assert main(["quantize", str(model), *options, "--budget", "20"]) == 0
    said = capsys.readouterr().out
    assert "more bytes in float" in said
    found = re.search(r"outputs ([\d.]+) dB", said)
    assert found is not None
    assert float(found[1]) >= 20
