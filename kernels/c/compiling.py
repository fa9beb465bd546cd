"""Compile units into shared libraries, once each, and call C kernels on NumPy arrays.

A library lies in a cache folder under a name that is made of its sources, the compiler and the
flags, so that it is compiled again when one of them changes, and never otherwise.
"""

from __future__ import annotations

import ctypes
import hashlib
import os
import shutil
import subprocess
import tempfile
from collections.abc import Callable, Sequence
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import ExportError
from aidge_nb.kernels.c.calls import Argument, CCall, Constant, Fields, In, Out, Scratch
from aidge_nb.kernels.c.units import Unit, find_unit, struct_of, units_named

FLAGS = ("-std=c11", "-O3", "-march=native", "-ffp-contract=off")
"""How kernels are compiled for the machine at hand; no flag may change a bit of a result."""
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")
"""What the kernels compile without."""


def find_compiler() -> str:
    """Find a C compiler: the one that ``CC`` names, else ``cc``, ``gcc`` or ``clang``.

    Raise ExportError when there is none.
    """
    wanted = os.environ.get("CC", "")
    for name in (wanted,) if wanted else ("cc", "gcc", "clang"):
        found = shutil.which(name)
        if found:
            return found
    raise ExportError.at(
        "C compiler",
        "none is installed",
        expected=wanted or "cc, gcc or clang",
        cure="Install one (Debian, Ubuntu: sudo apt install gcc; macOS: xcode-select "
        '--install), name it in the environment variable CC, or use set_backend("cpu").',
    )


def cache_folder() -> Path:
    """Return the folder for compiled kernels: ``AIDGE_NB_CACHE``, else the user's cache.

    Where the user has none that can be written, it is the folder for temporary files.
    """
    given = os.environ.get("AIDGE_NB_CACHE")
    home = os.environ.get("XDG_CACHE_HOME") or str(Path("~/.cache").expanduser())
    folder = Path(given) if given else Path(home) / "aidge_nb" / "kernels"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        folder = Path(tempfile.gettempdir()) / f"aidge_nb-kernels-{os.getuid()}"
        folder.mkdir(mode=0o700, exist_ok=True)
    return folder


def compile_units(
    units: Sequence[Unit],
    target: Path,
    compiler: str,
    flags: Sequence[str] = FLAGS,
    link: Sequence[str] = ("-shared",),
) -> Path:
    """Compile units, several at a time, into one library.

    Raise ExportError when the compiler refuses, with what it says.
    """
    from concurrent.futures import ThreadPoolExecutor

    with tempfile.TemporaryDirectory(dir=target.parent) as name:
        folder = Path(name)
        sources = []
        for unit in units:
            (folder / f"{unit.name}.h").write_text(unit.header, encoding="utf-8")
            if unit.source is not None:
                sources.append(f"{unit.name}.c")
                (folder / sources[-1]).write_text(unit.source, encoding="utf-8")
        commands = [[compiler, *flags, "-fPIC", "-c", source] for source in sources]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            list(pool.map(lambda command: _run(command, folder), commands))
        objects = [source.replace(".c", ".o") for source in sources]
        _run([compiler, *flags, *link, *objects, "-o", target.name], folder)
        (folder / target.name).replace(target)
    return target


def _run(command: Sequence[str], folder: Path) -> None:
    """Run a compiler; raise what it says."""
    ran = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if ran.returncode:
        raise ExportError.at(
            f"compiling {command[-1]}",
            "the compiler refused",
            found=ran.stderr.strip(),
            cure=f"Command: {' '.join([Path(command[0]).name, *command[1:]])}",
        )


@cache
def _version_of(compiler: str) -> str:
    ran = subprocess.run([compiler, "--version"], capture_output=True, text=True, check=False)
    return ran.stdout


def _machine() -> str:
    """Name the processor, because of ``-march=native``: caches travel with home folders."""
    try:
        lines = Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines()
    except OSError:
        return ""
    return "\n".join(sorted({line for line in lines if line.startswith(("flags", "Features"))}))


def library_of(unit: str, flags: Sequence[str] = FLAGS) -> ctypes.CDLL:
    """Compile a unit and what it needs, unless that was done before, and load it.

    Raise ExportError when there is no compiler, or it refuses.
    """
    return _load(find_unit(unit), find_compiler(), tuple(flags))


