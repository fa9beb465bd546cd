"""Compute early and late steps of a loop nest exactly, without unrolling it.

Early steps are maxima of earlier steps plus one; late steps, computed backwards, are minima. So
copies of a loop are executed only until they become periodic. Actors connected within a loop form a
*component*. When all steps of a component, relative to one of its actors, equal those some copies
before, all later copies repeat them, shifted by a constant. A firing that waits for an actor
outside the loop could break this. It does not if the component does not shift at all, or if in the
compared copies no firing waited *longer* for the outside than for the inside: the inside only gets
later, and the outside stays. Components may shift at different rates; each actor has its own shift.
Equal copies executed before the period was known are counted as copies of it.

The theory is max-plus algebra (Baccelli, Cohen, Olsder and Quadrat, "Synchronization and
linearity", 1992): the steps of a strongly connected event graph become periodic.
:func:`aidge_nb.scheduling.schedule.timing.compute_timing` is the plain computation for sequences.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from aidge_nb.scheduling.schedule.nest import Firing, Loop, Readers, Repeat, Slots

ActorNest = Sequence[int | Repeat[int]]
"""Numbers of actors in firing order, and loops of them."""
Items = Sequence[Firing | Loop]
"""Firings and loops; those of the walk forwards have no late steps yet: these are 0."""
Shift = tuple[int, int, int]
"""Executions, early and late steps by which an actor moves from copy to copy."""

_Periodic = tuple[int, int, dict[int, int], int]
"""Copies per period, repetitions, shifts per period, copies executed."""


def time_nest(nest: ActorNest, parents: Slots, children: Readers) -> tuple[Firing | Loop, ...]:
    """Compute the steps of the firings of a loop nest; loops can come out split.

    ``parents`` and ``children`` are those of
    :func:`~aidge_nb.scheduling.schedule.timing.compute_timing`.

    Examples
    --------
    >>> timed = time_nest((0, Repeat(1000, (1, 2))), [[], [0], [1]], [[1], [2], []])
    >>> [item.count for item in timed if isinstance(item, Loop)]
    [1000]
    """
    walk = _TimingWalk(parents, children)
    timed = walk.early(nest, 0)
    walk.turn_round()
    return tuple(walk.late(timed, 0, {}))


class _TimingWalk:
    """A walk over the nest, with step and time of the last (backwards: first) executions."""

    def __init__(self, parents: Slots, children: Readers) -> None:
        self._slots = parents
        self._parents = [[each for each in slots if each is not None] for slots in parents]
        self._children = children
        self._step = [-1] * len(parents)
        self._when = [-1] * len(parents)
        self._executions = [0] * len(parents)
        self._clock = 0
        self._end = 0
        # Depth of the innermost loop of each actor, and by depth the actors that waited longer for
        # an actor outside of the loop at this depth than for those inside.
        self._depth = [0] * len(parents)
        self._strayed: list[set[int]] = [set()]

    def turn_round(self) -> None:
        """Start walking backwards."""
        self._end = max(self._step, default=0)
        self._step = [self._end + 1] * len(self._step)
        self._when = [-1] * len(self._when)
        self._clock = 0

    def early(self, nest: ActorNest, depth: int) -> list[Firing | Loop]:
        """Walk forwards."""
        found: list[Firing | Loop] = []
        fire, executions, new = self._fire, self._executions, tuple.__new__  # faster than Firing()
        for item in nest:
            if isinstance(item, Repeat):
                found += self._early_loop(item, depth + 1)
            else:
                execution = executions[item]
                executions[item] = execution + 1
                found.append(new(Firing, (item, execution, fire(item, depth), 0)))
        return found

    def _early_loop(self, loop: Repeat[int], depth: int) -> Items:
        copies: list[Items] = []

        def run(_: int) -> None:
            copies.append(self.early(loop.body, depth))

        counts = count_executions(loop.body)
        found = self._repeat(counts, loop.count, depth, run, 1)
        if found is None:
            return [item for copy in copies for item in copy]
        length, times, steps, at = found
        shifts = {actor: (counts[actor] * length, shift, 0) for actor, shift in steps.items()}
        periods = [
            tuple([item for copy in copies[start : start + length] for item in copy])
            for start in range(at % length, at, length)
        ]
        body = periods.pop()
        while periods and moved(periods[-1], shifts, 1) == body:
            body = periods.pop()
            times += 1
        before = [item for copy in [*copies[: at % length], *periods] for item in copy]
        after = [item for copy in copies[at:] for item in copy]
        return [*before, _loop(times, body, shifts), *after]

    def late(
        self, items: Items, depth: int, offset: Mapping[int, tuple[int, int]]
    ) -> list[Firing | Loop]:
        """Walk backwards; ``offset`` is the distance of each actor from the first copy."""
        found: list[Firing | Loop] = []  # in reverse
        fire_back, new = self._fire_back, tuple.__new__
        for item in reversed(items):
            if isinstance(item, Loop):
                found += reversed(self._late_loop(item, depth + 1, offset))
                continue
            actor, execution, early, _ = item
            if offset:
                executions, steps = offset[actor]
                execution, early = execution + executions, early + steps
            found.append(new(Firing, (actor, execution, early, fire_back(actor, depth))))
        found.reverse()
        return found

    def _late_loop(self, loop: Loop, depth: int, offset: Mapping[int, tuple[int, int]]) -> Items:
        copies: list[list[Firing | Loop]] = []  # the last copy first

        def run(number: int) -> None:
            copy = loop.count - 1 - number
            own = {}
            for actor, executions, steps, _ in loop.shifts:
                first = offset.get(actor, (0, 0))
                own[actor] = first[0] + copy * executions, first[1] + copy * steps
            copies.append(self.late(loop.body, depth, own))

        counts = {actor: executions for actor, executions, *_ in loop.shifts}
        found = self._repeat(counts, loop.count, depth, run, -1)
        if found is None:
            return [item for copy in reversed(copies) for item in copy]
        length, times, late, at = found
        shifts = {
            actor: (executions * length, steps * length, late[actor])
            for actor, executions, steps, _ in loop.shifts
        }
        copies.reverse()
        at = len(copies) - at  # where the last copies of the period begin
        periods = [
            tuple([item for copy in copies[start : start + length] for item in copy])
            for start in range(at, len(copies) - length + 1, length)
        ]
        begin = 0
        while begin + 1 < len(periods) and moved(periods[begin], shifts, 1) == periods[begin + 1]:
            begin += 1
        times += begin
        body = moved(periods[begin], shifts, 1 - times)
        before = [item for copy in copies[:at] for item in copy]
        after = [item for copy in copies[at + (begin + 1) * length :] for item in copy]
        return [*before, _loop(times, body, shifts), *after]

    def _repeat(
        self,
        counts: Mapping[int, int],
        count: int,
        depth: int,
        run: Callable[[int], None],
        sign: int,
    ) -> _Periodic | None:
        """Execute the copies of a loop, except for repetitions.

        ``counts`` are the executions of each actor in one copy.

        Returns
        -------
        tuple, optional
            Copies per period, repetitions of the period, shift of each actor per period, and
            number of copies executed when the period had occurred once; None when all copies were
            executed.
        """
        actors = list(counts)
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
                    self._executions[actor] += counts[actor] * length * further
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
        """Return the steps of each component relative to its first actor's, and the latter."""
        step = self._step
        base = [step[component[0]] for component in components]
        state = [
            step[actor] - start
            for component, start in zip(components, base, strict=True)
            for actor in component
        ]
        return tuple(state), base

    def _components(self, actors: list[int]) -> list[list[int]]:
        """Return the connected components of the actors of a loop."""
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
        """Run an actor one step after its parents, its readers, and its last execution."""
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
        """Run an actor one step before the firings that wait for it."""
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
        """Record the loops outside of which an actor waits longer than inside."""
        for outer in range(inmost + 1, depth + 1):
            self._strayed[outer].add(actor)


# --- copies of loops ----------------------------------------------------------------------------


def count_executions(nest: ActorNest) -> dict[int, int]:
    """Return the number of executions of each actor, sorted by actor."""
    counts: dict[int, int] = {}
    pending = [(item, 1) for item in nest]
    for item, times in pending:
        if isinstance(item, Repeat):
            pending += [(inner, times * item.count) for inner in item.body]
        else:
            counts[item] = counts.get(item, 0) + times
    return dict(sorted(counts.items()))


def moved(items: Items, shifts: Mapping[int, Shift], copies: int) -> tuple[Firing | Loop, ...]:
    """Return items moved by a number of copies of a loop."""
    found: list[Firing | Loop] = []
    for item in items:
        if isinstance(item, Loop):
            found.append(Loop(item.count, moved(item.body, shifts, copies), item.shifts))
            continue
        executions, early, late = shifts[item.actor]
        found.append(item.moved(copies * executions, copies * early, copies * late))
    return tuple(found)


def _loop(count: int, body: tuple[Firing | Loop, ...], shifts: Mapping[int, Shift]) -> Loop:
    return Loop(count, body, tuple((actor, *shift) for actor, shift in shifts.items()))
