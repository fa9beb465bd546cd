"""Descriptions of hardware are read, written, and refused with a path and a cure."""

from __future__ import annotations

import json
import sys
from typing import Any

import pytest

import aidge_nb
from aidge_nb import hardware
from aidge_nb.core.errors import HardwareError, MissingExtraError
from aidge_nb.hardware import as_target, read_constraints, read_target
from aidge_nb.hardware.targets.text import read_text

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
def test_ready_targets_are_written_as_yaml_and_as_json_and_read_again(name: str) -> None:
    target = hardware.target(name)
    assert as_target(hardware.TARGETS[name]) == target
    assert read_target(target.to_yaml()) == target
    assert read_target(json.dumps(target.to_dict())) == target
    assert as_target(target.to_dict()).to_dict() == target.to_dict()


def test_values_and_their_lines_are_read() -> None:
    text = "a: 1\nb:\n  - c: 64KiB\n    d: [x, 2.5]\n  - {e: null}\n"
    values, where = read_text(text, "file.yaml")
    assert values == {"a": 1, "b": [{"c": "64KiB", "d": ["x", 2.5]}, {"e": None}]}
    places = [where / "a", (where / "b")[0] / "d", (where / "b")[1] / "e", (where / "b")[1] / "f"]
    assert [place.line for place in places] == [1, 4, 5, 5]
    assert str((where / "b")[0] / "d") == "file.yaml, line 4: b[0]/d"
    assert where.line is None


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "target: is empty .expected key: value"),
        ("# nothing", "is empty"),
        ("a: 1\n\tb: 2", "target, line 2: cannot be read as YAML: .*'.t'"),
        ("a: {b: 1", "target, line 1: cannot be read as YAML: .*flow mapping"),
        ("a: [1, 2", "line 1: cannot be read as YAML: .*flow sequence"),
        ("a: 1\na: 2", r"line 2: is written twice \(found a\)\. Give one of them another name"),
        ("m: {a: 1,\n a: 2}", "line 2: is written twice .found m/a"),
        ('{"a": 1, "a": 2}', "target: is written twice .found a"),
        ("a: 1\n  b: 2", "line 2: cannot be read as YAML"),
        ("a: *b", "line 1: cannot be read as YAML: found undefined alias"),
        ("a: &b [1]\nc: *b", "target, line 2: c: anchors and aliases are not used here.*Write it"),
        (
            "a: !!python/object:os.system {}",
            "line 1: cannot be read as YAML: could not determine",
        ),
        ("a: 1\nb", "line 2: cannot be read as YAML"),
        ("a: 1\n---\nb: 2", "line 2: cannot be read as YAML: .*single document"),
        ("[1]: 2", "cannot be read as YAML: .*unhashable key"),
        ("a: \x00", "target: cannot be read as YAML: .*special characters"),
    ],
)
def test_what_is_no_description_is_refused_with_its_line(text: str, message: str) -> None:
    with pytest.raises(HardwareError, match=message):
        read_target(text)


def test_what_is_no_text_is_refused() -> None:
    nothing: Any = None
    with pytest.raises(HardwareError, match=r"target: must be text .expected str.*read_text"):
        read_target(nothing)


