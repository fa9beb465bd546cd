"""Building many packages quickly: the kernels of the library are compiled once for all."""

from __future__ import annotations

import subprocess
from pathlib import Path

from aidge_nb.export import ExportedPackage
from aidge_nb.export.boards.boards import board_files
from aidge_nb.export.boards.emulate import board_command
from aidge_nb.export.boards.targets import find_board
from aidge_nb.kernels.c.units import all_units

WARNINGS = ["-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror"]
VARIANTS = tuple(
    (compiler, opt) for opt in ("-O0", "-O2", "-O3 -march=native") for compiler in ("gcc", "clang")
)
"""Compilers and their optimization."""


class Builder:
    """Compiles and runs the tests of packages with one compiler and optimization.

    Kernels that an earlier builder has left in the folder are taken as they are.
    """

    def __init__(self, folder: Path, compiler: str, opt: str, extra: str = "") -> None:
        self.folder = folder
        # With sanitizers, GCC warns of conversions that are none.
        warnings = [] if "sanitize" in extra else WARNINGS
        words = ["-std=c11", "-ffp-contract=off", *opt.split(), *extra.split(), *warnings]
        self._command = [compiler, *words]
        if (folder / "libkernels.a").exists():
            return
        folder.mkdir(parents=True, exist_ok=True)
        names = []
        for unit in all_units():
            (folder / f"{unit.name}.h").write_text(unit.header)
            if unit.source is not None:
                (folder / f"{unit.name}.c").write_text(unit.source)
                names.append(f"{unit.name}.c")
        halves = [[*self._command, "-c", *names[part::2]] for part in range(2)]
        running = [subprocess.Popen(half, cwd=folder, stderr=subprocess.PIPE) for half in halves]
        for each in running:
            _, errors = each.communicate()
            assert each.returncode == 0, errors.decode()
        self._run("ar", "rcs", "libkernels.a", *(name.replace(".c", ".o") for name in names))

    def _run(self, *command: str) -> None:
        ran = subprocess.run(command, cwd=self.folder, capture_output=True, text=True)
        assert ran.returncode == 0, ran.stderr

    def check(self, package: ExportedPackage) -> str:
        """Build the test of all layers and run it; give what it said if something differs."""
        root, name = package.folder.resolve(), package.plan.name
        program = root / "check"
        sources = [f"{root}/src/{name}.c", f"{root}/test/test_layers.c"]
        sources += [str(path) for path in root.glob("src/*_parameters.[Sc]")]
        folders = [f"-I{root}/{each}" for each in ("include", "src", "app")]
        self._run(
            *self._command,
            f"-D{name.upper()}_OBSERVE",
            f"-I{self.folder}",
            *folders,
            *sources,
            *self._around(package),
            "-L.",
            "-lkernels",
            "-o",
            str(program),
        )
        ran = subprocess.run(self._running(program), cwd=root, capture_output=True, text=True)
        return "" if ran.returncode == 0 else ran.stdout + ran.stderr

    def _around(self, package: ExportedPackage) -> list[str]:
        """Give what the linker needs beside the program and the kernels."""
        return []

    def _running(self, program: Path) -> list[str]:
        return [str(program)]


class BoardBuilder(Builder):
    """Compiles the tests of packages for an emulated board, and runs them there."""

    def __init__(self, folder: Path, board: str, opt: str = "-O2") -> None:
        self._board = find_board(board)
        super().__init__(folder, "arm-none-eabi-gcc", opt, self._board.arch)

    def _around(self, package: ExportedPackage) -> list[str]:
        plan, board = package.plan, self._board.name
        for path, content in board_files(plan, self._board, board).items():
            target = self.folder / path
            target.parent.mkdir(exist_ok=True)
            target.write_bytes(content)
        sections = [
            f'-D{plan.name.upper()}_IN_{arena.symbol.upper()}=__attribute__((section(".{name}")))'
            for arena in plan.arenas
            for name in [f"{plan.name}_{arena.symbol}"]
        ]
        link = ["--specs=rdimon.specs", "-nostartfiles", f"-T{board}/board.ld"]
        link += ["-Wl,--gc-sections", "-Wl,--no-warn-rwx-segments"]
        return ["-DBOARD", f"-I{board}", f"{board}/board.c", *sections, *link]

    def _running(self, program: Path) -> list[str]:
        return board_command(self._board.name, program)
