"""The bits do not depend on the compiler, on how it optimizes, or on what the machine can do.

All kernels are compiled into one library, which is put in the place of the usual ones.
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import subprocess
import sys
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from numpy.typing import NDArray

from aidge_nb.core.errors import ExportError
from aidge_nb.kernels.c.compiling import WARNINGS, compile_units, find_compiler
from aidge_nb.kernels.c.units import Unit, all_units
from tests.kernels.c.machine import differing_bits
from tests.kernels.tables.data import normal, positive
from tests.kernels.tables.every import CASES

Array = NDArray[Any]
ROOT = Path(__file__).resolve().parents[3]
BASE = ("-std=c11", "-ffp-contract=off")
LEVELS = ("-O0", "-O1", "-Os", "-O2", "-O3", "-O3 -march=native")
BLOCKS = (
    "-O2 -DNB_LANES=8 -DNB_ROWS=2 -DNB_VL=1",
    "-O2 -DNB_LANES=16 -DNB_ROWS=4 -DNB_VL=4",
    "-O2 -DNB_VL=8",
    "-O2 -DNB_VL=16",
)


@dataclass(frozen=True)
class Large:
    """An operator on tensors that are large enough for all blocks, edges and rests."""

    type: str
    arrays: list[Array]
    attrs: dict[str, Any] = field(default_factory=dict)

    def __repr__(self) -> str:
        return self.type


BY_3 = {"kernel_dims": [3, 3]}
STEPS = {"stride_dims": [2, 2]}
LARGE = [
    Large("Conv2D", [normal(1, 5, 19, 23), normal(41, 5, 3, 3), normal(41)], BY_3),
    Large("Conv2D", [normal(1, 9, 7, 9), normal(40, 9, 1, 1)], {"kernel_dims": [1, 1]}),
    Large("ConvDepthWise2D", [normal(1, 6, 21, 49), normal(6, 1, 3, 3)], {**BY_3, **STEPS}),
    Large("ConvTranspose2D", [normal(1, 6, 7, 8), normal(6, 4, 3, 3)], {**BY_3, **STEPS}),
    Large("ConvDepthWise2D", [normal(2, 3, 9, 37), normal(3, 1, 3, 3), normal(3)], BY_3),
    Large("FC", [normal(3, 70), normal(45, 70), normal(45)]),
    Large("MatMul", [normal(2, 17, 33), normal(33, 65)]),
    Large("MaxPooling2D", [normal(1, 3, 20, 61)], {**BY_3, **STEPS}),
    Large("AvgPooling2D", [normal(1, 3, 20, 61)], BY_3),
    Large("Softmax", [normal(20, 33)], {"axis": -1}),
    Large("ReduceMean", [normal(20, 33)], {"axes": [1]}),
    Large("LayerNorm", [normal(20, 33), positive(33), normal(33)], {"axis": -1}),
    *(Large(name, [4 * normal(999)]) for name in ("Exp", "Tanh", "Erf", "Sigmoid", "Gelu", "Sin")),
    *(Large(name, [positive(999)]) for name in ("Ln", "Sqrt")),
    Large("Pow", [positive(999), normal(999)]),
]


def install(
    compiler: str, flags: str, folder: Path, monkeypatch: pytest.MonkeyPatch, *more: str
) -> None:
    """Put a library with all kernels, compiled in some way, in the place of the usual ones."""
    options = (*BASE, *flags.split(), *WARNINGS, *more)
    made = ctypes.CDLL(str(compile_units(all_units(), folder / "all.so", compiler, options)))
    monkeypatch.setattr("aidge_nb.kernels.c.compiling.library_of", lambda unit, flags: made)


def large_differences() -> dict[str, int | None]:
    """Count differing elements of each large case."""
    return {str(case): differing_bits(case.type, case.arrays, **case.attrs) for case in LARGE}


def check_every_case() -> None:
    """Check the large cases, and those of the kernels' tables."""
    assert set(large_differences().values()) == {0}
    found = [differing_bits(case.type, case.arrays, **case.attrs) for case in CASES]
    assert set(found) == {0, None}
    assert found.count(0) > 0.9 * len(found)