def test_json_and_plain_values_do_without_pyyaml(monkeypatch: pytest.MonkeyPatch) -> None:
    duo = read_target(GOOD)
    limits = {"constraints": {"for": "duo", "memory": {"ram": "32KiB"}}}
    monkeypatch.setitem(sys.modules, "yaml", None)
    assert hardware.target.__wrapped__("quad_cluster") == hardware.target("quad_cluster")
    assert read_target(json.dumps(duo.to_dict())) == duo
    assert read_constraints(json.dumps(limits), duo).memory == {"ram": 32_768}
    with pytest.raises(HardwareError, match="target: devices/core/cpu: unknown key"):
        read_target('{"device": "x", "devices": {"core": {"cpu": 1}}}')
    for use in (lambda: read_target(GOOD), duo.to_yaml):
        with pytest.raises(MissingExtraError, match=r'PyYAML.*pip install "aidge_nb.hardware."'):
            use()


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("device: duo", "devise: duo", r"line 2: devise: unknown key.*Did you mean device\?"),
        (
            "{size: 64KiB}",
            "{size: 64}",
            r"target, line 4: memories/ram/size: needs a number and a unit.*Write 64B",
        ),
        ("100MHz,", "100MHz, cycles: [1],", "core/pe/cycles: must be a mapping"),
        ("100MHz,", "100MHz, cycles: {Convoluted: {}},", "cycles/Convoluted: unknown operator ty"),
        (
            "100MHz,",
            "100MHz, cycles: {ReLU: {per_mac: -1}},",
            "per_mac: must be a number",
        ),
        ("100MHz,", "100MHz, cycles: {ReLU: {per_op: 1}},", "per_op: unknown key"),
        ("device: duo", "device: duo\nclock: 5", "line 3: clock: needs a number and a unit"),
        ("  core:", "  1:", "devices/1: must be text"),
        ("{size: 64KiB}", "{size: 64Kb}", "ram/size: needs a number and a unit.*units are B, KiB"),
        ("{size: 64KiB}", "{size: 0KiB}", "ram/size: must be positive"),
        ("{size: 64KiB}", "{size: -1KiB}", "ram/size: needs a number and a unit"),
        ("{size: 64KiB}", "{size: 0.3B}", "ram/size: must be a whole number of bytes"),
        ("{size: 64KiB}", "{kind: ram}", r"ram: lacks 'size'\. Add  size: …"),
        ("{size: 64KiB}", "64KiB", "memories/ram: must be a mapping"),
        ("{size: 64KiB}", "{size: 1e999MiB}", "ram/size: is too large"),
        ("kind: rom", "kind: disk", "rom/kind: unknown .expected ram or rom, found disk"),
        ("count: 2", "count: 0", "core/count: must be a number of devices"),
        ("count: 2", "count: 9999999", "core/count: .*expected 1 to 1024, found 9999999"),
        ("[Conv2D, ReLU]", "[]", "core/pe/supports: must be a list of operator types"),
        ("shared: true", "shared: maybe", r"links\[1\]/shared: .*expected true or false"),
        (
            "macs_per_cycle: 4",
            "macs_per_cycle: 0",
            "core/pe/macs_per_cycle: must be a pos",
        ),
        ("100MHz", "100", "core/pe/frequency: needs a number and a unit.*200MHz"),
        ("[Conv2D, ReLU]", "[Convolution]", "core/pe/supports: .*found Convolution"),
        ("[Conv2D, ReLU]", "Conv2D", "core/pe/supports: must be a list"),
        (
            "  - {between: [rom, ram]",
            "  - {between: [rom, rum]",
            r"links\[2\]/between: unknown part.*ram",
        ),
        (
            "  - {between: [rom, ram]",
            "  - {between: [core/*/l1, ram]",
            r"line 14: links\[2\]: is a second link between core/0/l1 and ram.*line 13: links\[1\]",
        ),
        ("  - {between: [rom, ram]", "  - {between: [rom, rom]", "links a part to itself"),
        ("  - {between: [rom, ram]", "  - {between: [rom]", "must have two ends"),
        ("latency: 2", "latency: 0.5", r"links\[1\]/latency: must be a number of cycles"),
        ("bytes_per_cycle: 4}", "bytes_per_cycle: 0}", r"links\[2\]/bytes_per_cycle"),
        (
            "  - {between: [rom, ram], bytes_per_cycle: 4}\n",
            "",
            "links: rom: cannot be reached",
        ),
        (
            "  - {between: [core/*/pe, core/*/l1], bytes_per_cycle: 16}\n",
            "",
            r"core/0/pe: is linked to no memory.*Add a link",
        ),
        ("[tile_h]", "[rows]", r"cooperation\[0\]/split: unknown .expected tile_h or tile_w"),
        ("[tile_h]", "[]", r"cooperation\[0\]/split: is empty .expected tile_h or"),
        ("group: core/*", "group: cores/*", r"cooperation\[0\]/group: unknown part"),
        ("  core:", "  co/re:", "names have no / and no"),
    ],
)
def test_errors_name_the_path_and_the_cure(old: str, new: str, message: str) -> None:
    assert old in GOOD
    with pytest.raises(HardwareError, match=message):
        read_target(GOOD.replace(old, new))


