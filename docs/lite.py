"""Builds the tutorials as a site that runs in a browser alone: JupyterLite, no server, no network.

    python docs/lite.py PYODIDE [FOLDER] [--wheels FOLDER]        default: docs/_site/lite

PYODIDE is an unpacked release of Pyodide 0.27 (of its packages, NumPy's and IPython's suffice).
The wheels of the views are asked of pip, once, or taken from ``--wheels``. The building itself, and
the site that comes out, need no network: everything is copied into it. Any web server, or
`python -m http.server`, can serve it. Needs the dependency group `lite`.
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from zipfile import ZipFile

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent

CORE = ("pyodide.js", "pyodide.mjs", "pyodide.asm.js", "pyodide.asm.wasm", "python_stdlib.zip")
"""What Pyodide itself is made of."""

BASE = ("numpy", "micropip", "packaging", "sqlite3", "ipython", "jedi")
"""What we take of Pyodide's packages: what aidge_nb needs, and what a notebook's kernel does."""

VIEWS = {
    "anywidget": ("ipywidgets", "psygnal", "typing-extensions"),
    "ipywidgets": ("comm", "ipython", "traitlets"),
    "comm": (),
    "psygnal": (),
    "typing-extensions": (),
    "plotly": ("narwhals", "packaging"),
    "narwhals": (),
}
"""What the views need, and what each of these needs; all of it is pure Python."""

OURS = {"aidge-nb": ("numpy", "anywidget", "plotly")}
"""Our own wheel comes with its views: importing it in a notebook loads all of these."""

KERNEL = {"piplite": ("micropip",), "ipykernel": (), "pyodide-kernel": ("comm", "ipython")}
"""Python packages of JupyterLite's kernel, and what each of these needs."""

PRELOADED = ("micropip", *KERNEL, "comm", "jedi", "ipython")
"""What a kernel loads by the lock file: it then asks no index, where ours would be too old."""

KERNEL_WITH_PIPLITE = "jupyterlite-pyodide-kernel==0.6.1"
"""The last release whose `piplite` speaks to the `micropip` of Pyodide 0.27."""

WHEELS_OF_KERNEL = Path(
    sys.prefix, "share/jupyter/labextensions/@jupyterlite/pyodide-kernel-extension/static/pypi"
)

NEEDS_MACHINE = "machine"
"""The tag of cells that start threads, compile or run a board, or that use the result."""

LOAD_RECORDED = "from aidge_nb.course import recorded; recorded.register()"
"""Said as Python: Pyodide loads the packages that a cell imports, and reads no magics."""

Lock = dict[str, Any]


class PartsError(Exception):
    """Something that the site is made of is missing, or is not what it should be."""


def build(pyodide: Path, target: Path, wheels: Path | None = None) -> None:
    """Build the site into a folder, which is replaced.

    Raises
    ------
    PartsError
        When the release of Pyodide lacks a package, or a file of it was changed.
    """
    with TemporaryDirectory() as folder:
        project, found = Path(folder) / "project", Path(folder) / "wheels"
        static = project / "static" / "pyodide"
        static.mkdir(parents=True)
        lock = take_pyodide(pyodide, static)
        if wheels is None:
            download(found)
        else:
            shutil.copytree(wheels, found)
        make_wheel(found)
        take_kernel(found)
        add_wheels(lock, found, static)
        (static / "pyodide-lock.json").write_text(json.dumps(lock), "utf-8")
        take_notebooks(project / "files")
        (project / "jupyter-lite.json").write_text(json.dumps(settings()), "utf-8")
        make_site(project, target)


def take_pyodide(release: Path, static: Path, packages: tuple[str, ...] = BASE) -> Lock:
    """Copy Pyodide and the packages we need; give the lock file cut down to these."""
    lock: Lock = json.loads((release / "pyodide-lock.json").read_text("utf-8"))
    for name in CORE:
        shutil.copy2(release / name, static / name)
    lock["packages"] = {name: lock["packages"][name] for name in with_dependencies(lock, packages)}
    for name, entry in lock["packages"].items():
        file = release / entry["file_name"]
        if not file.is_file():
            raise PartsError(
                f"{release} has no {file.name} ({name}): take the whole release of Pyodide "
                f"{lock['info']['version']}, not its core alone"
            )
        if sha256(file.read_bytes()).hexdigest() != entry["sha256"]:
            raise PartsError(f"{file} is not the file that Pyodide's lock file names")
        shutil.copy2(file, static / file.name)
    return lock


def with_dependencies(lock: Lock, names: tuple[str, ...]) -> list[str]:
    """List packages and all that these need, by the names of the lock file."""
    packages = lock["packages"]
    asked: set[str] = set()
    needed = {plain(name) for name in names}
    while needed > asked:
        asked = needed
        needed = asked.union(
            *({plain(each) for each in packages[name]["depends"]} for name in asked)
        )
    return sorted(needed)


def plain(name: str) -> str:
    """Write a package's name as lock files do."""
    return re.sub(r"[-_.]+", "-", name).lower()


