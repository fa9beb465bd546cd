"""The small graphs have the numbers that the tutorials ask for, as the library computes them."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

import aidge_nb
from aidge_nb import hardware, learning, memory, tiling
from aidge_nb.course import generators, graphs, machines
from aidge_nb.course.actors import actor
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling import repetition_vector

ORDERS = {
    "split grow_a grow_b shrink_a shrink_b": 4096,
    "split grow_a shrink_a grow_b shrink_b": 2688,
    "split grow_b shrink_b grow_a shrink_a": 2944,
}


def steps(view: GraphView) -> dict[str, tuple[int, int]]:
    schedule = aidge_nb.static_schedule(view)
    return {
        schedule.name_of(firing): (firing.early, firing.late)
        for firing in schedule.firings
        if not schedule.actors[firing.actor].producer
    }


def peaks(view: GraphView, names: str) -> tuple[int, int, int]:
    """Return the peaks with nothing in place, in place, and row by row."""
    nodes = [view.get_node(name) for name in names.split()]
    return (
        aidge_nb.plan_memory(view, nodes, in_place=False).peak,
        aidge_nb.plan_memory(view, nodes).peak,
        aidge_nb.plan_memory(view, nodes, by_rows=True).peak,
    )


def test_steps_of_the_forks() -> None:
    assert steps(graphs.fork()) == {
        "split": (0, 0),
        "slow_1": (1, 1),
        "quick": (1, 2),
        "slow_2": (2, 2),
        "join": (3, 3),
    }
    assert steps(graphs.fork(extra=1))["quick"] == (1, 3)
    assert steps(graphs.shared_slack()) == {
        "split": (0, 0),
        "long_1": (1, 1),
        "short_1": (1, 2),
        "long_2": (2, 2),
        "short_2": (2, 3),
        "long_3": (3, 3),
        "join": (4, 4),
        "end": (5, 5),
    }
    assert steps(graphs.two_ends())["quick"] == (1, 2)
    assert steps(graphs.two_layers()) == {"fc1": (1, 1), "relu": (2, 2), "fc2": (3, 3)}
    assert aidge_nb.static_schedule(graphs.two_layers()).late("fc2_w") == 2


@pytest.mark.parametrize("turns", [4, 10, 1000])
@pytest.mark.parametrize("extra", [1, 2, 3])
def test_only_the_cycle_sets_the_period(turns: int, extra: int) -> None:
    steps = (2 + extra) * turns + 2
    assert aidge_nb.static_schedule(graphs.loop(turns, extra)).n_steps == steps
    assert aidge_nb.static_schedule(graphs.loop(turns, extra, before=1)).n_steps == steps


@pytest.mark.parametrize("lines", [12, 100, 100_000_000])
def test_a_pipeline_gives_a_line_every_two_steps(lines: int) -> None:
    assert aidge_nb.static_schedule(graphs.pipeline(lines)).n_steps == 2 * lines - 4


@pytest.mark.parametrize(
    ("view", "text"),
    [
        (
            lambda: graphs.pipeline(8, (3, 3)),
            "image 3×(conv1) conv2 conv1 conv2 conv1 conv2 conv1 conv2",
        ),
        (
            lambda: graphs.pipeline(12),
            "image 3×(conv1) conv2 conv1 conv2 6×(conv1 conv2 conv3)",
        ),
        (lambda: graphs.rates(6, (2, 1), (3, 1)), "source 3×(a) b"),
        (lambda: graphs.rates(12, (3, 2), (4, 1)), "source 2×(a) b 2×(a) b"),
        (lambda: graphs.rates(48, (3, 2), (4, 1)), "source 8×(2×(a) b)"),
    ],
)
def test_folded_texts(view: Callable[[], GraphView], text: str) -> None:
    assert aidge_nb.static_schedule(view()).to_text() == text


def test_repetition_vectors() -> None:
    assert repetition_vector(graphs.rates(6, (2, 3), (2, 1))) == {"source": 2, "a": 6, "b": 9}
    assert repetition_vector(graphs.rates(12, (3, 2), (4, 1))) == {"source": 1, "a": 4, "b": 2}


def test_an_actor_takes_and_gives_something() -> None:
    with pytest.raises(aidge_nb.SchedulingError, match="an amount is too small"):
        actor("a", 0, 1)


@pytest.mark.parametrize(("order", "peak"), ORDERS.items())
def test_the_order_decides_the_peak(order: str, peak: int) -> None:
    assert peaks(graphs.two_branches(), order)[1] == peak
    assert aidge_nb.order_for_memory(graphs.two_branches()).peak_bytes == min(ORDERS.values())


def test_bytes_of_the_small_layouts() -> None:
    view = graphs.five_layers()
    schedule = aidge_nb.static_schedule(view)
    assert aidge_nb.plan_memory(view, schedule).live_bytes() == (576, 576, 720, 144, 184)
    apart = aidge_nb.plan_memory(view, schedule, in_place=False)
    assert apart.live_bytes() == (576, 1152, 720, 144, 184)
    view = graphs.second_reader()
    assert peaks(view, "conv relu tanh add")[:2] == (1728, 1152)
    view = graphs.gated()
    assert peaks(view, "conv relu tanh gate mul first second")[:2] == (768, 512)


def test_stripes_row_by_row() -> None:
    assert peaks(graphs.stripes(), "conv0 conv1 pool")[1:] == (4096, 2176)


@pytest.mark.parametrize(
    ("count", "recomputed", "kept", "more"), [(2, 2560, 2560, 0.0625), (4, 1664, 1792, 0.1875)]
)
@pytest.mark.parametrize("halo", ["recompute", "cache"])
def test_the_price_of_stripes(
    count: int, recomputed: int, kept: int, more: float, halo: str
) -> None:
    view = graphs.stripes()
    chain = tiling.between(view, view.get_node("conv0"), view.get_node("pool"))
    found = aidge_nb.plan_tiling(view, chain, {2: count}, halo=halo)
    assert found.overhead == (more if halo == "recompute" else 0)
    aidge_nb.apply_tiling(view, found)
    peak = aidge_nb.plan_memory(view, view.topological_order(), parts=True).peak
    assert peak == (recomputed if halo == "recompute" else kept)


@pytest.mark.parametrize(
    ("middle", "wanted"),
    [
        ("half wide pool_half relu_wide pool_wide", (67584, 57344, 40960)),
        ("half pool_half wide relu_wide pool_wide", (67584, 51200, 34816)),
        ("wide relu_wide pool_wide half pool_half", (81920, 51200, 49152)),
    ],
)
def test_orders_of_the_bars_network(middle: str, wanted: tuple[int, int, int]) -> None:
    assert peaks(graphs.bars_net(), f"stem relu {middle} both mean flatten fc") == wanted


@pytest.mark.parametrize(
    ("options", "wanted"),
    [
        ({}, (17408, 13312, 9216)),
        ({"channels": 8, "kernel": 5}, (34816, 26624, 18944)),
        ({"size": 32, "pool": 4}, (66560, 50176, 33792)),
    ],
)
def test_the_exam(options: dict[str, int], wanted: tuple[int, int, int]) -> None:
    view = graphs.exam_net(**options)
    assert peaks(view, "stem relu quick wide relu_wide pool_wide both mean") == wanted


def test_training_keeps_one_result() -> None:
    view = graphs.two_layers(batch=2)
    aidge_nb.init_weights(view, seed=1)
    view.set_backend("cpu")
    found = learning.backward_memory(view)
    assert (found.forward_peak, found.peak, found.kept) == (88, 364, 64)


@pytest.mark.parametrize(("depth", "kept"), [(1, 512), (2, 1024), (4, 2048), (8, 4096)])
def test_what_is_kept_grows_with_the_depth(depth: int, kept: int) -> None:
    found = learning.backward_memory(graphs.tower(depth))
    assert (found.forward_peak, found.kept) == (min(1024, 512 * depth), kept)


def test_what_is_kept_depends_on_the_gradients() -> None:
    assert learning.backward_memory(graphs.two_layers(2, leak=0.1)).kept == 128
    step = learning.training_graph(graphs.curves())
    assert {port.node.name() for port in step.kept} == {"tanh", "fc2", "leaky", "sigmoid"}


def test_gradients_of_weights_do_not_grow_with_the_batch() -> None:
    one, many = (learning.backward_memory(graphs.two_layers(batch)) for batch in (1, 32))
    assert (one.forward_peak, one.peak) == (44, 316)
    assert (many.forward_peak, many.peak) == (1408, 3180)


def test_bars_stand_lie_and_are_diagonal() -> None:
    pictures, kinds = generators.pictures_of_bars(3, seed=1, size=16)
    assert kinds.tolist() == [0, 1, 2]
    assert pictures[0, 0].sum(axis=0).max() > 10
    assert pictures[1, 0].sum(axis=1).max() > 10
    found = max(np.trace(np.roll(pictures[2, 0], -place, axis=1)) for place in range(16))
    assert found > 10


@pytest.mark.parametrize(
    ("local", "bus", "cycles"),
    [("64KiB", 4, 42_578), ("32KiB", 4, 41_716), ("64KiB", 2, 45_906), ("64KiB", 8, 40_914)],
)
def test_memories_and_bus_of_the_two_cores(local: str, bus: int, cycles: int) -> None:
    conv = aidge_nb.PaddedConv2D(8, 8, [3, 3], name="conv", padding_dims=[1, 1, 1, 1])
    layer = aidge_nb.sequential([conv])
    layer.forward_dims([[1, 8, 16, 16]])
    machine = machines.duo(local, bus)
    mapping = hardware.map_schedule(layer, machine)
    hardware.check_mapping(mapping, machine)
    assert mapping.cycles == cycles


@pytest.mark.parametrize(("seed", "wanted"), [(0, (12, 11)), (1, (12, 10))])
def test_first_fit_is_not_the_best_of_drawn_blocks(seed: int, wanted: tuple[int, int]) -> None:
    found = generators.blocks(seed)
    assert (generators.first_fit(found), memory.plan(found).peak) == wanted


@pytest.mark.parametrize("seed", range(6))
def test_a_drawn_fork_has_slack_and_is_the_same_again(seed: int) -> None:
    first, again = steps(generators.fork(seed)), steps(generators.fork(seed))
    assert first == again
    assert any(early < late for early, late in first.values())


@pytest.mark.parametrize(
    ("seed", "peak"), [(1, (3136, 3232)), (2, (2304, 2144)), (4, (3712, 3712))]
)
def test_which_branch_first_depends_on_the_seed(seed: int, peak: tuple[int, int]) -> None:
    view = generators.fork_bytes(seed)
    names = [node.name() for node in view.topological_order() if node.type() != "Producer"]
    found = []
    for first, second in ("ab", "ba"):
        order = ["split"]
        for letter in (first, second):
            order += [
                name for kind in ("grow", "act", "shrink") if (name := f"{kind}_{letter}") in names
            ]
        found.append(peaks(view, " ".join(order))[1])
    assert tuple(found) == peak
