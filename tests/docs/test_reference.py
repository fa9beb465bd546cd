"""The reference says of every public name what it is and what it takes, and shows it in use."""

import doctest
import inspect
import re
import shutil
import sys
from collections.abc import Iterator
from dataclasses import is_dataclass
from enum import Enum
from importlib import import_module
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any

import pytest
from numpydoc.validate import validate

DOCS = Path(__file__).resolve().parents[2] / "docs"
COMPILED = {
    "aidge_nb.export.BoardRun": ("make", "arm-none-eabi-gcc", "qemu-system-arm"),
    "aidge_nb.export.ExportedPackage": ("make", "gcc", "arm-none-eabi-gcc", "qemu-system-arm"),
    "aidge_nb.export.LayerCheck": ("make", "gcc"),
    "aidge_nb.export.RunResult": ("make", "gcc"),
}
"""Examples that build programs, and what they need."""


@pytest.fixture(scope="module")
def docs() -> Iterator[dict[str, ModuleType]]:
    """Import the scripts that make the reference."""
    sys.path.insert(0, str(DOCS))
    try:
        yield {
            name: import_module(name) for name in ("build", "examples", "sessions", "supplements")
        }
    finally:
        sys.path.remove(str(DOCS))


def public(build: ModuleType) -> dict[str, Any]:
    """List everything public under the name that the reference gives it."""
    found: dict[int, tuple[str, Any]] = {}
    for package in build.PACKAGES:
        module = import_module(package)
        for name in build.public_names(module):
            thing = getattr(module, name)
            found.setdefault(id(thing), (f"{package}.{name}", thing))
    return dict(found.values())


RULES = {
    "GL08": "a docstring",
    "SS02": "a summary that begins with a capital letter",
    "SS05": "a summary in the imperative",
    "PR02": "no parameter that is not there",
    "PR08": "descriptions that begin with a capital letter",
    "PR09": "descriptions that end with a full stop",
}
"""Rules of numpydoc's validation that every public name keeps."""


@pytest.fixture(scope="module")
def described(docs: dict[str, ModuleType]) -> dict[str, Any]:
    """List every public function, class, method and property, under the class that defines it."""
    everything = public(docs["build"])
    found: dict[str, Any] = {}
    for name, thing in everything.items():
        if isinstance(thing, type):
            bases = [base for base in thing.__mro__[1:] if base in everything.values()]
            elsewhere = {value for base in bases for value in members(base).values()}
            own = {key: value for key, value in members(thing).items() if value not in elsewhere}
            found |= {f"{name}.{member}": value for member, value in own.items()}
        if isinstance(thing, type) or inspect.isroutine(thing):
            found[name] = thing
    return found


@pytest.mark.filterwarnings("ignore:Widget.:DeprecationWarning")  # it looks at all attributes
def test_docstrings_keep_numpydocs_rules(described: dict[str, Any]) -> None:
    problems = [
        f"{name}: {code} {message}"
        for name in described
        for code, message in validate(name)["errors"]
        if code in RULES
    ]
    assert problems == [], "\n".join(problems)


def test_every_parameter_is_described(
    described: dict[str, Any], docs: dict[str, ModuleType]
) -> None:
    supplements = docs["supplements"]
    problems = []
    for name, thing in described.items():
        if isinstance(thing, property) or (isinstance(thing, type) and not has_constructor(thing)):
            continue
        text = "\n".join(supplements.supplemented(name, thing, lines_of(thing)))
        if re.search(r"^(Parameters|Keywords)\b[^.]*\bthose\b", text, re.MULTILINE):
            continue  # those of another function, which is asked itself
        problems += [
            f"{name}: {parameter}"
            for parameter in supplements.parameters_of(thing)
            if not re.search(
                rf"^\**{parameter}\b|, \**{parameter}\b|``[^`]*\b{parameter}\b", text, re.M
            )
        ]
    assert problems == [], "\n".join(problems)


def test_every_name_has_an_example(docs: dict[str, ModuleType]) -> None:
    supplements, sessions = docs["supplements"], docs["sessions"].sessions()
    problems = [
        name
        for name, thing in public(docs["build"]).items()
        if ">>>" not in "\n".join(supplements.supplemented(name, thing, lines_of(thing)))
        and name not in sessions
    ]
    assert problems == [], "\n".join(problems)


