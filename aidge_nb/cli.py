"""The command ``aidge-nb``: reports, tables and diagrams of ONNX models, and the tutorials.

Exit codes: 0 done, 2 wrong arguments or bad input, 1 a defect of this program, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING

from aidge_nb.cli_options import make_parser, parse_constant, parse_dims, parse_symbol
from aidge_nb.errors import AidgeError
from aidge_nb.files import write_atomically
from aidge_nb.log import Level, logger

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aidge_nb.report import Report

__all__ = ["main"]

_STAGES = ("load", "dimensions", "schedule", "memory", "run", "write")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; give its exit code.

    Examples
    --------
    >>> main(["schedule", "no-such-file.onnx", "--quiet"])
    2
    """
    try:
        options = make_parser(_ACTIONS).parse_args(arguments)
    except SystemExit as stop:
        return int(stop.code or 0)
    level = logger.level
    logger.setLevel(Level.Fatal)
    try:
        with _warnings_as_notes():
            options.action(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130
    except BrokenPipeError:
        _forget_output()
        return 0
    except (AidgeError, OSError) as error:
        if options.debug:
            raise
        sys.stderr.write(f"aidge-nb: {_message(error)}\n")
        return 2
    except Exception as error:  # a user must not meet a traceback
        if options.debug:
            raise
        sys.stderr.write(
            f"aidge-nb: this is a defect, please report it: {type(error).__name__}: {error}\n"
            "Run again with --debug to see where.\n"
        )
        return 1
    finally:
        logger.setLevel(level)
    return 0


@contextmanager
def _warnings_as_notes() -> Iterator[None]:
    """Write warnings for people, each once, when the work is done or has failed."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            yield
        finally:
            for text in dict.fromkeys(str(warning.message) for warning in caught):
                sys.stderr.write(f"note: {text}\n")


def _forget_output() -> None:
    """Send what is left to write nowhere: the reader is gone, and Python flushes at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


# --- commands -------------------------------------------------------------------------------


def _report(options: argparse.Namespace) -> None:
    name = options.model.removeprefix("zoo:")
    target = Path(options.output or f"{Path(name).stem or 'model'}.html")
    _check_folder(target)
    with _progress(options.quiet) as progress:
        report = _study(options, progress, run=options.run)
        progress("write")
        write_atomically(target, report.to_html())
    _say(f"{report!r}\n{target}\n")
    for note in report.notes:
        sys.stderr.write(f"note: {note}\n")


def _schedule(options: argparse.Namespace) -> None:
    with _progress(options.quiet) as progress:
        report = _study(options, progress)
    schedule = report.schedule
    if schedule is None:
        raise AidgeError("; ".join(report.notes))
    writers = {
        ".mmd": lambda: (
            schedule.to_factorized_mermaid(not options.producers)
            if options.factorized
            else schedule.to_mermaid(not options.producers)
        ),
        ".csv": schedule.to_csv,
        ".json": lambda: _json(schedule.to_dict()),
        ".svg": lambda: _svg(schedule),
    }
    if options.output:
        _write(options.output, writers)
        return
    rows = [
        (str(f.early), str(f.late), "*" if f.is_critical else "", actor.type, actor.name)
        for f in schedule.firings
        for actor in [schedule.actors[f.actor]]
        if options.producers or not actor.producer
    ]
    _say(_table(("early", "late", "critical", "type", "node"), rows))
    _say(f"{schedule!r}\n")


def _memory(options: argparse.Namespace) -> None:
    with _progress(options.quiet) as progress:
        report = _study(options, progress)
    plan = report.plan
    if plan is None:
        raise AidgeError("; ".join(report.notes))
    writers = {
        ".csv": plan.to_csv,
        ".json": lambda: _json(plan.to_dict()),
        ".svg": lambda: _svg(plan),
    }
    if options.output:
        _write(options.output, writers)
        return
    rows = [(str(b.offset), str(b.size), str(b.lower), str(b.upper), b.name) for b in plan.buffers]
    _say(_table(("offset", "bytes", "from", "until", "buffer"), rows))
    _say(f"peak {plan.peak} bytes, lower bound {plan.lower_bound} bytes\n")


def _lab(options: argparse.Namespace) -> None:
    from aidge_nb.lab import find_tutorials, open_lab, tutorial_sources

    if options.list:
        _say(f"{tutorial_sources()}\n")
        return
    folder = find_tutorials(options.folder)
    code = open_lab(folder, browser=not options.no_browser, port=options.port)
    if code:
        raise AidgeError(f"JupyterLab ended with exit code {code}")


_ACTIONS = {"report": _report, "schedule": _schedule, "memory": _memory, "lab": _lab}


# --- helpers --------------------------------------------------------------------------------


def _study(
    options: argparse.Namespace, progress: Callable[[str], None], run: bool = False
) -> Report:
    from aidge_nb.report import study
    from aidge_nb.scheduling.policies import SchedulingPolicy

    return study(
        options.model,
        dict(parse_dims(text, i) for i, text in enumerate(options.dims)),
        symbols=dict(parse_symbol(text) for text in options.dim),
        constants=dict(parse_constant(text) for text in options.constant),
        policy=SchedulingPolicy[options.policy],
        fold=options.fold,
        run=run,
        progress=progress,
    )


@contextmanager
def _progress(quiet: bool) -> Iterator[Callable[[str], None]]:
    """Show a bar on the standard error, a step per stage; nothing without tqdm."""
    try:
        if quiet:
            raise ImportError
        from tqdm import tqdm
    except ImportError:
        yield lambda stage: None
        return
    with tqdm(
        total=len(_STAGES),
        leave=False,
        disable=not sys.stderr.isatty(),
        bar_format="{desc:<12}{bar:30} {elapsed}",
    ) as bar:

        def show(stage: str) -> None:
            bar.set_description_str(stage, refresh=False)
            bar.n = _STAGES.index(stage)
            bar.refresh()

        yield show


def _check_folder(target: Path) -> None:
    if not target.parent.is_dir():
        raise AidgeError(f"{target}: there is no folder {target.parent}")
    if target.is_dir():
        raise AidgeError(f"{target}: is a folder (expected the name of a file)")


def _write(path: str, writers: dict[str, Callable[[], str]]) -> None:
    target = Path(path)
    _check_folder(target)
    writer = writers.get(target.suffix.lower())
    if writer is None:
        raise AidgeError(
            f"{path}: unknown format {target.suffix!r} (expected {', '.join(writers)})"
        )
    write_atomically(target, writer())
    _say(f"{target}\n")


def _json(values: object) -> str:
    import json

    return json.dumps(values, indent=1) + "\n"


def _svg(value: object) -> str:
    from aidge_nb.widgets import scene_of, to_svg

    return to_svg(scene_of(value))


def _table(titles: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    widths = [max(len(row[column]) for row in (titles, *rows)) for column in range(len(titles) - 1)]
    lines = []
    for row in (titles, *rows):
        cells = [cell.rjust(width) for cell, width in zip(row[:-1], widths, strict=True)]
        lines.append("  ".join([*cells, row[-1]]))
    return "\n".join(lines) + "\n"


def _say(text: str) -> None:
    sys.stdout.write(text)