@cache
def _load(unit: Unit, compiler: str, flags: tuple[str, ...]) -> ctypes.CDLL:
    units = units_named([unit.name])
    parts = [compiler, _version_of(compiler), _machine(), *flags]
    parts += [text for each in units for text in (each.name, each.header, each.source or "")]
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:20]
    target = cache_folder() / f"{unit.name}-{digest}.so"
    if not target.is_file():
        compile_units(units, target, compiler, flags)
    return ctypes.CDLL(str(target))


Array = NDArray[Any]


def filled_struct(kind: type[ctypes.Structure], fields: Fields) -> ctypes.Structure:
    """Make a configuration; arrays are filled up with zeros.

    Raise ExportError when the fields are not exactly those of the struct, or a number does not fit.

    Examples
    --------
    >>> from aidge_nb.kernels.c.units import struct_of
    >>> filled_struct(struct_of("nb_unary", "nb_unary_config"), {"count": 3}).count
    3
    """
    declared = {entry[0]: entry[1] for entry in kind._fields_}
    if set(declared) != set(fields):
        raise ExportError.at(
            kind.__name__, "wrong fields", expected=sorted(declared), found=sorted(fields)
        )
    made = kind()
    for name, value in fields.items():
        if isinstance(value, tuple):
            target = getattr(made, name)
            if len(value) > len(target):
                raise ExportError.at(
                    f"{kind.__name__}.{name}",
                    "too many numbers",
                    expected=len(target),
                    found=len(value),
                )
            for index, number in enumerate(value):
                _check(kind, name, number, target._type_)
                target[index] = number
        else:
            _check(kind, name, value, declared[name])
            setattr(made, name, value)
    return made


def _check(kind: type[ctypes.Structure], name: str, number: float, ctype: Any) -> None:
    """Refuse an integer that would lose bits."""
    if isinstance(number, float) or ctype in (ctypes.c_float, ctypes.c_double):
        return
    if ctype(number).value != number:
        raise ExportError.at(f"{kind.__name__}.{name}", "does not fit the field", found=number)


class Program:
    """Calls, ready to be run on arrays.

    Raise ExportError when there is no compiler. ``calls`` run in order; ``flags`` say how the
    kernels are compiled.
    """

    def __init__(self, calls: Sequence[CCall], flags: Sequence[str] = FLAGS) -> None:
        self._scratch = np.empty(max((call.scratch for call in calls), default=0), np.uint8)
        self._steps: list[tuple[Callable[..., None], ctypes.Structure, tuple[Argument, ...]]] = []
        self._kept = [
            np.ascontiguousarray(argument.array)
            for call in calls
            for argument in call.args
            if isinstance(argument, Constant)
        ]
        for call in calls:
            function: Callable[..., None] = getattr(library_of(call.unit, flags), call.function)
            config = filled_struct(struct_of(call.unit, call.config), call.fields)
            self._steps.append((function, config, call.args))

    def bound(
        self, inputs: Sequence[Array | None], outputs: Sequence[Array | None]
    ) -> list[Callable[[], None]]:
        """Return the calls on contiguous arrays, which must stay where they are."""
        constants = iter(self._kept)
        return [
            partial(
                function,
                ctypes.byref(config),
                *(self._pointer(each, inputs, outputs, constants) for each in arguments),
            )
            for function, config, arguments in self._steps
        ]

    def run(self, inputs: Sequence[Array | None], outputs: Sequence[Array | None]) -> None:
        """Run on contiguous arrays; outputs are written."""
        for call in self.bound(inputs, outputs):
            call()

    def _pointer(
        self,
        argument: Argument,
        inputs: Sequence[Array | None],
        outputs: Sequence[Array | None],
        constants: Any,
    ) -> ctypes.c_void_p:
        if isinstance(argument, In):
            return _address(inputs[argument.index], argument.offset)
        if isinstance(argument, Out):
            return _address(outputs[argument.index], argument.offset)
        if isinstance(argument, Scratch):
            return _address(self._scratch, argument.offset)
        return _address(next(constants), 0) if isinstance(argument, Constant) else _NOTHING


_NOTHING = ctypes.c_void_p(None)


def _address(array: Array | None, offset: int) -> ctypes.c_void_p:
    return _NOTHING if array is None else ctypes.c_void_p(array.ctypes.data + offset)
