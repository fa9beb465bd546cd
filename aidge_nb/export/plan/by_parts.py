"""Cut a node into parts that kernels can compute where a memory plan scatters what it works on.

Convolutions and poolings read channels and rows that lie apart, and write such channels; other
kernels read and write arrays in one piece. Where an operand lies in blocks or row by row, the
result is cut into boxes, in the order in which they lie, until a kernel takes every operand of a
box as it lies. A result that runs over its input is cut into rows. Each is computed aside and then
written over lines that no later row reads; or these are copied aside, where they are smaller. A box
is a tile of the node (:mod:`aidge_nb.tiling`), with the same bits; boxes that differ in nothing but
their place are one loop.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import product
from types import MappingProxyType
from typing import Any

from numpy.typing import NDArray

from aidge_nb.core.errors import AidgeError
from aidge_nb.export.plan.strided import Strided, check_depth
from aidge_nb.graph.node import Node
from aidge_nb.graph.operator import Operator
from aidge_nb.kernels.c import CCall, Constant, In, Scratch, Site, TensorType
from aidge_nb.kernels.c.node_calls import calls_at, site_of_operator
from aidge_nb.kernels.c.strided import reads_at, writes_at
from aidge_nb.tiling.ranges import Range, Region, index_of, whole
from aidge_nb.tiling.rules import can_tile, steps_of
from aidge_nb.tiling.tile_nodes import PartStep, recipes_of

Ints = tuple[int, ...]

RESULT = -1
"""The result of a node among its operands, whose numbers are those of inputs."""

ALIGNMENT = 16
"""Bytes of the working memory: what is copied aside begins at a multiple of them."""


@dataclass(frozen=True, eq=False)
class PartOperand:
    """An operand of the parts of a run: the box of the first one, and where it begins."""

    box: Strided
    start: int  # bytes from the beginning of the whole
    steps: Ints  # bytes to go on with each turn of the loops
    aside: int | None = None  # where its copy lies in the working memory, if it is copied


@dataclass(frozen=True, eq=False)
class PartRun:
    """Parts of which each is computed by the same calls, in loops."""

    counts: Ints  # how often each loop turns, the outermost first
    inputs: Mapping[int, PartOperand]
    output: PartOperand
    calls: tuple[CCall, ...]
    others: Mapping[int, PartOperand] = field(default_factory=dict)  # the outputs after the first


@dataclass(frozen=True, eq=False)
class Operands:
    """How the operands of a node lie: those that the program moves through, and its result."""

    inputs: Mapping[int, Strided]  # all that are there, parameters too
    moving: frozenset[int]  # those that are no parameters
    output: Strided
    # whether the result is written over an input, which the kernel cannot do with the whole
    runs_over: bool = False
    along: frozenset[int] = frozenset()  # inputs of which each part reads the box that it writes
    more: Mapping[int, Strided] = field(
        default_factory=dict
    )  # the outputs after the first, if wanted


@dataclass(frozen=True, eq=False)
class ByParts:
    """A node that is computed part by part."""

    runs: tuple[PartRun, ...]

    @property
    def calls(self) -> tuple[CCall, ...]:
        """The calls of all runs, each once."""
        return tuple({id(call): call for run in self.runs for call in run.calls}.values())


Maker = Callable[[Site, Operator], tuple[CCall, ...]]
"""Function from a part of a node to the calls that compute it."""


def by_parts(
    node: Node, site: Site, operands: Operands, target: str, make: Maker | None = None
) -> ByParts | None:
    """Cut a node whose operands do not all lie as arrays; None where it cannot be cut like this.

    ``site`` is the whole node; ``make`` makes other calls than those of the operator.
    """
    if not can_tile(node) or operands.more:
        return None
    cutter = Cutter(node, site, operands, target, make)
    for axes, aside in _ways(operands):
        try:
            runs = cutter.cut(axes, aside=aside)
        except AidgeError:  # it cannot be cut along these axes
            continue
        if runs is not None:
            return ByParts(runs)
    return None


def _ways(operands: Operands) -> list[tuple[Ints, bool]]:
    """List axes to cut along, and whether operands may be copied aside then."""
    steps = operands.output.strides
    order = sorted(range(len(steps)), key=lambda axis: (-steps[axis], axis))
    prefixes = [tuple(order[:count]) for count in range(len(order) + 1)]
    if operands.runs_over:
        return [((0, 2), True)] if len(order) == 4 else [(tuple(range(len(order) - 1)), True)]
    return [*((axes, False) for axes in prefixes), *([((0, 2), True)] if len(order) == 4 else [])]


class Cutter:
    """Cuts one node along axes of its result, into parts of size 1 there."""

    def __init__(
        self,
        node: Node,
        site: Site,
        operands: Operands,
        target: str,
        make: Maker | None = None,
    ) -> None:
        self._node, self._site, self._operands = node, site, operands
        self._make = make or (lambda site, operator: calls_at(site, operator, target))
        self._step, self._recipe = steps_of(node), recipes_of(node)
        self._calls: list[tuple[CCall, ...]] = []

    def cut(self, axes: Ints, *, aside: bool) -> tuple[PartRun, ...] | None:
        """Return the runs; None where operands are no arrays then, and may not be copied."""
        dims = self._operands.output.dims
        check_depth(self._node.label, sum(dims[axis] > 1 for axis in axes))
        each_axis = [self._stretches(axis, axes) for axis in axes]
        if self._operands.runs_over:  # in the order of the rows, sample after sample
            for number in range(len(axes) - 1):
                if any(len(inner) > 1 for inner in each_axis[number + 1 :]):
                    singles = (Range(i, i + 1) for r in each_axis[number] for i in range(*r))
                    each_axis[number] = list(singles)
        runs = []
        for chosen in product(*each_axis):
            firsts = [stretch.start for stretch in chosen]
            run = self._run(dict(zip(axes, firsts, strict=True)), [r.size for r in chosen], aside)
            if run is None:
                return None
            runs.append(run)
        return tuple(runs)

    def _part(self, at: Mapping[int, int]) -> PartStep:
        region = [*whole(self._operands.output.dims)]
        for axis, index in at.items():
            region[axis] = Range(index, index + 1)
        return self._step(tuple(region))

    def _stretches(self, axis: int, axes: Ints) -> list[Range]:
        """Find the stretches of an axis along which parts differ in nothing but their place."""
        zero = dict.fromkeys(axes, 0)
        found: list[Range] = []
        before: PartStep | None = None
        step: list[Ints] = []
        for index in range(self._operands.output.dims[axis]):
            part = self._part({**zero, axis: index})
            moved = [] if before is None else _moved(before, part)
            is_same = before is not None and _alike(before, part)
            if is_same and found[-1].size == 1:
                step = moved
            if is_same and moved == step:
                found[-1] = Range(found[-1].start, index + 1)
            else:
                found.append(Range(index, index + 1))
            before = part
        return found

    def _run(self, at: dict[int, int], counts: Sequence[int], aside: bool) -> PartRun | None:
        part, operands = self._part(at), self._operands
        loops = [axis for axis, count in zip(at, counts, strict=True) if count > 1]
        after = [self._part({**at, axis: at[axis] + 1}) for axis in loops]

        def part_of(operand: Strided, regions: Sequence[Region]) -> PartOperand:
            starts = [operand.start(region) for region in regions]
            steps = tuple(each - starts[0] for each in starts[1:])
            return PartOperand(operand.cut(regions[0]), starts[0], steps)

        inputs = {
            index: part_of(
                operands.inputs[index], [region, *(each.inputs[index] for each in after)]
            )
            for index, region in part.inputs.items()
            if index in operands.inputs
        }
        written = [part.output, *(each.output for each in after)]
        inputs |= {i: part_of(operands.inputs[i], written) for i in operands.along}
        output = part_of(operands.output, written)
        calls = self.calls_of(part)
        if self._changes_parameters(part, calls) or any(
            not operand.box.is_array
            for index, operand in inputs.items()
            if index not in operands.moving
        ):
            return None
        found = {index: inputs[index] for index in operands.moving & set(inputs)} | {RESULT: output}
        copied = {i for i, each in found.items() if as_it_lies(calls, i, each.box) is None}
        if operands.runs_over:
            copied = _copied_first(found, copied)
        if copied and not aside:
            return None
        for index in set(found) - copied:
            calls = as_it_lies(calls, index, found[index].box) or calls
        size = 0
        for index in sorted(copied):
            operand = output if index == RESULT else inputs[index]
            moved = replace(operand, aside=size)
            size += -(-operand.box.nbytes // ALIGNMENT) * ALIGNMENT
            if index == RESULT:
                output = moved
            else:
                inputs[index] = moved
        calls = self.known(tuple(behind(call, size) for call in calls))
        return PartRun(tuple(c for c in counts if c > 1), inputs, output, calls)

    def _changes_parameters(self, part: PartStep, calls: tuple[CCall, ...]) -> bool:
        """Tell whether parts need other parameters in another form than that of the model."""
        parameters = set(part.inputs) - self._operands.moving
        cut = [
            index
            for index in parameters & set(self._operands.inputs)
            if part.inputs[index] != whole(self._operands.inputs[index].dims)
        ]
        plain = {arg.index for call in calls for arg in call.args if isinstance(arg, In)}
        derived = any(isinstance(arg, Constant) for call in calls for arg in call.args)
        return bool(cut) and (derived or not plain.issuperset(cut))

    def calls_of(self, part: PartStep) -> tuple[CCall, ...]:
        """Return the calls that compute a part, on arrays; raise ExportError if none do."""
        operator = self._recipe(part).make(self._node.name()).get_operator()
        site = self._site
        sizes = _sizes(part)
        types = [self._node.get_operator().get_input(i) for i in range(operator.nb_inputs)]
        inputs = tuple(
            None
            if tensor is None or (tensor.undefined() and index not in sizes)
            else TensorType(tensor.dtype, sizes.get(index, tuple(tensor.dims)))
            for index, tensor in enumerate(types)
        )
        made = tuple(each.size for each in part.output)
        outputs = tuple(TensorType(each.dtype, made) for each in site.outputs)
        constants: dict[int, NDArray[Any]] = {
            index: array[index_of(part.inputs[index])] if index in part.inputs else array
            for index, array in site.constants.items()
        }
        cut = replace(
            site_of_operator(operator, inputs, outputs),
            label=site.label,
            constants=MappingProxyType(constants),
            unread=site.unread,
        )
        return self._make(cut, operator)

    def known(self, calls: tuple[CCall, ...]) -> tuple[CCall, ...]:
        """Return calls that were made before, where they are equal."""
        for each in self._calls:
            if len(each) == len(calls) and all(map(_equal, each, calls)):
                return each
        self._calls.append(calls)
        return calls


def _copied_first(found: Mapping[int, PartOperand], copied: set[int]) -> set[int]:
    """Return what to copy so that a result may be written over what it is computed from.

    That is the result, or all that is read: whatever takes less memory besides what is ``copied``
    in any case.
    """
    ways = [copied | (set(found) - {RESULT}), copied | {RESULT}]
    return min(ways, key=lambda way: sum(found[index].box.nbytes for index in way))


def as_it_lies(calls: tuple[CCall, ...], index: int, box: Strided) -> tuple[CCall, ...] | None:
    """Let calls read input 0, or write the result, where it lies; None where they cannot."""
    lies = {0: reads_at, RESULT: writes_at}.get(index)
    if box.is_array or lies is None:
        return calls if box.is_array else None
    steps = [step // box.itemsize for step in box.strides]
    moved = [lies(call, box.dims, steps) for call in calls]
    return tuple(call for call in moved if call is not None) if all(moved) else None


def _alike(one: PartStep, other: PartStep) -> bool:
    """Tell whether two parts differ in nothing but where they are."""
    return (
        _sizes(one) == _sizes(other)
        and tuple(one.pads) == tuple(other.pads)
        and dict(one.changes) == dict(other.changes)
    )


def _sizes(part: PartStep) -> dict[int, Ints]:
    return {index: tuple(each.size for each in region) for index, region in part.inputs.items()}


def _moved(one: PartStep, other: PartStep) -> list[Ints]:
    """Return by how much the inputs of two parts are apart, in elements along each axis."""
    return [
        tuple(there.start - here.start for here, there in zip(region, beside, strict=True))
        for region, beside in zip(one.inputs.values(), other.inputs.values(), strict=True)
    ]


def behind(call: CCall, size: int) -> CCall:
    """Let a call find its own working memory behind what is copied aside."""
    args = tuple(
        Scratch(arg.offset + size) if isinstance(arg, Scratch) else arg for arg in call.args
    )
    return replace(call, args=args, scratch=call.scratch + size)


def _equal(one: CCall, other: CCall) -> bool:
    """Tell whether two calls are the same."""
    return (
        (one.function, one.scratch, dict(one.fields))
        == (other.function, other.scratch, dict(other.fields))
        and len(one.args) == len(other.args)
        and all(map(_same_argument, one.args, other.args))
    )


def _same_argument(one: object, other: object) -> bool:
    if isinstance(one, Constant) and isinstance(other, Constant):
        return one.name == other.name and one.array.tobytes() == other.array.tobytes()
    return one == other
