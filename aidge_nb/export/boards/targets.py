"""Export targets: this machine, or a microcontroller that an emulator runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from aidge_nb.core.errors import ExportError


@dataclass(frozen=True, slots=True)
class ExportTarget:
    """A target of exports."""

    name: str  # its name
    board: str = ""  # name of the emulated board that stands for it; empty for this machine

    @property
    def is_host(self) -> bool:
        """Tell whether the target is the machine that makes the package."""
        return not self.board


TARGETS: Mapping[str, ExportTarget] = MappingProxyType(
    {
        target.name: target
        for target in (
            ExportTarget("host"),
            ExportTarget("cortex-m3", "mps2-an385"),
            ExportTarget("cortex-m4", "mps2-an386"),
            ExportTarget("cortex-m7", "mps2-an500"),
            ExportTarget("cortex-m55", "mps3-an547"),
        )
    }
)
"""Targets by name; that of a microcontroller has the memories of its board."""


def find_target(name: str) -> ExportTarget:
    """Find a target by name.

    Raise ExportError when there is none of this name.

    Examples
    --------
    >>> find_target("cortex-m4")
    ExportTarget(name='cortex-m4', board='mps2-an386')
    """
    if name not in TARGETS:
        raise ExportError.at(
            "target", "there is none of this name", expected=", ".join(TARGETS), found=name
        )
    return TARGETS[name]
