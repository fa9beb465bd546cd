"""Running compilers: found or asked for by name, and their complaints brought to the point."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path

from aidge_nb.core.errors import ExportError, explain, in_a_browser
from aidge_nb.core.limits import current_limits

APT: Mapping[str, str] = {
    "make": "make",
    "gcc": "gcc",
    "cc": "gcc",
    "clang": "clang",
    "arm-none-eabi-gcc": "gcc-arm-none-eabi libnewlib-arm-none-eabi",
    "qemu-system-arm": "qemu-system-arm",
}
"""Packages of Debian and Ubuntu that bring a command."""

_ERROR = re.compile(
    r"^(?P<where>[^\s:][^:\n]*:\d+(?::\d+)?): (?:fatal )?error: (?P<text>.*)$", re.M
)


def need(*commands: str) -> None:
    """Check that commands are installed.

    Raise ExportError, naming those that are not, and how to get them.
    """
    missing = [command for command in commands if shutil.which(command) is None]
    if missing:
        packages = dict.fromkeys(p for c in missing for p in APT.get(c, "").split())
        cure = f"On Debian and Ubuntu:  apt-get install {' '.join(packages)}"
        if not packages:
            cure = "Name another compiler, gcc or clang: by compiler=, or in the variable CC."
        problem = f"not installed: {', '.join(missing)}"
        raise ExportError.at("tools", problem, cure=in_a_browser(cure))


def find_compiler(name: str | None = None) -> str:
    """Find a C compiler: the one asked for, that of the variable CC, or gcc, clang, cc.

    Raise ExportError when there is none.
    """
    if name is None:
        name = os.environ.get("CC") or next(
            (each for each in ("gcc", "clang", "cc") if shutil.which(each)), "gcc"
        )
    need(name.split()[0])
    return name


def make(folder: Path, goals: Sequence[str], settings: Mapping[str, str]) -> str:
    """Run make in a package, two jobs at a time; give what it printed.

    Raise ExportError when make is missing or fails: with the first error of the compiler and its
    line.
    """
    need("make")
    words = [f"{name}={value}" for name, value in settings.items()]
    environment = {key: value for key, value in os.environ.items() if not key.startswith("MAKE")}
    ran = _run(["make", "-j2", *goals, *words], folder, environment)
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

    Raise ExportError when it does not end in time.
    """
    return _run(command, folder)


def _run(
    command: Sequence[str], folder: Path, environment: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a command in a group of its own, which ends with this call, whatever interrupts it."""
    seconds = current_limits().run_seconds
    with subprocess.Popen(
        list(command),
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        errors="replace",
        start_new_session=True,
    ) as process:
        try:
            output, errors = process.communicate(timeout=seconds)
        except subprocess.TimeoutExpired as error:
            called = f"{Path(command[0]).name} in {folder}"
            cure = "Set AIDGE_NB_RUN_SECONDS to a larger number, or use aidge_nb.core.limits."
            raise ExportError.at(called, f"did not end within {seconds} s", cure=cure) from error
        finally:
            _end_group(process)
    return subprocess.CompletedProcess(list(command), process.returncode, output, errors)


_PATIENCE = 2
"""Seconds that programs have to end when they are asked to."""


def _end_group(process: subprocess.Popen[str]) -> None:
    """End what a process started; compilers go on without the make that called them.

    They are asked first, so that they can remove their temporary files.
    """
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, signal.SIGTERM)
            with suppress(subprocess.TimeoutExpired):
                process.wait(_PATIENCE)
            os.killpg(process.pid, signal.SIGKILL)
    elif process.poll() is None:
        process.kill()
