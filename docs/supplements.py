"""What the reference says beside the docstrings: shared parameters, ports of operators, examples.

A docstring that leaves a section out gets it from here, before Sphinx reads it: parameters that
mean the same wherever they occur are described once (`parameters.txt`), the ports of an operator
are those of its declaration, and examples too long for a docstring lie in `sessions/`.
"""

from __future__ import annotations

import inspect
import re
from dataclasses import is_dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from examples import examples, refused
from sessions import sessions

from aidge_nb.graph import SPECS, InputCategory

__all__ = ["described_names", "parameters_of", "sections", "supplement", "supplemented"]

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
        lines[:] = supplemented(name, thing, lines)


def supplemented(name: str, thing: Any, lines: list[str]) -> list[str]:
    """Give a docstring with the sections that it leaves out."""
    has = sections(lines)
    added: list[str] = []
    short = name.removeprefix("aidge_nb.")
    told = text_about(short, thing)
    told = {key: text for key, text in told.items() if not _is_entry(key, has)}
    if told and "Parameters" in has:
        place = _end_of("Parameters", lines)
        entries = _section("Parameters", told)[3:-1]
        lines = [*lines[:place], *entries, *lines[place:]]
    elif told:
        added += _section("Parameters", told)
    if short in examples():
        spec = SPECS.get(short)
        if spec is not None and spec.inputs:
            ports = {each.name: _CATEGORIES[each.category] for each in spec.inputs}
            added += _section("Inputs", ports)
        if spec is not None:
            added += _section("Outputs", dict.fromkeys(spec.outputs, ""))
        message = refused(short)
        if message and "Raises" not in has:
            text = f"By ``forward_dims``, when inputs do not fit, as in ``{message}``."
            added += _section("Raises", {"ShapeError": text})
    session = examples().get(short) or sessions().get(name)
    if not session:
        return _before_examples(lines, added)
    if "Examples" in has:
        return [*_before_examples(lines, added), "", *session.splitlines(), ""]
    return [*lines, *added, "", "Examples", "--------", *session.splitlines(), ""]


def _is_entry(name: str, has: dict[str, list[str]]) -> bool:
    return any(
        name in [each.strip(" *") for each in line.partition(" : ")[0].split(",")]
        for line in has.get("Parameters", ())
        if line.strip() and not line.startswith(" ")
    )


def _end_of(title: str, lines: list[str]) -> int:
    """Find where a section ends: behind its last line that is not empty."""
    place = lines.index(title) + 2
    while place + 1 < len(lines) and not re.fullmatch(r"-{3,}", lines[place + 1].strip()):
        place += 1
    end = place if place + 1 < len(lines) else len(lines)
    while not lines[end - 1].strip():
        end -= 1
    return end


def _before_examples(lines: list[str], added: list[str]) -> list[str]:
    if not added or "Examples" not in lines:
        return [*lines, *added]
    place = lines.index("Examples")
    return [*lines[:place], *added, "", *lines[place:]]


def _section(title: str, entries: dict[str, str]) -> list[str]:
    lines = ["", title, "-" * len(title)]
    for name, text in entries.items():
        lines += [name, *([f"    {text}"] if text else [])]
    return [*lines, ""]


def text_about(short: str, thing: Any) -> dict[str, str]:
    """Tell what is known of those parameters that the docstring does not speak of."""
    if isinstance(thing, property) or not callable(thing) or is_dataclass(thing):
        return {}
    found = {name: described(short, name) for name in parameters_of(thing)}
    own = inspect.getdoc(thing) or ""
    return {name: text for name, text in found.items() if text and f"``{name}``" not in own}


def parameters_of(thing: Any) -> list[str]:
    """List the parameters of a function that a caller gives."""
    try:
        signature = inspect.signature(thing)
    except (TypeError, ValueError):
        return []
    return [name for name in signature.parameters if name not in ("self", "cls")]


def described(short: str, name: str) -> str:
    """Find what `parameters.txt` says of a parameter: of this function first, else of any."""
    known = _known()
    parts = short.split(".")
    for start in range(len(parts)):
        text = known.get(".".join([*parts[start:], name]))
        if text:
            return text
    return known.get(name, "")


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
