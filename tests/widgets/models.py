"""Graphs, schedules and plans made by hand, so that the views are tested without the planners."""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.graph.snapshot import EdgeView, GraphSnapshot, NodeView, PortView
from aidge_nb.hardware.mapping import Mapping
from aidge_nb.hardware.steps import Function, MappingStep, Placed, Work
from aidge_nb.memory.values.plan import Buffer, MemoryPlan
from aidge_nb.scheduling.schedule.nest import Actor, Firing
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule

EVIL = "<img src=x onerror=alert(1)>&\"'</script></svg>]]>"
LONG = "long" * 2500


def snapshot(
    names: Sequence[str],
    edges: Sequence[tuple[int, int]],
    *,
    kinds: Sequence[str] = ("Conv2D", "ReLU", "Add", "FC"),
    back: Sequence[tuple[int, int]] = (),
    folded: Sequence[tuple[str, int]] = (),
    name: str = "model",
) -> GraphSnapshot:
    """Make a graph of operators of a few types."""
    last = len(names) - 1
    return GraphSnapshot(
        name=name,
        nodes=tuple(
            NodeView(
                node,
                kinds[index % len(kinds)],
                (("kernel_dims", "[3, 3]"),),
                parameters=16 * (index % 2),
                macs=1000 if index % 2 else None,
                backend="cpu",
                native=True,
            )
            for index, node in enumerate(names)
        ),
        edges=tuple(
            EdgeView(source, 0, target, 0, (1, 8, 4, 4), "float32", 512, is_back)
            for is_back, links in ((False, edges), (True, back))
            for source, target in links
        ),
        inputs=(PortView("input", 0, 0, (1, 3, 8, 8), "float32"),) if names else (),
        outputs=(PortView("output", last, 0, None, "float32"),) if names else (),
        folded=tuple(folded),
    )


def schedule_of(
    names: Sequence[str],
    spans: Sequence[tuple[int, int]],
    producers: Sequence[str] = (),
    kinds: Sequence[str] = ("Conv2D", "ReLU", "Add", "FC"),
) -> StaticSchedule:
    """Make a schedule in which each name fires once, from early to late; producers at step 0."""
    actors = [
        Actor(name, kinds[index % len(kinds)], False, name, index)
        for index, name in enumerate(names)
    ]
    actors += [Actor(name, "Producer", True, name, index) for index, name in enumerate(producers)]
    firings = [Firing(len(names) + index, 0, 0, 0) for index in range(len(producers))]
    firings += [Firing(index, 0, early, late) for index, (early, late) in enumerate(spans)]
    return StaticSchedule(tuple(actors), tuple(firings))


def repeated(times: int = 10) -> StaticSchedule:
    """Make a schedule that repeats: two firings of ``a`` for each of ``b``, after a prologue."""
    actors = (Actor("a", "Conv2D", False, "a", 0), Actor("b", "FC", False, "b", 0))
    firings = [Firing(0, 0, 0, 0)]
    for turn in range(times):
        step = 1 + 2 * turn
        firings += [
            Firing(0, 1 + 2 * turn, step, step),
            Firing(0, 2 + 2 * turn, step + 1, step + 1),
            Firing(1, turn, step + 1, step + 2),
        ]
    return StaticSchedule(actors, tuple(firings))


def plan_of(names: Sequence[str], size: int = 256) -> MemoryPlan:
    """Make a plan in which each buffer is read at the next tick, at two places in turn."""
    buffers = tuple(
        Buffer(name, name, 0, size, tick, min(tick + 2, len(names)), size * (tick % 2))
        for tick, name in enumerate(names)
    )
    peak = max((buffer.end for buffer in buffers), default=0)
    return MemoryPlan(tuple(names), buffers, peak, peak, 1)


def residual(blocks: int = 4) -> tuple[GraphSnapshot, StaticSchedule, MemoryPlan]:
    """Make a chain of blocks with a branch that has slack, its schedule and a plan with a hole."""
    names, edges, spans = ["stem"], [], [(1, 1)]
    for block in range(blocks):
        first = len(names) - 1
        names += [f"b{block}_{part}" for part in ("conv", "relu", "side", "add")]
        conv, relu, side, add = range(first + 1, first + 5)
        edges += [(first, conv), (conv, relu), (relu, add), (first, side), (side, add)]
        step = 2 + 3 * block
        spans += [(step, step), (step + 1, step + 1), (step, step + 1), (step + 2, step + 2)]
    weights = [f"{name}_w" for name in names if name.endswith("conv")]
    owners = [(f"{name}_w", index) for index, name in enumerate(names) if name.endswith("conv")]
    readers: dict[int, int] = {}
    for source, target in edges:
        readers[source] = max(readers.get(source, 0), target)
    sizes = [1024 >> min(index // 4, 3) for index in range(len(names))]
    buffers: list[Buffer] = []
    for tick, name in enumerate(names):
        upper = readers.get(tick, tick) + 1
        offset = max(
            (buffer.end for buffer in buffers if buffer.upper > tick),
            default=0,
        )
        buffers.append(Buffer(name, name, 0, sizes[tick], tick, upper, offset))
    peak = max(buffer.end for buffer in buffers)
    bound = max(
        sum(buffer.size for buffer in buffers if buffer.is_live(tick)) for tick in range(len(names))
    )
    plan = MemoryPlan(tuple(names), tuple(buffers), peak, bound, 1)
    graph = snapshot(names, edges, folded=owners, name="residual")
    return graph, schedule_of(names, spans, weights), plan


def mapping_of(tiles: int = 8, elements: int = 2) -> Mapping:
    """Make a mapping of one layer: tiles in turn on elements that share a bus."""
    pes = tuple(f"cluster/{number}/pe" for number in range(elements))
    steps, placed, bus = [], [], 0
    free = dict.fromkeys(pes, 0)
    for tile in range(tiles):
        pe = pes[tile % elements]
        memory = pe.replace("pe", "l1")
        load = max(bus, free[pe])
        bus = compute = load + 20
        store = max(bus, compute + 60)
        names = (f"input {tile}",), (f"result {tile}",)
        steps += [
            MappingStep(
                "transfer",
                f"load {tile}",
                "conv0",
                tile,
                ("bus",),
                load,
                compute,
                (),
                names[0],
                160,
            ),
            MappingStep(
                "operation", f"compute {tile}", "conv0", tile, (pe,), compute, store, *names, 960
            ),
            MappingStep(
                "transfer",
                f"store {tile}",
                "conv0",
                tile,
                ("bus",),
                store,
                store + 10,
                names[1],
                (),
                80,
            ),
        ]
        free[pe] = store + 10
        placed += [
            Placed(*names[0], memory, 0, 160, load, store),
            Placed(*names[1], memory, 160, 80, compute, store + 10),
        ]
    function = Function("conv0", "Conv2D", 960 * tiles, 640)
    capacities = tuple((pe.replace("pe", "l1"), 1024) for pe in pes)
    work = Work("conv0", (function,), pes)
    order = tuple(sorted(steps, key=lambda step: step.start))
    return Mapping("small", pes, 1e8, (work,), order, tuple(placed), capacities)
