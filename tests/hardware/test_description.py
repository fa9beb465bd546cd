"""Descriptions of hardware are read, written, and refused with a path and a cure."""

from __future__ import annotations

import pytest
import yaml  # type: ignore[import-untyped]  # the stubs are a package of their own

import aidge_nb
from aidge_nb import hardware
from aidge_nb.errors import HardwareError
from aidge_nb.hardware import read_constraints, read_target, read_yaml, write_yaml

GOOD = """
device: duo
memories:
  ram: {size: 64KiB}
  rom: {size: 1MiB, kind: rom}
devices:
  core:
    count: 2
    pe: {macs_per_cycle: 4, frequency: 100MHz, supports: [Conv2D, ReLU]}
    memories: {l1: {size: 16KiB}}
links:
  - {between: [core/*/pe, core/*/l1], bytes_per_cycle: 16}
  - {between: [ram, core/*/l1], bytes_per_cycle: 8, latency: 2, shared: true}
  - {between: [rom, ram], bytes_per_cycle: 4}
cooperation: [{group: core/*, split: [tile_h]}]
"""


def test_names_are_paths_and_stars_stand_for_the_same_device() -> None:
    target = read_target(GOOD)
    assert [memory.path for memory in target.memories] == ["ram", "rom", "core/0/l1", "core/1/l1"]
    assert [element.path for element in target.elements] == ["core/0/pe", "core/1/pe"]
    assert target.memory("core/1/l1").size == 16 * 1024
    pairs = {link.between for link in target.links}
    assert ("core/0/pe", "core/0/l1") in pairs
    assert ("core/0/pe", "core/1/l1") not in pairs
    buses = {
        link.bus for link in target.links if "ram" in link.between and "rom" not in link.between
    }
    assert len(buses) == 1
    assert buses != {""}
    way = [link.between for link in target.route("core/1/pe", "rom")]
    assert way == [("core/1/pe", "core/1/l1"), ("ram", "core/1/l1"), ("rom", "ram")]
    assert target.cooperation[0].members == ("core/0", "core/1")
    assert target.element("core/0").runs("ReLU")
    assert not target.element("core/0").runs("Softmax")


def test_devices_are_nested_and_equal_names_stay_apart() -> None:
    target = read_target(
        """
device: nested
devices:
  chip:
    devices:
      left: {pe: {macs_per_cycle: 1, frequency: 1MHz}, memories: {sram: {size: 1KiB}}}
      right: {pe: {macs_per_cycle: 1, frequency: 1MHz}, memories: {sram: {size: 2KiB}}}
links: [{between: [chip/*/pe, chip/*/sram], bytes_per_cycle: 4}]
"""
    )
    sizes = {memory.path: memory.size for memory in target.memories}
    assert sizes == {"chip/left/sram": 1024, "chip/right/sram": 2048}


@pytest.mark.parametrize("name", list(hardware.TARGETS))
def test_ready_targets_are_read_as_yaml_and_written_and_read_again(name: str) -> None:
    text = hardware.TARGETS[name]
    assert read_yaml(text) == yaml.safe_load(text)
    target = hardware.target(name)
    written = write_yaml(target.to_dict())
    assert yaml.safe_load(written) == target.to_dict()
    assert read_target(written) == target