def test_two_compilers_warn_of_nothing_and_give_the_same_bits(
    compiler: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not optimized; all other tests use the compiler at hand and ``-O3 -march=native``."""
    install(compiler, "-O0", tmp_path, monkeypatch)
    assert set(large_differences().values()) == {0}


@pytest.mark.slow
@pytest.mark.parametrize("flags", [*LEVELS, *BLOCKS])
def test_all_levels_give_the_same_bits(
    compiler: str, flags: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(compiler, flags, tmp_path, monkeypatch)
    check_every_case()


def has_fused_products() -> bool:
    """Whether this machine can multiply and add in one operation."""
    try:
        return " fma " in Path("/proc/cpuinfo").read_text(encoding="utf-8")
    except OSError:
        return False


@pytest.mark.slow
def test_fused_products_would_be_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The cases are able to tell: with products fused into sums the bits are others."""
    if not has_fused_products():
        pytest.skip("NOT RUN: this machine has no fused multiply-add")
    flags = "-O2 -march=native -mno-avx512f -ffp-contract=fast"  # without assembly
    install(find_compiler(), flags, tmp_path, monkeypatch, "-Wno-error")
    found = large_differences()
    assert found["Conv2D"]
    assert found["MatMul"]


def test_fast_math_is_refused(compiler: str, tmp_path: Path) -> None:
    with pytest.raises(ExportError, match="compile without -ffast-math"):
        compile_units(all_units(), tmp_path / "all.so", compiler, (*BASE, "-ffast-math"))


def test_what_a_compiler_says_is_told(compiler: str, tmp_path: Path) -> None:
    broken = Unit("nb_broken", "int32_t;", '#include "nb_broken.h"\nint f(void) { return x; }\n')
    with pytest.raises(ExportError, match=r"(?s)compiling nb_broken\.c: .*nb_broken\.c:2.*Command"):
        compile_units([broken], tmp_path / "broken.so", compiler)


SANITIZERS = "-O1 -g -fsanitize=address,undefined -fno-sanitize-recover=all"
SANITIZED = """
import ctypes, sys, pytest
from tests import conftest
from tests.kernels.c import test_compilers, test_vectors
library = ctypes.CDLL(sys.argv[1])
with pytest.MonkeyPatch.context() as patch:
    patch.setattr("aidge_nb.kernels.c.compiling.library_of", lambda unit, flags: library)
    test_compilers.check_every_case()
    test_vectors.test_convolutions()
    test_vectors.test_depthwise()
    test_vectors.test_products()
"""


@pytest.mark.slow
def test_sanitizers_find_nothing(compiler: str, tmp_path: Path) -> None:
    """Kernels run under the address and the undefined-behaviour sanitizer, on exact arrays.

    The runtime is GCC's, which serves what Clang compiles as well.
    """
    if shutil.which("gcc") is None:
        pytest.skip("NOT RUN: gcc is not installed (sudo apt install gcc)")
    flags = (*BASE, *SANITIZERS.split(), *WARNINGS)
    link = ("-shared", "-fno-sanitize=all")
    library = compile_units(all_units(), tmp_path / "all.so", compiler, flags, link)
    names = [f"-print-file-name=lib{name}.so" for name in ("asan", "ubsan")]
    runtimes = [
        subprocess.run(["gcc", name], capture_output=True, text=True, check=True).stdout.strip()
        for name in names
    ]
    options = {"LD_PRELOAD": " ".join(runtimes), "ASAN_OPTIONS": "detect_leaks=0"}
    ran = subprocess.run(
        [sys.executable, "-c", SANITIZED, str(library)],
        cwd=ROOT,
        env={**os.environ, **options, "PYTHONMALLOC": "malloc"},
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr[-3000:]


@pytest.mark.slow
def test_cppcheck_finds_nothing() -> None:
    if shutil.which("cppcheck") is None:
        pytest.skip("NOT RUN: cppcheck is not installed (sudo apt install cppcheck)")
    folder = ROOT / "kernels" / "c"
    ran = subprocess.run(
        [
            *("cppcheck", "--std=c11", "--quiet", "--error-exitcode=1", "--inline-suppr"),
            *("--enable=warning,portability,performance", "--suppress=missingIncludeSystem"),
            *("-I", str(folder / "include"), str(folder / "src")),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert ran.returncode == 0, ran.stderr


def test_the_sizes_of_blocks_are_whole() -> None:
    """Lanes are halved three times; every piece has one result at least."""
    flags = " ".join((*BLOCKS, "-DNB_LANES=32 -DNB_ROWS=8"))
    lanes, rows = (
        [int(size) for size in re.findall(rf"NB_{name}=(\d+)", flags)] for name in ("LANES", "ROWS")
    )
    assert len(lanes) == len(rows) == 3
    assert not any(size % 8 for size in lanes)
    assert not any(size % 2 for size in rows)
