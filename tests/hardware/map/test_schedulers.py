"""Who decides what is computed where: schedulers of one's own, and of installed packages."""

from __future__ import annotations

import importlib.metadata
from typing import Any

import pytest

from aidge_nb import hardware
from aidge_nb.core.errors import HardwareError
from aidge_nb.hardware import check_mapping, map_schedule, read_target
from tests.hardware.graphs import TWO_CORES, two_branches


def test_plug_in_schedulers_decide() -> None:
    view, target = two_branches(), read_target(TWO_CORES)

    def backwards(state: hardware.MappingState) -> None:
        while waiting := state.waiting():
            task = waiting[-1]
            state.place(task, state.options(task)[-1])

    found = map_schedule(view, target, scheduler=backwards)
    check_mapping(found, target, None, view)
    assert {work.elements for work in found.works} == {("core/1/pe",)}
    starts = {step.work: step.start for step in found.steps}
    assert starts["right"] < starts["left"]

    @hardware.mapping_scheduler("backwards")
    def registered(state: hardware.MappingState) -> None:
        backwards(state)

    try:
        assert map_schedule(view, target, scheduler="backwards") == found
        with pytest.raises(HardwareError, match="is registered already"):
            hardware.mapping_scheduler("backwards")(backwards)
    finally:
        del hardware.SCHEDULERS["backwards"]


def test_installed_packages_bring_schedulers(monkeypatch: pytest.MonkeyPatch) -> None:
    class Point:
        def load(self) -> Any:
            return hardware.SCHEDULERS["one by one"]

    def entry_points(*, group: str, name: str) -> list[Point]:
        return [Point()] if (group, name) == ("aidge_nb.schedulers", "theirs") else []

    monkeypatch.setattr(importlib.metadata, "entry_points", entry_points)
    view, target = two_branches(), read_target(TWO_CORES)
    theirs = map_schedule(view, target, scheduler="theirs")
    assert theirs == map_schedule(view, target, scheduler="one by one")
    with pytest.raises(HardwareError, match=r"scheduler: unknown .*earliest finish.*'ours'"):
        map_schedule(view, target, scheduler="ours")


def test_schedulers_that_break_the_rules_are_stopped() -> None:
    view, target = two_branches(), read_target(TWO_CORES)

    def lazy(state: hardware.MappingState) -> None:
        state.place(state.tasks[0], state.options(state.tasks[0])[0])

    def hasty(state: hardware.MappingState) -> None:
        state.place(state.tasks[1], state.options(state.tasks[1])[0])

    def twice(state: hardware.MappingState) -> None:
        lazy(state)
        lazy(state)

    for scheduler, message in (
        (lazy, "did not place all tasks .found left, right, join"),
        (hasty, "left: cannot be placed before its predecessors .found first"),
        (twice, "first: was placed already"),
    ):
        with pytest.raises(HardwareError, match=message):
            map_schedule(view, target, scheduler=scheduler)
