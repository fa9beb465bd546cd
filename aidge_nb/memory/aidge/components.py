"""The memories of a memory manager: which space lies where at the moment.

A space goes to the first memory, by priority, that has a hole for it, and there to the lowest one.
"""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory.aidge.spaces import MemorySpace
from aidge_nb.memory.place.greedy import lowest_outside


class Components:
    """Memories, and the spaces that hold memory in each of them now, by offset.

    Raise MemoryPlanError for a memory without capacity, or when there is not one priority for each.

    Parameters
    ----------
    capacities
        Their sizes in bytes; one memory without limit when there are none.
    priorities
        Lower ones are tried first, equal ones in their order; that of the capacities by default.

    Examples
    --------
    >>> memories = Components([16, 64])
    >>> spaces = [MemorySpace(0, 0, 12), MemorySpace(0, 0, 12), MemorySpace(0, 0, 4)]
    >>> for space in spaces:
    ...     memories.put(space)
    >>> [(space.component, space.offset) for space in spaces]
    [(0, 0), (1, 0), (0, 12)]
    """

    def __init__(self, capacities: Sequence[int] = (), priorities: Sequence[int] = ()) -> None:
        for number, capacity in enumerate(capacities):
            if capacity <= 0:
                raise MemoryPlanError.at(
                    f"memory {number}", "has no capacity", expected="1 byte or more", found=capacity
                )
        if priorities and len(priorities) != len(capacities):
            raise MemoryPlanError.at(
                "priorities",
                "not one for each memory",
                expected=len(capacities),
                found=len(priorities),
            )
        self.capacities: tuple[int | None, ...] = tuple(capacities) or (None,)
        ranks = list(priorities) or list(range(len(self)))
        self._by_priority = sorted(range(len(self)), key=lambda number: ranks[number])
        self._stacks: list[list[MemorySpace]] = []
        self.clear()

    def __len__(self) -> int:
        return len(self.capacities)

    def has_room(self, component: int, size: int) -> bool:
        """Return whether a memory has so many bytes."""
        capacity = self.capacities[component]
        return capacity is None or size <= capacity

    def clear(self) -> None:
        """Release the memory of all spaces."""
        self._stacks = [[] for _ in self.capacities]

    def put(self, space: MemorySpace) -> None:
        """Place a space at the lowest offset that is free, in the first memory with room.

        Raise MemoryPlanError when none has room.
        """
        for component in self._by_priority:
            stack = self._stacks[component]
            taken = [(other.offset - space.size, other.offset + other.size) for other in stack]
            free = lowest_outside(taken)
            if self.has_room(component, free + space.size):
                space.offset, space.component = free, component
                stack.append(space)
                return
        readers = sorted(node.label for node in space.dependencies)
        raise MemoryPlanError.at(
            f"memory space of tick {space.allocated}"
            + (f", read by {', '.join(readers)}" if readers else ""),
            "no memory has room for it",
            expected=f"at most {list(self.capacities)} bytes, less what lies there",
            found=f"{space.size} bytes",
            cure="Give more memory, or lower the peak; see fit().",
        )

    def take(self, space: MemorySpace) -> int:
        """Free the memory of a space; nothing happens when it holds none any more."""
        stack = self._stacks[space.component]
        if space not in stack:
            return 0
        stack.remove(space)
        return space.size

    def sort(self) -> None:
        """Note that spaces were moved."""
        for stack in self._stacks:
            stack.sort(key=lambda space: space.offset)
