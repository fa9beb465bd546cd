"""What fills a memory plan, and what would lower its peak: planned for, not guessed."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings

from aidge_nb import ops
from aidge_nb.advice import Advice, MemoryReport, holes_by_tick, memory_report
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph import GraphView, Node
from aidge_nb.memory import WhatIf, live_values, plan_memory
from tests.memory.graphs import binary, chain, graph, opaque, unary
from tests.memory.test_random_graphs import graphs


def lives(view: GraphView, what_if: WhatIf) -> dict[str, str]:
    found = live_values(view, list(view.get_nodes()), what_if=what_if)
    return {
        value.name: f"[{value.lower}, {value.upper})"
        + "".join(f" on {name}" for name in value.in_place_of)
        for storage in found.storages
        for value in storage.values
    }


def pair(first: str, second: str) -> WhatIf:
    return WhatIf(fused=((first, second),))


def test_a_fused_value_is_not_stored_and_its_inputs_live_on() -> None:
    view = chain(opaque("a"), opaque("p"), unary("x"), opaque("z"))
    assert lives(view, WhatIf())["p"] == "[1, 3)"
    assert lives(view, pair("p", "x")) == {"a": "[0, 3)", "x": "[2, 4)", "z": "[3, 4)"}


def test_a_fused_operator_may_overwrite_its_other_input() -> None:
    view = graph(
        [opaque("a"), opaque("b"), opaque("p"), binary("x")], [(0, 2), (2, 3, 0), (1, 3, 1)]
    )
    assert lives(view, pair("p", "x"))["x"] == "[3, 4) on b"


def test_what_the_other_half_reads_is_not_overwritten() -> None:
    view = graph([opaque("a"), opaque("p"), binary("x")], [(0, 1), (1, 2, 0), (0, 2, 1)])
    assert lives(view, WhatIf())["x"] == "[2, 3) on p"
    assert lives(view, pair("p", "x"))["x"] == "[2, 3)"


def test_an_operator_that_could_work_in_place() -> None:
    view = chain(opaque("a"), opaque("b"))
    assert lives(view, WhatIf(in_place=("b",)))["b"] == "[1, 2) on a"


def softmax_model() -> tuple[GraphView, list[Node]]:
    nodes = [
        ops.FC(4, 32, name="wide"),
        ops.Softmax(0, name="soft"),
        ops.FC(32, 4, name="narrow"),
        ops.Tanh(name="end"),
    ]
    for parent, child in zip(nodes, nodes[1:], strict=False):  # noqa: RUF007
        parent.add_child(child, 0, 0)
    view = GraphView("m")
    view.add(nodes, True)
    view.forward_dims([[1, 4]])
    return view, nodes


def test_advice_is_what_comes_out_when_memory_is_planned_with_it() -> None:
    view, order = softmax_model()
    report = memory_report(view, order)
    assert report.plan.peak == 256
    (advice,) = report.advice
    assert advice == Advice("in place", ("soft",), 144, 112)
    changed = plan_memory(view, order, what_if=WhatIf(in_place=("soft",)))
    assert changed.peak == advice.peak


def test_advice_to_fuse_and_to_reorder_is_found() -> None:
    fork, join = ops.Tanh(name="fork"), ops.Add(name="join")
    nodes = [fork]
    for index in range(2):
        grow = ops.FC(4, 64, name=f"grow{index}")
        shrink = ops.FC(64, 4, name=f"shrink{index}")
        fork.add_child(grow)
        grow.add_child(shrink)
        shrink.add_child(join, 0, index)
        nodes += [grow, shrink]
    order = [fork, nodes[1], nodes[3], nodes[2], nodes[4], join]
    view = GraphView("fork")
    view.add([*order], True)
    view.forward_dims([[1, 4]])
    report = memory_report(view, order)
    assert ("order", 288) in [(each.change, each.peak) for each in report.advice]

    big, mul = ops.FC(4, 64, name="big"), ops.Mul(name="mul")
    other = ops.FC(4, 64, name="other")
    big.add_child(mul, 0, 0)
    other.add_child(mul, 0, 1)
    view = GraphView("mul")
    view.add([big, other, mul], True)
    view.forward_dims([[1, 4], [1, 4]])
    report = memory_report(view, [big, other, mul])
    fused = [each for each in report.advice if each.change == "fuse"]
    assert [(each.nodes, each.peak, each.saves) for each in fused] == [
        (("big", "mul"), 256, 256),
        (("other", "mul"), 256, 256),
    ]
    assert report.advice[0].saves == max(each.saves for each in report.advice)


def test_reports_print_and_go_through_json() -> None:
    view, order = softmax_model()
    report = memory_report(view, order)
    assert repr(report) == f"MemoryReport({report.plan!r}, 1 changes that help)"
    assert "a kernel of soft that works in place: 112 bytes less (144)" in str(report)
    assert MemoryReport.from_dict(json.loads(json.dumps(report.to_dict()))) == report
    shown = report._repr_mimebundle_()
    assert shown["text/plain"] == str(report)
    assert "image/svg+xml" in shown


@given(graphs())
@settings(max_examples=60)
def test_holes_are_the_unused_bytes_below_the_highest(view: GraphView) -> None:
    plan = plan_memory(view, list(view.get_nodes()))
    for tick, holes in enumerate(holes_by_tick(plan)):
        used = np.zeros(plan.peak, bool)
        for buffer in plan.buffers:
            if buffer.is_live(tick):
                used[buffer.offset : buffer.offset + buffer.size] = True
        top = int(np.flatnonzero(used)[-1]) + 1 if used.any() else 0
        assert holes == top - used.sum()


def test_fragmentation_is_a_part_at_each_tick() -> None:
    view, order = softmax_model()
    report = memory_report(view, order)
    assert len(report.fragmentation) == len(report.live) == len(report.plan.order)
    assert all(
        part == pytest.approx(hole / (hole + live))
        for part, hole, live in zip(report.fragmentation, report.holes, report.live, strict=True)
    )


def test_unknown_dims_are_refused() -> None:
    view = GraphView()
    node = ops.ReLU(name="a")
    view.add([node])
    with pytest.raises(MemoryPlanError, match=r"a \(ReLU\), output#0: .*forward_dims"):
        memory_report(view, [node])
