"""Networks and options that cannot be mapped: why not, and what would do."""

from __future__ import annotations

from typing import Any

import pytest

import aidge_nb
from aidge_nb import hardware
from aidge_nb.core.errors import HardwareError
from aidge_nb.hardware import Constraints, map_schedule, read_target
from tests.hardware.graphs import model, two_branches

ISLAND = """
device: island
memories: {ram: {size: 1MiB}}
devices:
  core: {pe: {macs_per_cycle: 1, frequency: 100MHz, supports: [ReLU]}}
  far: {pe: {macs_per_cycle: 1, frequency: 100MHz}, memories: {l1: {size: 64KiB}}}
links:
  - {between: [core/pe, ram], bytes_per_cycle: 8}
  - {between: [far/pe, far/l1], bytes_per_cycle: 8}
"""


def test_what_cannot_be_mapped_is_refused_with_the_reason() -> None:
    view = two_branches()
    with pytest.raises(
        HardwareError,
        match=r"left .PaddedConv2D. on island: no element can compute it .*"
        r"core/pe: does not run left .*far/pe: .*no route from ram to far/l1.*Add a link",
    ):
        map_schedule(view, read_target(ISLAND))
    lenet = model("lenet")
    small = Constraints("mcu", memory={"flash": 1000})
    with pytest.raises(HardwareError, match=r"memory flash: the parameters do not fit .*1000"):
        map_schedule(lenet, hardware.target("mcu"), small)
    with pytest.raises(HardwareError, match=r"constraints are for another target .found mcu"):
        map_schedule(lenet, hardware.target("duo_soc"), small)
    with pytest.raises(HardwareError, match="unknown memory"):
        map_schedule(lenet, hardware.target("mcu"), home="l3")
    quad = hardware.target("quad_cluster")
    no_controller = Constraints("quad_cluster", use=tuple(f"cluster/{n}" for n in range(4)))
    message = r"turn .Transpose.*no element can compute.*turn .Transpose.: cannot be tiled"
    large = aidge_nb.sequential([aidge_nb.Transpose([1, 0], name="turn")])
    large.forward_dims([[200, 200]])
    with pytest.raises(HardwareError, match=message):
        map_schedule(large, quad, no_controller)


WRONG: list[tuple[dict[str, Any], str]] = [
    ({"target": "mcu"}, r"target: must be a Target .found '.*hardware.target"),
    ({"view": None}, r"mapping: needs the graph .expected GraphView, found NoneType"),
    ({"constraints": {"memory": 1}}, r"must be Constraints .found dict.*Constraints\(.mcu"),
    ({"schedule": ["relu"]}, r"schedule: lists nodes of this graph .found 'relu'.*topological_or"),
    ({"tilings": [{2: 4}]}, r"tilings: must be Tilings .*plan_tiling"),
    (
        {"constraints": Constraints("mcu", memory={"ram": 0})},
        "memory/ram: is out of range .expected 1 t",
    ),
    ({"constraints": Constraints("mcu", memory={"ram": 1 << 40})}, "expected 1 to 327680 bytes"),
    ({"constraints": Constraints("mcu", memory={"l9": 4})}, "unknown memory .expected ram, flash"),
    ({"constraints": Constraints("mcu", use=("gpu",))}, "unknown element .expected core/pe"),
    ({"scheduler": 3}, "unknown .expected earliest finish, one by one, found 3"),
]


@pytest.mark.parametrize(("given", "message"), WRONG)
def test_what_is_passed_by_mistake_is_named(given: dict[str, Any], message: str) -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU("relu")])
    view.forward_dims([[1, 4]])
    nodes = list(view)
    options: dict[str, Any] = {"view": view, "target": hardware.target("mcu"), **given}
    with pytest.raises(HardwareError, match=message):
        map_schedule(**options)
    assert list(view) == nodes


def test_tilings_of_nodes_that_are_not_scheduled_are_refused() -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU("a"), aidge_nb.PaddedConv2D(4, 4, [3, 3], "b")])
    view.forward_dims([[1, 4, 16, 16]])
    tiling = aidge_nb.plan_tiling(view, [view.get_node("b")], {2: 2})
    only = [view.get_node("a")]
    with pytest.raises(HardwareError, match=r"tiles nodes that are not in the schedule .found b "):
        map_schedule(view, hardware.target("mcu"), schedule=only, tilings=[tiling])
