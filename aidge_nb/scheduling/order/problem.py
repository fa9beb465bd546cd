"""State the problem which order of tasks needs least memory, in plain integers.

A *task* writes and uses *blocks* of memory. A block is live from the task that writes it to its
last user; a task may take over a block of equal size whose last user it is. Sets of tasks are bit
masks. The live bytes after a set of tasks ran depend on the set alone, not on the order inside it:
all searches rely on that.

The problem is NP-hard in general (one-shot pebbling: Sethi, "Complete Register Allocation
Problems", 1975).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from aidge_nb.core.values import dataclass

START = -1
"""The writer of a block that is live from the start."""


def bits(mask: int) -> Iterator[int]:
    """Iterate over the members of a set, the smallest first.

    Examples
    --------
    >>> list(bits(0b1011))
    [0, 1, 3]
    """
    while mask:
        lowest = mask & -mask
        yield lowest.bit_length() - 1
        mask ^= lowest


@dataclass(frozen=True, slots=True)
class MemoryBlock:
    """Memory that a task writes and others use.

    Attributes
    ----------
    size
        Bytes.
    writer
        The task that writes it first; -1 for a block that is live from the start.
    users
        Mask of the tasks that use it; it is free after the last of them.
    kept
        True when it is live to the end.
    """

    size: int
    writer: int
    users: int
    kept: bool = False


@dataclass(frozen=True, slots=True)
class OrderProblem:
    """Tasks to be put into an order; the order of their numbers is valid.

    Attributes
    ----------
    before
        For each task the mask of the tasks that must run before it; all have smaller numbers.
    blocks
        The memory.
    overwrites
        For each task the blocks (by number) that its first output may take over.

    Examples
    --------
    >>> problem = OrderProblem(
    ...     before=(0, 0b1, 0b1, 0b110),
    ...     blocks=(MemoryBlock(4, 0, 0b110), MemoryBlock(9, 1, 0b1000), MemoryBlock(1, 2, 0b1000)),
    ... )
    >>> problem.live_bytes([0, 1, 2, 3]), problem.live_bytes([0, 2, 1, 3])
    ([4, 13, 14, 10], [4, 5, 14, 10])
    """

    before: tuple[int, ...]
    blocks: tuple[MemoryBlock, ...]
    overwrites: tuple[tuple[int, ...], ...] = ()

    def __len__(self) -> int:
        """Return the number of tasks."""
        return len(self.before)

    def written_by(self) -> list[list[int]]:
        """Return the numbers of the blocks that each task writes."""
        written: list[list[int]] = [[] for _ in self.before]
        for number, block in enumerate(self.blocks):
            if block.writer != START:
                written[block.writer].append(number)
        return written

    def used_by(self) -> list[list[int]]:
        """Return the numbers of the blocks that each task uses."""
        used: list[list[int]] = [[] for _ in self.before]
        for number, block in enumerate(self.blocks):
            for task in bits(block.users):
                used[task].append(number)
        return used

    @property
    def live_at_start(self) -> int:
        """Live bytes before the first task."""
        return sum(b.size for b in self.blocks if b.writer == START and (b.users or b.kept))

    def live_bytes(self, order: Sequence[int]) -> list[int]:
        """Return the live bytes while each task of an order runs."""
        written, used = self.written_by(), self.used_by()
        live, done, found = self.live_at_start, 0, []
        for task in order:
            done |= 1 << task
            made = sum(self.blocks[number].size for number in written[task])
            over = 0
            for number in self.overwrites[task] if self.overwrites else ():
                block = self.blocks[number]
                if not block.kept and not block.users & ~done:
                    over = block.size
                    break
            found.append(live + made - over)
            touched = {*written[task], *used[task]}
            gone = (n for n in touched if self._is_free(n, done))
            live += made - sum(self.blocks[number].size for number in gone)
        return found

    def _is_free(self, number: int, done: int) -> bool:
        block = self.blocks[number]
        return not block.kept and not block.users & ~done

    def peak(self, order: Sequence[int]) -> int:
        """Return the maximum of live bytes of an order."""
        return max(self.live_bytes(order), default=self.live_at_start)
