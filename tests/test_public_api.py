"""What ``import aidge_nb`` offers, and what it leaves for later."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import subprocess
import sys

import pytest

import aidge_nb


def test_every_name_is_there() -> None:
    assert len(set(aidge_nb.__all__)) == len(aidge_nb.__all__)
    assert [name for name in aidge_nb.__all__ if not hasattr(aidge_nb, name)] == []
    assert set(aidge_nb.__all__) <= set(dir(aidge_nb))


def test_no_other_name_is() -> None:
    with pytest.raises(AttributeError, match="module 'aidge_nb' has no attribute 'Conv4D'"):
        aidge_nb.Conv4D  # noqa: B018


@pytest.mark.parametrize(
    "room",
    [
        *(
            "memory",
            "onnx_io",
            "zoo",
            "kernels",
            "widgets",
            "report",
            "recipes",
            "tiling",
            "export",
        ),
        *("graph.query", "graph.fuse", "scheduling.orders", "scheduling.trace", "runtime.in_arena"),
    ],
)
def test_importing_is_quick_because_rooms_wait(room: str) -> None:
    """Benchmarks measure the time; this holds what makes it short."""
    code = f"import sys, aidge_nb; sys.exit('aidge_nb.{room}' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0


@pytest.mark.parametrize("package", ["", ".graph", ".scheduling", ".runtime"])
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
