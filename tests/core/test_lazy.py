"""Names that packages import at first use."""

from __future__ import annotations

import subprocess
import sys

import pytest

from aidge_nb.core.lazy import attach


def printed(program: str) -> str:
    """Run a program in a fresh interpreter; return what it prints."""
    ran = subprocess.run(
        [sys.executable, "-c", program], check=True, capture_output=True, text=True
    )
    return ran.stdout.strip()


@pytest.mark.parametrize(
    ("package", "name", "module"),
    [
        ("memory", "plan", "plan"),  # the function is in another module
        ("recipes", "fuse_gelu", "fuse_gelu"),
        ("advice", "fit", "fit"),
    ],
)
def test_a_submodule_does_not_hide_the_name_that_it_shares(
    package: str, name: str, module: str
) -> None:
    here = f"aidge_nb.{package}"
    before = f"import {here}.{module}; from {here} import {name}; print(callable({name}))"
    after = f"from {here} import {name}; import {here}.{module}; print(callable({here}.{name}))"
    assert printed(before) == printed(after) == "True"


def test_recipes_have_the_same_order_whichever_was_imported_first() -> None:
    shown = "from aidge_nb.recipes import RECIPES; print(*RECIPES)"
    other = f"import aidge_nb.recipes.remove_noop, aidge_nb.recipes.fuse_qkv; {shown}"
    assert printed(shown) == printed(other)
    assert "fuse_qkv" in printed(shown).split()


def test_loading_a_recipe_does_not_load_the_others() -> None:
    program = "import sys, aidge_nb.recipes.constant_folding; print(*sys.modules)"
    assert "aidge_nb.recipes.fuse_qkv" not in printed(program).split()


def test_names_of_a_room_above_are_imported_at_first_use() -> None:
    find, names, public = attach(
        "aidge_nb.core", {"text": "html_text", "aidge_nb.plan_io.read": "read_plan"}
    )
    assert public == ["html_text", "read_plan"]
    assert "read_plan" in names()
    assert find("read_plan").__module__ == "aidge_nb.plan_io.read"


def test_memory_does_not_import_the_readers_of_plans() -> None:
    assert (
        printed("import sys, aidge_nb.memory; print('aidge_nb.plan_io' in sys.modules)") == "False"
    )
