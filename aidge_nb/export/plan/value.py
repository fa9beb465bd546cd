"""An exported program as a value, before anything is written.

An :class:`ExportPlan` holds every address, every call with its configuration, the loops, and the
memory plan that the addresses come from. It holds no graph and no array: parameters are described,
and their bytes travel beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from aidge_nb.core.errors import ExportError
from aidge_nb.export.plan.parts import (
    ArenaBuffer,
    KernelCall,
    Parameter,
    Place,
    ProgramLoop,
    ProgramTensor,
    StaticArena,
    Step,
)
from aidge_nb.export.plan.plain import from_plain, to_plain
from aidge_nb.memory import MemoryPlan


@dataclass(frozen=True, repr=False)
class ExportPlan:
    """An exported program before it is written.

    Attributes
    ----------
    name
        Prefix of its symbols and of its files.
    target
        Name of the target.
    inputs, outputs
        What the caller gives and takes, in order.
    results
        Where each output lies at the end.
    parameters
        Constant tensors.
    arenas, buffers
        Static memory, and what lies there.
    steps
        The forward function: steps, and loops of them.
    units
        Names of the C units, headers and sources, that it is made of.
    memory
        The memory plan; :attr:`arenas` are as large as it says.
    stack_by
        Bytes of stack that a call of the forward function takes at most, by compiler.
    """

    name: str
    target: str
    inputs: tuple[ProgramTensor, ...]
    outputs: tuple[ProgramTensor, ...]
    results: tuple[Place, ...]
    parameters: tuple[Parameter, ...]
    arenas: tuple[StaticArena, ...]
    buffers: tuple[ArenaBuffer, ...]
    steps: tuple[Step | ProgramLoop, ...]
    units: tuple[str, ...]
    memory: MemoryPlan
    stack_by: tuple[tuple[str, int], ...]

    def walk(self) -> Iterator[Step]:
        """Walk over the steps, loops not unrolled."""
        return _walk(self.steps)

    @property
    def arena_bytes(self) -> int:
        """Size of all arenas."""
        return sum(arena.size for arena in self.arenas)

    @property
    def stack(self) -> int:
        """Bytes of stack that a call of the forward function takes at most, in any compiler."""
        return max(size for _, size in self.stack_by)

    @property
    def parameter_bytes(self) -> int:
        """Size of all parameters."""
        return sum(parameter.nbytes for parameter in self.parameters)

    @property
    def calls(self) -> tuple[KernelCall, ...]:
        """All calls of kernels, those in loops once."""
        return tuple(a for step in self.walk() for a in step.actions if isinstance(a, KernelCall))

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, for JSON; :meth:`from_dict` reads them."""
        values: dict[str, Any] = to_plain(self)
        return values

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> ExportPlan:
        """Make a plan of what :meth:`to_dict` gave.

        Raises
        ------
        ExportError
            For what is no plan.
        """
        plan = from_plain(values, cls)
        if not isinstance(plan, cls):
            raise ExportError.at("export plan", "cannot be read", found=type(plan).__name__)
        return plan

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        from aidge_nb.export.write.show import plan_html

        return {"text/html": plan_html(self), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return (
            f"ExportPlan({self.name} for {self.target}: {sum(1 for _ in self.walk())} steps, "
            f"arena {self.arena_bytes} bytes, parameters {self.parameter_bytes} bytes)"
        )


def _walk(steps: tuple[Step | ProgramLoop, ...]) -> Iterator[Step]:
    for item in steps:
        if isinstance(item, ProgramLoop):
            yield from _walk(item.body)
        else:
            yield item
