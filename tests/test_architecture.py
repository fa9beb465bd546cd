"""The house keeps its shape: who may import whom, what the core needs, how long a module may be.

Each test names the file and line of what breaks a rule.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from dataclasses import dataclass
from functools import cache
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
LONGEST_MODULE = 400  # lines

LAYERS: tuple[tuple[str, ...], ...] = (
    ("core", "version"),
    ("graph",),
    ("ops",),
    ("scheduling", "memory", "recipes"),
    ("tiling", "hardware", "kernels"),
    ("runtime", "learning", "onnx_io", "onnx_backend", "zoo", "export"),
    ("advice",),
    ("widgets",),
    ("course", "report"),
    ("compat", "cli", "__main__"),
)
"""From the ground up: a part imports its own layer and what lies below it."""

RANK = {part: rank for rank, parts in enumerate(LAYERS) for part in parts}

KERNELS_MAY_IMPORT = {"core", "graph", "ops", "kernels"}

REACHES_UP = ("aidge_nb.core.pictures",)
"""Modules that may, when asked for: values of every part have a picture, drawn by the views."""

EXTRA_OF = {
    "onnx": "onnx",
    "ml_dtypes": "onnx",
    "google": "onnx",
    "tqdm": "onnx",
    "anywidget": "lab",
    "ipywidgets": "lab",
    "IPython": "lab",
    "jupyterlab": "lab",
    "mermaid": "lab",
    "plotly": "lab",
    "traitlets": "lab",
    "ortools": "solver",
    "yaml": "hardware",
}
"""Optional packages, by import name, and the extra that brings them."""

FOREIGN = {"aidge_core", "aidge_onnx", "aidge_backend_cpu"}
"""What the package looks for but never installs."""

HEAVY = ("asyncio", "concurrent.futures", "multiprocessing", "http", "xml", "unittest", "email")


@dataclass(frozen=True)
class Import:
    """One imported module, where it stands, and whether it runs when its file is imported."""

    module: str
    path: Path
    line: int
    at_import: bool

    def __str__(self) -> str:
        return f"{self.path.relative_to(ROOT)}:{self.line}: imports {self.module}"


def modules() -> list[Path]:
    """Return every Python file of the package; the linked folders by their real place."""
    return sorted(
        path
        for folder in ("aidge_nb", "kernels", "widgets")
        for path in (ROOT / folder).rglob("*.py")
        if "node_modules" not in path.parts and not _behind_link(path)
    )


def _behind_link(path: Path) -> bool:
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


class ImportCollector(ast.NodeVisitor):
    """Collects the imports of one file, except those for type checkers only."""

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
            self._add(alias.name, node.lineno)

    def visit_ImportFrom(self, node: ast.ImportFrom) -> None:
        base = node.module or ""
        if node.level:
            parent = self.package.rsplit(".", node.level - 1)[0]
            base = f"{parent}.{base}" if base else parent
        if base == "aidge_nb":  # `from aidge_nb import graph` imports a part, or the whole API
            for alias in node.names:
                self._add(f"aidge_nb.{alias.name}" if alias.name in RANK else base, node.lineno)
        else:
            self._add(base, node.lineno)

    def visit_Call(self, node: ast.Call) -> None:
        by_name = ast.unparse(node.func).endswith("import_module") and node.args
        if by_name and isinstance(node.args[0], ast.Constant):
            self._add(str(node.args[0].value), node.lineno)
        self.generic_visit(node)

    def _add(self, module: str, line: int) -> None:
        self.found.append(Import(module, self.path, line, at_import=self.depth == 0))


@cache
def parsed(path: Path) -> ast.Module:
    """Read a module, once for all tests."""
    return ast.parse(path.read_text(encoding="utf-8"), str(path))


@cache
def imports() -> tuple[Import, ...]:
    """Gather every import of the package."""
    collectors = [ImportCollector(path) for path in modules()]
    for collector in collectors:
        collector.visit(parsed(collector.path))
    return tuple(found for collector in collectors for found in collector.found)


def is_ours(module: str) -> bool:
    return module.split(".")[0] == "aidge_nb"


def shown(problems: list[str]) -> str:
    return "\n" + "\n".join(problems)


def test_every_part_has_its_place_in_the_order() -> None:
    parts = {part_of(module_name(path)): path for path in modules()}
    unknown = {part: path for part, path in parts.items() if part and part not in RANK}
    assert not unknown, f"give these a place in LAYERS of {__file__}: {unknown}"


def test_imports_go_one_way() -> None:
    problems = []
    for found in imports():
        here = part_of(module_name(found.path))
        there = part_of(found.module)
        if not here or module_name(found.path) in REACHES_UP or not is_ours(found.module):
            continue
        if not there:
            problems.append(f"{found}: import from the part that defines it")
        elif RANK.get(there, -1) > RANK.get(here, len(LAYERS)):
            problems.append(f"{found}: {there} lies above {here}")
    assert not problems, shown(problems)


def test_parts_do_not_import_each_other_in_a_circle() -> None:
    edges: dict[str, dict[str, Import]] = {}
    for found in imports():
        here, there = part_of(module_name(found.path)), part_of(found.module)
        reaches_up = module_name(found.path) in REACHES_UP
        if is_ours(found.module) and here and there != here and not reaches_up:
            edges.setdefault(here, {})[there] = found
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as error:
        circle = error.args[1]
        problems = [str(edges[here][there]) for there, here in pairwise(circle)]
        pytest.fail(f"{' ← '.join(circle)}{shown(problems)}", pytrace=False)


def test_kernels_import_the_operators_and_numpy_only() -> None:
    problems = []
    for found in imports():
        if part_of(module_name(found.path)) != "kernels":
            continue
        if is_ours(found.module):
            allowed = part_of(found.module) in KERNELS_MAY_IMPORT
        else:
            top = found.module.split(".")[0]
            allowed = top == "numpy" or top in sys.stdlib_module_names
        if not allowed:
            problems.append(f"{found}: kernels import ops, graph and NumPy only")
    assert not problems, shown(problems)


def test_the_core_imports_nothing_but_numpy() -> None:
    problems = []
    for found in imports():
        top = found.module.split(".")[0]
        if top == "numpy" or top in sys.stdlib_module_names or is_ours(found.module):
            continue
        if found.at_import and part_of(module_name(found.path)) != "widgets":
            problems.append(f"{found}: import it inside the function that needs it")
        elif top not in EXTRA_OF and top not in FOREIGN:
            problems.append(f"{found}: no extra brings it; see EXTRA_OF in {Path(__file__).name}")
    assert not problems, shown(problems)


def loaded_by(statement: str) -> set[str]:
    """Return the names of the modules that a fresh interpreter holds after `statement`."""
    ran = subprocess.run(
        [sys.executable, "-c", f"{statement}\nimport sys\nprint(*sorted(sys.modules))"],
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONWARNINGS": "error"},
    )
    return set(ran.stdout.split())


@pytest.fixture(scope="module")
def fresh_import() -> set[str]:
    """Give what ``import aidge_nb`` loads beyond ``import numpy``."""
    return loaded_by("import aidge_nb") - loaded_by("import numpy")


def test_importing_the_package_loads_no_optional_package(fresh_import: set[str]) -> None:
    loaded = sorted(name for name in fresh_import if name.split(".")[0] in EXTRA_OF)
    assert not loaded, f"`import aidge_nb` loads {loaded}; run  python -X importtime -c ..."


@pytest.mark.parametrize("module", HEAVY)
def test_importing_the_package_loads_nothing_heavy(module: str, fresh_import: set[str]) -> None:
    assert module not in fresh_import, (
        f"`import aidge_nb` loads {module}: import it where it is used"
    )


def test_modules_are_short() -> None:
    lengths = {path: len(path.read_text(encoding="utf-8").splitlines()) for path in modules()}
    problems = [
        f"{path.relative_to(ROOT)}:{LONGEST_MODULE + 1}: {lines} lines; one idea per module"
        for path, lines in lengths.items()
        if lines > LONGEST_MODULE
    ]
    assert not problems, shown(problems)


def test_the_library_does_not_print() -> None:
    problems = [
        f"{path.relative_to(ROOT)}:{node.lineno}: print(); log it, return it, or warn"
        for path in modules()
        for node in ast.walk(parsed(path))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "print"
    ]
    assert not problems, shown(problems)


def test_the_links_are_relative_and_lead_to_the_real_folders() -> None:
    for folder in ("kernels", "widgets"):
        link = ROOT / "aidge_nb" / folder
        assert link.is_symlink(), (
            f"{link} must be a link; on Windows: git config core.symlinks true"
        )
        assert link.readlink() == Path("..") / folder
