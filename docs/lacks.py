"""What a reference must say of every public name, and which names lack which of it.

Of each function, class, method and property: what it is, its parameters, the unit of every number
and the shape of every array, the errors that its own code raises, and an example in which it is
used. A test asks that nothing is lacking.
"""

from __future__ import annotations

import ast
import dataclasses
import enum
import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cache
from importlib import import_module
from typing import Any

from build import PACKAGES
from sessions import sessions
from sphinx.pycode import ModuleAnalyzer
from supplements import parameters_of, sections, supplemented

__all__ = ["lacks", "members"]

UNITS = re.compile(
    r"""\b(bytes?|bits?|ticks?|steps?|cycles?|(?:nano|micro|milli)?seconds?|Hz|hertz|per\ second
    |elements?|tokens?|multiply-accumulates?|operations?|executions?|firings?|rounds?|nodes?
    |number|count|counts|many|often|times|how\ many|how\ often|index|rank|axis|axes|which|first|last
    |from\ 0|between|parts?|ratio|share|over|percent|factor|slope|probability|value|values|offset
    |size|sizes|dimensions?|dims|rows?|columns?|channels?|features?|pixels?|seed|copies|tiles?
    |address|addresses|position|length|exponent|power|learning\ rate|deviation|mean|limit|bound
    |states?|samples?|units?|words?|turns?|picojoules?|windows?|groups?
    |variance|version|numbers)\b""",
    re.VERBOSE | re.IGNORECASE,
)
"""Words that say in what a number is counted, or that it has no unit."""

SHAPES = re.compile(
    r"\b(shape|shapes|dims|dimensions?|elements?|arrays?|tensors?|inputs?|outputs?|rows?|columns?"
    r"|scalar|scalars|values?|data|gradients?|weights?)\b",
    re.IGNORECASE,
)


def lacks(name: str, thing: Any, owner: type | None = None) -> Iterator[str]:
    """Say what the reference lacks of a name."""
    if not isinstance(thing, type | property) and not inspect.isroutine(thing):
        yield from [] if name in sessions() else [f"{name}: an example"]
        return  # a constant: that it says what it is is asked where it is written down
    doc = supplemented(name, thing, _doc(thing))
    text = "\n".join(doc)
    if not text.strip():
        yield f"{name}: what it is"
    if isinstance(thing, type):
        yield from _lacks_of_class(name, thing, doc)
    elif isinstance(thing, property):
        yield from _lacks_of_result(name, thing.fget, doc)
        yield from _lacks_of_errors(name, thing.fget, doc)
    else:
        yield from _lacks_of_parameters(name, thing, doc)
        yield from _lacks_of_result(name, thing, doc)
        yield from _lacks_of_errors(name, thing, doc)
    if owner is None and ">>>" not in text:
        yield f"{name}: an example"
    if owner is not None and ">>>" not in text:
        parent, _, own = name.rpartition(".")
        shown = [_sessions_of(parent, owner), *(_sessions_of(*kin) for kin in _kin(owner, own))]
        if not any(re.search(rf"(\.|def ){own}\b", session) for session in shown):
            yield f"{name}: an example that uses it"


def members(thing: type) -> dict[str, Any]:
    """Give the public methods and properties that a class of this library has of itself."""
    found: dict[str, Any] = {}
    for base in thing.__mro__:
        if not base.__module__.startswith("aidge_nb") or (base is not thing and _is_shown(base)):
            continue
        for name in vars(base):
            value = inspect.getattr_static(thing, name)
            if isinstance(value, staticmethod | classmethod):
                value = value.__func__
            if not name.startswith("_") and (
                isinstance(value, property) or inspect.isfunction(value)
            ):
                found.setdefault(name, value)
    return found


def _is_shown(base: type) -> bool:
    """Whether a class is in the reference itself, and asked there."""
    return base in _shown().values()