def has_constructor(thing: type) -> bool:
    """Tell whether a class has an `__init__` that somebody wrote."""
    made = is_dataclass(thing) or issubclass(thing, Enum | tuple | BaseException)
    return "__init__" in vars(thing) and not made and not getattr(thing, "_is_protocol", False)


def lines_of(thing: Any) -> list[str]:
    """Return the lines of a docstring of its own, not of one that a class inherits."""
    doc = thing.__doc__ if isinstance(thing, type) else inspect.getdoc(thing)
    return inspect.cleandoc(doc or "").splitlines()


def members(thing: type) -> dict[str, Any]:
    """Return the public methods and properties of a class that this library defines."""
    found: dict[str, Any] = {}
    for base in thing.__mro__:
        for name, value in vars(base).items() if base.__module__.startswith("aidge_nb") else ():
            if isinstance(value, staticmethod | classmethod):
                value = value.__func__
            if not name.startswith("_") and isinstance(value, property | FunctionType):
                found.setdefault(name, value)
    return found


def test_parameters_are_said_of_what_is_called_with_them(docs: dict[str, ModuleType]) -> None:
    import aidge_nb

    for name in ("SchedulingPolicy", "GraphError", "Buffer"):
        thing = getattr(aidge_nb, name)
        assert docs["supplements"].entries_about(name, thing) == {}
    assert docs["supplements"].entries_about("GraphView", aidge_nb.GraphView).keys() == {"name"}


def test_every_operator_has_an_example_that_runs(docs: dict[str, ModuleType]) -> None:
    import aidge_nb
    from aidge_nb.graph import SPECS

    found = docs["examples"].examples()
    by_hand = {"Memorize", "NonZero"}  # needs a loop; dimensions that no rule gives
    assert {name for name in SPECS if hasattr(aidge_nb, name)} - by_hand <= found.keys()
    assert run_sessions(found, {"aidge_nb": aidge_nb}) == 0


def test_the_other_examples_run(docs: dict[str, ModuleType]) -> None:
    found, setup = docs["sessions"].sessions(), docs["sessions"].SETUP
    quick = {name: setup + text for name, text in found.items() if name not in COMPILED}
    assert run_sessions(quick, {}) == 0


@pytest.mark.slow
@pytest.mark.parametrize("name", COMPILED)
def test_examples_with_a_compiler_run(name: str, docs: dict[str, ModuleType]) -> None:
    for tool in COMPILED[name]:
        if shutil.which(tool) is None:
            pytest.skip(f"{tool} is not installed")
    sessions = docs["sessions"]
    assert run_sessions({name: sessions.SETUP + sessions.sessions()[name]}, {}) == 0


def test_examples_import_what_they_use(docs: dict[str, ModuleType]) -> None:
    """They run here in any case: somebody else imported it."""
    for name, text in docs["sessions"].sessions().items():
        for room in re.findall(r"aidge_nb\.(widgets|compat|course)\.", text):
            assert f"import aidge_nb.{room}" in text, name


def test_examples_are_of_what_there_is(docs: dict[str, ModuleType]) -> None:
    assert docs["sessions"].sessions().keys() <= public(docs["build"]).keys()


def test_parameters_say_what_no_docstring_says(docs: dict[str, ModuleType]) -> None:
    """Whoever renames a parameter, or describes it in a docstring, finds its description here."""
    supplements, used = docs["supplements"], set[str]()
    for name, thing in public(docs["build"]).items():
        inner = members(thing) if isinstance(thing, type) else {}
        for called, value in [(name, thing), *((f"{name}.{k}", v) for k, v in inner.items())]:
            used |= set(supplements.borrowed(called, value, lines_of(value)).values())
    assert supplements.described_names() - used == set()


def run_sessions(found: dict[str, str], names: dict[str, Any]) -> int:
    """Run sessions as Python would, and count those that give something else."""
    runner = doctest.DocTestRunner(verbose=False)
    for name, text in found.items():
        runner.run(doctest.DocTestParser().get_doctest(text + "\n", dict(names), name, None, 0))
    return runner.summarize(verbose=False).failed
