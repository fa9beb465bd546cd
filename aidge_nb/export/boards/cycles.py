"""Estimated cycles of a program: the instructions that an emulator ran, times what each costs.

The instructions are exact. What one costs is from ARM's manuals, for memory that answers at once;
waits for flash, caches, and instructions that run side by side are not modelled. An estimate is no
measurement: it says which of two programs is quicker, and what a program takes within a third.
"""

from __future__ import annotations

import os
import re
import tempfile
import threading
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING

from aidge_nb.core.errors import ExportError
from aidge_nb.export.boards.emulate import board_command, build_on
from aidge_nb.export.boards.targets import find_board
from aidge_nb.export.boards.toolchain import run_program

if TYPE_CHECKING:
    from aidge_nb.export.package import ExportedPackage

ERROR = 0.35
"""How far an estimate may be off, as a part of it; stated, for nothing was measured on a board."""

COSTS: Mapping[str, Mapping[str, float]] = MappingProxyType(
    {
        "Cortex-M3": {"load": 2, "pair": 3, "several": 6, "multiply": 1.5, "divide": 7, "jump": 3},
        "Cortex-M4F": {
            "load": 2,
            "pair": 3,
            "several": 6,
            "divide": 7,
            "jump": 3,
            "float load": 2,
            "float multiply-add": 3,
            "float divide": 14,
        },
        # Two instructions at a time where they do not wait for each other; loops are foreseen.
        "Cortex-M7": {
            "other": 0.6,
            "store": 0.7,
            "several": 4,
            "divide": 8,
            "float divide": 16,
            "float multiply-add": 1.5,
            "float": 0.8,
        },
        # A vector of 16 bytes takes two cycles, of which one is behind a load of the next.
        "Cortex-M55": {
            "pair": 2,
            "several": 5,
            "divide": 8,
            "jump": 2,
            "vector": 1.5,
            "vector load": 1.5,
            "float divide": 14,
        },
    }
)
"""Cycles of an instruction by the core and the kind; those that are not there take one.

From the tables of cycles in the technical reference manuals of the Cortex-M3 and M4; for the M7 and
the M55, for which ARM gives none, from what it says of their pipelines.
"""

_KINDS = (
    ("float divide", re.compile(r"v(div|sqrt)")),
    ("float multiply-add", re.compile(r"vfn?m[as]|vn?ml[as]\.f")),
    ("vector load", re.compile(r"v(ld|st)r[bhw]|v(ld|st)[1-4]\d")),
    ("several", re.compile(r"push|pop|ldm|stm|v(push|pop|ldm|stm)")),
    ("float load", re.compile(r"vldr|vstr")),
    ("pair", re.compile(r"ldrd|strd")),
    ("load", re.compile(r"ldr")),
    ("store", re.compile(r"str")),
    ("divide", re.compile(r"[us]div")),
    ("multiply", re.compile(r"mul|ml[as]|sm[lmu]|um[lu]")),
)
_FLOAT = re.compile(r"v\w+\.(f32|f64|[su]32\.f32|f32\.[su]32)|vmov|vmrs|vmsr")
_TRACE = re.compile(r"^Trace \d+: \S+ \[\w+/(\w+)/\w+/\w+\] ?(\S*)")
_LISTED = re.compile(r"^0x(\w+):")
_CODE = re.compile(r"^\s*([0-9a-f]+):\t[0-9a-f ]+\t(\S+)(.*)$")


def kind_of(mnemonic: str, operands: str = "") -> str:
    """Say what kind of instruction a mnemonic is.

    Examples
    --------
    >>> [kind_of(name) for name in ("ldr.w", "smlad", "vmul.f32", "vldrb.u8", "adds")]
    ['load', 'multiply', 'float', 'vector load', 'other']
    >>> kind_of("vmul.f32", "q0, q1, q2")
    'vector'
    """
    for kind, pattern in _KINDS:
        if pattern.match(mnemonic):
            return kind
    if mnemonic.startswith("v"):
        is_vector = re.search(r"\bq\d", operands) or not _FLOAT.match(mnemonic)
        return "vector" if is_vector else "float"
    return "other"


@dataclass(frozen=True, slots=True)
class CycleEstimate:
    """Instructions that a call of the forward function ran, and estimated cycles.

    Examples
    --------
    >>> found = CycleEstimate("mps2-an386", "Cortex-M4F", 100, {"load": 40, "other": 60})
    >>> found.cycles, found.range
    (140, (91, 189))
    """

    board: str  # the emulated board
    core: str  # its processor
    instructions: int  # of the forward function, to 40
    mix: Mapping[str, int]  # instructions by kind; "jump" are branches that were taken
    error: float = ERROR  # how far `cycles` may be off, as a part of it

    @property
    def cycles(self) -> int:
        """Estimated cycles; nothing was measured."""
        costs = COSTS[self.core]
        total = sum(self.mix.values())
        spent = sum(count * costs.get(kind, 1) for kind, count in self.mix.items())
        return round(self.instructions * spent / total)

    @property
    def range(self) -> tuple[int, int]:
        """Within which the cycles should be."""
        return round(self.cycles * (1 - self.error)), round(self.cycles * (1 + self.error))

    def __repr__(self) -> str:
        low, high = self.range
        return (
            f"CycleEstimate({self.core}: {self.instructions} instructions, about {self.cycles} "
            f"cycles, from {low} to {high}; estimated, not measured)"
        )


