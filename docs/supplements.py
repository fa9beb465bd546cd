"""What the reference says beside the docstrings: shared parameters, ports of operators, examples.

A docstring that leaves a section out gets it from here, before Sphinx reads it: parameters that
mean the same wherever they occur are described once (`parameters.txt`), the ports of an operator
are those of its declaration, and examples too long for a docstring lie in `sessions/`.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import is_dataclass
from enum import Enum
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from examples import examples, refused, shapes
from sessions import sessions

from aidge_nb.graph import SPECS, InputCategory

__all__ = [
    "borrowed",
    "described_names",
    "entries_about",
    "parameters_of",
    "sections",
    "supplement",
    "supplemented",
]

_CATEGORIES = {
    InputCategory.Data: "data",
    InputCategory.Param: "a learnable parameter",
    InputCategory.OptionalData: "data; may stay unconnected",
    InputCategory.OptionalParam: "a learnable parameter; may be left out",
    InputCategory.Attr: "an attribute, given as a tensor",
    InputCategory.OptionalAttr: "an attribute, given as a tensor; may stay unconnected",
}


def supplement(
    app: object, what: str, name: str, thing: Any, options: object, lines: list[str]
) -> None:
    """Add to a docstring what it leaves out; Sphinx calls this with each."""
    if what in ("class", "exception", "function", "method", "property"):
        lines[:] = _with_fields(supplemented(name, thing, lines))
    if what == "property":
        lines.insert(
            0, ""
        )  # napoleon takes what stands before a colon in the first line for a type


def _with_fields(lines: list[str]) -> list[str]:
    """Call attributes fields: of several that are described together, napoleon loses one."""
    if "Attributes" not in lines:
        return lines
    place = lines.index("Attributes")
    return [*lines[:place], "Fields", "------", *lines[place + 2 :]]


def supplemented(name: str, thing: Any, lines: list[str]) -> list[str]:
    """Give a docstring with the sections that it leaves out."""
    short = name.removeprefix("aidge_nb.")
    told = {each: _known()[key] for each, key in borrowed(name, thing, lines).items()}
    lines = _with("Parameters", told, lines)
    if short in examples():
        inputs, outputs = _ports(short)
        lines = _with("Inputs", inputs, lines)
        lines = _with("Outputs", outputs, lines)
        message = refused(short)
        if message:
            text = f"By ``forward_dims``, when inputs do not fit, as in ``{message}``."
            lines = _with("Raises", {"ShapeError": text}, lines)
    session = examples().get(short) or sessions().get(name)
    if session:
        title = [] if "Examples" in lines else ["", "Examples", "--------"]
        lines = [*lines, *title, "", *session.splitlines(), ""]
    return lines


def _ports(short: str) -> tuple[dict[str, str], dict[str, str]]:
    """Describe the ports of an operator, with the dims that they have in its example."""
    spec = SPECS.get(short)
    if spec is None:
        return {}, {}
    ins, outs = shapes(short)
    inputs = {}
    for index, dims in enumerate(ins[: len(spec.inputs)]):
        port = spec.inputs[index]
        inputs[port.name] = _CATEGORIES[port.category] + (
            f"; dims {dims} in the example" * bool(dims)
        )
    known = zip(spec.outputs, outs, strict=False)  # a last one may be repeated
    outputs = {name: f"dims {dims} in the example" for name, dims in known}
    return inputs, outputs


def _with(title: str, entries: dict[str, str], lines: list[str]) -> list[str]:
    """Add entries to a section, which is made if need be, before the examples."""
    if not entries:
        return lines
    section = ["", title, "-" * len(title)]
    for name, text in entries.items():
        section += [name, *([f"    {text}"] if text else [])]
    if title in lines:
        place = _end_of(title, lines)
        return [*lines[:place], *section[3:], *lines[place:]]
    place = lines.index("Examples") if "Examples" in lines else len(lines)
    return [*lines[:place], *section, "", *lines[place:]]


def _entries_of(title: str, lines: list[str]) -> list[str]:
    """List the names that a section describes."""
    found = []
    for line in sections(lines).get(title, ()):
        if line.strip() and not line.startswith(" "):
            found += [each.strip(" *") for each in line.partition(" : ")[0].split(",")]
    return found


def _end_of(title: str, lines: list[str]) -> int:
    """Find where a section ends: behind its last line that is not empty."""
    place = lines.index(title) + 2
    while place + 1 < len(lines) and not re.fullmatch(r"-{3,}", lines[place + 1].strip()):
        place += 1
    end = place if place + 1 < len(lines) else len(lines)
    while not lines[end - 1].strip():
        end -= 1
    return end


def borrowed(name: str, thing: Any, lines: list[str]) -> dict[str, str]:
    """Return the entry of `parameters.txt` for each parameter that a docstring leaves out."""
    described = _entries_of("Parameters", lines)
    entries = entries_about(name.removeprefix("aidge_nb."), thing)
    return {each: key for each, key in entries.items() if each not in described}


def entries_about(short: str, thing: Any) -> dict[str, str]:
    """Return the entry for each parameter that the docstring does not mention in its text."""
    if isinstance(thing, property) or not callable(thing) or is_dataclass(thing):
        return {}
    if isinstance(thing, type) and issubclass(thing, Enum | tuple | BaseException):
        return {}  # nobody calls them by their parameters
    found = {name: _entry_of(short, name) for name in parameters_of(thing)}
    own = "" if short in examples() else inspect.getdoc(thing) or ""
    return {name: key for name, key in found.items() if key and f"``{name}``" not in own}


def parameters_of(thing: Any) -> list[str]:
    """List the parameters of a function that a caller gives."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return []
    return [name for name in signature.parameters if name not in ("self", "cls")]


def _entry_of(short: str, name: str) -> str:
    """Find the entry of a parameter: that of this function, else of any; empty without one."""
    parts = short.split(".")
    keys = [".".join([*parts[start:], name]) for start in range(len(parts) + 1)]
    return next((key for key in keys if key in _known()), "")


def described_names() -> set[str]:
    """List what `parameters.txt` describes."""
    return set(_known())


@cache
def _known() -> dict[str, str]:
    text = (Path(__file__).parent / "parameters.txt").read_text("utf-8")
    found = re.findall(r"^([\w.]+(?:, [\w.]+)*): (.*(?:\n    .*)*)", text, re.MULTILINE)
    return {
        name.strip(): " ".join(words.split()) for names, words in found for name in names.split(",")
    }


def sections(lines: list[str]) -> dict[str, list[str]]:
    """Cut a numpy docstring into its sections; what comes first is under the empty name."""
    found: dict[str, list[str]] = {"": []}
    title = ""
    for line, below in pairwise([*lines, ""]):
        if line.strip() and re.fullmatch(r"-{3,}", below.strip()):
            title = line.strip()
            found[title] = []
        elif not re.fullmatch(r"-{3,}", line.strip()):
            found[title].append(line)
    return found
