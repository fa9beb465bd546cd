"""The stack that an exported program takes, before it is compiled."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.export.boards.targets import ExportTarget
from aidge_nb.export.plan.parts import KernelCall, ProgramLoop, Step
from aidge_nb.kernels.c.stack import stack_of

FORWARD = 192
"""Bytes of the forward function itself: its loops' counters, and what calls hand over."""


def stack_bytes(
    steps: Iterable[Step | ProgramLoop], target: ExportTarget
) -> tuple[tuple[str, int], ...]:
    """Return the bytes of stack that a call of the forward function takes at most, by compiler.

    It is the sum of its own and of the kernel that takes most, whatever the optimization; see
    :mod:`aidge_nb.kernels.c.stack`. Interrupts come on top.

    Examples
    --------
    >>> from aidge_nb.export.boards.targets import find_target
    >>> stack_bytes([], find_target("host"))
    (('gcc', 192), ('clang', 192))
    """
    figures = [stack_of(function) for function in set(_functions(steps))]
    if not target.is_host:
        return (("gcc", FORWARD + max((each.cortex_m for each in figures), default=0)),)
    gcc = max((each.gcc for each in figures), default=0)
    clang = max((each.clang for each in figures), default=0)
    return ("gcc", FORWARD + gcc), ("clang", FORWARD + clang)


def _functions(steps: Iterable[Step | ProgramLoop]) -> Iterable[str]:
    for item in steps:
        if isinstance(item, ProgramLoop):
            yield from _functions(item.body)
        else:
            yield from (
                action.function for action in item.actions if isinstance(action, KernelCall)
            )
