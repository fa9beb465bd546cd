"""Mapped networks: tiles in the memories of their elements, and the same bits."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import aidge_nb
from aidge_nb import hardware
from aidge_nb.core.errors import ExportError
from aidge_nb.export import check_export, export, plan_export
from aidge_nb.graph import GraphView
from aidge_nb.hardware import Mapping
from tests.export.building import Builder
from tests.export.models import fill_producers


def network() -> GraphView:
    """Make a network whose layers do not fit a local memory."""
    layers = [
        aidge_nb.PaddedConv2D(3, 16, [3, 3], name="conv1", padding_dims=[1, 1, 1, 1]),
        aidge_nb.ReLU(name="relu1"),
        aidge_nb.MaxPooling2D([2, 2], name="pool", stride_dims=[2, 2]),
        aidge_nb.Conv2D(16, 8, [3, 3], name="conv2"),
    ]
    view = aidge_nb.sequential(layers, "network")
    assert view.forward_dims([[1, 3, 48, 48]])
    fill_producers(view)
    return view


def mapped(view: GraphView) -> Mapping:
    return hardware.map_schedule(view, hardware.target("quad_cluster"))


def test_memories_of_a_mapping_become_arenas() -> None:
    view = network()
    mapping = mapped(view)
    plan = plan_export(view, mapping=mapping)
    check_export(plan)
    used = {arena.memory: arena.size for arena in plan.arenas}
    capacities = dict(mapping.capacities)
    assert {"l2", "cluster/0/l1", "cluster/3/l1"} <= set(used)
    assert all(size <= capacities[memory] for memory, size in used.items())
    peaks = {each.path: each.peak for each in mapping.memories}
    assert all(size <= peaks[memory] for memory, size in used.items() if "l1" in memory)


def test_tiles_lie_with_the_element_that_computes_them() -> None:
    view = network()
    plan = plan_export(view, mapping=mapped(view))
    memory = {arena.symbol: arena.memory for arena in plan.arenas}
    where = {buffer.node: memory[buffer.arena] for buffer in plan.buffers}
    assert all(where[name].endswith("/l1") for name in where if name.startswith("conv1_0"))
    assert where["conv1_0"] == where["conv1_Slice_0"]


def test_a_mapped_program_has_the_bits_of_the_whole(tmp_path: Path, builder: Builder) -> None:
    view = network()
    package = export(view, tmp_path / "mapped", mapping=mapped(view))
    assert not builder.check(package)
    export(view, tmp_path / "whole")
    outputs = [next((tmp_path / n / "data/outputs").iterdir()) for n in ("mapped", "whole")]
    assert outputs[0].read_bytes() == outputs[1].read_bytes()


def test_a_memory_that_is_too_small_is_named() -> None:
    view = network()
    mapping = mapped(view)
    small = tuple((path, 1000 if path == "l2" else size) for path, size in mapping.capacities)
    with pytest.raises(ExportError, match=r"memory l2: .* does not fit: \d+ bytes too many"):
        plan_export(view, mapping=replace(mapping, capacities=small))


def test_a_node_without_a_place_is_named() -> None:
    view = network()
    mapping = mapped(view)
    others = tuple(each for each in mapping.placements if "conv2" not in each.holds)
    with pytest.raises(ExportError, match=r"conv2.*has no place in the mapping"):
        plan_export(view, mapping=replace(mapping, placements=others))


def test_a_mapping_alone_is_exported_with_its_graph(tmp_path: Path) -> None:
    view = network()
    mapping = mapped(view)
    one, two = tmp_path / "one", tmp_path / "two"
    files = export(mapping, one).files
    assert export(view, two, mapping=mapping).files == files
    assert all((one / name).read_bytes() == (two / name).read_bytes() for name in files)


def test_mappings_that_leave_open_what_is_meant_are_refused(tmp_path: Path) -> None:
    mapping = mapped(network())
    read = Mapping.from_dict(mapping.to_dict())
    with pytest.raises(ExportError, match=r"does not know its graph.*mapping=mapping\)"):
        export(read, tmp_path / "out")
    with pytest.raises(ExportError, match="two mappings"):
        export(mapping, tmp_path / "out", mapping=mapping)
    assert not (tmp_path / "out").exists()
