"""Programs on boards: what fits into their memories, and the files that a program needs there."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from aidge_nb.core.errors import AidgeError, ExportError, explain
from aidge_nb.export.boards.targets import BOARDS, KIB, Board, find_board
from aidge_nb.export.plan.value import ExportPlan
from aidge_nb.export.write.sources import Files, fill, template
from aidge_nb.memory import Memory

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView

HEAP = 16 * KIB
"""Bytes for the buffers of files that tests and applications read; the model needs none."""
CODE = 160 * KIB
"""Bytes of code memory that are kept for code: kernels, layers, and newlib for the tests."""
STACK = 16 * KIB
"""Bytes of stack that a program on a board has."""

RESERVED = STACK + HEAP + 8 * KIB
"""Bytes of the first memory that are kept for the stack and for newlib."""


def board_files(plan: ExportPlan, board: Board, folder: str) -> Files:
    """Write what a program needs to run on a board: start-up code, linker script, flags.

    Raise ExportError when the program does not fit: by how much.
    """
    places = _place(plan, board)
    values = {
        "board": board.name,
        "name": plan.name,
        "arch": board.arch,
        "tick_ps": str(10**12 // board.clock),
        "stack": str(STACK),
        "heap": str(HEAP),
        "regions": "\n".join(
            f"{r.name} : ORIGIN = {r.origin:#x}, LENGTH = {r.size}"
            for r in (board.code, *board.memories)
        ),
        "code": board.code.name,
        "ram": board.memories[0].name,
        "bss": places["bss"],
        "parameters": places["parameters"],
        "arenas": "\n".join(
            f".{plan.name}_{a.symbol} (NOLOAD) : ALIGN(16) {{ *(.{plan.name}_{a.symbol}) }} "
            f"> {places[a.symbol]}"
            for a in plan.arenas
        ),
        "defines": "".join(
            f" '-D{plan.name.upper()}_IN_{a.symbol.upper()}="
            f'__attribute__((section(".{plan.name}_{a.symbol}")))\''
            for a in plan.arenas
        ),
    }
    return {
        f"{folder}/{name}": fill(template(f"{source}.in"), values).encode()
        for name, source in (
            ("board.c", "board_start.c"),
            ("board.h", "board.h"),
            ("board.ld", "board.ld"),
            ("board.mk", "board.mk"),
        )
    }


def data_memories(name: str) -> tuple[Memory, ...]:
    """Return the memories of a board for activations: what is left beside stack and buffers."""
    first, *others = find_board(name).memories
    return (
        Memory(first.name, first.size - RESERVED, 0),
        *(Memory(region.name, region.size, rank) for rank, region in enumerate(others, 1)),
    )


def check_fits(plan: ExportPlan, name: str) -> None:
    """Check that a program fits a board.

    Raise ExportError, saying what does not, and by how much.
    """
    _place(plan, find_board(name))


@dataclass(frozen=True, slots=True)
class _Lack:
    """Data that do not fit: their bytes, the memory with most room, and that room in bytes."""

    what: str
    size: int
    where: str
    free: int


def _place(plan: ExportPlan, board: Board) -> dict[str, str]:
    """Choose a memory for each arena, for the parameters and for everything else."""
    found = _places(plan, board)
    if isinstance(found, _Lack):
        raise ExportError(_too_large(plan, board, found))
    return found


def _places(plan: ExportPlan, board: Board) -> dict[str, str] | _Lack:
    free = {region.name: region.size for region in (board.code, *board.memories)}
    free[board.code.name] -= CODE
    free[board.memories[0].name] -= RESERVED
    found: dict[str, str] = {}
    io_bytes = sum(value.nbytes for value in (*plan.inputs, *plan.outputs))
    wanted = [(arena.symbol, arena.memory, arena.size) for arena in plan.arenas]
    wanted += [("parameters", "", plan.parameter_bytes), ("bss", "", io_bytes)]
    for what, where, size in wanted:
        names = [region.name for region in board.memories]
        candidates = [where] if where in names else names
        if what == "parameters":
            candidates = [board.code.name, *reversed(names)]
        place = next((name for name in candidates if free[name] >= size), None)
        if place is None:
            most = max(candidates, key=lambda name: free[name])
            return _Lack(what, size, most, free[most])
        found[what] = place
        free[place] -= size
    return found


def _too_large(plan: ExportPlan, board: Board, lack: _Lack) -> str:
    return explain(
        f"{plan.name} on {board.name}",
        f"its {'inputs and outputs' if lack.what == 'bss' else lack.what} do not fit: "
        f"{lack.size - lack.free} bytes too many",
        expected=f"at most {lack.free} bytes in {lack.where}",
        found=f"{lack.size} bytes",
        cure=f"{_cure(lack.what, lack.size, lack.free)} {_elsewhere(plan, board)}",
    )


def _cure(what: str, size: int, free: int) -> str:
    """Say what would fit, if anything that is known would."""
    if what == "bss":
        return "Smaller inputs and outputs would fit."
    if what != "parameters":
        return "aidge_nb.fit() and aidge_nb.tile_for() look for a smaller plan."
    return as_int8(size, free, f"A model with at most {free // 4} parameters of float32 would fit.")


def as_int8(size: int, free: int, otherwise: str) -> str:
    """Say that float32 as int8 would fit, with the figure, where that is so.

    Examples
    --------
    >>> as_int8(4000, 1500, "Nothing does.")
    'As int8 it would take about 1000 bytes, which fit.'
    >>> as_int8(4000, 500, "Nothing does.")
    'As int8 it would take about 1000 bytes, still too many. Nothing does.'
    """
    small = size // 4
    if small <= free:
        return f"As int8 it would take about {small} bytes, which fit."
    return f"As int8 it would take about {small} bytes, still too many. {otherwise}"


def _elsewhere(plan: ExportPlan, board: Board) -> str:
    """Name the boards that the program would fit as it is."""
    others = [each for each in BOARDS.values() if each != board]
    found = [each.core for each in others if isinstance(_places(plan, each), dict)]
    if not found:
        return "It fits none of the other boards; target host has no limit."
    return f"As it is, it fits the board with {', '.join(found)}."


def activations_too_large(
    view: GraphView, name: str, needed: int, free: int, where: str
) -> ExportError:
    """Say that activations do not fit, and look for what would bring them there."""
    return ExportError.at(
        name,
        f"its activations do not fit: {needed - free} bytes too many",
        expected=f"at most {free} bytes in {where}",
        found=f"{needed} bytes",
        cure=_tiling_that_fits(view, needed, free),
    )


def _tiling_that_fits(view: GraphView, needed: int, free: int) -> str:
    from aidge_nb.tiling import tile_for

    try:
        best = tile_for(view, memory=free).best
    except AidgeError:
        best = None
    if best is None:
        small = as_int8(needed, free, "A smaller input or a narrower model would fit.")
        return f"No tiling was found that fits. {small}"
    return (
        f"tile_for(view, memory={free}) finds a tiling of {best.peak} bytes; apply it, and export "
        "the result."
    )
