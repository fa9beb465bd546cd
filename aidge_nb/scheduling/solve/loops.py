"""Finding loops while a graph is scheduled.

The *trace* is what was scheduled so far: rounds, and loops of them. Each time the algorithm is
back in a discrete state (see :mod:`aidge_nb.scheduling.solve.drift`) the end of the trace is
compared with what stands before it. If further copies of the stretch since the last visit are
certain, or it stands there twice or behind a loop of it, all copies become one loop, and the
counters move on. As loops are entries of the trace like any other, loops of loops are found in the
same way.

Stretches are compared by a rolling hash first (Karp and Rabin 1987), then entry by entry. Looking
for loops spends a credit that every firing adds to, so that a schedule without loops takes no
more than a constant factor longer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from aidge_nb.scheduling.model.compiled import Move
from aidge_nb.scheduling.schedule.nest import Repeat
from aidge_nb.scheduling.solve.dataflow import Dataflow
from aidge_nb.scheduling.solve.drift import Copies, Drift, copies_to_come, drift_of_round
from aidge_nb.scheduling.solve.endless import Watch

Key = tuple[Any, ...]
"""Discrete state: consumers, still-consumers, changes of units; then the phases of models."""
Batches = tuple[tuple[int, ...], ...]
Nest = tuple[tuple[int, ...] | Repeat[tuple[int, ...]], ...]

_PRIME = (1 << 61) - 1
_BASE = 1_000_003
_CANDIDATES = 64
"""So many earlier visits of a state are looked at, the last ones first."""
_FEW = 4
"""So many when there is no credit left."""
_PATIENCE = 20_000
"""After so many firings, models that never came back to a state are judged by what they do."""


@dataclass(slots=True)
class _Round:
    """A round; ``key`` is the discrete state before it."""

    key: Key
    batches: Batches
    moves: list[tuple[int, Move]]
    drift: Drift | None = None


@dataclass(slots=True)
class _Loop:
    """A loop of entries of the trace; ``key`` is the discrete state before the first one."""

    key: Key
    count: int
    body: tuple[int, ...]
    body_hash: int
    drift: Drift | None = None


_Folded = tuple[tuple[int, ...], Copies]
"""Body of a loop that was made or lengthened, and the copies that were not gone through."""


class LoopFinder:
    """Records what is scheduled, and folds it.

    Parameters
    ----------
    flow
        The graph and its state, which is moved on when a loop is found.
    """

    def __init__(self, flow: Dataflow) -> None:
        self.n_firings = 0
        self._flow = flow
        self._kinds: list[_Round | _Loop] = []
        self._number: dict[object, int] = {}
        self._trace: list[int] = []
        self._hashes = [0]
        self._powers = [1]
        self._states: dict[Key, int] = {}
        self._keys: list[Key] = []
        self._state_at: list[int] = []
        self._visits: dict[int, list[int]] = {}
        # Rounds are entered into the trace when a state comes back; without loops, never.
        self._fresh: list[tuple[Batches, list[tuple[int, Move]]]] = []
        self._credit = 1000
        self._watch: Watch | None = None  # from when the search for loops has cost too much
        self._loose_watch: Watch | None = None  # from when patience has run out

    def arrive(self, key: Key) -> Key | None:
        """Note the discrete state before a round; fold instead if the trace ends in repetitions.

        Returns
        -------
        tuple, optional
            If something was folded, the state that it led to, which is to be noted anew.

        Raises
        ------
        SchedulingError
            When there is no end to it.
        """
        if key in self._states:
            self._enter_rounds()
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

    def append(self, batches: Batches, moves: list[tuple[int, Move]]) -> None:
        """Record a round."""
        self.n_firings += len(moves)
        self._credit += 4 + len(moves)
        for watch in (self._watch, self._loose_watch):
            if watch is not None:
                watch.append(moves)
        self._fresh.append((batches, moves))

    def _check_loosely(self, key: Key) -> None:
        """Compare states as if models that never come back to one had none.

        Such a model counts something. If it ran so often, and takes and gives the same amounts as
        before to no effect, it is taken to do so for ever.
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
        """Give everything recorded."""
        known: dict[int, Nest] = {}
        fresh = [batch for batches, _ in self._fresh for batch in batches]
        return (*self._unfold(self._trace, known), *fresh)

    def _unfold(self, trace: list[int] | tuple[int, ...], known: dict[int, Nest]) -> Iterator:  # type: ignore[type-arg]  # of batches and loops
        for number in trace:
            entry = self._kinds[number]
            if isinstance(entry, _Round):
                yield from entry.batches
                continue
            if number not in known:
                known[number] = (Repeat(entry.count, tuple(self._unfold(entry.body, known))),)
            yield from known[number]

    # --- the trace --------------------------------------------------------------------------

    def _intern(self, key: object, entry: _Round | _Loop) -> int:
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

    def _enter_rounds(self) -> None:
        """Put what was recorded lately into the trace."""
        for batches, moves in self._fresh:
            self._enter(self._state_at[len(self._trace)], batches, moves)
        self._fresh.clear()

    def _enter(self, state: int, batches: Batches, moves: list[tuple[int, Move]]) -> None:
        self._visits.setdefault(state, []).append(len(self._trace))
        entry = _Round(self._keys[state], batches, moves)
        self._trace.append(self._intern((state, batches), entry))

    def _hash(self, start: int, stop: int) -> int:
        powers, hashes = self._powers, self._hashes
        while len(powers) <= stop - start:
            powers.append(powers[-1] * _BASE % _PRIME)
        for number in self._trace[len(hashes) - 1 : stop]:
            hashes.append((hashes[-1] * _BASE + number + 1) % _PRIME)
        return (hashes[stop] - hashes[start] * powers[stop - start]) % _PRIME

    def _cut(self, length: int) -> None:
        """Shorten the trace; states between its entries are as if they had not been visited."""
        del self._trace[length:], self._hashes[length + 1 :]
        for state in reversed(self._state_at[length + 1 :]):
            self._visits[state].pop()
        del self._state_at[length + 1 :]

    # --- folding ----------------------------------------------------------------------------

    def _fold(self, state: int) -> _Folded | None:
        """Fold the end of the trace, if that can be done."""
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
        """Whether a stretch is one more copy of the loop before it."""
        entry = self._kinds[number]
        return (
            isinstance(entry, _Loop)
            and entry.body_hash == value
            and list(entry.body) == self._trace[middle:stop]
        )

    def _lengthen(self, middle: int, stop: int) -> _Folded:
        """Count one copy more in the loop before it, and all further ones that are certain."""
        loop = self._kinds[self._trace[middle - 1]]
        assert isinstance(loop, _Loop)  # noqa: S101  # for the type checker
        more = self._skip_copies(loop.body) if self._credit > 0 else Copies(0)
        self._replace(middle - 1, loop.body, loop.count + 1 + more.number)
        return loop.body, more

    def _begin(self, start: int, stop: int, copies: int) -> _Folded | None:
        """Make a loop of the copies there are and all that are certain to come, if there are any.

        ``start`` and ``stop`` are those of the first copy.
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
                (number, move, n * more.number) for (number, move), n in drift.moves.items()
            )
        return more

    def _go_on(self, key: Key, body: tuple[int, ...], copies: Copies) -> Key:
        """Enter the rounds of one copy more that are certain: those before phases change."""
        models = self._flow.models
        phases = tuple([models[number].phase for number in self._flow.varying])
        for number in body if copies.end_by_count else ():
            entry = self._kinds[number]
            key = (*entry.key[: len(entry.key) - len(phases)], *phases)
            if isinstance(entry, _Loop) or any(models[actor].varies for actor, _ in entry.moves):
                break
            self._flow.skip((actor, move, 1) for actor, move in entry.moves)
            self._state_at.append(self._state_of(key))
            self._enter(self._state_at[-1], entry.batches, entry.moves)
        return key

    def _replace(self, start: int, body: tuple[int, ...], count: int) -> None:
        self._cut(start)
        loop = _Loop(self._kinds[body[0]].key, count, body, self._hash_of(body))
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
                if isinstance(entry, _Round):
                    varying = self._flow.varying
                    phases = zip(varying, entry.key[len(entry.key) - len(varying) :], strict=True)
                    entry.drift = drift_of_round(self._flow, entry.moves, phases)
                else:
                    entry.drift = self._drift_of(entry.body).times(entry.count)
            self._credit -= len(entry.drift.ranges)
            found.append(entry.drift)
        return found
