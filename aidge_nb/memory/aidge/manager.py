"""Aidge's memory manager: an arena in which spaces come, grow and go as time passes.

A caller walks through a schedule: it allocates a plane for each output, releases what a node was
the last to read, and calls :meth:`MemoryManager.tick`. Each space goes to the lowest place that is
free at that moment (first fit). ``optimize`` (see :mod:`aidge_nb.memory.aidge.optimize`) moves the
spaces afterwards, when all lifetimes are known.

Written from observations of aidge_core 0.10.1; the recorded ones are in ``tests/memory/data``.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory.aidge.components import Components
from aidge_nb.memory.aidge.optimize import OptimizeStrategy, place_spaces, place_spaces_best
from aidge_nb.memory.aidge.spaces import MemoryPlane, MemorySpace

if TYPE_CHECKING:
    from aidge_nb.graph import Node


class MemoryManager:
    """An arena (bytes) and what lies in it over time; or several, each with a capacity.

    Parameters
    ----------
    capacities
        Sizes of several memories; one without limit when there are none. A space goes to the first
        memory that has room for it when it is reserved.
    priorities
        Lower ones are tried first, equal ones in their order; that of the capacities by default.

    Examples
    --------
    >>> import aidge_nb
    >>> relu, tanh = aidge_nb.ReLU(name="relu"), aidge_nb.Tanh(name="tanh")
    >>> manager = MemoryManager()
    >>> manager.allocate(relu, 64, {tanh})
    0
    >>> manager.tick()
    >>> manager.allocate(tanh, 32)
    0
    >>> manager.release_dependencies(tanh)
    64
    >>> manager.get_peak_usage(), manager.get_offset(tanh)
    (96, 64)
    """

    def __init__(self, capacities: Sequence[int] = (), priorities: Sequence[int] = ()) -> None:
        self._memories = Components(capacities, priorities)
        self._spaces: list[MemorySpace] = []
        self._planes: dict[Node, list[MemoryPlane]] = {}
        self._of_space: dict[MemorySpace, list[MemoryPlane]] = {}
        self._now = 0

    # --- spaces -----------------------------------------------------------------------------

    def reserve(self, size: int, dependencies: Iterable[Node] = ()) -> MemorySpace:
        """Reserve a space of ``size`` bytes for the nodes that will read it.

        Raises
        ------
        MemoryPlanError
            For a negative size.
        """
        _check_size("size of the space", size)
        space = MemorySpace(self._now, 0, size, set(dependencies))
        self._spaces.append(space)
        self._memories.put(space)
        return space

    def expand(self, mem_space: MemorySpace, required_size: int) -> None:
        """Enlarge a space to at least ``required_size`` bytes.

        The past is played again with the new size, so that other spaces may move.
        """
        self._check_own(mem_space)
        mem_space.size = max(mem_space.size, required_size)
        self._memories.clear()
        born: dict[int, list[MemorySpace]] = {}
        gone: dict[int, list[MemorySpace]] = {}
        for space in self._spaces:
            born.setdefault(space.allocated, []).append(space)
            if space.is_over:
                gone.setdefault(space.released, []).append(space)
        for tick in sorted({*born, *gone}):
            for space in born.get(tick, ()):
                self._memories.put(space)
            for space in gone.get(tick, ()):
                self._memories.take(space)

    def release(self, what: MemorySpace | Node) -> int:
        """Release a space, or the spaces of a node and what the node had still to read.

        Returns
        -------
        int
            The bytes that became free. A space that somebody still has to read stays.
        """
        if isinstance(what, MemorySpace):
            self._check_own(what)
            return self._release_space(what)
        freed = sum(self._release_space(plane.mem_space) for plane in self._planes.get(what, ()))
        return freed + self.release_dependencies(what)

    def release_dependencies(self, node: Node) -> int:
        """Note that ``node`` has read all it had to read; give the bytes that became free."""
        freed = 0
        for space in self._spaces:
            if node in space.dependencies:
                space.dependencies.discard(node)
                if not space.dependencies:
                    space.released = self._now
                    freed += self._memories.take(space)
        return freed

    def tick(self) -> None:
        """Advance by one execution."""
        self._now += 1

    # --- planes -----------------------------------------------------------------------------

    def allocate(self, *args: Any, **layout: Any) -> Any:
        """Reserve a space and make a plane that fills it.

        ``allocate([node,] size, dependencies=(), stride=0, length=1, count=1)``, all in bytes and
        elements as :class:`MemoryPlane` has them; a stride below the size means the size.

        Returns
        -------
        MemoryPlane or int
            The plane; with a node, the number of the plane among those of the node.
        """
        node, args = _split_node(args)
        plane = self._allocate(*args, **layout)
        return plane if node is None else self._give(node, plane)

    def reallocate(self, mem: MemorySpace | MemoryPlane, *args: Any, **layout: Any) -> Any:
        """Make a plane in a space that is there, which grows as needed and lives again.

        ``reallocate(space, [node,] offset, size, wrap_around, extra_size=0,
        additional_dependencies=(), stride=0, length=1, count=1)`` puts it ``offset`` bytes behind
        the beginning of the space; ``reallocate(plane, [node,] extra_offset, ...)`` that far
        behind the end of another plane. With ``wrap_around`` the space need not reach beyond its
        present end, but for ``extra_size`` bytes.

        Returns
        -------
        MemoryPlane or int
            The plane; with a node, the number of the plane among those of the node.
        """
        node, args = _split_node(args)
        plane = self._reallocate(mem, *args, **layout)
        return plane if node is None else self._give(node, plane)

    def _allocate(
        self,
        size: int,
        dependencies: Iterable[Node] = (),
        stride: int = 0,
        length: int = 1,
        count: int = 1,
    ) -> MemoryPlane:
        _check_size("size of the plane", size)
        stride = max(size, stride)
        space = self.reserve(stride * length * count, dependencies)
        return self._new_plane(space, 0, size, stride, length, count)

    def _reallocate(
        self,
        mem: MemorySpace | MemoryPlane,
        offset: int,
        size: int,
        wrap_around: bool,
        extra_size: int = 0,
        additional_dependencies: Iterable[Node] = (),
        stride: int = 0,
        length: int = 1,
        count: int = 1,
    ) -> MemoryPlane:
        _check_size("size of the plane", size)
        space = mem if isinstance(mem, MemorySpace) else mem.mem_space
        self._check_own(space)
        stride = max(size, stride)
        start = _relative_offset(mem, offset)
        full = stride * length * count
        needed = start + full
        if wrap_around:
            unit = stride * length if count > 1 else stride if length > 1 else 1
            needed = max(full, start) + extra_size
            needed += (start - needed) % unit if unit else 0
        if needed > space.size or space.released >= 0:
            space.released = -1
            self.expand(space, needed)
        space.dependencies.update(additional_dependencies)
        # Growing the space may have undone the wrapping of the plane that this one follows.
        return self._new_plane(space, _relative_offset(mem, offset), size, stride, length, count)

    def _new_plane(self, space: MemorySpace, offset: int, *layout: int) -> MemoryPlane:
        plane = MemoryPlane(space, self._now, offset, *layout)
        self._of_space.setdefault(space, []).append(plane)
        return plane

    def _give(self, node: Node, plane: MemoryPlane) -> int:
        self._planes.setdefault(node, []).append(plane)
        return len(self._planes[node]) - 1

    # --- what it knows ----------------------------------------------------------------------

    def get_planes(self, of: Node | MemorySpace | None = None) -> Any:
        """Return the planes of a node as a list, or those of all nodes (in a space) by node."""
        if of is None:
            return {node: list(planes) for node, planes in self._planes.items()}
        if not isinstance(of, MemorySpace):
            return list(self._planes.get(of, ()))
        found = {
            node: [plane for plane in planes if plane.mem_space is of]
            for node, planes in self._planes.items()
        }
        return {node: planes for node, planes in found.items() if planes}

    def get_nb_planes(self, of: Node | MemorySpace) -> int:
        """Count the planes of a node or in a space."""
        if isinstance(of, MemorySpace):
            return len(self._of_space.get(of, ()))
        return len(self._planes.get(of, ()))

    def get_spaces(self) -> list[MemorySpace]:
        """Return the spaces in the order in which they were reserved."""
        return list(self._spaces)

    def get_offset(self, node: Node, plane: int = 0) -> int:
        """Return the offset of a plane of a node, in bytes."""
        return self._plane(node, plane).get_contiguous_offset()

    def get_size(self, node: Node, plane: int | None = None) -> int:
        """Return the bytes of one plane of a node, or of all of them."""
        if plane is not None:
            return self._plane(node, plane).get_size()
        return sum(each.get_size() for each in self._planes.get(node, ()))

    def get_peak_usage(self) -> int:
        """Return the size of the arena in bytes: the highest end of any space.

        Of several memories it is the sum; :meth:`get_peak_usages` gives each.
        """
        return sum(self.get_peak_usages())

    def get_peak_usages(self) -> list[int]:
        """Return the bytes that are needed of each memory."""
        peaks = [0] * len(self._memories)
        for space in self._spaces:
            peaks[space.component] = max(peaks[space.component], space.offset + space.size)
        return peaks

    get_peak_usage_multiple_mems = get_peak_usages

    def get_capacities(self) -> list[int | None]:
        """Return the sizes of the memories; None means no limit."""
        return list(self._memories.capacities)

    def get_max_lifetime(self) -> int:
        """Return the last tick at which a space was reserved or released."""
        return max((max(space.allocated, space.released) for space in self._spaces), default=0)

    def get_current_tick(self) -> int:
        """Return the number of ticks that have passed."""
        return self._now

    @staticmethod
    def is_wrap_around(
        mem_space: MemorySpace,
        offset: int,
        size: int,
        stride: int = 0,
        length: int = 1,
        count: int = 1,
    ) -> bool:
        """Return whether a plane that starts ``offset`` bytes into a space would wrap around."""
        return offset + max(size, stride) * length * count > mem_space.size

    def optimize(self, strategy: OptimizeStrategy | None = None) -> None:
        """Move the spaces, now that all lifetimes are known; the peak may grow or shrink.

        Without a strategy it never grows: of all strategies, and the planner of this library, the
        one that gives the lowest peak is taken. A memory for which it would grow beyond the
        capacity stays as it is.
        """
        made = (plane.allocated for planes in self._of_space.values() for plane in planes)
        horizon = max(self.get_max_lifetime(), *made) if self._of_space else 0
        for component in range(len(self._memories)):
            spaces = [space for space in self._spaces if space.component == component]
            if strategy is None:
                offsets = place_spaces_best(spaces, self._of_space, horizon)
            else:
                offsets = place_spaces(spaces, self._of_space, strategy, horizon)
            ends = (offset + s.size for s, offset in zip(spaces, offsets, strict=True))
            if self._memories.has_room(component, max(ends, default=0)):
                for space, offset in zip(spaces, offsets, strict=True):
                    space.offset = offset
        self._memories.sort()

    # --- inside -----------------------------------------------------------------------------

    def _release_space(self, space: MemorySpace) -> int:
        if space.released >= 0:
            return 0
        space.released = self._now
        return 0 if space.dependencies else self._memories.take(space)

    def _plane(self, node: Node, index: int) -> MemoryPlane:
        planes = self._planes.get(node, [])
        if not 0 <= index < len(planes):
            raise MemoryPlanError.at(
                getattr(node, "label", str(node)),
                f"has no memory plane {index}",
                expected=f"0 to {len(planes) - 1}" if planes else "no plane at all",
                found=index,
                cure="Producers have planes with inc_producers=True alone.",
            )
        return planes[index]

    def _check_own(self, space: MemorySpace) -> None:
        if not any(space is mine for mine in self._spaces):
            raise MemoryPlanError.at("memory space", "belongs to another memory manager")

    def __repr__(self) -> str:
        return (
            f"MemoryManager({len(self._spaces)} spaces, peak {self.get_peak_usage()} bytes, "
            f"tick {self._now})"
        )


def _relative_offset(mem: MemorySpace | MemoryPlane, offset: int) -> int:
    if isinstance(mem, MemorySpace):
        return offset
    return mem.get_final_offset() - mem.mem_space.offset + offset


def _split_node(args: tuple[Any, ...]) -> tuple[Any, tuple[Any, ...]]:
    if args and not isinstance(args[0], int):
        return args[0], args[1:]
    return None, args


def _check_size(what: str, size: int) -> None:
    if size < 0:
        raise MemoryPlanError.at(what, "is negative", expected="0 or more", found=size)
