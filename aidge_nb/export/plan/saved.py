"""Check an export plan that was read: its names go into C, and its parts name each other."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import ExportError
from aidge_nb.export.plan.parts import (
    LOOP_COUNTERS,
    Action,
    ActionLoop,
    Copy,
    Field,
    KernelCall,
    Place,
    ProgramLoop,
    Step,
    Zero,
)
from aidge_nb.kernels.c.units import parameters_of
from aidge_nb.memory import MemoryPlan

if TYPE_CHECKING:
    from aidge_nb.export.plan.value import ExportPlan

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_]{0,200}")
_IN_C = ("symbol", "function", "unit", "config", "arena")


def check_saved_plan(plan: ExportPlan) -> None:
    """Check the names and numbers of a plan, whose types are right.

    Whether buffers keep their bytes, :func:`~aidge_nb.export.plan.check.check_export` tells.

    Raises
    ------
    ExportError
        For a name that is no identifier of C, and for a part that the plan does not have.
    """
    for number, unit in enumerate(plan.units):
        _check_name(unit, f"units[{number}]")
    _check_name(plan.name, "name")
    known = {("arena", each.symbol) for each in plan.buffers}
    known |= {("input", each.symbol) for each in plan.inputs}
    known |= {("output", each.symbol) for each in plan.outputs}
    known |= {("parameter", each.symbol) for each in plan.parameters}
    for path, value in _parts(plan, ""):
        for field in fields(value):
            if field.name in _IN_C or (field.name == "name" and isinstance(value, Field)):
                _check_name(getattr(value, field.name), f"{path}.{field.name}")
        if isinstance(value, Place):
            _check_place(value, known, path)
        elif isinstance(value, (Copy, Zero)):
            _one_of(value.turn, ("", "first", "later"), f"{path}.turn")
        elif isinstance(value, KernelCall):
            _check_call(value, path)
    arenas = tuple(each.symbol for each in plan.arenas)
    for number, each in enumerate(plan.buffers):
        _one_of(each.arena, arenas, f"buffers[{number}].arena")
    _check_steps(plan.steps, 0, "steps")
    _same_length(len(plan.outputs), len(plan.results), "results")
    if not plan.stack_by:
        raise _error("stack_by", "is empty", "a compiler or more", "none")


def _parts(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    """Yield the parts of a plan with their places, but not those of its memory plan."""
    if isinstance(value, tuple):
        for number, each in enumerate(value):
            yield from _parts(each, f"{path}[{number}]")
    elif is_dataclass(value) and not isinstance(value, MemoryPlan):
        if path:
            yield path, value
        for field in fields(value):
            inside = f"{path}.{field.name}" if path else field.name
            yield from _parts(getattr(value, field.name), inside)


def _check_place(place: Place, known: set[tuple[str, str]], path: str) -> None:
    kinds = ("arena", "input", "output", "parameter", "nothing")
    _one_of(place.kind, kinds, f"{path}.kind")
    if place.kind != "nothing" and (place.kind, place.name) not in known:
        kind = "buffer" if place.kind == "arena" else place.kind
        raise _error(f"{path}.name", "unknown", f"one of the {kind}s", repr(place.name))


def _check_call(call: KernelCall, path: str) -> None:
    try:
        operands = len(parameters_of(call.unit, call.function)) - 1
    except ExportError:  # a macro declares it, or a library that is not loaded
        return
    _same_length(operands, len(call.operands), f"{path}.operands")


def _check_steps(steps: tuple[Step | ProgramLoop, ...], depth: int, path: str) -> None:
    if depth > len(LOOP_COUNTERS):
        raise _error(path, "is nested too deeply", f"at most {len(LOOP_COUNTERS)} loops", "more")
    for number, item in enumerate(steps):
        here = f"{path}[{number}]"
        if isinstance(item, ProgramLoop):
            if item.count < 1:
                raise _error(f"{here}.count", "is not positive", "1 or more", item.count)
            _check_steps(item.body, depth + 1, f"{here}.body")
            continue
        _check_strides(item, depth, here)
        _check_actions(item.actions, depth, f"{here}.actions")


def _check_actions(actions: tuple[Action, ...], depth: int, path: str) -> None:
    """Check the loops of a step that is computed part by part."""
    if depth > len(LOOP_COUNTERS):
        raise _error(path, "is nested too deeply", f"at most {len(LOOP_COUNTERS)} loops", "more")
    for number, action in enumerate(actions):
        here = f"{path}[{number}]"
        if isinstance(action, ActionLoop):
            if action.count < 1:
                raise _error(f"{here}.count", "is not positive", "1 or more", action.count)
            _check_actions(action.body, depth + 1, f"{here}.body")
        else:
            _check_strides(action, depth, here)


def _check_strides(value: Any, depth: int, path: str) -> None:
    """Check that places move by no more loops than there are around; loops inside apart."""
    if isinstance(value, ActionLoop):
        return
    if isinstance(value, tuple):
        for number, each in enumerate(value):
            _check_strides(each, depth, f"{path}[{number}]")
        return
    if not is_dataclass(value) or isinstance(value, MemoryPlan):
        return
    strides = getattr(value, "strides", ())
    if len(strides) > depth:
        expected = f"one for each of the {depth} loops around"
        raise _error(f"{path}.strides", "has the wrong length", expected, len(strides))
    for field in fields(value):
        _check_strides(getattr(value, field.name), depth, f"{path}.{field.name}")


def _check_name(name: str, path: str) -> None:
    if name and not _IDENTIFIER.fullmatch(name):  # most values in an arena have none
        raise _error(path, "is no identifier of C", "letters, digits and _", repr(name[:40]))


def _one_of(name: str, known: tuple[str, ...], path: str) -> None:
    if name not in known:
        raise _error(path, "unknown", " or ".join(map(repr, known)), repr(name[:40]))


def _same_length(expected: int, found: int, path: str) -> None:
    if expected != found:
        raise _error(path, "has the wrong length", expected, found)


def _error(path: str, problem: str, expected: object, found: object) -> ExportError:
    return ExportError.at(f"export plan: {path}", problem, expected=expected, found=found)
