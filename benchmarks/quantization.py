"""How good and how small quantized networks are, beside ONNX Runtime's own quantizer, in one run.

    python benchmarks/quantization.py               # everything
    python benchmarks/quantization.py --only digits
    python benchmarks/quantization.py --aidge path/to/python   # that has aidge_quantization

Needs ONNX Runtime; without scikit-learn, whose pictures of digits they are, `digits` is left out.
`digits` trains a network of 6,090 parameters, quantizes it both ways by the first 100 images, and
compares the logits of 500 others: as it is, and with channels rescaled through both ReLUs (the same
function, by factors up to exp(7) apart). `zoo` quantizes models with ONNX Runtime in all of its
formats and types, runs and exports their integers, and counts. `noise` compares the noise of larger
networks. `memory` plans a residual network, whole, by rows and in tiles, and `import` measures what
`import aidge_nb` costs.
"""

from __future__ import annotations

import argparse
import json
import logging
import subprocess
import tempfile
import time
from collections.abc import Callable
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime
from numpy.typing import NDArray
from onnxruntime.quantization import QuantType, quantize_static

import aidge_nb
from aidge_nb import learning
from aidge_nb.graph import GraphView
from aidge_nb.quantization import quantize
from aidge_nb.tiling import TilingSearch
from aidge_nb.zoo.builder import ModelBuilder
from common import code, compare, write
from quantized_zoo import Samples, compare_zoo, simplified

Array = NDArray[Any]
BATCH = 50


def network() -> GraphView:
    """Make the network for digits of 8 x 8 points."""
    return aidge_nb.sequential(
        [
            aidge_nb.PaddedConv2D(1, 16, [3, 3], padding_dims=[1] * 4, name="c1"),
            aidge_nb.ReLU(name="r1"),
            aidge_nb.MaxPooling2D([2, 2], "p1", [2, 2]),
            aidge_nb.PaddedConv2D(16, 32, [3, 3], padding_dims=[1] * 4, name="c2"),
            aidge_nb.ReLU(name="r2"),
            aidge_nb.MaxPooling2D([2, 2], "p2", [2, 2]),
            aidge_nb.Flatten(name="flat"),
            aidge_nb.FC(128, 10, name="fc"),
        ]
    )


def digits() -> tuple[Array, Array, Array, Array]:
    """Return images and classes: 1,297 to train with, 500 to test."""
    found = import_module("sklearn.datasets").load_digits()
    images = (found.data / 16).astype(np.float32).reshape(-1, 1, 8, 8)
    order = np.random.default_rng(0).permutation(len(images))
    images, classes = images[order], found.target[order]
    return images[:1297], classes[:1297], images[1297:], classes[1297:]


def trained(images: Array, classes: Array, epochs: int = 20) -> GraphView:
    """Train the network with Adam."""
    graph = network()
    aidge_nb.init_weights(graph, seed=1)
    graph.set_backend("cpu")
    parameters = aidge_nb.producers(graph)
    optimizer = learning.Adam()
    optimizer.set_parameters(parameters)
    optimizer.set_learning_rate_scheduler(learning.constant_lr(0.003))
    scheduler, random = aidge_nb.SequentialScheduler(graph), np.random.default_rng(0)
    for _ in range(epochs):
        order = random.permutation(len(images))
        for start in range(0, len(images) - 63, 64):
            some = order[start : start + 64]
            (scores,) = scheduler.forward(data=[images[some]])
            optimizer.reset_grad()
            learning.loss.CELoss(scores, np.eye(10, dtype=np.float32)[classes[some]])
            scheduler.backward()
            optimizer.update()
    graph.reset_dims()
    graph.forward_dims([[BATCH, 1, 8, 8]])
    return graph


