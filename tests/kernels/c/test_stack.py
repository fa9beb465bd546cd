"""The table of stacks: every kernel is in it, and no compiler makes more of one."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from aidge_nb.kernels.c.headers import all_units
from aidge_nb.kernels.c.stack import stack_table
from tests.kernels.c.stack_usage import CORTEX_M, HOST, measure

_DECLARED = re.compile(r"^void (nb_\w+)\(const", re.MULTILINE)


def test_every_kernel_is_in_the_table() -> None:
    declared = {name for unit in all_units() for name in _DECLARED.findall(unit.header)}
    assert len(declared) > 50
    assert declared <= set(stack_table()), "python -m tests.kernels.c.stack_usage"


@pytest.mark.slow
@pytest.mark.parametrize("command", [HOST[0], HOST[3], HOST[7], CORTEX_M[1], CORTEX_M[-2]])
def test_no_compiler_makes_more_of_a_kernel_than_the_table_says(
    command: str, need_tools: Callable[..., None]
) -> None:
    need_tools(command.split()[0], "gcc")
    is_host = not command.startswith("arm")
    table = stack_table()
    more = {
        function: size
        for function, size in measure(command).items()
        if size > (table[function].host if is_host else table[function].cortex_m)
    }
    assert not more, "python -m tests.kernels.c.stack_usage"
