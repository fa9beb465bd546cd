"""The checker counts again what mappings say: each of many corruptions is named."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

import aidge_nb
from aidge_nb import hardware
from aidge_nb.core.errors import HardwareError
from aidge_nb.hardware import Mapping, MappingStep
from tests.hardware.graphs import model

Change = Callable[[Mapping], Mapping]


def network() -> aidge_nb.GraphView:
    layers = [
        aidge_nb.PaddedConv2D(3, 16, [3, 3], "conv1", padding_dims=[1] * 4),
        aidge_nb.ReLU(name="relu1"),
        aidge_nb.MaxPooling2D([2, 2], "pool", [2, 2]),
        aidge_nb.PaddedConv2D(16, 16, [3, 3], "conv2", padding_dims=[1] * 4),
    ]
    view = aidge_nb.sequential(layers)
    assert view.forward_dims([[1, 3, 32, 32]])
    return view


def last(mapping: Mapping, kind: str) -> MappingStep:
    """The last step whose name begins so."""
    return [step for step in mapping.steps if step.name.startswith(kind)][-1]


def step(begins: str, /, **changes: Any) -> Change:
    """Change the last step of a kind; functions are called with what was there."""

    def change(mapping: Mapping) -> Mapping:
        old = last(mapping, begins)
        values = {
            key: value(getattr(old, key)) if callable(value) else value
            for key, value in changes.items()
        }
        new = replace(old, **values)
        return replace(mapping, steps=tuple(new if s is old else s for s in mapping.steps))

    return change


def without(kind: str) -> Change:
    """Leave the last step of a kind out."""
    return lambda mapping: replace(
        mapping, steps=tuple(s for s in mapping.steps if s is not last(mapping, kind))
    )


def placed(of: Callable[[Mapping], str], **changes: Any) -> Change:
    """Change where a buffer lies; functions are called with what was there."""

    def change(mapping: Mapping) -> Mapping:
        def moved(each: hardware.Placed) -> hardware.Placed:
            if each.buffer != of(mapping):
                return each
            values = {
                key: value(getattr(each, key)) if callable(value) else value
                for key, value in changes.items()
            }
            return replace(each, **values)

        return replace(mapping, placements=tuple(moved(each) for each in mapping.placements))

    return change


def first_function(**changes: Any) -> Change:
    def change(mapping: Mapping) -> Mapping:
        work, *others = mapping.works
        function, *rest = work.functions
        changed = replace(work, functions=(replace(function, **changes), *rest))
        return replace(mapping, works=(changed, *others))

    return change


def less(count: int) -> Callable[[int], int]:
    return lambda value: value - count


def whole(mapping: Mapping) -> str:
    return next(each.buffer for each in mapping.placements if "conv1" in each.holds)


def result(mapping: Mapping) -> str:
    return next(each.buffer for each in mapping.placements if "conv2" in each.holds)


CORRUPTIONS: dict[str, tuple[Change, str]] = {
    "computes less": (step("compute", amount=less(1)), "says another amount than it computes"),
    "loads less": (step("load", amount=less(4)), "moves another amount .* bytes, found"),
    "stores less": (step("store", amount=less(4)), "moves another amount"),
    "moves nothing": (step("load", amount=0), "moves another amount"),
    "brings fewer parameters": (step("parameters", amount=less(4)), "moves another amount"),
    "reads no parameters": (
        step("compute", reads=lambda names: names[:1]),
        "reads less than it needs",
    ),
    "reads nothing": (step("compute", reads=()), "reads less than it needs"),
    "does not store": (without("store"), "conv2 result .* is not stored"),
    "stores into what is gone": (step("store", writes=("conv1",)), "conv1 lies nowhere meanwhile"),
    "is no known transfer": (step("load", name="teleport 0"), "unknown transfer"),
    "is no step": (
        step("load", kind="sleep"),
        "unknown kind of step .*operation or transfer, found sleep",
    ),
    "runs on nothing": (step("compute", devices=()), "runs on nothing, or on several"),
    "runs on two": (
        step("compute", devices=("cluster/0/pe", "cluster/1/pe")),
        "runs on nothing, or on several",
    ),
    "computes no tile": (step("compute", tile=99), "is of no tile .*0 to"),
    "small local buffer": (
        placed(lambda m: last(m, "compute").writes[0], size=less(4)),
        "has no room for its result|more than there is room",
    ),
    "small whole tensor": (placed(whole, size=less(4)), "is too small for conv1"),
    "late input": (placed(lambda _: "input#0", start=1), "lies nowhere|not there from the beginn"),
    "lost result": (placed(result, end=less(1)), "lies nowhere|gone at the end"),
    "input in ROM": (placed(lambda _: "input#0", memory="rom", offset=1 << 20), "into rom"),
    "other operator": (first_function(operator="Conv1D"), "says what conv1 is not"),
    "other node": (
        first_function(node="conv9"),
        "conv1: is tiled as other nodes|computes what is not",
    ),
    "other work": (first_function(macs=1), "says what conv1 is not"),
    "works on the sly": (
        lambda mapping: replace(mapping, elements=mapping.elements[:1]),
        "an element that may not be used",
    ),
    "unknown helper": (
        lambda mapping: replace(mapping, double_buffered=("core",)),
        "names an element that may not be used",
    ),
    "waits for nobody": (
        lambda mapping: replace(
            mapping, works=(*mapping.works[:-1], replace(mapping.works[-1], after=()))
        ),
        "does not say that it follows pool",
    ),
    "more memory than there is": (
        lambda mapping: replace(mapping, capacities=(("cluster/0/l1", 1 << 20),)),
        "has less room than the mapping says",
    ),
    "less memory than is used": (
        lambda mapping: replace(mapping, capacities=(("cluster/0/l1", 16),)),
        "is fuller than may be",
    ),
}


@pytest.mark.parametrize("corruption", CORRUPTIONS)
def test_what_a_mapping_says_is_counted_again(corruption: str) -> None:
    change, message = CORRUPTIONS[corruption]
    view, target = network(), hardware.target("quad_cluster")
    mapping = hardware.map_schedule(view, target)
    hardware.check_mapping(mapping, target, None, view)
    with pytest.raises(HardwareError, match=message):
        hardware.check_mapping(change(mapping), target, None, view)


def test_what_passes_between_element_and_memory_takes_its_time() -> None:
    view, target = network(), hardware.target("mcu")
    mapping = hardware.map_schedule(view, target)
    pool = next(each for each in mapping.steps if each.work == "pool")
    quick = replace(pool, start=pool.start + (pool.end - pool.start) // 2)
    steps = tuple(quick if each is pool else each for each in mapping.steps)
    with pytest.raises(HardwareError, match=r"pool, compute 0: (is faster than|takes less)"):
        hardware.check_mapping(replace(mapping, steps=steps), target, None, view)


def test_a_latency_that_is_missed_is_reported_by_who_maps_and_refused_by_the_checker() -> None:
    view, target = network(), hardware.target("mcu")
    tight = hardware.as_constraints({"for": "mcu", "max_latency": "1us"}, "project", target)
    mapping = hardware.map_schedule(view, target, tight)
    assert "missed by" in mapping.report()
    with pytest.raises(HardwareError, match=r"takes too long .*at most 1e-06 s"):
        hardware.check_mapping(mapping, target, tight, view)
    hardware.check_mapping(mapping, target, None, view)


def test_the_graph_that_was_mapped_is_known_until_it_is_rewritten() -> None:
    view, target = network(), hardware.target("quad_cluster")
    mapping = hardware.map_schedule(view, target)
    corrupt = step("load", amount=less(4))(mapping)
    with pytest.raises(HardwareError, match="moves another amount"):
        hardware.check_mapping(corrupt, target)
    conv = view.get_node("conv1")
    aidge_nb.tiling.apply_tiling(view, aidge_nb.plan_tiling(view, [conv], {2: 2}))
    hardware.check_mapping(mapping, target)


@pytest.mark.parametrize("name", ["squeezenet", "inception_like"])
@pytest.mark.parametrize("target", ["quad_cluster", "duo_soc"])
def test_mappings_of_networks_are_as_they_say(name: str, target: str) -> None:
    view = model(name) if name != "squeezenet" else aidge_nb.zoo.load(name, size=64)
    if name == "squeezenet":
        assert view.forward_dims([[1, 3, 64, 64]], allow_data_dependency=True)
    machine = hardware.target(target)
    mapping = hardware.map_schedule(view, machine)
    again = Mapping.from_dict(mapping.to_dict())
    hardware.check_mapping(again, machine, None, view)


def test_a_memory_that_is_too_small_is_so_by_what_is_said() -> None:
    view, target = model("inception_like"), hardware.target("quad_cluster")

    def with_memory(size: int) -> hardware.Target:
        memories = (replace(m, size=size) if m.path == "l2" else m for m in target.memories)
        return replace(target, memories=tuple(memories))

    room, image = 40_000, 3 * 32 * 32 * 4
    with pytest.raises(HardwareError) as refused:
        hardware.map_schedule(view, with_memory(room))
    [more] = re.findall(r", (\d+) too many", str(refused.value))
    assert f"tile_for(view, memory={room - image})" in str(refused.value)
    hardware.map_schedule(view, with_memory(room + int(more)))
    with pytest.raises(HardwareError, match=r", 1 too many"):
        hardware.map_schedule(view, with_memory(room + int(more) - 1))
    with pytest.raises(HardwareError, match="its inputs alone need more"):
        hardware.map_schedule(view, with_memory(image - 1))
