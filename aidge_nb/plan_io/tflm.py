"""Read what TensorFlow Lite Micro says of its arena: its log, plans that it prints or stores.

Sources, all in tensorflow/tflite-micro: recording_micro_allocator.cc for the log,
greedy_memory_planner.cc for what ``PrintMemoryPlan`` prints (a line for each buffer, then a
picture of the arena, a line for each tick), and docs/memory_management.md for the metadata
``OfflineMemoryAllocation`` in a .tflite.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from math import prod

import numpy as np

from aidge_nb.core.errors import AidgeError, MemoryPlanError
from aidge_nb.memory.values.live_range import round_up
from aidge_nb.memory.values.plan import MemoryPlan
from aidge_nb.plan_io.rows import BufferRow, plan_of_rows
from aidge_nb.tflite_io.convert.build import COMPILED
from aidge_nb.tflite_io.model import TfliteModel, TfliteOperator, TfliteTensor
from aidge_nb.tflite_io.read.parse import read_tflite

MARK = "[RecordingMicroAllocator]"
METADATA = "OfflineMemoryAllocation"

_ARENA = re.compile(r"Arena allocation (total|head|tail) ([0-9]{1,18}) bytes")
_KIND = re.compile(
    r"'([^']+)' used ([0-9]{1,18}) bytes with alignment overhead "
    r"\(requested ([0-9]{1,18}) bytes for ([0-9]{1,18}) [A-Za-z ]+\)"
)
_ID = re.compile(r"\(id=[0-9]")
_BUFFER = re.compile(
    r"\(id=([0-9]{1,9})\): size=([0-9]{1,18}), offset=([0-9]{1,18}), "
    r"first_used=([0-9]{1,9}) last_used=([0-9]{1,9})\s*"
)
_ALIGNMENT = 16


def read_log(text: str, where: str) -> MemoryPlan:
    """Read what ``print_allocations`` writes: a head, and below it the kinds of the tail.

    The log lists no tensors and no times: the head, which planning decides, is one buffer. Other
    lines between those of the log are passed over.

    Raises
    ------
    MemoryPlanError
        Quoting the line that is not understood.
    """
    figures: dict[str, int] = {}
    kinds: dict[str, int] = {}
    for number, line in enumerate(text.splitlines(), 1):
        _, mark, rest = line.partition(MARK)
        if not mark:
            continue
        found = _ARENA.fullmatch(rest.strip()) or _KIND.fullmatch(rest.strip())
        into = figures if found is not None and found.re is _ARENA else kinds
        if found is None or found[1] in into:
            problem = "is not understood" if found is None else "says the same a second time"
            raise MemoryPlanError.at(f"{where}, line {number}", problem, found=repr(line[:200]))
        into[found[1]] = int(found[2])
    missing = [name for name in ("total", "head", "tail") if name not in figures]
    if missing:
        expected = f"{MARK} Arena allocation {missing[0]} N bytes"
        raise MemoryPlanError.at(where, "a line is missing", expected=expected)
    total, head, tail = figures["total"], figures["head"], figures["tail"]
    rest_of_tail = tail - sum(kinds.values())
    if head + tail != total or rest_of_tail < 0:
        expected = f"head and tail are {total} bytes, and its kinds at most the tail"
        found_sums = f"{head} + {tail}, and {sum(kinds.values())} of {tail}"
        raise MemoryPlanError.at(
            where, "its figures do not add up", expected=expected, found=found_sums
        )
    kinds["other persistent data"] = rest_of_tail
    rows, at = [BufferRow("head (its tensors are not listed)", 0, 1, head, 0)], head
    for name, size in kinds.items():
        rows.append(BufferRow(name, 0, 1, size, at, "scratch"))
        at += size
    return plan_of_rows([each for each in rows if each.size], where, steps={0: "invoke"})


def read_printed(text: str, where: str) -> MemoryPlan:
    """Read the lines of buffers; the last tick in which one is used is its last.

    Other lines are passed over: the picture says nothing more, and has 80 columns.

    Raises
    ------
    MemoryPlanError
        Quoting the line that is not understood.
    """
    rows: dict[int, BufferRow] = {}
    for number, line in enumerate(text.splitlines(), 1):
        mark = _ID.search(line)
        if mark is None:
            continue
        found = _BUFFER.fullmatch(line, mark.start())
        buffer, size, offset, first, last = map(int, found.groups()) if found else (-1,) * 5
        if found is None or buffer in rows or last < first:
            problem = "says the same a second time" if buffer in rows else "is not understood"
            raise MemoryPlanError.at(f"{where}, line {number}", problem, found=repr(line[:200]))
        rows[buffer] = BufferRow(f"buffer {buffer}", first, last + 1, size, offset)
    sized = [each for each in rows.values() if each.size]
    return plan_of_rows(sized, where, alignment=_ALIGNMENT)


def read_offline(content: bytes, where: str) -> MemoryPlan:
    """Read the plan that a .tflite file holds.

    Sizes and times come from the graph. Tensors whose address is -1 are placed when the program
    runs: here they are left out. What Vela compiled has its working memory as one buffer while it
    runs; its inputs and outputs that lie inside are buffers of their own before and after.

    Raises
    ------
    MemoryPlanError
        When the file holds no plan, or one of another graph.
    TfliteError
        When the file is damaged.
    """
    try:
        model = read_tflite(content)
    except AidgeError as error:
        raise type(error)(str(error).replace("bytes", where, 1)) from None
    offsets = _offsets(model, where)
    last = len(model.operators)
    first_of, last_of = _times(model)
    working = _working(model)
    rows = []
    for number, offset in enumerate(offsets):
        tensor = model.tensors[number]
        if offset == -1:
            continue
        if offset < 0 or tensor.data is not None or number not in {*first_of, *working}:
            label = f"{where}, tensor {number} {tensor.name!r}"
            expected = "-1" if offset >= 0 else "-1, or 0 and more"
            raise MemoryPlanError.at(label, "has no such address", expected=expected, found=offset)
        size = round_up(_size(tensor), _ALIGNMENT)
        name = tensor.name or f"tensor {number}"
        if number in working:
            rows += [BufferRow(name, at, at + 1, size, offset, "scratch") for at in working[number]]
            continue
        lower, upper = first_of[number], last if number in model.outputs else last_of[number]
        kind = "input" if number in model.inputs else "activation"
        ticks = set(range(lower, max(upper, lower + 1)))
        ticks -= _covered(model, working, offsets, number, range(offset, offset + size))
        rows += [BufferRow(name, *run, size, offset, kind) for run in _runs(ticks)]
    steps = {number: each.label for number, each in enumerate(model.operators)}
    return plan_of_rows(
        [each for each in rows if each.size], where, alignment=_ALIGNMENT, steps=steps
    )


def _offsets(model: TfliteModel, where: str) -> list[int]:
    """Return the address of each tensor: what follows version, subgraphs and number of tensors."""
    data = model.metadata.get(METADATA)
    if data is None:
        raise MemoryPlanError.at(
            where,
            "holds no memory plan",
            expected=f"metadata {METADATA}",
            found=", ".join(model.metadata)[:200] or "none",
            cure="aidge-nb memory FILE plans its memory.",
        )
    numbers: list[int] = np.frombuffer(data[: len(data) // 4 * 4], "<i4").tolist()
    count = len(model.tensors)
    if len(data) % 4 or len(numbers) < 3 or numbers[2] != len(numbers) - 3 or numbers[2] != count:
        expected = f"3 numbers, the last {count}, and {count} addresses"
        found = f"{len(data)} bytes: {numbers[:8]}"
        raise MemoryPlanError.at(
            f"{where}, {METADATA}",
            "is damaged, or of several graphs",
            expected=expected,
            found=found,
        )
    return numbers[3:]


def _times(model: TfliteModel) -> tuple[dict[int, int], dict[int, int]]:
    """Return the operator that makes each tensor, and the one after the last that reads it."""
    first_of = dict.fromkeys(model.inputs, 0)
    last_of: dict[int, int] = {}
    for tick, operator in enumerate(model.operators):
        for number in _tensors(operator):
            last_of[number] = tick + 1
        for number in operator.outputs:
            first_of.setdefault(number, tick)
    return first_of, {number: last_of.get(number, 1) for number in first_of}


def _working(model: TfliteModel) -> dict[int, list[int]]:
    """Return the tensors that are working memory of what Vela compiled, and when it runs.

    Inputs of such an operator: commands, constants, two working memories, then those of the graph.
    """
    found: dict[int, list[int]] = {}
    for tick, operator in enumerate(model.operators):
        if operator.is_custom and operator.kind == COMPILED:
            for number in {each for each in operator.inputs[2:4] if each >= 0}:
                found.setdefault(number, []).append(tick)
    return found


def _covered(
    model: TfliteModel,
    working: Mapping[int, Sequence[int]],
    offsets: Sequence[int],
    number: int,
    place: range,
) -> set[int]:
    """Return the ticks at which a tensor lies in the working memory of what reads or writes it."""
    found: set[int] = set()
    for other, ticks in working.items():
        start, size = offsets[other], _size(model.tensors[other])
        if 0 <= start <= place.start and place.stop <= start + round_up(size, _ALIGNMENT):
            named = (tick for tick in ticks if number in _tensors(model.operators[tick]))
            found.update(named)
    return found


def _tensors(operator: TfliteOperator) -> tuple[int, ...]:
    return (*operator.inputs, *operator.outputs)


def _runs(ticks: Iterable[int]) -> list[tuple[int, int]]:
    """Return ticks as half-open ranges.

    Examples
    --------
    >>> _runs({0, 1, 3})
    [(0, 2), (3, 4)]
    """
    found: list[tuple[int, int]] = []
    for tick in sorted(ticks):
        if found and found[-1][1] == tick:
            found[-1] = found[-1][0], tick + 1
        else:
            found.append((tick, tick + 1))
    return found


def _size(tensor: TfliteTensor) -> int:
    count = prod(tensor.dims)
    return -(-count // 2) if tensor.dtype == "int4" else count * np.dtype(tensor.dtype).itemsize
