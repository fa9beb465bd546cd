"""Running compilers: found or asked for by name, and their complaints brought to the point."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping, Sequence
from pathlib import Path

from aidge_nb.core.errors import ExportError, explain

APT: Mapping[str, str] = {
    "make": "make",
    "gcc": "gcc",
    "cc": "gcc",
    "clang": "clang",
    "arm-none-eabi-gcc": "gcc-arm-none-eabi libnewlib-arm-none-eabi",
    "qemu-system-arm": "qemu-system-arm",
}
"""Packages of Debian and Ubuntu that bring a command."""

TIME_LIMIT = 600
"""Seconds after which a compiler or a program is stopped."""

_ERROR = re.compile(
    r"^(?P<where>[^\s:][^:\n]*:\d+(?::\d+)?): (?:fatal )?error: (?P<text>.*)$", re.M
)


def need(*commands: str) -> None:
    """Check that commands are installed.

    Raises
    ------
    ExportError
        Naming those that are not, and how to get them.
    """
    missing = [command for command in commands if shutil.which(command) is None]
    if missing:
        packages = dict.fromkeys(p for c in missing for p in APT.get(c, "").split())
        cure = f"On Debian and Ubuntu:  apt-get install {' '.join(packages)}"
        if not packages:
            cure = "Name another compiler, gcc or clang: by compiler=, or in the variable CC."
        raise ExportError(explain("tools", f"not installed: {', '.join(missing)}", cure=cure))


def find_compiler(name: str | None = None) -> str:
    """Find a C compiler: the one asked for, that of the variable CC, or gcc, clang, cc.

    Raises
    ------
    ExportError
        When there is none.
    """
    if name is None:
        name = os.environ.get("CC") or next(
            (each for each in ("gcc", "clang", "cc") if shutil.which(each)), "gcc"
        )
    need(name.split()[0])
    return name


def make(folder: Path, goals: Sequence[str], settings: Mapping[str, str]) -> str:
    """Run make in a package, two jobs at a time; give what it printed.

    Raises
    ------
    ExportError
        When make is missing or fails: with the first error of the compiler and its line.
    """
    need("make")
    words = [f"{name}={value}" for name, value in settings.items()]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    ran = subprocess.run(
        ["make", "-j2", *goals, *words],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        errors="replace",
        timeout=TIME_LIMIT,
        check=False,
    )
    if ran.returncode:
        raise ExportError(_complaint(folder, ran.stdout, ran.stderr))
    return ran.stdout


def _complaint(folder: Path, output: str, errors: str) -> str:
    """Say what went wrong, with the line of the source if a compiler named one."""
    found = _ERROR.search(errors)
    if found is None:
        lines = (errors.strip() or output.strip()).splitlines()
        telling = [line for line in lines if "rror" in line or "undefined" in line] or lines
        return explain(f"make in {folder}", "failed", found=" / ".join(telling[:3]))
    where = found["where"]
    path, _, rest = where.partition(":")
    number = int(rest.partition(":")[0])
    source = folder / path
    line = ""
    if source.is_file():
        rows = source.read_text(encoding="utf-8", errors="replace").splitlines()
        line = rows[number - 1].strip() if 0 < number <= len(rows) else ""
    return explain(f"{where}", found["text"], found=line or None)


def run_program(command: Sequence[str], folder: Path) -> subprocess.CompletedProcess[str]:
    """Run a program that was built, in the folder of its package.

    Raises
    ------
    ExportError
        When it does not end in time.
    """
    try:
        return subprocess.run(
            list(command),
            cwd=folder,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=TIME_LIMIT,
            check=False,
        )
    except subprocess.TimeoutExpired as error:
        raise ExportError(
            explain(Path(command[0]).name, f"did not end within {TIME_LIMIT} s")
        ) from error
