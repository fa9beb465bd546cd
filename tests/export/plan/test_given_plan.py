"""export(plan=) writes exactly a given plan, or says why a program cannot follow it."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import aidge_nb
from aidge_nb import plan_memory, static_schedule, zoo
from aidge_nb.core.errors import ExportError
from aidge_nb.export import ExportedPackage, export, plan_export, prepare_export
from aidge_nb.graph import GraphView
from aidge_nb.memory import Memory, MemoryPlan, WhatIf
from aidge_nb.runtime import run_in_arena
from aidge_nb.tiling import apply_tilings
from tests.export.models import diamond, fill_producers, sequence, two_relus, zoo_small
from tests.zoo.small import SMALL


def check_is_plan(package: ExportedPackage, plan: MemoryPlan) -> None:
    """Compare a written package with a plan: size of the arena, offsets and order."""
    name = package.plan.name
    header = (package.folder / "include" / f"{name}.h").read_text()
    source = (package.folder / "src" / f"{name}.c").read_text()
    memory = (package.folder / "src" / f"{name}_memory.h").read_text()
    scratch = sum(arena.size for arena in package.plan.arenas if arena.memory == "scratch")
    assert f"{name.upper()}_ARENA_BYTES {plan.peak + scratch}u" in header
    assert f"uint8_t {name}_arena[{plan.peak}];" in source
    found = {
        (buffer.node, buffer.output): buffer.offset
        for buffer in package.plan.buffers
        if buffer.output >= 0
    }
    assert found == {(b.node, b.output): b.offset for b in plan.buffers}
    for buffer in package.plan.buffers:
        if buffer.arena == "arena":
            pointer = rf"AT_{buffer.symbol.upper()} .*&{name}_arena\[{buffer.offset}\]"
            assert re.search(pointer, memory)
    assert package.made.order == tuple(
        {name: node for node, name in package.made.view.unique_names().items()}[each]
        for each in plan.order
    )


@pytest.mark.parametrize("model", ["lenet", "mlp", "squeezenet"])
def test_the_chain_from_a_file_to_a_program(
    model: str, need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools("gcc", "make")
    path = tmp_path / "model.onnx"
    path.write_bytes(zoo.build(model, **SMALL[model]).to_bytes())
    graph = prepare_export(aidge_nb.load_onnx(path))
    graph.set_backend("exact")
    schedule = static_schedule(graph)
    plan = plan_memory(graph, schedule, alignment=4)
    inputs = [np.linspace(-1, 1, t.size, dtype=np.float32).reshape(t.dims) for t in _inputs(graph)]
    ran = run_in_arena(graph, plan, inputs)
    package = export(graph, tmp_path / "made", plan=plan, inputs=inputs, name="net")
    check_is_plan(package, plan)
    result = package.run(opt="-O1")
    assert result.is_equal
    for found, wanted in zip(result.outputs, ran.outputs, strict=True):
        assert found.tobytes() == np.asarray(wanted).tobytes()


def _inputs(graph: GraphView) -> list[aidge_nb.Tensor]:
    groups = [group[0] for group in graph.get_input_groups()]
    tensors = [port.node.get_operator().get_input(port.index) for port in groups]
    return [tensor for tensor in tensors if tensor is not None and not tensor.undefined()]


@pytest.mark.parametrize("options", [{}, {"looped": True, "parts": True, "contiguous": True}])
def test_four_stripes_with_kept_halos_take_the_bytes_of_their_plan(
    options: dict[str, bool], need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools("gcc", "make")
    convs = [aidge_nb.Conv2D(2, 2, [3, 3], f"conv{number}") for number in range(3)]
    view = aidge_nb.sequential(convs)
    assert view.forward_dims([[1, 2, 22, 16]])
    fill_producers(view)
    tiling = aidge_nb.plan_tiling(view, convs, {2: 4}, halo="cache")
    apply_tilings(view, [tiling])
    graph = prepare_export(view)
    plan = plan_memory(graph, graph.topological_order(), alignment=4, **options)  # type: ignore[arg-type]  # flags
    package = export(graph, tmp_path / "made", plan=plan, name="net")
    check_is_plan(package, plan)
    assert package.plan.memory == plan
    assert package.run(opt="-O1").is_equal


def test_a_plan_of_several_memories_is_followed(tmp_path: Path) -> None:
    view = diamond()
    plan = plan_memory(view, memories=[Memory("near", 64), Memory("far", 1000, 1)])
    made = plan_export(view, plan=plan)
    assert [(a.memory, a.size) for a in made.arenas] == [
        (use.name, use.peak) for use in plan.memories if use.peak
    ]
    assert made.memory == plan


def test_the_same_plan_gives_the_same_files(tmp_path: Path) -> None:
    view = zoo_small("lenet")
    plan = plan_export(view).memory
    again = export(view, tmp_path / "again", plan=plan)
    assert again.plan.memory == plan


def test_loops_follow_a_plan_of_one_place_for_all_turns(
    need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools("gcc", "make")
    graph = prepare_export(sequence(4))
    plan = plan_memory(graph, static_schedule(graph), looped=True)
    package = export(graph, tmp_path / "made", plan=plan)
    scratch = [arena for arena in package.plan.arenas if arena.memory == "scratch"]
    assert package.plan.arena_bytes == plan.peak + sum(arena.size for arena in scratch)
    assert package.run(opt="-O1").is_equal
    assert package.check_layers(opt="-O1").passed


def test_a_schedule_can_be_given_as_order() -> None:
    view = diamond()
    made = plan_export(view, order=static_schedule(view))
    assert made == plan_export(view, order=["fork", "left", "join"])


# --- refusals -------------------------------------------------------------------------------


def convolutions() -> GraphView:
    view = aidge_nb.sequential(
        [
            aidge_nb.Conv2D(1, 2, [3, 3], "conv"),
            aidge_nb.ReLU("relu"),
            aidge_nb.MaxPooling2D([2, 2], "pool", [2, 2]),
        ]
    )
    assert view.forward_dims([[1, 1, 10, 10]])
    fill_producers(view)
    return view


def test_a_plan_for_a_changed_model_is_refused(tmp_path: Path) -> None:
    view = convolutions()
    what_if = WhatIf(fused=(("conv", "relu"),))
    plan = plan_memory(view, static_schedule(view), what_if=what_if)
    with pytest.raises(ExportError, match="changes that were not made"):
        export(view, tmp_path / "made", plan=plan)
    assert not (tmp_path / "made").exists()


@pytest.mark.parametrize("offset", [0, 4, 32])
def test_what_a_kernel_cannot_write_over_its_input_is_computed_aside(
    offset: int, need_tools: Callable[..., None], tmp_path: Path
) -> None:
    need_tools("gcc", "make")
    view = convolutions()
    conv, relu, pool = plan_memory(view, static_schedule(view)).buffers
    other = replace(pool, offset=offset, in_place_of=("relu",))
    plan = plan_memory(view, static_schedule(view), what_if=WhatIf(in_place=("pool",)))
    plan = replace(plan, buffers=(conv, relu, other), peak=512, lower_bound=512)
    package = export(view, tmp_path / "made", plan=plan, name="net")
    sizes = {arena.memory: arena.size for arena in package.plan.arenas}
    assert sizes == {"arena": 512, "scratch": 128}  # the result of the pooling
    assert package.run(opt="-O1").is_equal
    assert package.check_layers(opt="-O1").passed


def test_changed_plans_are_refused() -> None:
    view = convolutions()
    plan = plan_memory(view, static_schedule(view))
    conv, relu, pool = plan.buffers

    def refused(message: str, *buffers: aidge_nb.memory.Buffer, **changes: object) -> None:
        changed = replace(plan, buffers=buffers, **changes)  # type: ignore[arg-type]  # fields
        with pytest.raises(ExportError, match=message):
            plan_export(view, plan=changed)

    refused("plan: ", conv, relu, replace(pool, offset=0))
    refused("pool, output#0: has no buffer", conv, relu)
    refused("cannot begin at byte 513", conv, relu, replace(pool, offset=513), peak=1000)
    refused("does not have the bytes of its tensor", conv, relu, replace(pool, size=16))


def test_a_plan_of_other_nodes_names_them() -> None:
    view = convolutions()
    other = two_relus()
    with pytest.raises(
        ExportError,
        match=r"program: first, second; not in the plan: conv, pool, relu.*prepare_export",
    ):
        plan_export(view, plan=plan_memory(other, static_schedule(other)))


def test_a_plan_beside_an_order_or_something_else_is_refused() -> None:
    view = diamond()
    plan = plan_memory(view)
    with pytest.raises(ExportError, match="order is given too"):
        plan_export(view, plan=plan, order=["fork", "left", "join"])
    with pytest.raises(ExportError, match="memories is given too"):
        plan_export(view, plan=plan, memories=[Memory("a", 1000)])
    with pytest.raises(ExportError, match=r"is no memory plan .*found list"):
        plan_export(view, plan=[])  # type: ignore[arg-type]  # on purpose
