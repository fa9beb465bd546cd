"""Valley by valley: fill a strip of a given height, or prove that it cannot be filled.

Buffers are laid from the ground up. A *valley* is a stretch of sections whose floor is lower than
both its walls. Whatever comes next in one of its sections is one of the buffers that fit between
the walls and lies on the floor, or nothing does, and the floor is raised to the next height at
which a buffer could lie. So each section offers a few moves, of which exactly one is right; the
search takes the section that offers fewest. Where a section has no bytes to spare, nothing may be
wasted, and there is often just one.

What is pruned besides (the first two as in minimalloc: Moffitt, ASPLOS 2023):

- solutions in which some buffer could sink: all may be pressed to the ground;
- parts that no buffer joins any more are filled one after the other, each on its own;
- buffers that reach over a wall lie no lower than it, so those between the walls must fill the
  valley up to there, save for the bytes to spare;
- a part that could not be filled is recognised when it comes again with the same floors, and
  buffers that are equal are laid in one order.

Sections where the search failed weigh more, and are decided earlier from then on (dom/wdeg:
Boussemart, Hemery, Lecoutre and Sais, ECAI 2004).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from aidge_nb.memory.place.solver.strip import Strip

_CACHED_FLOORS = 4_000_000
"""Forget what is dead when its floors, one per section, are more than this: about 64 MB."""

_HEAVIEST = 10.0
"""How much more than others a section may weigh when a search begins."""

_STEPS_PER_LOOK = 256
"""Moves between two looks at the clock."""


class Valley(NamedTuple):
    """Sections [first, behind) at one floor, and the section of it to decide next."""

    first: int
    behind: int
    floor: int
    wall: int
    inside: int
    section: int
    nb_moves: int


class WaitingSections(NamedTuple):
    """Sections that wait until those before them are filled."""

    waiting: int
    lo: int
    hi: int
    dirty: tuple[int, int]
    valleys: list[Valley]
    base: int
    next: WaitingSections | None


@dataclass(slots=True)
class StripState:
    """A partial filling of the sections [lo, hi).

    ``raised`` are the sections whose floor is not the top of a buffer; ``dirty`` the sections that
    the last move changed; ``base`` how many choices were made before this part was begun.
    """

    waiting: int
    floor: list[int]
    slack: list[int]
    raised: int
    lo: int
    hi: int
    dirty: tuple[int, int]
    valleys: list[Valley] = field(default_factory=list)
    parts: WaitingSections | None = None
    base: int = 0

    def copy(self) -> StripState:
        """Return an independent copy."""
        return StripState(
            self.waiting,
            self.floor.copy(),
            self.slack.copy(),
            self.raised,
            self.lo,
            self.hi,
            self.dirty,
            self.valleys,
            self.parts,
            self.base,
        )


class BranchPoint(NamedTuple):
    """A state that offered several moves, those left to try, and the key under which it dies."""

    state: StripState
    valley: Valley
    moves: list[int]
    key: tuple[object, ...]


class Filling(NamedTuple):
    """Result of a search: offsets in units (None: not found), and whether all was searched."""

    offsets: list[int] | None
    is_complete: bool


class Valleys:
    """Searches at one capacity, which learn from each other what is dead.

    Parameters
    ----------
    strip
        What is to be laid.
    capacity
        Height of the strip, in units.

    Examples
    --------
    >>> from aidge_nb.memory.values.live_range import LiveRange
    >>> strip = Strip([LiveRange(0, 2, 10), LiveRange(1, 3, 20)])
    >>> Valleys(strip, 3).fill([1, 0], budget=100)
    Filling(offsets=[2, 0], is_complete=True)
    >>> Valleys(strip, 2).fill([1, 0], budget=100)
    Filling(offsets=None, is_complete=True)
    """

    def __init__(self, strip: Strip, capacity: int) -> None:
        self._strip = strip
        self._capacity = capacity
        self._dead: set[tuple[object, ...]] = set()
        self._cached_floors = 0
        self._weight = [1.0] * len(strip.load)
        self._offsets: list[int] = []
        self._choices: list[BranchPoint] = []
        self._rank: Sequence[int] = ()
        self._from_the_right = False
        self.steps = 0

    def fill(
        self,
        rank: Sequence[int],
        budget: int,
        *,
        from_the_right: bool = False,
        knows_weights: bool = False,
        is_late: Callable[[], bool] = lambda: False,
    ) -> Filling:
        """Search once.

        Parameters
        ----------
        rank
            Of the buffers that may lie in a section, the one of lowest rank is tried first.
        budget
            How many moves may be made; ``steps`` counts them over all searches.
        from_the_right
            Which of equally urgent sections is decided first.
        knows_weights
            Whether to begin with the weights that the search before learned, toned down.
        is_late
            Asked now and then; the search ends when it says so.
        """
        strip = self._strip
        nb_sections = len(strip.load)
        slack = [self._capacity - load for load in strip.load]
        if min(slack, default=0) < 0:
            return Filling(None, True)
        self._rank, self._from_the_right = rank, from_the_right
        tone = min(1.0, _HEAVIEST / max(self._weight, default=1.0)) if knows_weights else 0.0
        self._weight = [1.0 + tone * (weight - 1.0) for weight in self._weight]
        self._offsets = [0] * len(strip)
        self._choices = []
        everything = (1 << len(strip)) - 1
        start = StripState(
            everything, [0] * nb_sections, slack, 0, 0, nb_sections, (0, nb_sections)
        )
        return self._search(start, self.steps + budget, is_late)

    def _search(self, state: StripState, limit: int, is_late: Callable[[], bool]) -> Filling:
        while self._settle(state):
            valley = self._find_valley(state)
            move = None if valley is None else self._choose(state, valley)
            if valley is None or move is None:
                while self._choices and not self._choices[-1].moves:
                    self._bury(self._choices.pop())
                if not self._choices:
                    return Filling(None, True)
                state, valley, moves, _ = self._choices[-1]
                state, move = state.copy(), moves.pop()
            if self.steps >= limit or (self.steps % _STEPS_PER_LOOK == 0 and is_late()):
                return Filling(None, False)
            self.steps += 1
            self._move(state, valley, move)
        return Filling(self._offsets, True)

    # --- one step ---------------------------------------------------------------------------

    def _settle(self, state: StripState) -> bool:
        """Close sections in which all is laid, and go on with one part; False at the end."""
        strip, waiting = self._strip, state.waiting
        begin, end = state.dirty
        before = strip.at[begin - 1] & waiting if begin > state.lo else 0
        cuts = []
        for section in range(begin, min(end + 1, state.hi)):
            here = strip.at[section] & waiting
            if not here:
                state.floor[section] = self._capacity
            if not here & before:
                cuts.append(section)
            before = here
        if not cuts:
            return True
        parts = []
        for lo, hi in zip([state.lo, *cuts], [*cuts, state.hi], strict=True):
            there = waiting & strip.from_[lo] & strip.until[hi] if lo < hi else 0
            if there:
                dirty = (max(lo, begin - 1), min(hi, end + 1))
                parts.append(WaitingSections(there, lo, hi, dirty, state.valleys, 0, None))
        if len(parts) > 1:
            state.base = len(self._choices)
            parts.sort(key=lambda part: part.lo - part.hi)
            for part in parts[:-1]:
                state.parts = part._replace(base=state.base, next=state.parts)
        elif not parts:
            if state.parts is None:
                return False
            parts = [state.parts]
            state.base, state.parts = parts[0].base, parts[0].next
            del self._choices[state.base :]
        state.waiting, state.lo, state.hi, state.dirty, state.valleys, _, _ = parts[-1]
        return True

    def _find_valley(self, state: StripState) -> Valley | None:
        """Survey what the last move changed; give the most urgent valley, None at a dead end."""
        lo, hi, floor = state.lo, state.hi, state.floor
        begin = max(lo, state.dirty[0] - 1)
        while begin > lo and floor[begin - 1] == floor[begin]:
            begin -= 1
        end, stop = begin, min(hi, state.dirty[1] + 1)
        found = []
        while end < stop:
            first, level = end, floor[end]
            while end < hi and floor[end] == level:
                end += 1
            left = floor[first - 1] if first > lo else self._capacity
            right = floor[end] if end < hi else self._capacity
            if left > level < right:
                valley = self._survey(state, first, end, left if left < right else right)
                if valley is None:
                    return None
                found.append(valley)
        state.valleys = [
            valley
            for valley in state.valleys
            if lo <= valley.first and (valley.behind <= begin or valley.first >= end)
            if valley.behind <= hi
        ]
        state.valleys += found
        return min(state.valleys, key=self._urgency)

    def _urgency(self, valley: Valley) -> tuple[float, int, int]:
        if valley.nb_moves < 2:
            return (0.0, 0, 0)
        first = -valley.first if self._from_the_right else valley.first
        return (valley.nb_moves / self._weight[valley.section], valley.floor, first)

    def _survey(self, state: StripState, first: int, behind: int, wall: int) -> Valley | None:
        """Find the section of a valley with fewest moves, by weight; None at a dead end."""
        strip, slack, weight = self._strip, state.slack, self._weight
        level = state.floor[first]
        between = state.waiting & strip.from_[first] & strip.until[behind]
        inside = between & ~(state.waiting << 1 & strip.twins)
        if state.raised and state.raised & (1 << behind) - (1 << first):
            inside = self._supported(inside, state.raised)
        fewest, chosen, nb_moves = float("inf"), first, 0
        for section in range(first, behind):
            here = strip.at[section]
            spare = slack[section]
            if wall - level > spare and wall < self._capacity:
                crowd = here & between
                if crowd != here & state.waiting and self._is_short(crowd, wall - level - spare):
                    weight[section] += 1.0
                    return None
            count = (inside & here).bit_count()
            if spare:
                count += 1
            urgency = count / weight[section]
            if urgency < fewest or count < 2:
                fewest, chosen, nb_moves = urgency, section, count
                if count < 2:
                    break
        return Valley(first, behind, level, wall, inside, chosen, nb_moves)

    def _is_short(self, buffers: int, wanted: int) -> bool:
        """Return whether buffers, stacked, stay below a height."""
        for plane, value in self._strip.planes:
            wanted -= (buffers & plane).bit_count() * value
        return wanted > 0

    def _supported(self, buffers: int, raised: int) -> int:
        """Leave out buffers that would lie on nothing."""
        rest = buffers
        while rest:
            bit = rest & -rest
            rest ^= bit
            if not self._strip.span[bit.bit_length() - 1] & ~raised:
                buffers ^= bit
        return buffers

    # --- moves ------------------------------------------------------------------------------

    def _choose(self, state: StripState, valley: Valley) -> int | None:
        """Return the best move and remember the others; None if no move is left."""
        moves = _bits(valley.inside & self._strip.at[valley.section])
        if len(moves) > 1:
            moves.sort(key=self._rank.__getitem__, reverse=True)
        if state.slack[valley.section]:
            level = self._next_level(state, valley)
            if level - valley.floor <= state.slack[valley.section]:
                moves.insert(0, ~level)
        if not moves:
            self._weight[valley.section] += 1.0
            return None
        if len(moves) == 1:
            return moves[0]
        lo, hi = state.lo, state.hi
        key = (state.waiting, state.raised >> lo & (1 << hi - lo) - 1, *state.floor[lo:hi])
        if key in self._dead:
            return None
        self._choices.append(BranchPoint(state.copy(), valley, moves, key))
        return moves.pop()

    def _next_level(self, state: StripState, valley: Valley) -> int:
        """Find the next height at which something could lie in the section of a valley.

        It lies on the top of another buffer: one inside the valley, or one that has to do with a
        wall.
        """
        strip, level = self._strip, self._capacity
        between = state.waiting & strip.from_[valley.first] & strip.until[valley.behind]
        outside = strip.until[valley.first] | strip.from_[valley.behind]
        if state.waiting & ~between & ~outside:
            level = valley.wall
        others = _bits(between & ~strip.at[valley.section])
        if others:
            level = min(level, valley.floor + min(map(strip.height.__getitem__, others)))
        return level

    def _move(self, state: StripState, valley: Valley, move: int) -> None:
        """Lay a buffer, or (for a complement) raise the floor of a section."""
        strip = self._strip
        if move < 0:
            section = valley.section
            state.slack[section] -= ~move - valley.floor
            state.floor[section] = ~move
            state.raised |= 1 << section
            state.dirty = (section, section + 1)
            return
        self._offsets[move] = valley.floor
        first, behind = strip.first[move], strip.behind[move]
        state.floor[first:behind] = [valley.floor + strip.height[move]] * (behind - first)
        state.waiting ^= 1 << move
        state.raised &= ~strip.span[move]
        state.dirty = (first, behind)

    def _bury(self, choice: BranchPoint) -> None:
        """Remember a state from which nothing leads on."""
        self._weight[choice.valley.section] += 1.0
        self._cached_floors += len(choice.key)
        if self._cached_floors > _CACHED_FLOORS:
            self._dead.clear()
            self._cached_floors = len(choice.key)
        self._dead.add(choice.key)


def _bits(buffers: int) -> list[int]:
    found = []
    while buffers:
        bit = buffers & -buffers
        buffers ^= bit
        found.append(bit.bit_length() - 1)
    return found
