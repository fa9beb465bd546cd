"""The parts of an export plan: places, tensors, arenas, calls of kernels, steps and loops."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from math import prod

from aidge_nb.core.dtype import DType
from aidge_nb.memory.values.part import Level, Part

LOOP_COUNTERS = "ijklmn"
"""Names of the counters of nested loops in C, the outermost first."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where bytes are."""

    # ``arena``, ``input`` (of the program), ``parameter`` or ``nothing`` (a null pointer)
    kind: str
    name: str = ""  # symbol of the buffer, input or parameter
    offset: int = 0  # bytes from its beginning
    # bytes to go on with each turn of the loops around, the outermost first
    strides: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class ProgramTensor:
    """A tensor of the program: its symbol, the name that it has in the model, type, dimensions."""

    symbol: str
    name: str
    dtype: DType
    dims: tuple[int, ...]
    # whether the channels, dimension 1, lie side by side; whether each row has all its channels
    channels_last: bool = False
    by_rows: bool = False

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
        last = ", channels last" if self.channels_last else ", by rows" if self.by_rows else ""
        return f"{self.dtype.name} {'x'.join(map(str, self.dims)) or 'scalar'}{last}"


@dataclass(frozen=True, slots=True)
class Parameter(ProgramTensor):
    """A constant tensor; ``digest`` is the SHA-256 of its bytes."""

    digest: str = ""


@dataclass(frozen=True, slots=True)
class StaticArena:
    """A block of static memory: its symbol, the memory it is for, its bytes, and those it may have.

    ``base`` is where it begins in the addresses of the memory plan.
    """

    symbol: str
    memory: str
    size: int
    base: int = 0
    capacity: int | None = None


@dataclass(frozen=True, slots=True)
class ArenaBuffer:
    """A value in an arena: every execution of an output of a node has its bytes there.

    With ``levels`` it lies in blocks, as :attr:`aidge_nb.memory.Buffer.levels` says.
    """

    symbol: str
    node: str
    output: int
    arena: str
    offset: int
    value: ProgramTensor
    lower: int
    upper: int
    levels: tuple[Level, ...] = ()
    then: str = ""  # the buffer in which its value goes on, if it wraps around

    @property
    def part(self) -> Part:
        """Where its bytes lie in the arena, in their order."""
        return Part(self.offset, self.value.nbytes, self.levels)


@dataclass(frozen=True, slots=True)
class Field:
    """A field of a configuration: its name and its number or numbers."""

    name: str
    value: int | float | tuple[int, ...] | tuple[float, ...]


@dataclass(frozen=True, slots=True)
class KernelCall:
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
    """An output that a step wrote: its number, its type, its place and its bytes.

    With ``levels`` these lie in blocks. They begin ``start`` bytes behind the output.
    """

    output: int
    value: ProgramTensor
    place: Place
    nbytes: int
    levels: tuple[Level, ...] = ()
    start: int = 0

    @property
    def block(self) -> int:
        """Bytes of a block, or all."""
        return self.nbytes // prod(count for count, _ in self.levels)


@dataclass(frozen=True, slots=True)
class ActionLoop:
    """Actions that are repeated, of a step that is computed part by part."""

    count: int
    body: tuple[Action, ...]


Action = KernelCall | Copy | Zero | ActionLoop


@dataclass(frozen=True, slots=True)
class Step:
    """One node at one place of the schedule."""

    number: int  # its number among the steps of the program, loops counted once
    # node, type: its name, unique in the graph, and its operator
    node: str
    type: str
    symbol: str  # its name in the program
    # reads, sources: what each input reads, to be read by people; and where it is
    reads: tuple[str, ...]
    sources: tuple[Place, ...]
    writes: tuple[Operand, ...]  # what it wrote when it is done
    # what is to be done, in order; nothing for a view
    actions: tuple[Action, ...]
    # where it is not run in every pass: it is run if one of these holds
    choices: tuple[Choice, ...] = ()
    # base, strides, total: which execution of the node it is: ``base`` and so many more with each
    # turn of the loops around; and how many executions it stands for
    base: int = 0
    strides: tuple[int, ...] = ()
    total: int = 1
    # also, done_by: the nodes that are computed with it, whose last output it writes; and the
    # number of the step that computes this one with it, 0 for none
    also: tuple[str, ...] = ()
    done_by: int = 0

    @property
    def calls(self) -> tuple[KernelCall, ...]:
        """All calls of kernels, those in loops once."""
        return tuple(a for a in each_action(self.actions) if isinstance(a, KernelCall))

    @property
    def is_by_parts(self) -> bool:
        """Tell whether it is computed part by part, or on copies."""
        kinds = {type(action) for action in self.actions}
        return ActionLoop in kinds or {Copy, KernelCall} <= kinds

    @property
    def is_view(self) -> bool:
        """Tell whether the output is the input, perhaps with other dimensions."""
        return not self.actions and not self.done_by


@dataclass(frozen=True, slots=True)
class ProgramLoop:
    """Steps that are repeated."""

    count: int
    body: tuple[Step | ProgramLoop, ...]


def each_action(actions: Iterable[Action]) -> Iterator[KernelCall | Copy | Zero]:
    """Walk over actions, loops not unrolled."""
    for action in actions:
        if isinstance(action, ActionLoop):
            yield from each_action(action.body)
        else:
            yield action
