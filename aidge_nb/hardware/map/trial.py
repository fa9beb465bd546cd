"""What would happen if a task were computed in one of its ways."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from aidge_nb.hardware.map.options import Option
from aidge_nb.hardware.map.tasks import Task
from aidge_nb.hardware.mapping import Placed, Step


@dataclass(frozen=True)
class Trial:
    """A task, computed in one of its ways.

    Attributes
    ----------
    task, option
        What is computed, and how.
    steps
        What happens when.
    placements
        Buffers of local memories.
    extra
        Bytes of buffers that it needs in the memory of whole tensors.
    double_buffered
        Elements that load a tile while they compute another.
    """

    task: Task
    option: Option
    steps: tuple[Step, ...]
    placements: tuple[Placed, ...]
    extra: dict[str, int]
    double_buffered: tuple[str, ...]

    @cached_property
    def start(self) -> int:
        """When its first step begins."""
        return min((step.start for step in self.steps), default=0)

    @cached_property
    def end(self) -> int:
        """When its last step ends."""
        return max((step.end for step in self.steps), default=0)
