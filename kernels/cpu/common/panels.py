"""Products of matrices in panels of one size, so that an element has one order of summation.

A BLAS chooses its kernel, and with it the order in which the terms of a sum are added, by the
dimensions of the whole product and by the place of an element in it. A convolution that is cut
into tiles would then differ from the whole one in the last bits. Here every product that reaches
the BLAS has eight rows, and as many columns as its number of terms allows; missing ones are filled
with zeros. Within these all elements are summed alike by its kernels, whatever else is computed
beside them (tests/kernels/cpu/common/test_panels.py checks the BLAS at hand).

Reference: K. Goto and R. van de Geijn, Anatomy of High-Performance Matrix Multiplication, 2008.
"""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array

_ROWS = 8
_WORK = 1 << 18  # products in a panel: with more a BLAS would start its threads for each


def multiply(rows: Array, columns: Array, out: Array) -> None:
    """Write ``rows`` times ``columns`` into ``out``, each element summed in the same order.

    Dimensions: rows ``[group, rows, terms]``, columns ``[..., group, terms, columns]`` and out
    ``[..., group, rows, columns]``, of one type.

    Examples
    --------
    >>> import numpy as np
    >>> out = np.empty((1, 2, 3), np.float32)
    >>> multiply(np.ones((1, 2, 4), np.float32), np.ones((1, 4, 3), np.float32), out)
    >>> out.tolist()
    [[[4.0, 4.0, 4.0], [4.0, 4.0, 4.0]]]
    """
    if out.dtype.kind != "f":  # sums of integers have no order
        np.matmul(rows, columns, out=out)
        return
    rows = np.ascontiguousarray(rows)
    count, width = columns.shape[-1], _width(rows.shape[-1])
    whole = count - count % width
    if whole:
        _multiply_whole(rows, columns[..., :whole], out[..., :whole])
    if count > whole:
        last = np.zeros((*columns.shape[:-1], width), out.dtype)
        last[..., : count - whole] = columns[..., whole:]
        result = np.empty((*out.shape[:-1], width), out.dtype)
        _multiply_whole(rows, last, result)
        out[..., whole:] = result[..., : count - whole]


def _width(terms: int) -> int:
    """Choose the columns of a panel, by the number of terms alone."""
    return next((width for width in (32, 16) if _ROWS * width * terms <= _WORK), 8)


def _multiply_whole(rows: Array, columns: Array, out: Array) -> None:
    """Multiply where the number of columns is one of whole panels."""
    groups, height, terms = rows.shape
    whole = height - height % _ROWS
    if whole:
        blocks = rows[:, :whole].reshape(groups, whole // _ROWS, _ROWS, terms)
        _multiply_blocks(blocks, columns, out[..., :whole, :])
    if height > whole:
        last = np.zeros((groups, 1, _ROWS, terms), out.dtype)
        last[:, 0, : height - whole] = rows[:, whole:]
        result = np.empty((*out.shape[:-2], _ROWS, out.shape[-1]), out.dtype)
        _multiply_blocks(last, columns, result)
        out[..., whole:, :] = result[..., : height - whole, :]


def _multiply_blocks(blocks: Array, columns: Array, out: Array) -> None:
    """Multiply blocks ``[group, block, rows, terms]``; views put each product in its place."""
    *outer, terms, count = columns.shape
    width = _width(terms)
    panels = columns.reshape(*outer, terms, count // width, width)
    places = out.reshape(*outer, blocks.shape[1], _ROWS, count // width, width)
    np.matmul(
        blocks[:, None],
        np.moveaxis(panels, -2, -3)[..., None, :, :],
        out=np.moveaxis(places, -2, -4),
    )
