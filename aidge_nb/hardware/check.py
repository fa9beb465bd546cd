"""Checking mappings: each rule by itself, on what the mapping says alone."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import combinations, pairwise

from aidge_nb.errors import HardwareError, explain
from aidge_nb.hardware.constraints import Constraints
from aidge_nb.hardware.mapping import Mapping, Step
from aidge_nb.hardware.target import Target

__all__ = ["check_mapping"]


def check_mapping(mapping: Mapping, target: Target, constraints: Constraints | None = None) -> None:
    """Check that a mapping can be carried out on a target.

    Raises
    ------
    HardwareError
        Names the steps or buffers, and the rule that they break.

    Examples
    --------
    >>> from aidge_nb import hardware
    >>> check_mapping(Mapping("mcu", (), 1.0, (), ()), hardware.target("mcu"))
    """
    limits = constraints or Constraints(target.name)
    _check_one_at_a_time(mapping.steps)
    _check_order(mapping.steps)
    allowed = {element.path for element in limits.elements(target)}
    for step in mapping.steps:
        if step.kind == "operation":
            if not set(step.devices) <= allowed:
                _fail(step.name, "runs on an element that may not be used", step.devices)
            speed = target.element(step.devices[0]).macs_per_cycle
            speed *= target.element(step.devices[0]).frequency / mapping.frequency
            if not 0 <= (step.end - step.start) - step.amount / speed < 1:
                _fail(step.name, "takes another time than its work", step.end - step.start)
    for each in mapping.placements:
        if each.offset < 0 or each.offset + each.size > limits.capacity(target, each.memory):
            _fail(each.buffer, f"does not fit into {each.memory}", each.offset + each.size)
    for one, other in combinations(mapping.placements, 2):
        if (
            one.memory == other.memory
            and one.start < other.end
            and other.start < one.end
            and one.offset < other.offset + other.size
            and other.offset < one.offset + one.size
        ):
            _fail(one.buffer, f"overlaps {other.buffer} in {one.memory}", one.offset)


def _fail(where: str, problem: str, found: object) -> None:
    raise HardwareError(explain(where, problem, found=found))


def _check_one_at_a_time(steps: Iterable[Step]) -> None:
    busy: dict[str, list[Step]] = {}
    for step in steps:
        for device in step.devices:
            busy.setdefault(device, []).append(step)
    for device, mine in busy.items():
        mine.sort(key=lambda step: (step.start, step.end))
        for before, after in pairwise(mine):
            if after.start < before.end:
                _fail(device, f"does {before.name} and {after.name} at once", after.start)


def _check_order(steps: Iterable[Step]) -> None:
    """Check that everything is there when it is read, tile by tile."""
    written: dict[str, int] = {}
    listed = list(steps)
    for step in listed:
        for buffer in step.writes:
            written[buffer] = max(written.get(buffer, 0), step.end)
    moves = any(step.kind == "transfer" for step in listed)
    for step in listed:
        for buffer in step.reads:
            if buffer not in written and moves:
                _fail(step.name, f"reads {buffer}, which nothing writes", step.start)
            if written.get(buffer, 0) > step.start:
                _fail(step.name, f"reads {buffer} before it is written", step.start)
