"""The command ``aidge-nb export``: write a model as C sources, and build and run them.

Exit codes: 0 done (and, with ``--run``, all bits equal), 1 bits differ, 2 wrong arguments or bad
input.
"""

from __future__ import annotations

import argparse
from typing import TYPE_CHECKING

from aidge_nb.cli.options import parse_all_dims, parse_constants, parse_symbols
from aidge_nb.cli.text import complain, say
from aidge_nb.core.errors import AidgeError
from aidge_nb.core.text import terminal_text

if TYPE_CHECKING:
    from aidge_nb.export import ExportedPackage, RunResult
    from aidge_nb.graph.view import GraphView
    from aidge_nb.memory import Memory


def run_export(options: argparse.Namespace) -> None:
    """Run ``aidge-nb export``."""
    from aidge_nb.export import export

    view, title = _load(options)
    package = export(
        view,
        options.output,
        target=options.target,
        force=options.force,
        name=options.name or title,
        memories=_memories(options.memory),
        parameters=options.parameters,
        layers=options.layers,
        integer=options.integer,
    )
    plan = package.plan
    say(f"{package!r}\n{options.output}\n")
    say(
        f"RAM: activations {plan.arena_bytes} bytes, stack {plan.stack} bytes; "
        f"ROM: parameters {plan.parameter_bytes} bytes\n"
    )
    if options.build or options.run:
        _build(package, options)
    if options.run:
        _run(package, options)


def _load(options: argparse.Namespace) -> tuple[GraphView, str]:
    """Load the model, with dimensions for all of its inputs."""
    from aidge_nb.graph.inference import propagate_dims
    from aidge_nb.report.source import load_source

    loaded = load_source(
        _sized(options.model, options.size),
        parse_all_dims(options.dims),
        parse_symbols(options.dim),
        parse_constants(options.constant),
        integer=options.integer,
    )
    for note in loaded.assumed:
        complain(f"note: {note}\n")
    propagate_dims(loaded.view, list(loaded.dims), allow_data_dependency=True)
    return loaded.view, loaded.title.partition("@")[0]


def _sized(model: str, size: int | None) -> str:
    if size is None:
        return model
    if not model.startswith("zoo:") or "@" in model:
        raise AidgeError.at(
            f"--size {size}",
            "applies to built-in models only",
            expected="zoo:NAME",
            found=model,
            cure="Pass the dimensions of inputs with --dims.",
        )
    return f"{model}@{size}"


def _memories(texts: list[str]) -> list[Memory] | None:
    """Read every ``NAME=SIZE``, the fastest memory first."""
    from aidge_nb.hardware.targets.units import bytes_of
    from aidge_nb.memory import Memory

    found = []
    for rank, text in enumerate(texts):
        name, _, size = text.partition("=")
        if not name or not size:
            raise AidgeError(f"--memory {text}: not a memory (expected something like l1=64KiB)")
        found.append(Memory(name, bytes_of(size, f"--memory {name}"), rank))
    return found or None


def _build(package: ExportedPackage, options: argparse.Namespace) -> None:
    board = _board(options)
    built = package.build_on(board) if board else package.build()
    say(f"{built}\n")


def _board(options: argparse.Namespace) -> str:
    from aidge_nb.export.boards.targets import find_target

    return find_target(options.target).board


def _run(package: ExportedPackage, options: argparse.Namespace) -> None:
    board = _board(options)
    result: RunResult = package.run_on(board) if board else package.run()
    for value, array in zip(package.plan.outputs, result.outputs, strict=True):
        shown = " ".join(f"{each:g}" for each in array.ravel()[:8].tolist())
        more = " ..." if array.size > 8 else ""
        say(f"{terminal_text(value.name)} ({value.text}): {shown}{more}\n")
    say(f"{result!r}\n")
    if not result.is_equal:
        check = package.check_layers(board=board)
        complain(f"aidge-nb: the bits differ from the exact NumPy runtime: {check.first}\n")
        raise SystemExit(1)
