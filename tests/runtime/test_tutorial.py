"""The tiling tutorial of the seeds up to the run of the model, and Aidge's figures for it."""

from __future__ import annotations

from typing import Any

import numpy as np

import aidge_nb
from tests import oracle


def _model(channels: int, features: int, slope: float) -> aidge_nb.GraphView:
    return aidge_nb.sequential(
        [
            aidge_nb.LeakyReLU(slope, name="leakyrelu0"),
            aidge_nb.Conv2D(channels, features, [3, 3], name="conv0"),
            aidge_nb.BatchNorm2D(features, name="bn0"),
            aidge_nb.ReLU(name="relu0"),
        ]
    )


def _set(model: aidge_nb.GraphView, values: list[tuple[str, int, Any]]) -> None:
    for name, index, array in values:
        model.get_node(name).get_operator().set_input(index, aidge_nb.Tensor(array))


def test_the_tutorial() -> None:
    model = _model(3, 32, 1)
    random = np.random.default_rng(0)

    def rand(*dims: int) -> Any:
        return random.random(dims, np.float32)

    _set(
        model,
        [("conv0", 1, rand(32, 3, 3, 3)), ("conv0", 2, rand(32))]
        + [("bn0", index, rand(32)) for index in (1, 2, 3, 4)],
    )
    assert model.compile("cpu", aidge_nb.dtype.float32, dims=[[4, 3, 66, 66]])
    scheduler = aidge_nb.SequentialScheduler(model)
    input_tensor = aidge_nb.Tensor(rand(4, 3, 66, 66))
    scheduler.forward(data=[input_tensor])
    result = np.array(model.get_node("relu0").get_operator().get_output(0))
    assert result.shape == (4, 32, 64, 64)
    model.compile("cpu", aidge_nb.dtype.float32)
    scheduler.reset_scheduling()
    scheduler.forward(data=[input_tensor])
    again = np.array(model.get_node("relu0").get_operator().get_output(0))
    assert (result == again).all()


def test_figures_of_aidge() -> None:
    case = next(
        case for case in oracle.load("numbers_a")["cases"] if case["title"] == "leaky conv bn relu"
    )
    attributes = {node["name"]: node["attrs"] for node in case["graph"]["nodes"]}
    model = _model(2, 3, attributes["leakyrelu0"]["negative_slope"])
    model.get_node("bn0").get_operator().attr.epsilon = attributes["bn0"]["epsilon"]

    def array(described: dict[str, Any]) -> Any:
        return np.array(described["values"], np.float32).reshape(described["dims"])

    given = {name: array(value) for name, value in case["parameters"].items()}
    names = ["bn0_scale", "bn0_shift", "bn0_batch_mean", "bn0_batch_variance"]
    _set(
        model,
        [("conv0", 1, given["conv0_w"]), ("conv0", 2, given["conv0_b"])]
        + [("bn0", index, given[name]) for index, name in enumerate(names, 1)],
    )
    model.set_backend("cpu")
    scheduler = aidge_nb.SequentialScheduler(model)
    (output,) = scheduler.forward(data=[array(case["inputs"][0])])
    np.testing.assert_allclose(output, array(case["outputs"][0]), rtol=1e-5, atol=1e-6)
    assert len(scheduler.get_forward_scheduling()) == case["executed"]
