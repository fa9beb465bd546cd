"""A package that was written: building it, running it, and comparing bits."""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aidge_nb.core.errors import ExportError
from aidge_nb.export.boards.emulate import BoardRun, build_on, check_on, run_on
from aidge_nb.export.boards.toolchain import find_compiler, make, run_program
from aidge_nb.export.plan.made import Made
from aidge_nb.export.plan.record import as_inputs, record
from aidge_nb.export.plan.value import ExportPlan
from aidge_nb.export.results import LayerCheck, RunResult, compare, read_layer_check
from aidge_nb.export.write.show import package_html

Array = NDArray[Any]


@dataclass(frozen=True, eq=False, repr=False)
class ExportedPackage:
    """A package in a folder.

    Attributes
    ----------
    folder
        Where it is.
    made
        The plan, the parameters and the graph that it was made of.
    files
        Size of each file in bytes, by path.
    """

    folder: Path
    made: Made
    files: dict[str, int]

    @property
    def plan(self) -> ExportPlan:
        """The plan that was written."""
        return self.made.plan

    # --- building ---------------------------------------------------------------------------

    def build(
        self,
        compiler: str | None = None,
        *,
        opt: str | None = None,
        extra: str = "",
        goals: Sequence[str] = ("all",),
    ) -> Path:
        """Compile the library and the application for this machine.

        Parameters
        ----------
        compiler
            ``gcc``, ``clang``, ...: the one of the variable CC, or the first that is installed.
        opt
            Optimization, such as ``-O2``; that of the Makefile by default.
        extra
            Further flags, for compiling and linking.
        goals
            Goals of the Makefile.

        Returns
        -------
        Path
            The folder of what was built.

        Raises
        ------
        ExportError
            When there is no compiler, or for an error of it: with the line.
        """
        cc = find_compiler(compiler)
        words = "_".join([cc, *(opt or "").split(), *extra.split()])
        name = "".join(c if c.isalnum() or c in "-_." else "_" for c in words)
        variant = f"build/{name}" if compiler or opt or extra else "build/host"
        settings = {"CC": cc, "BUILD": variant}
        settings |= {"OPT": opt} if opt is not None else {}
        settings |= {"EXTRA": extra} if extra else {}
        make(self.folder, goals, settings)
        return self.folder / variant

    def build_on(self, board: str, *, opt: str | None = None) -> Path:
        """Compile the library and the application for an emulated board.

        Parameters, errors and what is given are those of :meth:`run_on` and :meth:`build`.
        """
        return self.folder / build_on(self, board, opt)

    # --- running ----------------------------------------------------------------------------

    def run(
        self,
        inputs: Sequence[ArrayLike] | None = None,
        *,
        compiler: str | None = None,
        opt: str | None = None,
        extra: str = "",
    ) -> RunResult:
        """Run the program on this machine, and compare with the exact NumPy runtime.

        Parameters
        ----------
        inputs
            One array per input; the example inputs by default.
        compiler, opt, extra
            As for :meth:`build`, which is done first where it was not.

        Raises
        ------
        ExportError
            When it cannot be built, the inputs are not what it takes, or it fails.
        """
        program = (self.build(compiler, opt=opt, extra=extra) / self.plan.name).resolve()
        given = self._inputs(inputs)
        with tempfile.TemporaryDirectory() as scratch:
            sources = [Path(scratch) / f"input{number}.bin" for number in range(len(given))]
            targets = [Path(scratch) / f"output{n}.bin" for n in range(len(self.plan.outputs))]
            for path, array in zip(sources, given, strict=True):
                path.write_bytes(array.tobytes())
            ran = run_program([str(program), *map(str, (*sources, *targets))], self.folder)
            if ran.returncode:
                text = (ran.stdout + ran.stderr).strip()
                raise ExportError.at(
                    self.plan.name, f"ended with exit code {ran.returncode}", found=text
                )
            outputs = self._outputs(targets)
        return compare(outputs, record(self.made, given).outputs)

    def _inputs(self, inputs: Sequence[ArrayLike] | None) -> tuple[Array, ...]:
        if inputs is not None:
            return as_inputs(self.made, inputs)
        return tuple(
            np.fromfile(self.folder / f"data/inputs/{v.symbol}.bin", v.dtype.numpy).reshape(v.dims)
            for v in self.plan.inputs
        )

    def _outputs(self, paths: Sequence[Path]) -> tuple[Array, ...]:
        return tuple(
            np.fromfile(path, value.dtype.numpy).reshape(value.dims)
            for path, value in zip(paths, self.plan.outputs, strict=True)
        )

    def run_on(
        self,
        board: str,
        inputs: Sequence[ArrayLike] | None = None,
        *,
        opt: str | None = None,
    ) -> BoardRun:
        """Run the program on an emulated board, and compare with the exact NumPy runtime.

        Parameters
        ----------
        board
            ``mps2-an385``, ``mps2-an386``, ``mps2-an500`` or ``mps3-an547``: a Cortex-M3 without
            floating-point unit, M4, M7 and M55.
        inputs
            One array per input; the example inputs by default.
        opt
            Optimization, ``-O2`` by default.

        Raises
        ------
        ExportError
            When the compiler or the emulator is missing: with the packages that bring them; or
            when the program does not fit the board.
        """
        return run_on(self, board, self._inputs(inputs), opt=opt)

    def check_layers(
        self,
        *,
        compiler: str | None = None,
        opt: str | None = None,
        extra: str = "",
        board: str = "",
    ) -> LayerCheck:
        """Run the tests of the package: every layer and the whole model, on the example inputs.

        Parameters
        ----------
        compiler, opt, extra
            As for :meth:`build`.
        board
            An emulated board to run them on.

        Raises
        ------
        ExportError
            When they cannot be built.
        """
        if board:
            return check_on(self, board, opt=opt)
        built = self.build(compiler, opt=opt, extra=extra, goals=("tests",)).resolve()
        kernels = run_program([str(built / "test_kernels")], self.folder)
        layers = run_program([str(built / "test_layers")], self.folder)
        return read_layer_check(kernels, layers)

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {"text/html": package_html(self.plan, self.files), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return (
            f"ExportedPackage({self.plan.name} for {self.plan.target}: {len(self.files)} files, "
            f"{sum(self.files.values())} bytes)"
        )
