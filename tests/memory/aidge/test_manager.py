"""The memory manager does what aidge_core's does, on recorded sequences of operations."""

from __future__ import annotations

from itertools import combinations
from typing import Any

import pytest

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph import Node
from aidge_nb.memory import MemoryManager, MemoryPlane, MemorySpace, OptimizeStrategy
from tests.memory.graphs import op
from tests.oracle import load

LAYOUT = ("stride", "length", "count")


class Player:
    """Plays recorded operations on a memory manager, numbering spaces and planes."""

    def __init__(self) -> None:
        self.manager = MemoryManager()
        self.nodes = [op(f"n{number}") for number in range(12)]
        self.spaces: list[MemorySpace] = []
        self.planes: list[MemoryPlane] = []

    def play(self, operation: dict[str, Any]) -> None:
        kind = operation["op"]
        method = getattr(self, f"_{kind}")
        returned = method(operation)
        if "returned" in operation:
            assert returned == operation["returned"], operation

    def readers(self, operation: dict[str, Any]) -> set[Node]:
        return {self.nodes[number] for number in operation.get("dependencies", ())}

    def _tick(self, operation: dict[str, Any]) -> None:
        self.manager.tick()

    def _reserve(self, operation: dict[str, Any]) -> None:
        self.spaces.append(self.manager.reserve(operation["size"], self.readers(operation)))

    def _expand(self, operation: dict[str, Any]) -> None:
        self.manager.expand(self.spaces[operation["space"]], operation["required_size"])

    def _release(self, operation: dict[str, Any]) -> int:
        return self.manager.release(self.spaces[operation["space"]])

    def _release_dependencies(self, operation: dict[str, Any]) -> int:
        return self.manager.release_dependencies(self.nodes[operation["node"]])

    def _allocate(self, operation: dict[str, Any]) -> None:
        layout = {key: operation[key] for key in LAYOUT if key in operation}
        args = (operation["size"], self.readers(operation))
        if "node" in operation:
            node = self.nodes[operation["node"]]
            number = self.manager.allocate(node, *args, **layout)
            plane = self.manager.get_planes(node)[number]
        else:
            plane = self.manager.allocate(*args, **layout)
        self.planes.append(plane)
        self.spaces.append(plane.mem_space)

    def _reallocate(self, where: Any, offset: int, operation: dict[str, Any]) -> None:
        self.planes.append(
            self.manager.reallocate(
                where,
                offset,
                operation["size"],
                operation["wrap_around"],
                operation["extra_size"],
                self.readers(operation),
                **{key: operation[key] for key in LAYOUT if key in operation},
            )
        )

    def _reallocate_space(self, operation: dict[str, Any]) -> None:
        self._reallocate(self.spaces[operation["space"]], operation["offset"], operation)

    def _reallocate_plane(self, operation: dict[str, Any]) -> None:
        self._reallocate(self.planes[operation["plane"]], operation["extra_offset"], operation)


def play(operations: list[dict[str, Any]]) -> Player:
    player = Player()
    for operation in operations:
        player.play(operation)
    return player


def state(player: Player) -> dict[str, Any]:
    """Describe the end as the recordings do."""
    return {
        "peak": player.manager.get_peak_usage(),
        "max_lifetime": player.manager.get_max_lifetime(),
        "tick": player.manager.get_current_tick(),
        "spaces": [
            {
                "offset": space.offset,
                "size": space.size,
                "allocated": space.allocated,
                "released": space.released,
                "dependencies": sorted(player.nodes.index(node) for node in space.dependencies),
            }
            for space in player.spaces
        ],
        "planes": [
            {
                "offset": plane.offset,
                "size": plane.size,
                "stride": plane.stride,
                "length": plane.length,
                "count": plane.count,
                "contiguous_offset": plane.get_contiguous_offset(),
                "contiguous_size": plane.get_contiguous_size(),
                "wrapped_offset": plane.get_wrapped_offset(),
                "wrapped_size": plane.get_wrapped_size(),
                "final_offset": plane.get_final_offset(),
                "limit": plane.get_limit(),
                "allocated": plane.allocated,
                "total": plane.get_size(),
                "useful": plane.get_useful_size(),
            }
            for plane in player.planes
        ],
    }


