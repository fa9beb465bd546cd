"""Early and late steps of a loop nest, exactly, without unrolling it.

Steps follow from what ran before by maxima and additions alone (late ones, backwards, by minima).
Copies of a loop are therefore gone through only until they repeat themselves: actors that are
connected within a loop form a *component*; when all steps of a component, seen from one of its
actors, are what they were some copies before, so will be all that follows, shifted by the same
number of steps. Firings that wait for somebody outside the loop could spoil that. They do not
when the component does not move at all, nor when nobody in the copies compared waited *longer*
for the outside than for the inside: what is inside only gets later, and the outside stays.
Components may move at different rates; each actor has its own shift.

The theory is that of max-plus algebra (Baccelli, Cohen, Olsder and Quadrat, Synchronization and
linearity, 1992): the steps of a strongly connected event graph become periodic after a while.
:func:`aidge_nb.scheduling.timing.compute_timing` says the same of an unrolled sequence, slowly.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from aidge_nb.scheduling.nest import Firing, Loop, Repeat

__all__ = ["time_nest"]

ActorNest = Sequence[int | Repeat[int]]


@dataclass(slots=True)
class _Leaf:
    actor: int
    early: int
    late: int


@dataclass(slots=True)
class _Timed:
    """A loop: per actor its shift in early and in late steps from one copy to the next."""

    count: int
    body: list[_Leaf | _Timed]
    early: dict[int, int]
    late: dict[int, int]


_Items = list[_Leaf | _Timed]
_Found = tuple[int, int, dict[int, int]]  # copies of the period, repetitions, shifts per period


def time_nest(
    nest: ActorNest,
    parents: Sequence[Sequence[int | None]],
    children: Sequence[Sequence[int]],
) -> tuple[Firing | Loop, ...]:
    """Compute the steps of the firings of a loop nest; loops may come out split.

    Parameters
    ----------
    nest
        The actors that fire, by number.
    parents
        For each actor the actor at each of its inputs, None where there is none.
    children
        For each actor the actors that read it, each once.

    Examples
    --------
    >>> timed = time_nest((0, Repeat(1000, (1, 2))), [[], [0], [1]], [[1], [2], []])
    >>> [item.count for item in timed if isinstance(item, Loop)]
    [998]
    """
    walk = _Walk(parents, children)
    timed = walk.early(nest, 0)
    walk.turn_round()
    timed = walk.late(timed, 0, {})
    return tuple(_numbered(timed, {}))


class _Walk:
    """A walk over the nest; steps and order of what ran last (first, when going backwards)."""

    def __init__(
        self,
        parents: Sequence[Sequence[int | None]],
        children: Sequence[Sequence[int]],
    ) -> None:
        self._slots = parents
        self._parents = [[each for each in slots if each is not None] for slots in parents]
        self._children = children
        self._step = [-1] * len(parents)
        self._when = [-1] * len(parents)
        self._clock = 0
        self._end = 0
        # Loops around, from the outside: depth of the innermost that an actor is in, and who
        # waited longer for somebody outside of a loop than for those inside.
        self._depth = [0] * len(parents)
        self._strayed: list[set[int]] = [set()]

    def turn_round(self) -> None:
        """Begin to walk backwards."""
        self._end = max(self._step, default=0)
        self._step = [self._end + 1] * len(self._step)
        self._when = [-1] * len(self._when)
        self._clock = 0

    def early(self, nest: ActorNest, depth: int) -> _Items:
        """Walk forwards."""
        found: _Items = []
        fire = self._fire
        for item in nest:
            if isinstance(item, Repeat):
                found += self._early_loop(item, depth + 1)
            else:
                found.append(_Leaf(item, fire(item, depth), -1))
        return found

    def _early_loop(self, loop: Repeat[int], depth: int) -> _Items:
        copies: list[_Items] = []

        def run(_: int) -> None:
            copies.append(self.early(loop.body, depth))

        found = self._repeat(_actors(loop.body), loop.count, depth, run, 1)
        if found is None:
            return [item for copy in copies for item in copy]
        length, times, shift, at = found
        body = [item for copy in copies[at - length : at] for item in copy]
        before = [item for copy in copies[: at - length] for item in copy]
        after = [item for copy in copies[at:] for item in copy]
        return [*before, _Timed(times, body, shift, {}), *after]

    def late(self, items: _Items, depth: int, offset: Mapping[int, int]) -> _Items:
        """Walk backwards; ``offset`` is what each actor is later than in the first copy."""
        found: _Items = []  # the last one first
        fire_back = self._fire_back
        for item in reversed(items):
            if isinstance(item, _Timed):
                found += reversed(self._late_loop(item, depth + 1, offset))
            elif offset:
                actor = item.actor
                early = item.early + offset.get(actor, 0)
                found.append(_Leaf(actor, early, fire_back(actor, depth)))
            else:  # outside of all loops it is met once
                item.late = fire_back(item.actor, depth)
                found.append(item)
        found.reverse()
        return found

    def _late_loop(self, loop: _Timed, depth: int, offset: Mapping[int, int]) -> _Items:
        copies: list[_Items] = []  # the last copy first

        def run(number: int) -> None:
            copy = loop.count - 1 - number
            own = {each: offset.get(each, 0) + copy * shift for each, shift in loop.early.items()}
            copies.append(self.late(loop.body, depth, own))

        found = self._repeat(list(loop.early), loop.count, depth, run, -1)
        if found is None:
            return [item for copy in reversed(copies) for item in copy]
        length, times, late, at = found
        early = {actor: shift * length for actor, shift in loop.early.items()}
        body = [item for copy in reversed(copies[at - length : at]) for item in copy]
        _move(body, {actor: -(times - 1) * shift for actor, shift in early.items()}, late, times)
        before = [item for copy in reversed(copies[at:]) for item in copy]
        after = [item for copy in reversed(copies[: at - length]) for item in copy]
        return [*before, _Timed(times, body, early, late), *after]

    def _repeat(
        self, actors: list[int], count: int, depth: int, run: Callable[[int], None], sign: int
    ) -> tuple[int, int, dict[int, int], int] | None:
        """Go through the copies of a loop, and leave out those that are repetitions.

        Returns
        -------
        tuple
            Copies of the period, how often it occurs, shift of each actor from one to the next,
            and after which of the copies gone through it has occurred once; None when all copies
            were gone through.
        """
        outer = [self._depth[actor] for actor in actors]
        for actor in actors:
            self._depth[actor] = depth
        components = self._components(actors)
        seen: dict[tuple[int, ...], int] = {}
        bases: list[list[int]] = []
        strayed: list[set[int]] = []
        found = None
        number = done = 0
        while done < count:
            self._strayed[depth:] = [set()]
            run(done)
            strayed.append(self._strayed[depth])
            number, done = number + 1, done + 1
            if found is not None or done == count:
                continue
            state, base = self._state(components)
            bases.append(base)
            before = seen.get(state)
            seen[state] = number
            if before is None:
                continue
            length = number - before
            shifts = [sign * (new - old) for old, new in zip(bases[before - 1], base, strict=True)]
            further = (count - done) // length
            if further and self._is_periodic(components, shifts, strayed[before:]):
                shift = {a: s for each, s in zip(components, shifts, strict=True) for a in each}
                for actor, each in shift.items():
                    self._step[actor] += sign * each * further
                done += further * length
                found = length, further + 1, shift, number
        del self._strayed[depth:]
        for actor, each in zip(actors, outer, strict=True):
            self._depth[actor] = each
        return found

    def _is_periodic(
        self, components: list[list[int]], shifts: list[int], strayed: list[set[int]]
    ) -> bool:
        astray = set().union(*strayed)
        return all(
            shift == 0 or (shift > 0 and astray.isdisjoint(component))
            for component, shift in zip(components, shifts, strict=True)
        )

    def _state(self, components: list[list[int]]) -> tuple[tuple[int, ...], list[int]]:
        """Give the steps of each component relative to its first actor, and those of the latter."""
        step = self._step
        base = [step[component[0]] for component in components]
        state = [
            step[actor] - start
            for component, start in zip(components, base, strict=True)
            for actor in component
        ]
        return tuple(state), base

    def _components(self, actors: list[int]) -> list[list[int]]:
        """Group the actors of a loop that are connected within it."""
        left = dict.fromkeys(actors)
        found = []
        for start in actors:
            if start not in left:
                continue
            del left[start]
            component = [start]
            for actor in component:
                for near in (*self._parents[actor], *self._children[actor]):
                    if near in left:
                        del left[near]
                        component.append(near)
            found.append(component)
        return found

    # --- single firings ---------------------------------------------------------------------

    def _fire(self, actor: int, depth: int) -> int:
        """Run an actor one step after what it waits for: parents, readers, its last execution."""
        step, when, depths = self._step, self._when, self._depth
        own = when[actor]
        latest, inmost = -1, 0
        for each in self._parents[actor]:
            if step[each] > latest:
                latest, inmost = step[each], depths[each]
            elif step[each] == latest and depths[each] > inmost and when[each] >= 0:
                inmost = depths[each]
        if own >= 0:
            if step[actor] >= latest:
                latest, inmost = step[actor], depth
            for each in self._children[actor]:
                if when[each] > own:
                    if step[each] > latest:
                        latest, inmost = step[each], depths[each]
                    elif step[each] == latest and depths[each] > inmost:
                        inmost = depths[each]
        if inmost < depth:
            self._note_strayed(actor, inmost, depth)
        step[actor] = latest + 1
        when[actor] = self._clock
        self._clock += 1
        return latest + 1

    def _fire_back(self, actor: int, depth: int) -> int:
        """Run an actor one step before what waits for it."""
        step, when, depths = self._step, self._when, self._depth
        own = when[actor]
        first, inmost = self._end + 1, 0
        for each in self._children[actor]:
            if step[each] < first:
                first, inmost = step[each], depths[each]
            elif step[each] == first and depths[each] > inmost and when[each] >= 0:
                inmost = depths[each]
        if own >= 0:
            for slot in self._slots[actor]:
                source = actor if slot is None or when[slot] <= own else slot
                if step[source] < first:
                    first, inmost = step[source], depths[source]
                elif step[source] == first and depths[source] > inmost:
                    inmost = depths[source]
        if inmost < depth:
            self._note_strayed(actor, inmost, depth)
        step[actor] = first - 1
        when[actor] = self._clock
        self._clock += 1
        return first - 1

    def _note_strayed(self, actor: int, inmost: int, depth: int) -> None:
        """Note in which loops an actor waits longer for somebody outside than for those inside."""
        for outer in range(inmost + 1, depth + 1):
            self._strayed[outer].add(actor)


def _actors(nest: ActorNest) -> list[int]:
    found: dict[int, None] = {}
    pending = list(nest)
    while pending:
        item = pending.pop()
        if isinstance(item, Repeat):
            pending += item.body
        else:
            found[item] = None
    return sorted(found)


def _move(items: _Items, early: Mapping[int, int], late: Mapping[int, int], times: int) -> None:
    """Turn the last copy of a loop into the first."""
    for item in items:
        if isinstance(item, _Timed):
            _move(item.body, early, late, times)
        else:
            item.early += early[item.actor]
            item.late -= (times - 1) * late[item.actor]


def _numbered(items: _Items, executions: dict[int, int]) -> list[Firing | Loop]:
    """Count the executions of each actor, and make values."""
    found: list[Firing | Loop] = []
    for item in items:
        if isinstance(item, _Leaf):
            actor = item.actor
            execution = executions.get(actor, 0)
            executions[actor] = execution + 1
            found.append(Firing(actor, execution, item.early, item.late))
            continue
        start = {actor: executions.get(actor, 0) for actor in item.early}
        body = tuple(_numbered(item.body, executions))
        shifts = []
        for actor in sorted(item.early):
            each = executions[actor] - start[actor]
            executions[actor] = start[actor] + item.count * each
            shifts.append((actor, each, item.early[actor], item.late[actor]))
        found.append(Loop(item.count, body, tuple(shifts)))
    return found
