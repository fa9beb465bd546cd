"""What an exported program will be, as a value: nothing is written yet.

An :class:`ExportPlan` holds every address, every call with its configuration, the loops, and the
memory plan from which the addresses are. It holds no graph and no array: parameters are described,
and their bytes travel beside it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import prod
from typing import Any

from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import ExportError, explain
from aidge_nb.memory import MemoryPlan

__all__ = [
    "Arena",
    "Buffer",
    "Call",
    "Choice",
    "Copy",
    "ExportPlan",
    "Field",
    "Loop",
    "Operand",
    "Parameter",
    "Place",
    "Step",
    "Value",
    "Zero",
]


@dataclass(frozen=True, slots=True)
class Place:
    """Where bytes are.

    Attributes
    ----------
    kind
        ``arena``, ``input`` (of the program), ``parameter`` or ``nothing`` (a null pointer).
    name
        Symbol of the buffer, input or parameter.
    offset
        Bytes from its beginning.
    strides
        Bytes to go on with each turn of the loops around, the outermost first.
    """

    kind: str
    name: str = ""
    offset: int = 0
    strides: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Value:
    """A tensor of the program: its symbol, the name that it has in the model, type, dimensions."""

    symbol: str
    name: str
    dtype: DType
    dims: tuple[int, ...]

    @property
    def size(self) -> int:
        """Number of elements."""
        return prod(self.dims)

    @property
    def nbytes(self) -> int:
        """Size in bytes."""
        return self.size * self.dtype.itemsize

    @property
    def text(self) -> str:
        """Type and dimensions, to be read: ``float32 1x3x8x8``."""
        return f"{self.dtype.name} {'x'.join(map(str, self.dims)) or 'scalar'}"


@dataclass(frozen=True, slots=True)
class Parameter(Value):
    """A constant tensor; ``digest`` is the SHA-256 of its bytes."""

    digest: str = ""


@dataclass(frozen=True, slots=True)
class Arena:
    """A block of static memory: its symbol, the memory it is for, its bytes, and those it may have.

    ``base`` is where it begins in the addresses of the memory plan.
    """

    symbol: str
    memory: str
    size: int
    base: int = 0
    capacity: int | None = None


@dataclass(frozen=True, slots=True)
class Buffer:
    """A value in an arena: every execution of an output of a node has its bytes there."""

    symbol: str
    node: str
    output: int
    arena: str
    offset: int
    value: Value
    lower: int
    upper: int


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a configuration: its name and its number or numbers."""

    name: str
    value: int | float | tuple[int, ...] | tuple[float, ...]


@dataclass(frozen=True, slots=True)
class Call:
    """A call of a kernel: function, unit, configuration (struct, symbol, fields) and operands."""

    function: str
    unit: str
    config: str
    symbol: str
    fields: tuple[Field, ...]
    operands: tuple[Place, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """Something is done only where an element, ``place``, is ``number``."""

    place: Place
    dtype: DType
    number: int


@dataclass(frozen=True, slots=True)
class Copy:
    """Bytes that are moved; perhaps in the ``first`` turn alone, in ``later`` ones, or ``when``."""

    target: Place
    source: Place
    size: int
    turn: str = ""
    when: Choice | None = None


@dataclass(frozen=True, slots=True)
class Zero:
    """Bytes that are set to zero; ``turn`` as for :class:`Copy`."""

    target: Place
    size: int
    turn: str = ""


@dataclass(frozen=True, slots=True)
class Operand:
    """What a step wrote to one of its outputs: which, what it is, where, and how many bytes."""

    output: int
    value: Value
    place: Place
    nbytes: int


@dataclass(frozen=True, slots=True)
class Step:
    """One node at one place of the schedule.

    Attributes
    ----------
    number
        Its number among the steps of the program, loops counted once.
    node, type
        Its name, unique in the graph, and its operator.
    symbol
        Its name in the program.
    reads, sources
        What each input reads, to be read by people; and where it is.
    writes
        What it wrote when it is done.
    actions
        What is to be done, in order; nothing for a view.
    choices
        Where it is not run in every pass: it is run if one of these holds.
    base, strides, total
        Which execution of the node it is: ``base`` and so many more with each turn of the loops
        around; and how many executions it stands for.
    """

    number: int
    node: str
    type: str
    symbol: str
    reads: tuple[str, ...]
    sources: tuple[Place, ...]
    writes: tuple[Operand, ...]
    actions: tuple[Call | Copy | Zero, ...]
    choices: tuple[Choice, ...] = ()
    base: int = 0
    strides: tuple[int, ...] = ()
    total: int = 1

    @property
    def is_view(self) -> bool:
        """Whether its output is its input, with other dimensions at most."""
        return not self.actions


@dataclass(frozen=True, slots=True)
class Loop:
    """Steps that are repeated."""

    count: int
    body: tuple[Step | Loop, ...]


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
    inputs: tuple[Value, ...]
    outputs: tuple[Value, ...]
    results: tuple[Place, ...]
    parameters: tuple[Parameter, ...]
    arenas: tuple[Arena, ...]
    buffers: tuple[Buffer, ...]
    steps: tuple[Step | Loop, ...]
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
    def calls(self) -> tuple[Call, ...]:
        """All calls of kernels, those in loops once."""
        return tuple(a for step in self.walk() for a in step.actions if isinstance(a, Call))

    def to_dict(self) -> dict[str, Any]:
        """Give plain Python values, for JSON; :meth:`from_dict` reads them."""
        from aidge_nb.export.plan.plain import to_plain

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
        from aidge_nb.export.plan.plain import from_plain

        plan = from_plain(values)
        if not isinstance(plan, cls):
            raise ExportError(explain("export plan", "cannot be read", found=type(plan).__name__))
        return plan

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        from aidge_nb.export.write.show import plan_html

        return {"text/html": plan_html(self), "text/plain": repr(self)}

    def __repr__(self) -> str:
        return (
            f"ExportPlan({self.name} for {self.target}: {sum(1 for _ in self.walk())} steps, "
            f"arena {self.arena_bytes} bytes, parameters {self.parameter_bytes} bytes)"
        )


def _walk(steps: tuple[Step | Loop, ...]) -> Iterator[Step]:
    for item in steps:
        if isinstance(item, Loop):
            yield from _walk(item.body)
        else:
            yield item
