"""Results of running a package: outputs, and how many bits differ from the expected ones."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class RunResult:
    """The outputs of a program, beside those of the exact NumPy runtime.

    Attributes
    ----------
    outputs, expected
        Arrays, in the order of the program's outputs.
    differing_bits
        How many bits differ, in all.
    """

    outputs: tuple[Array, ...]
    expected: tuple[Array, ...]
    differing_bits: int

    @property
    def is_equal(self) -> bool:
        """Tell whether all bits are equal."""
        return self.differing_bits == 0

    def __repr__(self) -> str:
        shapes = ", ".join(f"{a.dtype.name}{list(a.shape)}" for a in self.outputs)
        verdict = "all bits equal" if self.is_equal else f"{self.differing_bits} bits differ"
        return f"RunResult({shapes}: {verdict})"


def compare(outputs: Sequence[Array], expected: Sequence[Array]) -> RunResult:
    """Count the bits in which outputs differ."""
    bits = 0
    for found, wanted in zip(outputs, expected, strict=True):
        one = np.frombuffer(np.ascontiguousarray(found).tobytes(), np.uint8)
        other = np.frombuffer(np.ascontiguousarray(wanted).tobytes(), np.uint8)
        bits += int(np.unpackbits(one ^ other).sum())
    return RunResult(tuple(outputs), tuple(expected), bits)


@dataclass(frozen=True, slots=True)
class LayerCheck:
    """Result of the tests of a package.

    Attributes
    ----------
    passed
        Whether everything is as expected, bit by bit.
    layers, equal
        How many outputs of layers were compared, and how many are as expected.
    first
        The first layer that differs, and in what; empty where none does.
    text
        All that was printed.
    """

    passed: bool
    layers: int
    equal: int
    first: str
    text: str


_COUNT = re.compile(r"^(\d+) of (\d+) layer outputs", re.MULTILINE)
_FIRST = re.compile(r"^layer \d+, (.*) is the first that differs: (.*)$", re.MULTILINE)


def read_layer_check(
    kernels: subprocess.CompletedProcess[str], layers: subprocess.CompletedProcess[str]
) -> LayerCheck:
    """Read what both test programs printed."""
    text = kernels.stdout + kernels.stderr + layers.stdout + layers.stderr
    count, first = _COUNT.search(text), _FIRST.search(text)
    return LayerCheck(
        passed=kernels.returncode == 0 and layers.returncode == 0,
        layers=int(count[2]) if count else 0,
        equal=int(count[1]) if count else 0,
        first=f"{first[1].rstrip(',')}: {first[2]}" if first else "",
        text=text,
    )
