"""The arguments of the command ``aidge-nb``."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, TypeVar

from aidge_nb.cli.course import add_course_options
from aidge_nb.cli.quantize import add_quantize_options
from aidge_nb.core.errors import AidgeError, HardwareError
from aidge_nb.core.limits import LIMITS
from aidge_nb.export.boards.targets import TARGETS
from aidge_nb.report.readers import a_file
from aidge_nb.scheduling.order.policies import SchedulingPolicy
from aidge_nb.version import __version__

POLICIES = tuple(SchedulingPolicy.__members__)
Action = Callable[[argparse.Namespace], None]
Actions = Mapping[str, Action]
K = TypeVar("K")
V = TypeVar("V")


def make_parser(actions: Actions) -> argparse.ArgumentParser:
    """Return the parser; ``actions`` maps each command to its function."""
    parser = argparse.ArgumentParser(
        prog="aidge-nb",
        description="See how a neural network runs on a small machine: its schedule, its memory, "
        "and the C code that computes it. Begin with:  aidge-nb report zoo:lenet",
        epilog=f"MODEL is {a_file()}, or a built-in model with random weights: zoo:lenet, "
        "zoo:mobilenet_v2, zoo:resnet18, ...; at another input size with zoo:mobilenet_v2@96, or "
        "with more options: zoo:resnet18@size=64,batch=4,width=0.5. "
        "'aidge-nb COMMAND --help' lists the options of a command.",
    )
    parser.add_argument("--version", action="version", version=f"aidge-nb {__version__}")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    for name, (text, example, add) in _COMMANDS.items():
        command = commands.add_parser(
            name, help=text, description=text, epilog=f"example:  aidge-nb {name} {example}"
        )
        command.set_defaults(action=actions[name])
        command.add_argument("--debug", action="store_true", help="show tracebacks of errors")
        add(command)
        if name not in ("course", "lab"):  # reads no model
            text = "raise a limit for files that are trusted, such as constant_bytes=4GiB; may be "
            _repeated(command, "--limit", "NAME=VALUE", f"{text}repeated: {', '.join(LIMITS)}")
    return parser


Parser = argparse.ArgumentParser


def _flag(command: Parser, name: str, text: str, **more: Any) -> None:
    command.add_argument(name, action="store_true", help=text, **more)


def _repeated(command: Parser, name: str, metavar: str, text: str) -> None:
    command.add_argument(name, action="append", default=[], metavar=metavar, help=text)


def _output(command: Parser, metavar: str, text: str, **more: Any) -> None:
    command.add_argument("-o", "--output", metavar=metavar, help=text, **more)


def _quiet(command: Parser) -> None:
    command.add_argument("-q", "--quiet", action="store_true", help="show no progress")


def _add_source_options(command: Parser) -> None:
    text = f"{a_file()}, zoo:NAME, or zoo:NAME@SIZE"
    command.add_argument("model", metavar="MODEL", help=text)
    text = "dimensions of an input, by position or by NAME; repeat for further inputs"
    _repeated(command, "--dims", "[NAME=]1,3,224,224", text)
    text = "value of a symbolic dimension, such as batch=1; may be repeated"
    _repeated(command, "--dim", "NAME=N", text)
    text = "value of an input that is known in advance, such as sr=16000; may be repeated"
    _repeated(command, "--constant", "NAME=VALUE", text)
    text = "leave a quantized model's own arithmetic: floating point between its codes"
    command.add_argument("--float", dest="integer", action="store_false", help=text)


def _add_model_options(command: Parser) -> None:
    _add_source_options(command)
    text = "rule that orders the operators; default: as soon as possible, by position in the file"
    command.add_argument("--policy", choices=POLICIES, default="Default", help=text)
    text = "keep operators that compute constants, instead of computing them in advance"
    command.add_argument("--no-fold", dest="fold", action="store_false", help=text)
    _quiet(command)


def _add_report(command: Parser) -> None:
    _add_model_options(command)
    _output(command, "FILE", "the page to write (default: MODEL.html in this folder)")
    text = "search for S seconds (default: 10) for changes that lower the peak of memory; without "
    text += "it only those are tried that cost little"
    command.add_argument(
        "--advice", nargs="?", default=0.0, const=10.0, type=float, metavar="S", help=text
    )
    text = "size of the memory for activations, such as 256KiB: say whether they fit"
    command.add_argument("--ram", type=_bytes, metavar="N", help=text)
    text = "float model that a quantized one was made from: print the error of each layer, in dB"
    command.add_argument("--float-twin", metavar="FILE", help=text)
    text = "also run the model on seeded random input, and print its outputs; "
    _flag(command, "--run", text + "exit code 1 if it cannot be run")


def _add_schedule(command: Parser) -> None:
    _add_model_options(command)
    _flag(command, "--producers", "also list Producers, the operators that hold constants")
    _flag(command, "--factorized", "draw repetitions as loops; needs -o FILE.mmd")
    formats = ".mmd (Mermaid), .csv, .json or .svg"
    _output(command, "FILE", f"write a file instead of printing: {formats}")


def _add_memory(command: Parser) -> None:
    _add_model_options(command)
    _output(command, "FILE", "write a file instead of printing: .csv, .json, .svg or .png")


def _add_lab(command: Parser) -> None:
    text = (
        "folder for the tutorials (default: notebooks/ in a checkout, else aidge_nb_tutorials/); "
    )
    text += "existing files are kept"
    command.add_argument("folder", nargs="?", metavar="FOLDER", help=text)
    _flag(command, "--no-browser", "print the address without opening a browser")
    command.add_argument("--port", type=_port, help="port of the server; 0 picks a free one")
    _flag(command, "--list", "print the folder of the installed tutorials, and stop")


def _add_plan(command: Parser) -> None:
    text = "plan of another tool (see docs/howto/plans.md), or CSV with the columns "
    text += "id,lower,upper,size[,offset]: a buffer is alive from lower to upper"
    text += "; several with --compare"
    command.add_argument("files", nargs="*", metavar="FILE", help=text)
    text = "size of the memory in bytes, or with a unit: 64KiB; exit code 1 if buffers do not fit"
    command.add_argument("--capacity", type=_bytes, metavar="N", help=text)
    text = "multiple, in bytes, of every offset (default: that of the file, or 1)"
    command.add_argument("--alignment", type=int, metavar="N", help=text)
    text = "arena to read where FILE holds several, such as 'CUDA 0'; an unknown name lists them"
    command.add_argument("--arena", metavar="NAME", help=text)
    text = "search for at most S seconds (default: a fixed amount of work)"
    command.add_argument("--time-limit", type=float, metavar="S", help=text)
    text = "auto, numpy, beam, or cp-sat (needs the extra 'solver'); default: auto"
    command.add_argument("--solver", default="auto", metavar="NAME", help=text)
    _flag(command, "--check", "check the offsets in FILE instead of computing offsets")
    text = "place the buffers of each FILE (without one: of networks of the zoo) by each solver "
    text += "that is installed, --time-limit seconds each (default 10), and compare"
    _flag(command, "--compare", text)
    _quiet(command)
    text = "write our offsets (.csv), or a page or picture of the plan (.html, .svg, .png); with "
    text += "--compare the table (.csv, .json) or a picture (.svg)"
    _output(command, "OUT", text)


def _add_export(command: Parser) -> None:
    _add_source_options(command)
    text = "size of the input of a built-in model: zoo:NAME --size N is zoo:NAME@N"
    command.add_argument("--size", type=int, metavar="N", help=text)
    _output(command, "FOLDER", "a new or empty folder, or that of an earlier export", required=True)
    text = ", ".join(TARGETS) + " (default: host, this machine)"
    command.add_argument("--target", default="host", metavar="NAME", help=text)
    text = "prefix of C files and symbols (default: the name of the model)"
    command.add_argument("--name", metavar="NAME", help=text)
    text = "a memory for activations, such as l1=64KiB; repeat to add slower ones"
    _repeated(command, "--memory", "NAME=SIZE", text)
    text = (
        "store weights as a binary file that the assembler includes (incbin, the default), or as C"
    )
    command.add_argument("--parameters", choices=("incbin", "c"), default="incbin", help=text)
    text = "store expected outputs of each layer for its test: all bytes (the default), or sums"
    command.add_argument("--layers", choices=("bytes", "sums"), default="bytes", help=text)
    _flag(command, "--build", "also compile the sources")
    text = (
        "also compile and run them (on an emulated board unless the target is host), and compare "
    )
    _flag(command, "--run", text + "with the exact NumPy runtime; exit code 1 if any bit differs")
    _flag(command, "--force", "replace FOLDER even if no export made it")


def _add_quantize(command: Parser) -> None:
    _add_source_options(command)
    add_quantize_options(command)
    _output(command, "FILE", "the ONNX file to write", required=True)
    _quiet(command)


_COMMANDS: Mapping[str, tuple[str, str, Callable[[Parser], None]]] = {
    "report": (
        "Write one interactive page about a model: graph, schedule and memory.",
        "model.onnx --run",
        _add_report,
    ),
    "schedule": (
        "Print the static schedule of a model: the step of each operator.",
        "zoo:lenet -o lenet.mmd",
        _add_schedule,
    ),
    "memory": (
        "Print the memory plan of a model: the offset and lifetime of each buffer.",
        "zoo:lenet -o lenet.svg",
        _add_memory,
    ),
    "plan": (
        "Show the memory plan of another tool, place its buffers again, or check their offsets.",
        "buffers.csv --capacity 64KiB -o placed.csv",
        _add_plan,
    ),
    "quantize": (
        "Write a model with weights and activations of 8 bits, for ONNX Runtime and for export.",
        "model.onnx --samples samples.npz -o int8.onnx",
        _add_quantize,
    ),
    "export": (
        "Write a model as C sources with build files and tests.",
        "zoo:lenet -o lenet_c --target cortex-m4 --run",
        _add_export,
    ),
    "course": (
        "Check the results of students, and write tickets, assignments and slides.",
        "results *.json --key key.txt -o points.csv",
        add_course_options,
    ),
    "lab": ("Open the tutorials in JupyterLab.", "my_tutorials", _add_lab),
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
        raise AidgeError(f"{path}: the folder {target.parent} does not exist")
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


def parse_limits(texts: Sequence[str]) -> dict[str, int]:
    """Read every ``depth=200``: limits and their values."""
    return _once("--limit", "a limit", map(_parse_limit, texts))


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
        raise AidgeError(f"--dim {text}: not a symbolic dimension (expected something like N=1)")
    if int(number) == 0:
        raise AidgeError(
            f"--dim {text}: a dimension cannot be 0 (expected 1 or more, such as {name}=1)"
        )
    return name, int(number)


def _parse_limit(text: str) -> tuple[str, int]:
    """Read ``constant_bytes=4GiB``: a limit and its value."""
    name, _, value = text.partition("=")
    try:
        return name, _bytes(value)
    except argparse.ArgumentTypeError:
        expected = "something like depth=200 or constant_bytes=4GiB"
        raise AidgeError(f"--limit {text}: not a limit (expected {expected})") from None


def _parse_constant(text: str) -> tuple[str, int | float]:
    """Read ``sr=16000``: an input and its value."""
    name, _, number = text.partition("=")
    for kind in (int, float):
        try:
            return name, kind(number)
        except ValueError:
            continue
    raise AidgeError(f"--constant {text}: not a value (expected something like sr=16000)")
