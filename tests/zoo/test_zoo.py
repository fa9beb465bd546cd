"""The model zoo, with the ``onnx`` checker and onnxruntime as judges."""

from __future__ import annotations

import numpy as np
import onnx
import onnxruntime
import pytest

from aidge_nb import zoo
from aidge_nb.core.errors import OnnxError
from aidge_nb.onnx_io import read_onnx
from tests.zoo.small import SMALL


def test_every_model_is_tested() -> None:
    assert set(SMALL) == set(zoo.MODELS)


@pytest.mark.parametrize("name", SMALL)
def test_models_are_valid_and_give_plausible_values(name: str) -> None:
    model = zoo.build(name, **SMALL[name])
    onnx.checker.check_model(model.to_proto(), full_check=True)
    session = onnxruntime.InferenceSession(model.to_bytes())
    random = np.random.default_rng(1)
    feed = {
        value.name: random.standard_normal(value.shape).astype(np.float32)
        for value in session.get_inputs()
    }
    for result, value in zip(session.run(None, feed), model.outputs, strict=True):
        assert result.shape == value.dims
        assert np.isfinite(result).all()
        assert result.std() > 1e-4
        assert np.abs(result).max() < 100


@pytest.mark.parametrize("name", SMALL)
def test_models_are_the_same_every_time(name: str) -> None:
    first = zoo.build(name, **SMALL[name]).to_bytes()
    assert first == zoo.build(name, **SMALL[name]).to_bytes()
    assert first != zoo.build(name, **SMALL[name], seed=1).to_bytes()
    assert first == read_onnx(first).to_bytes()


@pytest.mark.parametrize(
    "name", [name for name in SMALL if "batch" in zoo.MODELS[name].__code__.co_varnames]
)
def test_models_take_a_batch(name: str) -> None:
    model = zoo.build(name, **{**SMALL[name], "batch": 3})
    session = onnxruntime.InferenceSession(model.to_bytes())
    feed = {value.name: np.zeros(value.shape, np.float32) for value in session.get_inputs()}
    assert [result.shape for result in session.run(None, feed)] == [v.dims for v in model.outputs]


@pytest.mark.parametrize("name", ["mobilenet_v2", "resnet18", "squeezenet", "mlp", "lenet"])
def test_the_batch_may_be_open(name: str) -> None:
    model = zoo.build(name, **{**SMALL[name], "batch": "N"})
    assert model.inputs[0].dims is not None
    assert model.inputs[0].dims[0] == "N"
    session = onnxruntime.InferenceSession(model.to_bytes())
    dims = [2, *session.get_inputs()[0].shape[1:]]
    (result,) = session.run(None, {session.get_inputs()[0].name: np.zeros(dims, np.float32)})
    assert result.shape[0] == 2


def test_mobilenet_is_that_of_the_tutorial() -> None:
    model = zoo.build("mobilenet_v2")
    names = [node.name for node in model.nodes]
    assert len(names) == 155
    assert len(model.initializers) == 267
    assert names[:3] == [
        "mobilenetv20_features_conv0_fwd",
        "mobilenetv20_features_batchnorm0_fwd",
        "mobilenetv20_features_relu0_fwd",
    ]
    assert names[-2:] == ["mobilenetv20_output_pred_fwd", "mobilenetv20_output_flatten0_reshape0"]
    adds = [name for name in names if "elemwise_add" in name]
    assert adds == [
        f"mobilenetv20_features_linearbottleneck{number}_elemwise_add0"
        for number in (2, 4, 5, 7, 8, 9, 11, 12, 14, 15)
    ]
    assert sum(array.size for array in model.initializers.values()) == 3539136 + 2


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("resnet18", 11689512), ("resnet50", 25557032), ("squeezenet", 1235496)],
)
def test_models_have_the_parameters_of_the_papers(name: str, parameters: int) -> None:
    model = zoo.build(name)
    learnt = [array.size for key, array in model.initializers.items() if "_running_" not in key]
    assert sum(learnt) == parameters


def test_unknown_models_and_options() -> None:
    with pytest.raises(OnnxError, match=r"unknown model .*lenet.* found 'alexnet'"):
        zoo.build("alexnet")
    with pytest.raises(OnnxError, match=r"model 'lenet': unknown option .*found size"):
        zoo.build("lenet", size=3)
    with pytest.raises(OnnxError, match=r"size must be a multiple of patch .* found 30"):
        zoo.build("dinov2_like", size=30)
    with pytest.raises(OnnxError, match=r"input 'data': a dimension is not positive"):
        zoo.build("resnet18", size=0)
