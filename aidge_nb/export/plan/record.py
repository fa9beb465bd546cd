"""Record what the program must compute, by the exact NumPy kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aidge_nb.core.errors import ExportError
from aidge_nb.export.plan.addresses import NOTHING
from aidge_nb.export.plan.made import Made
from aidge_nb.export.plan.parts import Copy, ProgramLoop, ProgramTensor, Step
from aidge_nb.export.plan.strided import laid_out
from aidge_nb.export.plan.value import ExportPlan
from aidge_nb.graph.inputs import fitting_arrays, input_slots
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel
from aidge_nb.scheduling.executor import Access, NodeExecutor, Observer, occupied, start_pass

Array = NDArray[Any]


@dataclass(frozen=True, slots=True)
class Written:
    """The bytes that one execution of a step wrote to one of its outputs."""

    step: Step
    value: ProgramTensor
    content: bytes


@dataclass(frozen=True, eq=False)
class Recording:
    """A run of a model."""

    # inputs, outputs: of the program, in order
    inputs: tuple[Array, ...]
    outputs: tuple[Array, ...]
    # what each step wrote, in the order of execution; nothing for views
    written: tuple[Written, ...]
    # for the steps that were asked for, by number, what their first execution read: the bytes of
    # each input, None for one that is not there
    reads: dict[int, tuple[bytes | None, ...]] = field(default_factory=dict)


def example_inputs(made: Made, seed: int = 0) -> tuple[Array, ...]:
    """Make inputs: normal numbers, small whole numbers for integers.

    Where a model has choices, whole numbers are such that each choice can be made.
    """
    generator = np.random.default_rng(seed)
    choices = [node.get_nb_inputs() - 1 for node in made.order if node.type() == "Select"]
    found = []
    for value in made.plan.inputs:
        dtype = value.dtype.numpy
        if value.dtype.is_float:
            found.append(generator.standard_normal(value.dims).astype(dtype))
        else:
            low = 0 if choices or dtype.kind in "ub" else -8
            high = min([2 if dtype.kind == "b" else 8, *choices])
            found.append(generator.integers(low, high, value.dims).astype(dtype))
    return tuple(found)


def as_inputs(made: Made, inputs: Sequence[ArrayLike]) -> tuple[Array, ...]:
    """Check inputs against those of the program, and convert their elements.

    Raise ExportError when there are too many or too few, or dimensions or kinds of elements differ.
    """
    fed = {port for group in made.inputs for port in group}
    slots = [each for each in input_slots(made.view) if not each.ports or each.ports[0] in fed]
    cure = "Export it again for these."
    fitting = fitting_arrays(
        slots, inputs, "the program is", ExportError, cure, needs=fed.__contains__
    )
    arrays = {port: array for slot, array in fitting for port in slot.ports}
    pairs = zip(made.inputs, made.plan.inputs, strict=True)
    return tuple(np.ascontiguousarray(arrays[g[0]]).reshape(value.dims) for g, value in pairs)


def record(made: Made, inputs: Sequence[Array], reads_of: Collection[int] = ()) -> Recording:
    """Run the steps of a plan, and keep what each writes.

    Those numbered in ``reads_of`` also keep what they read.
    """
    view = made.view
    with occupied(view.get_nodes(), view.name()):
        return _record(made, inputs, reads_of)


def _record(made: Made, inputs: Sequence[Array], reads_of: Collection[int]) -> Recording:
    view = made.view
    view.set_backend("exact")
    for ports, array in zip(made.inputs, inputs, strict=True):
        for port in ports:
            tensor = port.node.get_operator().get_input(port.index)
            if tensor is not None:
                tensor.set_array(array)
    start_pass(view)
    recorder = _Recorder(made.plan, reads_of)
    given = {value.symbol: array for value, array in zip(made.plan.inputs, inputs, strict=True)}
    recorder.load({**made.arrays, **given})
    NodeExecutor(made.order, [recorder]).run()
    outputs = tuple(
        np.array(port.node.get_operator().get_output(port.index).array)
        for port in view.get_ordered_outputs()
    )
    for value, array in zip(made.plan.outputs, outputs, strict=True):
        _check_shape(f"output {value.name}", value, array)
    return Recording(tuple(inputs), outputs, recorder.written, recorder.reads_of)


class _Recorder(Observer):
    """Keep the bytes that the steps of a program write, and what some of them read.

    What is computed with another step counts as that one's.
    """

    def __init__(self, plan: ExportPlan, reads_of: Collection[int]) -> None:
        steps = tuple(_unrolled(plan.steps))
        self._before = [step for step in steps if not step.total]
        self._steps, self._wanted = tuple(each for each in steps if each.total), set(reads_of)
        self._executions: Counter[Node] = Counter()
        self._read: dict[int, bytes] = {}
        self._last = {each.symbol for each in plan.buffers if each.value.channels_last}
        self._by_number = {step.number: step for step in self._steps}
        self._groups: list[list[Written]] = []
        self._open: dict[int, list[Written]] = {}
        self.reads_of: dict[int, tuple[bytes | None, ...]] = {}

    @property
    def written(self) -> tuple[Written, ...]:
        """Writes of all steps, in the order of the program."""
        return tuple(each for group in self._groups for each in group)

    def load(self, arrays: Mapping[str, Array]) -> None:
        """Keep what is copied into the arena before the first tick."""
        for step in self._before:
            for action in step.actions:
                if isinstance(action, Copy) and step.writes:
                    content = arrays[action.source.name].tobytes()
                    self._groups.append([Written(step, step.writes[0].value, content)])

    def before(self, tick: int, node: Node) -> None:
        """Count the executions of the node; keep what a Producer loads."""
        self._executions[node] += 1
        self._read = {}
        if node.type() == "Producer":
            self._groups.append(list(_written(self._steps[tick], node, 0)))

    def reads(self, access: Access) -> None:
        """Keep what an input reads."""
        step = self._steps[access.tick]
        number = step.done_by or step.number
        if access.value is None or (number not in self._wanted and number not in self.reads_of):
            return
        source = step.sources[access.index] if access.index < len(step.sources) else NOTHING
        last = source.kind == "arena" and source.name in self._last
        if not step.done_by:
            content = laid_out(access.value, channels_last=last).tobytes()
            self._read[access.index] = content
        elif source != NOTHING:  # the second addend, behind the inputs of the convolution
            content = laid_out(access.value, channels_last=last).tobytes()
            self.reads_of[number] = (*self.reads_of[number], content)

    def after(self, tick: int, node: Node) -> None:
        """Keep what the outputs got; views write nothing."""
        step = self._steps[tick]
        if step.number in self._wanted:
            self._wanted.remove(step.number)
            inputs = range(node.get_operator().nb_inputs)
            self.reads_of[step.number] = tuple(map(self._read.get, inputs))
        if step.done_by:
            owner = self._by_number[step.done_by]
            if step.node == owner.also[-1]:
                self._open.pop(owner.number).extend(_written(owner, node, 0))
        elif step.also:
            self._open[step.number] = []
            self._groups.append(self._open[step.number])
        elif not step.is_view:
            self._groups.append(list(_written(step, node, self._executions[node] - 1)))


def _unrolled(steps: Sequence[Step | ProgramLoop]) -> Iterator[Step]:
    for item in steps:
        if isinstance(item, Step):
            yield item
        else:
            for _ in range(item.count):
                yield from _unrolled(item.body)


def _written(step: Step, node: Node, execution: int) -> Iterator[Written]:
    operator = node.get_operator()
    is_stack = operator.spec.cp is CpModel.STACK
    for operand in step.writes:
        array = operator.get_output(operand.output).array
        content = array[execution] if is_stack else array
        value = operand.value
        if not is_stack:
            _check_shape(f"{node.label}, output#{operand.output}", value, array)
        found = laid_out(content, channels_last=value.channels_last, by_rows=value.by_rows)
        whole = found.tobytes()[operand.start : operand.start + operand.nbytes]
        for start in range(0, len(whole), operand.block or 1):
            yield Written(step, value, whole[start : start + operand.block])


def _check_shape(where: str, value: ProgramTensor, array: Array) -> None:
    """Check that what was computed is what was planned; raise ExportError when it is not."""
    if array.shape != value.dims:
        raise ExportError.at(
            where,
            "was planned for other dimensions than it has",
            expected=list(value.dims),
            found=list(array.shape),
            cure="Call forward_dims(), and plan again.",
        )
