"""What a package can be built for: this machine, or a microcontroller that an emulator runs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

from aidge_nb.errors import ExportError, explain

if TYPE_CHECKING:
    from aidge_nb.export.plan import ExportPlan
    from aidge_nb.export.sources import Files

__all__ = ["TARGETS", "Target", "find_target"]


@dataclass(frozen=True, slots=True)
class Target:
    """A target of exports.

    Attributes
    ----------
    name
        Its name.
    board
        The emulated board that stands for it; None for this machine.
    """

    name: str
    board: str | None = None

    @property
    def is_host(self) -> bool:
        """Whether it is the machine that the package is made on."""
        return self.board is None

    def files(self, plan: ExportPlan) -> Files:
        """Give the files that a package for this target needs beyond others."""
        return {}


TARGETS: Mapping[str, Target] = MappingProxyType({"host": Target("host")})


def find_target(name: str) -> Target:
    """Find a target by name.

    Raises
    ------
    ExportError
        When there is none of this name.
    """
    if name not in TARGETS:
        raise ExportError(
            explain("target", "there is none of this name", expected=", ".join(TARGETS), found=name)
        )
    return TARGETS[name]
