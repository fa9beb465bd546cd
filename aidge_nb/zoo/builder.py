"""Write ONNX models node by node, with seeded weights.

A builder hands out value names; a node has the name of the value that it writes. Weights are drawn
from one generator in the order of the calls, so that equal arguments give equal bytes.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod, sqrt
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aidge_nb.core.errors import OnnxError
from aidge_nb.onnx_io.ir import OnnxGraph, OnnxNode, OnnxValue
from aidge_nb.onnx_io.model import OnnxModel


def scaled(channels: int, width: float, divisor: int = 8) -> int:
    """Return a number of channels times ``width``, as a positive multiple of ``divisor``.

    Examples
    --------
    >>> scaled(32, 1.0), scaled(32, 0.35), scaled(64, 0.0)
    (32, 8, 8)
    """
    if width == 1:
        return channels
    return max(divisor, int(channels * width + divisor / 2) // divisor * divisor)


class ModelBuilder:
    """Builds one model.

    ``seed`` is that of the weights, ``opset`` the version of the standard operators.

    Examples
    --------
    >>> builder = ModelBuilder("tiny", seed=0)
    >>> image = builder.input("image", (1, 3, 8, 8))
    >>> conv = builder.conv("conv", image, 3, 4, 3, pad=1)
    >>> builder.build({builder.node("Relu", [conv], "relu"): (1, 4, 8, 8)})
    OnnxModel('tiny', 2 nodes, 2 initializers, 112 parameters, opset 13)
    """

    def __init__(self, name: str, seed: int, opset: int = 13) -> None:
        self.name = name
        self.opset = opset
        self._random = np.random.default_rng(seed)
        self._inputs: list[OnnxValue] = []
        self._nodes: list[OnnxNode] = []
        self._weights: dict[str, NDArray[Any]] = {}

    def input(self, name: str, dims: Sequence[int | str], dtype: str = "float32") -> str:
        """Declare an input of the model."""
        if any(isinstance(dim, int) and dim < 1 for dim in dims):
            raise OnnxError.at(
                f"model {self.name!r}, input {name!r}",
                "a dimension is not positive",
                expected="sizes of 1 or more",
                found=list(dims),
            )
        self._inputs.append(OnnxValue(name, dtype, tuple(dims)))
        return name

    def constant(self, name: str, values: ArrayLike) -> str:
        """Add a tensor of given values; floats become float32."""
        array = np.asarray(values)
        self._weights[name] = array.astype(np.float32) if array.dtype.kind == "f" else array
        return name

    def normal(self, name: str, dims: Sequence[int], deviation: float, mean: float = 0.0) -> str:
        """Add a tensor of normally distributed values."""
        values = self._random.standard_normal(tuple(dims), np.float32)
        return self.constant(name, values * np.float32(deviation) + np.float32(mean))

    def uniform(self, name: str, dims: Sequence[int], low: float, high: float) -> str:
        """Add a tensor of uniformly distributed values."""
        values = self._random.random(tuple(dims), np.float32)
        return self.constant(name, values * np.float32(high - low) + np.float32(low))

    def weight(self, name: str, dims: Sequence[int], fan_in: int, gain: float = 2.0) -> str:
        """Add a weight that keeps the variance of activations over a layer of ``fan_in`` inputs.

        ``gain`` is 2 after a ReLU, which halves the mean square, and 1 elsewhere.

        Reference: K. He et al., "Delving Deep into Rectifiers", 2015,
        https://arxiv.org/abs/1502.01852
        """
        return self.normal(name, dims, sqrt(gain / fan_in))

    def node(
        self,
        op_type: str,
        inputs: Sequence[str],
        name: str,
        outputs: Sequence[str] = (),
        **attributes: Any,
    ) -> str:
        """Add a node; by default its only output has its name."""
        outputs = tuple(outputs) or (name,)
        self._nodes.append(OnnxNode(op_type, tuple(inputs), outputs, name, attributes=attributes))
        return next(filter(None, outputs))

    def conv(
        self,
        name: str,
        value: str,
        in_channels: int,
        out_channels: int,
        kernel: int | tuple[int, int],
        *,
        stride: int = 1,
        pad: int = 0,
        group: int = 1,
        bias: bool = True,
        gain: float = 2.0,
    ) -> str:
        """Add a 2-D convolution with weights ``<name>_weight`` and ``<name>_bias``.

        The end ``_fwd``, with which some exporters name nodes, is not one of their parameters'.
        """
        prefix = name.removesuffix("_fwd")
        size = (kernel, kernel) if isinstance(kernel, int) else kernel
        fan_in = in_channels // group * prod(size)
        dims = (out_channels, in_channels // group, *size)
        inputs = [value, self.weight(f"{prefix}_weight", dims, fan_in, gain)]
        if bias:
            inputs.append(self.normal(f"{prefix}_bias", [out_channels], 0.1))
        return self.node(
            "Conv",
            inputs,
            name,
            dilations=(1, 1),
            group=group,
            kernel_shape=size,
            pads=(pad, pad, pad, pad),
            strides=(stride, stride),
        )

    def batch_norm(self, name: str, value: str, channels: int, *, scale: float = 1.0) -> str:
        """Add a batch normalisation with statistics as training would leave them.

        A ``scale`` below 1 at the end of a residual branch keeps the sum from growing with depth.
        """
        prefix = name.removesuffix("_fwd")
        parameters = [
            self.uniform(f"{prefix}_gamma", [channels], 0.8 * scale, 1.2 * scale),
            self.normal(f"{prefix}_beta", [channels], 0.1),
            self.normal(f"{prefix}_running_mean", [channels], 0.1),
            self.uniform(f"{prefix}_running_var", [channels], 0.75, 1.25),
        ]
        return self.node(
            "BatchNormalization", [value, *parameters], name, epsilon=1e-5, momentum=0.9
        )

    def conv_bn(
        self,
        names: Sequence[str],
        value: str,
        in_channels: int,
        out_channels: int,
        kernel: int = 1,
        *,
        stride: int = 1,
        group: int = 1,
        gain: float = 2.0,
        scale: float = 1.0,
    ) -> str:
        """Add a convolution without bias, its batch normalisation and, where named, a ReLU."""
        conv, norm, *relu = names
        value = self.conv(
            conv,
            value,
            in_channels,
            out_channels,
            kernel,
            stride=stride,
            pad=kernel // 2,
            group=group,
            bias=False,
            gain=gain,
        )
        value = self.batch_norm(norm, value, out_channels, scale=scale)
        return self.node("Relu", [value], relu[0]) if relu else value

    def dense(
        self, name: str, value: str, in_channels: int, out_channels: int, gain: float = 2.0
    ) -> str:
        """Add a fully connected layer (Gemm)."""
        weight = self.weight(f"{name}_weight", [out_channels, in_channels], in_channels, gain)
        bias = self.normal(f"{name}_bias", [out_channels], 0.1)
        return self.node("Gemm", [value, weight, bias], name, alpha=1.0, beta=1.0, transB=1)

    def pool(
        self, op_type: str, name: str, value: str, kernel: int, stride: int, pad: int = 0
    ) -> str:
        """Add a MaxPool or an AveragePool."""
        return self.node(
            op_type,
            [value],
            name,
            kernel_shape=(kernel, kernel),
            pads=(pad, pad, pad, pad),
            strides=(stride, stride),
        )

    def build(self, outputs: dict[str, Sequence[int | str]]) -> OnnxModel:
        """Return the model with these values as outputs."""
        graph = OnnxGraph(
            self.name,
            tuple(self._nodes),
            dict(self._weights),
            tuple(self._inputs),
            tuple(OnnxValue(name, "float32", tuple(dims)) for name, dims in outputs.items()),
        )
        return OnnxModel(graph, {"": self.opset})
