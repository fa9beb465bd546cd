"""Targets as values: processing elements, memories, and the links between them.

Devices are nested, and every part of one has a path: ``cluster/0/pe`` is the processing element of
the first of several devices called cluster, ``cluster/0/l1`` its memory.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from functools import cached_property
from typing import Any, TypeVar

from aidge_nb.core.errors import HardwareError


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory.

    Attributes
    ----------
    path
        Where it is.
    size
        Its size in bytes.
    kind
        ``ram`` or ``rom``.
    """

    path: str
    size: int
    kind: str = "ram"


@dataclass(frozen=True, slots=True)
class Cost:
    """Cycles of an operator on an element; what is None follows from its speed.

    Attributes
    ----------
    per_mac
        Cycles for each multiply-accumulate: 1 / ``macs_per_cycle`` by default.
    per_element
        Cycles for each element of the output: by default 0 for operators with multiply-
        accumulates, 1 / ``macs_per_cycle`` for others.
    fixed
        Cycles for each call.
    """

    per_mac: float | None = None
    per_element: float | None = None
    fixed: float = 0.0


@dataclass(frozen=True, slots=True)
class Element:
    """A processing element.

    Attributes
    ----------
    path
        Where it is.
    macs_per_cycle
        Multiply-accumulates per cycle.
    frequency
        In hertz.
    supports
        Types of the operators that it runs, padded or not; ``*`` stands for all.
    kernels
        The library of kernels that it runs.
    costs
        Costs by operator type, or by pattern; of several that match the first counts.

    Examples
    --------
    >>> element = Element("pe", 16, 2e8, costs=(("Softmax", Cost(per_element=12, fixed=50)),))
    >>> element.cycles("Conv2D", 3200, 100), element.cycles("ReLU", 0, 160)
    (200.0, 10.0)
    >>> element.cycles("Softmax", 0, 10)
    170.0
    """

    path: str
    macs_per_cycle: float
    frequency: float
    supports: tuple[str, ...] = ("*",)
    kernels: str = ""
    costs: tuple[tuple[str, Cost], ...] = ()

    @property
    def device(self) -> str:
        """Path of the device that it is the element of.

        Examples
        --------
        >>> Element("cluster/0/pe", 16, 2e8).device
        'cluster/0'
        """
        return self.path.removesuffix("/pe")

    def runs(self, operator: str) -> bool:
        """Whether it runs operators of a type."""
        return any(_means(pattern, operator) for pattern in self.supports)

    def cycles(self, operator: str, macs: int, elements: int) -> float:
        """Count the cycles of one call, by its multiply-accumulates and elements of output."""
        found = (cost for pattern, cost in self.costs if _means(pattern, operator))
        cost = next(found, Cost())
        pace = 1 / self.macs_per_cycle
        per_mac = pace if cost.per_mac is None else cost.per_mac
        per_element = cost.per_element
        if per_element is None:
            per_element = 0.0 if macs else pace
        return cost.fixed + per_mac * macs + per_element * elements


def _means(pattern: str, operator: str) -> bool:
    """Whether a pattern stands for an operator: ``Conv2D`` stands for PaddedConv2D, too."""
    plain = operator.removeprefix("Padded")
    return fnmatchcase(operator, pattern) or fnmatchcase(plain, pattern)


@dataclass(frozen=True, slots=True)
class Link:
    """A connection between two parts, or a bus between many.

    A link of its own carries one transfer at a time in each direction, a bus one in all.

    Attributes
    ----------
    between
        Paths of both ends.
    bytes_per_cycle
        Bandwidth in bytes per cycle, in each direction.
    latency
        Cycles before the first byte.
    bus
        Name of the bus that it is part of: one transfer at a time. Empty for a link of its own.

    Examples
    --------
    >>> Link(("ram", "l1"), 8).busy_from("l1"), Link(("ram", "l1"), 8, bus="bus").busy_from("l1")
    ('l1→ram', 'bus')
    """

    between: tuple[str, str]
    bytes_per_cycle: float
    latency: int = 0
    bus: str = ""

    @property
    def resource(self) -> str:
        """A name: of the bus, or of both ends."""
        return self.bus or "–".join(self.between)

    def busy_from(self, start: str) -> str:
        """Name what is busy while something is transferred from one of the ends to the other."""
        return self.bus or "→".join(
            self.between if start == self.between[0] else self.between[::-1]
        )

    def cycles(self, size: int) -> float:
        """Return the cycles that a transfer of ``size`` bytes takes."""
        return self.latency + size / self.bytes_per_cycle


def busy_on_way(links: Iterable[Link], start: str) -> tuple[str, ...]:
    """Name what is busy while something goes over several links, from the start of the first.

    Examples
    --------
    >>> busy_on_way([Link(("ram", "l1"), 8), Link(("rom", "ram"), 4)], "l1")
    ('l1→ram', 'ram→rom')
    """
    found, here = dict[str, None](), start
    for link in links:
        found[link.busy_from(here)] = None
        here = link.between[here == link.between[0]]
    return tuple(found)