def unbalanced(graph: GraphView) -> GraphView:
    """Rescale channels through both ReLUs: the same function."""
    copy, random = graph.clone(), np.random.default_rng(7)

    def values(name: str) -> Array:
        return copy.get_node(name).get_operator().get_output(0).array

    one = np.exp(random.uniform(-3.5, 3.5, 16)).astype(np.float32)
    two = np.exp(random.uniform(-3.5, 3.5, 32)).astype(np.float32)
    values("c1_w")[...] *= one[:, None, None, None]
    values("c1_b")[...] *= one
    values("c2_w")[...] *= two[:, None, None, None] / one[None, :, None, None]
    values("c2_b")[...] *= two
    values("fc_w")[...] /= np.repeat(two, 4)
    return copy


def outputs(graph: GraphView, images: Array) -> Array:
    """Return what a graph gives, batch by batch."""
    graph.set_backend("cpu")
    scheduler = aidge_nb.SequentialScheduler(graph)
    starts = range(0, len(images), BATCH)
    parts = [scheduler.forward(data=[images[at : at + BATCH]])[0].array.copy() for at in starts]
    return np.concatenate(parts)


def by_onnx_runtime(graph: GraphView, samples: Array, images: Array, **options: Any) -> Array:
    """Quantize with ONNX Runtime, and run it there."""
    with tempfile.TemporaryDirectory() as folder:
        source, target = Path(folder, "float.onnx"), Path(folder, "int8.onnx")
        aidge_nb.save_onnx(graph, source)
        name = onnxruntime.InferenceSession(str(source)).get_inputs()[0].name
        cut = [samples[at : at + BATCH] for at in range(0, len(samples), BATCH)]
        quantize_static(source, target, Samples(name, cut), **options)
        session = onnxruntime.InferenceSession(str(target))
        starts = range(0, len(images), BATCH)
        return np.concatenate(
            [session.run(None, {name: images[at : at + BATCH]})[0] for at in starts]
        )


def score(wanted: Array, found: Array, classes: Array) -> dict[str, float]:
    """Return accuracy, agreement and signal to noise."""
    return {
        "accuracy": round(100 * float((found.argmax(1) == classes).mean()), 1),
        "agree": round(100 * float((found.argmax(1) == wanted.argmax(1)).mean()), 1),
        "sqnr_db": decibels(wanted, found),
    }


def decibels(wanted: Array, found: Array) -> float:
    """Return signal to noise."""
    noise = float(((wanted - found) ** 2).sum())
    return round(float(10 * np.log10((wanted**2).sum() / noise)), 1)


def tell(*words: object) -> None:
    """Say what is done so far."""
    print("…", *words, flush=True)


def by_aidge(python: str, graph: GraphView, samples: Array, images: Array, bits: int) -> Array:
    """Quantize with aidge_quantization elsewhere; its logits are right but for a factor."""
    with tempfile.TemporaryDirectory() as folder:
        names = ("c1_w", "c1_b", "c2_w", "c2_b", "fc_w", "fc_b")
        nodes = {name: graph.get_node(name) for name in names}
        weights = {name: node.get_operator().get_output(0).array for name, node in nodes.items()}
        np.savez(Path(folder, "data.npz"), samples=samples, images=images, **weights)
        script = Path(__file__).with_name("quantization_aidge.py")
        command = [python, str(script), str(Path(folder, "data.npz")), str(bits)]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        found: Array = np.load(Path(folder, "data.logits.npy"))
    return found


