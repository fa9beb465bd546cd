"""Names of packages that are imported at first use."""

from __future__ import annotations

import subprocess
import sys

from aidge_nb.core.lazy import attach


def test_names_of_a_room_above_are_imported_at_first_use() -> None:
    """Even in a package that imports all its own names at once."""
    find, names, public = attach(
        "aidge_nb.core", {"text": "html_text", "aidge_nb.plan_io.read": "read_plan"}, now=True
    )
    assert public == ["html_text", "read_plan"]
    assert "read_plan" in names()
    assert find("read_plan").__module__ == "aidge_nb.plan_io.read"


def test_memory_does_not_import_the_readers_of_plans() -> None:
    code = "import sys, aidge_nb.memory; print('aidge_nb.plan_io' in sys.modules)"
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert ran.stdout.strip() == "False"
