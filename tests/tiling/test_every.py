"""Every operator: cut along every axis it keeps its bits, or is refused with a reason."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb import tiling
from aidge_nb.core.errors import GraphError, ShapeError
from aidge_nb.graph.spec import SPECS
from aidge_nb.ops.build import make_node
from aidge_nb.tiling.rules import can_tile
from tests.kernels.case import Case
from tests.kernels.tables.every import CASES, IDS
from tests.tiling.graphs import Array, fill, run

KNOWN = [
    (case, name)
    for case, name in zip(CASES, IDS, strict=True)
    if case.arrays and case.arrays[0] is not None and 1 < case.arrays[0].size < 10_000
]

REFUSED = {
    *("ArgMax", "ArgMin", "Compress", "CumSum", "DepthToSpace", "Einsum", "Expand", "EyeLike"),
    *("Flatten", "Fold2D", "Gather", "GatherElements", "GatherND", "OneHot", "Reshape", "Resize"),
    *("ReduceL1", "ReduceL2", "ReduceLogSum", "ReduceLogSumExp", "ReduceMax", "ReduceMean"),
    *("ReduceMin", "ReduceProd", "ReduceSum", "ReduceSumSquare", "Scatter", "ScatterND", "Shape"),
    *("Slice", "SpaceToDepth", "Split", "Squeeze", "Tile", "TopK", "Transpose", "Trilu"),
    *("ConstantOfShape", "NonZero", "Range", "Select", "Size", "Unfold2D", "Unsqueeze"),
    *("Memorize", "Pop", "Producer", "Stack"),
}
"""Operators without a rule: their parts are no parts of what they read."""


def graph_of(case: Case) -> tuple[aidge_nb.GraphView, aidge_nb.Node] | None:
    """Make a graph of one operator; all inputs but the first come from Producers."""
    count = len(case.arrays) if case.spec.variadic else None
    node = make_node(case.spec, "n", nb_inputs=count, **case.attrs)
    view = aidge_nb.GraphView()
    view.add(node)
    for index, array in enumerate(case.arrays[1:], 1):
        if array is not None:
            given = aidge_nb.Producer(aidge_nb.Tensor(array), name=f"p{index}")
            given.add_child(node, 0, index)
            view.add(given)
    view.set_backend("cpu")
    assert case.arrays[0] is not None
    dims = list(case.arrays[0].shape)
    return (view, node) if view.forward_dims([dims], allow_data_dependency=True) else None


def test_operators_without_a_rule_are_known() -> None:
    made = [(case.type, graph_of(case)) for case, _ in KNOWN]
    ruled = {name for name, found in made if found is not None and can_tile(found[1])}
    unruled = {name for name, found in made if found is not None and not can_tile(found[1])}
    assert unruled <= REFUSED
    assert not ruled & REFUSED
    assert set(SPECS) - ruled - REFUSED == set()


@pytest.mark.parametrize("case", [pytest.param(case, id=name) for case, name in KNOWN])
def test_parts_of_an_operator_have_the_bits_of_the_whole(case: Case) -> None:
    made = graph_of(case)
    if made is None or case.attrs.get("training_mode"):
        return
    view, node = made
    data = case.arrays[0]
    assert data is not None
    before = run(view.clone(), data)
    reasons: list[str] = []
    tiled = 0
    for axis, size in enumerate(before.shape):
        for parts in {2, size} if size > 1 else ():
            copy, where = view.clone_with_map()
            try:
                found = aidge_nb.plan_tiling(copy, [where[node]], {axis: parts})
            except (GraphError, ShapeError) as error:
                reasons.append(str(error))
                continue
            tiling.check_tiling(copy, found)
            aidge_nb.apply_tiling(copy, found)
            after = run(copy, data)
            assert after.dtype == before.dtype
            assert after.tobytes() == before.tobytes(), (case, axis, parts)
            tiled += 1
    assert all(reason.startswith("n (") for reason in reasons)
    assert not (tiled and case.type in REFUSED)


PRODUCTS = [
    pytest.param((640, 250), [1, 640], [{1: 2}, {1: 7}, {1: 50}], id="one row"),
    pytest.param((300, 77), [9, 300], [{0: 4}, {1: 10}, {0: 9, 1: 3}], id="rows"),
    pytest.param((12 * 7 * 7, 33), [3, 12, 7, 7], [{0: 3}, {0: 2, 1: 5}], id="maps"),
]


@pytest.mark.parametrize("backend", ["cpu", "exact"])
@pytest.mark.parametrize("no_bias", [False, True])
@pytest.mark.parametrize(("sizes", "dims", "grids"), PRODUCTS)
def test_parts_of_fully_connected_layers(
    sizes: tuple[int, int],
    dims: list[int],
    grids: list[dict[int, int]],
    no_bias: bool,
    backend: str,
) -> None:
    view = fill(aidge_nb.sequential([aidge_nb.FC(*sizes, no_bias=no_bias, name="n")]), 3)
    assert view.compile(backend, dims=[dims])
    same_bits(view, grids, np.random.default_rng(0).standard_normal(dims).astype(np.float32))


@pytest.mark.parametrize("backend", ["cpu", "exact"])
@pytest.mark.parametrize(
    ("left", "right", "grids"),
    [
        ([65, 130], [130, 70], [{0: 3}, {1: 4}, {0: 5, 1: 7}]),
        ([3, 20, 64], [64, 48], [{0: 3}, {1: 4}, {2: 5}, {0: 2, 1: 3, 2: 2}]),
        ([2, 3, 20, 64], [3, 64, 48], [{0: 2}, {1: 3}, {2: 4}, {1: 2, 2: 3, 3: 2}]),
        ([4, 1, 5, 40], [6, 40, 9], [{0: 3, 1: 4}, {2: 5, 3: 3}]),
    ],
)
def test_parts_of_products_of_matrices(
    left: list[int], right: list[int], grids: list[dict[int, int]], backend: str
) -> None:
    random = np.random.default_rng(0)
    node = aidge_nb.MatMul("n")
    view = aidge_nb.sequential([node])
    values = aidge_nb.Tensor(random.standard_normal(right).astype(np.float32))
    given = aidge_nb.Producer(values, name="right")
    given.add_child(node, 0, 1)
    view.add(given)
    assert view.compile(backend, dims=[left])
    same_bits(view, grids, random.standard_normal(left).astype(np.float32))


def same_bits(view: aidge_nb.GraphView, grids: list[dict[int, int]], data: Array) -> None:
    """Tile the node called n in every way; run by the scheduler, and prepared in its arena."""
    before = run(view.clone(), data)
    assert before.any()
    for grid in grids:
        copy = view.clone()
        found = aidge_nb.plan_tiling(copy, [copy.get_node("n")], grid)
        tiling.check_tiling(copy, found)
        aidge_nb.apply_tiling(copy, found)
        assert np.array_equal(run(copy, data), before), grid
        plan = aidge_nb.plan_memory(copy, copy.topological_order(), parts=True)
        ran: Any = aidge_nb.runtime.run_in_arena(copy, plan, [data])
        assert np.array_equal(ran.outputs[0], before), grid


def test_a_product_with_a_vector_is_refused() -> None:
    node = aidge_nb.MatMul("n")
    view = aidge_nb.sequential([node])
    given = aidge_nb.Producer(aidge_nb.Tensor(np.ones(4, np.float32)), name="right")
    given.add_child(node, 0, 1)
    view.add(given)
    assert view.forward_dims([[6, 4]])
    with pytest.raises(GraphError, match=r"n .MatMul.: a product with a vector.*Unsqueeze"):
        aidge_nb.plan_tiling(view, [node], {0: 2})
