"""Exercise: place blocks of memory for the lowest peak."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from numbers import Integral
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.course.feedback import NO_ANSWER, Feedback, not_understood
from aidge_nb.memory import Placement, plan

if TYPE_CHECKING:
    from aidge_nb.widgets.live.blocks import BlockBoard


@dataclass(frozen=True)
class PlaceBlocks:
    """Place blocks of memory: no two that live at the same tick may overlap.

    Parameters
    ----------
    blocks
        By name, (lower, upper, size): each lives on the half-open ticks [lower, upper) and takes
        ``size`` bytes.

    Raises
    ------
    MemoryPlanError
        For blocks that cannot be.

    Examples
    --------
    >>> exercise = PlaceBlocks({"a": (0, 2, 4), "b": (1, 3, 4), "c": (2, 4, 2)})
    >>> exercise.check({"a": 0, "b": 2, "c": 0})
    Not yet (0 %): a and b overlap.
    Hint: Both are alive at tick 1, and both hold byte 2.
    >>> exercise.check({"a": 0, "b": 4, "c": 8})
    Not yet (80 %): The blocks fit in 10 bytes.
    Hint: 8 bytes are possible. c ends at byte 10: is there a free place below it?
    >>> exercise.check({"a": 0, "b": 4, "c": 0})
    Solved (100 %): The blocks fit in 8 bytes, and no layout is smaller.
    """

    blocks: Mapping[str, tuple[int, int, int]]

    @property
    def fast(self) -> int:
        """Bytes of a fast memory, below the slow one; here there is one memory."""
        return 0

    def __post_init__(self) -> None:
        if not self.blocks:
            raise MemoryPlanError.at("exercise", "there are no blocks to place")

    @cached_property
    def best(self) -> Placement:
        """The best known layout, with its proof."""
        return plan(dict(self.blocks))

    def check(self, offsets: Mapping[str, int] | None) -> Feedback:
        """Check an answer: the offset of each block in bytes, by name."""
        if offsets is None:
            return NO_ANSWER
        problem = self._problem(offsets)
        if problem is not None:
            return problem
        return self._judged(offsets)

    def _judged(self, offsets: Mapping[str, int]) -> Feedback:
        """Return feedback on a layout."""
        ends = {name: offsets[name] + size for name, (_, _, size) in self.blocks.items()}
        peak, best = max(ends.values()), self.best
        if peak <= best.peak:
            proof = ", and no layout is smaller" if best.is_optimal or peak < best.peak else ""
            return Feedback(True, f"The blocks fit in {peak} bytes{proof}.")
        top = max(ends, key=lambda name: ends[name])
        hint = (
            f"{best.peak} bytes are possible. {top} ends at byte {peak}: "
            "is there a free place below it?"
        )
        return Feedback(False, f"The blocks fit in {peak} bytes.", hint, best.peak / peak)

    def _problem(self, offsets: Mapping[str, int]) -> Feedback | None:
        """Return feedback on an answer that is not a layout."""
        if not isinstance(offsets, Mapping):
            return not_understood(f"a dictionary, as in {{{next(iter(self.blocks))!r}: 0, …}}")
        for name in self.blocks:
            if name not in offsets:
                return Feedback(False, f"{name} is not placed.", f"Give {name} an offset.", 0.0)
            if not isinstance(offsets[name], Integral):
                text = f"{name} begins at {offsets[name]!r}."
                return Feedback(False, text, "Blocks begin at a whole byte.", 0.0)
            if offsets[name] < 0:
                return Feedback(False, f"{name} begins below byte 0.", "Move it up.", 0.0)
        for unknown in offsets.keys() - self.blocks.keys():
            names = ", ".join(self.blocks)
            return Feedback(False, f"There is no block {unknown!r}.", f"They are {names}.", 0.0)
        for one, other in combinations(self.blocks, 2):
            (lower, upper, size), (lower_2, upper_2, size_2) = self.blocks[one], self.blocks[other]
            tick, byte = max(lower, lower_2), max(offsets[one], offsets[other])
            if tick < min(upper, upper_2) and byte < min(
                offsets[one] + size, offsets[other] + size_2
            ):
                hint = f"Both are alive at tick {tick}, and both hold byte {byte}."
                return Feedback(False, f"{one} and {other} overlap.", hint, 0.0)
        return None

    def widget(self, **options: Any) -> BlockBoard:
        """Show the blocks as a board on which they are dragged, by mouse or by keyboard."""
        from aidge_nb.widgets.live.blocks import BlockBoard

        return BlockBoard(self, **options)


@dataclass(frozen=True)
class PlaceInTwo(PlaceBlocks):
    """Place blocks in two memories: as few bytes as possible shall lie in the slow one.

    Bytes are counted through both memories: the slow one begins where the fast one ends.

    Parameters
    ----------
    blocks
        As for :class:`PlaceBlocks`.
    size
        Bytes of the fast memory.

    Examples
    --------
    >>> exercise = PlaceInTwo({"a": (0, 2, 6), "b": (1, 3, 2), "c": (2, 4, 2)}, 4)
    >>> exercise.check({"a": 2, "b": 0, "c": 8})
    Not yet (0 %): a lies in both memories.
    Hint: The fast memory ends at byte 4: a has to lie below it, or above.
    >>> exercise.check({"a": 4, "b": 0, "c": 10})
    Not yet (75 %): 8 bytes lie in the slow memory.
    Hint: 6 are possible. Is there a place for c in the fast one?
    >>> exercise.check({"a": 4, "b": 0, "c": 2})
    Solved (100 %): 6 bytes lie in the slow memory: no fewer are possible.
    """

    size: int = 0

    @property
    def fast(self) -> int:
        """Bytes of the fast memory."""
        return self.size

    @cached_property
    def best(self) -> Placement:
        """The best layout: its peak is the number of bytes in the slow memory."""
        names = list(self.blocks)
        total = sum(size for _, _, size in self.blocks.values())
        chosen: dict[str, int] = {}
        least = total
        for count in range(1, len(names) + 1):
            for group in combinations(names, count):
                slow = total - sum(self.blocks[name][2] for name in group)
                if slow >= least:
                    continue
                found = plan({name: self.blocks[name] for name in group})
                if found.peak <= self.size:
                    least, chosen = slow, dict(zip(group, found.offsets, strict=True))
        rest = {name: block for name, block in self.blocks.items() if name not in chosen}
        if rest:
            above = zip(rest, plan(rest).offsets, strict=True)
            chosen |= {name: self.size + offset for name, offset in above}
        return Placement(tuple(chosen[name] for name in names), least, least, "subsets")

    def _judged(self, offsets: Mapping[str, int]) -> Feedback:
        for name, (_, _, size) in self.blocks.items():
            if offsets[name] < self.size < offsets[name] + size:
                end = f"The fast memory ends at byte {self.size}"
                hint = f"{end}: {name} has to lie below it, or above."
                return Feedback(False, f"{name} lies in both memories.", hint, 0.0)
        above = [name for name in self.blocks if offsets[name] >= self.size]
        slow, least = sum(self.blocks[name][2] for name in above), self.best.peak
        text = f"{slow:,} bytes lie in the slow memory"
        if slow <= least:
            return Feedback(True, f"{text}: no fewer are possible.")
        best = dict(zip(self.blocks, self.best.offsets, strict=True))
        moved = next(name for name in above if best[name] < self.size)
        hint = f"{least:,} are possible. Is there a place for {moved} in the fast one?"
        return Feedback(False, f"{text}.", hint, least / slow)
