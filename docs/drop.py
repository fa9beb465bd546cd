"""Builds the page "Drop your network here": a network is studied in a tab, without a server.

    python docs/drop.py PYODIDE [FOLDER]        default: docs/_site/drop

PYODIDE is an unpacked release of Pyodide 0.27 (of its packages, NumPy's suffices). The building and
the page that comes out need no network; any web server, or `python -m http.server`, can serve it.
Needs the dependency group `lite`.
"""

from __future__ import annotations

import argparse
import ast
import gzip
import json
import re
import shutil
import struct
import sys
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory
from zipfile import ZipFile

from lite import HERE, ROOT, PartsError, make_wheel, take_pyodide

STATIC = ROOT / "widgets" / "static"
LEFT_OUT = (
    "aidge_nb/notebooks/",
    "aidge_nb/compat/",
    "aidge_nb/course/",
    "aidge_nb/cli/",
    "aidge_nb/widgets/static/",
)
"""Parts of the wheel that the page has no use for, or that it has already (its script)."""


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
    numpy = target / "pyodide" / lock["packages"].pop("numpy")["file_name"]
    (target / "pyodide" / "numpy.pack").write_bytes(packed(numpy, is_of_numpy))
    numpy.unlink()
    (target / "pyodide" / "pyodide-lock.json").write_text(json.dumps(lock), "utf-8")
    shutil.copy2(STATIC / "workbench.js", target)
    for script in (STATIC / "drop").glob("*.js"):
        shutil.copy2(script, target)
    shutil.copy2(HERE / "drop" / "index.html", target)
    with TemporaryDirectory() as folder:
        make_wheel(Path(folder))
        (wheel,) = Path(folder).glob("*.whl")
        (target / "aidge_nb.pack").write_bytes(packed(wheel, is_of_ours, shortened))
    keep_offline(target)


def packed(
    wheel: Path,
    is_wanted: Callable[[str], bool],
    change: Callable[[str, bytes], bytes] = lambda _, content: content,
) -> bytes:
    """Pack files of a wheel as the page lays them out: a list of them, and their bytes.

    It is a third smaller than a wheel, whose files are compressed one by one.
    """
    with ZipFile(wheel) as archive:
        names = sorted(filter(is_wanted, archive.namelist()))
        contents = [change(name, archive.read(name)) for name in names]
    files = [(name, len(content)) for name, content in zip(names, contents, strict=True)]
    told = json.dumps({"files": files}).encode()
    return gzip.compress(b"".join([struct.pack("<I", len(told)), told, *contents]), mtime=0)


def shortened(name: str, content: bytes) -> bytes:
    """Remove comments and docstrings from a module: nobody reads them in the page.

    That takes a quarter off what is fetched, and less is compiled at the first start.
    """
    if not name.endswith(".py"):
        return content
    tree = ast.parse(content)
    for node in ast.walk(tree):
        if isinstance(body := getattr(node, "body", None), list):
            body[:] = [each for each in body if not is_text(each)] or [ast.Pass()]
    return ast.unparse(tree).encode()


def is_text(statement: ast.stmt) -> bool:
    """Return whether a statement is a text alone, as docstrings are."""
    value = statement.value if isinstance(statement, ast.Expr) else None
    return isinstance(value, ast.Constant) and isinstance(value.value, str)


def is_of_ours(name: str) -> bool:
    """Return whether the page has a use for a file of our wheel."""
    is_left_out = name.startswith(LEFT_OUT) or name.endswith(".pyi")
    return name.startswith("aidge_nb/") and not is_left_out


def is_of_numpy(name: str) -> bool:
    """Return whether the page has a use for a file of NumPy's wheel: code, and its licence."""
    is_code = name.endswith((".py", ".so")) and not re.search("/tests/|/f2py/", name)
    return is_code or Path(name).name.startswith("LICENSE")


def keep_offline(target: Path) -> None:
    """Tell the workers which files there are, and a name for this state of them all."""
    scripts = [target / "offline.js", target / "worker.js"]
    files = sorted(path for path in target.rglob("*") if path.is_file() and path != scripts[0])
    names = [path.relative_to(target).as_posix() for path in files]
    digest = sha256()
    for path in [*files, scripts[0]]:
        digest.update(path.read_bytes())
    told = f"const VERSION = {json.dumps(digest.hexdigest()[:16])};\n"
    told += f"const FILES = {json.dumps(['./', *names])};\n"
    for script in scripts:
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
