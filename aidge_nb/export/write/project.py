"""A whole package: its files, and the folder that they go to.

All files are rendered before one is written. A folder is written whole or not at all, and never
over one of somebody else's.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any
from zlib import crc32

from aidge_nb.core.errors import ExportError
from aidge_nb.core.files import current_umask, naming
from aidge_nb.core.text import csv_text, markdown_text
from aidge_nb.export.boards.boards import board_files
from aidge_nb.export.boards.targets import ExportTarget, find_board
from aidge_nb.export.plan.made import Made
from aidge_nb.export.plan.parts import ProgramTensor
from aidge_nb.export.plan.record import Recording
from aidge_nb.export.plan.value import ExportPlan
from aidge_nb.export.write.harness import application, kernel_tests, layer_test, unit_tests
from aidge_nb.export.write.show import copies_text
from aidge_nb.export.write.sources import (
    Files,
    api_values,
    count_of,
    element_of,
    fill,
    layer_sources,
    parameter_sources,
    program_sources,
    template,
)

MANIFEST = "manifest.json"
MADE_BY = "aidge_nb export 1"
"""What the manifest of a package says: the version is that of the form of packages."""


def render(
    made: Made,
    target: ExportTarget,
    recording: Recording,
    *,
    parameters: str = "incbin",
    layers: str = "bytes",
) -> Files:
    """Write all files of a package, in memory.

    ``parameters`` are written as ``incbin`` or ``c``; of what every layer must write, its ``bytes``
    or ``sums`` are kept.
    """
    plan, sums = made.plan, layers == "sums"
    files = {
        **program_sources(plan),
        **layer_sources(plan),
        **parameter_sources(plan, made.arrays, parameters),
        **application(plan),
        **layer_test(plan, sums=sums),
        **unit_tests(plan, kernel_tests(plan), recording),
        **_data(plan, recording, sums),
        **_build_files(plan, target, parameters),
        **(
            {}
            if target.is_host
            else board_files(plan, find_board(target.board), f"boards/{target.board}")
        ),
        "LICENSE": template("LICENSE.in").encode(),
        "README.md": _readme(plan, target, sums).encode(),
    }
    files[MANIFEST] = _manifest(plan, files).encode()
    return dict(sorted(files.items()))


def _data(plan: ExportPlan, recording: Recording, sums: bool) -> Files:
    files: Files = {}
    for value, array in zip(plan.inputs, recording.inputs, strict=True):
        files[f"data/inputs/{value.symbol}.bin"] = array.tobytes()
    for value, array in zip(plan.outputs, recording.outputs, strict=True):
        files[f"data/outputs/{value.symbol}.bin"] = array.tobytes()
    contents = [each.content for each in recording.written]
    if sums:
        contents = [crc32(each).to_bytes(4, "little") for each in contents]
    files["data/layers.bin"] = b"".join(contents)
    rows: list[tuple[object, ...]] = [
        ("step", "node", "type", "output", "dtype", "dims", "offset", "bytes")
    ]
    offset = 0
    for each, content in zip(recording.written, contents, strict=True):
        value, size = each.value, len(content)
        dims = "x".join(map(str, value.dims))
        step = each.step
        rows.append(
            (step.number, step.node, step.type, value.name, value.dtype.name, dims, offset, size)
        )
        offset += size
    files["data/layers.csv"] = csv_text(rows).encode()
    return files


HOW_ON_A_BOARD = """\
# On an emulated board, with arm-none-eabi-gcc, newlib and qemu-system-arm:
#
#   make BOARD={} test"""
NO_BOARD = "# For an emulated board, export for a target such as cortex-m4."


def _build_files(plan: ExportPlan, target: ExportTarget, parameters: str) -> Files:
    assembler = parameters == "incbin" and bool(plan.parameters)
    values = api_values(plan) | {
        "boards": HOW_ON_A_BOARD.format(target.board) if target.board else NO_BOARD,
        "native": " -march=native" if target.is_host else "",
        "assembler": " ASM" if assembler else "",
        "depends": f"${{CMAKE_CURRENT_SOURCE_DIR}}/src/{plan.name}_parameters.bin"
        if assembler
        else "",
    }
    return {
        "Makefile": fill(template("Makefile.in"), values).encode(),
        "CMakeLists.txt": fill(template("CMakeLists.txt.in"), values).encode(),
    }


# --- README ---------------------------------------------------------------------------------


