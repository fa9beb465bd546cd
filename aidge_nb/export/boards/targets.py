"""Export targets: this machine, or a microcontroller on a board that an emulator runs.

The boards are machines of QEMU. Addresses are from its documentation and its own listing (``info
mtree``): https://www.qemu.org/docs/master/system/arm/mps2.html
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from aidge_nb.core.errors import ExportError

KIB, MIB = 1 << 10, 1 << 20


@dataclass(frozen=True, slots=True)
class Region:
    """A memory of a board: its name, its first address, its size in bytes."""

    name: str
    origin: int
    size: int


@dataclass(frozen=True, slots=True)
class Board:
    """An emulated board."""

    name: str  # QEMU's name of the machine
    core: str  # the processor
    arch: str  # flags of the compiler for it
    code: Region  # the memory for code
    memories: tuple[Region, ...]  # the memories for data, the one to be filled first first
    target: str  # what users call it
    clock: int = 25_000_000  # of the processor, in hertz


_MPS2 = Region("code", 0, 4 * MIB), Region("ram", 0x2000_0000, 4 * MIB)
_PSRAM = Region("psram", 0x2100_0000, 16 * MIB)

BOARDS: Mapping[str, Board] = MappingProxyType(
    {
        board.name: board
        for board in (
            Board(
                "mps2-an385",
                "Cortex-M3",
                "-mcpu=cortex-m3 -mthumb -mfloat-abi=soft",
                _MPS2[0],
                (_MPS2[1], _PSRAM),
                "cortex-m3",
            ),
            Board(
                "mps2-an386",
                "Cortex-M4F",
                "-mcpu=cortex-m4 -mthumb -mfloat-abi=hard -mfpu=fpv4-sp-d16",
                _MPS2[0],
                (_MPS2[1], _PSRAM),
                "cortex-m4",
            ),
            Board(
                "mps2-an500",
                "Cortex-M7",
                "-mcpu=cortex-m7 -mthumb -mfloat-abi=hard -mfpu=fpv5-d16",
                _MPS2[0],
                (_MPS2[1], Region("psram", 0x6000_0000, 16 * MIB)),
                "cortex-m7",
            ),
            Board(
                "mps3-an547",
                "Cortex-M55",
                "-mcpu=cortex-m55 -mthumb -mfloat-abi=hard",
                # The processor starts in its secure state: these are the secure addresses.
                Region("code", 0x1000_0000, 512 * KIB),
                (Region("tcm", 0x3000_0000, 512 * KIB), Region("ddr", 0x7000_0000, 256 * MIB)),
                "cortex-m55",
                32_000_000,
            ),
        )
    }
)
"""Boards by name."""


def find_board(name: str) -> Board:
    """Find a board by name; raise ExportError for an unknown name."""
    if name not in BOARDS:
        raise ExportError.at("board", "is unknown", expected=", ".join(BOARDS), found=name)
    return BOARDS[name]


@dataclass(frozen=True, slots=True)
class ExportTarget:
    """A target of exports."""

    name: str  # its name
    board: str = ""  # name of the emulated board that stands for it; empty for this machine

    @property
    def is_host(self) -> bool:
        """Tell whether the target is the machine that makes the package."""
        return not self.board

    @property
    def has_vectors(self) -> bool:
        """Tell whether kernels compute several numbers at a time."""
        return self.is_host or "cortex-m55" in find_board(self.board).arch


TARGETS: Mapping[str, ExportTarget] = MappingProxyType(
    {
        target.name: target
        for target in (
            ExportTarget("host"),
            *(ExportTarget(board.target, board.name) for board in BOARDS.values()),
        )
    }
)
"""Targets by name; that of a microcontroller has the memories of its board."""


def find_target(name: str) -> ExportTarget:
    """Find a target by name.

    Raise ExportError for an unknown name.

    Examples
    --------
    >>> find_target("cortex-m4")
    ExportTarget(name='cortex-m4', board='mps2-an386')
    """
    if name not in TARGETS:
        raise ExportError.at("target", "is unknown", expected=", ".join(TARGETS), found=name)
    return TARGETS[name]
