"""Public names: each is found, the stubs list them, and importing the package loads little."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest

import aidge_nb


def test_every_name_is_there() -> None:
    assert len(set(aidge_nb.__all__)) == len(aidge_nb.__all__)
    assert [name for name in aidge_nb.__all__ if not hasattr(aidge_nb, name)] == []
    assert set(aidge_nb.__all__) <= set(dir(aidge_nb))


def test_no_other_name_is() -> None:
    with pytest.raises(AttributeError, match="module 'aidge_nb' has no attribute 'Conv4D'"):
        aidge_nb.Conv4D  # type: ignore[attr-defined]  # noqa: B018  # it is not


@pytest.mark.parametrize(
    "room",
    [
        *("memory", "onnx_io", "zoo", "kernels", "widgets", "report", "recipes", "tiling"),
        *("export", "graph.node", "graph.view", "ops.linear", "scheduling.scheduler"),
        *("runtime.backends.cpu", "runtime.schedulers"),
    ],
)
def test_importing_is_quick_because_rooms_wait(room: str) -> None:
    """Benchmarks measure the time; this holds what makes it short."""
    code = f"import sys, aidge_nb; sys.exit('aidge_nb.{room}' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize(
    "package", ["", ".core", ".graph", ".ops", ".scheduling", ".runtime", ".compat"]
)
def test_names_that_wait_are_no_modules(package: str) -> None:
    """Importing a submodule would put it in the place of what is called like it."""
    room = importlib.import_module(f"aidge_nb{package}")
    modules = {each.name for each in pkgutil.iter_modules(room.__path__)}
    for name in set(room.__all__) & modules:
        assert inspect.ismodule(getattr(room, name)), f"{room.__name__}.{name}"


def test_a_name_is_found_every_time() -> None:
    for room in (aidge_nb.graph, aidge_nb.scheduling, aidge_nb.runtime, aidge_nb):
        for name in room.__all__:
            assert getattr(room, name) is getattr(room, name)
            assert name in dir(room)


def test_the_chain_is_found_at_the_top() -> None:
    """load → schedule → plan → run, export, look: the names that a first use needs."""
    for name in ("load_onnx", "static_schedule", "plan_memory", "run_in_arena", "workbench"):
        assert callable(getattr(aidge_nb, name))
    assert callable(aidge_nb.export.export)


def test_the_stubs_are_up_to_date() -> None:
    script = Path(__file__).parents[2] / ".ci" / "stubs.py"
    ran = subprocess.run([sys.executable, str(script), "--check"], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_a_star_import_brings_every_name() -> None:
    names: dict[str, object] = {}
    exec("from aidge_nb import *", names)
    assert names.keys() >= set(aidge_nb.__all__)


def test_operators_and_backends_are_known_before_they_are_imported() -> None:
    code = (
        "from aidge_nb.graph import SPECS, available_backends, find_spec\n"
        "assert available_backends() == ['c', 'cpu', 'exact']\n"
        "assert find_spec('Conv4D') is None and find_spec('FC').type == 'FC'\n"
        "assert len(SPECS) > 100"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr


def test_a_function_is_not_hidden_by_the_module_of_its_name() -> None:
    assert callable(aidge_nb.memory.plan)
