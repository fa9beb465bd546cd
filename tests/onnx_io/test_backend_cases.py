"""The node tests that the ``onnx`` package brings, for every operator of the standard.

What does not pass yet is in the list of known gaps below, operator by operator, with the reason.
An operator that starts to pass has to leave the list.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb.errors import AidgeError
from aidge_nb.onnx_io import load_onnx

pytestmark = pytest.mark.slow

GAPS: dict[str, str] = {
    "Adagrad": "training",
    "Adam": "training",
    "AffineGrid": "rare in networks for small machines",
    "ArrayFeatureExtractor": "classical machine learning",
    "Attention": "one operator for what models write as several",
    "Bernoulli": "random values",
    "Binarizer": "classical machine learning",
    "BitCast": "rare in networks for small machines",
    "BlackmanWindow": "signal processing",
    "CausalConvWithState": "one operator for what models write as several",
    "CenterCropPad": "rare in networks for small machines",
    "Col2Im": "rare in networks for small machines",
    "ConvInteger": "quantization",
    "CumProd": "rare in networks for small machines",
    "DFT": "signal processing",
    "DeformConv": "rare in networks for small machines",
    "DequantizeLinear": "quantization",
    "Det": "rare in networks for small machines",
    "DynamicQuantizeLinear": "quantization",
    "FlexAttention": "one operator for what models write as several",
    "GridSample": "rare in networks for small machines",
    "HammingWindow": "signal processing",
    "HannWindow": "signal processing",
    "If": "control flow that depends on data",
    "ImageDecoder": "rare in networks for small machines",
    "LabelEncoder": "text",
    "LayerNormalization": "the tests want its statistics as outputs, too",
    "LinearAttention": "one operator for what models write as several",
    "Loop": "control flow that depends on data",
    "LpPool": "rare in networks for small machines",
    "MatMulInteger": "quantization",
    "MaxUnpool": "rare in networks for small machines",
    "MeanVarianceNormalization": "one operator for what models write as several",
    "MelWeightMatrix": "signal processing",
    "Momentum": "training",
    "NegativeLogLikelihoodLoss": "training",
    "NonMaxSuppression": "output dims that depend on data",
    "OptionalGetElement": "optional values",
    "OptionalHasElement": "optional values",
    "QLinearConv": "quantization",
    "QLinearMatMul": "quantization",
    "QuantizeLinear": "quantization",
    "RNN": "rare in networks for small machines",
    "RegexFullMatch": "text",
    "ReverseSequence": "rare in networks for small machines",
    "RoiAlign": "rare in networks for small machines",
    "RotaryEmbedding": "one operator for what models write as several",
    "STFT": "signal processing",
    "Scan": "control flow that depends on data",
    "Shrink": "rare in networks for small machines",
    "SoftmaxCrossEntropyLoss": "training",
    "StringConcat": "text",
    "StringNormalizer": "text",
    "StringSplit": "text",
    "SwiGLU": "one operator for what models write as several",
    "TensorScatter": "one operator for what models write as several",
    "TfIdfVectorizer": "text",
    "TreeEnsemble": "classical machine learning",
    "Unique": "output dims that depend on data",
}
"""Operators that no node test passes for, and why."""

CASES: dict[str, str] = {
    "test_lstm_with_peepholes": "peepholes",
    "test_lstm_reverse": "more than one direction",
    "test_lstm_bidirectional": "more than one direction",
    "test_lstm_batchwise": "batch first",
    "test_gru_reverse": "more than one direction",
    "test_gru_bidirectional": "more than one direction",
    "test_gru_batchwise": "batch first",
    "test_averagepool_2d_ceil_last_window_starts_on_pad": "a window that starts in the padding",
    "test_batchnorm_epsilon_training_mode": "training",
    "test_batchnorm_example_training_mode": "training",
    "test_celu_bfloat16": "bfloat16 that is fed by the caller",
    "test_compress_bfloat16": "bfloat16 that is fed by the caller",
    "test_einsum_batch_matmul_bfloat16": "bfloat16 that is fed by the caller",
    "test_einsum_sum_bfloat16": "bfloat16 that is fed by the caller",
    "test_einsum_transpose_bfloat16": "bfloat16 that is fed by the caller",
    "test_maxpool_with_argmax_2d_precomputed_pads": "indices of padded pooling",
    "test_onehot_with_bfloat16_values": "bfloat16 that is fed by the caller",
    "test_range_bfloat16_type_positive_delta": "bfloat16 that is fed by the caller",
    "test_resize_downsample_scales_cubic_align_corners": "a size that scales do not divide",
    "test_resize_downsample_scales_linear_align_corners": "a size that scales do not divide",
    "test_spacetodepth_crd_mode_example": "the order that opset 28 added",
}
"""Single tests of covered operators that do not pass, and why."""

PARAMETERS = frozenset("WRB")
"""Inputs that have to be constant here: the weights of recurrent layers."""

LOOSE = {"float16": 2e-3}


def cases() -> Iterator[Any]:
    from onnx.backend.test.case.node import collect_testcases

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield from collect_testcases(None)


def loaded(case: Any, constants: dict[str, Any]) -> aidge_nb.GraphView:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return load_onnx(case.model, constants=constants)


def passes(case: Any) -> bool:
    """Tell whether a case loads without generic operators and gives the right values."""
    data, expected = case.data_sets[0]
    fed = dict(zip((value.name for value in case.model.graph.input), data, strict=False))
    view = loaded(case, {})
    if view.annotations["onnx.report"].generic:
        view = loaded(case, {name: fed[name] for name in PARAMETERS & fed.keys()})
    if view.annotations["onnx.report"].generic:
        return False
    view.set_backend("cpu")
    scheduler = aidge_nb.SequentialScheduler(view)
    try:
        results = scheduler.forward(
            data=[np.asarray(fed[value.name]) for value in view.annotations["onnx"].inputs]
        )
        return all(
            equal(result.array, np.asarray(wanted))
            for result, wanted in zip(results, expected, strict=True)
        )
    except AidgeError:
        return False


def equal(found: Any, wanted: Any) -> bool:
    if found.shape != wanted.shape or found.dtype != wanted.dtype:
        return False
    if found.dtype.kind not in "fc":
        return bool((found == wanted).all())
    tolerance = LOOSE.get(found.dtype.name, 1e-5)
    return bool(np.allclose(found, wanted, rtol=tolerance, atol=tolerance, equal_nan=True))


def is_about_tensors(case: Any) -> bool:
    data, expected = case.data_sets[0]
    return all(isinstance(each, (np.ndarray, np.generic)) for each in (*data, *expected))


def test_node_tests_pass_but_for_the_known_gaps(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.CRITICAL, logger="aidge_nb")
    passed: dict[str, list[str]] = {}
    failed: dict[str, list[str]] = {}
    for case in cases():
        if not is_about_tensors(case) or "expanded" in case.name:
            continue
        (op_type,) = {node.op_type for node in case.model.graph.node[-1:]}
        (passed if passes(case) else failed).setdefault(op_type, []).append(case.name)
    uncovered = {op_type for op_type in failed if op_type not in passed}
    single = {name for op_type, names in failed.items() if op_type in passed for name in names}
    assert uncovered == set(GAPS)
    assert single == set(CASES)
