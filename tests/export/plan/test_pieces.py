"""Plans with rings, wrapped values, loaded inputs and parameters are exported as they are."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb import ops, plan_memory
from aidge_nb.core.errors import ExportError
from aidge_nb.export import ExportedPackage, ExportPlan, export, plan_export, prepare_export
from aidge_nb.export.plan.check import check_export
from aidge_nb.export.write.show import plan_html
from aidge_nb.graph import GraphView, Node, Operator
from aidge_nb.memory import MemoryPlan, check_plan, generate_memory, plan_of_manager, plan_rings
from aidge_nb.runtime.backends.cpu import CpuImpl
from aidge_nb.scheduling import Elts_t, ProdConso
from tests.export.fuzz import random_view
from tests.export.models import fill_producers
from tests.export.plan.test_scattered import network, written


class Flow(ProdConso):
    """Takes a window of lines at first, then some lines each time; writes some lines.

    With ``more`` it takes and writes one line more every other time.
    """

    def __init__(self, op: Operator, rate: Sequence[int], sizes: Sequence[int], more: bool) -> None:
        super().__init__(op)
        self.rate, self.sizes, self.more, self.turn = rate, sizes, more, 0

    def _more(self) -> int:
        return self.turn % 2 if self.more else 0

    def get_nb_required_data(self, input_idx: int) -> Elts_t:
        if input_idx:
            return super().get_nb_required_data(input_idx)
        lines = self.rate[1 if self.turn else 0] + self._more()
        return Elts_t.data_elts(self.sizes[0] * lines)

    def get_nb_required_protected(self, input_idx: int) -> Elts_t:
        if input_idx:
            return super().get_nb_required_protected(input_idx)
        return Elts_t.data_elts(self.sizes[0] * (self.rate[0] + self._more()))

    def get_required_memory(self, output_idx: int, inputs_size: object = ()) -> Elts_t:
        return Elts_t.data_elts(self.sizes[1] * (self.rate[2] + self._more()))

    def update_consummer_producer(self) -> None:
        super().update_consummer_producer()
        self.turn += 1

    def reset_consummer_producer(self) -> None:
        super().reset_consummer_producer()
        self.turn = 0


class FlowImpl(CpuImpl):
    """The ordinary kernel, in a model that streams."""

    def __init__(self, op: Operator, rate: Sequence[int], sizes: Sequence[int], more: bool) -> None:
        super().__init__(op, "cpu")
        self.flow = rate, sizes, more

    def get_prod_conso(self) -> ProdConso:
        return Flow(self.get_operator(), *self.flow)


Rate = tuple[int, int, int]
"""Lines of the first window, lines to go on with, and lines that are written each time."""


def flowing(
    stages: Sequence[tuple[Node, Rate]], dims: Sequence[int], *, planes: bool = False, more: int = 0
) -> tuple[GraphView, list[Node]]:
    """Make a chain of nodes that stream lines, or planes; return it with an order.

    The first node takes and writes ``more`` executions of one line more every other time.
    """
    nodes = [node for node, _ in stages]
    view = aidge_nb.sequential(nodes)
    view.set_backend("cpu")
    assert view.forward_dims([list(dims)])
    fill_producers(view)
    at = list(dims)
    for node, rate in stages:
        made = node.get_operator().get_output(0).dims
        units = [each[2] * each[3] if planes else each[3] for each in (at, made)]
        is_odd = bool(more) and node is nodes[0]
        node.get_operator().set_impl(FlowImpl(node.get_operator(), rate, units, is_odd))
        at = list(made)
    there, turns = [dims[1] if planes else dims[2], *(0 for _ in nodes)], [0 for _ in nodes]
    order: list[Node] = []
    while True:
        ready = [
            i
            for i, (_, (window, step, _)) in enumerate(stages)
            if there[i] >= window + turns[i] * step + (turns[i] // 2 if more and not i else 0)
            and not (more and not i and turns[0] == more)
        ]
        if not ready:
            return view, order
        last = ready[-1]
        there[last + 1] += stages[last][1][2] + (turns[last] % 2 if more and not last else 0)
        turns[last] += 1
        order.append(nodes[last])


def exported(view: GraphView, plan: MemoryPlan, folder: Path, **options: str) -> ExportedPackage:
    """Export exactly this plan; its bits must be right, and its arena as large as planned."""
    package = export(view, folder / "made", plan=plan, name="net", **options)  # type: ignore[arg-type]
    arenas = [arena for arena in package.plan.arenas if arena.memory != "scratch"]
    assert sum(arena.size for arena in arenas) == plan.peak
    again = ExportPlan.from_dict(package.plan.to_dict())
    assert again == package.plan
    check_export(again)
    return package


def right(package: ExportedPackage) -> None:
    """Run a package here, and compare every bit of every layer."""
    assert package.run(opt="-O1").is_equal
    checked = package.check_layers(opt="-O1")
    assert checked.passed, checked.text


LINE_BY_LINE = (3, 1, 1)


def lines(rows: int = 16) -> tuple[GraphView, list[Node]]:
    """Make two convolutions, a pooling and a ReLU over a picture of one channel, line by line."""
    stages = [
        (ops.Conv2D(1, 1, [3, 3], "c0"), LINE_BY_LINE),
        (ops.ReLU(name="r"), (1, 1, 1)),
        (ops.Conv2D(1, 1, [3, 3], "c1"), LINE_BY_LINE),
        (ops.MaxPooling2D([2, 2], "p", [2, 2]), (2, 2, 1)),
    ]
    return flowing(stages, [1, 1, rows, 9])


def test_a_pipeline_runs_in_rings(need_tools: Callable[..., None], tmp_path: Path) -> None:
    need_tools("gcc", "make")
    view, order = lines()
    plan = plan_memory(view, order, rings=True, alignment=4)
    assert plan.peak < plan_memory(view, order, alignment=4).peak
    package = exported(view, plan, tmp_path)
    right(package)
    sizes = {arena.memory: arena.size for arena in package.plan.arenas}
    assert sizes["scratch"] == 96  # three lines of seven numbers, in steps of 16 bytes
    assert package.plan.copied_aside == {"c1": 84, "p": 32}
    told = "Working memory for copies, in bytes: c1 84, p 32."
    assert told in plan_html(package.plan)
    assert told in (package.folder / "README.md").read_text()


def test_planes_run_in_rings(need_tools: Callable[..., None], tmp_path: Path) -> None:
    need_tools("gcc", "make")
    stages = [
        (ops.ConvDepthWise2D(5, [3, 3], "deep"), (1, 1, 1)),
        (ops.MaxPooling2D([2, 2], "pool", [1, 1]), (1, 1, 1)),
        (ops.Sigmoid(name="s"), (1, 1, 1)),
    ]
    view, order = flowing(stages, [1, 5, 6, 7], planes=True)
    right(exported(view, plan_rings(view, order), tmp_path))


def test_pieces_wrap_around_the_end_of_their_ring(
    need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools("gcc", "make")
    stages = [(ops.Tanh(name="a"), (2, 2, 2)), (ops.Conv2D(1, 1, [5, 3], "b"), (5, 1, 1))]
    view, order = flowing(stages, [1, 1, 20, 5], more=8)
    plan = plan_memory(view, order, rings=True, alignment=4)
    assert any(buffer.wrapped_size for buffer in plan.buffers)
    right(exported(view, plan, tmp_path))


def test_a_ring_that_forgets_too_early_is_refused() -> None:
    view, order = lines()
    plan = plan_memory(view, order, rings=True, alignment=4)
    buffers = tuple(
        replace(buffer, upper=buffer.upper - 3) if buffer.name == "r[4]" else buffer
        for buffer in plan.buffers
    )
    with pytest.raises(ExportError, match=r"c1.*input#0: the plan keeps too little"):
        plan_export(view, plan=replace(plan, buffers=buffers))


def manager_layout(seed: int) -> tuple[GraphView, MemoryPlan]:
    """Lay out a random network as Aidge does, where planes wrap around."""
    view = prepare_export(random_view(seed))
    order = [node for node in view.topological_order() if node.type() != "Producer"]
    plan = plan_of_manager(generate_memory(view, order, False, True), view, order)
    check_plan(plan)
    return view, plan


@pytest.mark.parametrize("seed", [7, 11])  # three planes wrap around, and a view of one
def test_layouts_that_wrap_around_run(
    seed: int, need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools("gcc", "make")
    view, plan = manager_layout(seed)
    assert any(buffer.wrapped_size for buffer in plan.buffers)
    right(exported(view, plan, tmp_path))


def test_inputs_and_parameters_are_loaded_where_the_plan_has_them(
    need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools("gcc", "make")
    view = prepare_export(network())
    order = list(view.topological_order())
    plan = plan_memory(view, order, inc_inputs=True, inc_producers=True, by_rows=True, alignment=4)
    assert {buffer.kind for buffer in plan.buffers} == {"activation", "input", "producer"}
    package = exported(view, plan, tmp_path)
    right(package)
    places = {b.symbol: b.offset for b in package.plan.buffers}
    loaded = {b.node: b.offset for b in plan.buffers if b.kind == "producer"}
    steps = {step.node: step for step in package.plan.walk()}
    for name, offset in loaded.items():
        assert places[steps[name].writes[0].place.name] == offset
    read = {place.name for call in steps["far"].calls for place in call.operands}
    assert steps["far_w"].writes[0].place.name in read  # where it was loaded


def cuts() -> GraphView:
    """Make a Split along the last axis, and what reads its parts: a whole number of operators."""
    begin, split = ops.Sigmoid(name="begin"), ops.Split(4, -1, name="split")
    begin.add_child(split)
    pool, total = ops.MaxPooling2D([2, 2], "pool", [1, 1]), ops.CumSum(name="sums")
    dense, turned = ops.FC(2 * 3 * 4, 5, name="dense"), ops.Transpose([0, 3, 1, 2], name="turned")
    axis = aidge_nb.Producer(aidge_nb.Tensor(np.array(1, np.int64)), "axis")
    for index, node in enumerate((pool, dense, total, turned)):
        split.add_child(node, index, 0)
    axis.add_child(total, 0, 1)
    numbers = ops.Cast(aidge_nb.dtype.float32, name="numbers")
    pool.add_child(numbers, 1, 0)
    view = aidge_nb.get_connected_graph_view(begin)
    assert view.forward_dims([[2, 2, 3, 16]])
    fill_producers(view)
    return view


def test_what_no_rule_cuts_works_on_copies(need_tools: Callable[..., None], tmp_path: Path) -> None:
    need_tools("gcc", "make")
    package = written(cuts(), tmp_path, parts=True)
    steps = {step.node: step for step in package.plan.walk()}
    assert not steps["split"].actions
    for name in ("pool", "dense", "sums"):  # the part that it reads
        assert package.plan.copied_aside[name] == 2 * 2 * 3 * 4 * 4
    sizes = {arena.memory: arena.size for arena in package.plan.arenas}
    assert sizes["scratch"] == 2 * 2 * 3 * 4 * 4


def test_rows_of_padding_alone_are_computed_aside(
    need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools("gcc", "make")
    nodes = [
        ops.ReLU(name="a"),
        ops.PaddedConv2D(2, 2, [3, 3], name="conv", padding_dims=[4, 1, 4, 1]),
        ops.ReLU(name="b"),
        ops.Conv2D(2, 1, [3, 3], "last"),
    ]
    view = aidge_nb.sequential(nodes)
    assert view.forward_dims([[1, 2, 9, 7]])
    fill_producers(view)
    package = written(view, tmp_path, by_rows=True)
    assert any(buffer.value.by_rows for buffer in package.plan.buffers)


def test_rings_run_on_a_microcontroller(need_tools: Callable[..., None], tmp_path: Path) -> None:
    need_tools("make", "arm-none-eabi-gcc", "qemu-system-arm")
    view, order = lines(12)
    plan = plan_memory(view, order, rings=True, inc_inputs=True, inc_producers=True, alignment=4)
    package = exported(view, plan, tmp_path, target="cortex-m4")
    run = package.run_on("mps2-an386")
    assert run.is_equal
    assert run.stack <= package.plan.stack


# --- at random ------------------------------------------------------------------------------


def random_flow(seed: int) -> tuple[GraphView, list[Node]]:
    """Make a random chain that streams lines, or planes."""
    random = Random(seed)
    planes, more = random.random() < 0.3, random.choice([0, 0, 6, 7])
    channels, more = (random.choice([2, 5]), 0) if planes else (1, more)
    rows, width = random.choice([14, 18, 26]), random.randint(9, 13)
    rows = sum(2 + turn % 2 for turn in range(more)) or rows
    stages: list[tuple[Node, Rate]] = []
    for number in range(random.randint(2, 4)):
        kind = "each" if more and not number else random.choice(["conv", "pool", "each", "line"])
        name = f"n{number}"
        if kind == "conv":
            tall = random.randint(2, 4)
            stages.append((ops.ConvDepthWise2D(channels, [tall, 3], name), (tall, 1, 1)))
        elif kind == "pool":
            stages.append((ops.MaxPooling2D([2, 2], name, [1, 1]), (2, 1, 1)))
        elif kind == "line":
            stages.append((ops.Softmax(-1, name=name), (1, 1, 1)))
        else:
            count = 2 if more and not number else 1
            make = random.choice([ops.ReLU, ops.Tanh])
            stages.append((make(name=name), (count, count, count)))
    if planes:
        stages = [(node, (1, 1, 1)) for node, _ in stages]
    return flowing(stages, [1, channels, rows, width], planes=planes, more=more)


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(24))
def test_random_rings_run(seed: int, need_tools: Callable[..., None], tmp_path: Path) -> None:
    need_tools("gcc", "make")
    view, order = random_flow(seed)
    kinds: dict[str, Any] = {"inc_inputs": seed % 2 > 0, "inc_producers": seed % 3 == 0}
    plan = plan_memory(view, order, rings=True, alignment=4, **kinds)
    right(exported(view, plan, tmp_path))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(40))
def test_random_layouts_of_the_manager_run(
    seed: int, need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools("gcc", "make")
    view, plan = manager_layout(seed)
    right(exported(view, plan, tmp_path))


OPTIONS = [
    {"parts": True},
    {"by_rows": True},
    {"by_rows": True, "parts": True, "inc_inputs": True},
    {"inc_producers": True, "rings": True},
]


@pytest.mark.slow
@pytest.mark.parametrize("options", OPTIONS, ids=lambda each: "-".join(each))
@pytest.mark.parametrize("seed", range(12))
def test_random_plans_run(
    seed: int, options: dict[str, Any], need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools("gcc", "make")
    view = prepare_export(random_view(seed))
    plan = plan_memory(view, list(view.topological_order()), alignment=8, **options)
    right(exported(view, plan, tmp_path))
