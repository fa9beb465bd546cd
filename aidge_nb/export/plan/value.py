"""An exported program as a value, before anything is written.

An :class:`ExportPlan` holds every address, every call with its configuration, the loops, and the
memory plan that the addresses come from. It holds no graph and no array: parameters are described,
and their bytes travel beside it.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, fields, is_dataclass
from typing import Any

from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import ExportError, MemoryPlanError, reading
from aidge_nb.core.forms import check_form
from aidge_nb.export.plan import parts
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
from aidge_nb.export.plan.saved import check_saved_plan
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
    def copied_aside(self) -> dict[str, int]:
        """Bytes of working memory for copies, by node: operands that kernels cannot take there."""
        working = {buffer.symbol for buffer in self.buffers if buffer.output < 0}
        found: dict[str, int] = {}
        for step in self.walk():
            size = max((_reach(action, working, ()) for action in step.actions), default=0)
            if size:
                found[step.node] = max(size, found.get(step.node, 0))
        return found

    @property
    def calls(self) -> tuple[KernelCall, ...]:
        """All calls of kernels, those in loops once."""
        return tuple(call for step in self.walk() for call in step.calls)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, for JSON; :meth:`from_dict` reads them."""
        values: dict[str, Any] = _to_plain(self)
        return values

    @classmethod
    @reading("export plan", ExportError)
    def from_dict(cls, values: Mapping[str, Any]) -> ExportPlan:
        """Make a plan of what :meth:`to_dict` gave.

        Raises
        ------
        ExportError
            For what is no plan.
        """
        plan = _from_plain(values)
        if not isinstance(plan, cls):
            expected, found = cls.__name__, type(plan).__name__
            raise ExportError.at("export plan", "cannot be read", expected=expected, found=found)
        check_form(plan, cls, "export plan", ExportError)
        check_saved_plan(plan)
        return plan

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        from aidge_nb.export.write.show import plan_html

        return {"text/html": plan_html(self), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return (
            f"ExportPlan({self.name} for {self.target}: {sum(1 for _ in self.walk())} entries, "
            f"arena {self.arena_bytes} bytes, parameters {self.parameter_bytes} bytes)"
        )


def _reach(action: parts.Action, working: Collection[str], counts: tuple[int, ...]) -> int:
    """Return how far copies in a working memory reach; loops around turn ``counts`` times."""
    if isinstance(action, parts.ActionLoop):
        inside = (*counts, action.count)
        return max((_reach(each, working, inside) for each in action.body), default=0)
    if not isinstance(action, parts.Copy):
        return 0
    return max(
        (
            place.offset
            + action.size
            + sum(
                step * (n - 1)
                for step, n in zip(place.strides[-len(counts) :], counts, strict=False)
            )
            for place in (action.target, action.source)
            if place.kind == "arena" and place.name in working
        ),
        default=0,
    )


def _walk(steps: tuple[Step | ProgramLoop, ...]) -> Iterator[Step]:
    for item in steps:
        if isinstance(item, ProgramLoop):
            yield from _walk(item.body)
        else:
            yield item


def _to_plain(value: Any) -> Any:
    """Return a value of a plan as dictionaries, lists, texts and numbers; ``is`` names the class.

    Examples
    --------
    >>> _to_plain(Place("arena", "relu"))
    {'is': 'Place', 'kind': 'arena', 'name': 'relu', 'offset': 0, 'strides': []}
    """
    if isinstance(value, MemoryPlan):
        return {"is": "MemoryPlan", **value.to_dict()}
    if isinstance(value, DType):
        return {"is": "DType", "name": value.name}
    if is_dataclass(value):
        named = {field.name: _to_plain(getattr(value, field.name)) for field in fields(value)}
        return {"is": type(value).__name__, **named}
    if isinstance(value, (tuple, list)):
        return [_to_plain(each) for each in value]
    return value


def _from_plain(value: Any, path: str = "") -> Any:
    """Return the value that :func:`_to_plain` was given; raise ExportError for anything else."""
    if isinstance(value, list):
        return tuple(_from_plain(each, f"{path}[{at}]") for at, each in enumerate(value))
    if not isinstance(value, Mapping):
        return value
    values, begun = dict(value), f"{path}." if path else ""
    kind = values.pop("is", None)
    if kind == "MemoryPlan":
        try:
            return MemoryPlan.from_dict(values)
        except MemoryPlanError as error:
            raise ExportError.at("export plan", str(error)) from error
    if kind == "DType" and str(values.get("name")) in DType.__members__:
        return DType[str(values["name"])]
    if not isinstance(kind, str) or kind not in _KINDS:
        unknown_type = kind == "DType"
        raise ExportError.at(
            f"export plan: {begun}{'name' if unknown_type else 'is'}",
            "unknown element type" if unknown_type else "unknown kind of part",
            expected=", ".join(DType.__members__ if unknown_type else _KINDS),
            found=repr(values.get("name") if unknown_type else kind),
        )
    made = {name: _from_plain(each, f"{begun}{name}") for name, each in values.items()}
    return _KINDS[kind](**made)


_KINDS: dict[str, Any] = {
    name: kind
    for name, kind in (vars(parts) | globals()).items()
    if is_dataclass(kind) and kind.__module__.startswith("aidge_nb.export.")
}
"""The classes that a plan is made of, by name."""
