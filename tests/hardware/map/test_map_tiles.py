"""Tiles of seed 002 on several elements: times worked out by hand, and a checker that objects."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from itertools import pairwise
from typing import Any

import pytest

import aidge_nb
from aidge_nb import hardware
from aidge_nb.core.errors import HardwareError
from aidge_nb.hardware import Constraints, check_mapping, map_tiles, read_target, roofline

TARGET = """
device: four
memories: {{l2: {{size: 16MiB}}}}
devices:
  core:
    count: 4
    pe: {{macs_per_cycle: 16, frequency: 100MHz}}
    memories: {{l1: {{size: {size}}}}}
links:
  - {{between: [core/*/pe, core/*/l1], bytes_per_cycle: 64}}
  - {{between: [l2, core/*/l1], bytes_per_cycle: 8, shared: {shared}}}
cooperation: [{{group: core/*, split: [tile_h]}}]
"""


def target_of(*, shared: bool, size: str = "4MiB") -> hardware.Target:
    return read_target(TARGET.format(shared=str(shared).lower(), size=size))


def seed_002(grid: dict[int, int], batch: int = 4) -> tuple[aidge_nb.GraphView, aidge_nb.Tiling]:
    view = aidge_nb.sequential([aidge_nb.Conv2D(3, 32, [3, 3], name="conv0")])
    view.forward_dims([[batch, 3, 66, 66]])
    return view, aidge_nb.plan_tiling(view, [view.get_node("conv0")], grid)


@pytest.mark.parametrize(
    ("stripes", "shared", "cycles"),
    [(1, True, 1_173_464), (4, False, 294_296), (4, True, 490_904)],
)
def test_times_of_seed_002(stripes: int, shared: bool, cycles: int) -> None:
    view, tiling = seed_002({2: stripes})
    target = target_of(shared=shared)
    found = map_tiles(view, tiling, target)
    check_mapping(found, target)
    assert found.cycles == cycles
    lengths = {step.name.split()[0]: step.end - step.start for step in found.steps}
    if stripes == 4:
        assert lengths == {"load": 7_576, "compute": 221_184, "store": 65_536}
    else:
        assert lengths == {"load": 26_584, "compute": 884_736, "store": 262_144}
    if shared and stripes == 4:
        assert max(found.busy().values()) == 292_448
        assert found.bottleneck == "bus1"


def test_the_verdict_of_the_roofline_flips_with_the_fourth_element() -> None:
    target = target_of(shared=True)
    links = [link for link in target.links if link.bus]
    verdicts = []
    for count in (1, 3, 4):
        _, tiling = seed_002({2: count})
        moved = tiling.read("conv0") + tiling.read("conv0", 1) + tiling.read("conv0", 2) + 2_097_152
        found = roofline(tiling.macs, moved, target.elements[:count], links)
        verdicts.append((round(found.intensity, 2), found.balance, found.bound))
    assert verdicts == [(6.13, 2.0, "compute"), (6.08, 6.0, "compute"), (6.05, 8.0, "memory")]


def test_parameters_lie_right_behind_whole_tensors() -> None:
    view, tiling = seed_002({2: 16}, 1)
    found = map_tiles(view, tiling, hardware.target("quad_cluster"))
    used = {use.path: use.peak for use in found.memories}
    assert used["l2"] == 4 * (3 * 66 * 66 + 32 * 64 * 64) + 3_584


def test_a_roofline_needs_something_that_moves() -> None:
    with pytest.raises(HardwareError, match=r"nothing is moved .*found 0 bytes, 0 links"):
        roofline(1, 0, [], [])


@pytest.mark.parametrize("size", ["64KiB", "128KiB", "4MiB"])
@pytest.mark.parametrize("stripes", [16, 21, 64])
def test_any_number_of_stripes_on_any_number_of_elements(size: str, stripes: int) -> None:
    target = target_of(shared=True, size=size)
    view, tiling = seed_002({2: stripes}, 1)
    total = sum(4 * (3 * 66 * tile.parts[0].inputs[0][1][2].size) for tile in tiling)
    for count in (1, 2, 4):
        use = tuple(f"core/{number}" for number in range(count))
        limits = Constraints("four", use=use)
        found = map_tiles(view, tiling, target, limits)
        check_mapping(found, target, limits)
        assert len(found.elements) == count
        moved = sum(step.amount for step in found.steps if step.kind == "transfer")
        assert moved == total + count * 3_584 + 4 * 32 * 64 * 64
        work = sum(step.amount for step in found.steps if step.kind == "operation")
        assert work == tiling.tiled_macs
        assert found.cycles >= max(found.busy().values())


def test_loads_hide_behind_work_where_two_tiles_fit() -> None:
    view, tiling = seed_002({2: 8}, 1)
    limits = Constraints("four", use=("core/0",))
    roomy, tight = (
        map_tiles(view, tiling, target_of(shared=True, size=size), limits)
        for size in ("256KiB", "128KiB")
    )
    assert roomy.double_buffered == ("core/0/pe",)
    assert tight.double_buffered == ()
    assert roomy.cycles < tight.cycles
    assert tight.cycles == sum(tight.busy().values())


def test_a_link_carries_one_transfer_in_each_direction_and_a_bus_one_in_all() -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU("relu")])
    view.forward_dims([[1, 32, 64, 64]])
    tiling = aidge_nb.plan_tiling(view, list(view), {2: 32})
    limits = Constraints("four", use=("core/0",))
    apart, shared = (
        map_tiles(view, tiling, target_of(shared=shared, size="64KiB"), limits)
        for shared in (False, True)
    )
    for found, both_ways in ((apart, True), (shared, False)):
        moves = [step for step in found.steps if step.kind == "transfer"]
        loads = [step for step in moves if step.name.startswith("load")]
        stores = [step for step in moves if step.name.startswith("store")]
        assert {step.devices == loads[0].devices for step in loads} == {True}
        for same in (loads, stores):
            assert all(a.end <= b.start for a, b in pairwise(same))
        overlap = any(a.start < b.end and b.start < a.end for a in loads for b in stores)
        assert overlap is both_ways
        check_mapping(found, target_of(shared=found is shared, size="64KiB"), limits, view)
    assert apart.devices[1:] == ("l2→core/0/l1", "core/0/l1→l2")
    assert apart.cycles < 0.7 * shared.cycles


def test_chains_are_mapped_as_well() -> None:
    nodes = [
        aidge_nb.PaddedConv2D(3, 8, [3, 3], "a", padding_dims=[1] * 4),
        aidge_nb.ReLU("b"),
        aidge_nb.PaddedConv2D(8, 4, [3, 3], "c", padding_dims=[1] * 4),
    ]
    view = aidge_nb.sequential(nodes)
    view.forward_dims([[1, 3, 40, 40]])
    tiling = aidge_nb.plan_tiling(view, nodes, {2: 10})
    target = target_of(shared=True, size="64KiB")
    found = map_tiles(view, tiling, target)
    check_mapping(found, target)
    assert "bound by" in found.report()


@pytest.mark.parametrize(("grid", "busy"), [({2: 2, 3: 4}, 2), ({2: 3, 3: 2}, 3), ({2: 9}, 4)])
def test_elements_that_get_no_part_are_left_out(grid: dict[int, int], busy: int) -> None:
    """Two stripes of four tiles are for two elements, where elements share rows alone."""
    view, tiling = seed_002(grid)
    target = target_of(shared=True)
    for found in (
        map_tiles(view, tiling, target),
        hardware.map_schedule(view, target, tilings=[tiling]),
    ):
        check_mapping(found, target, None, view)
        assert len(found.works[0].elements) == busy


def test_a_slow_element_may_get_nothing() -> None:
    view, tiling = seed_002({2: 3})
    target = target_of(shared=True)
    *fast, last = target.elements
    slow = replace(target, elements=(*fast, replace(last, macs_per_cycle=0.1)))
    found = map_tiles(view, tiling, slow, Constraints("four", use=("core/0", "core/3")))
    check_mapping(found, slow, None, view)
    assert found.elements == ("core/0/pe",)
    assert hardware.map_schedule(view, slow).cycles > 0


def test_a_machine_with_one_memory_moves_nothing() -> None:
    view, tiling = seed_002({2: 4}, 1)
    target = hardware.target("mps3-an547")
    found = map_tiles(view, tiling, target, home="ram", parameters="code")
    assert {step.kind for step in found.steps} == {"operation"}
    assert found.cycles == 3_538_944
    check_mapping(found, target)
    with pytest.raises(HardwareError, match=r"ram: input and result do not fit .*576560"):
        map_tiles(view, tiling, hardware.target("mcu"))


def test_the_report_says_what_binds_and_by_how_much() -> None:
    view, tiling = seed_002({2: 4})
    target = target_of(shared=True)
    found = map_tiles(view, tiling, target, Constraints("four", max_latency=0.004))
    assert found.seconds == pytest.approx(0.00490904)
    report = found.report()
    assert "bound by bus1: busy for 292448 cycles; all takes 1.68 times that" in report
    assert "latency of 4 ms missed by 0.909 ms: 122.7 % of it" in report
    assert repr(found) == ("Mapping(four: 1 works in 12 steps on 4 elements, 490904 cycles)")


def refused(message: str, grid: dict[int, int], text: str, **options: Any) -> None:
    view, tiling = seed_002(grid, 1)
    with pytest.raises(HardwareError, match=message):
        map_tiles(view, tiling, read_target(text), **options)


def test_what_cannot_be_mapped_is_refused() -> None:
    text = TARGET.format(shared="true", size="64KiB")
    refused(r"core/0/l1: a tile does not fit .expected at most 65536", {2: 4}, text)
    refused(r"may not share a layer by tile_w", {3: 16}, text)
    refused(
        r"core/0/pe: does not run conv0 \(Conv2D\)",
        {2: 16},
        text.replace("100MHz", "100MHz, supports: [ReLU]"),
    )
    refused(r"unknown memory", {2: 16}, text, home="l3")
    view, _ = seed_002({2: 16}, 1)
    kept = aidge_nb.plan_tiling(view, [view.get_node("conv0")], {2: 16}, halo="cache")
    with pytest.raises(HardwareError, match="follow each other on one element"):
        map_tiles(view, kept, read_target(text))
    other = aidge_nb.sequential([aidge_nb.ReLU(name="relu")])
    with pytest.raises(HardwareError, match="belongs to another graph"):
        map_tiles(other, kept, read_target(text))


Change = Callable[[hardware.Mapping], hardware.Mapping]


def step(name: str, **changes: Any) -> Change:
    """Change one step; ``later`` shifts its end."""

    def change(mapping: hardware.Mapping) -> hardware.Mapping:
        later = changes.get("later", 0)
        rest = {key: value for key, value in changes.items() if key != "later"}
        return replace(
            mapping,
            steps=tuple(
                replace(each, **({"end": each.end + later} | rest)) if each.name == name else each
                for each in mapping.steps
            ),
        )

    return change


def placed(buffer: str, **changes: Any) -> Change:
    """Change where one buffer lies."""
    return lambda mapping: replace(
        mapping,
        placements=tuple(
            replace(each, **changes) if each.buffer == buffer else each
            for each in mapping.placements
        ),
    )


def without(*names: str) -> Change:
    """Leave steps out."""
    return lambda mapping: replace(
        mapping, steps=tuple(each for each in mapping.steps if each.name not in names)
    )


def loaded_again(mapping: hardware.Mapping) -> hardware.Mapping:
    """Load a tile once more while it is computed."""
    load, compute = (
        next(each for each in mapping.steps if each.name == name)
        for name in ("load 0", "compute 0")
    )
    again = replace(load, devices=("other",), start=compute.start, end=compute.end)
    return replace(mapping, steps=(*mapping.steps, again))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (step("load 1", start=0, end=7_576), "does .* at once"),
        (step("compute 0", start=0), "before it is written"),
        (loaded_again, "while it is written"),
        (step("compute 0", reads=("nothing",)), "which nothing writes"),
        (step("compute 0", end=0), "ends before it begins"),
        (step("compute 0", later=-2), "takes less time than its work"),
        (step("load 0", later=-2), "is faster than its links"),
        (step("load 0", devices=("core/0/pe–core/0/l1",)), "takes another way than the links"),
        (placed("conv0 input 0", offset=4 << 20), "does not fit into core/0/l1"),
        (placed("conv0 input 0", offset=0), "overlaps .* in core/0/l1"),
        (placed("conv0 input 0", end=1), "conv0 input 0 lies nowhere meanwhile"),
        (placed("conv0 result 0", memory="l2", offset=15 << 20), "pe is not linked to l2"),
        (without("load 0", "compute 0"), "computes not each of 4 tiles once"),
        (step("compute 0", work="conv1"), "is part of no work"),
        (lambda mapping: replace(mapping, target="five"), "is for another target than four"),
    ],
)
def test_the_checker_names_what_is_wrong(change: Change, message: str) -> None:
    view, tiling = seed_002({2: 4})
    target = target_of(shared=True)
    found = map_tiles(view, tiling, target)
    check_mapping(found, target, None, view)
    with pytest.raises(HardwareError, match=message):
        check_mapping(change(found), target)


def test_the_checker_knows_what_elements_may() -> None:
    view, tiling = seed_002({2: 4})
    target = target_of(shared=True)
    found = map_tiles(view, tiling, target)
    with pytest.raises(HardwareError, match="may not be used"):
        check_mapping(found, target, Constraints("four", use=("core/1",)))
    unable = tuple(replace(element, supports=("ReLU",)) for element in target.elements)
    with pytest.raises(HardwareError, match="core/0/pe does not run Conv2D"):
        check_mapping(found, replace(target, elements=unable))
    with pytest.raises(HardwareError, match="shared by elements that may not cooperate"):
        check_mapping(found, replace(target, cooperation=()))


def test_the_checker_knows_the_graph() -> None:
    pool = aidge_nb.MaxPooling2D([2, 2], "pool", [2, 2])
    view = aidge_nb.sequential([pool, aidge_nb.GlobalAveragePooling("mean")])
    view.forward_dims([[1, 1, 8, 8]])
    target = hardware.target("mcu")
    found = hardware.map_schedule(view, target)
    check_mapping(found, target, None, view)
    one = replace(found, works=found.works[:1], steps=found.steps[:1])
    with pytest.raises(HardwareError, match=r"mean .GlobalAve.*: is computed by no work"):
        check_mapping(one, target, None, view)
    turned = tuple(
        replace(each, start=each.start + shift, end=each.end + shift)
        for each, shift in zip(found.steps, (found.cycles, -found.steps[1].start), strict=True)
    )
    late = replace(
        found,
        steps=turned,
        given=(*found.given, "pool"),
        placements=tuple(
            replace(each, start=0, end=10**6, offset=1000 * number)
            for number, each in enumerate(found.placements)
        ),
    )
    with pytest.raises(HardwareError, match="mean: begins before pool ends"):
        check_mapping(late, target, None, view)
