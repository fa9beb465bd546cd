"""Runs on emulated boards, and what such runs gave where there is no emulator."""

from __future__ import annotations

import shutil
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from aidge_nb.core.errors import ExportError

if TYPE_CHECKING:
    from aidge_nb.export import ExportedPackage

BOARDS = MappingProxyType({"M3": "mps2-an385", "M4": "mps2-an386", "M55": "mps3-an547"})
"""Emulated boards, by their processor; M3 has no floating-point unit."""

TOOLS = ("make", "arm-none-eabi-gcc", "qemu-system-arm")
"""Programs that a run on a board needs."""

RECORDED = MappingProxyType(
    {
        ("five", "M3"): (230_920, 308),
        ("five", "M4"): (19_280, 248),
        ("five", "M55"): (9_031, 320),
        ("five8", "M3"): (114_720, 484),
        ("lenet", "M3"): (37_973_760, 688),
        ("lenet", "M4"): (1_828_600, 620),
        ("lenet", "M55"): (899_093, 704),
    }
)
"""Instructions and bytes of stack of the programs of the tutorials, by name and processor."""


def has_tools() -> bool:
    """Return whether programs can be built and run for the boards."""
    return all(map(shutil.which, TOOLS))


@dataclass(frozen=True, slots=True)
class BoardFigures:
    """Needs of a program on a board.

    Attributes
    ----------
    processor
        Cortex-M of the board.
    instructions, stack
        Instructions of a run, and bytes of stack.
    recorded
        Whether they come from an earlier run, for there is no emulator here.

    Examples
    --------
    >>> BoardFigures("M4", 19_280, 248, recorded=True)
    M4: 19,280 instructions, stack 248 bytes (recorded)
    """

    processor: str
    instructions: int
    stack: int
    recorded: bool

    def __repr__(self) -> str:
        text = f"{self.processor}: {self.instructions:,} instructions, stack {self.stack} bytes"
        return f"{text} (recorded)" if self.recorded else f"{text}, all bits equal"


def on_board(package: ExportedPackage, processor: str) -> BoardFigures:
    """Run a package on an emulated board; give what was recorded where that is not possible.

    Parameters
    ----------
    package
        A package named ``five``, ``five8`` or ``lenet``, as the tutorials make them.
    processor
        ``"M3"``, ``"M4"`` or ``"M55"``.

    Raises
    ------
    ExportError
        When there is no emulator and no record, or when bits differ.
    """
    name = package.plan.name
    if (name, processor) in RECORDED and not has_tools():
        instructions, stack = RECORDED[name, processor]
        return BoardFigures(processor, instructions, stack, recorded=True)
    run = package.run_on(BOARDS[processor])
    if not run.is_equal:
        raise ExportError.at(name, f"{run.differing_bits} bits differ on {processor}")
    return BoardFigures(processor, run.instructions, run.stack, recorded=False)
