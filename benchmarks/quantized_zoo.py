"""Networks of the zoo as ONNX Runtime's quantizer writes them: run, compared, exported."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Iterator
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from onnxruntime.quantization import (
    CalibrationDataReader,
    QuantFormat,
    QuantType,
    quantize_static,
)

import aidge_nb
from aidge_nb import zoo
from aidge_nb.export import plan_export
from aidge_nb.graph import GraphView
from aidge_nb.quantization import steps_by_layer, to_integer
from codes import Quantized

Array = NDArray[Any]


class Samples(CalibrationDataReader):  # type: ignore[misc]  # it has no types
    """Inputs for ONNX Runtime's quantizer."""

    def __init__(self, name: str, arrays: list[Array]) -> None:
        self._left = [{name: array} for array in arrays]

    def get_next(self) -> dict[str, Array] | None:
        """Return the next one."""
        return self._left.pop(0) if self._left else None


ZOO: dict[str, dict[str, Any]] = {
    "lenet": {},
    "squeezenet": {"size": 64},
    "resnet18": {"size": 64},
    "mobilenet_v2": {"size": 64},
    "dinov2_like": {"size": 28, "depth": 2},
}
"""Networks of the zoo with all of their parameters, by small images."""

KINDS: dict[str, dict[str, Any]] = {
    "int8": {"activation_type": QuantType.QInt8, "weight_type": QuantType.QInt8},
    "uint8": {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8},
    "int16 activations": {"activation_type": QuantType.QInt16, "weight_type": QuantType.QInt8},
    "int4 weights": {"activation_type": QuantType.QInt8, "weight_type": QuantType.QInt4},
}
"""Forms that ONNX Runtime's quantizer writes; its format QOperator has 8 bits alone."""


def cases() -> Iterator[tuple[QuantFormat, str, bool]]:
    """Yield what a network is written as: a format, a kind, and whether per channel."""
    for kind, each in product(KINDS, (QuantFormat.QDQ, QuantFormat.QOperator)):
        if each is QuantFormat.QDQ or kind.endswith("int8"):
            yield each, kind, True
            if kind == "int8":
                yield each, kind, False


def compare_zoo(models: dict[str, dict[str, Any]] = ZOO) -> dict[str, Any]:
    """Run and export what ONNX Runtime's quantizer makes: both formats, all types."""
    found: dict[str, Any] = {}
    began, most = time.perf_counter(), len(models) * len(list(cases()))
    for name, options in models.items():
        graph, value, dims = simplified(name, options)
        plain = plan_export(graph)
        random = np.random.default_rng(0)
        samples = [random.standard_normal(dims).astype(np.float32) for _ in range(5)]
        for each, kind, per_channel in cases():
            with tempfile.TemporaryDirectory() as folder:
                source, target = Path(folder, "float.onnx"), Path(folder, "int8.onnx")
                aidge_nb.save_onnx(graph, source, opset=21 if "int4" in kind else 17)
                reader = Samples(value, samples[:4])
                kwargs = {"quant_format": each, "per_channel": per_channel, **KINDS[kind]}
                quantize_static(source, target, reader, **kwargs)
                figures = ran(target, dims, samples[4], plain.parameter_bytes)
            scales = "per channel" if per_channel else "per tensor"
            case = f"{name}, {each.name}, {kind}, {scales}"
            found[case] = figures
            seconds = time.perf_counter() - began
            print(f"[{len(found)} of {most}, {seconds:.0f} s] {case}: {figures}", flush=True)
    return found


def simplified(name: str, options: dict[str, Any]) -> tuple[GraphView, str, list[int]]:
    """Return a network of the zoo without BatchNorms, the name of its input, and its dims."""
    model = zoo.build(name, **options)
    value = model.graph.inputs[0]
    dims = [dim if isinstance(dim, int) else 1 for dim in value.dims or ()]
    graph = aidge_nb.load_onnx(model, dims={value.name: dims})
    aidge_nb.recipes.fuse_batchnorm(graph)
    graph.forward_dims([dims], allow_data_dependency=True)
    return graph, value.name, dims


def ran(path: Path, dims: list[int], data: Array, before: int) -> dict[str, Any]:
    """Compare a quantized file with ONNX Runtime, and its C kernels with NumPy.

    With ONNX Runtime on integers, with all of its optimizations as it comes, and layer by layer,
    each from ONNX Runtime's own codes: on integers, and all of them in floating point.
    """
    view = aidge_nb.load_onnx(path)
    view.forward_dims([dims], allow_data_dependency=True)
    report = to_integer(view)
    # With 16 bits, later passes drop roundings that the file asks for.
    kinds = {node.get_operator().get_output(0).dtype.name for node in view.get_nodes()}
    level = 1 if kinds & {"int16", "uint16"} else 99
    rivals = {
        "integers": Quantized(path, data, integers=True, level=level),
        "as it comes": Quantized(path, data, integers=False, level=level),
        "floats": Quantized(path, data, integers=False, level=0),
    }
    results = {}
    for backend in ("cpu", "exact", "c"):
        view.set_backend(backend)
        results[backend] = aidge_nb.SequentialScheduler(view).forward(data=[data])[0].array.copy()
    view.set_backend("cpu")
    found: dict[str, Any] = {"layers on integers": len(report), "floats": len(report.float_)}
    for name in ("integers", "as it comes"):
        wanted = rivals[name].result()
        step = float(np.diff(np.unique(wanted)).min(initial=np.inf))
        most = round(float(np.abs(results["cpu"] - wanted).max()) / step, 2)
        differing = int((results["cpu"] != wanted).sum())
        left = rivals[name].in_float()
        found[f"ONNX Runtime, {name}"] = {
            "steps": most,
            "results that differ": f"{differing} of {wanted.size}",
            "its layers in floating point": len(left),
            **({"which": left} if most > 1.001 else {}),
        }
    for name in ("integers", "floats"):
        layers = steps_by_layer(view, [data], rivals[name].codes())
        found[f"layer by layer, {name}"] = {
            "layers": len(layers),
            "steps": max((each.most for each in layers), default=0),
            "that differ": [str(each) for each in layers if each.differing],
        }
    found["numbers that differ between C and NumPy"] = int((results["exact"] != results["c"]).sum())
    found["ratio of parameter bytes"] = round(plan_export(view).parameter_bytes / before, 3)
    return found
