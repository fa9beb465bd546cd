"""The executor notifies its observers of what each firing reads and writes."""

from __future__ import annotations

import numpy as np

import aidge_nb
from aidge_nb import ops
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GraphView, Node
from aidge_nb.runtime import run_in_arena
from aidge_nb.scheduling.executor import Access, NodeExecutor, Observer


class Log(Observer):
    """Keep what happened, in order."""

    def __init__(self) -> None:
        self.events: list[tuple[object, ...]] = []

    def before(self, tick: int, node: Node) -> None:
        self.events.append(("before", tick, node.name()))

    def reads(self, access: Access) -> None:
        value = None if access.value is None else access.value.tolist()
        self.events.append(("reads", access.tick, access.index, value))

    def writes(self, access: Access) -> None:
        value = None if access.value is None else access.value.tolist()
        self.events.append(("writes", access.tick, access.index, value))

    def after(self, tick: int, node: Node) -> None:
        self.events.append(("after", tick, node.name()))


def chain() -> GraphView:
    view = aidge_nb.sequential([ops.ReLU(name="a"), ops.Neg(name="b")])
    assert view.compile("cpu", dims=[[2]])
    return view


EXPECTED = [
    ("before", 0, "a"),
    ("reads", 0, 0, [-1.0, 2.0]),
    ("writes", 0, 0, [0.0, 2.0]),
    ("after", 0, "a"),
    ("before", 1, "b"),
    ("reads", 1, 0, [0.0, 2.0]),
    ("writes", 1, 0, [0.0, -2.0]),
    ("after", 1, "b"),
]


def test_firings_are_told_in_order() -> None:
    view, log = chain(), Log()
    order = view.topological_order()
    order[0].get_operator().set_input(0, Tensor(np.array([-1, 2], np.float32)))
    NodeExecutor(order, [log]).run()
    assert log.events == EXPECTED


def test_the_same_is_told_in_an_arena() -> None:
    view, log = chain(), Log()
    plan = aidge_nb.plan_memory(view, view.topological_order(), inc_inputs=True)
    run_in_arena(view, plan, [np.array([-1, 2], np.float32)], observers=[log])
    assert log.events == EXPECTED


def test_a_node_that_is_not_needed_is_skipped() -> None:
    condition, select = ops.Identity(name="condition"), ops.Select(2, name="select")
    first, second = ops.Tanh(name="first"), ops.ReLU(name="second")
    for index, node in enumerate((condition, first, second)):
        node.add_child(select, 0, index)
    view = GraphView("select")
    view.add([condition, first, second, select])
    for node, data in ((condition, np.array([1])), (first, np.ones(2)), (second, np.ones(2))):
        node.get_operator().set_input(0, Tensor(data))
    assert view.forward_dims()
    view.set_backend("cpu")
    scheduler = aidge_nb.SequentialScheduler(view)
    scheduler.tag_conditional_nodes()
    log = Log()
    NodeExecutor([condition, first, second, select], [log]).run()
    ran = [event[2] for event in log.events if event[0] == "after"]
    assert ran == ["condition", "second", "select"]
    assert select.get_operator().get_output(0).array.tolist() == [1.0, 1.0]
