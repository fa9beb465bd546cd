"""The arguments of the command ``aidge-nb``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from aidge_nb.core.errors import AidgeError, HardwareError
from aidge_nb.version import __version__

POLICIES = (
    "Default",
    "AsSoonAsPossible",
    "AsLateAsPossible",
    "ShortestBranchFirst",
    "LonguestBranchFirst",
    "LowestMemoryFirst",
    "ReduceForkMemory",
    "MinimumMemory",
)
"""Names of :class:`~aidge_nb.scheduling.SchedulingPolicy`, which takes long to import."""

Action = Callable[[argparse.Namespace], None]
Actions = Mapping[str, Action]
K = TypeVar("K")
V = TypeVar("V")


def make_parser(actions: Actions) -> argparse.ArgumentParser:
    """Return the parser; ``actions`` maps each command to its function."""
    parser = argparse.ArgumentParser(
        prog="aidge-nb",
        description="See how a neural network runs on a small machine.",
        epilog="MODEL is an ONNX file, or zoo:NAME for a model that comes with aidge_nb "
        "(zoo:mobilenet_v2, zoo:resnet18, zoo:lenet, ...), at another size with zoo:NAME@96, or "
        "with the options of its builder: zoo:resnet18@size=64,batch=4,width=0.5.",
    )
    parser.add_argument("--version", action="version", version=f"aidge-nb {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, add in _COMMANDS.items():
        add(commands, actions[name])
    return parser


def _add_command(commands: Any, name: str, text: str, action: Action) -> argparse.ArgumentParser:
    command: argparse.ArgumentParser = commands.add_parser(name, help=text, description=text)
    command.set_defaults(action=action)
    command.add_argument("--debug", action="store_true", help="show the traceback of an error")
    return command


def _add_source_options(command: argparse.ArgumentParser) -> None:
    command.add_argument("model", metavar="MODEL", help="an ONNX file, zoo:NAME, or zoo:NAME@SIZE")
    command.add_argument(
        "--dims",
        action="append",
        default=[],
        metavar="[NAME=]1,3,224,224",
        help="dimensions of an input; once per input, in order or by name (a model of the zoo is "
        "built at another size with zoo:NAME@SIZE)",
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


def _add_model_options(command: argparse.ArgumentParser) -> None:
    _add_source_options(command)
    command.add_argument("--policy", choices=POLICIES, default="Default", help="order of the nodes")
    command.add_argument(
        "--no-fold",
        dest="fold",
        action="store_false",
        help="keep operators that compute constants, such as generated weights",
    )
    command.add_argument("-q", "--quiet", action="store_true", help="no progress bar")


def _add_report(commands: Any, action: Action) -> None:
    command = _add_command(commands, "report", "Write one interactive page about a model.", action)
    _add_model_options(command)
    command.add_argument(
        "-o", "--output", metavar="FILE", help="the page, an .html file (default: MODEL.html, here)"
    )
    command.add_argument(
        "--run",
        action="store_true",
        help="run the model too, on seeded random input, and print what comes out (exit code 1 "
        "when it cannot be run)",
    )


def _add_schedule(commands: Any, action: Action) -> None:
    command = _add_command(commands, "schedule", "Print the static schedule.", action)
    _add_model_options(command)
    command.add_argument("--producers", action="store_true", help="list Producers too")
    command.add_argument(
        "--factorized",
        action="store_true",
        help="fold repetitions in the diagram (with -o FILE.mmd alone)",
    )
    _add_output(command, ".mmd (Mermaid), .csv, .json or .svg")


def _add_memory(commands: Any, action: Action) -> None:
    command = _add_command(commands, "memory", "Print the memory layout.", action)
    _add_model_options(command)
    _add_output(command, ".csv, .json, .svg or .png")


def _add_output(command: argparse.ArgumentParser, formats: str) -> None:
    command.add_argument(
        "-o", "--output", metavar="FILE", help=f"write to a file instead: {formats}"
    )


def _add_lab(commands: Any, action: Action) -> None:
    command = _add_command(commands, "lab", "Open the tutorials in JupyterLab.", action)
    command.add_argument(
        "folder",
        nargs="?",
        metavar="FOLDER",
        help="where to put the tutorials (default: notebooks/ of a checkout, else "
        "aidge_nb_tutorials/); files that are there stay as they are",
    )
    command.add_argument("--no-browser", action="store_true", help="print the address alone")
    command.add_argument("--port", type=_port, help="port of the server (0 takes a free one)")
    command.add_argument(
        "--list", action="store_true", help="say where the tutorials were installed, and stop"
    )


def _add_plan(commands: Any, action: Action) -> None:
    command = _add_command(
        commands, "plan", "Place the buffers of a CSV file in a memory, or check them.", action
    )
    command.add_argument("file", metavar="FILE", help="CSV: id,lower,upper,size[,offset]")
    command.add_argument(
        "--capacity", type=_bytes, metavar="N", help="size of the memory: bytes, or, say, 64KiB"
    )
    command.add_argument("--alignment", type=int, default=1, metavar="N", help="of every offset")
    command.add_argument(
        "--time-limit", type=float, metavar="S", help="seconds (default: until some work is done)"
    )
    command.add_argument(
        "--solver",
        default="auto",
        metavar="NAME",
        help="auto, numpy, beam or cp-sat (OR-Tools, extra solver); default: auto",
    )
    command.add_argument("--check", action="store_true", help="check the offsets of the file")
    command.add_argument("-q", "--quiet", action="store_true", help="no line of progress")
    command.add_argument("-o", "--output", metavar="OUT.csv", help="write the offsets to a file")


def _add_export(commands: Any, action: Action) -> None:
    command = _add_command(
        commands, "export", "Write a model as C sources that build and test themselves.", action
    )
    _add_source_options(command)
    command.add_argument(
        "--size", type=int, metavar="N", help="size of the input of a model of the zoo"
    )
    command.add_argument(
        "-o",
        "--output",
        metavar="FOLDER",
        required=True,
        help="a new or empty folder, or one that an export made",
    )
    command.add_argument(
        "--target",
        default="host",
        metavar="NAME",
        help="host (this machine, the default), cortex-m3, cortex-m4, cortex-m7 or cortex-m55",
    )
    command.add_argument("--name", metavar="NAME", help="prefix of files and symbols")
    command.add_argument(
        "--memory",
        action="append",
        default=[],
        metavar="NAME=SIZE",
        help="a memory for activations, such as l1=64KiB; may be repeated, first ones first",
    )
    command.add_argument(
        "--parameters",
        choices=("incbin", "c"),
        default="incbin",
        help="as a file that the assembler includes (the default), or as C",
    )
    command.add_argument(
        "--layers",
        choices=("bytes", "sums"),
        default="bytes",
        help="what is kept of what every layer must write: all of it (the default), or checksums",
    )
    command.add_argument("--build", action="store_true", help="compile it too")
    command.add_argument(
        "--run",
        action="store_true",
        help="compile it and run it, on an emulated board unless the target is host, and compare "
        "with the exact NumPy runtime (exit code 1 when bits differ)",
    )
    command.add_argument(
        "--force", action="store_true", help="replace a folder that is something else"
    )


_COMMANDS: Mapping[str, Callable[[Any, Action], None]] = {
    "report": _add_report,
    "schedule": _add_schedule,
    "memory": _add_memory,
    "plan": _add_plan,
    "export": _add_export,
    "lab": _add_lab,
}


def _bytes(text: str) -> int:
    """Read a number of bytes, with or without a unit."""
    from aidge_nb.hardware.targets.units import bytes_of

    try:
        return int(text)
    except ValueError:
        pass
    try:
        return bytes_of(text, text)
    except HardwareError as error:
        raise argparse.ArgumentTypeError(str(error)) from error


def _port(text: str) -> int:
    port = int(text) if text.isdecimal() else -1
    if not 0 <= port < 2**16:
        raise argparse.ArgumentTypeError(f"{text}: not a port (expected 0 to 65535)")
    return port


def check_target(path: str, suffixes: Sequence[str]) -> Path:
    """Check that a file can be written, and in one of the formats, before any work is done."""
    target = Path(path)
    if not target.parent.is_dir():
        raise AidgeError(f"{path}: there is no folder {target.parent}")
    if target.is_dir():
        raise AidgeError(f"{path}: is a folder (expected the name of a file)")
    if target.suffix.lower() not in suffixes:
        expected = ", ".join(suffixes)
        raise AidgeError(f"{path}: unknown format {target.suffix!r} (expected {expected})")
    return target


def parse_all_dims(texts: Sequence[str]) -> dict[str | int, list[int]]:
    """Read every ``[NAME=]1,3,224,224``: dimensions by the name or the position of an input."""
    pairs = (_parse_dims(text, position) for position, text in enumerate(texts))
    return _once("--dims", "an input", pairs)


def parse_symbols(texts: Sequence[str]) -> dict[str, int]:
    """Read every ``N=1``: symbolic dimensions and their values."""
    return _once("--dim", "a symbolic dimension", map(_parse_symbol, texts))


def parse_constants(texts: Sequence[str]) -> dict[str, int | float]:
    """Read every ``sr=16000``: inputs and their values."""
    return _once("--constant", "an input", map(_parse_constant, texts))


def _once(option: str, what: str, pairs: Iterable[tuple[K, V]]) -> dict[K, V]:
    found: dict[K, V] = {}
    for name, value in pairs:
        if name in found:
            raise AidgeError(f"{option} {name}: given twice (expected once for {what})")
        found[name] = value
    return found


def _parse_dims(text: str, position: int) -> tuple[str | int, list[int]]:
    """Read ``[NAME=]1,3,224,224``: the name or position of an input, and its dimensions."""
    name, _, numbers = text.rpartition("=")
    try:
        dims = [int(number) for number in numbers.replace("x", ",").split(",") if number.strip()]
    except ValueError:
        raise AidgeError(
            f"--dims {text}: not dimensions (expected whole numbers such as 1,3,224,224)"
        ) from None
    return name or position, dims


def _parse_symbol(text: str) -> tuple[str, int]:
    """Read ``N=1``: a symbolic dimension and its value."""
    name, _, number = text.partition("=")
    if not name or not number.strip().isdecimal():
        raise AidgeError(f"--dim {text}: not a symbolic dimension (expected, say, N=1)")
    if int(number) == 0:
        raise AidgeError(f"--dim {text}: nothing has this size (expected 1 or more, say {name}=1)")
    return name, int(number)


def _parse_constant(text: str) -> tuple[str, int | float]:
    """Read ``sr=16000``: an input and its value."""
    name, _, number = text.partition("=")
    for kind in (int, float):
        try:
            return name, kind(number)
        except ValueError:
            continue
    raise AidgeError(f"--constant {text}: not a value (expected, say, sr=16000)")
