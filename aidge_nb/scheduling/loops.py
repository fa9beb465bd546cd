"""Finding loops while a graph is scheduled.

The *trace* is what was scheduled so far: rounds, and loops of them. Each time the algorithm is
back in a discrete state (see :mod:`aidge_nb.scheduling.drift`) the end of the trace is compared
with what stands before it. If further copies of the stretch since the last visit are certain, or
it stands there twice or behind a loop of it, all copies become one loop, and the counters move on.
As loops are entries of the trace like any other, loops of loops are found in the same way.

Stretches are compared by a rolling hash first (Karp and Rabin 1987), then entry by entry. Looking
for loops spends a credit that every firing adds to, so that a schedule without loops takes no
more than a constant factor longer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from aidge_nb.scheduling.compiled import Move
from aidge_nb.scheduling.dataflow import Dataflow
from aidge_nb.scheduling.drift import Drift, copies_to_come, drift_of_round
from aidge_nb.scheduling.nest import Repeat

__all__ = ["LoopFinder"]

Batches = tuple[tuple[int, ...], ...]
Nest = tuple[tuple[int, ...] | Repeat[tuple[int, ...]], ...]

_PRIME = (1 << 61) - 1
_BASE = 1_000_003
_CANDIDATES = 64
"""So many earlier visits of a state are looked at, the last ones first."""
_FEW = 4
"""So many when there is no credit left."""


@dataclass(slots=True)
class _Round:
    batches: Batches
    moves: list[tuple[int, Move]]
    phases: tuple[object, ...]
    drift: Drift | None = None


@dataclass(slots=True)
class _Loop:
    count: int
    body: tuple[int, ...]
    body_hash: int
    drift: Drift | None = None


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
        self._states: dict[tuple[object, ...], int] = {}
        self._keys: list[tuple[object, ...]] = []
        self._state_at: list[int] = []
        self._visits: dict[int, list[int]] = {}
        # Rounds are entered into the trace when a state comes back; without loops, never.
        self._fresh: list[tuple[Batches, list[tuple[int, Move]]]] = []
        self._credit = 1000

    def arrive(self, key: tuple[object, ...]) -> bool:
        """Note the discrete state before a round; fold instead if the trace ends in repetitions.

        Returns
        -------
        bool
            Whether something was folded: the state may be another now, and is to be noted anew.
        """
        state = self._states.get(key)
        if state is None:
            state = self._states[key] = len(self._keys)
            self._keys.append(key)
        else:
            self._enter_rounds()
            if self._visits.get(state) and self._fold(state):
                return True
        self._state_at.append(state)
        return False

    def append(self, batches: Batches, moves: list[tuple[int, Move]]) -> None:
        """Record a round."""
        self.n_firings += len(moves)
        self._credit += 4 + len(moves)
        self._fresh.append((batches, moves))

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

    def _enter_rounds(self) -> None:
        """Put what was recorded lately into the trace."""
        for batches, moves in self._fresh:
            state = self._state_at[len(self._trace)]
            key = self._keys[state]
            phases = key[len(key) - len(self._flow.varying) :]
            self._visits.setdefault(state, []).append(len(self._trace))
            self._trace.append(self._intern((state, batches), _Round(batches, moves, phases)))
        self._fresh.clear()

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

    def _fold(self, state: int) -> bool:
        """Fold the end of the trace, if that can be done."""
        stop = len(self._trace)
        visits = self._visits[state]
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
            if start >= 0 and self._hash(start, middle) == value:
                body = self._trace[middle:stop]
                if self._trace[start:middle] == body and self._begin(start, middle, 2):
                    return True
            elif middle == visits[-1] and self._begin(middle, stop, 1):
                return True
        return False

    def _continues(self, number: int, value: int, middle: int, stop: int) -> bool:
        """Whether a stretch is one more copy of the loop before it."""
        entry = self._kinds[number]
        return (
            isinstance(entry, _Loop)
            and entry.body_hash == value
            and list(entry.body) == self._trace[middle:stop]
        )

    def _lengthen(self, middle: int, stop: int) -> bool:
        """Count one copy more in the loop before it, and all further ones that are certain."""
        loop = self._kinds[self._trace[middle - 1]]
        assert isinstance(loop, _Loop)  # noqa: S101  # for the type checker
        more = self._skip_copies(loop.body) if self._credit > 0 else 0
        self._replace(middle - 1, loop.body, loop.count + 1 + more)
        return True

    def _begin(self, start: int, stop: int, copies: int) -> bool:
        """Make a loop of the copies there are and all that are certain to come, if there are any.

        ``start`` and ``stop`` are those of the first copy.
        """
        body = tuple(self._trace[start:stop])
        more = self._skip_copies(body)
        if more:
            self._replace(start, body, copies + more)
        return more > 0

    def _skip_copies(self, body: tuple[int, ...]) -> int:
        drift = self._drift_of(body)
        more = copies_to_come(self._flow, drift)
        if more:
            self._flow.skip((number, move, n * more) for (number, move), n in drift.moves.items())
        return more

    def _replace(self, start: int, body: tuple[int, ...], count: int) -> None:
        self._cut(start)
        self._trace.append(self._intern((count, body), _Loop(count, body, self._hash_of(body))))

    def _hash_of(self, body: tuple[int, ...]) -> int:
        value = 0
        for number in body:
            value = (value * _BASE + number + 1) % _PRIME
        return value

    def _drift_of(self, numbers: tuple[int, ...]) -> Drift:
        found: Drift | None = None
        for number in numbers:
            entry = self._kinds[number]
            if entry.drift is None:
                if isinstance(entry, _Round):
                    entry.drift = drift_of_round(
                        self._flow, entry.moves, zip(self._flow.varying, entry.phases, strict=True)
                    )
                else:
                    entry.drift = self._drift_of(entry.body).times(entry.count)
            self._credit -= len(entry.drift.ranges)
            found = entry.drift if found is None else found.then(entry.drift)
        return found or Drift({}, {}, frozenset())
