"""Static analysis of a package: cppcheck finds nothing, MISRA C:2012 what is justified here."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from aidge_nb.export import export
from tests.export.models import zoo_small

JUSTIFIED = {
    "1.4": "_Alignas of C11: arenas must be aligned for every type",
    "2.3": "types of numbers side by side, which a configuration without vectors leaves unused",
    "2.4": "as 2.3",
    "2.5": "macros that the user may define (memories), or that tests use (OBSERVE)",
    "5.5": "a kernel that does what follows is the plain one, compiled again under other names",
    "5.6": "types that are private to one unit may be called alike in another",
    "5.9": "functions that are private to one unit may be called alike in another (advisory)",
    "8.14": "without restrict a compiler computes poolings one by one; results lie apart from data",
    "8.9": "a layer's configuration has a header of its own, so that it can be read and replaced",
    "9.4": "a struct with an array inside is initialized once; the add-on counts it twice",
    "10.3": "-Wconversion is an error: no conversion changes a value unnoticed",
    "10.4": "numbers of columns and bytes are of their own types: -Wconversion as in 10.3",
    "10.6": "sizes are 32-bit numbers, addresses wider: products are widened before they are added",
    "10.7": "as 10.6",
    "10.8": "as 10.6",
    "11.5": "an arena is bytes: its buffers have the type of what they hold at the time",
    "12.1": "precedence of * over + is relied upon; -Wall names what misleads (advisory)",
    "14.4": "conditions are int, which is what comparisons give in C",
    "15.5": "empty tensors return at once (advisory)",
    "17.8": "pointers that are parameters walk over their tensors (advisory)",
    "17.7": "memcpy gives back the pointer that it was given",
    "18.4": "indices of tensors are sums of products (advisory)",
    "20.5": "macros that serve one place are undefined behind it (advisory)",
    "20.7": "macros that define a kernel for each type take names of types",
    "20.10": "as 20.7: they form names of functions (advisory)",
}
"""Rules that the sources of LeNet break, and why."""

OTHERS = {
    "2.2": "without vectors their length is 1, and a product with it does nothing",
    "2.7": "a configuration may not need what another one reads",
    "5.7": "as 5.6, for their tags",
    "7.2": "UINT64_C gives the suffix; the add-on looks at the digits",
    "9.3": "an array of sums begins as {0u}: the rest is zero, too",
    "10.1": "a distance of a shift is a signed number, from 0 to 31",
    "10.5": "conversions from every type to every other are what these kernels do",
    "11.8": "the add-on takes what a pointer in a const struct points to for const",
    "13.3": "a pointer goes on as results are written (advisory)",
    "14.2": "the counter of a loop is an element of an array of three",
    "20.1": "the header of instructions is read where a processor has them (advisory)",
}
"""Further ones that other kernels break, and why."""

KERNELS = Path(__file__).parents[3] / "kernels" / "c"
INCLUDES = ["-Iinclude", "-Isrc", "-Ikernels", "-Iapp"]


@pytest.fixture(scope="module")
def lenet(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return export(zoo_small("lenet"), tmp_path_factory.mktemp("lenet") / "lenet").folder


def cppcheck(folder: Path, *words: str) -> str:
    command = ["cppcheck", "--std=c11", "--quiet", *INCLUDES, *words]
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True)
    return ran.stdout + ran.stderr


@pytest.mark.slow
def test_cppcheck_finds_nothing(lenet: Path, need_tools: Callable[..., None]) -> None:
    need_tools("cppcheck")
    what = "--enable=warning,performance,portability"
    assert cppcheck(lenet, what, "--max-configs=64", "src", "kernels", "app", "test") == ""


@pytest.mark.slow
def test_every_broken_rule_of_misra_is_justified(
    lenet: Path, need_tools: Callable[..., None]
) -> None:
    need_tools("cppcheck")
    said = cppcheck(lenet, "--addon=misra", "src", "kernels")
    found = set(re.findall(r"misra-c2012-([0-9.]+)\]", said))
    assert found, "the add-on did not run"
    assert found <= set(JUSTIFIED), f"not justified: {sorted(found - set(JUSTIFIED))}"


@pytest.mark.slow
def test_every_broken_rule_of_all_kernels_is_justified(need_tools: Callable[..., None]) -> None:
    need_tools("cppcheck")
    said = cppcheck(KERNELS, "--addon=misra", "src")
    found = set(re.findall(r"misra-c2012-([0-9.]+)\]", said))
    assert found, "the add-on did not run"
    assert found <= {*JUSTIFIED, *OTHERS}, f"not justified: {sorted(found - {*JUSTIFIED, *OTHERS})}"
