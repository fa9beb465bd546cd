"""The command ``aidge-nb``: reports, tables and diagrams of ONNX models, and the tutorials.

Exit codes: 0 done, 2 wrong arguments or bad input, 130 interrupted, 143 terminated; 1 when a
report was written but its model could not be run (``--run``), and for a defect of this program.
"""

from __future__ import annotations

import argparse
import os
import sys
import warnings
from collections.abc import Callable, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

from aidge_nb.cli.course import run_course
from aidge_nb.cli.export import run_export
from aidge_nb.cli.options import (
    check_target,
    make_parser,
    parse_all_dims,
    parse_constants,
    parse_limits,
    parse_symbols,
)
from aidge_nb.cli.plan import run_plan
from aidge_nb.cli.quantize import run_quantize
from aidge_nb.cli.text import complain, for_command_line, say, table
from aidge_nb.core.errors import AidgeError
from aidge_nb.core.files import naming, write_atomically
from aidge_nb.core.garbage import put_off_collection
from aidge_nb.core.limits import limits
from aidge_nb.core.log import Level, logger
from aidge_nb.core.startup import INTERRUPTED, interrupt_again, is_command, make_streams_safe
from aidge_nb.core.text import terminal_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from aidge_nb.memory import MemoryPlan
    from aidge_nb.report import Report
    from aidge_nb.scheduling import StaticSchedule

T = TypeVar("T")
Writers = dict[str, Callable[[T], str | bytes]]
"""The function that formats a value, by suffix of the file."""

_PAGES = (".html", ".htm")
_STAGES = ("load", "dimensions", "schedule", "memory", "advice", "run", "twin", "write")
_STAGES_OF_QUANTIZE = ("simplify", "observe", "quantize")


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit code.

    Examples
    --------
    >>> main(["schedule", "no-such-file.onnx", "--quiet"])
    2
    """
    try:
        interrupt_again()
        make_streams_safe()
        return _run(arguments)
    except KeyboardInterrupt:  # may also come while an error is being written
        sys.stderr.write("interrupted\n")
        return INTERRUPTED


def _run(arguments: Sequence[str] | None) -> int:
    level = logger.level
    try:
        words = sys.argv[1:] if arguments is None else arguments
        parser = make_parser(_ACTIONS)
        if not words:
            parser.print_help(
                sys.stderr
            )  # the list of commands helps more than "arguments are required"
            return 2
        options = parser.parse_args(words)
        logger.setLevel(Level.Fatal)
        with _warnings_as_notes(), limits(**parse_limits(getattr(options, "limit", ()))):
            options.action(options)
        with naming("standard output"):
            sys.stdout.flush()
    except SystemExit as stop:
        return int(stop.code or 0)
    except BrokenPipeError:
        _forget_output()
        return 0
    except _NotRunError as error:
        complain(f"aidge-nb: {_message(error)}\n")
        return 1
    except (AidgeError, OSError) as error:
        if options.debug:
            raise
        complain(f"aidge-nb: {_message(error)}\n")
        _flush_or_forget()
        return 2
    except MemoryError as error:
        complain(f"aidge-nb: not enough memory: {error}\n")
        return 2
    except Exception as error:  # a user must not meet a traceback
        if options.debug:
            raise
        complain(
            f"aidge-nb: internal error, please report it: {type(error).__name__}: {error}\n"
            "Run again with --debug to see where.\n"
        )
        return 1
    finally:
        logger.setLevel(level)
    return 0


@contextmanager
def _warnings_as_notes() -> Iterator[None]:
    """Print each distinct warning once, after the work is done or has failed."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("default")
        try:
            yield
        finally:
            _note(dict.fromkeys(str(warning.message) for warning in caught))


class _NotRunError(AidgeError):
    """The page was written, but the model could not be run although ``--run`` was given."""


def _flush_or_forget() -> None:
    """Flush standard output; on failure discard the rest, or Python complains at exit."""
    try:
        sys.stdout.flush()
    except OSError:
        _forget_output()