@cache
def _shown() -> dict[str, type]:
    """List the classes of the reference."""
    found: dict[str, type] = {}
    for package in PACKAGES:
        module = import_module(package)
        for name in module.__all__:
            thing = getattr(module, name)
            if isinstance(thing, type) and thing not in found.values():
                found[f"{package}.{name}"] = thing
    return found


def _kin(owner: type, own: str) -> Iterator[tuple[str, type]]:
    """List the other classes that have the same member, from a base that is not shown itself."""
    base = next((each for each in owner.__mro__ if own in vars(each)), owner)
    if base is not owner:
        yield from ((name, each) for name, each in _shown().items() if issubclass(each, base))


def _doc(thing: Any) -> list[str]:
    doc = thing.__doc__ if isinstance(thing, type) else inspect.getdoc(thing)
    return inspect.cleandoc(doc or "").splitlines()


@cache
def _sessions_of(name: str, owner: type) -> str:
    """Give the examples of a class and of what it comes from."""
    text = "\n".join(supplemented(name, owner, _doc(owner)))
    text += "".join("\n".join(_doc(value)) for value in members(owner).values())
    return "\n".join(line for line in text.splitlines() if line.lstrip().startswith((">>>", "...")))


def _lacks_of_class(name: str, thing: type, doc: list[str]) -> Iterator[str]:
    text = "\n".join(doc)
    described = _entries(doc)
    if issubclass(thing, enum.Enum) or dataclasses.is_dataclass(thing):
        described |= _inherited(thing) | (_notes(thing) if _wants_notes(thing, described) else {})
    if issubclass(thing, enum.Enum):
        for each, member in thing.__members__.items():
            says = isinstance(member.value, str) and (" " in member.value or "the value" in text)
            if each == member.name and not says and each not in described | names_in(text):
                yield f"{name}: what {each} means"
    elif dataclasses.is_dataclass(thing):
        for field in dataclasses.fields(thing):
            if field.name.startswith("_"):
                continue
            yield from _lacks_of_value(name, field.name, str(field.type), described, text)
    elif not issubclass(thing, BaseException | tuple) and _has_own_init(thing):
        init = vars(thing)["__init__"]
        yield from _lacks_of_parameters(name, init, doc)
        yield from _lacks_of_errors(name, init, doc)


def _has_own_init(thing: type) -> bool:
    return "__init__" in vars(thing) and not getattr(thing, "_is_protocol", False)


def names_in(text: str) -> dict[str, str]:
    """List what a text names."""
    return dict.fromkeys(re.findall(r"\w+", text), text)


def _wants_notes(thing: type, described: dict[str, str]) -> bool:
    """Tell whether anything is not described in the docstring: finding out takes its time."""
    if issubclass(thing, enum.Enum):
        return True
    return any(field.name not in described for field in dataclasses.fields(thing))


def _notes(thing: type) -> dict[str, str]:
    """Read what is written below the members of a class."""
    found: dict[str, str] = {}
    for base in reversed(thing.__mro__):
        if base.__module__.startswith("aidge_nb"):
            notes = ModuleAnalyzer.for_module(base.__module__).find_attr_docs()
            mine = {key: text for (owner, key), text in notes.items() if owner == base.__name__}
            found |= {key: " ".join(text) for key, text in mine.items()}
    return found


def _inherited(thing: type) -> dict[str, str]:
    """Read what the docstrings of bases describe."""
    found: dict[str, str] = {}
    for base in reversed(thing.__mro__[1:]):
        if base.__module__.startswith("aidge_nb"):
            found |= _entries(_doc(base))
    return found


def _entries(doc: list[str]) -> dict[str, str]:
    """Read the sections that describe names: each with its text."""
    found: dict[str, str] = {}
    cut = sections(doc)
    for title in ("Attributes", "Parameters", "Other Parameters"):
        names: list[str] = []
        for line in cut.get(title, ()):
            if line.strip() and not line.startswith(" "):
                names = [each.strip(" *") for each in line.partition(" : ")[0].split(",")]
                found |= dict.fromkeys(names, "")
            else:
                for each in names:
                    found[each] += " " + line.strip()
    return found


