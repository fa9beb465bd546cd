"""The command ``aidge-nb``: reports, tables and diagrams of ONNX models, and the tutorials.

Exit codes: 0 done, 2 wrong arguments or bad input, 1 a defect of this program, 130 interrupted.
"""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from aidge_nb.errors import AidgeError
from aidge_nb.files import write_atomically
from aidge_nb.log import Level, logger

if TYPE_CHECKING:
    from collections.abc import Iterator

    from aidge_nb.report import Report

__all__ = ["main"]

_STAGES = ("load", "dimensions", "schedule", "memory", "run", "write")
_POLICIES = ("Default", "AsSoonAsPossible", "AsLateAsPossible")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; give its exit code.

    Examples
    --------
    >>> main(["schedule", "no-such-file.onnx", "--quiet"])
    2
    """
    try:
        options = _parser().parse_args(arguments)
    except SystemExit as stop:
        return int(stop.code or 0)
    level = logger.level
    logger.setLevel(Level.Fatal)
    try:
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


def _forget_output() -> None:
    """Send what is left to write nowhere: the reader is gone, and Python flushes at its end."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return str(error)


# --- arguments ------------------------------------------------------------------------------


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="aidge-nb",
        description="See how a neural network runs on a small machine.",
        epilog="MODEL is an ONNX file, or zoo:NAME for a model that comes with aidge_nb "
        "(zoo:mobilenet_v2, zoo:resnet18, zoo:lenet, ...).",
    )
    parser.add_argument("--version", action="version", version=_version())
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    _add_report(commands)
    _add_schedule(commands)
    _add_memory(commands)
    _add_lab(commands)
    return parser


def _version() -> str:
    from aidge_nb.version import __version__

    return f"aidge-nb {__version__}"


def _add_command(
    commands: Any, name: str, text: str, action: Callable[[argparse.Namespace], None]
) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text)
    command.set_defaults(action=action)
    command.add_argument("--debug", action="store_true", help="show the traceback of an error")
    return command


def _add_model_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("model", metavar="MODEL", help="an ONNX file, or zoo:NAME")
    command.add_argument(
        "--dims",
        action="append",
        default=[],
        metavar="[NAME=]1,3,224,224",
        help="dimensions of an input; once per input, in order or by name",
    )
    command.add_argument(
        "--dim",
        action="append",
        default=[],
        metavar="N=1",
        help="value of a symbolic dimension; may be repeated",
    )
    command.add_argument(
        "--constant",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="value of an input that is known beforehand, such as sr=16000; may be repeated",
    )
    command.add_argument(
        "--policy", choices=_POLICIES, default="Default", help="order of the nodes"
    )
    command.add_argument(
        "--no-fold",
        dest="fold",
        action="store_false",
        help="keep operators that compute constants, such as generated weights",
    )
    command.add_argument("-q", "--quiet", action="store_true", help="no progress bar")


def _add_report(commands: Any) -> None:
    command = _add_command(commands, "report", "Write one interactive page about a model.", _report)
    _add_model_options(command)
    command.add_argument(
        "-o", "--output", metavar="FILE", help="the page (default: MODEL.html, here)"
    )
    command.add_argument(
        "--run", action="store_true", help="run the model too, on seeded random input"
    )


def _add_schedule(commands: Any) -> None:
    command = _add_command(commands, "schedule", "Print the static schedule.", _schedule)
    _add_model_options(command)
    command.add_argument("--producers", action="store_true", help="list Producers too")
    command.add_argument(
        "--factorized", action="store_true", help="fold repetitions (Mermaid alone)"
    )
    _add_output(command, ".mmd (Mermaid), .csv, .json or .svg")


def _add_memory(commands: Any) -> None:
    command = _add_command(commands, "memory", "Print the memory layout.", _memory)
    _add_model_options(command)
    _add_output(command, ".csv, .json or .svg")


def _add_output(command: argparse.ArgumentParser, formats: str) -> None:
    command.add_argument(
        "-o", "--output", metavar="FILE", help=f"write to a file instead: {formats}"
    )


def _add_lab(commands: Any) -> None:
    command = _add_command(commands, "lab", "Open the tutorials in JupyterLab.", _lab)
    command.add_argument(
        "folder",
        nargs="?",
        metavar="FOLDER",
        help="where to put the tutorials (default: notebooks/ of a checkout, else "
        "aidge_nb_tutorials/); files that are there stay as they are",
    )
    command.add_argument("--no-browser", action="store_true", help="print the address alone")
    command.add_argument("--port", type=int, help="port of the server")
    command.add_argument(
        "--list", action="store_true", help="say where the tutorials were installed, and stop"
    )


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


# --- helpers --------------------------------------------------------------------------------


def _study(
    options: argparse.Namespace, progress: Callable[[str], None], run: bool = False
) -> Report:
    from aidge_nb.report import study
    from aidge_nb.scheduling.policies import SchedulingPolicy

    return study(
        options.model,
        dict(_parse_dims(text, i) for i, text in enumerate(options.dims)),
        symbols=dict(_parse_symbol(text) for text in options.dim),
        constants=dict(_parse_constant(text) for text in options.constant),
        policy=SchedulingPolicy[options.policy],
        fold=options.fold,
        run=run,
        progress=progress,
    )


def _parse_dims(text: str, position: int) -> tuple[str | int, list[int]]:
    name, _, numbers = text.rpartition("=")
    try:
        dims = [int(number) for number in numbers.replace("x", ",").split(",") if number.strip()]
    except ValueError:
        raise AidgeError(
            f"--dims {text}: not dimensions (expected whole numbers such as 1,3,224,224)"
        ) from None
    return name or position, dims


def _parse_symbol(text: str) -> tuple[str, int]:
    name, _, number = text.partition("=")
    if not name or not number.strip().isdecimal():
        raise AidgeError(f"--dim {text}: not a symbolic dimension (expected, say, N=1)")
    return name, int(number)


def _parse_constant(text: str) -> tuple[str, int | float]:
    name, _, number = text.partition("=")
    for kind in (int, float):
        try:
            return name, kind(number)
        except ValueError:
            continue
    raise AidgeError(f"--constant {text}: not a value (expected, say, sr=16000)")


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
    with tqdm(total=len(_STAGES), leave=False, bar_format="{desc:<12}{bar:30} {elapsed}") as bar:

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