def _forget_output() -> None:
    """Redirect standard output to nowhere: its reader is gone, and Python flushes at exit."""
    with suppress(OSError, ValueError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _message(error: Exception) -> str:
    if isinstance(error, OSError) and error.filename is not None and error.strerror:
        return f"{error.filename}: {error.strerror}"
    return for_command_line(str(error))


# --- commands -------------------------------------------------------------------------------


def _report(options: argparse.Namespace) -> None:
    target = check_target(options.output or _default_page(options.model), _PAGES)
    with _progress(options.quiet) as progress, put_off_collection(for_good=is_command()):
        more = {name: getattr(options, name) for name in ("run", "advice", "ram", "float_twin")}
        report = _study(options, progress, **more)
        progress("write")
        write_atomically(target, report.to_html())
    say(f"{report!r}\n{target}\n")
    for label, text in report.result:
        say(terminal_text(f"{label}: {text}") + "\n")
        for name, values in report.values:
            if name == label:
                say(f"  {terminal_text(values)}\n")
    if report.errors:
        rows = [
            (f"{each.sqnr:.1f}", f"{each.worst[1]:.1f}", str(each.worst[0]), each.name)
            for each in report.errors
        ]
        say(table(("dB", "worst channel", "which", "layer"), rows))
    for line in report.conclusions():
        say(terminal_text(line) + "\n")
    if report.plan is not None and not options.advice:
        say("--advice searches for more changes that lower the peak\n")
    _note(note for note in report.notes if note != report.failure)
    if report.failure:
        raise _NotRunError(report.failure)


def _default_page(model: str) -> str:
    """Return the page's name: ``mobilenet_v2-96.html`` for ``zoo:mobilenet_v2@96``."""
    if model.startswith("zoo:"):
        name = model.removeprefix("zoo:")
        return "".join(c if c.isalnum() or c in "_.-" else "-" for c in name) + ".html"
    return f"{Path(model).stem or 'model'}.html"


def _schedule(options: argparse.Namespace) -> None:
    hidden = not options.producers
    writers: Writers[StaticSchedule] = {
        ".mmd": lambda schedule: (
            schedule.to_factorized_mermaid(hidden)
            if options.factorized
            else schedule.to_mermaid(hidden)
        ),
        ".csv": lambda schedule: schedule.to_csv(),
        ".json": lambda schedule: _json(schedule.to_dict()),
        ".svg": _svg,
    }
    _check_output(options.output, writers)
    if options.factorized and Path(options.output or "").suffix.lower() != ".mmd":
        raise AidgeError("--factorized: applies to Mermaid diagrams only (expected -o FILE.mmd)")
    schedule = _planned(options, "schedule", open_dims=True)
    if options.output:
        _write(options.output, writers, schedule)
        return
    rows = [
        (str(f.early), str(f.late), "*" if f.is_critical else "", actor.type, actor.name)
        for f in schedule.firings
        for actor in [schedule.actors[f.actor]]
        if options.producers or not actor.producer
    ]
    say(table(("early", "late", "critical", "type", "node"), rows))
    say(f"{schedule!r}\n")


def _memory(options: argparse.Namespace) -> None:
    writers: Writers[MemoryPlan] = {
        ".csv": lambda plan: plan.to_csv(),
        ".json": lambda plan: _json(plan.to_dict()),
        ".svg": _svg,
        ".png": _png,
    }
    _check_output(options.output, writers)
    plan = _planned(options, "plan")
    _note(
        f"{b.name}: takes no bytes, because one of its dimensions is 0"
        for b in plan.buffers
        if not b.size
    )
    if options.output:
        _write(options.output, writers, plan)
        return
    rows = [
        (*map(str, (b.offset, b.size, b.lower, b.upper)), b.name, ", ".join(b.shares_with))
        for b in plan.buffers
    ]
    say(table(("offset", "bytes", "from", "until", "buffer", "in place of"), rows, names=2))
    say(f"peak {plan.peak} bytes, lower bound {plan.lower_bound} bytes\n")


def _lab(options: argparse.Namespace) -> None:
    from aidge_nb.cli.lab import find_tutorials, open_lab
    from aidge_nb.course.recorded import tutorial_sources

    if options.list:
        say(f"{tutorial_sources()}\n")
        return
    folder = find_tutorials(options.folder)
    code = open_lab(folder, browser=not options.no_browser, port=options.port)
    if code:
        raise AidgeError(f"JupyterLab ended with exit code {code}")


def _quantize(options: argparse.Namespace) -> None:
    symbols, constants = parse_symbols(options.dim), parse_constants(options.constant)
    inputs = parse_all_dims(options.dims), symbols, constants
    run_quantize(options, inputs, _progress(options.quiet, _STAGES_OF_QUANTIZE))


_ACTIONS = {
    "report": _report,
    "schedule": _schedule,
    "memory": _memory,
    "plan": run_plan,
    "quantize": _quantize,
    "export": run_export,
    "course": run_course,
    "lab": _lab,
}


# --- helpers --------------------------------------------------------------------------------


def _study(
    options: argparse.Namespace,
    progress: Callable[[str], None],
    **more: Any,
) -> Report:
    from aidge_nb.report import study
    from aidge_nb.scheduling.order.policies import SchedulingPolicy

    return study(
        options.model,
        parse_all_dims(options.dims),
        symbols=parse_symbols(options.dim),
        constants=parse_constants(options.constant),
        policy=SchedulingPolicy[options.policy],
        fold=options.fold,
        integer=options.integer,
        progress=progress,
        **more,
    )


def _planned(options: argparse.Namespace, part: str, **more: Any) -> Any:
    """Return the schedule or the plan of a model, and print the notes on it.

    Raise AidgeError where there is none.
    """
    with _progress(options.quiet) as progress:
        report = _study(options, progress, **more)
    found = getattr(report, part)
    if found is None:
        raise AidgeError(" ".join(f"{note.removesuffix('.')}." for note in report.notes))
    _note(report.notes)
    return found


@contextmanager
def _progress(quiet: bool, stages: Sequence[str] = _STAGES) -> Iterator[Callable[[str], None]]:
    """Show a progress bar on standard error; nothing without tqdm.

    Other texts than those of the stages say what is done within one.
    """
    try:
        if quiet:
            raise ImportError
        from tqdm import tqdm
    except ImportError:
        yield lambda stage: None
        return
    with tqdm(
        total=len(stages),
        leave=False,
        disable=not sys.stderr.isatty(),
        bar_format="{desc:<12}{bar:30} {elapsed}",
    ) as bar:

        def show(stage: str) -> None:
            bar.set_description_str(stage, refresh=False)
            if stage in stages:
                bar.n = stages.index(stage)
            bar.refresh()

        yield show


def _check_output(path: str | None, writers: Writers[T]) -> None:
    if path:
        check_target(path, tuple(writers))


def _write(path: str, writers: Writers[T], value: T) -> None:
    target = Path(path)
    write_atomically(target, writers[target.suffix.lower()](value))
    say(f"{target}\n")


def _note(notes: Iterable[str]) -> None:
    for note in notes:
        complain("note: " + terminal_text(for_command_line(note)) + "\n")


def _json(values: object) -> str:
    import json

    return json.dumps(values, indent=1) + "\n"


def _svg(value: object) -> str:
    from aidge_nb.widgets import scene_of, to_svg

    return to_svg(scene_of(value))


def _png(value: object) -> bytes:
    from aidge_nb.widgets import scene_of, to_png

    return to_png(scene_of(value))
