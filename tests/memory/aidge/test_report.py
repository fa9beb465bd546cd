"""Text logs and figures about memory."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph import GraphView, Node
from aidge_nb.memory import (
    OptimizeStrategy,
    compute_default_mem_info,
    describe_plan,
    generate_memory,
    generate_optimized_memory_info,
    memory_info,
    memory_info_text,
    plan_memory,
)
from tests.memory.graphs import chain, graph, opaque, producer, reshape, unary
from tests.oracle import build_graph, load, names


class Scheduled:
    """A scheduler that gives a fixed order."""

    def __init__(self, view: GraphView, order: list[Node] | None = None) -> None:
        self._view, self._order = view, order or list(view.get_nodes())

    def graph_view(self) -> GraphView:
        return self._view

    def get_sequential_static_scheduling(self) -> list[Node]:
        return self._order


@pytest.fixture
def scheduled() -> Scheduled:
    view = graph(
        [opaque("in", 6), producer("w", 8), opaque("fc", 6, nb_inputs=2), unary("relu", 6)],
        [(0, 2), (1, 2), (2, 3)],
    )
    return Scheduled(view)


def once(text: str) -> str:
    """Drop the repetitions of a node that runs several times."""
    return "".join(dict.fromkeys(f"{block}\n\n" for block in text.split("\n\n") if block))


@pytest.mark.parametrize("name", [name for name in names("memory") if "stack" not in name])
def test_the_text_is_the_recorded_one(name: str) -> None:
    recorded = load(name)
    memory = recorded["runs"]["data"]["memory"]
    view, nodes = build_graph(recorded)
    order = [nodes[each] for each in memory["order"]]
    for kind, text in memory.get("memory_info_txt", {}).items():
        if kind == "components" or (kind == "wrap" and name.startswith("counter")):
            continue
        manager = generate_memory(view, order, False, kind == "wrap", safe=False)
        expected = text if len(set(order)) == len(order) else once(text)
        assert memory_info_text(manager, order) == expected


def test_text_of_a_wrapped_plane(golden: Callable[[str, str], None]) -> None:
    recorded = load("protected_10_4_20")
    view, nodes = build_graph(recorded)
    order = [nodes[each] for each in recorded["runs"]["data"]["memory"]["order"]]
    golden("wrapped.txt", memory_info_text(generate_memory(view, order, False, True), order))


def test_without_any_reuse_outputs_lie_one_behind_the_other(scheduled: Scheduled) -> None:
    total, found = compute_default_mem_info(scheduled)
    assert total == 18  # elements, as in Aidge
    assert {node.name(): planes for node, planes in found.items()} == {
        "in": [{"size": 6, "offset": 0}],
        "w": [],
        "fc": [{"size": 6, "offset": 6}],
        "relu": [{"size": 6, "offset": 12}],
    }


def test_planes_are_described_in_bytes(scheduled: Scheduled) -> None:
    order = scheduled.get_sequential_static_scheduling()
    found = memory_info(generate_memory(scheduled.graph_view(), order), order)
    by_name = {node.name(): planes for node, planes in found.items()}
    assert by_name["w"][0]["size"] == 32
    assert "mem_component_id" not in by_name["w"][0]
    assert by_name["relu"] == [
        {
            "size": 24,
            "offset": 24,
            "stride": 24,
            "length": 1,
            "count": 1,
            "cont_offset": 24,
            "cont_size": 24,
            "wrap_offset": 24,
            "wrap_size": 0,
            "mem_component_id": 0,
        }
    ]


def test_the_report_writes_a_text_and_a_picture(scheduled: Scheduled, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    peak, found = generate_optimized_memory_info(scheduled, folder, wrapping=False)
    assert (peak, len(found)) == (48, 4)
    assert (folder / "memory_info.txt").read_text(encoding="utf-8").startswith("in:\n  0 0 (0x")
    assert (folder / "memory_info.svg").read_text(encoding="utf-8").lstrip().startswith("<")
    drawn = (folder / "memory_info.png").read_bytes()
    assert drawn.startswith(b"\x89PNG\r\n\x1a\n")
    width, height = int.from_bytes(drawn[16:20]), int.from_bytes(drawn[20:24])
    assert width > height > 100  # a picture with a time axis, not a dot


def test_the_report_takes_all_settings(scheduled: Scheduled) -> None:
    peak, _ = generate_optimized_memory_info(
        scheduled,
        auto_concat=True,
        inc_producers=True,
        memory_alignment=64,
        mem_optimize_strategy=OptimizeStrategy.OptimizeMaxLifetimeMaxSizeFirst,
    )
    assert peak == 192


def test_the_report_knows_several_memories(scheduled: Scheduled, tmp_path: Path) -> None:
    peaks, found = generate_optimized_memory_info(
        scheduled, tmp_path, capacities=[40, 100], priorities=[1, 0]
    )
    assert peaks == [0, 48]
    small, _ = generate_optimized_memory_info(scheduled, capacities=[24, 100])
    assert small == [24, 24]
    where = {node.name(): planes[0].get("mem_component_id") for node, planes in found.items()}
    assert where == {"in": 1, "w": None, "fc": 1, "relu": 1}
    assert "[MEM_1] @ 0" in (tmp_path / "memory_info.txt").read_text(encoding="utf-8")
    assert (tmp_path / "memory_info.svg").read_text(encoding="utf-8").startswith("<svg")


def test_several_memories_must_suffice_and_do_not_wrap_around(scheduled: Scheduled) -> None:
    with pytest.raises(MemoryPlanError, match="wrap around in a single memory alone"):
        generate_optimized_memory_info(scheduled, wrapping=True, capacities=[40, 100])
    with pytest.raises(MemoryPlanError, match="no memory has room for it"):
        generate_optimized_memory_info(scheduled, capacities=[8, 8])


def test_what_matters_about_a_plan(golden: Callable[[str, str], None]) -> None:
    view = chain(opaque("a", 100), reshape("v", 100), unary("b", 100), opaque("c", 50))
    golden("describe.txt", describe_plan(plan_memory(view, list(view.get_nodes()))) + "\n")
    assert describe_plan(plan_memory(GraphView("empty"), [])).startswith("peak         0 bytes")