def compare_digits(aidge: str = "") -> dict[str, Any]:
    """Quantize the digits' network, and its twin of unbalanced channels, all ways."""
    if find_spec("sklearn") is None:
        return {"not measured": "the pictures are those of scikit-learn: pip install scikit-learn"}
    images, classes, others, kinds = digits()
    graph = trained(images, classes)
    wanted, samples = outputs(graph, others), images[:100]
    found: dict[str, Any] = {"float": score(wanted, wanted + 1e-9, kinds)["accuracy"]}
    eight = {"activation_type": QuantType.QInt8, "weight_type": QuantType.QInt8}
    four = {"activation_type": QuantType.QInt8, "weight_type": QuantType.QInt4}
    for name, each in (("as it is", graph), ("unbalanced", unbalanced(graph))):
        for bits, theirs in ((8, eight), (4, four)):
            began = time.perf_counter()
            integers, report = quantize(each, samples, weight_bits=bits).integer()
            seconds = time.perf_counter() - began
            rival = by_onnx_runtime(each, samples, others, per_channel=True, **theirs)
            found[f"{name}, weights of {bits} bits"] = {
                "in floating point": len(report.float_),
                "ours": score(wanted, outputs(integers, others), kinds),
                "onnxruntime": score(wanted, rival, kinds),
                "seconds": round(seconds, 2),
            }
            if aidge:
                other = by_aidge(aidge, each, samples, others, bits)
                other = other * float((other * wanted).sum() / (other**2).sum())
                key = f"{name}, weights of {bits} bits"
                found[key]["aidge_quantization"] = score(wanted, other, kinds)
            tell(name, f"weights of {bits} bits")
    return found


NOISE: list[tuple[str, dict[str, Any]]] = [
    ("mobilenet_v2", {"size": 64, "width": 0.35}),
    ("dinov2_like", {"size": 28, "depth": 4}),
    ("mobilenet_v2", {}),
    ("dinov2_like", {}),
]
"""Networks of the zoo: small ones, and as they are, with images of 224 × 224."""


def compare_noise() -> dict[str, Any]:
    """Quantize a mobile network and a vision transformer both ways, by the same four samples."""
    found: dict[str, Any] = {}
    for model, options in NOISE:
        graph, value, dims = simplified(model, options)
        name = f"{model}, {dims[-1]} px"
        random = np.random.default_rng(0)
        data = random.standard_normal((8, *dims[1:])).astype(np.float32)
        samples, others = data[:4], data[4:]
        wanted = one_by_one(graph, others)
        began = time.perf_counter()
        integers, report = quantize(graph, samples).integer()
        seconds = round(time.perf_counter() - began, 1)
        plain, _ = quantize(graph, samples, ranges="minmax").integer()
        eight = {"activation_type": QuantType.QInt8, "weight_type": QuantType.QInt8}
        with tempfile.TemporaryDirectory() as folder:
            source, target = Path(folder, "float.onnx"), Path(folder, "int8.onnx")
            aidge_nb.save_onnx(graph, source, opset=17)
            reader = Samples(value, [each[None] for each in samples])
            quantize_static(source, target, reader, per_channel=True, **eight)
            session = onnxruntime.InferenceSession(str(target))
            rival = np.concatenate([session.run(None, {value: x[None]})[0] for x in others])
        found[name] = {
            "in floating point": len(report.float_),
            "ours, dB": decibels(wanted, one_by_one(integers, others)),
            "ours by least and most, dB": decibels(wanted, one_by_one(plain, others)),
            "onnxruntime, dB": decibels(wanted, rival),
            "seconds": seconds,
        }
        tell(name, found[name])
    return found


def one_by_one(graph: GraphView, data: Array) -> Array:
    """Return what a graph of one sample gives for several."""
    graph.set_backend("cpu")
    scheduler = aidge_nb.SequentialScheduler(graph)
    return np.concatenate([scheduler.forward(data=[x[None]])[0].array.copy() for x in data])


