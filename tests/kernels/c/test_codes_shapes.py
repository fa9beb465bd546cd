"""Kernels of 8-bit codes: each way of computing them gives the bits of NumPy, of every shape.

A way is a target, whose weights lie in an order of their own, and what the compiler may use: the
instructions of a processor, or none but plain C.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import aidge_nb
from aidge_nb.kernels.c import CCall, c_calls
from aidge_nb.kernels.c.compiling import WARNINGS, Program, compile_units
from aidge_nb.kernels.c.units import units_named
from tests.kernels.c import test_strided as strided
from tests.kernels.c.codes_shapes import KINDS, CodedLayer, layer_of
from tests.kernels.c.machine import differing

Array = NDArray[Any]
BASE = ("-std=c11", "-ffp-contract=off")
VNNI = "-O2 -march=x86-64-v4 -mavx512vnni"
WAYS = (
    (None, VNNI),
    (None, "-O2 -march=x86-64-v3"),
    (None, "-O2"),
    ("cortex-m4", "-O2"),
    ("cortex-m55", "-O2"),
)
FUNCTIONS = {
    None: {"conv": "conv_wide", "depthwise": "depthwise_wide", "product": "product_wide"},
    "cortex-m4": {"conv": "conv_codes", "depthwise": "depthwise_codes", "product": "conv_codes"},
    "cortex-m55": {
        "conv": "conv_sixteen",
        "depthwise": "depthwise_sixteen",
        "product": "conv_sixteen",
    },
}
UNITS = (
    *("nb_conv_wide", "nb_depthwise_wide", "nb_product_wide"),
    *("nb_conv_codes", "nb_depthwise_codes", "nb_conv_sixteen", "nb_depthwise_sixteen"),
)
QUICK, ALL = 24, 2000


def lacking(flags: str) -> str:
    """Name what this machine lacks of the instructions that flags allow; empty when it is none."""
    try:
        found = Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        found = ""
    wanted = (("vnni", "avx512_vnni"), ("v3", "avx2"), ("v4", "avx512bw"))
    return " ".join(name for flag, name in wanted if flag in flags and name not in found)


@pytest.fixture(scope="module")
def ways(tmp_path_factory: pytest.TempPathFactory) -> Any:
    """Return a function that says how a compiler computes layers here; it compiles once."""
    made: dict[tuple[str, str], ctypes.CDLL] = {}

    def library(compiler: str, flags: str) -> ctypes.CDLL:
        if (compiler, flags) not in made:
            target = tmp_path_factory.mktemp("codes") / "codes.so"
            options = (*BASE, *flags.split(), *WARNINGS)
            library = compile_units(units_named(UNITS), target, compiler, options)
            made[compiler, flags] = ctypes.CDLL(str(library))
        return made[compiler, flags]

    def found(compiler: str) -> list[tuple[str | None, ctypes.CDLL]]:
        usable = [(target, flags) for target, flags in WAYS if not lacking(flags)]
        return [(target, library(compiler, flags)) for target, flags in usable]

    return found


def described(
    layer: CodedLayer, targets: Iterable[str | None]
) -> tuple[list[tuple[CCall, ...]], list[Array | None], Array]:
    """Give the calls for each target, the inputs, and what NumPy makes of them."""
    view = aidge_nb.load_onnx(layer.model())
    view.set_backend("exact")
    view.forward_dims([list(layer.x.shape)])
    scheduler = aidge_nb.SequentialScheduler(view)
    expected = scheduler.forward(data=[aidge_nb.Tensor(layer.x)])[0].array
    (node,) = (each for each in view.get_nodes() if each.type() != "Producer")
    operator = node.get_operator()
    tensors = [operator.get_input(index) for index in range(operator.nb_inputs)]
    inputs = [None if t is None or t.undefined() else t.array for t in tensors]
    inputs[0] = layer.x
    return [c_calls(node, target) for target in targets], inputs, np.asarray(expected)


def _always(made: ctypes.CDLL) -> Callable[..., ctypes.CDLL]:
    return lambda *_: made


def check(kind: str, seed: int, ways: Iterable[tuple[str | None, ctypes.CDLL]]) -> None:
    """Check a layer in some ways; results are written between bytes that must stay."""
    every = list(ways)
    calls, inputs, expected = described(layer_of(kind, seed), [target for target, _ in every])
    for (target, made), found in zip(every, calls, strict=True):
        room = np.full(expected.size + 128, 77, expected.dtype)
        y = room[64 : 64 + expected.size].reshape(expected.shape)
        with pytest.MonkeyPatch.context() as patch:
            if expected.size:
                assert [c.function[3:-3] for c in found] == [FUNCTIONS[target][kind]]
                patch.setattr("aidge_nb.kernels.c.compiling.library_of", _always(made))
            Program(found).run(inputs, [y])
        assert differing(y, expected) == 0, (kind, seed, target)
        assert (room[:64] == 77).all(), (kind, seed, target)
        assert (room[64 + expected.size :] == 77).all(), (kind, seed, target)


@pytest.mark.parametrize("kind", KINDS)
def test_some_shapes(kind: str, compiler: str, ways: Any) -> None:
    for seed in range(QUICK):
        check(kind, seed, ways(compiler))


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_thousands_of_shapes(kind: str, ways: Any) -> None:
    """Plain C, AVX2 and VNNI, and the orders of two microcontrollers; GCC and Clang by turns."""
    missing = " ".join(lacking(flags) for _, flags in WAYS).strip()
    if missing:
        pytest.skip(f"NOT RUN: this machine has no {missing}")
    for seed in range(QUICK, QUICK + ALL):
        check(kind, seed, ways(("gcc", "clang")[seed // 2 % 2]))


WINDOWS = ("conv", "depthwise")


@pytest.mark.parametrize("kind", WINDOWS)
def test_some_shapes_in_parts(kind: str, compiler: str, ways: Any) -> None:
    seen = sum(check_parts(kind, seed, ways(compiler)) for seed in range(QUICK))
    assert seen > 2 * QUICK


@pytest.mark.slow
@pytest.mark.parametrize("kind", WINDOWS)
def test_thousands_of_shapes_in_parts(kind: str, ways: Any) -> None:
    for seed in range(QUICK, QUICK + ALL):
        check_parts(kind, seed, ways(("gcc", "clang")[seed // 2 % 2]))


def check_parts(kind: str, seed: int, ways: Iterable[tuple[str | None, ctypes.CDLL]]) -> int:
    """Check a layer on parts of larger tensors; return in how many ways it reads them there."""
    every = list(ways)
    calls, inputs, expected = described(layer_of(kind, seed), [target for target, _ in every])
    count = 0
    for (_, made), found in zip(every if expected.size else (), calls, strict=False):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("aidge_nb.kernels.c.compiling.library_of", _always(made))
            count += strided.check(seed, found, inputs, expected)
    return count


SANITIZED = """
import ctypes, sys
from tests import conftest
from tests.kernels.c import test_codes_shapes as shapes
made = ctypes.CDLL(sys.argv[1])
ways = [*((target, made) for target in sys.argv[2].split(",") if target), (None, made)]
for kind in shapes.KINDS:
    for seed in range(200):
        shapes.check(kind, seed, ways)
        if kind in shapes.WINDOWS and seed < 50:
            shapes.check_parts(kind, seed, ways)
