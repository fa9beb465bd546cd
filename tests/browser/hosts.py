"""Where the views are shown: notebooks servers that are started for a test, and a file."""

from __future__ import annotations

import json
import os
import re
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from playwright.sync_api import Page

__all__ = [
    "HOSTS",
    "SLOW_HOSTS",
    "lay_extension",
    "lay_on_site",
    "open_lab",
    "run_cell",
    "served",
    "variables_of",
    "write_notebook",
]

HOSTS = ("lab", "notebook", "voila", "file")
SLOW_HOSTS = ("lite",)
"""Where the kernel is in the browser too: it has to be built first, and is slow to start."""

PATIENCE = 120
ROOT = Path(__file__).resolve().parents[2]

_QUIET = {
    "@jupyterlab/notebook-extension/tracker": {"windowingMode": "none"},
    "@jupyterlab/apputils-extension/notification": {"fetchNews": "false", "checkForUpdates": False},
}


def write_notebook(path: Path, *sources: str) -> None:
    """Write a notebook with a cell for each source."""
    cells: list[dict[str, Any]] = [
        {
            "cell_type": "code",
            "id": f"cell{number}",
            "metadata": {},
            "source": source,
            "execution_count": None,
            "outputs": [],
        }
        for number, source in enumerate(sources)
    ]
    kernel = {"name": "python3", "display_name": "Python 3 (ipykernel)", "language": "python"}
    notebook = {
        "cells": cells,
        "metadata": {"kernelspec": kernel},
        "nbformat": 4,
        "nbformat_minor": 5,
    }
    path.write_text(json.dumps(notebook), encoding="utf-8")


@contextmanager
def served(
    host: str,
    folder: Path,
    name: str,
    python: str | Path = sys.executable,
    **variables: str,
) -> Iterator[str]:
    """Serve a notebook of a folder, with some Python; give the address at which it opens."""
    port = _free_port()
    common = ["--no-browser", f"--port={port}"]
    server = [*common, "--allow-root", "--IdentityProvider.token=none", "--ServerApp.root_dir=."]
    commands = {
        "lab": ([str(python), "-m", "jupyterlab", *server], f"lab/tree/{name}?token=none"),
        "notebook": ([str(python), "-m", "notebook", *server], f"notebooks/{name}?token=none"),
        "voila": ([str(python), "-m", "voila", name, *common], ""),
        "lite": (
            [str(python), "-u", "-m", "http.server", "--bind", "127.0.0.1", str(port)],
            f"lab/index.html?path={name}",
        ),
    }
    command, path = commands[host]
    log = folder / f"{host}.log"
    with log.open("wb") as output:
        running = subprocess.Popen(
            command,
            cwd=folder,
            env={**variables_of(folder), **variables},
            stdout=output,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_for(port, running, log)
            yield f"http://127.0.0.1:{port}/{path}"
        finally:
            _end(running)


def _end(running: subprocess.Popen[bytes]) -> None:
    """End a server; one that is told to end while its kernel starts may wait for it for ever."""
    running.terminate()
    try:
        running.wait(timeout=60)
    except subprocess.TimeoutExpired:
        running.kill()
        running.wait(timeout=60)


def lay_on_site(site: Path, notebook: Path) -> Path:
    """Copy a site of JupyterLite, and lay a notebook beside its tutorials; give the copy."""
    copy = notebook.parent / "site"
    shutil.copytree(site, copy)
    content = json.loads(notebook.read_text("utf-8"))
    content["metadata"]["kernelspec"] = {"name": "python", "display_name": "Python (Pyodide)"}
    (copy / "files" / notebook.name).write_text(json.dumps(content), "utf-8")
    listing = copy / "api" / "contents" / "all.json"
    folder = json.loads(listing.read_text("utf-8"))
    first = next(entry for entry in folder["content"] if entry["type"] == "notebook")
    folder["content"].append({**first, "name": notebook.name, "path": notebook.name})
    listing.write_text(json.dumps(folder), "utf-8")
    settings = copy / "jupyter-lite.json"
    config = json.loads(settings.read_text("utf-8"))
    config["jupyter-config-data"]["settingsOverrides"] = {
        plugin.replace("-extension/", "-extension:"): values for plugin, values in _QUIET.items()
    }
    settings.write_text(json.dumps(config), "utf-8")
    return copy


def open_lab(page: Page, address: str) -> None:
    """Open a notebook in JupyterLab, and wait until it has a kernel."""
    page.goto(address)
    page.locator(".jp-Notebook .jp-Cell").first.wait_for(timeout=PATIENCE * 1000)
    kernel = page.locator("text=Python 3 (ipykernel) >> visible=true").first
    kernel.wait_for(timeout=PATIENCE * 1000)


def run_cell(page: Page, number: int) -> None:
    """Ask for it until it begins: a busy machine may not have connected the kernel yet."""
    cell = page.locator(".jp-CodeCell").nth(number)
    for _ in range(6):
        cell.locator(".cm-content").click()
        page.keyboard.press("Control+Enter")
        for _ in range(50):
            if re.search(r"\[(\d+|\*)\]", cell.locator(".jp-InputPrompt").inner_text()):
                return
            page.wait_for_timeout(200)
    pytest.fail("the cell did not begin to run")


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def variables_of(folder: Path) -> dict[str, str]:
    for plugin, values in _QUIET.items():
        path = folder / "settings" / f"{plugin}.jupyterlab-settings"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(values), encoding="utf-8")
    return {
        **os.environ,
        "JUPYTER_PATH": str(lay_extension(folder / "share")),
        "JUPYTERLAB_SETTINGS_DIR": str(folder / "settings"),
        "JUPYTERLAB_WORKSPACES_DIR": str(folder / "workspaces"),
        "JUPYTER_RUNTIME_DIR": str(folder / "runtime"),
        "PYTHONWARNINGS": "ignore",
    }


def lay_extension(share: Path) -> Path:
    """Lay our extension of JupyterLab into a folder, as installing the wheel does."""
    place = share / "labextensions" / "aidge-nb"
    if not place.exists():
        shutil.copytree(ROOT / "widgets" / "labextension", place)
    return share


def _wait_for(port: int, running: subprocess.Popen[bytes], log: Path) -> None:
    for _ in range(PATIENCE * 5):
        if running.poll() is not None:
            break
        text = log.read_text(encoding="utf-8", errors="replace")
        if re.search(rf"http://\S*:{port}/", text) and _answers(port):
            return
        time.sleep(0.2)
    raise RuntimeError(f"the server did not start:\n{log.read_text(errors='replace')}")


def _answers(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0
