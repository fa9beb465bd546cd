"""Parts of a target: processing elements, memories, links, groups of elements.

Devices are nested, and every part of one has a path: ``cluster/0/pe`` is the processing element of
the first of several devices called cluster, ``cluster/0/l1`` its memory.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fnmatch import fnmatchcase

from aidge_nb.hardware.steps import Function


@dataclass(frozen=True, slots=True)
class TargetMemory:
    """A memory of a target.

    Attributes
    ----------
    path
        Path of the memory.
    size
        Size in bytes.
    kind
        ``ram`` or ``rom``.
    """

    path: str
    size: int
    kind: str = "ram"


@dataclass(frozen=True, slots=True)
class OperatorCost:
    """Cycles of an operator on an element; None is derived from the speed of the element.

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
        Path of the element.
    macs_per_cycle
        Multiply-accumulates per cycle.
    frequency
        In hertz.
    supports
        Operator types that it runs, padded or not; ``*`` stands for all.
    kernels
        Name of its kernel library.
    costs
        Costs by operator type or pattern; the first match counts.
    speeds
        Multiply-accumulates per cycle by the element type of the data, where they differ.

    Examples
    --------
    >>> cost = OperatorCost(per_element=12, fixed=50)
    >>> element = Element("pe", 16, 2e8, costs=(("Softmax", cost),))
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
    costs: tuple[tuple[str, OperatorCost], ...] = ()
    speeds: tuple[tuple[str, float], ...] = ()

    @property
    def device(self) -> str:
        """Path of its device.

        Examples
        --------
        >>> Element("cluster/0/pe", 16, 2e8).device
        'cluster/0'
        """
        return self.path.removesuffix("/pe")

    def runs(self, operator: str) -> bool:
        """Return whether it runs operators of a type."""
        return any(_means(pattern, operator) for pattern in self.supports)

    def cycles_of(self, call: Function) -> float:
        """Return the cycles of a computation."""
        return self.cycles(call.operator, call.macs, call.elements, call.dtype)

    def cycles(self, operator: str, macs: int, elements: int, dtype: str = "") -> float:
        """Return the cycles of one call with these multiply-accumulates and output elements.

        What ``costs`` says for an operator holds for all types of data.
        """
        found = (cost for pattern, cost in self.costs if _means(pattern, operator))
        cost = next(found, OperatorCost())
        pace = 1 / dict(self.speeds).get(dtype, self.macs_per_cycle)
        per_mac = pace if cost.per_mac is None else cost.per_mac
        per_element = cost.per_element
        if per_element is None:
            per_element = 0.0 if macs else pace
        return cost.fixed + per_mac * macs + per_element * elements


def _means(pattern: str, operator: str) -> bool:
    """Return whether a pattern matches an operator; ``Conv2D`` also matches PaddedConv2D."""
    plain = operator.removeprefix("Padded")
    return fnmatchcase(operator, pattern) or fnmatchcase(plain, pattern)


@dataclass(frozen=True, slots=True)
class Link:
    """A connection between two parts, or a bus between many.

    A single link carries one transfer at a time in each direction; a bus carries one in all.

    Attributes
    ----------
    between
        Paths of both ends.
    bytes_per_cycle
        Bandwidth in bytes per cycle, in each direction.
    latency
        Cycles before the first byte.
    bus
        Name of its bus, which carries one transfer at a time; empty for a single link.

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
        """Name of the bus, or of both ends."""
        return self.bus or "–".join(self.between)

    def busy_from(self, start: str) -> str:
        """Name the resource that a transfer from ``start`` occupies."""
        return self.bus or "→".join(
            self.between if start == self.between[0] else self.between[::-1]
        )

    def cycles(self, size: int) -> float:
        """Return the cycles of a transfer of ``size`` bytes."""
        return self.latency + size / self.bytes_per_cycle


def busy_on_way(links: Iterable[Link], start: str) -> tuple[str, ...]:
    """Name the resources that a transfer over several links occupies.

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
        Ways to split a layer among them: ``tile_h``, ``tile_w``, ``out_channel``, ``batch``.

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
        """Return the elements that belong to the group."""
        return tuple(element for element in elements if element.device in self.members)