"""


@pytest.mark.slow
@pytest.mark.parametrize("flags", [VNNI, "-march=x86-64-v3", ""])
def test_sanitizers_find_nothing(compiler: str, flags: str, tmp_path: Path) -> None:
    """Arrays are exactly as large as they need be: one byte too far is seen."""
    if lacking(flags):
        pytest.skip(f"NOT RUN: this machine has no {lacking(flags)}")
    sanitizers = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
    options = (*BASE, *flags.split(), *sanitizers.split(), *WARNINGS)
    link = ("-shared", "-fno-sanitize=all")
    made = compile_units(units_named(UNITS), tmp_path / "codes.so", compiler, options, link)
    runtimes = [
        subprocess.run(
            ["gcc", f"-print-file-name=lib{name}.so"], capture_output=True, text=True, check=True
        ).stdout.strip()
        for name in ("asan", "ubsan")
    ]
    options_of = {"LD_PRELOAD": " ".join(runtimes), "ASAN_OPTIONS": "detect_leaks=0"}
    ran = subprocess.run(
        [sys.executable, "-c", SANITIZED, str(made), "cortex-m4,cortex-m55"],
        cwd=Path(__file__).resolve().parents[3],
        env={**os.environ, **options_of, "PYTHONMALLOC": "malloc"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]
