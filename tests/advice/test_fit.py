"""Does it fit, and what does it take: each measure planned for."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest

import aidge_nb
from aidge_nb import ops
from aidge_nb.advice import FitReport, find_changes, fit
from aidge_nb.advice.joint import Trials
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.course.graphs import bars_net
from aidge_nb.graph import GraphView, Node
from aidge_nb.memory import PlanOptions, check_plan, plan_memory


def model(nodes: Sequence[Node], *dims: Sequence[int]) -> GraphView:
    view = GraphView("m")
    view.add(nodes, True)
    assert view.forward_dims(dims)
    return view


def in_line(*nodes: Node) -> Sequence[Node]:
    for parent, child in zip(nodes, nodes[1:], strict=False):  # noqa: RUF007
        parent.add_child(child, 0, 0)
    return nodes


def plain() -> GraphView:
    return model(in_line(ops.FC(4, 8, name="a"), ops.FC(8, 4, name="b")), [1, 4])


def element_wise() -> GraphView:
    return model(in_line(ops.FC(4, 8, name="a"), ops.ReLU(name="b")), [1, 4])


def sliding() -> GraphView:
    line = in_line(
        ops.Conv2D(1, 4, [1, 1], name="a"), ops.MaxPooling2D([2, 2], "b", [2, 2], ceil_mode=False)
    )
    return model(line, [1, 1, 8, 8])


def splitting() -> GraphView:
    a, split = ops.Softmax(1, name="a"), ops.Split(2, 1, name="s")
    b, c = ops.FC(8, 1, name="b"), ops.FC(8, 1, name="c")
    a.add_child(split)
    split.add_child(b, 0, 0)
    split.add_child(c, 1, 0)
    return model([a, split, b, c], [1, 16])


def fusing() -> GraphView:
    big, other, mul = ops.FC(4, 64, name="big"), ops.FC(4, 64, name="other"), ops.Mul(name="mul")
    last = ops.Softmax(1, name="last")
    big.add_child(mul, 0, 0)
    other.add_child(mul, 0, 1)
    mul.add_child(last)
    return model([big, other, mul, last], [1, 4], [1, 4])


def branching() -> GraphView:
    fork, join = ops.Softmax(1, name="fork"), ops.Concat(2, 1, name="join")
    inner = []
    for index in range(2):
        grow, shrink = ops.FC(4, 64), ops.FC(64, 4)
        in_line(fork, grow, shrink)
        shrink.add_child(join, 0, index)
        inner += [grow, shrink]
    return model([fork, *inner, join], [1, 4])


@pytest.mark.parametrize(
    ("make", "budget", "taken"),
    [
        (plain, 48, ()),
        (element_wise, 32, ("in place",)),
        (sliding, 4 * 64 * 4, ("by rows",)),
        (splitting, 72, ("parts",)),
        (fusing, 512, ("in place",)),
        (branching, 288, ("order",)),
    ],
)
def test_the_least_intrusive_measure_is_taken(
    make: Callable[[], GraphView], budget: int, taken: tuple[str, ...]
) -> None:
    found = fit(make(), budget, in_place=False)
    assert found.fits
    assert found.taken == taken
    assert found.excess == 0
    assert found.crowded == ()
    assert found.plan.peak <= budget
    check_plan(found.plan)
    less = fit(make(), found.plan.peak - 1, in_place=False)
    assert less.taken is None or len(less.taken) >= len(taken)


def test_measures_are_combined_when_one_is_not_enough() -> None:
    line = in_line(
        ops.Conv2D(1, 4, [1, 1], name="a"),
        ops.ReLU(name="r"),
        ops.MaxPooling2D([2, 2], "b", [2, 2]),
    )
    found = fit(model(line, [1, 1, 8, 8]), 4 * 64 * 4, in_place=False)
    assert found.taken == ("in place", "by rows")
    alone = {each.names: each.peak for each in found.tried if len(each.names) == 1}
    assert all(peak is None or peak > found.budget for peak in alone.values())
    assert alone["tiling",] is None
    assert repr(found) == (
        "FitReport(fits 1024 bytes with in place + by rows: peak 1024 bytes, was 2048)"
    )


def test_what_does_not_fit_says_where_and_by_how_much() -> None:
    found = fit(plain(), 40)
    assert (found.fits, found.excess, found.taken) == (False, 8, None)
    assert found.crowded == ((1, "b", ("a", "b")),)
    assert repr(found) == ("FitReport(does not fit 40 bytes: 8 bytes too many, at tick 1 (b))")
    assert "most lives at tick 1, when b runs:\n" in str(found)
    assert "48  tiling\n" in str(found)


def test_a_report_tells_of_one_plan_and_of_one_tick() -> None:
    line = in_line(
        ops.Conv2D(1, 4, [1, 1], name="a"), ops.ReLU(name="r"), ops.Conv2D(4, 1, [1, 1], name="b")
    )
    found = fit(model(line, [1, 1, 8, 8]), 10, in_place=False)
    assert found.peak == found.plan.peak == min(each.peak or 9999 for each in found.tried)
    assert found.default_peak == 2 * 4 * 64 * 4 > found.peak
    tick = found.plan.peak_tick
    assert len(found.crowded) > 1
    assert f"at tick {tick} ({found.plan.order[tick]})" in repr(found)
    assert f"most lives at tick {tick}, when {found.plan.order[tick]} runs:" in str(found)
    for buffer in found.plan.live_set():
        assert f"{buffer.size}  {buffer.name}" in str(found)


def test_reports_go_through_json_and_show_themselves() -> None:
    found = fit(sliding(), 1024)
    assert FitReport.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    assert found._repr_mimebundle_()["text/plain"] == str(found)
    assert repr(fit(plain(), 100)) == "FitReport(fits 100 bytes as it is: peak 48 bytes)"


def test_measures_that_change_the_graph_are_tried_last() -> None:
    small = plan_memory(GraphView("empty"), [])
    view = model([ops.FC(4, 2, name="half")], [1, 4])
    half = plan_memory(view, view.topological_order())
    found = fit(plain(), 40, others={"tiling": lambda: half, "nothing": lambda: small})
    assert found.taken == ("tiling",)
    assert (found.plan, found.tried[-2].peak) == (half, 8)
    assert fit(plain(), 4, others={"tiling": lambda: half}).excess == 4
    assert fit(plain(), 48, others={"tiling": lambda: half}).taken == ()


def test_the_graph_is_tiled_where_nothing_else_is_enough() -> None:
    convs = [ops.Conv2D(8, 8, [3, 3], f"conv{number}") for number in range(3)]
    view = model(in_line(*convs, ops.MaxPooling2D([4, 4], "pool", [4, 4])), [1, 8, 38, 38])
    found = fit(view, 20_000)
    assert found.taken == ("tiling",)
    assert found.peak <= 20_000 < min(each.peak or 0 for each in found.tried[:-1])
    assert len(found.plan.order) > len(convs) + 1  # its plan is that of the tiled graph
    check_plan(found.plan)
    large = fit(view, 200_000)
    assert large.taken == ()
    assert "tiling  (not tried: it fits without)" in str(large)
    small = fit(view, 100)
    assert (small.taken, small._best()) == (None, ("by rows", "tiling"))
    assert "bytes too many with by rows + tiling, at tick" in repr(small)


def test_it_starts_from_the_plan_that_is_shown() -> None:
    view = element_wise()
    found = fit(view, 32)
    assert (found.taken, found.default_peak) == ((), plan_memory(view).peak)


def test_order_and_layout_are_chosen_together_before_tiles_are() -> None:
    graph = aidge_nb.zoo.load("inception_like", size=32)
    graph.forward_dims([[1, 3, 32, 32]])
    peaks = {each.names: each.peak or 0 for each in fit(graph, 1 << 20).tried}
    assert min(peaks["order",], peaks["by rows",]) > 33_000
    found = fit(graph, 33_000)
    assert found.taken == ("order", "by rows")
    assert found.peak == aidge_nb.plan_jointly(graph, by_rows=True).peak <= 33_000
    check_plan(found.plan)


@pytest.mark.parametrize(
    ("budget", "taken", "peak"),
    [
        (57_344, (), 57_344),
        (53_248, ("order",), 51_200),
        (36_864, ("order", "by rows"), 34_816),
        (28_160, ("tiling",), 28_160),
    ],
)
def test_the_bars_network_is_tiled_or_fused_where_nothing_less_is_enough(
    budget: int, taken: tuple[str, ...], peak: int
) -> None:
    """Order and rows are chosen together, before anything that changes the graph."""
    graph = bars_net()
    found = fit(graph, budget)
    assert (found.taken, found.fits) == (taken, True)
    assert found.peak <= peak
    assert found.default_peak == plan_memory(graph).peak == 57_344
    check_plan(found.plan)
    advised = find_changes(graph, plan_memory(graph), budget=budget).changes if taken else ()
    assert all(change.before == 57_344 for change in advised)
    assert not taken or advised[0].measures == taken
    assert not any("fuse" in change.measures for change in advised)


def test_fusions_come_after_everything_that_runs_today() -> None:
    graph = fusing()
    trials = Trials(graph, graph.topological_order(), PlanOptions(in_place=False), 1)
    names = trials.sets()
    first = next(number for number, each in enumerate(names) if "fuse" in each)
    assert all("fuse" in each for each in names[first:])
    assert {"in place"} <= {name for each in names[:first] for name in each}


def test_what_cannot_be_tiled_says_why() -> None:
    nodes = [ops.Tanh(name="t"), ops.Pop(name="pop"), ops.ReLU(name="r")]
    view = aidge_nb.sequential([aidge_nb.Producer([3, 4], name="x"), *nodes])
    assert view.forward_dims()
    assert "tiling  (not tried: pop (Pop) runs several times)" in str(fit(view, 10))


@pytest.mark.parametrize("budget", [0, -5])
def test_a_budget_must_be_a_size(budget: int) -> None:
    with pytest.raises(MemoryPlanError, match=r"budget: is not positive.*found"):
        fit(plain(), budget)


@pytest.mark.parametrize("budget", ["50k", 1.5, None, True])
def test_a_budget_must_be_a_whole_number(budget: Any) -> None:
    with pytest.raises(MemoryPlanError, match=r"budget: is not a whole number of bytes .*found"):
        fit(plain(), budget)


def test_unknown_dims_and_orders_of_other_graphs_are_refused() -> None:
    node = ops.ReLU(name="a")
    view = GraphView()
    view.add([node])
    with pytest.raises(MemoryPlanError, match=r"a \(ReLU\), output#0: .*forward_dims"):
        fit(view, 10, [node])
    with pytest.raises(MemoryPlanError, match=r"a \(ReLU\): execution 0 .* not in the graph"):
        fit(plain(), 10, [node])