@pytest.mark.parametrize(
    "text",
    [
        "a: 1\nb: 'two # 2'  # comment\nc: [1, 2.5, [x, y], {z: \"*\"}]\n",
        "d:\n  e:\n    - f\n    - {g: h}\n",
        "- a: 1\n  b: {c: d}\n- e\n",
        "a:\n- 1\n- 2\nb: {c: true, d: null, e: ~}\n",
        "a: {b: 1,\n  c: [2,\n 3]}\n",
        "time: 10ms\npath: cluster/*/l1\nnegative: -3\nexponent: 1.5e+3\n",
    ],
)
def test_the_part_of_yaml_that_is_read_means_the_same(text: str) -> None:
    assert read_yaml(text) == yaml.safe_load(text)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("a: 1\n\tb: 2", "line 2: indent with spaces, not tabs"),
        ("a: {b: 1", "line 1: lacks a closing brace"),
        ("a: [1, 2", "line 1: lacks a closing bracket"),
        ("a: 1\na: 2", r"line 2: comes twice \(found a\)\. Give one of them another name"),
        ("m: {a: 1, a: 2}", "line 1: comes twice"),
        ("a: 1\n  b: 2", "line 2: is indented unlike"),
        ("a: *b", r'line 1: is YAML that is not used here.*Write "\*b" in quotes'),
        ("a: {b}", "is no 'key: value'"),
        ("a: 1\nb", "line 2: is no 'key: value'"),
        ("a: {b: 1} c", "has something behind its end"),
    ],
)
def test_what_is_no_such_yaml_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(HardwareError, match=message):
        read_yaml(text)


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("device: duo", "devise: duo", r"unknown key 'devise'.*Did you mean device\?"),
        ("{size: 64KiB}", "{size: 64}", r"ram/size: needs a number and a unit.*Write 64B"),
        ("{size: 64KiB}", "{size: 64Kb}", "ram/size: needs a number and a unit.*units are B, KiB"),
        ("{size: 64KiB}", "{size: 0KiB}", "ram/size: must be positive"),
        ("{size: 64KiB}", "{size: -1KiB}", "ram/size: needs a number and a unit"),
        ("{size: 64KiB}", "{size: 0.3B}", "ram/size: is no whole number of bytes"),
        ("{size: 64KiB}", "{kind: ram}", r"ram: lacks 'size'\. Add  size: …"),
        ("{size: 64KiB}", "64KiB", "ram: is no mapping"),
        ("kind: rom", "kind: disk", "rom/kind: unknown .expected ram or rom, found disk"),
        ("count: 2", "count: 0", "core/count: is a number of devices"),
        ("macs_per_cycle: 4", "macs_per_cycle: 0", "core/pe/macs_per_cycle: is a positive number"),
        ("100MHz", "100", "core/pe/frequency: needs a number and a unit.*200MHz"),
        ("[Conv2D, ReLU]", "[Convolution]", "core/pe/supports: .*found Convolution"),
        ("[Conv2D, ReLU]", "Conv2D", "core/pe/supports: is a list"),
        (
            "  - {between: [rom, ram]",
            "  - {between: [rom, rum]",
            r"links\[2\]/between: no such part.*ram",
        ),
        (
            "  - {between: [rom, ram]",
            "  - {between: [core/*/l1, ram]",
            r"links\[2\]: is a second link between core/0/l1 and ram.*links\[1\]",
        ),
        ("  - {between: [rom, ram]", "  - {between: [rom, rom]", "links a part to itself"),
        ("  - {between: [rom, ram]", "  - {between: [rom]", "has two ends"),
        ("latency: 2", "latency: 0.5", r"links\[1\]/latency: is a number of cycles"),
        ("bytes_per_cycle: 4}", "bytes_per_cycle: 0}", r"links\[2\]/bytes_per_cycle"),
        ("  - {between: [rom, ram], bytes_per_cycle: 4}\n", "", "rom: cannot be reached by any"),
        (
            "  - {between: [core/*/pe, core/*/l1], bytes_per_cycle: 16}\n",
            "",
            r"core/0/pe: is linked to no memory.*Add a link",
        ),
        ("[tile_h]", "[rows]", r"cooperation\[0\]/split: unknown .expected tile_h or tile_w"),
        ("group: core/*", "group: cores/*", r"cooperation\[0\]/group: no such part"),
        ("  core:", "  co/re:", "names have no / and no"),
    ],
)
def test_errors_name_the_path_and_the_cure(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(HardwareError, match=message):
        read_target(GOOD.replace(old, new))


def test_a_target_without_elements_or_of_another_name_is_refused() -> None:
    with pytest.raises(HardwareError, match="has no processing element"):
        read_target("device: none\nmemories: {ram: {size: 1KiB}}")
    with pytest.raises(HardwareError, match=r"no such target .expected mcu, quad_cluster"):
        hardware.target("cray")
    with pytest.raises(HardwareError, match=r"no such memory .expected ram"):
        hardware.target("mcu").memory("l1")
    with pytest.raises(HardwareError, match=r"no way from ram to moon.*Add a link"):
        hardware.target("mcu").route("ram", "moon")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{for: mcu}", "for: another target .expected duo, found mcu"),
        (
            "{for: duo, memory: {ram: 1MiB}}",
            "memory/ram: is more than there is .expected up to 65536",
        ),
        ("{for: duo, memory: {l3: 1KiB}}", "no such memory"),
        ("{for: duo, memory: {ram: 1000}}", "memory/ram: needs a number and a unit"),
        ("{for: duo, use: [core/2]}", "no such element"),
        ("{for: duo, use: core/0}", "use: is a list"),
        ("{for: duo, max_latency: 10}", "max_latency: needs a number and a unit.*10ms"),
        ("{for: duo, arithmetic: exact}", "arithmetic: unknown .expected bitexact or fast"),
        ("{for: duo, cores: 2}", "unknown key 'cores'"),
    ],
)
def test_constraints_that_do_not_fit_the_target_are_refused(text: str, message: str) -> None:
    with pytest.raises(HardwareError, match=message):
        read_constraints(f"constraints: {text}", read_target(GOOD))


def test_constraints_leave_the_target_alone() -> None:
    target = read_target(GOOD)
    found = read_constraints(
        "constraints: {for: duo, memory: {ram: 32KiB}, use: [core/1], max_latency: 10ms}", target
    )
    assert found.max_latency == 0.01
    assert found.capacity(target, "ram") == 32_768
    assert found.capacity(target, "rom") == 1 << 20
    assert [element.path for element in found.elements(target)] == ["core/1/pe"]
    assert target == read_target(GOOD)


def test_operators_that_nothing_runs_are_named() -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU(name="relu"), aidge_nb.Tanh(name="tanh")])
    with pytest.raises(HardwareError, match=r"no element runs tanh \(Tanh\).*Conv2D, ReLU"):
        hardware.check_support(view, read_target(GOOD))
    hardware.check_support(view, hardware.target("mcu"))
