"""Compute nodes whose operands lie in stretches: pieces in rings, and what wraps around.

Each execution of such a node is a step of its own. It computes the boxes that it writes, from the
boxes that these need (:mod:`aidge_nb.tiling`). What does not lie as an array is copied into working
memory before, and results are copied to their place after. A node that cannot be cut computes all
of its result in working memory, from what is there of its inputs, and keeps its piece.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import prod

from aidge_nb.core.errors import AidgeError, ExportError
from aidge_nb.export.plan.by_parts import ALIGNMENT, Cutter, Operands, behind
from aidge_nb.export.plan.parts import Action, KernelCall, Place
from aidge_nb.export.plan.scattered import Scattered, operands_of
from aidge_nb.export.plan.stretches import (
    Spread,
    SpreadValues,
    Stretch,
    Stretched,
    boxes_of,
    bytes_of,
    copy_runs,
    strided_runs,
)
from aidge_nb.export.plan.strided import Strided
from aidge_nb.graph.node import Node, Port
from aidge_nb.kernels.c import CCall, In, Out, Scratch, Site
from aidge_nb.memory import Buffer, MemoryPlan
from aidge_nb.tiling.ranges import Region, whole
from aidge_nb.tiling.rules import can_tile, steps_of

Lies = Spread | Strided


# --- what is computed ---------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class Taken:
    """A box of an operand that a portion reads or writes."""

    lies: Lies
    region: Region
    # where it lies in working memory, if it is copied; and what of it is: bytes of the whole and of
    # the copy, from their beginnings, for an operand in stretches
    aside: int | None = None
    spans: tuple[tuple[int, int, int], ...] = ()  # in the whole, in the copy, how many

    def runs(self, whole: Place, place_of: Callable[[Stretch], Place]) -> list[Stretched]:
        """Return where its bytes are."""
        if isinstance(self.lies, Strided):
            return list(strided_runs(self.lies, self.region, whole))
        return [
            (size, _behind(place_of(stretch), offset))
            for first, _, length in self.spans
            for size, stretch, offset in self.lies.runs(first, length)
        ]

    def copies(self, aside: Callable[[int], Place]) -> list[Stretched]:
        """Return where their copies are."""
        start = self.aside or 0
        if isinstance(self.lies, Strided):
            return [(self.lies.cut(self.region).nbytes, aside(start))]
        return [(size, aside(start + at)) for _, at, size in self.spans]


@dataclass(frozen=True, eq=False)
class Portion:
    """Boxes of the outputs of an execution, and the calls that compute them."""

    inputs: Mapping[int, Taken]
    outputs: Mapping[int, Taken]
    calls: tuple[CCall, ...]


class PieceCutter:
    """Finds the portions of the executions of a node; ``calls`` compute it as a whole."""

    def __init__(
        self, node: Node, site: Site, operands: Operands, calls: Sequence[CCall], target: str
    ) -> None:
        self._calls, self._node = tuple(calls), node
        self._cutter = Cutter(node, site, operands, target) if can_tile(node) else None
        self._step = steps_of(node) if self._cutter is not None else None

    def portions(
        self, inputs: Mapping[int, Lies], outputs: Mapping[int, Lies], *, apart: bool
    ) -> tuple[Portion, ...]:
        """Return what one execution computes, given how its operands lie then.

        With ``apart`` results overlap what is read, and are computed in working memory.
        """
        first = outputs.get(0)
        if (
            not isinstance(first, Spread)
            or first.has(whole(first.dims))
            or len(outputs) > 1
            or apart
        ):
            return (self._whole(inputs, outputs, apart=apart),)
        boxes = [
            box
            for low, size in _spans_of(first)
            for box in boxes_of(first.dims, low // first.itemsize, (low + size) // first.itemsize)
        ]
        portions = tuple(self._box(box, inputs, first) for box in boxes)
        cut = tuple(portion for portion in portions if portion is not None)
        return cut if len(cut) == len(boxes) else (self._whole(inputs, outputs, apart=False),)

    def _box(self, box: Region, inputs: Mapping[int, Lies], first: Lies) -> Portion | None:
        """Return what computes a box; None where nothing does.

        Raise ExportError when the plan keeps too little of what it needs.
        """
        if self._step is None or self._cutter is None:
            return None
        try:
            part = self._step(box)
            calls = self._cutter.calls_of(part)
        except AidgeError:
            return None
        working = _Working()
        taken = {
            index: working.take(inputs[index], region)
            for index, region in part.inputs.items()
            if index in inputs
        }
        for index, each in taken.items():
            if isinstance(each.lies, Spread) and not each.lies.has(each.region):
                raise ExportError.at(
                    f"{self._node.label}, input#{index}",
                    "the plan keeps too little of what this node reads",
                    expected=f"elements {', '.join(map(str, each.region))}",
                    found=f"{sum(size for _, _, size in each.spans)} bytes of them",
                    cure="Plan with plan_memory(), and with the order that the program is to have.",
                )
        made = {0: working.take(first, part.output)}
        return Portion(taken, made, self._behind(calls, working.size))

    def _whole(
        self, inputs: Mapping[int, Lies], outputs: Mapping[int, Lies], *, apart: bool
    ) -> Portion:
        working = _Working()
        taken = {index: working.take(lies, whole(lies.dims)) for index, lies in inputs.items()}
        made = {
            index: working.take(lies, whole(lies.dims), apart=apart)
            for index, lies in outputs.items()
        }
        return Portion(taken, made, self._behind(self._calls, working.size))

    def _behind(self, calls: Sequence[CCall], size: int) -> tuple[CCall, ...]:
        made = tuple(behind(call, size) for call in calls)
        return made if self._cutter is None else self._cutter.known(made)


def _spans_of(spread: Spread) -> list[tuple[int, int]]:
    """Return the bytes of the whole that are there: the first ones, and how many follow them."""
    found: list[tuple[int, int]] = []
    for each in spread.stretches:
        if found and sum(found[-1]) == each.first:
            found[-1] = found[-1][0], found[-1][1] + each.size
        else:
            found.append((each.first, each.size))
    return found


class _Working:
    """Hands out working memory."""

    def __init__(self) -> None:
        self.size = 0

    def take(self, lies: Lies, region: Region, *, apart: bool = False) -> Taken:
        """Take a box of an operand, in a copy where it is no array as it lies, or shall be."""
        if isinstance(lies, Strided):
            box = lies.cut(region)
            aside = None if box.is_array and not apart else self._reserve(box.nbytes)
            return Taken(lies, region, aside)
        spans, at = [], 0
        for first, size in bytes_of(region, lies.dims, lies.itemsize):
            start = first
            for length, stretch, offset in lies.runs(first, size):
                start = stretch.first + offset
                spans.append((start, at + start - first, length))
            at += size
        size = prod(each.size for each in region) * lies.itemsize
        if len(spans) == 1 and spans[0][2] == size and not apart:
            return Taken(lies, region, None, tuple(spans))
        return Taken(lies, region, self._reserve(size), tuple(spans))

    def _reserve(self, size: int) -> int:
        start = self.size
        self.size += -(-size // ALIGNMENT) * ALIGNMENT
        return start


@dataclass(frozen=True, eq=False)
class NodeInPieces:
    """The portions of each execution of a node."""

    executions: tuple[tuple[Portion, ...], ...]

    @property
    def calls(self) -> tuple[CCall, ...]:
        """The calls of all executions, each once."""
        portions = (portion for each in self.executions for portion in each)
        return tuple({id(call): call for each in portions for call in each.calls}.values())


def find_pieces(
    order: Sequence[Node],
    memory: MemoryPlan,
    names: Mapping[Node, str],
    scattered: Scattered,
    spread: SpreadValues,
    calls: Mapping[Node, tuple[CCall, ...]],
    site_of: Callable[[Node], Site],
    target: str,
) -> dict[Node, NodeInPieces]:
    """Find what the nodes compute that read or write values in stretches.

    ``order`` is the node of each tick, ``calls`` compute whole nodes. Views, and what only moves
    bytes, are left out.
    """
    held: dict[tuple[str, int], list[Buffer]] = {}
    for buffer in memory.buffers:
        held.setdefault((buffer.node, buffer.output), []).append(buffer)
    cutters: dict[Node, PieceCutter] = {}
    found: dict[Node, list[tuple[Portion, ...]]] = {}
    for tick, node in enumerate(order):
        ports = [Port(node, i) for i in range(node.get_nb_outputs()) if (names[node], i) in held]
        if node not in calls or not spread.touches(node):
            continue
        born = [each for port in ports for each in held[names[node], port.index]]
        if all(buffer.view_of or buffer.made_of for buffer in born):
            continue
        operands = operands_of(node, scattered, ports, False)
        if node not in cutters:
            site = site_of(node)
            cutters[node] = PieceCutter(node, site, operands, calls[node], target)
        inputs: dict[int, Lies] = dict(operands.inputs)
        for index in inputs:
            port = node.source(index)
            if port is not None and port in spread.buffers:
                inputs[index] = spread.read_at(port, tick)
        outputs: dict[int, Lies] = {
            port.index: spread.written_at(port, tick)
            if port in spread.buffers
            else scattered.of_output(*port)
            for port in ports
        }
        apart = any(buffer.in_place_of for buffer in born)
        portions = cutters[node].portions(inputs, outputs, apart=apart)
        found.setdefault(node, []).append(portions)
    return {node: NodeInPieces(tuple(each)) for node, each in found.items()}


# --- what is done -------------------------------------------------------------------------------


def piece_actions(
    where: str,
    portions: Sequence[Portion],
    source: Callable[[int], Place],
    target: Callable[[int], Place],
    aside: Callable[[int], Place],
    place_of: Callable[[Stretch], Place],
    call_of: Callable[[CCall, Callable[[In | Out | Scratch], Place]], KernelCall],
) -> tuple[Action, ...]:
    """Write what computes the portions of an execution; parameters as for by-parts actions.

    ``place_of`` is where a stretch begins. Raise ExportError, naming ``where``, for a plan that
    keeps too little.
    """
    found: list[Action] = []
    for portion in portions:

        def operand_of(argument: In | Out | Scratch, portion: Portion = portion) -> Place:
            if isinstance(argument, Scratch):
                return aside(argument.offset)
            is_output = isinstance(argument, Out)
            taken = (portion.outputs if is_output else portion.inputs).get(argument.index)
            whole = (target if is_output else source)(argument.index)
            if taken is None:
                return whole
            if taken.aside is not None:
                return aside(taken.aside + argument.offset)
            if isinstance(taken.lies, Strided):
                return _behind(whole, taken.lies.start(taken.region) + argument.offset)
            (_, place), *_ = taken.runs(whole, place_of)
            return _behind(place, argument.offset)

        for index, taken in portion.inputs.items():
            if taken.aside is not None:
                have = taken.runs(source(index), place_of)
                found += copy_runs(where, taken.copies(aside), have)
        found += [call_of(call, operand_of) for call in portion.calls]
        for index, taken in portion.outputs.items():
            if taken.aside is not None:
                to = taken.runs(target(index), place_of)
                found += copy_runs(where, to, taken.copies(aside))
    return tuple(found)


def _behind(place: Place, offset: int) -> Place:
    return replace(place, offset=place.offset + offset) if offset else place
