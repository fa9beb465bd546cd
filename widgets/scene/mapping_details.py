"""Tell of each work of a mapping what it waits for, where it computes, and what it moves."""

from __future__ import annotations

from typing import TYPE_CHECKING

from aidge_nb.widgets.scene.devices import PHASES, short_labels
from aidge_nb.widgets.text import count_text, range_text, size_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from aidge_nb.hardware.mapping import Mapping
    from aidge_nb.hardware.steps import MappingStep, Placed, Work
    from aidge_nb.widgets.scene.labels.names import Names

Key = tuple[str, int]
"""A tile: name of the work that it is of, and its number."""

Pairs = tuple[tuple[str, str], ...]

_LISTED = 4
"""Of a long list, this many are written; the others are counted."""


def macs_of(work: Work, steps: Iterable[MappingStep], tiles: int) -> int | None:
    """Return the multiply-accumulates of a work or of one of its tiles; None where it has none.

    Operations of tiles count what they compute: that is all that is known of them.
    """
    whole = sum(function.macs for function in work.functions)
    if not whole:
        return None
    if tiles == 1:
        return whole
    return sum(step.amount for step in steps if step.kind == "operation")


class MappingReader:
    """Reads from a mapping how its works depend on each other, and where their buffers lie.

    Parameters
    ----------
    mapping
        The mapping.
    names
        How the works are written.
    """

    def __init__(self, mapping: Mapping, names: Names) -> None:
        self._mapping, self._names = mapping, names
        self._works = {work.name: work for work in mapping.works}
        self._tiles: dict[str, set[int]] = {}
        self._writers: dict[str, list[MappingStep]] = {}
        self._readers: dict[str, list[MappingStep]] = {}
        self._before: dict[int, MappingStep] = {}
        self._ends: dict[str, int] = {}
        self._places: dict[str, Placed] = {each.buffer: each for each in mapping.placements}
        paths = [path for path, _ in mapping.capacities]
        ends = [path.rpartition("/")[2] or path for path in paths]
        unique = {path for path, end in zip(paths, ends, strict=True) if ends.count(end) == 1}
        self._memories = {
            path: end if path in unique else path for path, end in zip(paths, ends, strict=True)
        }
        last: dict[str, MappingStep] = {}
        for step in mapping.steps:
            self._tiles.setdefault(step.work, set()).add(step.tile)
            for name in step.writes:
                self._writers.setdefault(name, []).append(step)
            for name in step.reads:
                self._readers.setdefault(name, []).append(step)
            if step.kind == "operation":
                self._ends[step.work] = max(step.end, self._ends.get(step.work, 0))
                for device in step.devices:
                    if device in last:
                        self._before[id(step)] = last[device]
                    last[device] = step

    # --- details ----------------------------------------------------------------------------

    def details(self, key: Key, steps: Sequence[MappingStep]) -> Pairs:
        """Return label and text of all that is to be said of a work, or of one of its tiles."""
        own = sorted((s for s in steps if s.kind == "operation"), key=lambda s: s.start)
        if not own:
            return tuple((step.name, self._moved(step)) for step in steps[:_LISTED])
        takes = sum(step.end - step.start for step in own)
        first, last = own[0], max(own, key=lambda step: step.end)
        share = 100 * takes / max(1, self._mapping.cycles)
        devices = dict.fromkeys(device for step in own for device in step.devices)
        found = [
            ("computes", self._functions(key)),
            ("runs on", _listed(list(devices))),
            ("cycles", range_text(first.start, last.end)),
            ("takes", f"{takes:,} ({share:.1f} % of all)"),
            *self._macs(key, own, takes),
            ("waits for", self._waits(first)),
            ("could start", self._could_start(first)),
            *self._values("input", first.reads),
            *self._values("result", last.writes),
            ("parameters", self._parameters(steps, first)),
            ("then", self._then(last)),
        ]
        return tuple((label, text) for label, text in found if text)

    def _macs(self, key: Key, own: Sequence[MappingStep], takes: int) -> list[tuple[str, str]]:
        work = self._works.get(key[0])
        macs = None if work is None else macs_of(work, own, len(self._tiles[key[0]]))
        if not macs:
            return []
        return [("MACs", f"{macs:,}"), ("per cycle", f"{macs / max(1, takes):.3g} MACs")]

    def _functions(self, key: Key) -> str:
        """Write the types of what is computed together; nothing where that is one."""
        work = self._works.get(key[0])
        types = [] if work is None else [function.operator for function in work.functions]
        return ", then ".join(types[:_LISTED]) if len(types) > 1 else ""

    def _path(self, work: str) -> str:
        return self._names.path(work).replace(" · ", "\N{NO-BREAK SPACE}·\N{NO-BREAK SPACE}")

    def _waits(self, first: MappingStep) -> str:
        work = self._works.get(first.work)
        names = () if work is None else work.after
        texts = [f"{self._path(name)} ({self._ends.get(name, 0):,})" for name in names]
        before = self._before.get(id(first))
        if before is not None and before.end == first.start and before.work not in names:
            other = self._path(before.work)
            texts.append(f"{other}, on the same element" if texts else f"{other}, which was there")
        return _listed(texts)

    def _loads(self, first: MappingStep) -> list[MappingStep]:
        """List what wrote the inputs of a step before it began."""
        return [
            step
            for name in first.reads
            for step in self._writers.get(name, ())
            if step.end <= first.start
        ]

    def _could_start(self, first: MappingStep) -> str:
        ready = max((step.end for step in self._loads(first)), default=0)
        if ready >= first.start:
            return f"{ready:,}: no sooner"
        return f"{ready:,}: its data are there"

    def _values(self, label: str, names: Sequence[str]) -> list[tuple[str, str]]:
        places = [self._places[name] for name in names if name in self._places]
        own = [each for each in places if not self._holds_parameters(each)]
        found = [(label, self._place(each)) for each in own[:_LISTED]]
        return [*found, (label, f"and {len(own) - _LISTED} more")] if len(own) > _LISTED else found

    def _place(self, each: Placed) -> str:
        memory = self._memories.get(each.memory, each.memory)
        span = range_text(each.offset, each.offset + each.size)
        return f"{size_text(each.size)} in {memory}, bytes {span}"

    def _holds_parameters(self, each: Placed) -> bool:
        if each.buffer in self._mapping.given:
            return not each.holds
        return any(
            step.name.startswith("parameters") for step in self._writers.get(each.buffer, ())
        )

    def _parameters(self, steps: Sequence[MappingStep], first: MappingStep) -> str:
        moved = [step for step in steps if step.name.startswith("parameters")]
        if moved:
            size = sum(step.amount for step in moved)
            return f"{size_text(size)}, moved at {min(step.start for step in moved):,}"
        kept = [self._places[name] for name in first.reads if name in self._places]
        size = sum(each.size for each in kept if self._holds_parameters(each))
        return f"{size_text(size)}, where they are" if size else ""

    def _stores(self, last: MappingStep) -> list[MappingStep]:
        """List what moves the results of a step away."""
        return [
            step
            for name in last.writes
            for step in self._readers.get(name, ())
            if step.kind == "transfer" and step.name.startswith("store") and step.start >= last.end
        ]

    def _then(self, last: MappingStep) -> str:
        stores = self._stores(last)
        if not stores:
            return ""
        targets = [
            self._places[name]
            for step in stores
            for name in step.writes[:1]
            if name in self._places
        ]
        where = {self._memories.get(each.memory, each.memory): None for each in targets}
        cycles = sum(step.end - step.start for step in stores)
        return f"store to {_listed(list(where))}, {cycles:,} cycles" if where else ""

    def _moved(self, step: MappingStep) -> str:
        """Say when a transfer of no work in particular runs, and where."""
        links = ", ".join(short_labels(step.devices))
        return f"{size_text(step.amount)} over {links}, cycles {range_text(step.start, step.end)}"

    # --- phases -----------------------------------------------------------------------------

    def phases(self, steps: Sequence[MappingStep]) -> list[tuple[int, int, int]]:
        """Return kind, start and length of each phase, from loading to storing."""
        own = sorted((s for s in steps if s.kind == "operation"), key=lambda s: s.start)
        if not own:
            return []
        first, last = own[0], max(own, key=lambda step: step.end)
        before = self._loads(first)
        loads = [step for step in before if step.name.startswith("load")]
        spans = [("compute", first.start, last.end)]
        ready = max((step.end for step in before), default=0)
        if loads:
            start, ready = min(step.start for step in loads), max(s.end for s in loads)
            spans.append(("load", start, ready))
        spans.append(("wait", ready, first.start))
        stores = self._stores(last)
        if stores:
            start = min(step.start for step in stores)
            spans += [("wait", last.end, start), ("store", start, max(s.end for s in stores))]
        spans.sort(key=lambda span: span[1:])
        return [(PHASES.index(kind), at, end - at) for kind, at, end in spans if end > at]


def _listed(texts: Sequence[str]) -> str:
    shown = ", ".join(texts[:_LISTED])
    return f"{shown} and {len(texts) - _LISTED} more" if len(texts) > _LISTED else shown


def seconds_text(seconds: float) -> str:
    """Write a time with three figures.

    Examples
    --------
    >>> seconds_text(85.49e-6), seconds_text(0.0123), seconds_text(0.0)
    ('85.5 µs', '12.3 ms', '0 s')
    """
    for unit, name in ((1.0, "s"), (1e-3, "ms"), (1e-6, "µs"), (1e-9, "ns")):
        if seconds >= unit:
            return f"{seconds / unit:.3g} {name}" if seconds < 1000 else f"{seconds:,.0f} {name}"
    return "0 s" if not seconds else f"{seconds:.1e} s"


def clock_text(hertz: float) -> str:
    """Write a frequency with three figures.

    Examples
    --------
    >>> clock_text(4e8), clock_text(32_768)
    ('400 MHz', '32.8 kHz')
    """
    text = count_text(round(hertz))
    return f"{text}Hz" if " " in text else f"{text} Hz"
