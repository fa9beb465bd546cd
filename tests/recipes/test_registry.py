"""Names of recipes: functions, whatever is imported before."""

from __future__ import annotations

import pkgutil
import subprocess
import sys
from pathlib import Path
from types import ModuleType

import pytest

import aidge_nb
from aidge_nb import recipes
from aidge_nb.recipes import RECIPES

HERE = Path(__file__).parent
MODULES = [module.name for module in pkgutil.iter_modules(recipes.__path__)]


@pytest.mark.parametrize("name", RECIPES)
def test_recipes_are_functions_of_the_package(name: str) -> None:
    assert name in recipes.__all__
    assert getattr(aidge_nb, name) is getattr(recipes, name)
    assert callable(getattr(recipes, name))


def test_each_recipe_has_a_file_of_its_own_with_a_test_beside_it() -> None:
    files = [recipe.apply.__module__.rpartition(".")[2] for recipe in RECIPES.values()]
    assert len(set(files)) == len(RECIPES)
    assert [name for name in files if not (HERE / f"test_{name}.py").is_file()] == []


def test_importing_modules_hides_no_function() -> None:
    """A module of the same name, imported later, would take the place of its function."""
    first = "\n".join(f"import aidge_nb.recipes.{name}" for name in MODULES)
    code = (
        f"{first}\nfrom types import ModuleType\nfrom aidge_nb import recipes\n"
        "hidden = [n for n in recipes.__all__ if isinstance(getattr(recipes, n), ModuleType)]\n"
        "assert not hidden, hidden"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert run.returncode == 0, run.stderr


def test_no_recipe_is_a_module() -> None:
    assert not any(isinstance(recipe.apply, ModuleType) for recipe in RECIPES.values())
