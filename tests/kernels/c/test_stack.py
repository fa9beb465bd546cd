"""The table of stacks: every kernel is in it, and no compiler makes more of one."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from aidge_nb.kernels.c.units import all_units, stack_table
from tests.kernels.c.stack_usage import CLANG, CORTEX_M, GCC, measure

_DECLARED = re.compile(r"^void (nb_\w+)\(const", re.MULTILINE)


def test_every_kernel_is_in_the_table() -> None:
    declared = {name for unit in all_units() for name in _DECLARED.findall(unit.header)}
    assert len(declared) > 50
    assert declared <= set(stack_table()), "python -m tests.kernels.c.stack_usage"


@pytest.mark.slow
@pytest.mark.parametrize("command", [GCC[0], GCC[3], CLANG[1], CORTEX_M[1], CORTEX_M[-2]])
def test_no_compiler_makes_more_of_a_kernel_than_the_table_says(
    command: str, need_tools: Callable[..., None]
) -> None:
    compiler = command.split()[0]
    need_tools(compiler, "gcc")
    column = "cortex_m" if compiler.startswith("arm") else compiler
    table = stack_table()
    found = measure(command)
    more = {f: size for f, size in found.items() if size > getattr(table[f], column)}
    assert not more, "python -m tests.kernels.c.stack_usage"
