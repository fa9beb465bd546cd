"""Scenes of what a view may be given that is odd, but not wrong: each has to be drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from aidge_nb.memory import Buffer, MemoryPlan
from aidge_nb.widgets import Scene, build_scene, scene_of
from tests.widgets.loops import lstm
from tests.widgets.models import (
    EVIL,
    LONG,
    mapping_of,
    plan_of,
    repeated,
    residual,
    schedule_of,
    snapshot,
)


def _chain(names: list[str]) -> Scene:
    """Make all views of a chain with these names."""
    edges = [(node, node + 1) for node in range(len(names) - 1)]
    spans = [(node, node) for node in range(len(names))]
    return build_scene(snapshot(names, edges), schedule_of(names, spans), plan_of(names))


def _cycle() -> Scene:
    names = ["a", "b", "c", "d"]
    graph = snapshot(names, [(0, 1), (1, 2), (2, 3)], back=[(2, 1), (3, 3)])
    return build_scene(graph, schedule_of(names, [(0, 0), (1, 1), (2, 2), (3, 3)]), plan_of(names))


def _one_block() -> Scene:
    return _chain([f"only1_part{n}" for n in range(70)])


def _without_blocks() -> Scene:
    return _chain(["".join(chr(97 + n * k % 26) for k in (3, 7, 11)) + "x" * n for n in range(70)])


def _no_bytes() -> Scene:
    """Make a plan whose buffers take no bytes, beside one whose arena takes none."""
    nothing = (Buffer("a", "a", 0, 0, 0, 1, 0), Buffer("b", "b", 0, 0, 1, 2, 0))
    return build_scene(snapshot(["a", "b"], [(0, 1)]), plan=MemoryPlan(("a", "b"), nothing, 0, 0))


def _parts_of_nothing() -> Scene:
    plan = plan_of(["a", "b", "c"])
    none = replace(plan.buffers[1], size=0)
    return build_scene(plan=replace(plan, buffers=(plan.buffers[0], none, plan.buffers[2])))


ODD: dict[str, Callable[[], Scene]] = {
    "nothing": lambda: build_scene(snapshot([], []), schedule_of([], []), plan_of([])),
    "one firing": lambda: _chain(["one"]),
    "one firing alone": lambda: build_scene(schedule=schedule_of(["one"], [(0, 0)])),
    "a schedule without loops": lambda: build_scene(
        schedule=schedule_of(["a", "b", "c"], [(0, 0), (1, 3), (2, 2)])
    ),
    "10^9 turns": lambda: build_scene(schedule=lstm(10**9)),
    "no blocks": _without_blocks,
    "one block": _one_block,
    "cycles": _cycle,
    "names of 10 kB": lambda: _chain([LONG, LONG + "1", "a/" * 5000, "x;" * 5000]),
    "equal names": lambda: _chain(["same", "same", "same"]),
    "empty names": lambda: _chain(["", "", "a"]),
    "names of markup": lambda: _chain([EVIL, EVIL + "1"]),
    "long names and markup": lambda: build_scene(
        snapshot([LONG, EVIL], [(0, 1)]), plan=plan_of([LONG, EVIL])
    ),
    "a plan without a schedule": lambda: build_scene(plan=plan_of(["a", "b", "c"])),
    "a graph and a plan": lambda: build_scene(residual(2)[0], plan=residual(2)[2]),
    "a plan of another graph": lambda: build_scene(
        snapshot(["a", "b"], [(0, 1)]), repeated(5), plan_of(["x", "y"])
    ),
    "no bytes": _no_bytes,
    "a buffer of no bytes": _parts_of_nothing,
    "a mapping of nothing": lambda: scene_of(replace(mapping_of(), steps=(), placements=())),
}
