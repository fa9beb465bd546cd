"""Compiling units into shared libraries, once each.

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
from collections.abc import Sequence
from functools import cache
from pathlib import Path

from aidge_nb.core.errors import ExportError, explain
from aidge_nb.kernels.c.headers import Unit, find_unit, units_named

FLAGS = ("-std=c11", "-O3", "-march=native", "-ffp-contract=off")
"""How kernels are compiled for the machine at hand; no flag may change a bit of a result."""
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Werror")
"""What the kernels compile without."""


def find_compiler() -> str:
    """Find a C compiler: the one that ``CC`` names, else ``cc``, ``gcc`` or ``clang``.

    Raises
    ------
    ExportError
        When there is none.
    """
    wanted = os.environ.get("CC", "")
    for name in (wanted,) if wanted else ("cc", "gcc", "clang"):
        found = shutil.which(name)
        if found:
            return found
    raise ExportError(
        explain(
            "C compiler",
            "there is none",
            expected=wanted or "cc, gcc or clang",
            cure="Install one (Debian, Ubuntu: sudo apt install gcc; macOS: xcode-select "
            '--install), name it in the environment variable CC, or use set_backend("cpu").',
        )
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

    Raises
    ------
    ExportError
        When the compiler refuses, with what it says.
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
        raise ExportError(
            explain(
                f"compiling {command[-1]}",
                "the compiler refused",
                found=ran.stderr.strip(),
                cure=f"Command: {' '.join([Path(command[0]).name, *command[1:]])}",
            )
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

    Raises
    ------
    ExportError
        When there is no compiler, or it refuses.
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
