"""How much stack the kernels take: the figures of a table, ``stack.csv``, that was measured.

For each function the table has the most that compilers made of it, with all that it calls: on the
host over GCC and Clang from ``-O0`` to ``-O3``, without and with vectors of 256 and 512 bits, and
for the processor at which it was measured; on a microcontroller over the Cortex-M3, M4, M7 and M55.
``python -m tests.kernels.c.stack_usage`` writes it, and tests hold it against the compilers.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

__all__ = ["OWN", "StackUsage", "stack_of", "stack_table"]

OWN = 1024
"""Bytes that a kernel of the user's own is taken to need, for nobody has measured it."""


@dataclass(frozen=True, slots=True)
class StackUsage:
    """Bytes of stack that a call takes at most: on the host, and on a microcontroller."""

    host: int
    cortex_m: int


@cache
def stack_table() -> Mapping[str, StackUsage]:
    """Give the whole table, by function."""
    path = Path(__file__).with_name("stack.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return {
            row["function"]: StackUsage(int(row["host"]), int(row["cortex_m"]))
            for row in csv.DictReader(file)
        }


def stack_of(function: str) -> StackUsage:
    """Give the stack of one function; :data:`OWN` for one that is not in the table.

    Examples
    --------
    >>> stack_of("nb_relu_f32").host < 1024
    True
    >>> stack_of("mine")
    StackUsage(host=1024, cortex_m=1024)
    """
    return stack_table().get(function, StackUsage(OWN, OWN))
