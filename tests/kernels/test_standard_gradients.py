"""Gradients of operators of ONNX without declaration, by finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aidge_nb.errors import GraphError, ShapeError
from aidge_nb.kernels import standard as registry
from aidge_nb.kernels.gradients import (
    Recorded,
    find_standard_gradient,
    stand_in,
    standard_gradient,
)
from aidge_nb.kernels.standard import Site, find_standard_kernel
from tests.kernels.case import Array
from tests.kernels.finite import Arrays, check_gradients, is_float

STEPS, BATCH, INPUTS, HIDDEN = 4, 3, 2, 3
GATES = {"RNN": 1, "GRU": 3, "LSTM": 4}


def _check(op_type: str, arrays: Arrays, nb_outputs: int, **attributes: Any) -> None:
    opset, domain = attributes.pop("opset", 22), attributes.pop("domain", "")
    kernel = find_standard_kernel(op_type, domain)
    gradient = find_standard_gradient(op_type, domain)
    assert kernel is not None
    assert gradient is not None

    def function(given: Arrays) -> tuple[Array, ...]:
        return kernel(list(given), attributes, Site(opset, nb_outputs))[:nb_outputs]

    outputs = function(arrays)
    rng = np.random.default_rng(5)
    grads = tuple(
        np.asarray(rng.standard_normal(y.shape)) if is_float(y) else None for y in outputs
    )
    every = frozenset(index for index, array in enumerate(arrays) if is_float(array))
    kept_inputs = tuple(
        a if a is None or gradient.reads_input(i) else stand_in(a) for i, a in enumerate(arrays)
    )
    kept_outputs = tuple(
        a if gradient.reads_output(i) else stand_in(a) for i, a in enumerate(outputs)
    )
    run = Recorded(kept_inputs, kept_outputs, grads, every)
    found = gradient(run, {"opset": opset, **attributes})
    padded = [*found, *[None] * (len(arrays) - len(found))]
    assert all(grad is not None for grad, a in zip(padded, arrays, strict=True) if is_float(a))
    check_gradients(function, arrays, grads, padded)


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
    _check(op_type, _layer(op_type, more=more), nb_outputs, hidden_size=HIDDEN)


@pytest.mark.parametrize("op_type", LAYERS)
@pytest.mark.parametrize("direction", ["reverse", "bidirectional"])
@pytest.mark.parametrize("lengths", [[4, 1, 3], [4, 0, 3]])
def test_directions_and_lengths(op_type: str, direction: str, lengths: list[int]) -> None:
    directions = 2 if direction == "bidirectional" else 1
    arrays = _layer(op_type, directions, lengths=lengths)
    _check(op_type, arrays, 2, hidden_size=HIDDEN, direction=direction)


@pytest.mark.parametrize("op_type", LAYERS)
def test_batch_first(op_type: str) -> None:
    arrays = _layer(op_type)
    for index in (0, 5, 6):
        if index < len(arrays):
            arrays[index] = arrays[index].swapaxes(0, 1)
    _check(op_type, arrays, 2, hidden_size=HIDDEN, layout=1)


@pytest.mark.parametrize(
    "name",
    [
        *("Relu", "Affine", "LeakyRelu", "ThresholdedRelu", "ScaledTanh", "HardSigmoid"),
        *("Elu", "Softsign", "Softplus"),
    ],
)
def test_activations(name: str) -> None:
    _check("RNN", _layer("RNN"), 2, hidden_size=HIDDEN, activations=[name])


def test_clipping_and_parameters() -> None:
    attributes = {
        "activations": ["ScaledTanh"],
        "activation_alpha": [1.3],
        "activation_beta": [0.6],
    }
    _check("RNN", _layer("RNN"), 1, hidden_size=HIDDEN, clip=0.5, **attributes)


def test_variants_of_gates() -> None:
    _check("GRU", _layer("GRU"), 2, hidden_size=HIDDEN, linear_before_reset=1)
    _check("LSTM", _layer("LSTM"), 3, hidden_size=HIDDEN, input_forget=1)


def test_an_operator_has_one_gradient() -> None:
    with pytest.raises(GraphError, match="LSTM: has a gradient already"):
        standard_gradient("LSTM")(lambda run: run.dy)
    assert find_standard_gradient("If") is None


def _normal(*dims: int, seed: int = 0) -> Array:
    return np.random.default_rng((seed, *dims)).standard_normal(dims)


IMAGE = _normal(2, 3, 7, 6)
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
    _check(op_type, [IMAGE], 1, **WINDOW, **attributes, **more)


@pytest.mark.parametrize(
    "attributes",
    [{"auto_pad": "SAME_LOWER"}, {"pads": (1, 2, 0, 1), "strides": (2, 2)}, {"dilations": (1, 2)}],
    ids=["lower", "pads", "dilated"],
)
def test_convolutions(attributes: dict[str, Any]) -> None:
    x, w = _normal(2, 4, 6, 7), _normal(6, 2, 3, 2)
    _check("Conv", [x, w, _normal(6)], 1, group=2, **attributes)
    _check("Conv", [x, w], 1, group=2, **attributes)


SCORES = _normal(4, 3, 2)
CLASSES = np.array([[0, 2], [1, 1], [2, 0], [1, 0]])
CASES: dict[str, tuple[str, list[Any], int, dict[str, Any]]] = {
    "global L2": ("GlobalLpPool", [IMAGE], 1, {}),
    "global L3": ("GlobalLpPool", [IMAGE], 1, {"p": 3}),
    "Gemm": ("Gemm", [_normal(3, 4), _normal(4, 2), _normal(2)], 1, {"alpha": 0.5, "beta": 2.0}),
    "Gemm turned": ("Gemm", [_normal(4, 3), _normal(2, 4)], 1, {"transA": 1, "transB": 1}),
    "Shrink": ("Shrink", [_normal(5, 6)], 1, {"bias": 0.1, "lambd": 0.4}),
    "blocks": ("SpaceToDepth", [_normal(2, 3, 4, 6)], 1, {"blocksize": 2}),
    "depth first": ("SpaceToDepth", [_normal(2, 3, 4, 6)], 1, {"blocksize": 2, "mode": "CRD"}),
    "Cast": ("Cast", [_normal(3)], 1, {"to": 11}),
    "reversed": ("ReverseSequence", [_normal(4, 3, 2), np.array([4, 1, 2])], 1, {}),
    "reversed rows": (
        "ReverseSequence",
        [_normal(3, 4), np.array([4, 1, 2])],
        1,
        {"batch_axis": 0, "time_axis": 1},
    ),
    "Det": ("Det", [_normal(2, 3, 3)], 1, {}),
    "log sum": ("ReduceLogSum", [1 + np.abs(_normal(3, 4)), np.array([1])], 1, {}),
    "log sum of all": ("ReduceLogSum", [1 + np.abs(_normal(3, 4))], 1, {"keepdims": 0}),
    "log sum of exp": ("ReduceLogSumExp", [_normal(3, 4, 2), np.array([0, -1])], 1, {}),
    "rows": ("LayerNormalization", [_normal(2, 3, 4), _normal(3, 4), _normal(4)], 3, {"axis": 1}),
    "rows without bias": ("LayerNormalization", [_normal(2, 3, 4), _normal(4)], 1, {}),
    "mean square": ("SimplifiedLayerNormalization", [_normal(2, 3, 4), _normal(4)], 2, {}),
    "batch": (
        "BatchNormalization",
        [_normal(4, 3, 2), _normal(3), _normal(3, seed=1), _normal(3, seed=2), 1 + _normal(3) ** 2],
        3,
        {"training_mode": 1, "momentum": 0.7},
    ),
    "groups": ("GroupNormalization", [IMAGE[:, [0, 1, 2, 0]], _normal(4), _normal(4)], 1,
               {"num_groups": 2}),
    "by group": ("GroupNormalization", [IMAGE[:, [0, 1, 2, 0]], _normal(2), _normal(2)], 1,
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
    _check(op_type, arrays, nb_outputs, **attributes)


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
    x, w = _normal(2, 4, 3, 4), _normal(4, 3, 2, 3)
    _check("ConvTranspose", [x, w, _normal(6)], 1, group=2, **attributes)
    _check("ConvTranspose", [x, w], 1, group=2, **attributes)


IMAGE_SIZES, BLOCK = np.array([5, 6]), np.array([2, 3])
POOLED = np.array([[[[0, 3], [9, 14]]]])
LINEAR: dict[str, tuple[str, list[Any], dict[str, Any]]] = {
    "columns": ("Col2Im", [_normal(2, 12, 16), IMAGE_SIZES, BLOCK], {}),
    "columns with pads": (
        "Col2Im",
        [_normal(1, 12, 6), IMAGE_SIZES, BLOCK],
        {"pads": (1, 1, 0, 1), "strides": (2, 2), "dilations": (1, 2)},
    ),
    "unpooled": (
        "MaxUnpool",
        [_normal(1, 1, 2, 2), POOLED],
        {"kernel_shape": (2, 2), "strides": (2, 2)},
    ),
    "unpooled at one place": (
        "MaxUnpool",
        [_normal(1, 1, 2, 2), POOLED // 5],
        {"kernel_shape": (2, 2)},
    ),
    "unpooled larger": (
        "MaxUnpool",
        [_normal(1, 1, 2, 2), POOLED, np.array([1, 1, 5, 3])],
        {"kernel_shape": (2, 2), "strides": (2, 2)},
    ),
    "cache": ("TensorScatter", [_normal(2, 3, 5, 2), _normal(2, 3, 2, 2), np.array([1, 3])], {}),
    "round cache": (
        "TensorScatter",
        [_normal(2, 4, 3), _normal(2, 2, 3), np.array([3, 1])],
        {"axis": 1, "mode": "circular"},
    ),
    "spectrum": ("DFT", [_normal(2, 5, 1)], {"axis": 1}),
    "half a spectrum": ("DFT", [_normal(2, 6, 1), np.array(7), np.array(1)], {"onesided": 1}),
    "shorter spectrum": ("DFT", [_normal(2, 6, 2), np.array(4), np.array(-2)], {}),
    "columns of spectra": ("DFT", [_normal(3, 4, 5, 2)], {"axis": 2}),
    "back": ("DFT", [_normal(2, 5, 2), np.array(6)], {"inverse": 1}),
    "back from half": ("DFT", [_normal(2, 4, 2)], {"inverse": 1, "onesided": 1, "axis": 1}),
    "back to odd": (
        "DFT",
        [_normal(2, 4, 2), np.array(7), np.array(1)],
        {"inverse": 1, "onesided": 1},
    ),
    "frames": ("STFT", [_normal(2, 9, 1), np.array(3), _normal(4)], {}),
    "whole frames": ("STFT", [_normal(2, 9, 2), np.array(2), None, np.array(5)], {"onesided": 0}),
    "frames of windows": ("STFT", [_normal(2, 9), np.array(2), _normal(5), np.array(5)], {}),
}


@pytest.mark.parametrize("name", list(LINEAR))
def test_what_moves_elements_and_transforms(name: str) -> None:
    op_type, arrays, attributes = LINEAR[name]
    _check(op_type, arrays, 1, **attributes)


def test_nearest_elements_of_version_10() -> None:
    """It is linear: ⟨dy, A x⟩ = ⟨Aᵀ dy, x⟩."""
    x, scales = _normal(2, 5, 4), np.array([1, 0.6, 1.5], np.float32)
    kernel, gradient = find_standard_kernel("Resize"), find_standard_gradient("Resize")
    assert kernel is not None
    assert gradient is not None
    (y,) = kernel([x, scales], {}, Site(10))
    dy = _normal(*y.shape)
    back = gradient(Recorded((x, scales), (y,), (dy,), frozenset((0,))), {})[0]
    assert back is not None
    assert np.vdot(dy, y) == pytest.approx(np.vdot(back, x))


@pytest.mark.parametrize("more", [{}, {"reverse": 1}, {"exclusive": 1, "reverse": 1}])
def test_products_along_an_axis(more: dict[str, int]) -> None:
    x = _normal(3, 4, 2)
    x[1, 2] = 0  # nothing can be divided by it
    _check("CumProd", [x, np.array(1)], 1, **more)


@pytest.mark.parametrize("dims", [(3, 1), (4,), (2, 3, 4)])
def test_slopes(dims: tuple[int, ...]) -> None:
    _check("PRelu", [_normal(2, 3, 4), _normal(*dims)], 1)


def test_slopes_of_channels_before_opset_7() -> None:
    x, slope, dy = _normal(2, 3, 3), _normal(3), _normal(2, 3, 3, seed=1)
    kernel, gradient = find_standard_kernel("PRelu"), find_standard_gradient("PRelu")
    assert kernel is not None
    assert gradient is not None
    (y,) = kernel([x, slope], {}, Site(6))
    found = gradient(Recorded((x, slope), (y,), (dy,), frozenset((0, 1))), {})
    spread = slope[:, None]
    right = gradient(Recorded((x, spread), (y,), (dy,), frozenset((0, 1))), {})
    for ours, wanted in zip(found, right, strict=True):
        assert ours is not None
        assert wanted is not None
        np.testing.assert_allclose(ours, wanted.reshape(ours.shape))


HEADS = [_normal(2, 4, 3, 5), _normal(2, 2, 6, 5), _normal(2, 2, 6, 4)]
SAME = [_normal(2, 2, 3, 5), _normal(2, 2, 3, 5, seed=1), _normal(2, 2, 3, 4)]


@pytest.mark.parametrize(
    ("arrays", "nb_outputs", "attributes"),
    [
        (HEADS, 1, {}),
        (SAME, 1, {"is_causal": 1, "scale": 0.3}),
        ([*HEADS, _normal(3, 6)], 1, {"softcap": 1.5}),
        ([*HEADS, np.arange(18).reshape(3, 6) % 5 > 0], 1, {}),
        ([*SAME, None, _normal(2, 2, 2, 5), _normal(2, 2, 2, 4)], 3, {"is_causal": 1}),
        (SAME, 1, {"left_window_size": 1, "right_window_size": 0}),
        (
            [_normal(2, 3, 20), _normal(2, 6, 10), _normal(2, 6, 8)],
            1,
            {"q_num_heads": 4, "kv_num_heads": 2},
        ),
    ],
    ids=["groups", "causal", "mask", "truths", "cache", "windows", "side by side"],
)
def test_attention(arrays: Arrays, nb_outputs: int, attributes: dict[str, Any]) -> None:
    _check("Attention", arrays, nb_outputs, **attributes)


@pytest.mark.parametrize("align", [0, 1])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
def test_grids(mode: str, padding: str, align: int) -> None:
    """Many of the places lie outside the image, some more than its size away."""
    attributes = {"mode": mode, "padding_mode": padding, "align_corners": align}
    rng = np.random.default_rng(3)
    _check("GridSample", [IMAGE[:, :2], rng.uniform(-3.5, 3.5, (2, 4, 5, 2))], 1, **attributes)
    _check("GridSample", [_normal(1, 2, 1, 3), rng.uniform(-1, 1, (1, 2, 2, 2))], 1, **attributes)
    if mode != "cubic":
        volume = _normal(1, 2, 3, 4, 2)
        _check("GridSample", [volume, rng.uniform(-1, 1, (1, 2, 1, 3, 3))], 1, **attributes)


REGIONS = np.array([[0, 0.3, 6.8, 7], [2.5, 1.5, 6.2, 3.1], [5, 6, 5.5, 6.3], [-3, -2, 2, 9.5]])


@pytest.mark.parametrize("ratio", [0, 2])
@pytest.mark.parametrize("opset", [10, 16])
@pytest.mark.parametrize("mode", ["avg", "max"])
def test_regions(mode: str, opset: int, ratio: int) -> None:
    """One region is shorter than a pixel, one leaves the image."""
    cells = {"output_height": 3, "output_width": 2, "sampling_ratio": ratio}
    arrays = [_normal(2, 3, 8, 7), REGIONS, np.array([0, 1, 1, 0])]
    _check("RoiAlign", arrays, 1, opset=opset, spatial_scale=0.9, mode=mode, **cells)


@pytest.mark.parametrize(
    "attributes",
    [
        {},
        {"group": 2, "pads": (1, 0, 2, 1), "strides": (2, 1)},
        {"offset_group": 2, "dilations": (1, 2), "pads": (1, 1, 1, 1)},
        {"offset_group": 4, "group": 2, "strides": (2, 2)},
    ],
    ids=["plain", "groups", "groups of offsets", "both"],
)
def test_deformed_windows(attributes: dict[str, Any]) -> None:
    x, w, bias = _normal(2, 4, 6, 7), _normal(6, 4 // attributes.get("group", 1), 3, 2), _normal(6)
    given = {name: value for name, value in attributes.items() if name != "offset_group"}
    kernel = find_standard_kernel("Conv")
    assert kernel is not None
    counts = kernel([x, w], given, Site(22))[0].shape[2:]
    groups = attributes.get("offset_group", 1)
    offset, mask = _normal(2, groups * 12, *counts), _normal(2, groups * 6, *counts)
    _check("DeformConv", [x, w, offset, bias, mask], 1, **attributes)
    _check("DeformConv", [x, w, offset], 1, **attributes)


@pytest.mark.parametrize("op_type", ["Gelu", "BiasGelu", "FastGelu", "QuickGelu"])
def test_activations_of_optimizers(op_type: str) -> None:
    bias = {"BiasGelu": [_normal(4)], "FastGelu": [_normal(4)]}.get(op_type, [])
    more = {"alpha": 1.3} if op_type == "QuickGelu" else {}
    _check(op_type, [_normal(2, 3, 4), *bias], 1, domain="com.microsoft", **more)
    if op_type == "FastGelu":
        _check(op_type, [_normal(2, 3, 4)], 1, domain="com.microsoft")


MICROSOFT = "com.microsoft"
ACTIVATIONS = {
    "": (),
    "Relu": (),
    "LeakyRelu": (0.2,),
    "Clip": (-0.7, 1.1),
    "Tanh": (),
    "Sigmoid": (),
    "HardSigmoid": (0.3, 0.4),
}


@pytest.mark.parametrize("name", list(ACTIVATIONS))
def test_fused_convolutions(name: str) -> None:
    fused = {"domain": MICROSOFT, "activation": name, "activation_params": ACTIVATIONS[name]}
    x, w, bias = _normal(2, 4, 5, 6), 0.5 * _normal(4, 2, 3, 2), _normal(4)
    _check("FusedConv", [x, w, bias, _normal(2, 4, 3, 3)], 1, group=2, **fused, pads=(1, 0, 1, 1),
           strides=(2, 2))  # fmt: skip
    _check("FusedConv", [x, w], 1, group=2, **fused, auto_pad="SAME_LOWER", dilations=(1, 2))


def test_fused_convolutions_of_broadcast_sums_and_falling_slopes() -> None:
    fused = {"domain": MICROSOFT, "activation": "LeakyRelu", "activation_params": (-0.5,)}
    arrays = [_normal(2, 3, 6), _normal(4, 3, 2), None, _normal(1, 4, 1)]
    _check("FusedConv", arrays, 1, **fused, strides=(2,), pads=(1, 1))
    _check("FusedConv", [*arrays[:2], _normal(4)], 1, **fused)


@pytest.mark.parametrize("turns", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("name", list(ACTIVATIONS))
def test_fused_products_of_matrices(name: str, turns: tuple[int, int]) -> None:
    first, second = (*ACTIVATIONS[name], 0.0, 0.0)[:2]
    a, b = _normal(*[(3, 4), (4, 3)][turns[0]]), _normal(*[(4, 5), (5, 4)][turns[1]])
    fused = {"activation": name, "activation_alpha": first, "activation_beta": second}
    fused |= {"domain": MICROSOFT, "transA": turns[0], "transB": turns[1], "alpha": 0.6}
    for bias in ([], [_normal(5)], [_normal(3, 1)], [_normal(3, 5)]):
        _check("FusedGemm", [a, b, *bias], 1, **fused, beta=0.7)


def test_fused_products_with_a_falling_slope() -> None:
    fused = {"activation": "LeakyRelu", "activation_alpha": -0.5, "transB": 1, "alpha": 0.6}
    arrays = [_normal(3, 4), _normal(5, 4), _normal(5)]
    _check("FusedGemm", arrays, 1, domain=MICROSOFT, **fused)


def test_unknown_activations_have_no_gradient() -> None:
    x, w = _normal(1, 2, 4), _normal(2, 2, 3)
    gradient = find_standard_gradient("FusedConv", MICROSOFT)
    assert gradient is not None
    run = Recorded((x, w), (_normal(1, 2, 2),), (_normal(1, 2, 2),), frozenset((0, 1)))
    with pytest.raises(ShapeError, match="unknown activation"):
        gradient(run, {"activation": "Sine"})


@pytest.mark.parametrize(
    ("dims", "attributes"),
    [
        (((3, 4), (4, 5)), {}),
        (((4, 3), (5, 4)), {"transA": 1, "transB": 1, "alpha": 0.4}),
        (((2, 3, 4), (4, 5)), {"alpha": -2.0}),
        (((2, 1, 4, 3), (3, 4, 5)), {"transA": 1}),
        (((3, 2, 4), (2, 5, 4)), {"transBatchA": 1, "transB": 1, "alpha": 1.5}),
        (((3, 2, 4), (4, 2, 5)), {"transBatchA": 1, "transBatchB": 1}),
        (((4, 2, 3), (5, 2, 4)), {"transBatchA": 1, "transA": 1, "transBatchB": 1, "transB": 1}),
        (((4,), (2, 4, 5)), {"transA": 1}),
        (((2, 3, 4), (4,)), {"transB": 1, "alpha": 0.3}),
    ],
)
def test_fused_products_of_stacks(
    dims: tuple[tuple[int, ...], ...], attributes: dict[str, Any]
) -> None:
    arrays = [_normal(*each, seed=seed) for seed, each in enumerate(dims)]
    _check("FusedMatMul", arrays, 1, domain=MICROSOFT, **attributes)


@pytest.mark.parametrize("dims", [(2, 3, 4), (1, 3, 4), (3, 4)])
@pytest.mark.parametrize("nb_outputs", [1, 3, 4])
def test_normalized_sums(nb_outputs: int, dims: tuple[int, ...]) -> None:
    x, skip, gamma, bias = _normal(2, 3, 4), _normal(*dims, seed=1), _normal(4), _normal(4, seed=1)
    beta = _normal(4, seed=2)
    more: dict[str, Any] = {"domain": MICROSOFT}
    for last in ([], [beta], [None, bias], [beta, bias]):
        _check("SkipLayerNormalization", [x, skip, gamma, *last], nb_outputs, **more)
    _check("SkipLayerNormalization", [x, skip, gamma, beta], nb_outputs, epsilon=0.3, **more)
    for last in ([], [bias]):
        arrays = [x, skip, gamma, *last]
        _check("SkipSimplifiedLayerNormalization", arrays, nb_outputs, **more)
        _check("SkipSimplifiedLayerNormalization", arrays, nb_outputs, epsilon=0.3, **more)


WORDS = np.array([[1, 4, 2], [0, 4, 4]])
EMBEDDED = [_normal(5, 4), _normal(6, 4), _normal(2, 4), 1 + _normal(4), _normal(4, seed=1)]


@pytest.mark.parametrize("nb_outputs", [1, 2, 3])
@pytest.mark.parametrize("places", [None, np.array([[5, 0, 5]]), np.array([[5, 0, 5], [1, 0, 3]])])
def test_normalized_embeddings(places: Array | None, nb_outputs: int) -> None:
    """Words, places and segments that are met several times gather all that comes back."""
    words, place, segment, *affine = EMBEDDED
    mask = np.ones((2, 3), np.int32)
    more: dict[str, Any] = {"domain": MICROSOFT, "epsilon": 0.1}
    whole = [WORDS, WORDS % 2, words, place, segment, *affine, mask, places]
    _check("EmbedLayerNormalization", whole, nb_outputs, **more)
    without = [WORDS, None, words, place, None, *affine, None, places]
    _check("EmbedLayerNormalization", without, nb_outputs, **more)
    unused = [WORDS, None, words, place, segment, *affine, None, places]
    _check("EmbedLayerNormalization", unused, nb_outputs, **more)


PADDING = {
    "none": None,
    "lengths": np.array([5, 3]),
    "from and to": np.array([5, 4, 1, 0]),
    "mask": np.array([[1, 1, 0, 1, 1], [1, 1, 1, 0, 0]]),
    "mask of pairs": np.arange(30).reshape(2, 3, 5) % 4 > 0,
}


@pytest.mark.parametrize("padding", list(PADDING))
@pytest.mark.parametrize("causal", [0, 1])
def test_attention_of_what_is_projected_already(causal: int, padding: str) -> None:
    arrays = [_normal(2, 3, 8), _normal(2, 5, 8), _normal(2, 5, 12)]
    more: dict[str, Any] = {"domain": MICROSOFT, "num_heads": 4, "unidirectional": causal}
    mask = PADDING[padding]
    _check("MultiHeadAttention", [*arrays, None, mask], 1, **more)
    for dims in ((2, 4, 3, 5), (1, 4, 3, 5), (2, 1, 3, 5)):
        whole = [*arrays, _normal(28), mask, _normal(*dims)]
        _check("MultiHeadAttention", whole, 1, scale=0.4, mask_filter_value=-2.0, **more)


@pytest.mark.parametrize("padding", list(PADDING))
@pytest.mark.parametrize("causal", [0, 1])
def test_attention_with_its_projection(causal: int, padding: str) -> None:
    more: dict[str, Any] = {"domain": MICROSOFT, "num_heads": 2, "unidirectional": causal}
    x, weights, bias, mask = _normal(2, 5, 6), _normal(6, 12), _normal(12), PADDING[padding]
    if padding != "mask of pairs":  # that is of fewer queries
        _check("Attention", [x, weights, bias, mask], 2, **more)
    sizes, past = (4, 4, 4), _normal(2, 2, 2, 2, 2)
    whole = [x[:, :3], weights, bias, mask, past, _normal(1, 2, 3, 5)]
    _check("Attention", whole, 2, qkv_hidden_sizes=sizes, scale=0.4, **more)
    whole = [x[:, :3], weights, None, None, None, _normal(2, 1, 3, 3)]
    for nb_outputs in (1, 2):
        _check("Attention", whole, nb_outputs, qkv_hidden_sizes=(2, 2, 8), **more)


def test_what_dropout_kept() -> None:
    x, training = _normal(3, 4), np.array(True)
    _check("Dropout", [x], 2, opset=10)
    _check("Dropout", [x, None, training], 2, ratio=0.4, seed=3)
    gradient = find_standard_gradient("Dropout")
    assert gradient is not None
    with pytest.raises(ShapeError, match="output#1: it is not known what was kept"):
        gradient(Recorded((x, None, training), (x,), (x,), frozenset((0,))), {})


NOTHING: dict[str, list[Any]] = {
    "GridSample": [_normal(2, 3, 4, 5), _normal(2, 0, 3, 2)],
    "RoiAlign": [_normal(1, 3, 4, 5), _normal(0, 4), np.zeros(0, np.int64)],
    "DeformConv": [_normal(0, 3, 4, 5), _normal(2, 3, 2, 2), _normal(0, 8, 3, 4)],
    "CausalConvWithState": [_normal(2, 3, 0), _normal(3, 1, 3), None, _normal(2, 3, 2)],
}


@pytest.mark.parametrize("op_type", list(NOTHING))
def test_nothing_goes_back_to_no_places(op_type: str) -> None:
    _check(op_type, NOTHING[op_type], 1)


def test_deformed_windows_of_a_row() -> None:
    x, w, offset = _normal(2, 3, 8), _normal(2, 3, 3), _normal(2, 3, 6)
    _check("DeformConv", [x, w, offset, None, _normal(2, 3, 6)], 1)


@pytest.mark.parametrize("activation", ["none", "silu", "swish"])
@pytest.mark.parametrize("length", [1, 5])
@pytest.mark.parametrize("width", [1, 2, 4])
def test_convolutions_with_the_past(width: int, length: int, activation: str) -> None:
    x, w, bias = _normal(2, 3, length), _normal(3, 1, width), _normal(3)
    past = _normal(2, 3, width - 1)
    _check("CausalConvWithState", [x, w, bias, past], 2, activation=activation)
    _check("CausalConvWithState", [x, w], 1, activation=activation)


@pytest.mark.parametrize("per_key", [False, True], ids=["a head", "a key"])
@pytest.mark.parametrize("rule", ["linear", "gated", "delta", "gated_delta"])
@pytest.mark.parametrize("heads", [2, 4])
def test_linear_attention(heads: int, rule: str, per_key: bool) -> None:
    """Rules that do not read the decay or the rates give them zeros."""
    more = [-np.abs(_normal(2, 3, 2 * (5 if per_key else 1))), _normal(2, 3, 2)]
    attributes = {"q_num_heads": heads, "kv_num_heads": 2, "update_rule": rule}
    flat = [_normal(2, 3, heads * 5), _normal(2, 3, 10), _normal(2, 3, 8)]
    _check("LinearAttention", [*flat, _normal(2, 2, 5, 4), *more], 2, scale=0.3, **attributes)
    _check("LinearAttention", [*flat, None, *more], 1, **attributes)


def test_linear_attention_with_heads_apart_and_one_rate() -> None:
    arrays = [_normal(2, 4, 3, 5), _normal(2, 2, 3, 5), _normal(2, 2, 3, 4), None, None]
    attributes = {"q_num_heads": 4, "kv_num_heads": 2, "update_rule": "delta"}
    _check("LinearAttention", [*arrays, _normal(2, 3, 1)], 2, **attributes)


WITHOUT: dict[str, set[str]] = {
    "whole numbers, truth values, positions": {
        *("QuantizeLinear", "DequantizeLinear", "DynamicQuantizeLinear", "MatMulInteger"),
        *("ConvInteger", "QLinearConv", "QLinearMatMul", "BitCast", "NonMaxSuppression"),
        *("Binarizer", "LabelEncoder", "TreeEnsemble", "ArrayFeatureExtractor"),
        *("MatMulIntegerToFloat", "DynamicQuantizeMatMul", "QAttention", "QGemm", "QLinearAdd"),
        *("QLinearAveragePool", "QLinearConcat", "QLinearGlobalAveragePool", "QLinearLeakyRelu"),
        *("QLinearMul", "QLinearSigmoid", "Unique"),
    },
    "random": {
        *("Bernoulli", "Multinomial", "RandomNormal", "RandomNormalLike", "RandomUniform"),
        "RandomUniformLike",
    },
    "no numbers": {
        *("RegexFullMatch", "StringConcat", "StringNormalizer", "StringSplit", "TfIdfVectorizer"),
        *("ImageDecoder", "MelWeightMatrix"),
    },
    "graphs inside, and sequences of tensors: refused by name": {
        *("If", "Loop", "Scan", "Optional", "OptionalGetElement", "OptionalHasElement"),
        *("ConcatFromSequence", "SequenceAt", "SequenceConstruct", "SequenceEmpty"),
        *("SequenceErase", "SequenceInsert", "SequenceLength", "SplitToSequence"),
    },
}
"""Functions without a gradient, and why."""


def test_every_function_has_a_gradient_or_stands_on_the_list() -> None:
    find_standard_kernel("LSTM")
    listed = set().union(*WITHOUT.values())
    found = {key for key in registry._KERNELS if find_standard_gradient(key[1], key[0])}
    assert {name for _, name in set(registry._KERNELS) - found} == listed
    assert not listed & {name for _, name in found}