@dataclass(frozen=True, slots=True)
class Cooperation:
    """Elements that may share a layer.

    Attributes
    ----------
    members
        Paths of their devices.
    split
        How the layer may be split among them: ``tile_h``, ``tile_w``, ``out_channel``, ``batch``.

    Examples
    --------
    >>> pair = Cooperation(("cluster/0", "cluster/1"), ("tile_h",))
    >>> elements = Element("host/pe", 1, 1e8), Element("cluster/1/pe", 4, 1e8)
    >>> [element.path for element in pair.among(elements)]
    ['cluster/1/pe']
    """

    members: tuple[str, ...]
    split: tuple[str, ...]

    def among(self, elements: Iterable[Element]) -> tuple[Element, ...]:
        """Pick those of some elements that belong to the group."""
        return tuple(element for element in elements if element.device in self.members)


Part = TypeVar("Part", Memory, Element)


@dataclass(frozen=True, repr=False)
class Target:
    """A machine to map networks onto.

    Attributes
    ----------
    name
        Its name.
    memories, elements, links
        What it is made of.
    cooperation
        Groups of elements that may share a layer.
    clock
        What counts the cycles of links, in hertz: by default that of the first element.

    Examples
    --------
    >>> from aidge_nb import hardware
    >>> hardware.target("quad_cluster")
    Target(quad_cluster: 5 elements, 6 memories, 11 links)
    >>> hardware.target("quad_cluster").memory("cluster/2/l1").size
    65536
    """

    name: str
    memories: tuple[Memory, ...]
    elements: tuple[Element, ...]
    links: tuple[Link, ...]
    cooperation: tuple[Cooperation, ...] = ()
    clock: float = 0.0

    def __post_init__(self) -> None:
        if not self.clock and self.elements:
            object.__setattr__(self, "clock", self.elements[0].frequency)

    def memory(self, path: str) -> Memory:
        """Find a memory.

        Raises
        ------
        HardwareError
            When there is none at this path.
        """
        return self._find(path, self.memories, "memory")

    def element(self, path: str) -> Element:
        """Find a processing element; the path of its device will do.

        Raises
        ------
        HardwareError
            When there is none at this path.
        """
        known = {each.path for each in self.elements}
        return self._find(path if path in known else f"{path}/pe", self.elements, "element")

    def _find(self, path: str, parts: Sequence[Part], what: str) -> Part:
        found = next((part for part in parts if part.path == path), None)
        if found is None:
            known = ", ".join(part.path for part in parts)
            raise HardwareError.at(
                f"target {self.name}",
                f"no such {what}",
                expected=known,
                found=path,
                cure="Name one of these, or add it to the target.",
            )
        return found

    def link(self, one: str, other: str) -> Link | None:
        """Find the link between two parts, None when there is none."""
        ends = {one, other}
        return next((link for link in self._at.get(one, ()) if set(link.between) == ends), None)

    def local(self, element: str) -> tuple[Memory, ...]:
        """List the memories that an element is linked to, those of its own device first."""
        own = element.rpartition("/")[0]
        ends = {end for link in self._at.get(element, ()) for end in link.between}
        linked = [m for m in self.memories if m.path in ends and m.path != element]
        return tuple(sorted(linked, key=lambda m: m.path.rpartition("/")[0] != own))

    def route(self, start: str, end: str) -> tuple[Link, ...]:
        """Give the fewest links from one part to another.

        Raises
        ------
        HardwareError
            When there is no way.
        """
        ways = self._ways(start, end)
        if end not in ways:
            raise HardwareError.at(
                f"target {self.name}",
                f"no way from {start} to {end}",
                found=f"ways to {', '.join(sorted(set(ways) - {start})) or 'nothing'}",
                cure=f"Add a link: - {{between: [{start}, {end}], bytes_per_cycle: 8}}.",
            )
        return ways[end]

    def reachable(self, start: str) -> frozenset[str]:
        """List the paths of all memories that there is a way to, over other memories."""
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
        """Find the fewest links to memories, and to an end; no further than that."""
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
        """Give plain Python values, as a description with every part spelt out."""
        from aidge_nb.hardware.targets.description import description_of

        return description_of(self)

    def to_yaml(self) -> str:
        """Give the description as YAML, with every part spelt out.

        Raises
        ------
        MissingExtraError
            Without PyYAML.
        """
        from aidge_nb.hardware.targets.text import write_yaml

        return write_yaml(self.to_dict())

    def __repr__(self) -> str:
        return (
            f"Target({self.name}: {len(self.elements)} elements, {len(self.memories)} memories, "
            f"{len(self.links)} links)"
        )
