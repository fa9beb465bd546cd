"""How a memory is divided while a task is computed: parameters, what is kept, places for tiles."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from aidge_nb.hardware.map.jobs import Job
from aidge_nb.hardware.map.machine import Station


@dataclass(frozen=True, slots=True)
class Room:
    """How a local memory is divided while a task is computed.

    Parameters come first, then what is kept from tile to tile, then ``slots`` places for a tile,
    each for what it reads, what it writes and what it needs in between.
    """

    parameters: int
    keep: int
    slot: int
    slots: int

    @property
    def size(self) -> int:
        """Bytes of all."""
        return self.parameters + self.keep + self.slots * self.slot


def room_of(station: Station, jobs: Sequence[Job]) -> Room:
    """Divide a local memory; two tiles lie there at a time where they fit."""
    moved = not station.is_home
    parameters = max(job.parameters for job in jobs) if station.parameter_links and moved else 0
    slot = max(job.work + (job.load + job.store) * moved for job in jobs)
    keep = max(job.keep for job in jobs)
    slots = 1
    if moved and len(jobs) > 1 and parameters + keep + 2 * slot <= station.capacity:
        slots = 2
    return Room(parameters, keep, slot, slots)


def home_bytes(name: str, station: Station, jobs: Sequence[Job]) -> dict[str, int]:
    """Name what a task needs in the memory of whole tensors besides these, with its bytes."""
    room, found = room_of(station, jobs), {}
    most = max(job.parameters for job in jobs)
    if station.is_home and station.parameter_links and most:
        found[f"{name} parameters"] = most
    if station.is_home and room.keep + room.slot:
        found[f"{name} work"] = room.keep + room.slot
    return found
