"""Expressions and statements of C: steps of a plan as the lines of the forward function."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING

from aidge_nb.core.errors import ExportError
from aidge_nb.core.text import c_comment
from aidge_nb.export.plan.parts import (
    LOOP_COUNTERS,
    Action,
    ActionLoop,
    Choice,
    Copy,
    KernelCall,
    Operand,
    Place,
    ProgramLoop,
    ProgramTensor,
    Step,
    Zero,
)
from aidge_nb.export.plan.strided import array_of, copied, strides_of
from aidge_nb.export.write.literals import c_type, literal
from aidge_nb.kernels.c.units import parameters_of, struct_of

if TYPE_CHECKING:
    from aidge_nb.export.plan.value import ExportPlan

_POINTER = re.compile(r"\s*(const\s+)?(\w+)\s*\*")


def pointer_name(symbol: str) -> str:
    """Name the macro that points to a buffer."""
    return f"AT_{symbol.upper()}"


def config_of(call: KernelCall) -> str:
    """Write the configuration of a call."""
    kinds = {each[0]: each[1] for each in struct_of(call.unit, call.config)._fields_}
    rows = ",\n".join(
        f"    .{field.name} = {literal(kinds[field.name], field.value)}" for field in call.fields
    )
    return f"static const {call.config} {call.symbol} = {{\n{rows}\n}};"


class Code:
    """Writes the statements of a plan.

    ``address`` writes where buffers and inputs are, for a test that keeps them elsewhere.
    """

    def __init__(self, plan: ExportPlan, address: Callable[[Place], str] | None = None) -> None:
        self._plan, self._elsewhere = plan, address
        self._types = self._find_types()
        self._working = {pointer_name(b.symbol) for b in plan.buffers if b.output < 0}

    def _find_types(self) -> Mapping[tuple[str, str], str]:
        plan = self._plan
        found = {("arena", b.symbol): c_type(b.value.dtype, b.node) for b in plan.buffers}
        for kind, values in (
            ("input", plan.inputs),
            ("output", plan.outputs),
            ("parameter", plan.parameters),
        ):
            found |= {(kind, each.symbol): c_type(each.dtype, each.name) for each in values}
        return found

    # --- addresses --------------------------------------------------------------------------

    def _base(self, place: Place) -> str:
        if place.kind == "arena":
            return pointer_name(place.name)
        if place.kind in ("input", "output"):
            return place.name
        return f"{self._plan.name}_{place.name}"

    def address(self, place: Place, wanted: str = "void", *, constant: bool = True) -> str:
        """Write a pointer to a place, as a pointer to elements of type ``wanted``."""
        if place.kind == "nothing":
            return "NULL"
        const = "const " if constant else ""
        moves = [f"{place.offset}u"] if place.offset else []
        moves += [
            f"{LOOP_COUNTERS[depth]} * {step}u" for depth, step in enumerate(place.strides) if step
        ]
        base = self._base(place)
        if self._elsewhere is not None and place.kind in ("arena", "input"):
            base = f"({self._elsewhere(place)})"
            moves = moves or ["0u"]
        if moves:
            return f"({const}void *)(({const}uint8_t *){base} + {' + '.join(moves)})"
        if wanted in ("void", self._types[place.kind, place.name]):
            return base
        return f"({const}{wanted} *)({const}void *){base}"

    # --- statements -------------------------------------------------------------------------

    def body(self) -> Iterator[str]:
        """Write the body of the forward function."""
        yield from self._nest(self._plan.steps, 0)
        for value, place in zip(self._plan.outputs, self._plan.results, strict=True):
            if value.nbytes and place.kind != "nothing":
                yield ""
                yield from self._result(value, place)

    def _result(self, value: ProgramTensor, place: Place) -> Iterator[str]:
        """Write what copies a result to the caller's array."""
        buffer = next((b for b in self._plan.buffers if b.symbol == place.name), None)
        if place.kind != "arena" or buffer is None or not (buffer.levels or buffer.value.by_rows):
            yield f"(void)memcpy({value.symbol}, {self.address(place)}, {value.nbytes}u);"
            return
        lies = strides_of(buffer)
        target = Place("output", value.symbol), array_of(lies.dims, lies.itemsize)
        for action in copied(target, (place, lies)):
            yield from self._action(action, 0)

    def calls(self, step: Step) -> Iterator[str]:
        """Write the calls of kernels of a step, and nothing else."""
        for action in step.actions:
            if isinstance(action, KernelCall):
                yield from self._call(action)

    def _nest(self, steps: tuple[Step | ProgramLoop, ...], depth: int) -> Iterator[str]:
        for number, item in enumerate(steps):
            if number:
                yield ""
            if isinstance(item, Step):
                yield from self._step(item, depth)
                continue
            yield self.loop_head(item.count, depth)
            yield from _indented(self._nest(item.body, depth + 1))
            yield "}"

    def loop_head(self, count: int, depth: int) -> str:
        """Write the first line of a loop, inside of ``depth`` others."""
        name = LOOP_COUNTERS[depth]
        return f"for (size_t {name} = 0u; {name} < {count}u; ++{name}) {{"

    def statements(self, step: Step, depth: int = 0) -> Iterator[str]:
        """Write what a step does, without what tests look at; ``depth`` loops are around it."""
        return self._guarded(step, list(self._actions(step, depth)))

    def _guarded(self, step: Step, lines: list[str]) -> Iterator[str]:
        if not step.choices or not lines:
            yield from lines
            return
        condition = " || ".join(self._holds(choice) for choice in step.choices)
        yield f"if ({condition}) {{"
        yield from _indented(lines)
        yield "}"

    def _step(self, step: Step, depth: int) -> Iterator[str]:
        yield f"/* {step.number}. {_comment(step)} */"
        if not step.actions:
            return
        lines = list(self._actions(step, depth))
        for operand in step.writes:
            lines += self._observed(step, operand, depth)
        yield from self._guarded(step, lines)

    def _observed(self, step: Step, operand: Operand, depth: int) -> list[str]:
        """Write what shows an output to tests, block by block; only they need the loops."""
        place, last = operand.place, depth + len(operand.levels)
        around = (*place.strides, *(0 for _ in range(depth - len(place.strides))))
        steps = (*around, *(step for _, step in operand.levels)) if operand.levels else around
        written = self.address(Place(place.kind, place.name, place.offset, steps))
        lines = [f"OBSERVE({step.number}u, {written}, {operand.block}u);"]
        for count, _ in reversed(operand.levels):
            last -= 1
            lines = [self.loop_head(count, last), *_indented(lines), "}"]
        return lines

    def _actions(self, step: Step, depth: int) -> Iterator[str]:
        for action in step.actions:
            condition = (
                ""
                if isinstance(action, (KernelCall, ActionLoop))
                else self._condition(step, action)
            )
            lines = self._action(action, depth)
            yield from (f"if ({condition}) {{", *_indented(lines), "}") if condition else lines

    def _action(self, action: Action, depth: int) -> Iterator[str]:
        if isinstance(action, KernelCall):
            yield from self._call(action)
        elif isinstance(action, ActionLoop):
            yield self.loop_head(action.count, depth)
            for each in action.body:
                yield from _indented(self._action(each, depth + 1))
            yield "}"
        else:
            yield self._move(action)

    def _call(self, call: KernelCall) -> Iterator[str]:
        operands = [f"&{call.symbol}"]
        for place, (wanted, constant) in zip(call.operands, _declared(call), strict=True):
            found = self.address(place, wanted, constant=constant)
            # What is copied aside has the type that the kernel wants, the working memory has bytes.
            is_bytes = found in self._working and wanted == "void"
            operands.append(f"(void *){found}" if is_bytes else found)
        line = f"{call.function}({', '.join(operands)});"
        if len(line) <= 92:
            yield line
            return
        yield f"{call.function}("
        yield from (f"    {operand}," for operand in operands[:-1])
        yield f"    {operands[-1]});"

    def _move(self, action: Copy | Zero) -> str:
        target = self.address(action.target, constant=False)
        if isinstance(action, Zero):
            return f"(void)memset({target}, 0, {action.size}u);"
        return f"(void)memmove({target}, {self.address(action.source)}, {action.size}u);"

    def _condition(self, step: Step, action: Copy | Zero) -> str:
        if isinstance(action, Copy) and action.when is not None:
            return self._holds(action.when)
        if not action.turn:
            return ""
        counters = [LOOP_COUNTERS[depth] for depth, each in enumerate(step.strides) if each]
        first = " && ".join(f"({name} == 0u)" for name in counters)
        return first if action.turn == "first" else f"!({first})"

    def _holds(self, choice: Choice) -> str:
        kind = c_type(choice.dtype, "condition")
        return f"*(const {kind} *){self.address(choice.place)} == {choice.number}"


def _declared(call: KernelCall) -> list[tuple[str, bool]]:
    """Return the element type of each operand, and whether it is constant, as the header has it.

    Kernels that a macro declares take tensors as they are: then nothing need be converted.
    """
    try:
        parameters = parameters_of(call.unit, call.function)[1:]
    except ExportError:
        return [("void", place.kind != "arena") for place in call.operands]
    matches = map(_POINTER.match, parameters)
    return [(match[2], bool(match[1])) if match else ("void", False) for match in matches]


def _indented(lines: Iterator[str] | list[str]) -> Iterator[str]:
    return (f"    {line}" if line else "" for line in lines)


def _comment(step: Step) -> str:
    """Return which node a step runs, and on what, for a comment."""
    what = f"{step.node} ({step.type})" if not step.node.startswith("(") else step.node
    if step.done_by:
        return c_comment(f"{what}: done by {step.done_by}")
    if step.also:
        what += f", with {', '.join(step.also)}"
    made = ", ".join(operand.value.text for operand in step.writes)
    text = f"{what}: {', '.join(step.reads)} -> {made}" if step.reads else f"{what}: -> {made}"
    if step.is_view:
        text += ": the same bytes"
    return c_comment(text)
