"""Running a package on an emulated board: outputs, bits, stack and instructions."""

from __future__ import annotations

import re
import shutil
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import ExportError
from aidge_nb.export.boards.boards import board_files
from aidge_nb.export.boards.targets import find_board
from aidge_nb.export.boards.toolchain import make, need, run_program
from aidge_nb.export.plan.record import record
from aidge_nb.export.results import LayerCheck, RunResult, compare, read_layer_check

if TYPE_CHECKING:
    from aidge_nb.export.package import ExportedPackage

Array = NDArray[Any]

_REPORT = re.compile(r"^board: stack (\d+) bytes, instructions (\d+)$", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Sizes:
    """Bytes of a linked program: code and constants, initialized data, zeroed data."""

    text: int
    data: int
    bss: int


@dataclass(frozen=True, eq=False, repr=False)
class BoardRun(RunResult):
    """A run on an emulated board.

    Attributes
    ----------
    board
        Which.
    stack
        Bytes of stack that a call of the forward function took.
    instructions
        How many instructions it ran, to 40; the same in every run.
    sizes
        Of the program, with the application around the model.
    """

    board: str = ""
    stack: int = 0
    instructions: int = 0
    sizes: Sizes = Sizes(0, 0, 0)

    def __repr__(self) -> str:
        verdict = "all bits equal" if self.is_equal else f"{self.differing_bits} bits differ"
        return (
            f"BoardRun({self.board}: {verdict}, {self.instructions} instructions, "
            f"stack {self.stack} bytes)"
        )


def build_on(
    package: ExportedPackage, board: str, opt: str | None = None, goals: Sequence[str] = ("all",)
) -> Path:
    """Build a package for a board; give the folder of what was built, from that of the package."""
    found = find_board(board)
    need("make", "arm-none-eabi-gcc", "qemu-system-arm")
    variant = f"build/{board}" + (opt.replace(" ", "_") if opt else "")
    settings = {"BOARD": board, "BUILD": variant}
    settings |= {"OPT": opt} if opt else {}
    own = package.folder / "boards" / board
    if not own.is_dir():
        settings["BOARD_FILES"] = f"build/files-{board}"
        for path, content in board_files(package.plan, found, settings["BOARD_FILES"]).items():
            target = package.folder / path
            target.parent.mkdir(parents=True, exist_ok=True)
            if not target.is_file() or target.read_bytes() != content:
                target.write_bytes(content)
    make(package.folder, goals, settings)
    return Path(variant)


def board_command(board: str, program: Path, arguments: Sequence[str] = ()) -> list[str]:
    """Return the command that runs a program on an emulated board."""
    words = ["qemu-system-arm", "-M", board, "-nographic", "-monitor", "none", "-serial", "none"]
    words += ["-icount", "shift=0", "-kernel", str(program)]
    line = ",".join(["enable=on,target=native", *(f"arg={a}" for a in (program.name, *arguments))])
    return [*words, "-semihosting-config", line]


def run_on(
    package: ExportedPackage,
    board: str,
    given: Sequence[Array],
    *,
    opt: str | None = None,
) -> BoardRun:
    """Build a package for a board, run it there, and compare with the exact NumPy runtime."""
    built = build_on(package, board, opt)
    plan = package.plan
    program = (package.folder / built / f"{plan.name}.elf").resolve()
    with tempfile.TemporaryDirectory(dir=package.folder / "build") as folder:
        scratch = Path(folder)
        names = [f"i{n}" for n in range(len(given))] + [f"o{n}" for n in range(len(plan.outputs))]
        for name, array in zip(names, given, strict=False):
            (scratch / name).write_bytes(array.tobytes())
        ran = run_program(board_command(board, program, names), scratch)
        report = _REPORT.search(ran.stdout)
        if ran.returncode or report is None:
            text = (ran.stdout + ran.stderr).strip()
            raise ExportError.at(f"{plan.name} on {board}", "failed there", found=text)
        outputs = tuple(
            np.fromfile(scratch / name, value.dtype.numpy).reshape(value.dims)
            for name, value in zip(names[len(given) :], plan.outputs, strict=True)
        )
    bits = compare(outputs, record(package.made, given).outputs)
    return BoardRun(
        bits.outputs,
        bits.expected,
        bits.differing_bits,
        board,
        int(report[1]),
        int(report[2]),
        _sizes(program),
    )


def _sizes(program: Path) -> Sizes:
    tool = shutil.which("arm-none-eabi-size")
    if tool is None:
        return Sizes(0, 0, 0)
    ran = run_program([tool, str(program)], program.parent)
    text, data, bss = map(int, ran.stdout.splitlines()[1].split()[:3])
    return Sizes(text, data, bss)


def check_on(package: ExportedPackage, board: str, *, opt: str | None = None) -> LayerCheck:
    """Run the tests of a package on a board: every layer and the whole model."""
    built = build_on(package, board, opt, ("tests",))
    ran = [
        run_program(board_command(board, built / f"{test}.elf"), package.folder)
        for test in ("test_kernels", "test_layers")
    ]
    return read_layer_check(*ran)
