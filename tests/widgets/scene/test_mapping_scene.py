"""Contents of a mapping view: idle times, links, copies, memories, and the details of its works."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from aidge_nb.advice.findings import BoundFinding, WaitFinding
from aidge_nb.advice.reading import mapping_findings
from aidge_nb.hardware import Mapping
from aidge_nb.hardware.steps import Function, MappingStep, Work
from aidge_nb.widgets import Scene, scene_of
from aidge_nb.widgets.palette import FAMILIES
from aidge_nb.widgets.scene.devices import MOVES, NO_FAMILY, PHASES, Devices, Space
from aidge_nb.widgets.scene.mapping_colours import OF_INPUT, OF_PARAMETERS
from aidge_nb.widgets.scene.parts import KINDS, MemoryMap
from tests.widgets.mappings import mapped, odd_mappings
from tests.widgets.models import mapping_of

CONVOLUTION, POOLING, LAYOUT = (
    next(number for number, family in enumerate(FAMILIES) if family.name == name)
    for name in ("convolution", "pooling", "layout")
)


def parts_of(scene: Scene) -> tuple[Devices, MemoryMap]:
    assert scene.devices is not None
    assert scene.memory is not None
    return scene.devices, scene.memory


def test_idle_times_are_those_of_the_finding() -> None:
    mapping, scene = mapped()
    devices, _ = parts_of(scene)
    bound, waits = mapping_findings(mapping)[:2]
    assert isinstance(bound, BoundFinding)
    assert isinstance(waits, WaitFinding)
    assert bound.device == waits.device
    names = [row.name for row in devices.rows]
    idle = [span for row, *span in devices.idle if names[row] == bound.device]
    assert sum(stop - start for start, stop in idle) == waits.waiting
    assert idle[0] == [0, waits.start]
    assert idle[-1] == [mapping.cycles - waits.end, mapping.cycles]
    assert list(map(tuple, idle[1:-1])) == list(waits.gaps)
    assert {names[row] for row, _, _ in devices.idle} == set(mapping.elements), "both cores"
    for row, start, stop in devices.idle:
        own = devices.row == row
        begins, ends = devices.start[own], devices.start[own] + devices.length[own]
        assert not ((begins < stop) & (ends > start)).any(), "nothing is computed meanwhile"


def test_what_is_busy_all_the_time_has_no_idle_times() -> None:
    step = MappingStep("operation", "compute 0", "a", 0, ("pe",), 0, 9, (), (), 1)
    work = Work("a", (Function("a", "ReLU", 0, 1),), ("pe",))
    devices, _ = parts_of(scene_of(Mapping("mcu", ("pe",), 1.0, (work,), (step,), ())))
    assert devices.idle == ()
    assert devices.busy_text(0) == "busy 100 %"
    assert devices.hertz == 0, "a clock of one cycle per second is none"


def test_links_are_named_by_their_ends_and_busy_shares_are_written() -> None:
    mapping, scene = mapped()
    devices, _ = parts_of(scene)
    names = dict(zip((row.name for row in devices.rows), devices.labels, strict=True))
    assert names["ram→accelerator/scratch"] == "ram→scratch"
    assert names["accelerator/pe"] == "accelerator/pe"
    for row, each in enumerate(devices.rows):
        share = 100 * mapping.busy()[each.name] / mapping.cycles
        assert devices.busy_text(row) == f"busy {share:.0f} %"


def test_transfers_have_the_colour_of_what_made_the_tensor() -> None:
    mapping, scene = mapped()
    devices, _ = parts_of(scene)
    assert devices.family is not None
    assert devices.move is not None
    index = {row.name: number for number, row in enumerate(devices.rows)}
    found = dict(
        zip(
            zip(devices.row.tolist(), devices.start.tolist(), strict=True),
            zip(devices.family.tolist(), devices.move.tolist(), strict=True),
            strict=True,
        )
    )
    for step in mapping.steps:
        families = {found[index[device], step.start] for device in step.devices}
        if step.name.startswith("parameters"):
            assert families == {(NO_FAMILY, MOVES.index("parameters"))}
        elif step.kind == "transfer":
            (read,) = step.reads
            expected = POOLING if "pool" in read and "proj" not in read else CONVOLUTION
            expected = LAYOUT if read == "input#0" else expected
            assert families == {(expected, MOVES.index("value"))}, read


def test_neighbours_of_one_colour_alternate_between_two_shades() -> None:
    _, scene = mapped()
    devices, _ = parts_of(scene)
    assert devices.shade is not None
    assert devices.family is not None
    ends = devices.start + devices.length
    touching = [
        (bar - 1, bar)
        for bar in range(1, devices.row.size)
        if devices.row[bar] == devices.row[bar - 1]
        and devices.start[bar] == ends[bar - 1]
        and devices.family[bar] == devices.family[bar - 1]
    ]
    assert len(touching) > 10
    assert all(devices.shade[one] != devices.shade[other] for one, other in touching)


def test_copies_are_told_from_originals_and_parameters_are_grey() -> None:
    mapping, scene = mapped()
    _, memory = parts_of(scene)
    assert memory.copy is not None
    assert memory.family is not None
    copy = dict(zip(memory.names, memory.copy.tolist(), strict=True))
    family = dict(zip(memory.names, memory.family.tolist(), strict=True))
    assert copy["cell0_1x1 input 0"] == 1
    assert copy["cell0_1x1 result 0"] == copy["stem"] == copy["input#0"] == 0
    assert family["cell0_pool_proj input 0"] == POOLING, "the colour of the original"
    assert family["cell0_pool_proj result 0"] == CONVOLUTION
    for name, kind in zip(memory.names, memory.kind.tolist(), strict=True):
        assert (family[name] == NO_FAMILY) == (kind == KINDS.index("producer")), name
    assert len(mapping.placements) == len(memory)


def test_tiles_keep_their_colours_where_they_move() -> None:
    devices, memory = parts_of(scene_of(mapping_of(8)))
    assert devices.family is not None
    assert memory.family is not None
    nodes = scene_of(mapping_of(8)).nodes
    assert devices.family.tolist() == [nodes[node].colours for node in devices.node]
    assert memory.family.tolist() == [nodes[node].colours for node in memory.node]


@pytest.mark.parametrize(
    ("used", "there", "scale"), [(129, 256, 256), (128, 256, 153.6), (0, 8, 1), (9, 8, 9)]
)
def test_a_memory_ends_at_its_capacity_where_more_than_half_is_used(
    used: int, there: int, scale: float
) -> None:
    assert Space("ram", 0, used, there).scale == pytest.approx(scale)


def test_addresses_begin_at_0_in_each_memory() -> None:
    mapping, scene = mapped()
    _, memory = parts_of(scene)
    uses = {use.path: use for use in mapping.memories}
    for space in memory.spaces:
        own = (memory.offset >= space.base) & (memory.offset < space.base + space.size)
        assert memory.offset[own].min() == space.base
        assert (memory.offset[own] + memory.size[own]).max() == space.base + space.size
        assert (space.size, space.capacity) == (uses[space.name].peak, uses[space.name].capacity)


def test_details_say_what_a_work_waits_for_and_where_its_values_lie() -> None:
    mapping, scene = mapped()
    node = next(each for each in scene.nodes if each.name == "cell0_5x5")
    details = dict(node.details)
    step = next(s for s in mapping.steps if s.work == "cell0_5x5" and s.name.startswith("compute"))
    before = next(s for s in mapping.steps if s.end == step.start and s.devices == step.devices)
    assert details["runs on"] == "accelerator/pe"
    assert details["cycles"] == f"{step.start:,}–{step.end - 1:,}"
    taken = step.end - step.start
    assert details["takes"] == f"{taken:,} ({100 * taken / mapping.cycles:.1f} % of all)"
    macs = sum(function.macs for function in mapping.work("cell0_5x5").functions)
    assert (node.macs, details["MACs"]) == (macs, f"{macs:,}")
    assert details["per cycle"] == f"{macs / taken:.3g} MACs"
    assert "5x5_reduce" in details["waits for"]
    assert before.work.removeprefix("cell0_") in details["waits for"]
    assert details["waits for"].endswith("on the same element")
    load = next(s for s in mapping.steps if s.work == "cell0_5x5" and s.name.startswith("load"))
    assert details["could start"] == f"{load.end:,}: its data are there"
    places = {each.buffer: each for each in mapping.placements}
    for label, name in (("input", step.reads[0]), ("result", step.writes[0])):
        place = places[name]
        span = f"bytes {place.offset:,}–{place.offset + place.size - 1:,}"
        assert details[label] == f"4 KiB in scratch, {span}"
    assert details["then"].startswith("store to ram, ")


def test_phases_follow_each_other_without_a_gap() -> None:
    _, scene = mapped()
    devices, _ = parts_of(scene)
    assert devices.phases is not None
    computed = np.zeros(len(scene.nodes), np.int64)
    for node in range(len(scene.nodes)):
        own = devices.phases[devices.phases[:, 0] == node]
        assert (own[1:, 2] == own[:-1, 2] + own[:-1, 3]).all(), scene.nodes[node].name
        kinds = own[:, 1].tolist()
        assert kinds.count(PHASES.index("compute")) == 1
        computed[node] = own[own[:, 1] == PHASES.index("compute"), 3][0]
    taken = np.zeros(len(scene.nodes), np.int64)
    works = devices.move == MOVES.index("work")
    np.add.at(taken, devices.node[works], devices.length[works])
    assert (computed == taken).all()


def test_a_mapping_is_titled_by_network_and_target_and_has_two_clocks() -> None:
    _, scene = mapped()
    assert scene.title == "inception_like on duo_soc"
    figures = dict(scene.figures)
    assert figures["at 400 MHz"] == "85.5 µs"
    assert (figures["works"], figures["elements"], figures["memories"]) == ("17", "2", "3")
    assert scene.clocks == ("cycle", "µs")
    mapping = replace(mapping_of(4), clock=1.0)
    assert scene_of(mapping).clocks == ("cycle",)


@pytest.mark.parametrize("name", odd_mappings())
def test_odd_mappings_have_a_scene(name: str) -> None:
    mapping = odd_mappings()[name]
    scene = scene_of(mapping)
    devices, memory = parts_of(scene)
    assert devices.end == mapping.cycles
    assert all(length > 0 for length in devices.length.tolist())
    meta, _ = scene.payload()
    assert len(meta["devices"]["labels"]) == len(mapping.devices)
    assert len(memory) == len(mapping.placements)
    if name == "2000 works":
        assert devices.shade is not None
        assert devices.shade.tolist() == [0, 1] * 1000


def test_everything_names_the_node_whose_colour_it_has() -> None:
    mapping, scene = mapped()
    devices, memory = parts_of(scene)
    assert devices.source is not None
    assert devices.family is not None
    assert memory.source is not None
    assert memory.family is not None
    for sources, families in ((devices.source, devices.family), (memory.source, memory.family)):
        for source, family in zip(sources.tolist(), families.tolist(), strict=True):
            own = {OF_PARAMETERS: NO_FAMILY, OF_INPUT: LAYOUT}
            expected = scene.nodes[source].colours if source >= 0 else own[source]
            assert family == expected
    names = [node.name for node in scene.nodes]
    source = dict(zip(memory.names, memory.source.tolist(), strict=True))
    assert names[source["cell0_pool_proj input 0"]] == "cell0_pool", "it is a copy of its result"
    assert source["input#0"] == OF_INPUT
    assert len(mapping.placements) == len(source)