def _readme(plan: ExportPlan, target: ExportTarget, sums: bool) -> str:
    both = (*plan.inputs, *plan.outputs)
    values = api_values(plan) | {
        "n_entries": str(sum(1 for _ in plan.walk())),
        "declarations": "\n".join(
            f"static {element_of(v)} {v.symbol}[{count_of(plan, v)}];" for v in both
        ),
        "call": ", ".join(v.symbol for v in both),
        "tensors": "\n".join(
            f"| {'input' if v in plan.inputs else 'output'} | `{v.symbol}` | {v.dtype.name} "
            f"| {' × '.join(map(str, v.dims)) or 'scalar'} | {v.size} |"
            for v in both
        ),
        "memory": "\n".join(_memory_rows(plan)),
        "io_bytes": str(sum(v.nbytes for v in both)),
        "boards": ""
        if target.is_host
        else fill(template("board_readme.in"), {"board": target.board}),
        "layers": "the checksum of what every layer must write"
        if sums
        else "what every layer must write",
    }
    return fill(template("README.md.in"), values)


def _memory_rows(plan: ExportPlan) -> Iterator[str]:
    for arena in plan.arenas:
        where = f"RAM, memory {markdown_text(arena.memory)}" if arena.memory else "RAM"
        yield f"| activations, `{plan.name}_{arena.symbol}` | {arena.size} | {where} |"
    yield f"| stack of one call, at most | {plan.stack} | RAM |"
    yield f"| parameters | {plan.parameter_bytes} | ROM |"
    if plan.copied_aside:
        yield f"\n{copies_text(plan, markdown_text)}"


# --- manifest -------------------------------------------------------------------------------


def _manifest(plan: ExportPlan, files: Files) -> str:
    """Describe the package to programs."""
    hashes = {path: sha256(files[path]).hexdigest() for path in sorted(files)}
    whole = sha256("".join(f"{path}:{digest}\n" for path, digest in hashes.items()).encode())
    values: dict[str, Any] = {
        "made_by": MADE_BY,
        "name": plan.name,
        "target": plan.target,
        "inputs": [_described(value) for value in plan.inputs],
        "outputs": [_described(value) for value in plan.outputs],
        "bytes": {
            "arena": plan.arena_bytes,
            "stack": plan.stack,
            "parameters": plan.parameter_bytes,
        },
        "arenas": [
            {"symbol": f"{plan.name}_{a.symbol}", "memory": a.memory, "bytes": a.size}
            for a in plan.arenas
        ],
        "buffers": [
            {
                "node": b.node,
                "output": b.output,
                "arena": b.arena,
                "offset": b.offset,
                "bytes": b.value.nbytes,
            }
            for b in plan.buffers
        ],
        "parameters": [_described(value) | {"sha256": value.digest} for value in plan.parameters],
        "steps": [
            {
                "number": step.number,
                "node": step.node,
                "type": step.type,
                "executions": step.total,
                "calls": [call.function for call in step.calls],
            }
            for step in plan.walk()
        ],
        "files": hashes,
        "hash": whole.hexdigest(),
    }
    return json.dumps(values, indent=1) + "\n"


def _described(value: ProgramTensor) -> dict[str, Any]:
    return {
        "symbol": value.symbol,
        "name": value.name,
        "dtype": value.dtype.name,
        "dims": list(value.dims),
        "bytes": value.nbytes,
    }


def check_folder(folder: Path, *, force: bool = False) -> None:
    """Check that a folder may be written: it is not there, empty, or a package of ours.

    Raise ExportError when it is something else, and there is no ``force``; or what it would lie in
    is missing.
    """
    if not folder.parent.is_dir():
        raise ExportError.at(
            str(folder), "there is no folder to put it in", expected=str(folder.parent)
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
    raise ExportError.at(
        str(folder), problem, expected="a new or empty folder, or one of an export", cure=cure
    )


def _changed(folder: Path) -> str | None:
    """Say which file is not as the export wrote it; nothing where all are; None for no export."""
    try:
        values = json.loads((folder / MANIFEST).read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError):
        return None
    hashes = values.get("files", {}) if isinstance(values, dict) else None
    if not isinstance(hashes, dict) or values.get("made_by") != MADE_BY:
        return None
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

    Raise ExportError as :func:`check_folder`. Raise OSError when it cannot be written; names the
    folder.
    """
    check_folder(folder, force=force)
    with naming(folder):
        scratch = Path(tempfile.mkdtemp(prefix=f".{folder.name}.", dir=folder.parent))
        try:
            for path, content in files.items():
                target = scratch / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(content)
            scratch.chmod(0o777 & ~current_umask())  # a scratch folder is private until it is whole
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
