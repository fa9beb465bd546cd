"""Read plans and mappings: what they say is computed from them, and from nothing else."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from aidge_nb.advice.findings import (
    BoundFinding,
    Finding,
    FitFinding,
    HeldBytes,
    LayoutFinding,
    MemoryFullFinding,
    PeakFinding,
    WaitFinding,
)
from aidge_nb.memory.values.plan import Buffer, MemoryPlan

if TYPE_CHECKING:
    from aidge_nb.hardware.mapping import Mapping

NEARLY = 0.9
"""Share of a memory from which on it counts as nearly full."""


def held_bytes(plan: MemoryPlan, tick: int) -> tuple[HeldBytes, ...]:
    """Return what holds bytes of the arena at a tick, the largest first.

    Bytes that several buffers share, because one is written over another, count once: for the one
    that was written last. The sizes add up to ``plan.live_bytes()[tick]``.

    Examples
    --------
    >>> from aidge_nb.memory import Buffer, MemoryPlan
    >>> over = Buffer("b", "b", 0, 40, 1, 2, 0, in_place_of=("a",))
    >>> plan = MemoryPlan(("a", "b"), (Buffer("a", "a", 0, 64, 0, 2, 0), over), 64, 64)
    >>> held_bytes(plan, 1)
    (HeldBytes(buffer='b', node='b', size=40), HeldBytes(buffer='a', node='a', size=24))
    """
    alive = [
        (buffer.lower, number, buffer)
        for number, buffer in enumerate(plan.buffers)
        if buffer.is_live(tick)
    ]
    taken: list[tuple[int, int]] = []
    found: list[HeldBytes] = []
    for _, _, buffer in sorted(alive, key=lambda each: each[:2], reverse=True):
        size, taken = _added(taken, buffer)
        if size:
            found.append(HeldBytes(buffer.name, buffer.node, size))
    return tuple(sorted(found, key=lambda each: -each.size))


def _added(taken: list[tuple[int, int]], buffer: Buffer) -> tuple[int, list[tuple[int, int]]]:
    """Count the bytes that a buffer adds to intervals, and return all of them, merged."""
    merged: list[tuple[int, int]] = []
    for start, stop in sorted([*taken, *buffer.intervals]):
        if merged and start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(merged[-1][1], stop))
        elif stop > start:
            merged.append((start, stop))
    return _total(merged) - _total(taken), merged


def _total(intervals: Iterable[tuple[int, int]]) -> int:
    return sum(stop - start for start, stop in intervals)


def plan_findings(plan: MemoryPlan, ram: tuple[str, int] | None = None) -> tuple[Finding, ...]:
    """Find what a memory plan says.

    Parameters
    ----------
    plan
        The plan.
    ram
        Name and size in bytes of a memory that it should fit into.

    Examples
    --------
    >>> from aidge_nb.memory import Buffer, MemoryPlan
    >>> two = (Buffer("a", "a", 0, 64, 0, 2, 0), Buffer("b", "b", 0, 32, 1, 2, 64))
    >>> peak, layout, fits = plan_findings(MemoryPlan(("a", "b"), two, 96, 96), ("ram", 64))
    >>> (peak.tick, peak.node, peak.holes), layout.gain, fits.excess
    ((1, 'b', 0), 0, 32)
    """
    found: list[Finding] = []
    if plan.peak and plan.order:
        tick = plan.peak_tick
        alive = held_bytes(plan, tick)
        searched = plan.options is None or plan.options.effort > 0
        live = sum(each.size for each in alive)
        found.append(PeakFinding(plan.peak, tick, plan.order[tick], alive))
        found.append(LayoutFinding(plan.peak, plan.lower_bound, tick, live, searched))
    if ram is not None:
        found.append(FitFinding(*ram, plan.peak))
    return tuple(found)


def mapping_findings(mapping: Mapping) -> tuple[Finding, ...]:
    """Find what bounds a mapping, where that waits, and which memory is nearly full.

    Examples
    --------
    >>> from aidge_nb.hardware import Mapping
    >>> mapping_findings(Mapping("mcu", (), 1.0, (), (), ()))
    ()
    """
    found: list[Finding] = []
    device, cycles = mapping.bottleneck, mapping.cycles
    own = sorted((s.start, s.end, s.work) for s in mapping.steps if device in s.devices)
    if own and cycles:
        busy = mapping.busy()[device]
        works = len({work for _, _, work in own})
        found.append(BoundFinding(device, busy, cycles, works, own[0][0]))
        last, gaps = own[0][0], []
        for start, stop, _ in own:
            if start > last:
                gaps.append((last, start))
            last = max(last, stop)
        waits = WaitFinding(device, cycles, own[0][0], cycles - last, tuple(gaps))
        found += [waits] if waits.waiting else []
    used = [(use.path, use.peak, use.capacity) for use in mapping.memories if use.peak]
    used.sort(key=lambda each: -each[1] / max(1, each[2]))
    if used and used[0][1] >= NEARLY * used[0][2]:
        path, peak, _ = used[0]
        tops = [p for p in mapping.placements if p.memory == path and p.offset + p.size == peak]
        cycle = min((top.start for top in tops), default=-1)
        found.append(MemoryFullFinding(*used[0], tuple(used[1:]), cycle))
    return tuple(found)