def _lacks_of_parameters(name: str, thing: Any, doc: list[str]) -> Iterator[str]:
    described = _entries(doc)
    text = "\n".join(doc)
    if re.search(r"^(Parameters|Keywords)\b[^.]*\bthose\b", text, re.MULTILINE):
        return  # of another function, which is asked itself
    for each in parameters_of(thing):
        annotation = str(inspect.signature(thing).parameters[each].annotation)
        yield from _lacks_of_value(name, each, annotation, described, text)


def _lacks_of_value(
    name: str, value: str, annotation: str, described: dict[str, str], text: str
) -> Iterator[str]:
    about = described.get(value, "").strip()
    if not about and re.search(rf"``[^`]*\b{value}\b", text):
        about = text
    if not about:
        yield f"{name}: what {value} is"
    elif re.match(r"As for |Those of |Other keywords of ", about):
        return  # what this is like is asked itself
    elif _is_number(annotation) and not UNITS.search(about):
        yield f"{name}: the unit of {value}"
    elif _is_array(annotation) and not SHAPES.search(about):
        yield f"{name}: the shape of {value}"


def _lacks_of_result(name: str, thing: Any, doc: list[str]) -> Iterator[str]:
    cut = sections(doc)
    text = "\n".join([*cut[""], *cut.get("Returns", ())])
    annotation = str(inspect.signature(thing).return_annotation)
    if _is_number(annotation) and not UNITS.search(text):
        yield f"{name}: the unit of the result"
    if _is_array(annotation) and not SHAPES.search(text):
        yield f"{name}: the shape of the result"


def _is_number(annotation: str) -> bool:
    return bool(re.search(r"\b(int|float)\b", annotation)) and "Callable" not in annotation


def _is_array(annotation: str) -> bool:
    return bool(re.search(r"NDArray|ArrayLike", annotation))


def _lacks_of_errors(name: str, thing: Any, doc: list[str]) -> Iterator[str]:
    told = " ".join(sections(doc).get("Raises", ()))
    text = " ".join("\n".join(doc).split())
    for error in sorted(_raised(thing)):
        if not re.search(rf"\b{error}\b", told) and not re.search(r"rrors\b[^.]*\bthose of", text):
            yield f"{name}: when it raises {error}"


def _raised(thing: Any, depth: int = 2) -> set[str]:
    """Find the errors that a function raises itself, or by a check that it calls first of all."""
    thing = inspect.unwrap(thing)
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(thing)))
    except (OSError, TypeError):
        return set()
    found = set()
    guarded = {
        id(inner)
        for node in ast.walk(tree)
        if isinstance(node, ast.Try)
        for each in node.body
        for inner in ast.walk(each)
    }
    for node in _own_code(tree):
        if isinstance(node, ast.Raise) and node.exc is not None:
            made = node.exc.func if isinstance(node.exc, ast.Call) else node.exc
            text = ast.unparse(made).rpartition(".")[2]
            found |= {text} if re.fullmatch(r"[A-Z]\w+Error", text) else set()
        elif depth and isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            check = getattr(thing, "__globals__", {}).get(node.func.id)
            if (
                inspect.isfunction(check)
                and _CHECKS.match(node.func.id)
                and id(node) not in guarded
            ):
                found |= _raised(check, depth - 1)
    return found


def _own_code(tree: ast.Module) -> Iterator[ast.AST]:
    """Walk over the code of a function, but that of functions within."""
    waiting: list[ast.AST] = list(getattr(tree.body[0], "body", ()))
    while waiting:
        node = waiting.pop()
        yield node
        waiting += [
            each
            for each in ast.iter_child_nodes(node)
            if not isinstance(each, ast.FunctionDef | ast.Lambda)
        ]


_CHECKS = re.compile(r"_?(check|checked|need|refuse|as_)")
"""How functions are called that raise errors for what they are given."""
