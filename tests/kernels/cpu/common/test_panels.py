"""Every element of a product is summed in the same order, whatever is computed beside it."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import DTypeLike, NDArray

from aidge_nb.kernels.cpu.common.panels import multiply

TERMS = (1, 2, 9, 27, 64, 300, 576, 1500, 2304, 4608)


def product(rows: NDArray[np.floating], columns: NDArray[np.floating]) -> NDArray[np.floating]:
    out = np.full((rows.shape[0], rows.shape[1], columns.shape[-1]), np.nan, rows.dtype)
    multiply(rows, columns, out)
    return out


@pytest.mark.parametrize("terms", TERMS)
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_a_part_of_a_product_has_the_bits_of_the_whole(terms: int, dtype: DTypeLike) -> None:
    random = np.random.default_rng(terms)
    rows = random.standard_normal((2, 37, terms)).astype(dtype)
    columns = random.standard_normal((2, terms, 150)).astype(dtype)
    whole = product(rows, columns)
    np.testing.assert_allclose(whole, rows @ columns, rtol=1e-3, atol=1e-3)
    for _ in range(20):
        first, last = np.sort(random.choice(151, 2, replace=False))
        top, bottom = np.sort(random.choice(38, 2, replace=False))
        part = product(rows[:, top:bottom], columns[..., first:last])
        assert np.array_equal(part, whole[:, top:bottom, first:last]), (top, bottom, first, last)


def test_integers_and_stacks() -> None:
    random = np.random.default_rng(0)
    rows, columns = random.integers(-9, 9, (3, 5, 7)), random.integers(-9, 9, (2, 3, 7, 40))
    out = np.empty((2, 3, 5, 40), np.int64)
    multiply(rows, columns, out)
    assert np.array_equal(out, rows @ columns)
    stacked = np.empty(out.shape, np.float32)
    multiply(rows.astype(np.float32), columns.astype(np.float32), stacked)
    assert np.array_equal(stacked, out)
