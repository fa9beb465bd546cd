"""Gradients of operators of ONNX without declaration, by finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aidge_nb.core.errors import GraphError, ShapeError
from aidge_nb.kernels.gradients import Recorded, standard_gradient
from aidge_nb.kernels.registry import (
    find_standard_gradient,
    find_standard_kernel,
    standard_operators,
)
from aidge_nb.kernels.standard import MICROSOFT, NodeContext
from tests.kernels.case import Array
from tests.kernels.finite import Arrays
from tests.kernels.standard_gradient import check, normal

STEPS, BATCH, INPUTS, HIDDEN = 4, 3, 2, 3
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def _layer(op_type: str, directions: int = 1, *, lengths: Any = None, more: bool = True) -> Any:
    """Give all inputs of a layer, or the three that it must have."""
    rng = np.random.default_rng(directions)
    rows = GATES[op_type] * HIDDEN

    def normal(*dims: int) -> Array:
        return 0.7 * rng.standard_normal(dims)

    arrays: list[Array | None] = [
        normal(STEPS, BATCH, INPUTS),
        normal(directions, rows, INPUTS),
        normal(directions, rows, HIDDEN),
    ]
    if more:
        arrays += [normal(directions, 2 * rows), None if lengths is None else np.array(lengths)]
        arrays += [normal(directions, BATCH, HIDDEN)]
    if more and op_type == "LSTM":
        arrays += [normal(directions, BATCH, HIDDEN), normal(directions, 3 * HIDDEN)]
    return arrays


LAYERS = list(GATES)


@pytest.mark.parametrize("op_type", LAYERS)
@pytest.mark.parametrize("more", [True, False], ids=["all", "few"])
def test_recurrent_layers(op_type: str, more: bool) -> None:
    nb_outputs = 3 if op_type == "LSTM" else 2
    check(op_type, _layer(op_type, more=more), nb_outputs, hidden_size=HIDDEN)


@pytest.mark.parametrize("op_type", LAYERS)
@pytest.mark.parametrize("direction", ["reverse", "bidirectional"])
@pytest.mark.parametrize("lengths", [[4, 1, 3], [4, 0, 3]])
def test_directions_and_lengths(op_type: str, direction: str, lengths: list[int]) -> None:
    directions = 2 if direction == "bidirectional" else 1
    arrays = _layer(op_type, directions, lengths=lengths)
    check(op_type, arrays, 2, hidden_size=HIDDEN, direction=direction)


@pytest.mark.parametrize("op_type", LAYERS)
def test_batch_first(op_type: str) -> None:
    arrays = _layer(op_type)
    for index in (0, 5, 6):
        if index < len(arrays):
            arrays[index] = arrays[index].swapaxes(0, 1)
    check(op_type, arrays, 2, hidden_size=HIDDEN, layout=1)


@pytest.mark.parametrize(
    "name",
    [
        *("Relu", "Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid"),
        *("Elu", "Softsign", "Softplus"),
    ],
)
def test_activations(name: str) -> None:
    check("RNN", _layer("RNN"), 2, hidden_size=HIDDEN, activations=[name])


def test_clipping_and_parameters() -> None:
    attributes = {
        "activations": ["ScaledTanh"],
        "activation_alpha": [1.3],
        "activation_beta": [0.6],
    }
    check("RNN", _layer("RNN"), 1, hidden_size=HIDDEN, clip=0.5, **attributes)


def test_variants_of_gates() -> None:
    check("GRU", _layer("GRU"), 2, hidden_size=HIDDEN, linear_before_reset=1)
    check("LSTM", _layer("LSTM"), 3, hidden_size=HIDDEN, input_forget=1)


def test_an_operator_has_one_gradient() -> None:
    with pytest.raises(GraphError, match="LSTM: has a gradient already"):
        standard_gradient("LSTM")(lambda run: run.dy)
    assert find_standard_gradient("If") is None


IMAGE = normal(2, 3, 7, 6)
WINDOW = {"kernel_shape": (3, 2)}


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"pads": (1, 0, 2, 1), "strides": (2, 1)},
        {"auto_pad": "SAME_UPPER", "strides": (2, 2)},
        {"auto_pad": "SAME_LOWER"},
        {"ceil_mode": 1, "strides": (2, 3), "pads": (1, 1, 0, 0)},
        {"dilations": (2, 1)},
    ],
    ids=["plain", "pads", "upper", "lower", "ceil", "dilated"],
)
@pytest.mark.parametrize(
    ("op_type", "more"),
    [
        ("AveragePool", {}),
        ("AveragePool", {"count_include_pad": 1}),
        ("MaxPool", {}),
        ("LpPool", {}),
        ("LpPool", {"p": 3}),
    ],
    ids=["average", "with pads", "max", "L2", "L3"],
)
def test_poolings(op_type: str, more: dict[str, int], attributes: dict[str, Any]) -> None:
    check(op_type, [IMAGE], 1, **WINDOW, **attributes, **more)


@pytest.mark.parametrize(
    "attributes",
    [{"auto_pad": "SAME_LOWER"}, {"pads": (1, 2, 0, 1), "strides": (2, 2)}, {"dilations": (1, 2)}],
    ids=["lower", "pads", "dilated"],
)
def test_convolutions(attributes: dict[str, Any]) -> None:
    x, w = normal(2, 4, 6, 7), normal(6, 2, 3, 2)
    check("Conv", [x, w, normal(6)], 1, group=2, **attributes)
    check("Conv", [x, w], 1, group=2, **attributes)


SCORES = normal(4, 3, 2)
CLASSES = np.array([[0, 2], [1, 1], [2, 0], [1, 0]])
CASES: dict[str, tuple[str, list[Any], int, dict[str, Any]]] = {
    "global L2": ("GlobalLpPool", [IMAGE], 1, {}),
    "global L3": ("GlobalLpPool", [IMAGE], 1, {"p": 3}),
    "Gemm": ("Gemm", [normal(3, 4), normal(4, 2), normal(2)], 1, {"alpha": 0.5, "beta": 2.0}),
    "Gemm turned": ("Gemm", [normal(4, 3), normal(2, 4)], 1, {"transA": 1, "transB": 1}),
    "Shrink": ("Shrink", [normal(5, 6)], 1, {"bias": 0.1, "lambd": 0.4}),
    "blocks": ("SpaceToDepth", [normal(2, 3, 4, 6)], 1, {"blocksize": 2}),
    "depth first": ("SpaceToDepth", [normal(2, 3, 4, 6)], 1, {"blocksize": 2, "mode": "CRD"}),
    "Cast": ("Cast", [normal(3)], 1, {"to": 11}),
    "reversed": ("ReverseSequence", [normal(4, 3, 2), np.array([4, 1, 2])], 1, {}),
    "reversed rows": (
        "ReverseSequence",
        [normal(3, 4), np.array([4, 1, 2])],
        1,
        {"batch_axis": 0, "time_axis": 1},
    ),
    "Det": ("Det", [normal(2, 3, 3)], 1, {}),
    "log sum": ("ReduceLogSum", [1 + np.abs(normal(3, 4)), np.array([1])], 1, {}),
    "log sum of all": ("ReduceLogSum", [1 + np.abs(normal(3, 4))], 1, {"keepdims": 0}),
    "log sum of exp": ("ReduceLogSumExp", [normal(3, 4, 2), np.array([0, -1])], 1, {}),
    "rows": ("LayerNormalization", [normal(2, 3, 4), normal(3, 4), normal(4)], 3, {"axis": 1}),
    "rows without bias": ("LayerNormalization", [normal(2, 3, 4), normal(4)], 1, {}),
    "mean square": ("SimplifiedLayerNormalization", [normal(2, 3, 4), normal(4)], 2, {}),
    "batch": (
        "BatchNormalization",
        [normal(4, 3, 2), normal(3), normal(3, seed=1), normal(3, seed=2), 1 + normal(3) ** 2],
        3,
        {"training_mode": 1, "momentum": 0.7},
    ),
    "groups": ("GroupNormalization", [IMAGE[:, [0, 1, 2, 0]], normal(4), normal(4)], 1,
               {"num_groups": 2}),
    "by group": ("GroupNormalization", [IMAGE[:, [0, 1, 2, 0]], normal(2), normal(2)], 1,
                 {"num_groups": 2}),
    "loss": ("NegativeLogLikelihoodLoss", [SCORES, CLASSES], 1, {}),
    "loss ignored": ("NegativeLogLikelihoodLoss", [SCORES, CLASSES], 1, {"ignore_index": 1}),
    "losses": ("NegativeLogLikelihoodLoss", [SCORES, CLASSES], 1, {"reduction": "none"}),
    "softmax loss": ("SoftmaxCrossEntropyLoss", [SCORES, CLASSES], 2, {}),
    "softmax sum": ("SoftmaxCrossEntropyLoss", [SCORES, CLASSES], 1, {"reduction": "sum"}),
}  # fmt: skip


@pytest.mark.parametrize("name", list(CASES))
def test_various(name: str) -> None:
    op_type, arrays, nb_outputs, attributes = CASES[name]
    check(op_type, arrays, nb_outputs, **attributes)


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"pads": (1, 0, 0, 2), "strides": (2, 3)},
        {"auto_pad": "SAME_UPPER", "strides": (2, 2), "dilations": (1, 2)},
        {"auto_pad": "SAME_LOWER", "strides": (3, 3)},
        {"output_shape": (9, 12), "strides": (2, 3)},
        {"output_padding": (1, 0), "strides": (2, 1)},
    ],
    ids=["plain", "pads", "upper", "lower", "larger", "padded"],
)
def test_transposed_convolutions(attributes: dict[str, Any]) -> None:
    x, w = normal(2, 4, 3, 4), normal(4, 3, 2, 3)
    check("ConvTranspose", [x, w, normal(6)], 1, group=2, **attributes)
    check("ConvTranspose", [x, w], 1, group=2, **attributes)


IMAGE_SIZES, BLOCK = np.array([5, 6]), np.array([2, 3])
POOLED = np.array([[[[0, 3], [9, 14]]]])
LINEAR: dict[str, tuple[str, list[Any], dict[str, Any]]] = {
    "columns": ("Col2Im", [normal(2, 12, 16), IMAGE_SIZES, BLOCK], {}),
    "columns with pads": (
        "Col2Im",
        [normal(1, 12, 6), IMAGE_SIZES, BLOCK],
        {"pads": (1, 1, 0, 1), "strides": (2, 2), "dilations": (1, 2)},
    ),
    "unpooled": (
        "MaxUnpool",
        [normal(1, 1, 2, 2), POOLED],
        {"kernel_shape": (2, 2), "strides": (2, 2)},
    ),
    "unpooled at one place": (
        "MaxUnpool",
        [normal(1, 1, 2, 2), POOLED // 5],
        {"kernel_shape": (2, 2)},
    ),
    "unpooled larger": (
        "MaxUnpool",
        [normal(1, 1, 2, 2), POOLED, np.array([1, 1, 5, 3])],
        {"kernel_shape": (2, 2), "strides": (2, 2)},
    ),
    "cache": ("TensorScatter", [normal(2, 3, 5, 2), normal(2, 3, 2, 2), np.array([1, 3])], {}),
    "round cache": (
        "TensorScatter",
        [normal(2, 4, 3), normal(2, 2, 3), np.array([3, 1])],
        {"axis": 1, "mode": "circular"},
    ),
    "spectrum": ("DFT", [normal(2, 5, 1)], {"axis": 1}),
    "half a spectrum": ("DFT", [normal(2, 6, 1), np.array(7), np.array(1)], {"onesided": 1}),
    "shorter spectrum": ("DFT", [normal(2, 6, 2), np.array(4), np.array(-2)], {}),
    "columns of spectra": ("DFT", [normal(3, 4, 5, 2)], {"axis": 2}),
    "back": ("DFT", [normal(2, 5, 2), np.array(6)], {"inverse": 1}),
    "back from half": ("DFT", [normal(2, 4, 2)], {"inverse": 1, "onesided": 1, "axis": 1}),
    "back to odd": (
        "DFT",
        [normal(2, 4, 2), np.array(7), np.array(1)],
        {"inverse": 1, "onesided": 1},
    ),
    "frames": ("STFT", [normal(2, 9, 1), np.array(3), normal(4)], {}),
    "whole frames": ("STFT", [normal(2, 9, 2), np.array(2), None, np.array(5)], {"onesided": 0}),
    "frames of windows": ("STFT", [normal(2, 9), np.array(2), normal(5), np.array(5)], {}),
}


@pytest.mark.parametrize("name", list(LINEAR))
def test_what_moves_elements_and_transforms(name: str) -> None:
    op_type, arrays, attributes = LINEAR[name]
    check(op_type, arrays, 1, **attributes)


def test_nearest_elements_of_version_10() -> None:
    """It is linear: ⟨dy, A x⟩ = ⟨Aᵀ dy, x⟩."""
    x, scales = normal(2, 5, 4), np.array([1, 0.6, 1.5], np.float32)
    kernel, gradient = find_standard_kernel("Resize"), find_standard_gradient("Resize")
    assert kernel is not None
    assert gradient is not None
    (y,) = kernel([x, scales], {}, NodeContext(10))
    dy = normal(*y.shape)
    back = gradient(Recorded((x, scales), (y,), (dy,), frozenset((0,))), {})[0]
    assert back is not None
    assert np.vdot(dy, y) == pytest.approx(np.vdot(back, x))


@pytest.mark.parametrize("more", [{}, {"reverse": 1}, {"exclusive": 1, "reverse": 1}])
def test_products_along_an_axis(more: dict[str, int]) -> None:
    x = normal(3, 4, 2)
    x[1, 2] = 0  # nothing can be divided by it
    check("CumProd", [x, np.array(1)], 1, **more)


@pytest.mark.parametrize("dims", [(3, 1), (4,), (2, 3, 4)])
def test_slopes(dims: tuple[int, ...]) -> None:
    check("PRelu", [normal(2, 3, 4), normal(*dims)], 1)


def test_slopes_of_channels_before_opset_7() -> None:
    x, slope, dy = normal(2, 3, 3), normal(3), normal(2, 3, 3, seed=1)
    kernel, gradient = find_standard_kernel("PRelu"), find_standard_gradient("PRelu")
    assert kernel is not None
    assert gradient is not None
    (y,) = kernel([x, slope], {}, NodeContext(6))
    found = gradient(Recorded((x, slope), (y,), (dy,), frozenset((0, 1))), {})
    spread = slope[:, None]
    right = gradient(Recorded((x, spread), (y,), (dy,), frozenset((0, 1))), {})
    for ours, wanted in zip(found, right, strict=True):
        assert ours is not None
        assert wanted is not None
        np.testing.assert_allclose(ours, wanted.reshape(ours.shape))


HEADS = [normal(2, 4, 3, 5), normal(2, 2, 6, 5), normal(2, 2, 6, 4)]
SAME = [normal(2, 2, 3, 5), normal(2, 2, 3, 5, seed=1), normal(2, 2, 3, 4)]


@pytest.mark.parametrize(
    ("arrays", "nb_outputs", "attributes"),
    [
        (HEADS, 1, {}),
        (SAME, 1, {"is_causal": 1, "scale": 0.3}),
        ([*HEADS, normal(3, 6)], 1, {"softcap": 1.5}),
        ([*HEADS, np.arange(18).reshape(3, 6) % 5 > 0], 1, {}),
        ([*SAME, None, normal(2, 2, 2, 5), normal(2, 2, 2, 4)], 3, {"is_causal": 1}),
        (SAME, 1, {"left_window_size": 1, "right_window_size": 0}),
        (
            [normal(2, 3, 20), normal(2, 6, 10), normal(2, 6, 8)],
            1,
            {"q_num_heads": 4, "kv_num_heads": 2},
        ),
    ],
    ids=["groups", "causal", "mask", "truths", "cache", "windows", "side by side"],
)
def test_attention(arrays: Arrays, nb_outputs: int, attributes: dict[str, Any]) -> None:
    check("Attention", arrays, nb_outputs, **attributes)


def test_what_dropout_kept() -> None:
    x, training = normal(3, 4), np.array(True)
    check("Dropout", [x], 2, opset=10)
    check("Dropout", [x, None, training], 2, ratio=0.4, seed=3)
    gradient = find_standard_gradient("Dropout")
    assert gradient is not None
    with pytest.raises(ShapeError, match="output#1: it is not known what was kept"):
        gradient(Recorded((x, None, training), (x,), (x,), frozenset((0,))), {})


WITHOUT: dict[str, set[str]] = {
    "whole numbers, truth values, positions": {
        *("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "MatMulInteger"),
        *("ConvInteger", "QLinearConv", "QLinearMatMul", "BitCast", "NonMaxSuppression"),
        *("Binarizer", "LabelEncoder", "TreeEnsemble", "ArrayFeatureExtractor"),
        *("MatMulIntegerToFloat", "DynamicQuantizeMatMul", "QAttention", "QGemm", "QLinearAdd"),
        *("QLinearAveragePool", "QLinearConcat", "QLinearGlobalAveragePool", "QLinearLeakyRelu"),
        *("QLinearMul", "QLinearSigmoid", "QLinearSoftmax", "LookUp", "Rescale", "Unique"),
        *("QuantizeImage", "QLinearConvTranspose", "QLinearReduceMean", "QLinearBilinear"),
        *("QLinearDiv", "QLinearLSTM", "QLinearPRelu", "QLinearRescale", "QLinearTanh"),
        *("QLinearSquaredDifference", "ResizeCodes"),
    },
    "random": {
        *("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform"),
        "RandomUniformLike",
    },
    "no numbers": {
        *("RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit", "TfIdfVectorizer"),
        *("ImageDecoder", "MelWeightMatrix"),
    },
    "rare and long: training is refused by name": {
        *("DeformConv", "RoiAlign", "LinearAttention", "CausalConvWithState"),
        *(
            "DynamicQuantizeLSTM",
            "BiasGelu",
            "FastGelu",
            "FusedConv",
            "FusedGemm",
            "FusedMatMul",
            "QuickGelu",
        ),
        *("EmbedLayerNormalization", "SkipLayerNormalization", "MultiHeadAttention"),
        "SkipSimplifiedLayerNormalization",
    },
    "graphs inside, and sequences of tensors: refused by name": {
        *("If", "Loop", "Scan", "Optional", "OptionalGetElement", "OptionalHasElement"),
        *("ConcatFromSequence", "SequenceAt", "SequenceConstruct", "SequenceEmpty"),
        *("SequenceErase", "SequenceInsert", "SequenceLength", "SplitToSequence"),
    },
}
"""Functions without a gradient, and why."""


def test_every_function_has_a_gradient_or_stands_on_the_list() -> None:
    """The operators of ONNX Runtime have none, even where ONNX has an operator of their name."""
    listed = set().union(*WITHOUT.values())
    known = {key for key in standard_operators() if key[0] != MICROSOFT or key[1] in listed}
    found = {key for key in standard_operators() if find_standard_gradient(key[1], key[0])}
    assert not {name for domain, name in found if domain == MICROSOFT}
    assert {name for _, name in known - found} == listed
    assert not listed & {name for _, name in found}
