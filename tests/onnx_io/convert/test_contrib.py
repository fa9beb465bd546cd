"""Operators of com.microsoft against ONNX Runtime: quantized ones to the last bit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import onnxruntime
import pytest
from numpy.typing import NDArray

from aidge_nb import onnx_backend
from aidge_nb.onnx_io import OnnxGraph, OnnxModel, OnnxNode, OnnxValue

Array = NDArray[Any]
MICROSOFT = "com.microsoft"
F32, U8, I8 = np.float32, np.uint8, np.int8


def model_of(
    op_type: str,
    inputs: Sequence[Array | None],
    attributes: dict[str, Any],
    nb_outputs: int = 1,
    domain: str = MICROSOFT,
    fed: int = 0,
) -> tuple[OnnxModel, dict[str, Array]]:
    """Make a model of one node; input ``fed`` is fed, the others are constants."""
    names = ["" if array is None else f"i{index}" for index, array in enumerate(inputs)]
    arrays = {n: np.asarray(a) for n, a in zip(names, inputs, strict=True) if a is not None}
    first = names[fed]
    outputs = tuple(f"y{index}" for index in range(nb_outputs))
    graph = OnnxGraph(
        op_type,
        (OnnxNode(op_type, tuple(names), outputs, "node", domain, attributes),),
        {name: array for name, array in arrays.items() if name != first},
        (OnnxValue(first, arrays[first].dtype.name, arrays[first].shape),),
        tuple(OnnxValue(name, None) for name in outputs),
    )
    return OnnxModel(graph, {"": 17, MICROSOFT: 1}), {first: arrays[first]}


def both(*args: Any, threads: int = 0, **options: Any) -> tuple[Sequence[Any], Sequence[Any]]:
    model, fed = model_of(*args, **options)
    settings = onnxruntime.SessionOptions()
    settings.log_severity_level = 3
    settings.intra_op_num_threads = threads
    content = model.to_bytes()
    session = onnxruntime.InferenceSession(content, settings)
    return onnx_backend.prepare(content).run(fed), session.run(None, fed)


def codes(dtype: Any, *dims: int, seed: int = 0) -> Array:
    limits = np.iinfo(dtype)
    return np.random.default_rng(seed).integers(limits.min, limits.max + 1, dims).astype(dtype)


def weights(dtype: Any, *dims: int, seed: int = 0) -> Array:
    """Make weights of seven bits: 255 × 64 × 2 fits into 16 bits.

    On processors without VNNI, ONNX Runtime adds pairs of products of uint8 and int8 in 16 bits,
    and cuts off what does not fit; its documentation advises seven bits there.
    """
    return (codes(dtype, *dims, seed=seed) // 2).astype(dtype)


def numbers(*dims: int, seed: int = 0) -> Array:
    return np.random.default_rng(seed).standard_normal(dims).astype(F32)


def s(value: float) -> Array:
    return np.array(value, F32)


def zero(value: int, dtype: Any) -> Array:
    return np.array(value, dtype)


def exact_cases(dtype: Any) -> dict[str, tuple[str, list[Array | None], dict[str, Any]]]:
    x = codes(dtype, 2, 6, 5, 5)
    z, y = zero(3, dtype), zero(7, dtype)
    return {
        "Add": (
            "QLinearAdd",
            [x, s(0.031), z, codes(dtype, 6, 1, 5, seed=1), s(0.017), y, s(0.06), z],
            {},
        ),
        "Mul": (
            "QLinearMul",
            [x, s(0.031), z, codes(dtype, 2, 6, 5, 5, seed=1), s(0.017), y, s(0.06), z],
            {},
        ),
        "LeakyRelu": ("QLinearLeakyRelu", [x, s(0.04), z, s(0.03), y], {"alpha": 0.1}),
        "Sigmoid": ("QLinearSigmoid", [x, s(0.04), z, s(1 / 256), y], {}),
        "GlobalAveragePool": ("QLinearGlobalAveragePool", [x, s(0.04), z, s(0.01), y], {}),
        "AveragePool": (
            "QLinearAveragePool",
            [x, s(0.04), z, s(0.03), y],
            {"kernel_shape": (3, 2), "strides": (2, 1), "pads": (1, 0, 1, 0)},
        ),
        "DynamicQuantizeMatMul": (
            "DynamicQuantizeMatMul",
            [numbers(5, 300), weights(dtype, 300, 7), s(0.01), z, numbers(7)],
            {},
        ),
        "MatMulIntegerToFloat": (
            "MatMulIntegerToFloat",
            [codes(U8, 5, 9), weights(dtype, 9, 7), s(0.02), s(0.01), zero(120, U8), z, None],
            {},
        ),
        "QGemm": (
            "QGemm",
            [
                *(codes(dtype, 4, 30), s(0.02), z, codes(dtype, 9, 30, seed=1), s(0.01), y),
                *(np.arange(9, dtype=np.int32), s(0.3), y),
            ],
            {"transB": 1},
        ),
    }


@pytest.mark.parametrize("dtype", [U8, I8], ids=["uint8", "int8"])
@pytest.mark.parametrize("name", list(exact_cases(U8)))
def test_quantized_operators(name: str, dtype: Any) -> None:
    found, wanted = both(*exact_cases(dtype)[name])
    assert found[0].dtype == wanted[0].dtype
    if wanted[0].dtype == F32:
        np.testing.assert_allclose(found[0], wanted[0], rtol=2e-6, atol=2e-6)
    else:
        np.testing.assert_array_equal(found[0], wanted[0])


def test_parts_of_a_concatenation_have_their_own_scales() -> None:
    parts: list[Any] = [s(0.05), zero(128, U8)]
    for seed, scale in enumerate((0.05, 0.02, 0.11)):
        parts += [codes(U8, 1, 2, 3, seed=seed), s(scale), zero(128 - seed, U8)]
    model, _ = model_of("QLinearConcat", parts, {"axis": 1})
    content = model.to_bytes()
    session = onnxruntime.InferenceSession(content)
    fed = {"i0": parts[0]}
    (found,) = onnx_backend.prepare(content).run(fed)
    np.testing.assert_array_equal(np.asarray(found), session.run(None, fed)[0])


def tied(rng: np.random.Generator, dtype: Any) -> list[Array]:
    """Draw a power of two, so that exact ties are met, and an odd zero point."""
    low = 101 if np.dtype(dtype).kind == "u" else -9
    return [
        s(2.0 ** rng.integers(-6, -2)),
        zero(int(rng.integers(low // 2, low // 2 + 9)) * 2 + 1, dtype),
    ]


@pytest.mark.parametrize("dtype", [U8, I8], ids=["uint8", "int8"])
@pytest.mark.parametrize("seed", range(3))
def test_ties_of_quantized_operators(dtype: Any, seed: int) -> None:
    rng = np.random.default_rng(seed)
    x, other = codes(dtype, 2, 6, 9, 8, seed=seed), codes(dtype, 2, 6, 9, 8, seed=seed + 9)
    first, second, third = (tied(rng, dtype) for _ in range(3))
    window = {"kernel_shape": (2, 2), "strides": (2, 1)}
    cases: list[tuple[str, list[Any], dict[str, Any]]] = [
        ("QLinearAdd", [x, *first, other, *second, *third], {}),
        ("QLinearMul", [x, *first, other, *second, s(0.5), third[1]], {}),
        ("QLinearAveragePool", [x, *first, *second], window),
        ("QLinearAveragePool", [x, *first, *second], {"kernel_shape": (9, 8)}),
    ]
    for name, inputs, attributes in cases:
        found, wanted = both(name, inputs, attributes)
        np.testing.assert_array_equal(found[0], wanted[0], name)


@pytest.mark.parametrize(
    ("dtype", "scales", "zeros"),
    [
        (I8, (0.221518, 0.02563136, 0.5120037), (-26, 73, -47)),
        (U8, (0.6101423, 0.023150755, 0.07026146), (61, 146, 38)),
        (U8, (0.5353483, 0.099901155, 0.9219676), (251, 167, 249)),
        (I8, (0.32176074, 0.92499393, 0.18235984), (43, 123, -13)),
    ],
)
def test_all_sums_of_two_codes(
    dtype: Any, scales: tuple[float, ...], zeros: tuple[int, ...]
) -> None:
    """Zero points are multiplied by factors and added with one rounding, too."""
    every = np.arange(256, dtype=U8).view(dtype)
    first, second, third = ([s(by), zero(at, dtype)] for by, at in zip(scales, zeros, strict=True))
    inputs = [np.repeat(every, 256), *first, np.tile(every, 256), *second, *third]
    found, wanted = both("QLinearAdd", inputs, {})
    np.testing.assert_array_equal(found[0], wanted[0])


@pytest.mark.parametrize("dtype", [U8, I8], ids=["uint8", "int8"])
@pytest.mark.parametrize(
    "attributes", [{"opset": 13, "axis": 1}, {"opset": 13}, {"opset": 12, "axis": 1}, {"opset": 12}]
)
def test_quantized_softmax(dtype: Any, attributes: dict[str, Any]) -> None:
    low = zero(np.iinfo(dtype).min, dtype)
    inputs = [codes(dtype, 8, 5, 10), s(0.07), zero(3, dtype), s(1 / 255), low]
    found, wanted = both("QLinearSoftmax", inputs, attributes)
    np.testing.assert_array_equal(found[0], wanted[0])


def test_a_certain_class_has_the_largest_code() -> None:
    x = np.array([[-128, -128, 127]], I8)  # ONNX Runtime gives -128 for a share of 1
    inputs = [x, s(0.5), zero(0, I8), s(1 / 256), zero(-128, I8)]
    model, fed = model_of("QLinearSoftmax", inputs, {"opset": 13})
    (found,) = onnx_backend.prepare(model.to_bytes()).run(fed)
    assert np.asarray(found).tolist() == [[-128, -128, 127]]


@pytest.mark.parametrize("dtype", [U8, I8], ids=["uint8", "int8"])
@pytest.mark.parametrize("direction", ["forward", "reverse", "bidirectional"])
@pytest.mark.parametrize("per_channel", [False, True])
def test_recurrent_layers_with_quantized_weights(
    dtype: Any, direction: str, per_channel: bool
) -> None:
    directions, size, hidden, batch = 1 + (direction == "bidirectional"), 5, 6, 3
    shape = (directions, 4 * hidden) if per_channel else (directions,)
    scale = np.linspace(0.005, 0.02, int(np.prod(shape)), dtype=F32).reshape(shape)
    offset = np.full(shape, 60 if dtype is U8 else 0, dtype)
    inputs = [
        *(numbers(7, batch, size), weights(dtype, directions, size, 4 * hidden)),
        *(weights(dtype, directions, hidden, 4 * hidden, seed=1), numbers(directions, 8 * hidden)),
        *(None, numbers(directions, batch, hidden, seed=2)),
        *(numbers(directions, batch, hidden, seed=3), numbers(directions, 3 * hidden, seed=4)),
        *(scale, offset, scale * F32(1.5), offset),
    ]
    attributes = {"hidden_size": hidden, "direction": direction}
    # With several threads ONNX Runtime cuts the batch, and each part has a range of its own.
    found, wanted = both("DynamicQuantizeLSTM", inputs, attributes, 3, threads=1)
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=1e-6, atol=1e-6)


@pytest.mark.parametrize("x_type", [U8, I8])
@pytest.mark.parametrize("per_channel", [False, True])
@pytest.mark.parametrize("group", [1, 2])
def test_quantized_convolutions(x_type: Any, per_channel: bool, group: int) -> None:
    channels = 6
    scales = np.linspace(0.01, 0.03, channels, dtype=F32) if per_channel else s(0.02)
    zeros = np.zeros(channels, I8) if per_channel else zero(0, I8)
    inputs = [
        *(codes(x_type, 2, 4, 9, 8), s(0.05), zero(5, x_type)),
        *(weights(I8, channels, 4 // group, 3, 3, seed=1), scales, zeros, s(1.7), zero(9, x_type)),
        np.arange(-3, 3, dtype=np.int32) * 500,
    ]
    attributes = {"pads": (1, 1, 0, 1), "strides": (2, 1), "group": group}
    found, wanted = both("QLinearConv", inputs, attributes, domain="")
    np.testing.assert_array_equal(found[0], wanted[0])


@pytest.mark.parametrize("depth", [3, 700])
def test_quantized_matrices(depth: int) -> None:
    a, b = codes(U8, 5, depth), weights(I8, depth, 7, seed=1)
    inputs = [a, s(0.02), zero(131, U8), b, s(0.01), zero(-3, I8), s(2.0), zero(100, U8)]
    found, wanted = both("QLinearMatMul", inputs, {}, domain="")
    np.testing.assert_array_equal(found[0], wanted[0])
    found, wanted = both("MatMulInteger", [a, b, zero(131, U8), zero(-3, I8)], {}, domain="")
    np.testing.assert_array_equal(found[0], wanted[0])


@pytest.mark.parametrize("x", [numbers(40, 30), np.abs(numbers(9)), np.zeros(4, F32)])
def test_quantization_by_the_range_of_the_data(x: Array) -> None:
    found, wanted = both("DynamicQuantizeLinear", [x], {}, nb_outputs=3, domain="")
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_array_equal(ours, theirs)


@pytest.mark.parametrize("kind", [U8, I8, np.int16, np.uint16])
@pytest.mark.parametrize("axis", [None, 1])
def test_rounding_of_quantization(kind: Any, axis: int | None) -> None:
    x = np.concatenate(
        [numbers(8, 30) * 4, np.arange(-12, 12).reshape(8, 3).astype(F32) * F32(0.05)], 1
    )
    scale = s(0.1) if axis is None else np.linspace(0.05, 0.2, x.shape[1], dtype=F32)
    offset = np.full(scale.shape, 3, kind)
    attributes = {} if axis is None else {"axis": axis}
    domain = MICROSOFT if np.dtype(kind).itemsize > 1 else ""
    found, wanted = both("QuantizeLinear", [x, scale, offset], attributes, domain=domain)
    np.testing.assert_array_equal(found[0], wanted[0])
    found, wanted = both("DequantizeLinear", [wanted[0], scale, offset], attributes, domain=domain)
    np.testing.assert_array_equal(found[0], wanted[0])


def fused_cases() -> dict[str, tuple[str, list[Array | None], dict[str, Any], int]]:
    x = numbers(2, 5, 8)
    wide = numbers(8, seed=1)
    words = np.array([[1, 4, 2], [0, 3, 3]], np.int32)
    tables = [numbers(5, 8, seed=2), numbers(4, 8, seed=3), numbers(2, 8, seed=4)]
    return {
        "Gelu": ("Gelu", [x], {}, 1),
        "BiasGelu": ("BiasGelu", [x, wide], {}, 1),
        "FastGelu": ("FastGelu", [x, wide], {}, 1),
        "QuickGelu": ("QuickGelu", [x], {"alpha": 1.5}, 1),
        "FusedMatMul": (
            "FusedMatMul",
            [x, numbers(2, 3, 8, seed=1)],
            {"alpha": 0.5, "transB": 1},
            1,
        ),
        "FusedConv": (
            "FusedConv",
            [numbers(1, 3, 6, 6), numbers(4, 3, 3, 3, seed=1), numbers(4, seed=2)],
            {"activation": "LeakyRelu", "activation_params": (0.1,), "pads": (1, 1, 1, 1)},
            1,
        ),
        "FusedGemm": (
            "FusedGemm",
            [numbers(4, 5), numbers(6, 5, seed=1), numbers(6, seed=2)],
            {"activation": "Relu", "transB": 1, "alpha": 0.3},
            1,
        ),
        "SkipLayerNormalization": (
            "SkipLayerNormalization",
            [x, numbers(2, 5, 8, seed=5), wide, numbers(8, seed=2), numbers(8, seed=3)],
            {"epsilon": 1e-5},
            1,
        ),
        "EmbedLayerNormalization": (
            "EmbedLayerNormalization",
            [words, words % 2, *tables, wide, numbers(8, seed=6), np.ones((2, 3), np.int32)],
            {"epsilon": 1e-5},
            2,
        ),
    }


@pytest.mark.parametrize("name", list(fused_cases()))
def test_fused_operators(name: str) -> None:
    op_type, inputs, attributes, nb_outputs = fused_cases()[name]
    found, wanted = both(op_type, inputs, attributes, nb_outputs)
    for ours, theirs in zip(found, wanted, strict=True):
        assert ours.dtype == theirs.dtype
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6)


MASKS = {
    "none": None,
    "lengths": np.array([5, 3], np.int32),
    "from and to": np.array([5, 3, 1, 0], np.int32),
    "mask": np.array([[1, 1, 0, 1, 1], [1, 1, 1, 0, 0]], np.int32),
}


@pytest.mark.parametrize("mask", list(MASKS))
@pytest.mark.parametrize("causal", [0, 1])
def test_attention(mask: str, causal: int) -> None:
    attributes = {"num_heads": 2, "unidirectional": causal}
    x, weight, bias = numbers(2, 5, 8), numbers(8, 24, seed=1), numbers(24, seed=2)
    found, wanted = both("Attention", [x, weight, bias, MASKS[mask]], attributes)
    np.testing.assert_allclose(found[0], wanted[0], rtol=2e-5, atol=2e-6)
    quantized = [codes(U8, 2, 5, 8), weights(I8, 8, 24), bias, s(0.02), s(0.01), MASKS[mask]]
    found, wanted = both("QAttention", [*quantized, zero(120, U8), zero(0, I8)], attributes)
    np.testing.assert_allclose(found[0], wanted[0], rtol=2e-5, atol=2e-6)


def test_attention_with_a_past() -> None:
    past = numbers(2, 2, 2, 3, 4, seed=5)
    inputs = [numbers(2, 1, 8), numbers(8, 24, seed=1), numbers(24, seed=2), None, past]
    found, wanted = both("Attention", inputs, {"num_heads": 2, "unidirectional": 1}, nb_outputs=2)
    for ours, theirs in zip(found, wanted, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=2e-5, atol=2e-6)


@pytest.mark.parametrize("mask", ["none", "lengths", "mask"])
def test_attention_of_what_is_projected_already(mask: str) -> None:
    inputs = [numbers(2, 4, 8), numbers(2, 5, 8, seed=1), numbers(2, 5, 8, seed=2)]
    inputs += [numbers(24, seed=3), MASKS[mask]]  # type: ignore[list-item]  # None is left out
    found, wanted = both("MultiHeadAttention", inputs, {"num_heads": 4})
    np.testing.assert_allclose(found[0], wanted[0], rtol=2e-5, atol=2e-6)
