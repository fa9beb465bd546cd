"""Schedulers: functions that place the tasks of a mapping.

A scheduler takes a :class:`~aidge_nb.hardware.MappingState` and places all of its tasks. Pass it to
:func:`~aidge_nb.hardware.map_schedule` as a function or by name: registered here, or an entry
point of the group ``aidge_nb.schedulers``.

Reference for the default: H. Topcuoglu and others, Performance-Effective and Low-Complexity Task
Scheduling for Heterogeneous Computing, 2002, https://doi.org/10.1109/71.993206
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TypeVar

from aidge_nb.core.errors import HardwareError
from aidge_nb.hardware.map.options import Option
from aidge_nb.hardware.map.state import MappingState
from aidge_nb.hardware.map.tasks import Task

Scheduler = Callable[[MappingState], None]

_TRIED = 3  # most promising options of a task that are played
_TILES = 3_000  # tiles of a task that are played, unless the first option has more
_MANY = 30_000  # tiles of a network: more would take minutes

SCHEDULERS: dict[str, Scheduler] = {}
"""Schedulers by name."""

Given = TypeVar("Given", bound=Scheduler)


def mapping_scheduler(name: str) -> Callable[[Given], Given]:
    """Register a scheduler under a name.

    Raises
    ------
    HardwareError
        When the name is taken.

    Examples
    --------
    >>> from aidge_nb import hardware
    >>> @hardware.mapping_scheduler("first come")
    ... def first_come(state):
    ...     for task in state.tasks:
    ...         state.place(task, state.options(task)[0])
    >>> sorted(hardware.SCHEDULERS)
    ['earliest finish', 'first come', 'one by one']
    >>> del hardware.SCHEDULERS["first come"]
    """

    def register(scheduler: Given) -> Given:
        if name in SCHEDULERS:
            raise HardwareError.at(
                f"scheduler {name!r}",
                "is registered already",
                cure="Register it under another name.",
            )
        SCHEDULERS[name] = scheduler
        return scheduler

    return register


def find_scheduler(given: str | Scheduler) -> Scheduler:
    """Return a scheduler by its name; raise HardwareError for an unknown name."""
    if callable(given):
        return given
    if given in SCHEDULERS:
        return SCHEDULERS[given]
    from importlib.metadata import entry_points

    for point in entry_points(group="aidge_nb.schedulers", name=given):
        loaded: Scheduler = point.load()
        return loaded
    raise HardwareError.at(
        "scheduler",
        "unknown",
        expected=", ".join(sorted(SCHEDULERS)),
        found=repr(given),
        cure="Choose one of these, or pass a function that places the tasks of a mapping state.",
    )


@mapping_scheduler("earliest finish")
def earliest_finish(state: MappingState) -> None:
    """Place each task, in schedule order, where it ends first; use gaps."""
    _refuse_many(state)
    for task in state.tasks:
        state.place(task, _best(state, task, 0))


@mapping_scheduler("one by one")
def one_by_one(state: MappingState) -> None:
    """Place each task where it ends first, after the end of the task before."""
    _refuse_many(state)
    now = 0
    for task in state.tasks:
        now = state.place(task, _best(state, task, now), now).end


def _best(state: MappingState, task: Task, not_before: int) -> Option:
    """Play the most promising options of a task; return the one that ends first."""
    reasons, best = "", None
    tried = tiles = 0
    for option in sorted(_distinct(state, task), key=lambda each: _promise(state, each)):
        if tried == _TRIED or (best is not None and tiles + option.tiles > _TILES):
            break
        try:
            trial = state.try_out(task, option, not_before)
        except HardwareError as error:  # tiles of uneven sizes may not fit
            reasons = str(error)
            continue
        tried, tiles = tried + 1, tiles + option.tiles
        if best is None or trial.end < best.end:
            best = trial
    if best is None:
        raise HardwareError(reasons)
    return best.option


def _refuse_many(state: MappingState) -> None:
    """Refuse networks cut into too many tiles, before any tile is planned."""
    chosen = {
        task.name: min(state.options(task), key=lambda each: each.estimate) for task in state.tasks
    }
    total = sum(option.tiles for option in chosen.values())
    if total <= _MANY:
        return
    name, option = max(chosen.items(), key=lambda each: each[1].tiles)
    station = option.stations[0]
    raise HardwareError.at(
        f"{station.element.path}, memory {station.memory}",
        "is so small that the network is cut into too many tiles",
        expected=f"at most {_MANY}",
        found=f"{total}, {option.tiles} of them of {name}",
        cure=f"Give it more than {station.capacity} bytes, or leave the element out with "
        "constraints (use) where another one reaches a larger memory.",
    )


def _promise(state: MappingState, option: Option) -> float:
    """Estimate the end of an option, looking at busy elements only."""
    return max(map(state.free_at, option.elements)) + option.estimate


def _distinct(state: MappingState, task: Task) -> list[Option]:
    """Keep one of options that differ in the element only: the element that is free first."""
    found: dict[object, Option] = {}
    for option in sorted(state.options(task), key=lambda each: _promise(state, each)):
        kind = tuple(
            (replace(station.element, path=""), station.capacity, len(station.links))
            for station in option.stations
        )
        found.setdefault((kind, option.estimate), option)
    return list(found.values())
