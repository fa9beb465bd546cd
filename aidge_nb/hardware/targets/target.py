"""Targets as values, found by path, and written as descriptions."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

from aidge_nb.core.errors import HardwareError
from aidge_nb.hardware.targets.parts import Cooperation, Element, Link, OperatorCost, TargetMemory
from aidge_nb.hardware.targets.text import write_yaml
from aidge_nb.hardware.targets.units import hertz_text, size_text

_Part = TypeVar("_Part", TargetMemory, Element)


@dataclass(frozen=True, repr=False)
class Target:
    """A machine to map networks onto.

    Attributes
    ----------
    name
        Name of the target.
    memories, elements, links
        Its parts.
    cooperation
        Groups of elements that may share a layer.
    clock
        Frequency of the links in hertz; by default that of the first element.

    Examples
    --------
    >>> from aidge_nb import hardware
    >>> hardware.target("quad_cluster")
    Target(quad_cluster: 5 elements, 6 memories, 11 links)
    >>> hardware.target("quad_cluster").memory("cluster/2/l1").size
    65536
    """

    name: str
    memories: tuple[TargetMemory, ...]
    elements: tuple[Element, ...]
    links: tuple[Link, ...]
    cooperation: tuple[Cooperation, ...] = ()
    clock: float = 0.0

    def __post_init__(self) -> None:
        if not self.clock and self.elements:
            object.__setattr__(self, "clock", self.elements[0].frequency)

    def memory(self, path: str) -> TargetMemory:
        """Return the memory at a path.

        Raises
        ------
        HardwareError
            For an unknown path.
        """
        return self._find(path, self.memories, "memory")

    def element(self, path: str) -> Element:
        """Return the processing element at a path, or of the device at a path.

        Raises
        ------
        HardwareError
            For an unknown path.
        """
        known = {each.path for each in self.elements}
        return self._find(path if path in known else f"{path}/pe", self.elements, "element")

    def _find(self, path: str, parts: Sequence[_Part], what: str) -> _Part:
        found = next((part for part in parts if part.path == path), None)
        if found is None:
            raise HardwareError.at(
                f"target {self.name}",
                f"unknown {what}",
                expected=", ".join(part.path for part in parts),
                found=path,
                cure="Name one of these, or add it to the target.",
            )
        return found

    def link(self, one: str, other: str) -> Link | None:
        """Return the link between two parts, or None."""
        ends = {one, other}
        return next((link for link in self._at.get(one, ()) if set(link.between) == ends), None)

    def local(self, element: str) -> tuple[TargetMemory, ...]:
        """List the memories linked to an element, those of its own device first."""
        own = element.rpartition("/")[0]
        ends = {end for link in self._at.get(element, ()) for end in link.between}
        linked = [m for m in self.memories if m.path in ends and m.path != element]
        return tuple(sorted(linked, key=lambda m: m.path.rpartition("/")[0] != own))

    def route(self, start: str, end: str) -> tuple[Link, ...]:
        """Return the shortest route from one part to another.

        Raises
        ------
        HardwareError
            When the parts are not connected.
        """
        ways = self._ways(start, end)
        if end not in ways:
            raise HardwareError.at(
                f"target {self.name}",
                f"no route from {start} to {end}",
                found=f"ways to {', '.join(sorted(set(ways) - {start})) or 'nothing'}",
                cure=f"Add a link: - {{between: [{start}, {end}], bytes_per_cycle: 8}}.",
            )
        return ways[end]

    def reachable(self, start: str) -> frozenset[str]:
        """Return the paths of all memories reachable over other memories."""
        return frozenset(self._ways(start)) - {start}

    @cached_property
    def _at(self) -> dict[str, list[Link]]:
        """The links of each part."""
        found: dict[str, list[Link]] = {}
        for link in self.links:
            for end in dict.fromkeys(link.between):
                found.setdefault(end, []).append(link)
        return found

    def _ways(self, start: str, end: str = "") -> dict[str, tuple[Link, ...]]:
        """Find the shortest routes to memories; stop when ``end`` is reached."""
        ways: dict[str, tuple[Link, ...]] = {start: ()}
        pending = deque([start])
        memories = {memory.path for memory in self.memories}
        while pending and end not in ways:
            here = pending.popleft()
            for link in self._at.get(here, ()):
                there = link.between[link.between[0] == here]
                if there not in ways and (there in memories or there == end):
                    ways[there] = (*ways[here], link)
                    pending.append(there)
        return ways

    def to_dict(self) -> dict[str, Any]:
        """Return a description in plain values, with all parts spelt out."""
        return description_of(self)

    def to_yaml(self) -> str:
        """Return the description as YAML, with all parts spelt out.

        Raises
        ------
        MissingExtraError
            When PyYAML is not installed.
        """
        return write_yaml(self.to_dict())

    def __repr__(self) -> str:
        return (
            f"Target({self.name}: {len(self.elements)} elements, {len(self.memories)} memories, "
            f"{len(self.links)} links)"
        )


def description_of(target: Target) -> dict[str, Any]:
    """Describe a target with plain values, without defaults.

    Examples
    --------
    >>> from aidge_nb import hardware
    >>> described = description_of(hardware.target("mcu"))
    >>> hardware.as_target(described) == hardware.target("mcu")
    True
    """
    devices: dict[str, dict[str, Any]] = {}
    top: dict[str, Any] = {}
    for element in target.elements:
        _device(devices, element.path.rpartition("/")[0])["pe"] = _element(element)
    for memory in target.memories:
        values = {"size": size_text(memory.size), "kind": memory.kind}
        owner, _, name = memory.path.rpartition("/")
        (_device(devices, owner).setdefault("memories", {}) if owner else top)[name] = values
    return {
        "device": target.name,
        "clock": hertz_text(target.clock),
        "memories": top,
        "devices": devices,
        "links": [_link(link) for link in target.links],
        "cooperation": [
            {"group": list(each.members), "split": list(each.split)} for each in target.cooperation
        ],
    }


def _element(element: Element) -> dict[str, Any]:
    return {
        "macs_per_cycle": element.macs_per_cycle,
        **({"macs_per_cycle_of": dict(element.speeds)} if element.speeds else {}),
        "frequency": hertz_text(element.frequency),
        "supports": list(element.supports),
        **({"kernels": element.kernels} if element.kernels else {}),
        **(
            {"cycles": {each: _cost(cost) for each, cost in element.costs}} if element.costs else {}
        ),
    }


def _link(link: Link) -> dict[str, Any]:
    return {
        "between": list(link.between),
        "bytes_per_cycle": link.bytes_per_cycle,
        **({"latency": link.latency} if link.latency else {}),
        **({"bus": link.bus} if link.bus else {}),
    }


def _cost(cost: OperatorCost) -> dict[str, float]:
    values = {"per_mac": cost.per_mac, "per_element": cost.per_element, "fixed": cost.fixed or None}
    return {name: value for name, value in values.items() if value is not None}


def _device(devices: dict[str, dict[str, Any]], path: str) -> dict[str, Any]:
    """Return the description of the device at a path; add it if missing."""
    found: dict[str, Any] = {"devices": devices}
    for name in path.split("/"):
        found = found.setdefault("devices", {}).setdefault(name, {})
    return found
