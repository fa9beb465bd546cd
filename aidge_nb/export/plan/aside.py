"""Compute a node as a whole on copies, where nothing computes it in parts.

What is scattered is copied into working memory, in one piece; the calls of the whole node work
there, and results are copied to where they lie. It costs working memory as large as those operands,
which the program names like any other.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from aidge_nb.export.plan.by_parts import (
    ALIGNMENT,
    ByParts,
    Operands,
    PartOperand,
    PartRun,
    as_it_lies,
    behind,
)
from aidge_nb.export.plan.strided import Strided
from aidge_nb.kernels.c import CCall


def as_a_whole(calls: tuple[CCall, ...], operands: Operands) -> ByParts:
    """Return the one part of a node that is all of it; ``calls`` compute it on arrays."""
    size = 0

    def whole(lies: Strided, *, copied: bool) -> PartOperand:
        nonlocal size
        if not copied:
            return PartOperand(lies, 0, ())
        size += -(-lies.nbytes // ALIGNMENT) * ALIGNMENT
        return PartOperand(lies, 0, (), size - -(-lies.nbytes // ALIGNMENT) * ALIGNMENT)

    inputs = {}
    for index, lies in operands.inputs.items():
        there = as_it_lies(calls, index, lies) if index in operands.moving else calls
        inputs[index] = whole(lies, copied=there is None)
        calls = there or calls
    over = operands.runs_over
    results: Mapping[int, Strided] = {0: operands.output, **operands.more}
    outputs = {
        index: whole(lies, copied=over or not lies.is_array) for index, lies in results.items()
    }
    own = tuple(behind(call, size) for call in calls)
    first = outputs.pop(0)
    return ByParts((replace(PartRun((), inputs, first, own), others=outputs),))
