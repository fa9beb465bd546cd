"""Several memories: an arena for each, and the same bits."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from aidge_nb.export import export
from aidge_nb.memory import Memory
from tests.export.models import check_package, diamond

TWO = [Memory("fast", 48, 0), Memory("slow", 4096, 1)]


def test_each_memory_becomes_an_arena(tmp_path: Path, need_tools: Callable[..., None]) -> None:
    need_tools("make")
    package = check_package(diamond(), tmp_path / "diamond", memories=TWO)
    assert [(a.symbol, a.size) for a in package.plan.arenas] == [("fast", 48), ("slow", 48)]
    assert package.run(opt="-O1").is_equal
    header = (tmp_path / "diamond" / "src" / "diamond_memory.h").read_text()
    assert "#define DIAMOND_IN_FAST" in header


def test_an_arena_can_be_put_into_a_section(
    tmp_path: Path, need_tools: Callable[..., None]
) -> None:
    need_tools("make", "nm")
    package = export(diamond(), tmp_path / "diamond", memories=TWO)
    where = "-DDIAMOND_IN_FAST='__attribute__((section(\".tcm\")))'"
    built = package.build(opt="-O1", extra=where.replace("'", "'"))
    assert b".tcm" in (built / "diamond.o").read_bytes()