def test_hundreds_of_devices_are_read_and_thousands_refused() -> None:
    many = read_target(GOOD.replace("count: 2", "count: 300"))
    assert len(many.elements) == 300
    assert many.reachable("core/299/pe") == {memory.path for memory in many.memories}
    assert [link.between for link in many.route("rom", "core/7/l1")] == [
        ("rom", "ram"),
        ("ram", "core/7/l1"),
    ]
    core = "{count: 50, pe: {macs_per_cycle: 1, frequency: 1MHz}}"
    nested = f"device: x\ndevices: {{outer: {{count: 50, devices: {{core: {core}}}}}}}"
    with pytest.raises(HardwareError, match=r"makes too many processing elements .expected 1024"):
        read_target(nested)


def test_a_target_without_elements_or_of_another_name_is_refused() -> None:
    with pytest.raises(HardwareError, match="has no processing element"):
        read_target("device: none\nmemories: {ram: {size: 1KiB}}")
    with pytest.raises(HardwareError, match=r"unknown target .expected mcu, quad_cluster"):
        hardware.target("cray")
    with pytest.raises(HardwareError, match=r"unknown memory .expected ram"):
        hardware.target("mcu").memory("l1")
    with pytest.raises(HardwareError, match=r"no route from ram to moon.*Add a link"):
        hardware.target("mcu").route("ram", "moon")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("{for: mcu}", "for: is for another target .expected duo, found mcu"),
        (
            "{for: duo, memory: {ram: 1MiB}}",
            "memory/ram: exceeds the memory .expected up to 65536",
        ),
        ("{for: duo, memory: {l3: 1KiB}}", "unknown memory"),
        ("{for: duo, memory: {ram: 1000}}", "memory/ram: needs a number and a unit"),
        ("{for: duo, use: [core/2]}", "unknown element"),
        ("{for: duo, use: core/0}", "use: must be a list"),
        (
            "{for: duo, use: []}",
            r"use: must be a list .*some of core/0, core/1.*Leave it out to use all",
        ),
        ("{for: duo, use: [core/0, core/0/pe]}", r"use\[1\]: is named twice"),
        ("{for: duo, memory: 64KiB}", "constraints/memory: must be a mapping"),
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


def test_costs_of_operators_are_read_and_count() -> None:
    text = GOOD.replace(
        "100MHz,", 'clock_of, cycles: {ReLU: {per_element: 0.5, fixed: 10}, "*": {fixed: 7}},'
    ).replace("clock_of", "100MHz")
    element = read_target(text).element("core/0")
    assert element.cycles("ReLU", 0, 100) == 60
    assert element.cycles("Conv2D", 400, 100) == 107
    assert element.cycles("Tanh", 0, 100) == 32
    assert read_target(read_target(text).to_yaml()) == read_target(text)


def test_padding_is_part_of_what_is_supported() -> None:
    element = read_target(GOOD).element("core/0")
    assert element.runs("Conv2D")
    assert element.runs("PaddedConv2D")
    assert not element.runs("PaddedMaxPooling2D")
    view = aidge_nb.sequential([aidge_nb.PaddedConv2D(3, 4, [3, 3], "conv", [1, 1], [1] * 4)])
    hardware.check_support(view, read_target(GOOD))


def test_constraints_are_written_and_read_again() -> None:
    target = read_target(GOOD)
    found = read_constraints(
        "constraints: {for: duo, memory: {ram: 1000B}, use: [core/1], max_latency: 3ms}", target
    )
    assert read_constraints(found.to_yaml(), target) == found
    assert read_constraints(json.dumps(found.to_dict()), target) == found
    plain = hardware.Constraints("duo")
    assert read_constraints(plain.to_yaml(), target) == plain
