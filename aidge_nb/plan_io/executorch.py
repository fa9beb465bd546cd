"""Read the memory plan in a program of ExecuTorch, a ``.pte`` file.

A program lists values and instructions. Tensors that were planned have a memory and an offset; when
they live follows from the instructions that name them. Schema: schema/program.fbs in
pytorch/executorch.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from math import prod

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory.values.live_range import round_up
from aidge_nb.memory.values.plan import MemoryPlan
from aidge_nb.plan_io.rows import BufferRow, chosen_arena, plan_of_rows
from aidge_nb.tflite_io.read.flat import FlatFile, FlatTable

IDENTIFIER = b"ET12"
_ALIGNMENT = 16
_TENSOR, _LISTS = 5, (10, 11)
_KERNEL_CALL, _DELEGATE_CALL, _MOVE_CALL, _JUMP, _FREE_CALL = 1, 2, 3, 4, 5
_SIZES = {
    **dict.fromkeys((0, 1, 11, 12, 13), 1),
    **dict.fromkeys((2, 5, 15, 27), 2),
    **dict.fromkeys((3, 6, 8, 14, 28), 4),
    **dict.fromkeys((4, 7, 9, 29), 8),
    10: 16,
}
"""Bytes of an element, by the number of its type."""


def read_program(content: bytes, where: str, arena: str | None = None) -> MemoryPlan:
    """Read a method of a program, the first by default.

    Its memories are laid end to end, unless ``arena`` names one of them. A tensor that is read and
    never written shows the bytes of another one (``view_copy`` was left out): both live as long as
    either, as one buffer. What a delegate holds inside is not in the file.

    Raises
    ------
    MemoryPlanError
        When the file is damaged, of another version, or holds no plan.
    """
    if content[4:8] != IDENTIFIER:
        problem, found = "is of another version", content[4:8]
        raise MemoryPlanError.at(where, problem, expected=IDENTIFIER, found=found)
    file = FlatFile(memoryview(content), where, MemoryPlanError)
    methods = file.root().tables(1, "execution plan")
    if not methods:
        raise file.error("there is no method", "1 or more", 0)
    programs = [_Program(file, each) for each in methods]
    choices: dict[str, tuple[_Program, int | None]] = {}
    for each in programs:
        choices.setdefault(each.name, (each, None))
        for memory in range(1, len(each.sizes)):
            choices.setdefault(f"{each.name}, memory {memory}", (each, memory))
    name = chosen_arena(list(choices), arena, where)
    program, only = (programs[0], None) if name is None else choices[name]
    rows = program.rows(only)
    return plan_of_rows(rows, where, alignment=_ALIGNMENT, steps=program.steps)


@dataclass(frozen=True, slots=True)
class _Instruction:
    """An instruction: its name, the values that it names, and those that it writes."""

    name: str
    values: tuple[int, ...]
    writes: tuple[int, ...]


class _Program:
    """Values and instructions of a method."""

    def __init__(self, file: FlatFile, method: FlatTable) -> None:
        self.file = file
        self.name = method.text(0)
        self.values = method.tables(2, "value")
        self.inputs, self.outputs = (self._expanded(_numbers(method, slot)) for slot in (3, 4))
        self.operators = [each.text(0) for each in method.tables(6, "operator")]
        chains = method.tables(5, "chain")
        self.instructions = [
            self._instruction(each) for chain in chains for each in chain.tables(2, "instruction")
        ]
        self.steps = {tick: each.name for tick, each in enumerate(self.instructions)}
        sizes = method.vector(8, "i8")
        self.sizes = [] if sizes is None else sizes.tolist()

    def rows(self, only: int | None) -> list[BufferRow]:
        """Return the tensors that have a place and a size; two of one value live equally long.

        Of one memory only if it is given; its first byte is 0 then.
        """
        found: dict[int, BufferRow] = {}
        written: dict[int, list[int]] = {}
        named: dict[int, list[int]] = {}
        for tick, each in enumerate(self.instructions):
            for number in each.values:
                named.setdefault(number, []).append(tick)
            for number in each.writes:
                written.setdefault(number, []).append(tick)
        last = max(1, len(self.instructions))
        for number in sorted({*named, *self.inputs, *self.outputs}):
            ticks = named.get(number, [])
            lower = 0 if number in self.inputs or not ticks else ticks[0]
            upper = last if number in self.outputs or not ticks else ticks[-1] + 1
            name = f"value {number}"
            if number in written:
                name = f"{self.instructions[written[number][0]].name} {number}"
            row = self._row(number, name, lower, upper)
            if row is not None and row.size:
                kind = "input" if number in self.inputs else "activation"
                found[number] = replace(row, kind=kind)
        rows = _with_views(found, {*written, *self.inputs}, last)
        if only is None:
            return rows
        base = self._base(only)
        inside = range(base, base + self.sizes[only])
        placed = ((row, row.offset or 0) for row in rows)
        return [replace(row, offset=at - base) for row, at in placed if at in inside]

    def _base(self, memory: int) -> int:
        """Return where a memory begins when all are laid end to end."""
        return sum(round_up(each, _ALIGNMENT) for each in self.sizes[:memory])

    def _row(self, number: int, name: str, lower: int, upper: int) -> BufferRow | None:
        """Return a tensor with a place; None for other values, and constants."""
        value = self.values[number]
        tensor = value.table(1, value.what) if value.number(0, "B") == _TENSOR else None
        place = None if tensor is None else tensor.table(6, f"the place of {value.what}")
        if tensor is None or place is None or tensor.number(5, "I"):
            return None
        dims, kind = _numbers(tensor, 2), tensor.number(0, "b")
        if kind not in _SIZES or min(dims, default=0) < 0 or prod(dims) >= 1 << 40:
            expected, found = "a known type and sizes", f"type {kind}, sizes {list(dims[:20])}"
            raise self.file.error(f"{value.what} has no such tensor", expected, found)
        memory = place.number(0, "I")
        offset = place.number(1, "I") + (place.number(2, "I") << 32)
        size = prod(dims) * _SIZES[kind]
        if not 0 < memory < len(self.sizes) or offset + size > self.sizes[memory]:
            what = f"{value.what} lies outside the memories {self.sizes[:20]}"
            raise self.file.error(what, None, f"{size} bytes at {offset} of memory {memory}")
        return BufferRow(name, lower, upper, size, self._base(memory) + offset)

    def _instruction(self, table: FlatTable) -> _Instruction:
        kind, call = table.number(0, "B"), table.table(1, f"the call of {table.what}")
        if call is None or not _KERNEL_CALL <= kind <= _FREE_CALL:
            expected, found = "a call of type 1 to 5", f"type {kind}"
            raise self.file.error(f"{table.what} is not understood", expected, found)
        if kind == _MOVE_CALL:
            source, target = (self._expanded((call.number(slot, "i"),)) for slot in (0, 1))
            return _Instruction("move", (*source, *target), target)
        if kind in (_JUMP, _FREE_CALL):
            named = self._expanded((call.number(0, "i"),))
            return _Instruction("jump" if kind == _JUMP else "free", named, ())
        arguments = _numbers(call, 1)
        values, number = self._expanded(arguments), call.number(0, "i")
        if kind == _DELEGATE_CALL:  # which arguments it writes is not in the file
            return _Instruction(f"delegate {number}", values, values)
        if not 0 <= number < len(self.operators):
            expected = f"0 to {len(self.operators) - 1}"
            raise self.file.error(f"{table.what} names an unknown operator", expected, number)
        name = self.operators[number].removeprefix("aten::")
        return _Instruction(name, values, self._expanded(arguments[-1:]))

    def _expanded(self, numbers: Sequence[int]) -> tuple[int, ...]:
        """Return numbers of values, and those in lists of tensors."""
        return tuple(self._each(numbers))

    def _each(self, numbers: Sequence[int]) -> Iterator[int]:
        for number in numbers:
            if not 0 <= number < len(self.values):
                expected = f"0 to {len(self.values) - 1}"
                raise self.file.error("a value is named that is not there", expected, number)
            value = self.values[number]
            items = value.table(1, value.what) if value.number(0, "B") in _LISTS else None
            if items is None:
                yield number
                continue
            for item in _numbers(items, 0):
                if item >= len(self.values):
                    raise self.file.error(
                        f"{value.what} names a value that is not there", None, item
                    )
                if item >= 0:  # -1 is a tensor that is not there
                    yield item


def _numbers(table: FlatTable, slot: int) -> tuple[int, ...]:
    found = table.vector(slot, "i4")
    return () if found is None else tuple(found.tolist())


def _with_views(rows: dict[int, BufferRow], written: set[int], last: int) -> list[BufferRow]:
    """Let each value that nothing writes live as long as the last one written where it lies."""
    views: dict[int, list[int]] = {}
    for number, row in rows.items():
        if number not in written:
            sources = [
                each
                for each in written & rows.keys()
                if rows[each].offset == row.offset and rows[each].lower <= row.lower
            ]
            if sources:
                views.setdefault(max(sources, key=lambda n: rows[n].lower), []).append(number)
            else:  # held from one run to the next
                rows[number] = replace(row, lower=0, upper=last)
    for source, found in views.items():
        group = [source, *found]
        upper = max(rows[each].upper for each in group)
        for each in group:
            rows[each] = replace(rows[each], lower=rows[source].lower, upper=upper)
    return sorted(rows.values(), key=lambda each: each.lower)
