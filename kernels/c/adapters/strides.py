"""Strides of tensors that are walked through together."""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.core.errors import ExportError, explain

MAX_RANK = 8  # as in nb_common.h

Ints = tuple[int, ...]


def row_major(dims: Sequence[int]) -> Ints:
    """Return the strides of a contiguous tensor, in elements.

    Examples
    --------
    >>> row_major((2, 3, 4))
    (12, 4, 1)
    """
    strides, step = [], 1
    for size in reversed(dims):
        strides.append(step)
        step *= size
    return tuple(reversed(strides))


def repeated(dims: Sequence[int], target: Sequence[int]) -> Ints:
    """Return the strides of a contiguous tensor that is repeated to the dimensions ``target``.

    Examples
    --------
    >>> repeated((3, 1), (2, 3, 4))
    (0, 1, 0)
    """
    dims = dims[max(0, len(dims) - len(target)) :]  # those in front have size 1
    missing = len(target) - len(dims)
    own = row_major(dims)
    return (0,) * missing + tuple(
        0 if size == 1 else step for size, step in zip(dims, own, strict=True)
    )


def joined(where: str, dims: Sequence[int], *strides: Sequence[int]) -> tuple[Ints, ...]:
    """Join neighbouring dimensions that all tensors go through alike, and drop those of size 1.

    Returns the dimensions, then the strides of each tensor; at least one dimension is left.

    Raises
    ------
    ExportError
        When more dimensions are left than the kernels can walk through.

    Examples
    --------
    >>> joined("", (2, 3, 4), (12, 4, 1), (0, 4, 1))
    ((2, 12), (12, 1), (0, 1))
    """
    if 0 in dims:
        return ((0,), *((0,) for _ in strides))
    kept: list[tuple[int, ...]] = []
    for size, *steps in zip(dims, *strides, strict=True):
        if size == 1:
            continue
        before = kept[-1] if kept else None
        if before and all(
            outer == inner * size for outer, inner in zip(before[1:], steps, strict=True)
        ):
            kept[-1] = (before[0] * size, *steps)
        else:
            kept.append((size, *steps))
    if not kept:
        kept = [(1, *(0 for _ in strides))]
    if len(kept) > MAX_RANK:
        raise ExportError(
            explain(where, "too many dimensions", expected=f"at most {MAX_RANK}", found=list(dims))
        )
    return tuple(zip(*kept, strict=True))
