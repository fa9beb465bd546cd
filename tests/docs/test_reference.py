"""The reference says of every public name what it is, in which units, and shows it in use."""

import doctest
import re
import shutil
import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

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
            name: import_module(name)
            for name in ("build", "examples", "lacks", "sessions", "supplements")
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


def test_nothing_is_lacking(docs: dict[str, ModuleType]) -> None:
    lacks, members = docs["lacks"].lacks, docs["lacks"].members
    missing = []
    for name, thing in public(docs["build"]).items():
        missing += lacks(name, thing)
        if isinstance(thing, type):
            for member, value in members(thing).items():
                missing += lacks(f"{name}.{member}", value, thing)
    assert missing == []


def test_what_is_lacking_would_be_seen(docs: dict[str, ModuleType]) -> None:
    lacks = docs["lacks"].lacks

    def bad(size: int, other: float) -> int:
        """Do it.

        Parameters
        ----------
        size
            How large.
        """
        if size < other:
            raise ValueError(size)
        return size

    assert list(lacks("bad", bad)) == [
        "bad: the unit of size",
        "bad: what other is",
        "bad: the unit of the result",
        "bad: when it raises ValueError",
        "bad: an example",
    ]


def test_parameters_are_said_of_what_is_called_with_them(docs: dict[str, ModuleType]) -> None:
    import aidge_nb

    for name in ("SchedulingPolicy", "GraphError", "Buffer"):
        thing = getattr(aidge_nb, name)
        assert docs["supplements"].text_about(name, thing) == {}
    assert docs["supplements"].text_about("GraphView", aidge_nb.GraphView).keys() == {"name"}


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


def test_parameters_are_of_what_there_is(docs: dict[str, ModuleType]) -> None:
    """Whoever renames a parameter finds its description here."""
    known: set[str] = set()
    for name, thing in public(docs["build"]).items():
        members = docs["lacks"].members(thing) if isinstance(thing, type) else {}
        for called, value in [(name, thing), *((f"{name}.{k}", v) for k, v in members.items())]:
            if isinstance(value, property) or not callable(value):
                continue
            for parameter in docs["supplements"].parameters_of(value):
                parts = f"{called}.{parameter}".split(".")
                known |= {".".join(parts[start:]) for start in range(len(parts))}
    assert docs["supplements"].described_names() - known == set()


def run_sessions(found: dict[str, str], names: dict[str, Any]) -> int:
    """Run sessions as Python would, and count those that give something else."""
    runner = doctest.DocTestRunner(verbose=False)
    for name, text in found.items():
        runner.run(doctest.DocTestParser().get_doctest(text + "\n", dict(names), name, None, 0))
    return runner.summarize(verbose=False).failed
