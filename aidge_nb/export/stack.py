"""The stack that an exported program takes, before it is compiled."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.export.plan import Call, Loop, Step
from aidge_nb.export.targets import Target
from aidge_nb.kernels.c.stack import stack_of

__all__ = ["FORWARD", "stack_bytes"]

FORWARD = 192
"""Bytes of the forward function itself: its loops' counters, and what calls hand over."""


def stack_bytes(steps: Iterable[Step | Loop], target: Target) -> int:
    """Give the bytes of stack that a call of the forward function takes at most.

    It is the sum of its own and of the kernel that takes most, whatever the compiler (GCC or Clang)
    and the optimization; see :mod:`aidge_nb.kernels.c.stack`. Interrupts come on top.

    Examples
    --------
    >>> from aidge_nb.export.targets import find_target
    >>> stack_bytes([], find_target("host")) == FORWARD
    True
    """
    figures = [stack_of(function) for function in set(_functions(steps))]
    sizes = [each.host if target.is_host else each.cortex_m for each in figures]
    return FORWARD + max(sizes, default=0)


def _functions(steps: Iterable[Step | Loop]) -> Iterable[str]:
    for item in steps:
        if isinstance(item, Loop):
            yield from _functions(item.body)
        else:
            yield from (action.function for action in item.actions if isinstance(action, Call))
