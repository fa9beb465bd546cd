"""The command ``aidge-nb lab``: open the tutorials in JupyterLab."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

from aidge_nb.cli.trust import trust_tutorials
from aidge_nb.core.errors import AidgeError, MissingExtraError
from aidge_nb.course.recorded import FIRST, tutorial_sources


def find_tutorials(folder: str | None = None) -> Path:
    """Return a writable folder with the tutorials, after creating it if necessary.

    Parameters
    ----------
    folder
        The folder; by default ``notebooks/`` when the working folder is a checkout, else
        ``aidge_nb_tutorials/``. Existing files are kept.

    Raises
    ------
    AidgeError
        When ``folder`` is the name of a file.
    """
    if folder is not None and (Path(folder).suffix == ".ipynb" or Path(folder).is_file()):
        raise AidgeError.at(
            f"lab {folder}",
            "is a file",
            expected="a folder for the tutorials",
            cure="Open a notebook of your own with: jupyter lab NOTEBOOK",
        )
    checkout = Path("notebooks")
    if folder is None and (checkout / FIRST).is_file() and Path("pyproject.toml").is_file():
        return checkout
    sources = tutorial_sources()
    target = Path(folder or "aidge_nb_tutorials")
    target.mkdir(parents=True, exist_ok=True)
    for source in sorted(sources.rglob("*")):
        copy = target / source.relative_to(sources)
        if ".ipynb_checkpoints" in source.parts:
            continue
        if source.is_dir():
            copy.mkdir(exist_ok=True)
        elif not copy.exists():
            shutil.copyfile(source, copy)
    return target


def open_lab(folder: Path, *, browser: bool = True, port: int | None = None) -> int:
    """Run JupyterLab on the first tutorial until it is stopped, and return its exit code.

    The tutorials that are unchanged are trusted first: see :mod:`aidge_nb.cli.trust`.
    JupyterLab opens a browser if it can, and always prints its address. :func:`start` says what
    becomes of this process.

    Raises
    ------
    MissingExtraError
        When JupyterLab is not installed.
    """
    if find_spec("jupyterlab") is None:
        raise MissingExtraError("jupyterlab", "lab")
    trust_tutorials(folder, tutorial_sources())
    command = [
        sys.executable,
        "-m",
        "jupyterlab",
        f"--ServerApp.root_dir={folder.resolve()}",
        f"--LabApp.default_url=/lab/tree/{FIRST}",
        "--LabApp.check_for_updates_class=jupyterlab.NeverCheckForUpdate",  # needs a network
    ]
    if not browser:
        command.append("--no-browser")
    if port is not None:
        command.append(f"--port={port}")
    if hasattr(os, "geteuid") and os.geteuid() == 0:
        command.append("--allow-root")  # containers have no other user
    return start(command)


def start(command: Sequence[str]) -> int:
    """Run a program until it ends, and return its exit code.

    On POSIX this process *becomes* the program, so that stopping the command stops JupyterLab.
    On Windows it waits for the program.
    """
    sys.stdout.flush()
    sys.stderr.flush()
    if os.name == "posix":
        os.execv(command[0], list(command))
    try:
        return subprocess.call(command)
    except KeyboardInterrupt:  # JupyterLab was interrupted too, and ends
        return 0