@dataclass
class _Mixer:
    """Counts instructions between the entry of a function and the return to its caller."""

    entry: int
    kinds: Mapping[int, str]
    mix: Counter[str] = field(default_factory=Counter)
    _ends: dict[int, int] = field(default_factory=dict)  # of blocks: their last listed address
    _runs: Counter[tuple[int, int]] = field(default_factory=Counter)

    def feed(self, lines: Iterable[str]) -> None:
        """Read what an emulator logs of the blocks that it made and ran."""
        made: list[int] = []  # addresses; vectors are listed as two instructions
        before, caller, last = "", None, 0
        for line in lines:
            ran = _TRACE.match(line)
            if ran is None:
                listed = _LISTED.match(line)
                if listed is not None:
                    made.append(int(listed[1], 16))
                continue
            if made:
                self._ends[made[0]], made = made[-1], []
            start, name = int(ran[1], 16), ran[2]
            if caller is None and start == self.entry:
                caller, last = before, 0
            elif caller is not None and name == caller:
                break
            if caller is not None:
                self._runs[last, start] += 1
                last = start
            before = name
        for _ in lines:  # so that the emulator can go on writing
            pass
        self._count()

    def _count(self) -> None:
        addresses = sorted(self.kinds)
        for (before, start), count in self._runs.items():
            first = bisect_left(addresses, start)
            for address in addresses[first : bisect_right(addresses, self._ends.get(start, start))]:
                self.mix[self.kinds[address]] += count
            if before and not 0 < start - self._ends.get(before, before) <= 4:
                self.mix["jump"] += count
                self.mix["other"] -= count


def _listing(program: Path, folder: Path, core: str) -> dict[int, str]:
    """Return the kind of the instruction at each address."""
    machine = ["-m", "armv8.1-m.main"] if core == "Cortex-M55" else []
    ran = run_program(["arm-none-eabi-objdump", "-d", *machine, str(program)], folder)
    found = (_CODE.match(line) for line in ran.stdout.splitlines())
    return {int(m[1], 16): kind_of(m[2], m[3]) for m in found if m}


def _entry(program: Path, folder: Path, name: str) -> int:
    ran = run_program(["arm-none-eabi-nm", str(program)], folder)
    for line in ran.stdout.splitlines():
        words = line.split()
        if words[-1] == name:
            return int(words[0], 16) & ~1
    raise ExportError.at(f"{program.name}", "has no such function", expected=name)


def estimate_cycles(
    package: ExportedPackage, board: str, *, opt: str | None = None
) -> CycleEstimate:
    """Run a program on an emulated board by its example inputs, and estimate its cycles.

    Instructions are counted; cycles are estimated by ``COSTS``, within ``ERROR``.

    Parameters
    ----------
    package
        A program that was exported for the board.
    board
        Name of an emulated board, such as ``mps2-an386``.
    opt
        Level of optimisation, such as ``-O2``; by default that of the program's Makefile.

    Raises
    ------
    ExportError
        When the compiler or the emulator is missing, the program does not fit the board, or nothing
        is known of the cycles of its core.
    """
    core = find_board(board).core
    if core not in COSTS:
        raise ExportError.at(
            f"board {board}",
            "nothing is known of the cycles of its core",
            expected=", ".join(COSTS),
            found=core,
            cure="Add the core to COSTS in aidge_nb/export/boards/cycles.py.",
        )
    built = package.folder / build_on(package, board, opt)
    program = (built / f"{package.plan.name}.elf").resolve()
    entry = _entry(program, package.folder, f"{package.plan.name}_forward")
    reader = _Mixer(entry, _listing(program, package.folder, core))
    with tempfile.TemporaryDirectory() as name:
        pipe = Path(name) / "log"
        os.mkfifo(pipe)

        def read() -> None:
            with pipe.open(encoding="utf-8", errors="replace") as lines:
                reader.feed(lines)

        thread = threading.Thread(target=read)
        thread.start()
        command = board_command(board, program)
        logged = [*command, "-d", "exec,nochain,in_asm", "-D", str(pipe)]
        ran = run_program(logged, package.folder)
        thread.join()
    report = re.search(r"instructions (\d+)", ran.stdout)
    if ran.returncode or report is None or not reader.mix:
        text = (ran.stdout + ran.stderr).strip()
        raise ExportError.at(f"{package.plan.name} on {board}", "failed there", found=text)
    return CycleEstimate(board, core, int(report[1]), MappingProxyType(dict(reader.mix)))
