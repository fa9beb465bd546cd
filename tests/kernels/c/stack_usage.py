"""Measures the stack of every kernel with every compiler, and writes the table of the library.

    python -m tests.kernels.c.stack_usage              # or some units alone: nb_conv nb_pool

GCC tells the frame of each function and who calls whom (``-fcallgraph-info=su``), Clang the frames
alone (``-fstack-usage``): GCC's calls without optimization, when nothing is inlined, serve for it.
A pointer to a function may be to any function of its unit that calls through none itself.
"""

from __future__ import annotations

import csv
import re
import subprocess
import sys
import tempfile
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from aidge_nb.export.boards.targets import BOARDS
from aidge_nb.kernels.c import units
from aidge_nb.kernels.c.units import Unit, all_units

_AVX512 = " -mavx512f -mavx512bw -mavx512cd -mavx512dq -mavx512vl"
OPTS = (
    "-O0",
    "-O2",
    "-O3 -march=native",
    "-O3 -march=x86-64-v3",
    "-O3 -march=x86-64-v4",
    "-O3 -march=x86-64-v4 -mprefer-vector-width=512",
    "-O3 -march=skylake-avx512",
    "-O3 -march=znver3",
    f"-O3 -march=znver3{_AVX512}",
)
"""Builds on the host: `native` differs from one processor to the next, the others do not."""
GCC = [f"gcc {opt}" for opt in OPTS]
CLANG = [f"clang {opt}" for opt in OPTS]
LEVELS = {"mps2-an385": ("-O0", "-O2"), "mps2-an386": ("-O2", "-O3"), "mps2-an500": ("-O2",)}
CORTEX_M = [
    f"arm-none-eabi-gcc {opt} {board.arch}"
    for board in BOARDS.values()
    for opt in LEVELS.get(board.name, ("-O2", "-O3"))
]
LIBRARY = 96
"""Bytes for what compilers and libc bring: software floats, divisions, ``memcpy``."""
CALL = 16
"""Bytes for the return address of a call, which some compilers do not count, and alignment."""

_NODE = re.compile(r'^node: \{ title: "([^"]+)" label: "[^"]*?(\d+) bytes \(', re.M)
_EDGE = re.compile(r'^edge: \{ sourcename: "([^"]+)" targetname: "([^"]+)"', re.M)
_FRAME = re.compile(r"^([^:\s]+):\d+:(\w+)\t(\d+)\t", re.M)
_INDIRECT = "__indirect_call"


@dataclass
class Frames:
    """The frames of functions, and what each calls; those private to a unit are ``unit.c:f``."""

    sizes: dict[str, int] = field(default_factory=dict)
    calls: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))
    units: dict[str, set[str]] = field(default_factory=lambda: defaultdict(set))

    def depth(self, function: str, known: dict[str, int]) -> int:
        """Give the bytes that a function takes with what it calls."""
        if function not in known:
            below = [self.depth(each, known) for each in self._called(function)]
            known[function] = self.sizes.get(function, LIBRARY) + CALL + max(below, default=0)
        return known[function]

    def _called(self, function: str) -> Iterable[str]:
        for each in self.calls[function]:
            if each != _INDIRECT:
                yield each
                continue
            (unit,) = (name for name, inside in self.units.items() if function in inside)
            yield from (f for f in self.units[unit] if _INDIRECT not in self._reached(f))

    def _reached(self, function: str) -> set[str]:
        found: set[str] = set()
        pending = [function]
        while pending:
            new = self.calls[pending.pop()] - found
            found |= new
            pending += new
        return found


def write_units(folder: Path, units: Iterable[Unit]) -> list[str]:
    """Write the files of units; give the names of the sources."""
    names = []
    for unit in units:
        (folder / f"{unit.name}.h").write_text(unit.header)
        if unit.source is not None:
            (folder / f"{unit.name}.c").write_text(unit.source)
            names.append(f"{unit.name}.c")
    return names


def compile_all(folder: Path, command: str, *more: str, only: Collection[str] = ()) -> list[str]:
    """Compile all units, or some, in a folder of their own; give the names of the sources."""
    names = write_units(folder, all_units())
    names = [name for name in names if not only or name.removesuffix(".c") in only]
    words = [*command.split(), "-std=c11", "-ffp-contract=off", *more, "-c", *names]
    subprocess.run(words, cwd=folder, check=True, capture_output=True)
    return names


def gcc_frames(command: str, only: Collection[str] = ()) -> Frames:
    """Read the frames and the calls that GCC tells."""
    frames = Frames()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for source in compile_all(folder, command, "-fcallgraph-info=su", only=only):
            text = (folder / source).with_suffix(".ci").read_text()
            for function, size in _NODE.findall(text):
                frames.sizes[function] = int(size)
                frames.units[source].add(function)
            for caller, called in _EDGE.findall(text):
                frames.calls[caller].add(called)
    return frames


def clang_frames(command: str, only: Collection[str] = ()) -> Frames:
    """Read the frames that Clang tells; the calls are those of GCC where nothing is inlined."""
    plain = gcc_frames("gcc -O0", only)
    frames = Frames({}, plain.calls, plain.units)
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for source in compile_all(folder, command, "-fstack-usage", only=only):
            text = (folder / source).with_suffix(".su").read_text()
            for _, function, size in _FRAME.findall(text):
                private = f"{source}:{function}"
                known = private if private in plain.sizes else function
                frames.sizes[known] = int(size)
    # What was inlined has no frame of its own.
    frames.sizes = dict.fromkeys(plain.sizes, 0) | frames.sizes
    return frames


def measure(command: str, only: Collection[str] = ()) -> dict[str, int]:
    """Return the stack of every kernel, or of those of some units, as one compiler makes it."""
    read = clang_frames if command.startswith("clang") else gcc_frames
    frames = read(command, only)
    known: dict[str, int] = {}
    return {f: frames.depth(f, known) for f in list(frames.sizes) if ":" not in f}


def most(commands: Iterable[str], only: Collection[str] = ()) -> Mapping[str, int]:
    """Give the most that any of some compilers makes of each kernel."""
    found: dict[str, int] = defaultdict(int)
    for command in commands:
        for function, size in measure(command, only).items():
            found[function] = max(found[function], size)
    return found


def main(only: Collection[str] = ()) -> None:
    """Write the table; with some units, their rows alone are new."""
    columns = [most(commands, only) for commands in (GCC, CLANG, CORTEX_M)]
    rows = {name: tuple(each[name] for each in columns) for name in columns[0]}
    if only:
        old = units.stack_table().items()
        rows = {name: (one.gcc, one.clang, one.cortex_m) for name, one in old} | rows
    path = Path(units.__file__).with_name("stack.csv")
    with path.open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(("function", *units.COLUMNS))
        writer.writerows((name, *rows[name]) for name in sorted(rows))


if __name__ == "__main__":
    main(sys.argv[1:])
