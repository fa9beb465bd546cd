"""Local memories that are very small: mapped, or refused before any tile is planned."""

from __future__ import annotations

from typing import Any

import pytest

import aidge_nb
from aidge_nb import hardware, zoo
from aidge_nb.core.errors import HardwareError
from aidge_nb.hardware import Constraints, map_schedule
from aidge_nb.hardware.map import play as playing
from aidge_nb.hardware.map import schedulers, state


def with_local(size: int, use: tuple[str, ...] = ()) -> Constraints:
    """Limit the memories of the four elements of the cluster."""
    return Constraints(
        "quad_cluster", memory={f"cluster/{number}/l1": size for number in range(4)}, use=use
    )


def mobilenet() -> aidge_nb.GraphView:
    view = zoo.load("mobilenet_v2")
    assert view.forward_dims([[1, 3, 96, 96]], allow_data_dependency=True)
    return view


def no_play(*_: Any) -> Any:
    raise AssertionError("a task was played through")


CLUSTER = tuple(f"cluster/{number}" for number in range(4))


@pytest.mark.parametrize("scheduler", ["earliest finish", "one by one"])
def test_too_many_tiles_are_refused_before_any_is_planned(
    monkeypatch: pytest.MonkeyPatch, scheduler: str
) -> None:
    monkeypatch.setattr(state, "play", no_play)
    message = r"l1: is so small .* tiles \(expected at most 30000, found \d+, \d+ of them .*"
    with pytest.raises(HardwareError, match=message + r"more than 2048 bytes, or leave"):
        map_schedule(
            mobilenet(), hardware.target("quad_cluster"), with_local(2048), scheduler=scheduler
        )


def test_what_fits_nowhere_is_refused_before_anything_is_placed(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(state, "play", no_play)
    with pytest.raises(HardwareError, match=r"no element can compute it .*at least \d+ bytes"):
        map_schedule(mobilenet(), hardware.target("quad_cluster"), with_local(64, CLUSTER))


def test_a_way_with_many_tiles_is_tried_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    played: dict[str, int] = {}
    play = playing.play

    def counted(on: Any, task: Any, option: Any, not_before: int = 0) -> Any:
        played[task.name] = played.get(task.name, 0) + 1
        return play(on, task, option, not_before)

    monkeypatch.setattr(state, "play", counted)
    view = aidge_nb.sequential([aidge_nb.PaddedConv2D(8, 16, [3, 3], "conv", None, [1] * 4)])
    view.forward_dims([[1, 8, 32, 32]])
    target = hardware.target("quad_cluster")
    several = map_schedule(view, target, with_local(2048))
    assert played.pop("conv") > 1  # the way that was chosen is not played again
    monkeypatch.setattr(schedulers, "_TILES", 1)
    alone = map_schedule(view, target, with_local(2048))
    assert played == {"conv": 1}
    assert several.cycles <= alone.cycles
