"""Read the house from its source: modules, what each imports, classes, docstrings.

Imports are those that can happen at run time: at module level, inside functions, and by name with
``import_module("aidge_nb...")``; those for type checkers only are left out. ``from package import
Name`` counts as an import of the module that defines the name, so that a package that loads its
names when they are asked for hides nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

ROOT = Path(__file__).resolve().parent.parent
FOLDERS = ("aidge_nb", "kernels", "widgets")


@dataclass(frozen=True)
class Import:
    """One imported module, where it stands, and whether it runs when its file is imported."""

    module: str
    name: str
    path: Path
    line: int
    at_import: bool

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: imports {self.module}"


def modules() -> list[Path]:
    """Return every Python file of the package; the linked folders by their real place."""
    return sorted(
        path
        for folder in FOLDERS
        for path in (ROOT / folder).rglob("*.py")
        if "node_modules" not in path.parts and not _below_a_link(path)
    )


def _below_a_link(path: Path) -> bool:
    return any((ROOT / "aidge_nb" / link) in path.parents for link in ("kernels", "widgets"))


def module_name(path: Path) -> str:
    """Return the dotted name under which a file is installed."""
    parts = path.relative_to(ROOT).with_suffix("").parts
    if parts[0] != "aidge_nb":
        parts = ("aidge_nb", *parts)
    return ".".join(part for part in parts if part != "__init__")


def part_of(name: str) -> str:
    """Return the part of the house that a module belongs to: "graph" for aidge_nb.graph.node."""
    return name.split(".")[1] if "." in name else ""


def is_ours(module: str) -> bool:
    """Tell whether a module belongs to this package."""
    return module.split(".")[0] == "aidge_nb"


@cache
def parsed(path: Path) -> ast.Module:
    """Read a module, once for all tests."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def imports() -> tuple[Import, ...]:
    """Return every import of the package."""
    collectors = [_ImportCollector(path) for path in modules()]
    for collector in collectors:
        collector.visit(parsed(collector.path))
    return tuple(found for collector in collectors for found in collector.found)


class _ImportCollector(ast.NodeVisitor):
    """Collect the imports of one file, except those for type checkers only."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.package = module_name(path)
        if path.name != "__init__.py":
            self.package = self.package.rpartition(".")[0]
        self.depth = 0  # of the function we are in
        self.found: list[Import] = []

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        self.depth += 1
        self.generic_visit(node)
        self.depth -= 1

    visit_AsyncFunctionDef = visit_FunctionDef  # noqa: N815  # the name that `ast` calls

    def visit_If(self, node: ast.If) -> None:
        if ast.unparse(node.test) in ("TYPE_CHECKING", "typing.TYPE_CHECKING"):
            for statement in node.orelse:
                self.visit(statement)
        else:
            self.generic_visit(node)

    def visit_Import(self, node: ast.Import) -> None:
        for alias in node.names:
            self._add(alias.name, "", node.lineno)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        base = node.module or ""
        if node.level:
            parent = self.package.rsplit(".", node.level - 1)[0]
            base = f"{parent}.{base}" if base else parent
        for alias in node.names:
            self._add(base, alias.name, node.lineno)

    def visit_Call(self, node: ast.Call) -> None:
        by_name = ast.unparse(node.func).endswith("import_module") and node.args
        if by_name and isinstance(node.args[0], ast.Constant):
            self._add(str(node.args[0].value), "", node.lineno)
        self.generic_visit(node)

    def _add(self, module: str, name: str, line: int) -> None:
        self.found.append(Import(module, name, self.path, line, at_import=self.depth == 0))


@cache
def module_names() -> frozenset[str]:
    """Return the dotted names of all modules."""
    return frozenset(map(module_name, modules()))


def defining_module(module: str, name: str) -> str:
    """Return the module of this package from which ``from module import name`` takes a name."""
    if f"{module}.{name}" in module_names():
        return f"{module}.{name}"
    thing = getattr(import_module(module), name, None) if name not in ("", "*") else None
    defined = getattr(thing, "__module__", None)
    if isinstance(thing, ModuleType):
        defined = thing.__name__
    return defined if defined in module_names() else module


def import_edges() -> Iterator[tuple[str, str, Import]]:
    """Return (importing module, imported module, where) of every import within the package."""
    for found in imports():
        if is_ours(found.module):
            here, there = module_name(found.path), defining_module(found.module, found.name)
            if here != there:
                yield here, there, found


def circles(edges: Iterable[tuple[str, str]]) -> list[list[str]]:
    """Return the strongly connected components of two and more nodes (Tarjan 1972)."""
    below: dict[str, list[str]] = {}
    for here, there in edges:
        below.setdefault(here, []).append(there)
        below.setdefault(there, [])
    number: dict[str, int] = {}
    lowest: dict[str, int] = {}
    waiting: list[str] = []
    found: list[list[str]] = []

    def visit(node: str) -> None:
        number[node] = lowest[node] = len(number)
        waiting.append(node)
        for other in below[node]:
            if other not in number:
                visit(other)
                lowest[node] = min(lowest[node], lowest[other])
            elif other in waiting:
                lowest[node] = min(lowest[node], number[other])
        if lowest[node] == number[node]:
            place = waiting.index(node)
            members = waiting[place:]
            del waiting[place:]
            if len(members) > 1:
                found.append(sorted(members))

    for node in below:
        if node not in number:
            visit(node)
    return found
