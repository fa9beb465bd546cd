"""Builds the page "Drop your network here": a network is studied in a tab, without a server.

    python docs/drop.py PYODIDE [FOLDER]        default: docs/_site/drop

PYODIDE is an unpacked release of Pyodide 0.27 (of its packages, NumPy's suffices). The building and
the page that comes out need no network; any web server, or `python -m http.server`, can serve it.
Needs the dependency group `lite`.
"""

from __future__ import annotations

import argparse
import json
import shutil
import sys
import tarfile
from hashlib import sha256
from io import BytesIO
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from lite import HERE, ROOT, PartsError, make_wheel, take_pyodide

STATIC = ROOT / "widgets" / "static"
LEFT_OUT = (
    "aidge_nb/notebooks/",
    "aidge_nb/compat/",
    *(f"aidge_nb/widgets/static/{name}" for name in ("drop/", "board.js", "course.js")),
)
"""Parts of the wheel that the page has no use for."""


def build(pyodide: Path, target: Path) -> None:
    """Build the page into a folder, which is replaced.

    Raises
    ------
    PartsError
        When the release of Pyodide lacks a package, or a file of it was changed.
    """
    shutil.rmtree(target, ignore_errors=True)
    (target / "pyodide").mkdir(parents=True)
    lock = take_pyodide(pyodide, target / "pyodide", ("numpy",))
    (target / "pyodide" / "pyodide-lock.json").write_text(json.dumps(lock), "utf-8")
    shutil.copy2(STATIC / "workbench.js", target)
    for script in (STATIC / "drop").glob("*.js"):
        shutil.copy2(script, target)
    shutil.copy2(HERE / "drop" / "index.html", target)
    (target / "aidge_nb.tar.gz").write_bytes(packed())
    keep_offline(target)


def packed() -> bytes:
    """Pack the library as one archive, which is a third smaller than its wheel."""
    found = BytesIO()
    with TemporaryDirectory() as folder:
        make_wheel(Path(folder))
        (wheel,) = Path(folder).glob("*.whl")
        with ZipFile(wheel) as archive, tarfile.open(fileobj=found, mode="w:gz") as tar:
            for name in sorted(archive.namelist()):
                if name.startswith("aidge_nb/") and not is_left_out(name):
                    entry = tarfile.TarInfo(name)
                    entry.size = archive.getinfo(name).file_size
                    tar.addfile(entry, archive.open(name))
    return found.getvalue()


def is_left_out(name: str) -> bool:
    """Return whether a file of the wheel is of no use in the page."""
    return name.startswith(LEFT_OUT) or name.endswith(".pyi")


def keep_offline(target: Path) -> None:
    """Tell the service worker which files there are, and a name for this state of them all."""
    script = target / "offline.js"
    files = sorted(path for path in target.rglob("*") if path.is_file() and path != script)
    names = [path.relative_to(target).as_posix() for path in files]
    digest = sha256()
    for path in files:
        digest.update(path.read_bytes())
    told = f"const VERSION = {json.dumps(digest.hexdigest()[:16])};\n"
    told += f"const FILES = {json.dumps(['./', *names])};\n"
    script.write_text(told + script.read_text("utf-8"), "utf-8")


def main() -> int:
    """Parse the command line and build."""
    parser = argparse.ArgumentParser(description='Build the page "Drop your network here".')
    parser.add_argument("pyodide", type=Path, help="an unpacked release of Pyodide 0.27")
    parser.add_argument("target", type=Path, nargs="?", default=HERE / "_site" / "drop")
    options = parser.parse_args()
    try:
        build(options.pyodide, options.target)
    except PartsError as error:
        sys.exit(str(error))
    return 0


if __name__ == "__main__":
    sys.exit(main())
