"""Writing a package: the whole folder or nothing, and never over a folder of somebody else's."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from hashlib import sha256
from pathlib import Path

from aidge_nb.core.errors import ExportError, explain
from aidge_nb.core.files import naming
from aidge_nb.export.write.project import MADE_BY, MANIFEST
from aidge_nb.export.write.sources import Files


def check_folder(folder: Path, *, force: bool = False) -> None:
    """Check that a folder may be written: it is not there, empty, or a package of ours.

    Raises
    ------
    ExportError
        When it is something else, and there is no ``force``; or what it would lie in is missing.
    """
    if not folder.parent.is_dir():
        raise ExportError(
            explain(str(folder), "there is no folder to put it in", expected=str(folder.parent))
        )
    cure = "Choose another name, or force it (force=True, --force): what is there is then deleted."
    if folder.is_dir():
        if force or not any(folder.iterdir()):
            return
        changed = _changed(folder)
        if changed is None:
            problem = "is there and was not made by an export"
        elif changed:
            problem = f"was made by an export, and {changed} since"
        else:
            return
    elif folder.exists() or folder.is_symlink():
        problem, cure = "is there and is no folder", "Choose another name."
    else:
        return
    raise ExportError(
        explain(
            str(folder),
            problem,
            expected="a new or empty folder, or one of an export",
            cure=cure,
        )
    )


def _changed(folder: Path) -> str | None:
    """Say which file is not as the export wrote it; nothing where all are; None for no export."""
    try:
        values = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return None
    if not isinstance(values, dict) or values.get("made_by") != MADE_BY:
        return None
    hashes = values.get("files", {})
    for path in sorted(folder.rglob("*")):
        name = path.relative_to(folder).as_posix()
        if path.is_dir() or name == MANIFEST or name.startswith("build/"):
            continue
        if name not in hashes:
            return f"{name} was added"
        if hashes[name] != sha256(path.read_bytes()).hexdigest():
            return f"{name} was changed"
    return ""


def write_folder(folder: Path, files: Files, *, force: bool = False) -> None:
    """Write the files of a package to a folder beside the target, and put it in its place.

    Raises
    ------
    ExportError
        As :func:`check_folder`.
    OSError
        When it cannot be written; names the folder.
    """
    check_folder(folder, force=force)
    with naming(folder):
        scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            for path, content in files.items():
                target = scratch / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
            umask = os.umask(0)
            os.umask(umask)
            scratch.chmod(0o777 & ~umask)  # a scratch folder is private until it is whole
            _put(scratch, folder)
        except BaseException:
            shutil.rmtree(scratch, ignore_errors=True)
            raise


def _put(scratch: Path, folder: Path) -> None:
    """Let the new folder take the place of what is there, if anything."""
    if not folder.exists() and not folder.is_symlink():
        scratch.rename(folder)
        return
    old = Path(tempfile.mkdtemp(prefix=f".{folder.name}.old.", dir=folder.parent))
    folder.rename(old / "was")
    try:
        scratch.rename(folder)
    except BaseException:
        (old / "was").rename(folder)
        raise
    finally:
        shutil.rmtree(old, ignore_errors=True)
