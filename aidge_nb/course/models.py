"""Models as they come from elsewhere: with open sizes, computed shapes and unknown operators."""

from __future__ import annotations

from dataclasses import replace
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
    nodes = tuple(
        replace(node, domain="com.yours") if node.op_type == "Swirl" else node
        for node in model.nodes
    )
    graph = replace(model.graph, nodes=nodes)
    return replace(model, graph=graph, opsets={**model.opsets, "com.yours": 1})
