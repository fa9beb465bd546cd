"""Layers of networks that ONNX Runtime quantized give its codes, each from its inputs."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from onnxruntime.quantization import CalibrationDataReader, QuantFormat, QuantType, quantize_static

import aidge_nb
from aidge_nb import zoo
from aidge_nb.core.errors import ShapeError
from aidge_nb.quantization import steps_by_layer, to_integer
from benchmarks.codes import Quantized

Array = NDArray[Any]

NETWORKS: dict[str, dict[str, Any]] = {
    "lenet": {},
    "squeezenet": {"size": 48},
    "resnet18": {"size": 32},
    "mobilenet_v2": {"size": 32, "width": 0.5},
    "dinov2_like": {"size": 28, "depth": 1},
}


class Samples(CalibrationDataReader):  # type: ignore[misc]  # it has no types
    """Inputs for ONNX Runtime's quantizer."""

    def __init__(self, name: str, arrays: list[Array]) -> None:
        self._left = [{name: array} for array in arrays]

    def get_next(self) -> dict[str, Array] | None:
        return self._left.pop() if self._left else None


@pytest.mark.parametrize(
    ("form", "bits"),
    [(QuantFormat.QDQ, 8), (QuantFormat.QOperator, 8), (QuantFormat.QDQ, 4)],
    ids=["qdq", "qoperator", "int4"],
)
@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow if n == "resnet18" else ()) for n in NETWORKS]
)
def test_no_layer_is_more_than_one_step_from_onnx_runtime(
    name: str, form: QuantFormat, bits: int, tmp_path: Path
) -> None:
    model = zoo.build(name, **NETWORKS[name])
    value = model.graph.inputs[0]
    dims = [dim if isinstance(dim, int) else 1 for dim in value.dims or ()]
    graph = aidge_nb.load_onnx(model, dims={value.name: dims})
    aidge_nb.recipes.fuse_batchnorm(graph)
    aidge_nb.save_onnx(graph, tmp_path / "float.onnx", opset=21 if bits == 4 else 17)
    random = np.random.default_rng(0)
    *samples, x = (random.standard_normal(dims).astype(np.float32) for _ in range(5))
    path, kind = tmp_path / "codes.onnx", QuantType.QInt8 if bits == 8 else QuantType.QInt4
    quantize_static(
        tmp_path / "float.onnx",
        path,
        Samples(value.name, samples),
        quant_format=form,
        per_channel=True,
        activation_type=QuantType.QInt8,
        weight_type=kind,
    )
    view = aidge_nb.load_onnx(path)
    view.forward_dims([dims], allow_data_dependency=True)
    report = to_integer(view)
    view.set_backend("cpu")
    (result,) = aidge_nb.SequentialScheduler(view).forward(data=[x])
    ours = result.array.copy()

    integers = Quantized(path, x, integers=True)
    layers = steps_by_layer(view, [x], integers.codes())
    on_codes = {n.name() for n in view.get_nodes() if n.type().startswith(("QLinear", "QGemm"))}
    assert {each.name for each in layers} >= on_codes | set(report.integer)
    assert max(each.most for each in layers) <= 1, [str(each) for each in layers if each.most > 1]
    wanted = integers.result()
    step = float(np.diff(np.unique(wanted)).min())
    assert np.abs(ours - wanted).max() <= 1.001 * step

    floats = Quantized(path, x, integers=False, level=0)
    if form is QuantFormat.QDQ:
        assert len(floats.in_float()) >= len(report.integer) / 2
    layers = steps_by_layer(view, [x], floats.codes())
    assert max(each.most for each in layers) <= 1, [str(each) for each in layers if each.most > 1]


def test_codes_that_cannot_be_compared_are_refused() -> None:
    graph = aidge_nb.sequential([aidge_nb.ReLU(name="relu")])
    graph.set_backend("cpu")
    ours, theirs = np.array([1, 2], np.int8), np.array([1, 2], np.uint8)
    with pytest.raises(ShapeError, match=r"expected int8\[2\], found uint8\[2\]"):
        steps_by_layer(graph, [ours], {"relu": theirs})
