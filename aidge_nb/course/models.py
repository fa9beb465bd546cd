"""Models as they come from elsewhere: with open sizes, computed shapes and unknown operators."""

from __future__ import annotations

from dataclasses import replace
from random import Random
from typing import TYPE_CHECKING

from aidge_nb.zoo.builder import ModelBuilder

if TYPE_CHECKING:
    from aidge_nb.onnx_io.model import OnnxModel


def yours() -> OnnxModel:
    """Make a small classifier as exporters write it: eleven nodes, one of a domain of its own.

    Its image is ``[N, 3, H, W]``, the shape of ``flatten`` is computed, and nobody knows ``Swirl``.

    Examples
    --------
    >>> yours()
    OnnxModel('yours', 11 nodes, 8 initializers, 1562 parameters, opset 17)
    """
    builder = ModelBuilder("yours", seed=8, opset=17)
    image = builder.input("image", ("N", 3, "H", "W"))
    conv1 = builder.conv("conv1", image, 3, 8, 3, pad=1)
    swirl = builder.node("Swirl", [conv1], "swirl", strength=0.5)
    pool = builder.pool("MaxPool", "pool", swirl, 2, 2)
    relu2 = builder.node("Relu", [builder.conv("conv2", pool, 8, 16, 3, pad=1)], "relu2")
    mean = builder.node("GlobalAveragePool", [relu2], "mean")
    shape = builder.node("Shape", [mean], "shape")
    batch = builder.node("Gather", [shape, builder.constant("zero", [0])], "batch")
    rest = builder.constant("minus_one", [-1])
    flat_shape = builder.node("Concat", [batch, rest], "flat_shape", axis=0)
    flatten = builder.node("Reshape", [mean, flat_shape], "flatten")
    model = builder.build({builder.dense("classifier", flatten, 16, 10, gain=1.0): ("N", 10)})
    return _of_domain(model, "Swirl", "com.yours")


FAULTS = ("unknown", "channels", "dimensions", "features")
"""Faults of a broken model: an operator, or a number at an input."""


def broken(seed: int) -> OnnxModel:
    """Draw a small network with one fault in it.

    Examples
    --------
    >>> broken(0).inputs
    (OnnxValue(name='image', dtype='float32', dims=(1, 3, 16, 16)),)
    """
    random = Random(seed)
    fault, first = random.choice(FAULTS), random.choice((4, 8))
    convs, channels = random.randint(2, 3), first
    bad = random.randint(2, convs)
    builder = ModelBuilder("broken", seed=seed, opset=17)
    value = builder.conv("conv1", builder.input("image", (1, 3, 16, 16)), 3, first, 3, pad=1)
    for number in range(2, convs + 1):
        is_bad = number == bad
        kind = "Swish9" if is_bad and fault == "unknown" else random.choice(("Relu", "Tanh"))
        value = builder.node(kind, [value], f"act{number - 1}")
        if is_bad and fault == "dimensions":
            value = builder.node("Flatten", [value], "flat", axis=1)
        reads = channels + 2 * (is_bad and fault == "channels")
        channels = random.choice((4, 6, 8))
        value = builder.conv(f"conv{number}", value, reads, channels, 3, pad=1)
    mean = builder.node("GlobalAveragePool", [value], "mean")
    flatten = builder.node("Flatten", [mean], "flatten", axis=1)
    reads = channels + 2 * (fault == "features")
    model = builder.build({builder.dense("scores", flatten, reads, 4, gain=1.0): (1, 4)})
    return _of_domain(model, "Swish9", "com.theirs")


def silent(seed: int) -> tuple[OnnxModel, OnnxModel, str]:
    """Draw a small network that does not run; return it, the network it should be, and why.

    Why is "open" (the file leaves sizes open), "operator" (of another's domain, which computes what
    ONNX's of that name does), "rank" (a Flatten where a picture is read) or "page" (the file is
    text, and the network lies beside it).

    Examples
    --------
    >>> model, healthy, why = silent(1)
    >>> [node.op_type for node in healthy.nodes if node not in model.nodes], why
    (['Tanh'], 'operator')
    """
    random = Random(seed)
    why = random.choice(WHY_SILENT)
    first, second = random.sample((4, 6, 8), 2)
    kind, size = random.choice(("Relu", "Tanh", "Sigmoid")), random.choice((12, 16, 20))
    dims = ("N", 3, "H", "W") if why == "open" else (1, 3, size, size)

    def built(with_flatten: bool) -> OnnxModel:
        builder = ModelBuilder("silent", seed=seed, opset=17)
        value = builder.conv("conv1", builder.input("image", dims), 3, first, 3, pad=1)
        value = builder.node(kind, [value], "act1")
        if with_flatten:
            value = builder.node("Flatten", [value], "flat", axis=1)
        value = builder.conv("conv2", value, first, second, 3, stride=2, pad=1)
        flatten = builder.node("Flatten", [builder.node("GlobalAveragePool", [value], "mean")], "f")
        return builder.build({builder.dense("scores", flatten, second, 4, gain=1.0): (dims[0], 4)})

    healthy = built(with_flatten=False)
    if why == "operator":
        return _of_domain(healthy, kind, "com.theirs"), healthy, why
    return built(with_flatten=why == "rank"), healthy, why


WHY_SILENT = ("open", "operator", "rank", "page")
"""Why a network of :func:`silent` does not run."""


def _of_domain(model: OnnxModel, kind: str, domain: str) -> OnnxModel:
    """Put the operators of a type into a domain that nobody knows."""
    nodes = tuple(
        replace(node, domain=domain) if node.op_type == kind else node for node in model.nodes
    )
    graph = replace(model.graph, nodes=nodes)
    return replace(model, graph=graph, opsets={**model.opsets, domain: 1})
