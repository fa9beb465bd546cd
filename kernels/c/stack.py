"""How much stack the kernels take: the figures of a table, ``stack.csv``, that was measured.

For each function the table has the most that was made of it, with all that it calls: by GCC and by
Clang on the host, from ``-O0`` to ``-O3``, without and with vectors of 256 and 512 bits, and for
the processor at which it was measured; by GCC on the Cortex-M3, M4, M7 and M55.
``python -m tests.kernels.c.stack_usage`` writes it, and tests hold it against the compilers.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

OWN = 1024
"""Bytes that a kernel of the user's own is taken to need, for nobody has measured it."""

COLUMNS = ("gcc", "clang", "cortex_m")


@dataclass(frozen=True, slots=True)
class StackUsage:
    """Bytes of stack that a call takes at most: on the host, and on a microcontroller."""

    gcc: int
    clang: int
    cortex_m: int

    @property
    def host(self) -> int:
        """Stack that a call takes on the host with either compiler."""
        return max(self.gcc, self.clang)


@cache
def stack_table() -> Mapping[str, StackUsage]:
    """Return the whole table, by function."""
    path = Path(__file__).with_name("stack.csv")
    with path.open(encoding="utf-8", newline="") as file:
        return {
            row["function"]: StackUsage(*(int(row[name]) for name in COLUMNS))
            for row in csv.DictReader(file)
        }


def stack_of(function: str) -> StackUsage:
    """Return the stack of one function; :data:`OWN` for one that is not in the table.

    Examples
    --------
    >>> stack_of("nb_relu_f32").host < 1024
    True
    >>> stack_of("mine")
    StackUsage(gcc=1024, clang=1024, cortex_m=1024)
    """
    return stack_table().get(function, StackUsage(OWN, OWN, OWN))
