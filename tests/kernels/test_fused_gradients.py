"""Gradients of what optimizers fuse, by finite differences."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.gradients import (
    Recorded,
    find_standard_gradient,
)
from tests.kernels.case import Array
from tests.kernels.standard_gradient import check, normal

IMAGE = normal(2, 3, 7, 6)


@pytest.mark.parametrize("op_type", ["Gelu", "BiasGelu", "FastGelu", "QuickGelu"])
def test_activations_of_optimizers(op_type: str) -> None:
    bias = {"BiasGelu": [normal(4)], "FastGelu": [normal(4)]}.get(op_type, [])
    more = {"alpha": 1.3} if op_type == "QuickGelu" else {}
    check(op_type, [normal(2, 3, 4), *bias], 1, domain="com.microsoft", **more)
    if op_type == "FastGelu":
        check(op_type, [normal(2, 3, 4)], 1, domain="com.microsoft")


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
    x, w, bias = normal(2, 4, 5, 6), 0.5 * normal(4, 2, 3, 2), normal(4)
    check("FusedConv", [x, w, bias, normal(2, 4, 3, 3)], 1, group=2, **fused, pads=(1, 0, 1, 1),
           strides=(2, 2))  # fmt: skip
    check("FusedConv", [x, w], 1, group=2, **fused, auto_pad="SAME_LOWER", dilations=(1, 2))


def test_fused_convolutions_of_broadcast_sums_and_falling_slopes() -> None:
    fused = {"domain": MICROSOFT, "activation": "LeakyRelu", "activation_params": (-0.5,)}
    arrays = [normal(2, 3, 6), normal(4, 3, 2), None, normal(1, 4, 1)]
    check("FusedConv", arrays, 1, **fused, strides=(2,), pads=(1, 1))
    check("FusedConv", [*arrays[:2], normal(4)], 1, **fused)


@pytest.mark.parametrize("turns", [(0, 0), (0, 1), (1, 0), (1, 1)])
@pytest.mark.parametrize("name", list(ACTIVATIONS))
def test_fused_products_of_matrices(name: str, turns: tuple[int, int]) -> None:
    first, second = (*ACTIVATIONS[name], 0.0, 0.0)[:2]
    a, b = normal(*[(3, 4), (4, 3)][turns[0]]), normal(*[(4, 5), (5, 4)][turns[1]])
    fused = {"activation": name, "activation_alpha": first, "activation_beta": second}
    fused |= {"domain": MICROSOFT, "transA": turns[0], "transB": turns[1], "alpha": 0.6}
    for bias in ([], [normal(5)], [normal(3, 1)], [normal(3, 5)]):
        check("FusedGemm", [a, b, *bias], 1, **fused, beta=0.7)


def test_fused_products_with_a_falling_slope() -> None:
    fused = {"activation": "LeakyRelu", "activation_alpha": -0.5, "transB": 1, "alpha": 0.6}
    arrays = [normal(3, 4), normal(5, 4), normal(5)]
    check("FusedGemm", arrays, 1, domain=MICROSOFT, **fused)


def test_unknown_activations_have_no_gradient() -> None:
    x, w = normal(1, 2, 4), normal(2, 2, 3)
    gradient = find_standard_gradient("FusedConv", MICROSOFT)
    assert gradient is not None
    run = Recorded((x, w), (normal(1, 2, 2),), (normal(1, 2, 2),), frozenset((0, 1)))
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
    arrays = [normal(*each, seed=seed) for seed, each in enumerate(dims)]
    check("FusedMatMul", arrays, 1, domain=MICROSOFT, **attributes)


@pytest.mark.parametrize("dims", [(2, 3, 4), (1, 3, 4), (3, 4)])
@pytest.mark.parametrize("nb_outputs", [1, 3, 4])
def test_normalized_sums(nb_outputs: int, dims: tuple[int, ...]) -> None:
    x, skip, gamma, bias = normal(2, 3, 4), normal(*dims, seed=1), normal(4), normal(4, seed=1)
    beta = normal(4, seed=2)
    more: dict[str, Any] = {"domain": MICROSOFT}
    for last in ([], [beta], [None, bias], [beta, bias]):
        check("SkipLayerNormalization", [x, skip, gamma, *last], nb_outputs, **more)
    check("SkipLayerNormalization", [x, skip, gamma, beta], nb_outputs, epsilon=0.3, **more)
    for last in ([], [bias]):
        arrays = [x, skip, gamma, *last]
        check("SkipSimplifiedLayerNormalization", arrays, nb_outputs, **more)
        check("SkipSimplifiedLayerNormalization", arrays, nb_outputs, epsilon=0.3, **more)


WORDS = np.array([[1, 4, 2], [0, 4, 4]])
EMBEDDED = [normal(5, 4), normal(6, 4), normal(2, 4), 1 + normal(4), normal(4, seed=1)]


@pytest.mark.parametrize("nb_outputs", [1, 2, 3])
@pytest.mark.parametrize("places", [None, np.array([[5, 0, 5]]), np.array([[5, 0, 5], [1, 0, 3]])])
def test_normalized_embeddings(places: Array | None, nb_outputs: int) -> None:
    """Words, places and segments that are met several times gather all that comes back."""
    words, place, segment, *affine = EMBEDDED
    mask = np.ones((2, 3), np.int32)
    more: dict[str, Any] = {"domain": MICROSOFT, "epsilon": 0.1}
    whole = [WORDS, WORDS % 2, words, place, segment, *affine, mask, places]
    check("EmbedLayerNormalization", whole, nb_outputs, **more)
    without = [WORDS, None, words, place, None, *affine, None, places]
    check("EmbedLayerNormalization", without, nb_outputs, **more)
    unused = [WORDS, None, words, place, segment, *affine, None, places]
    check("EmbedLayerNormalization", unused, nb_outputs, **more)


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
    arrays = [normal(2, 3, 8), normal(2, 5, 8), normal(2, 5, 12)]
    more: dict[str, Any] = {"domain": MICROSOFT, "num_heads": 4, "unidirectional": causal}
    mask = PADDING[padding]
    check("MultiHeadAttention", [*arrays, None, mask], 1, **more)
    for dims in ((2, 4, 3, 5), (1, 4, 3, 5), (2, 1, 3, 5)):
        whole = [*arrays, normal(28), mask, normal(*dims)]
        check("MultiHeadAttention", whole, 1, scale=0.4, mask_filter_value=-2.0, **more)


@pytest.mark.parametrize("padding", list(PADDING))
@pytest.mark.parametrize("causal", [0, 1])
def test_attention_with_its_projection(causal: int, padding: str) -> None:
    more: dict[str, Any] = {"domain": MICROSOFT, "num_heads": 2, "unidirectional": causal}
    x, weights, bias, mask = normal(2, 5, 6), normal(6, 12), normal(12), PADDING[padding]
    if padding != "mask of pairs":  # that is of fewer queries
        check("Attention", [x, weights, bias, mask], 2, **more)
    sizes, past = (4, 4, 4), normal(2, 2, 2, 2, 2)
    whole = [x[:, :3], weights, bias, mask, past, normal(1, 2, 3, 5)]
    check("Attention", whole, 2, qkv_hidden_sizes=sizes, scale=0.4, **more)
    whole = [x[:, :3], weights, None, None, None, normal(2, 1, 3, 3)]
    for nb_outputs in (1, 2):
        check("Attention", whole, nb_outputs, qkv_hidden_sizes=(2, 2, 8), **more)
