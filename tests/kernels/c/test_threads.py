"""Threads share the turns of a loop: the bits are those of one thread, whatever their number."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from math import inf
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb.export import export
from aidge_nb.kernels.c import c_calls
from aidge_nb.kernels.c.adapters.channels_last import Finish
from aidge_nb.kernels.c.compiling import FLAGS, Program
from tests.kernels.c.codes_shapes import KINDS, layer_of
from tests.kernels.c.machine import compiled, differing, exact
from tests.kernels.c.test_channels_last import Case
from tests.kernels.c.test_codes_shapes import described
from tests.kernels.c.test_fuzz import numbers, run

WORTH = "-DNB_WORTH=1"
"""Layers of tests are small: with this all loops are shared."""

COUNTS = [3, *(pytest.param(count, marks=pytest.mark.slow) for count in (2, 7))]


def threads(count: int, *more: str) -> tuple[str, ...]:
    """Return the flags for so many threads."""
    return (*FLAGS, "-fopenmp", f"-DNB_THREADS={count}", *more)


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(("rows", "depth", "columns"), [(500, 17, 33), (257, 40, 5), (3, 64, 200)])
def test_products(
    need_tools: Callable[..., None], count: int, rows: int, depth: int, columns: int
) -> None:
    need_tools("gcc")
    arrays = [numbers(0, rows, depth), numbers(1, columns, depth), numbers(2, columns)]
    for given in (arrays, arrays[:2]):
        expected = exact("FC", *given)
        found = compiled("FC", given, expected, (1, 2), threads(count, WORTH))
        assert differing(found[0], expected[0]) == 0


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("groups", [1, 2])
def test_packed_convolutions(need_tools: Callable[..., None], count: int, groups: int) -> None:
    need_tools("gcc")
    attrs: dict[str, Any] = {"kernel_dims": [3, 3], "group": groups}
    arrays = [numbers(0, 2, 6, 9, 13), numbers(1, 140, 6 // groups, 3, 3), numbers(2, 140)]
    expected = exact("Conv2D", *arrays, **attrs)
    found = compiled("Conv2D", arrays, expected, (1, 2), threads(count, WORTH), **attrs)
    assert differing(found[0], expected[0]) == 0


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(
    ("ins", "outs", "kernel"),
    [(5, 150, 3), (24, 200, 1), (400, 200, 1), (64, 130, 3), (150, 150, 3)],
)
def test_channels_last(
    need_tools: Callable[..., None], count: int, ins: int, outs: int, kernel: int
) -> None:
    """Where weights stay near, pixels and rows are shared, else channels."""
    need_tools("gcc")
    pads = [kernel // 2] * 4
    node = (
        aidge_nb.PaddedConvDepthWise2D(outs, [kernel] * 2, padding_dims=pads)
        if ins == 150
        else aidge_nb.PaddedConv2D(ins, outs, [kernel] * 2, padding_dims=pads)
    )
    weight = numbers(1, outs, 1 if ins == 150 else ins, kernel, kernel)
    arrays: list[Any] = [numbers(0, 2, ins, 17, 19), weight, numbers(2, outs)]
    dims = run(node, arrays, "exact").shape
    finish = Finish(numbers(3, 2 * outs), True, 0.0, inf)
    case = Case(node, arrays, finish, numbers(4, *dims), True, True)
    assert differing(case.found(threads(count, WORTH)), case.expected()) == 0


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize("kind", KINDS)
def test_codes(need_tools: Callable[..., None], count: int, kind: str) -> None:
    """Threads fill columns of codes together, and share the channels that read them."""
    need_tools("gcc")
    for seed in range(30):
        (calls,), inputs, expected = described(layer_of(kind, seed), [None])
        found = np.full_like(expected, 77)
        Program(calls, threads(count, WORTH)).run(inputs, [found])
        assert differing(found, expected) == 0, seed


@pytest.mark.parametrize("count", COUNTS)
@pytest.mark.parametrize(("width", "stride"), [(3, 1), (37, 1), (40, 2), (5, 2), (9, 3)])
def test_depthwise(need_tools: Callable[..., None], count: int, width: int, stride: int) -> None:
    """Rows that are computed together reach into the next channel, not into another thread's."""
    need_tools("gcc")
    pads = [1] * 4
    node = aidge_nb.PaddedConvDepthWise2D(7, [3, 3], stride_dims=[stride] * 2, padding_dims=pads)
    arrays = [numbers(0, 2, 7, 6, width), numbers(1, 7, 1, 3, 3), numbers(2, 7)]
    expected = run(node, arrays, "exact")
    (call,) = c_calls(node)
    assert call.function == "nb_conv_depthwise_f32"
    for _ in range(5):
        found = np.full_like(expected, np.nan)
        Program((call,), threads(count, WORTH)).run(arrays, [found])
        assert differing(found, expected) == 0


PROGRAM = """
import re
from pathlib import Path
import numpy as np
import aidge_nb
from tests.kernels.c.machine import compiled, exact
from tests.kernels.c.test_threads import threads
arrays = [np.ones((1, 40, 30, 30), np.float32), np.ones((100, 40, 3, 3), np.float32)]
expected = exact("Conv2D", *arrays, kernel_dims=[3, 3])
for count, wanted in ((1, 0), (5, 4)):
    def running():
        return int(re.search(r"Threads:\\s+(\\d+)", Path("/proc/self/status").read_text())[1])
    before = running()
    compiled("Conv2D", arrays, expected, (1,), threads(count), kernel_dims=[3, 3])
    assert running() - before == wanted, (count, before, running())
"""


def test_threads_run_where_there_is_work_for_them(need_tools: Callable[..., None]) -> None:
    need_tools("gcc")
    if not Path("/proc/self/status").exists():
        pytest.skip("NOT RUN: the number of threads is not told here")
    root = Path(__file__).resolve().parents[3]
    ran = subprocess.run(
        [sys.executable, "-c", PROGRAM], cwd=root, capture_output=True, text=True, check=False
    )
    assert ran.returncode == 0, ran.stderr[-2000:]


def test_an_exported_program_gives_its_bits(
    tmp_path: Path, need_tools: Callable[..., None]
) -> None:
    need_tools("make", "gcc")
    graph = aidge_nb.zoo.load("mobilenet_v2", size=64)
    package = export(graph, tmp_path / "net")
    ran = package.run(compiler="gcc", extra="-fopenmp -DNB_THREADS=3 -DNB_WORTH=1")
    assert ran.differing_bits == 0
    assert np.isfinite(ran.outputs[0]).all()
