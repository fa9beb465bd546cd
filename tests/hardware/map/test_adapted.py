"""The hardware-adapted graph: tiled, in an order that runs, every value in a memory."""

from __future__ import annotations

import numpy as np
import pytest

import aidge_nb
from aidge_nb import hardware
from aidge_nb.core.errors import HardwareError
from aidge_nb.hardware import adapt, map_schedule
from tests.hardware.run.test_run import NAMES, model
from tests.tiling.graphs import run


@pytest.mark.parametrize("name", NAMES)
def test_it_runs_in_its_order_with_the_same_bits(name: str) -> None:
    view, data = model(name)
    before, nodes = run(view.clone(), data), list(view)
    mapping = map_schedule(view, hardware.target("quad_cluster"))
    adapted = adapt(view, mapping)
    assert list(view) == nodes
    assert np.array_equal(run(adapted.view, data), before)
    done: set[aidge_nb.Node] = set()
    for node in adapted.order:
        sources = {port.node for _, port in node.edges_in() if port.node.type() != "Producer"}
        assert sources <= done
        done.add(node)
    assert done == {node for node in adapted.view if node.type() != "Producer"}
    paths = {memory.path for memory in hardware.target("quad_cluster").memories}
    assert set(adapted.memory_of.values()) <= paths
    assert set(adapted.memory_of) == done


def test_tiles_lie_where_their_elements_work_and_results_at_home() -> None:
    view, _ = model("tiling_model")
    mapping = map_schedule(view, hardware.target("quad_cluster"))
    adapted = adapt(view, mapping)
    by_type: dict[str, set[str]] = {}
    for node in adapted.order:
        by_type.setdefault(node.type(), set()).add(adapted.memory_of[node])
    assert by_type["Conv2D"] == {f"cluster/{number}/l1" for number in range(4)}
    assert by_type["Concat"] == {"l2"}
    elements = {adapted.element_of[n] for n in adapted.order if n.type() == "Conv2D"}
    assert elements == set(mapping.work("conv0").elements)
    assert not any(node.type() == "Concat" for node in adapted.element_of)


def test_mappings_of_other_graphs_are_refused() -> None:
    mapping = map_schedule(model("tiling_model")[0], hardware.target("quad_cluster"))
    with pytest.raises(HardwareError, match="belongs to another graph"):
        adapt(model("lenet")[0], mapping)
