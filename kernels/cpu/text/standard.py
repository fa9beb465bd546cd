"""Strings, and counts of words."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from itertools import pairwise

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.limits import need_room
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.standard import standard

_WINDOW_BYTES = 64
"""As many bytes are written in the time that one n-gram is looked up."""


def _strings(values: Sequence[object], dims: tuple[int, ...]) -> Array:
    result = np.empty(len(values), object)
    result[:] = values
    return result.reshape(dims)


@standard("StringConcat")
def string_concat(x: Array, y: Array) -> Array:
    """Join texts element by element."""
    return np.asarray(np.asarray(x, object) + np.asarray(y, object), object)


@standard("StringSplit", open_dims=True)
def string_split(
    x: Array, *, delimiter: str = "", maxsplit: int | None = None
) -> tuple[Array, ...]:
    """Cut texts at a delimiter; shorter lists are filled up with empty texts."""
    most = -1 if maxsplit is None else maxsplit
    parts = [text.split(delimiter or None, most) for text in x.flat]
    width = max(map(len, parts), default=0)
    filled = [word for words in parts for word in words + [""] * (width - len(words))]
    counts = np.array([len(words) for words in parts], np.int64).reshape(x.shape)
    return _strings(filled, (*x.shape, width)), counts


@standard("RegexFullMatch")
def regex_full_match(x: Array, *, pattern: str) -> Array:
    """Mark which texts match as a whole."""
    try:
        compiled = re.compile(pattern)
    except (re.error, RecursionError) as error:
        raise ShapeError.at("", f"bad pattern: {error}", found=pattern) from None
    found = [compiled.fullmatch(text) is not None for text in x.flat]
    return np.array(found, bool).reshape(x.shape)


@standard("StringNormalizer", open_dims=True)
def string_normalizer(
    x: Array,
    *,
    case_change_action: str = "NONE",
    is_case_sensitive: int = 0,
    locale: str = "",
    stopwords: Sequence[str] = (),
) -> Array:
    """Leave stop words out and change case; what is left empty is one empty text."""
    changes: dict[str, Callable[[str], str]] = {"LOWER": str.lower, "UPPER": str.upper}
    change = changes.get(case_change_action, str)
    fold: Callable[[str], str] = str if is_case_sensitive else str.lower
    stopped = set(map(fold, stopwords))
    kept = [change(text) for text in x.flat if fold(text) not in stopped]
    if not kept:
        return _strings([""], (1,) if x.ndim == 1 else (1, 1))
    return _strings(kept, (len(kept),) if x.ndim == 1 else (1, len(kept)))


@standard("TfIdfVectorizer")
def tf_idf_vectorizer(
    x: Array,
    *,
    max_gram_length: int,
    max_skip_count: int,
    min_gram_length: int,
    mode: str,
    ngram_counts: Sequence[int],
    ngram_indexes: Sequence[int],
    pool_int64s: Sequence[int] = (),
    pool_strings: Sequence[str] = (),
    weights: Sequence[float] = (),
) -> Array:
    """Count n-grams of a pool, with skips between their words."""
    grams = _grams(pool_strings or pool_int64s, ngram_counts)
    rows = x.reshape(1, -1) if x.ndim < 2 else x
    need_room((len(rows), max(ngram_indexes) + 1))
    longest = min(max_gram_length, len(ngram_counts), rows.shape[1])
    skips = min(max_skip_count + 1, rows.shape[1]) if longest > 1 else 1
    need_room((*rows.shape, max(longest, 0), skips), _WINDOW_BYTES)
    counts = np.zeros((len(rows), max(ngram_indexes) + 1), np.float32)
    for row, words in enumerate(rows.tolist()):
        for n in range(max(1, min_gram_length), longest + 1):
            for skip in range(min(max_skip_count + 1, len(words))) if n > 1 else (0,):
                span = (n - 1) * (skip + 1)
                for start in range(len(words) - span):
                    gram = tuple(words[start : start + span + 1 : skip + 1])
                    if gram in grams:
                        counts[row, ngram_indexes[grams[gram]]] += 1
    factors = np.ones(counts.shape[1], np.float32)
    for position, weight in zip(ngram_indexes, weights, strict=False):
        factors[position] = weight
    if mode == "IDF":
        counts = np.minimum(counts, 1) * factors
    elif mode == "TFIDF":
        counts = counts * factors
    return counts[0] if x.ndim < 2 else counts


def _grams(pool: Sequence[object], starts: Sequence[int]) -> dict[tuple[object, ...], int]:
    """Number the n-grams of a pool: first the words, then the pairs, and so on."""
    bounds = [0, *starts, len(pool)]
    if any(start > end for start, end in pairwise(bounds)):
        expected = f"ascending positions in a pool of {len(pool)}"
        raise ShapeError.at("", "bad ngram_counts", expected=expected, found=list(starts))
    found: dict[tuple[object, ...], int] = {}
    for n, (start, end) in enumerate(zip(starts, [*starts[1:], len(pool)], strict=True), 1):
        for place in range(start, end, n):
            found[tuple(pool[place : place + n])] = len(found)
    return found