@pytest.mark.parametrize("name", ["memory_manager_a", "memory_manager_layout_a"])
def test_recorded_operations_end_in_the_recorded_state(name: str) -> None:
    for case in load(name)["cases"]:
        expected = {key: value for key, value in case.items() if key != "operations"}
        assert state(play(case["operations"])) == expected


@pytest.mark.parametrize("strategy", list(OptimizeStrategy))
def test_optimize_moves_spaces_as_recorded(strategy: OptimizeStrategy) -> None:
    for case in load("memory_optimize_a")["cases"]:
        player = play(case["operations"])
        player.manager.optimize(strategy)
        expected = case["optimize"][strategy.name.removesuffix("_")]
        offsets = [plane.get_contiguous_offset() for plane in player.planes]
        assert {"peak": player.manager.get_peak_usage(), "offsets": offsets} == expected


def test_optimize_without_a_strategy_is_never_worse() -> None:
    for case in load("memory_optimize_a")["cases"]:
        manager = play(case["operations"]).manager
        manager.optimize()
        peaks = [each["peak"] for each in case["optimize"].values()]
        assert manager.get_peak_usage() <= min(peaks)


def test_optimize_without_a_strategy_finds_what_no_strategy_does() -> None:
    lives = [(0, 0, 3), (1, 4, 1), (3, 5, 1), (5, 6, 3)]  # first tick, last tick, size

    def peak(strategy: OptimizeStrategy | None) -> int:
        manager, planes = MemoryManager(), []
        for tick in range(7):
            for first, last, size in lives:
                if first == tick:
                    planes.append((last, manager.allocate(size)))
            for last, plane in planes:
                if last == tick:
                    manager.release(plane.mem_space)
            manager.tick()
        manager.optimize(strategy)
        spaces = manager.get_spaces()
        for one, two in combinations(spaces, 2):
            apart = one.released < two.allocated or two.released < one.allocated
            above = two.offset + two.size <= one.offset
            assert apart or above or one.offset + one.size <= two.offset
        return manager.get_peak_usage()

    most_alive = max(sum(s for first, last, s in lives if first <= t <= last) for t in range(7))
    assert peak(None) == most_alive < min(peak(strategy) for strategy in OptimizeStrategy)


def test_release_of_a_node_releases_its_spaces_and_what_it_read() -> None:
    manager, a, b = MemoryManager(), op("a"), op("b")
    manager.allocate(a, 10, {b})
    manager.allocate(b, 20)
    assert manager.release(b) == 30
    assert manager.reserve(30).offset == 0


def test_what_the_manager_knows_about_nodes() -> None:
    manager, a, b = MemoryManager(), op("a"), op("b")
    manager.allocate(a, 10)
    manager.allocate(a, 6)
    space = manager.get_planes(a)[0].mem_space
    assert manager.get_nb_planes(a) == 2
    assert manager.get_nb_planes(space) == 1
    assert (manager.get_size(a), manager.get_size(a, 1), manager.get_offset(a, 1)) == (16, 6, 10)
    assert manager.get_planes(space) == {a: manager.get_planes(a)[:1]}
    assert manager.get_planes(b) == []
    assert list(manager.get_planes()) == [a]
    assert len(manager.get_spaces()) == 2
    assert MemoryManager.is_wrap_around(space, 4, 7)
    assert not MemoryManager.is_wrap_around(space, 4, 6)
    assert repr(manager) == "MemoryManager(2 spaces, peak 16 bytes, tick 0)"


def test_an_empty_manager_needs_nothing() -> None:
    manager = MemoryManager()
    manager.optimize(OptimizeStrategy.OptimizeMaxLifetimeMaxSizeFirst)
    assert (manager.get_peak_usage(), manager.get_max_lifetime()) == (0, 0)


def test_a_node_without_planes_is_named() -> None:
    with pytest.raises(MemoryPlanError, match=r"a \(Op\): has no memory plane 0 .*inc_producers"):
        MemoryManager().get_offset(op("a"))


def test_a_negative_size_is_refused() -> None:
    with pytest.raises(MemoryPlanError, match=r"size of the plane: is negative .*found -1"):
        MemoryManager().allocate(-1)
    with pytest.raises(MemoryPlanError, match="size of the space: is negative"):
        MemoryManager().reserve(-1)


def test_a_space_of_another_manager_is_refused() -> None:
    space = MemoryManager().reserve(4)
    with pytest.raises(MemoryPlanError, match="belongs to another memory manager"):
        MemoryManager().expand(space, 8)