def download(folder: Path) -> None:
    """Ask pip for the wheels of the views, and for `piplite`, which lies in another wheel."""
    anywhere = ["--platform", "any", "--implementation", "py", "--abi", "none"]
    pip = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps"]
    only = ["--only-binary", ":all:", "--python-version", "3.12"]
    asked = [*VIEWS, KERNEL_WITH_PIPLITE]
    subprocess.run([*pip, *only, *anywhere, "--dest", str(folder), *asked], check=True)
    (kernel,) = folder.glob("jupyterlite_pyodide_kernel-*.whl")
    with ZipFile(kernel) as archive:
        (name,) = (name for name in archive.namelist() if "/piplite-" in name)
        (folder / Path(name).name).write_bytes(archive.read(name))
    kernel.unlink()


def make_wheel(folder: Path) -> None:
    """Build the wheel of this checkout, without a network."""
    hatch = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    command = [*hatch, "--directory", str(folder)]
    subprocess.run(command, cwd=ROOT, check=True, stdout=subprocess.DEVNULL)


def take_kernel(folder: Path) -> None:
    """Copy the wheels of the kernel that is installed here, but for its `piplite`."""
    for file in WHEELS_OF_KERNEL.glob("*kernel-*.whl"):
        shutil.copy2(file, folder)


def add_wheels(lock: Lock, wheels: Path, static: Path) -> None:
    """Add wheels to the lock file: Pyodide then loads them where a notebook imports them."""
    needs = {**VIEWS, **OURS, **KERNEL}
    for file in sorted(wheels.glob("*.whl")):
        name, version = file.name.split("-")[:2]
        shutil.copy2(file, static / file.name)
        lock["packages"][plain(name)] = {
            "name": plain(name),
            "version": version,
            "file_name": file.name,
            "sha256": sha256(file.read_bytes()).hexdigest(),
            "imports": modules(file),
            "depends": list(needs[plain(name)]),
            "install_dir": "site",
            "package_type": "package",
            "unvendored_tests": False,
        }
    missing = needs.keys() - lock["packages"].keys()
    if missing:
        raise PartsError(f"{wheels} has no wheel of {', '.join(sorted(missing))}")


def modules(wheel: Path) -> list[str]:
    """List the modules that a wheel has at its top."""
    with ZipFile(wheel) as archive:
        tops = {name.split("/")[0].removesuffix(".py") for name in archive.namelist()}
    return sorted(name for name in tops if name.isidentifier())


def settings() -> dict[str, Any]:
    """Tell JupyterLite that it asks no package index, whatever a notebook installs."""
    kernel = {"disablePyPIFallback": True, "loadPyodideOptions": {"packages": PRELOADED}}
    config = {
        "appName": "aidge_nb",
        "litePluginSettings": {"@jupyterlite/pyodide-kernel-extension:kernel": kernel},
    }
    return {"jupyter-lite-schema-version": 0, "jupyter-config-data": config}


def take_notebooks(target: Path) -> None:
    """Copy the notebooks but what is for teachers alone, and the lines of outputs as one text.

    A notebook's file holds texts as lists of lines, which a server joins. There is none, and a
    chart in Mermaid that comes as a list is drawn again and again, for ever.
    """
    teachers = shutil.ignore_patterns(".ipynb_checkpoints", "__pycache__", "source", "*.py")
    shutil.copytree(ROOT / "notebooks", target, ignore=teachers)
    for path in target.rglob("*.ipynb"):
        notebook = json.loads(path.read_text("utf-8"))
        show_recorded(notebook, path.stem)
        for cell in notebook["cells"]:
            for output in cell.get("outputs", ()):
                for kind, value in output.get("data", {}).items():
                    is_text = isinstance(value, list) and not kind.endswith("json")
                    output["data"][kind] = "".join(value) if is_text else value
        path.write_text(json.dumps(notebook, ensure_ascii=False), "utf-8")


def show_recorded(notebook: dict[str, Any], name: str) -> None:
    """Let the cells that need a machine show what they gave on one."""
    cells = [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]
    needing = [cell for cell in cells if NEEDS_MACHINE in cell["metadata"].get("tags", ())]
    for cell in needing:
        cell["source"] = f"%%recorded {name} {cell['id']}\n{''.join(cell['source'])}"
    if needing:
        cells[0]["source"] = f"{LOAD_RECORDED}\n{''.join(cells[0]['source'])}"


def make_site(project: Path, target: Path) -> None:
    """Run JupyterLite's own builder."""
    shutil.rmtree(target, ignore_errors=True)
    command = [
        *(sys.executable, "-m", "jupyterlite_core.app"),
        *("build", "--no-sourcemaps", "--no-libarchive", "--apps", "lab"),
        *("--contents", str(project / "files"), "--output-dir", str(target.resolve())),
    ]
    done = subprocess.run(command, cwd=project, capture_output=True, text=True, check=False)
    if done.returncode:
        raise PartsError(f"JupyterLite did not build:\n{done.stdout}{done.stderr}")


def main() -> int:
    """Parse the command line and build."""
    parser = argparse.ArgumentParser(description="Build the tutorials for a browser alone.")
    parser.add_argument("pyodide", type=Path, help="an unpacked release of Pyodide 0.27")
    parser.add_argument("target", type=Path, nargs="?", default=HERE / "_site" / "lite")
    parser.add_argument("--wheels", type=Path, help="the wheels of the views; pip, if missing")
    options = parser.parse_args()
    try:
        build(options.pyodide, options.target, options.wheels)
    except PartsError as error:
        sys.exit(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
