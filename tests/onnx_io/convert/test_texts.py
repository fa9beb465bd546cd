"""Operators on texts: what n-grams count, and attributes that ask for too much."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from aidge_nb import SequentialScheduler
from aidge_nb.core.errors import ShapeError
from aidge_nb.onnx_io import OnnxModel, load_onnx
from tests.onnx_io.convert.variants import compare, one_node

WORDS = {"x": np.array([[2, 3, 5, 2, 3], [5, 5, 2, 9, 5]], np.int64)}


def vectorizer(data: dict[str, Any], **changed: Any) -> OnnxModel:
    attributes: dict[str, Any] = {
        "ngram_counts": [0, 3],
        "ngram_indexes": [0, 1, 2, 3, 4],
        "pool_int64s": [2, 3, 5, 2, 3, 5, 2],
        "min_gram_length": 1,
        "max_gram_length": 2,
        "max_skip_count": 1,
        "mode": "TF",
    }
    return one_node("TfIdfVectorizer", 9, data, {}, ["x"], 1, {**attributes, **changed})


@pytest.mark.parametrize(
    "changed",
    [{}, {"mode": "IDF"}, {"max_skip_count": 0}, {"max_skip_count": 3}, {"min_gram_length": 2}],
)
def test_n_grams_are_counted_with_skips(changed: dict[str, Any]) -> None:
    compare(vectorizer(WORDS, **changed), WORDS)


@pytest.mark.parametrize(
    "counts", [[0, 1 << 62], [-(1 << 62), 3], [3, 0], [-1, 3], [0, 8]], ids=str
)
def test_n_grams_begin_within_their_pool(counts: list[int]) -> None:
    view = load_onnx(vectorizer(WORDS, ngram_counts=counts))
    with pytest.raises(ShapeError, match=r"node .*bad ngram_counts \(expected ascending positions"):
        view.forward_dims([[2, 5]])


def test_windows_are_counted_before_they_are_looked_up() -> None:
    words = {"x": np.zeros((1, 20_000), np.int64)}
    view = load_onnx(vectorizer(words, max_skip_count=1 << 40))
    assert not view.forward_dims([[1, 20_000]])


def test_a_pattern_that_is_nested_too_deeply_is_a_bad_one() -> None:
    texts = {"x": np.array(["a"], object)}
    pattern = "(" * 5000 + ")" * 5000
    model = one_node("RegexFullMatch", 20, texts, {}, ["x"], 1, {"pattern": pattern})
    view = load_onnx(model)
    view.set_backend("cpu")
    with pytest.raises(ShapeError, match=r"node \(RegexFullMatch\).*bad pattern"):
        SequentialScheduler(view).forward(data=[texts["x"]])
