"""The house keeps its shape: who may import whom, what the core needs, how long a module may be.

Each test names the file and line of what breaks a rule.
"""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections import Counter, defaultdict
from graphlib import CycleError, TopologicalSorter
from itertools import pairwise
from pathlib import Path

import pytest

from tests import rooms
from tests.house import (
    ROOT,
    circles,
    defining_module,
    import_edges,
    imports,
    is_ours,
    module_name,
    modules,
    parsed,
    part_of,
)

LONGEST_MODULE = 400  # lines
MOST_MODULES = 25  # in a folder

RANK = {part: rank for rank, parts in enumerate(rooms.LAYERS) for part in parts}

KERNELS_MAY_IMPORT = {"core", "graph", "ops", "kernels"}

REACHES_UP = {
    ("aidge_nb.core.pictures", "aidge_nb.widgets"): "values find the views that draw them",
    ("aidge_nb.graph.view", "aidge_nb.graph.cloning"): "GraphView.clone is Aidge's method",
    ("aidge_nb.graph.view", "aidge_nb.graph.replace"): "GraphView.replace is Aidge's method",
}
"""The imports that may close a circle, each with its reason."""

EXTRA_OF = {
    "onnx": "onnx",
    "ml_dtypes": "onnx",
    "google": "onnx",
    "tqdm": "onnx",
    "anywidget": "lab",
    "ipywidgets": "lab",
    "IPython": "lab",
    "jinja2": "lab",
    "jupyterlab": "lab",
    "mermaid": "lab",
    "nbconvert": "lab",
    "nbformat": "lab",
    "plotly": "lab",
    "traitlets": "lab",
    "ortools": "solver",
    "yaml": "hardware",
}
"""Optional packages, by import name, and the extra that brings them."""

FOREIGN = {"aidge_core", "aidge_onnx", "aidge_backend_cpu"}
"""What the package looks for but never installs."""

HEAVY = ("asyncio", "concurrent.futures", "multiprocessing", "http", "xml", "unittest", "email")


def shown(problems: list[str]) -> str:
    return "\n" + "\n".join(problems)


def test_every_part_has_its_place_in_the_order() -> None:
    parts = {part_of(module_name(path)): path for path in modules()}
    unknown = {part: path for part, path in parts.items() if part and part not in RANK}
    assert not unknown, f"give these a place in LAYERS of {rooms.__file__}: {unknown}"


def test_imports_go_one_way() -> None:
    problems = []
    for here, there, found in import_edges():
        below, above = part_of(here), part_of(there)
        if not below or (here, there) in REACHES_UP:
            continue
        if not above:
            problems.append(f"{found}: import from the part that defines it")
        elif RANK.get(above, -1) > RANK.get(below, len(rooms.LAYERS)):
            problems.append(f"{found}: {above} lies above {below}")
    assert not problems, shown(problems)


def test_parts_do_not_import_each_other_in_a_circle() -> None:
    edges: dict[str, dict[str, object]] = {}
    for here, there, found in import_edges():
        parts = part_of(here), part_of(there)
        if all(parts) and parts[0] != parts[1] and (here, there) not in REACHES_UP:
            edges.setdefault(parts[0], {})[parts[1]] = found
    try:
        TopologicalSorter(edges).prepare()
    except CycleError as error:
        circle = error.args[1]
        problems = [str(edges[here][there]) for there, here in pairwise(circle)]
        pytest.fail(f"{' ← '.join(circle)}{shown(problems)}", pytrace=False)


def test_circles_would_be_seen() -> None:
    edges = [("a", "b"), ("b", "c"), ("c", "a"), ("c", "d"), ("d", "e")]
    assert circles(edges) == [["a", "b", "c"]]
    assert circles([("a", "b"), ("a", "c"), ("b", "c")]) == []


def test_accepted_circles_exist() -> None:
    there = {(here, there) for here, there, _ in import_edges()}
    assert set(REACHES_UP) <= there, "an exception that nothing needs any more"


def test_kernels_import_the_operators_and_numpy_only() -> None:
    problems = []
    for found in imports():
        if part_of(module_name(found.path)) != "kernels":
            continue
        if is_ours(found.module):
            there = defining_module(found.module, found.name)
            allowed = part_of(there) in KERNELS_MAY_IMPORT
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


NOT_FOR_REPORTS = (
    "aidge_nb.memory.aidge.manager",
    "aidge_nb.memory.place.solver",
    "aidge_nb.quantization.rules",
    "aidge_nb.recipes.simplify",
    "aidge_nb.scheduling.model.balance",
    "aidge_nb.scheduling.order.solve",
    "aidge_nb.widgets.scene.mapping",
    "aidge_nb.widgets.still.svg.stripes",
    *("fractions", "numpy.ma", "onnx", "statistics", "tempfile"),
)
"""What a report of a plain network has no use for, and that would take time to import."""


def test_a_report_loads_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    given = ["report", "zoo:mlp", "-o", str(tmp_path / "page.html"), "--quiet"]
    loaded = loaded_by(f"from aidge_nb.cli import main\nmain({given!r})")
    assert "aidge_nb.widgets.still.html" in loaded
    assert [name for name in NOT_FOR_REPORTS if name in loaded] == []


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


def test_no_circle_is_hidden() -> None:
    """Imports inside functions and by name count, too."""
    edges = {(here, there): found for here, there, found in import_edges()}
    open_edges = {pair: found for pair, found in edges.items() if pair not in REACHES_UP}
    problems = [
        f"a circle of {', '.join(circle)}:\n"
        + "\n".join(
            f"  {found}"
            for (here, there), found in open_edges.items()
            if here in circle and there in circle
        )
        for circle in circles(open_edges)
    ]
    assert not problems, shown(problems)


def test_folders_are_not_crowded() -> None:
    counts = Counter(path.parent.relative_to(ROOT) for path in modules())
    problems = [
        f"{folder}: {count} modules; divide it by what its parts do"
        for folder, count in counts.items()
        if count > MOST_MODULES and folder.name != "recipes"  # one file per recipe
    ]
    assert not problems, shown(problems)


def test_a_class_name_means_one_thing() -> None:
    places = defaultdict(list)
    for path in modules():
        for node in parsed(path).body:
            if isinstance(node, ast.ClassDef):
                places[node.name].append(str(path.relative_to(ROOT)))
    shared = [f"{name}: {', '.join(p)}" for name, p in sorted(places.items()) if len(p) > 1]
    assert not shared, shown(shared)


RIDDLES = ("Give", "Gives", "What", "Whatever", "Whether", "Who")


def test_docstrings_say_what_a_thing_does() -> None:
    """First lines are imperative or name the thing; see STYLE in CONTRIBUTING.md."""
    problems = []
    for path in modules():
        for node in ast.walk(parsed(path)):
            if isinstance(node, ast.Module | ast.ClassDef | ast.FunctionDef):
                first = (ast.get_docstring(node) or "").split()[:1]
                if first and first[0] in RIDDLES:
                    line = getattr(node, "lineno", 1)
                    problems.append(f"{path.relative_to(ROOT)}:{line}: begins with {first[0]!r}")
    assert not problems, shown(problems)


def test_the_table_of_rooms_is_up_to_date() -> None:
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
    assert rooms.table() in text, "run  python tests/rooms.py  and commit CONTRIBUTING.md"
