"""Operators of conditional graphs; those that keep state are in :mod:`aidge_nb.runtime`."""

from __future__ import annotations

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array, common
from aidge_nb.kernels.registry import kernel
from aidge_nb.ops.sequence import SELECT


@kernel(SELECT)
def select(choice: Array, *branches: Array) -> Array:
    """Return the branch that the first input names."""
    index = int(choice.reshape(-1)[0])
    if not 0 <= index < len(branches):
        expected = f"0 to {len(branches) - 1}"
        raise ShapeError.at("input#0", "this branch does not exist", expected=expected, found=index)
    return common(branches)[index].copy()
