"""Find loops while a graph is scheduled, and skip their repetitions.

The *trace* is the schedule so far: rounds, and loops of rounds. Each time the algorithm returns to
a discrete state (see :mod:`aidge_nb.scheduling.solve.drift`), the stretch since an earlier visit is
compared with the trace before it. The stretch becomes a loop if further copies of it are certain,
if it occurs twice, or if it follows a loop with this body; the counters then advance by all copies.
Loops are entries of the trace, so that loops of loops are found in the same way.

Stretches are compared by a rolling hash first (Karp and Rabin 1987), then entry by entry. The
search spends a credit that every firing adds to, which bounds its cost by a constant factor.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from aidge_nb.scheduling.model.compiled import Transfer
from aidge_nb.scheduling.schedule.nest import Repeat
from aidge_nb.scheduling.solve.dataflow import Dataflow
from aidge_nb.scheduling.solve.drift import Copies, Drift, Watch, copies_to_come, drift_of_round

Key = tuple[Any, ...]
"""Discrete state: consumers, still-consumers, changes of units; then the phases of models."""
Batches = tuple[tuple[int, ...], ...]
Nest = tuple[tuple[int, ...] | Repeat[tuple[int, ...]], ...]

_PRIME = (1 << 61) - 1
_BASE = 1_000_003
_CANDIDATES = 64
"""Number of earlier visits of a state that are tried, the last ones first."""
_FEW = 4
"""The same without credit."""
_PATIENCE = 20_000
"""Number of firings after which phases of models that never repeat are ignored."""


@dataclass(slots=True)
class _TraceRound:
    """A round of the trace; ``key`` is the discrete state before it."""

    key: Key
    batches: Batches
    transfers: list[tuple[int, Transfer]]
    drift: Drift | None = None


@dataclass(slots=True)
class _TraceLoop:
    """A loop of entries of the trace; ``key`` is the discrete state before the first one."""

    key: Key
    count: int
    body: tuple[int, ...]
    body_hash: int
    drift: Drift | None = None


_Folded = tuple[tuple[int, ...], Copies]
"""Body of a loop that was made or lengthened, and the copies that were skipped."""


class LoopFinder:
    """Record the schedule, and fold it."""

    def __init__(self, flow: Dataflow) -> None:
        self.n_firings = 0
        self._flow = flow
        self._kinds: list[_TraceRound | _TraceLoop] = []
        self._number: dict[object, int] = {}
        self._trace: list[int] = []
        self._hashes = [0]
        self._powers = [1]
        self._states: dict[Key, int] = {}
        self._keys: list[Key] = []
        self._state_at: list[int] = []
        self._visits: dict[int, list[int]] = {}
        # Rounds are entered into the trace when a state returns; without loops, never.
        self._fresh: list[tuple[Batches, list[tuple[int, Transfer]]]] = []
        self._credit = 1000
        self._watch: Watch | None = None  # used when the search for loops has cost too much
        self._loose_watch: Watch | None = None  # used when patience has run out

    def arrive(self, key: Key) -> Key | None:
        """Record the discrete state before a round, or fold the end of the trace.

        Returns
        -------
        tuple, optional
            After folding, the discrete state reached; call again with it. None otherwise.
        """
        if key in self._states:
            for batches, transfers in self._fresh:
                self._enter(self._state_at[len(self._trace)], batches, transfers)
            self._fresh.clear()
            folded = self._fold(self._states[key])
            if folded is not None:
                return self._go_on(key, *folded)
        if self._watch is not None:
            self._watch.check(key)
        elif self._credit < 0:
            self._watch = Watch(self._flow)
        if self.n_firings > _PATIENCE:
            self._check_loosely(key)
        self._state_at.append(self._state_of(key))
        return None

    def append(self, batches: Batches, transfers: list[tuple[int, Transfer]]) -> None:
        """Record a round."""
        self.n_firings += len(transfers)
        self._credit += 4 + len(transfers)
        for watch in (self._watch, self._loose_watch):
            if watch is not None:
                watch.append(transfers)
        self._fresh.append((batches, transfers))

    def _check_loosely(self, key: Key) -> None:
        """Compare states without the phases of models that never repeat one.

        Such a model counts something. When it takes and gives the same amounts as before to no
        effect, after so many firings, it is assumed to do so forever.
        """
        if self._loose_watch is None:
            self._loose_watch = Watch(self._flow)
        flow = self._flow
        fixed = len(key) - len(flow.varying)
        phases = [
            phase
            for number, phase in zip(flow.varying, key[fixed:], strict=True)
            if not flow.models[number].never_repeats
        ]
        self._loose_watch.check((*key[:fixed], *phases))

    def nest(self) -> Nest:
        """Return everything recorded."""
        known: dict[int, Nest] = {}
        fresh = [batch for batches, _ in self._fresh for batch in batches]
        return (*self._unfold(self._trace, known), *fresh)

    def _unfold(self, trace: list[int] | tuple[int, ...], known: dict[int, Nest]) -> Iterator:  # type: ignore[type-arg]  # of batches and loops
        for number in trace:
            entry = self._kinds[number]
            if isinstance(entry, _TraceRound):
                yield from entry.batches
                continue
            if number not in known:
                known[number] = (Repeat(entry.count, tuple(self._unfold(entry.body, known))),)
            yield from known[number]

    # --- the trace --------------------------------------------------------------------------

    def _intern(self, key: object, entry: _TraceRound | _TraceLoop) -> int:
        number = self._number.get(key)
        if number is None:
            number = self._number[key] = len(self._kinds)
            self._kinds.append(entry)
        return number

    def _state_of(self, key: Key) -> int:
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = len(self._keys)
            self._keys.append(key)
        return state

    def _enter(self, state: int, batches: Batches, transfers: list[tuple[int, Transfer]]) -> None:
        self._visits.setdefault(state, []).append(len(self._trace))
        entry = _TraceRound(self._keys[state], batches, transfers)
        self._trace.append(self._intern((state, batches), entry))

    def _hash(self, start: int, stop: int) -> int:
        powers, hashes = self._powers, self._hashes
        while len(powers) <= stop - start:
            powers.append(powers[-1] * _BASE % _PRIME)
        for number in self._trace[len(hashes) - 1 : stop]:
            hashes.append((hashes[-1] * _BASE + number + 1) % _PRIME)
        return (hashes[stop] - hashes[start] * powers[stop - start]) % _PRIME

    def _cut(self, length: int) -> None:
        """Shorten the trace, and forget the visits of states between removed entries."""
        del self._trace[length:], self._hashes[length + 1 :]
        for state in reversed(self._state_at[length + 1 :]):
            self._visits[state].pop()
        del self._state_at[length + 1 :]

    # --- folding ----------------------------------------------------------------------------

    def _fold(self, state: int) -> _Folded | None:
        """Fold the end of the trace, if possible."""
        stop = len(self._trace)
        visits = self._visits.get(state, [])
        limit = _CANDIDATES if self._credit > 0 else _FEW
        for middle in reversed(visits[-limit:]):
            self._credit -= 1
            length = stop - middle
            if not length:
                continue
            value = self._hash(middle, stop)
            if middle and self._continues(self._trace[middle - 1], value, middle, stop):
                return self._lengthen(middle, stop)
            if self._credit < 0:
                continue
            start = middle - length
            found = None
            if start >= 0 and self._hash(start, middle) == value:
                if self._trace[start:middle] == self._trace[middle:stop]:
                    found = self._begin(start, middle, 2)
            elif middle == visits[-1]:
                found = self._begin(middle, stop, 1)
            if found is not None:
                return found
        return None

    def _continues(self, number: int, value: int, middle: int, stop: int) -> bool:
        """Tell whether a stretch is one more copy of the loop before it."""
        entry = self._kinds[number]
        return (
            isinstance(entry, _TraceLoop)
            and entry.body_hash == value
            and list(entry.body) == self._trace[middle:stop]
        )

    def _lengthen(self, middle: int, stop: int) -> _Folded:
        """Add a copy to the loop before it, and all further copies that are certain."""
        loop = self._kinds[self._trace[middle - 1]]
        assert isinstance(loop, _TraceLoop)  # noqa: S101  # for the type checker
        more = self._skip_copies(loop.body) if self._credit > 0 else Copies(0)
        self._replace(middle - 1, loop.body, loop.count + 1 + more.number)
        return loop.body, more

    def _begin(self, start: int, stop: int, copies: int) -> _Folded | None:
        """Make a loop of the present copies and all certain ones; None if none is certain.

        ``start`` and ``stop`` delimit the first copy.
        """
        body = tuple(self._trace[start:stop])
        more = self._skip_copies(body)
        if not more.number:
            return None
        self._replace(start, body, copies + more.number)
        return body, more

    def _skip_copies(self, body: tuple[int, ...]) -> Copies:
        drift = self._drift_of(body)
        more = copies_to_come(self._flow, drift)
        if more.number:
            self._flow.skip(
                (number, transfer, n * more.number)
                for (number, transfer), n in drift.transfers.items()
            )
        return more

    def _go_on(self, key: Key, body: tuple[int, ...], copies: Copies) -> Key:
        """Enter the rounds of one more copy that are certain: those before phases change."""
        models = self._flow.models
        phases = tuple([models[number].phase for number in self._flow.varying])
        for number in body if copies.end_by_count else ():
            entry = self._kinds[number]
            key = (*entry.key[: len(entry.key) - len(phases)], *phases)
            if isinstance(entry, _TraceLoop) or any(
                models[actor].varies for actor, _ in entry.transfers
            ):
                break
            self._flow.skip((actor, transfer, 1) for actor, transfer in entry.transfers)
            self._state_at.append(self._state_of(key))
            self._enter(self._state_at[-1], entry.batches, entry.transfers)
        return key

    def _replace(self, start: int, body: tuple[int, ...], count: int) -> None:
        self._cut(start)
        loop = _TraceLoop(self._kinds[body[0]].key, count, body, self._hash_of(body))
        self._trace.append(self._intern((count, body), loop))

    def _hash_of(self, body: tuple[int, ...]) -> int:
        value = 0
        for number in body:
            value = (value * _BASE + number + 1) % _PRIME
        return value

    def _drift_of(self, numbers: tuple[int, ...]) -> Drift:
        found = Drift()
        for number in numbers:
            entry = self._kinds[number]
            if entry.drift is None:
                if isinstance(entry, _TraceRound):
                    varying = self._flow.varying
                    phases = zip(varying, entry.key[len(entry.key) - len(varying) :], strict=True)
                    entry.drift = drift_of_round(self._flow, entry.transfers, phases)
                else:
                    entry.drift = self._drift_of(entry.body).times(entry.count)
            self._credit -= len(entry.drift.ranges)
            found.append(entry.drift)
        return found