def resnet8() -> GraphView:
    """Make the residual network of MLPerf Tiny for images of 32 x 32 points."""
    b = ModelBuilder("resnet8", 0, opset=17)

    def conv(x: str, name: str, ins: int, outs: int, size: int, step: int = 1) -> str:
        weights = [b.weight(f"{name}_w", (outs, ins, size, size), ins * size**2)]
        weights.append(b.weight(f"{name}_b", (outs,), outs))
        # As TensorFlow pads where it halves: behind alone.
        pads = (size // 2,) * 4 if step == 1 else (0, 0, size // 2, size // 2)
        window = {"kernel_shape": (size, size), "strides": (step, step), "pads": pads}
        return b.node("Conv", [x, *weights], name, **window)

    def relu(x: str) -> str:
        return b.node("Relu", [x], f"{x}_relu")

    ins, x = 16, relu(conv(b.input("data", (1, 3, 32, 32)), "first", 3, 16, 3))
    for outs in (16, 32, 64):
        step = 1 if outs == ins else 2
        inner = relu(conv(x, f"a{outs}", ins, outs, 3, step))
        inner = conv(inner, f"b{outs}", outs, outs, 3)
        beside = x if step == 1 else conv(x, f"c{outs}", ins, outs, 1, step)
        x, ins = relu(b.node("Add", [beside, inner], f"sum{outs}")), outs
    x = b.node("Flatten", [b.node("GlobalAveragePool", [x], "mean")], "flat")
    weights = [b.weight("fc_w", (10, 64), 64), b.weight("fc_b", (10,), 64)]
    x = b.node("Gemm", [x, *weights], "fc", transB=1)
    graph = aidge_nb.load_onnx(b.build({b.node("Softmax", [x], "softmax"): (1, 10)}))
    graph.forward_dims([[1, 3, 32, 32]])
    return graph


def least_work(view: GraphView, search: TilingSearch, room: int) -> dict[str, float]:
    """Plan choices of more and more work until one fits: tiles share more than a search counts."""
    for choice in sorted(search.front, key=lambda each: (each.macs, each.peak)):
        copy = view.clone()
        aidge_nb.tiling.apply_tilings(copy, choice.plan(copy))
        peak = aidge_nb.plan_memory(copy, copy.topological_order(), parts=True).peak
        if peak <= room:
            return {"bytes": peak, "work": round(choice.macs / search.untiled.macs, 3)}
    return {}


def compare_memory() -> dict[str, Any]:
    """Plan the memory of a small residual network before and after."""
    graph = resnet8()
    random = np.random.default_rng(0)
    samples = random.standard_normal((8, 3, 32, 32)).astype(np.float32)
    integers, report = quantize(graph, samples).integer()
    found: dict[str, Any] = {"in floating point": dict(report.float_)}
    for name, each in (("float", graph), ("int8", integers)):
        schedule = aidge_nb.static_schedule(each)
        search = aidge_nb.tiling.tile_for(each)
        room = 20_000 * (4 if name == "float" else 1)
        tell("planned:", name)
        found[name] = {
            "whole": aidge_nb.plan_memory(each, schedule).peak,
            "by rows": aidge_nb.plan_memory(each, schedule, parts=True, by_rows=True).peak,
            "in most tiles": search.best.peak,
            f"in tiles, of least work within {room:,} bytes": least_work(each, search, room),
        }
    return found | {"others": {"TensorFlow Lite Micro": 49152, "Vela for its own processor": 35840}}


def compare_import() -> dict[str, Any]:
    """Return what importing costs beside NumPy."""
    sides = code("aidge_nb", "import aidge_nb"), code("numpy", "import numpy")
    return {"beside NumPy": round(compare("import_time", *sides, limit=1.5, pairs=11).ratio, 2)}


PARTS: dict[str, Callable[[], dict[str, Any]]] = {
    "digits": compare_digits,
    "zoo": compare_zoo,
    "noise": compare_noise,
    "memory": compare_memory,
    "import": compare_import,
}


def main() -> None:
    """Run the parts that are asked for, print and write what they found."""
    options = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    options.add_argument("--only", choices=PARTS)
    options.add_argument("--aidge", default="", help="digits: an interpreter of Aidge's")
    asked = options.parse_args()
    logging.disable(logging.WARNING)
    figures: dict[str, object] = {}
    parts: dict[str, Callable[[], dict[str, Any]]] = dict(PARTS)
    parts["digits"] = partial(compare_digits, asked.aidge)
    for name in [asked.only] if asked.only else parts:
        print(f"{name} …", flush=True)
        began = time.perf_counter()
        figures[name] = parts[name]()
        print(name, f"({time.perf_counter() - began:.0f} s):", flush=True)
        print(json.dumps(figures[name], indent=1), flush=True)
        write("quantization", figures)


if __name__ == "__main__":
    main()
