"""Deal the tiles of a layer to the elements that share it."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate

from aidge_nb.core.errors import HardwareError
from aidge_nb.hardware.map.jobs import TileJob
from aidge_nb.hardware.map.machine import Station, room_of
from aidge_nb.tiling import Tiling

SPLIT_OF_AXIS = {0: "batch", 1: "out_channel", 2: "tile_h", 3: "tile_w"}
"""Name of the split along each axis of the result."""

Dealt = tuple[tuple[TileJob, ...], ...]
"""The tiles of each station, in order."""


def deal(
    tiling: Tiling, jobs: Sequence[TileJob], stations: Sequence[Station], splits: Sequence[str]
) -> tuple[tuple[Station, ...], Dealt]:
    """Deal the tiles of a tiling to stations; stations without tiles are left out.

    Raises
    ------
    HardwareError
        When the split is not allowed, or a tile does not fit.
    """
    dealt = [list(jobs)] if len(stations) == 1 else _dealt(jobs, tiling, stations, splits)
    busy = [(station, mine) for station, mine in zip(stations, dealt, strict=True) if mine]
    for station, mine in busy:
        size = room_of(station, mine).size
        if size > station.capacity and not station.is_home:
            raise HardwareError.at(
                f"{station.element.path}, memory {station.memory}",
                "a tile does not fit",
                expected=f"at most {station.capacity} bytes",
                found=size,
                cure="Cut it into more tiles, or use a larger memory.",
            )
    return tuple(each for each, _ in busy), tuple(_in_order(mine, tiling) for _, mine in busy)


def _in_order(jobs: Sequence[TileJob], tiling: Tiling) -> tuple[TileJob, ...]:
    """Sort tiles by the parameters that they read."""
    if 1 not in tiling.axes:
        return tuple(jobs)
    at = tiling.axes.index(1)
    return tuple(sorted(jobs, key=lambda job: job.place[at]))


def _dealt(
    jobs: Sequence[TileJob], tiling: Tiling, stations: Sequence[Station], splits: Sequence[str]
) -> list[list[TileJob]]:
    """Deal neighbouring tiles along one axis to stations, in proportion to their speed."""
    if tiling.halo == "cache":
        cure = 'Plan it with halo="recompute", or use one element.'
        problem = "tiles that keep halos follow each other on one element"
        raise HardwareError.at("tiling", problem, cure=cure)
    cut = [at for at, count in enumerate(tiling.grid) if count > 1]
    allowed = [at for at in cut if SPLIT_OF_AXIS.get(tiling.axes[at]) in splits]
    if not allowed:
        wanted = ", ".join(SPLIT_OF_AXIS.get(tiling.axes[at], "") for at in cut)
        elements = ", ".join(station.element.path for station in stations)
        problem = f"{elements} may not share a layer by {wanted or 'one tile'}"
        cure = "Add a cooperation group to the target, or use one element."
        expected = " or ".join(splits) or "one element"
        raise HardwareError.at("tiling", problem, expected=expected, cure=cure)
    at = max(allowed, key=lambda each: tiling.grid[each])
    by_axis = tiling.grid[at] >= len(stations) or set(allowed) != set(cut)
    speeds = [station.element.macs_per_cycle * station.element.frequency for station in stations]
    dealt: list[list[TileJob]] = [[] for _ in stations]
    for job in jobs:
        share = job.place[at] / tiling.grid[at] if by_axis else job.number / len(jobs)
        dealt[_whose(share, speeds)].append(job)
    return dealt


def _whose(share: float, speeds: Sequence[float]) -> int:
    """Return the station of a place between 0 and 1, in proportion to speeds."""
    ends = accumulate(speeds)
    total = sum(speeds)
    return next(
        n for n, end in enumerate(ends) if share < end / total - 1e-9 or n == len(speeds) - 1
    )
