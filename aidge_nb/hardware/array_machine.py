"""Arrays: multiply-accumulate units in a grid, and memories that each hold some operands.

A memory serves some dimensions of the grid: along those its data are broadcast, or its results are
added up; along the others there is one copy of it for each unit. That description, and the names of
what is counted on it, follow L. Mei et al., "ZigZag: Enlarging Joint Architecture-Mapping Design
Space Exploration for DNN Accelerators", IEEE Transactions on Computers, 2021.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import prod

from aidge_nb.core.errors import HardwareError, explain

WAYS = ("fill", "feed", "collect", "flush")
"""Into a memory from above, out of it to below, into it from below, out of it to above."""


@dataclass(frozen=True, slots=True)
class ArrayPort:
    """A way in or out of a memory, for one transfer at a time.

    Attributes
    ----------
    name
        What it is called.
    bits
        Bits per cycle: a word.
    uses
        Operands and ways (of :data:`WAYS`) that go through it.
    granule
        Least number of bits that are moved at once, a part of a word; 0 for a whole one.
    """

    name: str
    bits: int
    uses: tuple[tuple[str, str], ...]
    granule: int = 0


@dataclass(frozen=True, slots=True)
class ArrayMemory:
    """A memory, or one of several equal ones.

    Attributes
    ----------
    name
        What it is called.
    size
        Bytes of one copy.
    read_cost, write_cost
        Picojoules for a word.
    ports
        Its ports.
    serves
        Dimensions of the array that one copy serves.
    """

    name: str
    size: int
    read_cost: float
    write_cost: float
    ports: tuple[ArrayPort, ...]
    serves: tuple[str, ...] = ()

    def holds(self, operand: str) -> bool:
        """Whether an operand goes through it."""
        return any(operand == used for port in self.ports for used, _ in port.uses)

    def port(self, operand: str, way: str) -> ArrayPort:
        """Give the port that an operand takes.

        Raises
        ------
        HardwareError
            When there is none.
        """
        for port in self.ports:
            if (operand, way) in port.uses:
                return port
        problem = f"no port lets {operand} {way}"
        expected = ", ".join(f"{port.name}: {port.uses}" for port in self.ports)
        raise HardwareError(
            explain(self.name, problem, expected=expected, cure="Add the use to one of its ports.")
        )


@dataclass(frozen=True, slots=True)
class ArrayMachine:
    """An array of multiply-accumulate units with its memories.

    Attributes
    ----------
    name
        What it is called.
    dims
        Units along each dimension of the array.
    mac_cost
        Picojoules for a multiply-accumulate.
    memories
        The memories, from the units outwards; the last one holds everything.
    systolic
        Dimensions along which results are handed from unit to unit, a cycle each.

    Examples
    --------
    >>> machine = tpu_like()
    >>> [memory.name for memory in machine.levels("O")], machine.copies(machine.memories[0])
    (['accumulators', 'buffer', 'dram'], 1024)
    """

    name: str
    dims: dict[str, int]
    mac_cost: float
    memories: tuple[ArrayMemory, ...]
    systolic: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for where, problem in self._mistakes():
            raise HardwareError(
                explain(
                    f"{self.name}/{where}" if where else self.name,
                    problem,
                    cure="Mend its description.",
                )
            )

    def levels(self, operand: str) -> tuple[ArrayMemory, ...]:
        """List the memories of an operand, from the units outwards."""
        return tuple(memory for memory in self.memories if memory.holds(operand))

    def copies(self, memory: ArrayMemory) -> int:
        """Count the copies of a memory."""
        return prod(units for dim, units in self.dims.items() if dim not in memory.serves)

    def _mistakes(self) -> Iterator[tuple[str, str]]:
        if not self.memories:
            yield "", "has no memory"
        known = ", ".join(self.dims)
        for dim, units in self.dims.items():
            if units < 1:
                yield dim, f"needs 1 unit or more, and has {units}"
        for dim in self.systolic:
            if dim not in self.dims:
                yield dim, f"is systolic, and no dimension of the array ({known})"
        names = [memory.name for memory in self.memories]
        for memory in self.memories:
            if names.count(memory.name) > 1:
                yield memory.name, "is the name of two memories"
            for dim in memory.serves:
                if dim not in self.dims:
                    yield memory.name, f"serves {dim}; dimensions are {known}"
            yield from _wrong_memory(memory)


def _wrong_memory(memory: ArrayMemory) -> Iterator[tuple[str, str]]:
    if memory.size < 1:
        yield memory.name, f"needs 1 byte or more, and has {memory.size}"
    if min(memory.read_cost, memory.write_cost) < 0:
        yield memory.name, "costs less than nothing"
    for port in memory.ports:
        yield from ((f"{memory.name}/{port.name}", problem) for problem in _wrong_port(port))


def _wrong_port(port: ArrayPort) -> Iterator[str]:
    if port.bits < 1 or not 0 <= port.granule <= port.bits:
        yield f"moves {port.bits} bits per cycle, {port.granule} at least: that cannot be"
    for operand, way in port.uses:
        if way not in WAYS:
            yield f"lets {operand} {way!r}; ways are {', '.join(WAYS)}"


def tpu_like() -> ArrayMachine:
    """Give a weight-stationary array of 32 x 32 units, in the manner of a TPU.

    Each unit keeps weights (``W``) and one sum (``O``); a buffer serves inputs (``I``) and results
    to all of them. Sizes and costs are those of the target of this name that ZigZag 3.9.1 brings.
    """
    both = (("I", "feed"), ("O", "feed"), ("O", "flush"))
    into = (("I", "fill"), ("O", "fill"), ("O", "collect"))
    rows_and_columns = ("D1", "D2")
    outside = tuple((operand, way) for operand in "IW" for way in ("fill", "feed"))
    outside += tuple(("O", way) for way in WAYS)
    return ArrayMachine(
        "tpu_like",
        {"D1": 32, "D2": 32},
        0.04,
        (
            ArrayMemory(
                "weights",
                128,
                0.095,
                0.095,
                (ArrayPort("out", 8, (("W", "feed"),)), ArrayPort("in", 8, (("W", "fill"),))),
            ),
            ArrayMemory(
                "accumulators",
                2,
                0.021,
                0.021,
                tuple(ArrayPort(way, 16, (("O", way),)) for way in WAYS),
            ),
            ArrayMemory(
                "buffer",
                2 << 20,
                416.16,
                378.4,
                (ArrayPort("out", 2048, both, 64), ArrayPort("in", 2048, into, 64)),
                rows_and_columns,
            ),
            ArrayMemory(
                "dram",
                1_250_000_000,
                700.0,
                750.0,
                (ArrayPort("inout", 64, outside, 64),),
                rows_and_columns,
            ),
        ),
        rows_and_columns,
    )
