"""Operators whose fast kernels are exact already, each named here on purpose.

They move data, compute with integers or truth values, or apply one IEEE operation to each element,
so that nothing is left to choose.
"""

from __future__ import annotations

from aidge_nb.graph.spec import OpSpec
from aidge_nb.ops import (
    activation,
    arithmetic,
    indexing,
    maths,
    normalization,
    producer,
    reduction,
    resampling,
    sequence,
    shape,
    slicing,
)

SINGLE_OPERATIONS: tuple[OpSpec, ...] = (
    *(arithmetic.ADD, arithmetic.SUB, arithmetic.MUL, arithmetic.DIV, arithmetic.MOD),
    *(arithmetic.SUM, arithmetic.MEAN),  # from left to right
    *(maths.ABS, maths.NEG, maths.SIGN, maths.FLOOR, maths.CEIL, maths.ROUND),
    *(maths.SQRT, maths.RECIPROCAL),
    activation.PRELU,
)
SUMS_IN_ORDER: tuple[OpSpec, ...] = (
    resampling.RESIZE,  # axis after axis, tap after tap; the weights are float32
    resampling.FOLD,  # tap after tap
)
TRUTH_AND_BITS: tuple[OpSpec, ...] = (
    *(arithmetic.EQUAL, arithmetic.GREATER, arithmetic.GREATER_OR_EQUAL),
    *(arithmetic.LESS, arithmetic.LESS_OR_EQUAL),
    *(arithmetic.AND, arithmetic.OR, arithmetic.XOR, arithmetic.WHERE),
    *(arithmetic.BITWISE_AND, arithmetic.BITWISE_OR, arithmetic.BITWISE_XOR),
    *(arithmetic.BIT_SHIFT, maths.NOT, maths.BITWISE_NOT, maths.IS_NAN, maths.IS_INF),
)
PLACES: tuple[OpSpec, ...] = (
    *(reduction.ARG_MAX, reduction.ARG_MIN, reduction.TOP_K, normalization.HARDMAX),
)
MOVES: tuple[OpSpec, ...] = (
    *(producer.CONSTANT_OF_SHAPE, producer.RANGE, producer.EYE_LIKE),
    *(shape.RESHAPE, shape.FLATTEN, shape.SQUEEZE, shape.UNSQUEEZE, shape.TRANSPOSE),
    *(shape.IDENTITY, shape.DROPOUT, shape.EXPAND, shape.SHAPE, shape.SIZE),
    *(slicing.SLICE, slicing.CONCAT, slicing.SPLIT, slicing.PAD, slicing.TILE, slicing.TRILU),
    *(indexing.GATHER, indexing.GATHER_ELEMENTS, indexing.GATHER_ND, indexing.ONE_HOT),
    *(indexing.NON_ZERO, indexing.COMPRESS, indexing.SCATTER, indexing.SCATTER_ND),
    *(resampling.DEPTH_TO_SPACE, resampling.SPACE_TO_DEPTH, resampling.UNFOLD),
    sequence.SELECT,
)
SHARED: tuple[OpSpec, ...] = (*SINGLE_OPERATIONS, *SUMS_IN_ORDER, *TRUTH_AND_BITS, *PLACES, *MOVES)
"""Every operator for which ``exact`` takes the kernel of ``cpu``."""
