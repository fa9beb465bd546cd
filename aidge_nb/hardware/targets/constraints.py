"""Constraints of a project: the parts of a target that it may use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from aidge_nb.core.errors import HardwareError
from aidge_nb.graph.view import GraphView
from aidge_nb.hardware.targets.parts import Element
from aidge_nb.hardware.targets.target import Target
from aidge_nb.hardware.targets.text import read_text, write_yaml
from aidge_nb.hardware.targets.units import bytes_of, seconds_of, size_text
from aidge_nb.hardware.targets.where import Where, mapped, one_of, only
from aidge_nb.ops.coded import kind_of

ARITHMETICS = ("bitexact", "fast")
_KEYS = ("for", "memory", "use", "max_latency", "arithmetic")


@dataclass(frozen=True, slots=True)
class Constraints:
    """The parts of a target that a project may use.

    Attributes
    ----------
    target
        Name of the target.
    memory
        Usable bytes by the path of the memory; other memories are used whole.
    use
        Paths of the usable elements; all when empty.
    max_latency
        Limit of one run in seconds; None for no limit.
    arithmetic
        ``bitexact`` or ``fast``.
    """

    target: str
    memory: Mapping[str, int] = field(default_factory=dict)
    use: tuple[str, ...] = ()
    max_latency: float | None = None
    arithmetic: str = "bitexact"

    def elements(self, target: Target) -> tuple[Element, ...]:
        """Return the usable elements of a target."""
        return tuple(dict.fromkeys(map(target.element, self.use))) or target.elements

    def capacity(self, target: Target, path: str) -> int:
        """Return the usable bytes of a memory."""
        return self.memory.get(path, target.memory(path).size)

    def to_dict(self) -> dict[str, Any]:
        """Return plain values that :func:`as_constraints` reads."""
        memory = {path: size_text(size) for path, size in self.memory.items()}
        latency = {} if self.max_latency is None else {"max_latency": f"{self.max_latency:.15g}s"}
        use = {"use": list(self.use)} if self.use else {}
        return {
            "constraints": {
                "for": self.target,
                **({"memory": memory} if memory else {}),
                **use,
                **latency,
                "arithmetic": self.arithmetic,
            }
        }

    def to_yaml(self) -> str:
        """Return the constraints as YAML.

        Raises
        ------
        MissingExtraError
            When PyYAML is not installed.
        """
        return write_yaml(self.to_dict())


def read_constraints(text: str, target: Target, where: str = "constraints") -> Constraints:
    """Read a project's constraints from YAML or JSON, and check them against the target.

    Raises
    ------
    HardwareError
        For another target, unknown parts, or more memory than the target has.

    Examples
    --------
    >>> from aidge_nb import hardware
    >>> quad = hardware.target("quad_cluster")
    >>> text = "constraints: {for: quad_cluster, memory: {l2: 1MiB}, use: [cluster/0, cluster/1]}"
    >>> found = read_constraints(text, quad)
    >>> found.capacity(quad, "l2"), [element.path for element in found.elements(quad)]
    (1048576, ['cluster/0/pe', 'cluster/1/pe'])
    """
    values, at = read_text(text, where)
    inner = only(values, ("constraints",), at, ("constraints",))["constraints"]
    return as_constraints(inner, at / "constraints", target)


def as_constraints(values: object, where: str | Where, target: Target) -> Constraints:
    """Make constraints from plain values.

    Raises
    ------
    HardwareError
        As :func:`read_constraints` does.

    Examples
    --------
    >>> from aidge_nb import hardware
    >>> mcu = hardware.target("mcu")
    >>> as_constraints({"for": "mcu", "max_latency": "10ms"}, "project", mcu).max_latency
    0.01
    """
    at = where if isinstance(where, Where) else Where(where)
    given = only(values, _KEYS, at, ("for",))
    if given["for"] != target.name:
        raise (at / "for").error(
            "is for another target",
            expected=target.name,
            found=given["for"],
            cure="Map onto that target, or write constraints for this one.",
        )
    latency = given.get("max_latency")
    cure = "Write one of these, or leave it out: bitexact."
    arithmetic = given.get("arithmetic", "bitexact")
    return Constraints(
        target.name,
        _memory(given.get("memory"), at / "memory", target),
        _use(given.get("use"), at / "use", target),
        None if latency is None else seconds_of(latency, at / "max_latency"),
        one_of(arithmetic, ARITHMETICS, at / "arithmetic", cure),
    )


def _memory(values: object, where: Where, target: Target) -> dict[str, int]:
    cure = "Write the bytes that may be used after the path of each memory."
    known = [memory.path for memory in target.memories]
    found = {}
    for path, size in mapped(values, where, "{ram: 64KiB}", cure).items():
        if path not in known:
            expected, cure = ", ".join(known), "Write the path of a memory of the target."
            raise (where / path).error("unknown memory", expected=expected, found=path, cure=cure)
        limit, present = bytes_of(size, where / path), target.memory(path).size
        if limit > present:
            expected, cure = f"up to {present} bytes", "Lower it, or leave it out to use all."
            problem = "exceeds the memory"
            raise (where / path).error(problem, expected=expected, found=limit, cure=cure)
        found[path] = limit
    return found


def _use(values: object, where: Where, target: Target) -> tuple[str, ...]:
    if values is None:
        return ()
    devices = [element.device for element in target.elements]
    if not isinstance(values, list) or not values:
        cure = "Leave it out to use all."
        expected = f"some of {', '.join(devices)}"
        raise where.error("must be a list of elements", expected=expected, found=values, cure=cure)
    found: list[str] = []
    for number, path in enumerate(values):
        device = str(path).removesuffix("/pe")
        if device not in devices:
            expected, cure = ", ".join(devices), "Write the path of a device of the target."
            raise where[number].error("unknown element", expected=expected, found=path, cure=cure)
        element = target.element(device).path
        if element in found:
            raise where[number].error("is named twice", found=path, cure="Remove one of the two.")
        found.append(element)
    return tuple(found)


def check_support(view: GraphView, target: Target, constraints: Constraints | None = None) -> None:
    """Check that some element runs each operator of a graph.

    Raises
    ------
    HardwareError
        Names the first operator that no element runs.
    """
    usable = target.elements if constraints is None else constraints.elements(target)
    for node in view.topological_order():
        if node.type() != "Producer" and not any(each.runs(kind_of(node)) for each in usable):
            known = sorted({pattern for each in usable for pattern in each.supports})
            raise HardwareError.at(
                f"target {target.name}",
                f"no element runs {node.label}",
                expected=", ".join(known),
                found=node.type(),
                cure=f"Add {node.type()} to an element's supports, or use more elements.",
            )
