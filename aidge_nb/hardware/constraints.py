"""What a project may use of a target: a file of its own, so that the target's stays as it is."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from aidge_nb.errors import HardwareError, explain
from aidge_nb.graph.view import GraphView
from aidge_nb.hardware.describe import only
from aidge_nb.hardware.target import Element, Target
from aidge_nb.hardware.units import bytes_of, seconds_of
from aidge_nb.hardware.yaml_text import read_yaml

__all__ = ["ARITHMETICS", "Constraints", "check_support", "read_constraints"]

ARITHMETICS = ("bitexact", "fast")


@dataclass(frozen=True, slots=True)
class Constraints:
    """What may be used of a target.

    Attributes
    ----------
    target
        Name of the target.
    memory
        Bytes that may be used, by the path of the memory; all of the others.
    use
        Paths of the elements; all when empty.
    max_latency
        Seconds for one run; None without limit.
    arithmetic
        ``bitexact`` or ``fast``.
    """

    target: str
    memory: Mapping[str, int] = field(default_factory=dict)
    use: tuple[str, ...] = ()
    max_latency: float | None = None
    arithmetic: str = "bitexact"

    def elements(self, target: Target) -> tuple[Element, ...]:
        """Give the elements that may be used."""
        return tuple(target.element(path) for path in self.use) or target.elements

    def capacity(self, target: Target, path: str) -> int:
        """Give the bytes of a memory that may be used."""
        return self.memory.get(path, target.memory(path).size)


def read_constraints(text: str, target: Target, where: str = "constraints") -> Constraints:
    """Read a project's constraints from YAML, and check them against the target.

    Raises
    ------
    HardwareError
        For another target, unknown parts, and more memory than there is.

    Examples
    --------
    >>> from aidge_nb import hardware
    >>> quad = hardware.target("quad_cluster")
    >>> text = "constraints: {for: quad_cluster, memory: {l2: 1MiB}, use: [cluster/0, cluster/1]}"
    >>> found = read_constraints(text, quad)
    >>> found.capacity(quad, "l2"), [element.path for element in found.elements(quad)]
    (1048576, ['cluster/0/pe', 'cluster/1/pe'])
    """
    outer = only(read_yaml(text, where), ("constraints",), where, ("constraints",))
    keys = ("for", "memory", "use", "max_latency", "arithmetic")
    given = only(outer["constraints"], keys, where, ("for",))
    if given["for"] != target.name:
        raise HardwareError(
            explain(f"{where}: for", "another target", expected=target.name, found=given["for"])
        )
    memory = {}
    for path, size in (given.get("memory") or {}).items():
        limit = bytes_of(size, f"{where}: memory/{path}")
        present = target.memory(path).size
        if limit > present:
            raise HardwareError(
                explain(
                    f"{where}: memory/{path}",
                    "is more than there is",
                    expected=f"up to {present} bytes",
                    found=limit,
                )
            )
        memory[path] = limit
    use = given.get("use") or []
    if not isinstance(use, list):
        raise HardwareError(explain(f"{where}: use", "is a list of elements", found=use))
    latency = given.get("max_latency")
    arithmetic = given.get("arithmetic", "bitexact")
    if arithmetic not in ARITHMETICS:
        raise HardwareError(
            explain(
                f"{where}: arithmetic",
                "unknown",
                expected=" or ".join(ARITHMETICS),
                found=arithmetic,
            )
        )
    return Constraints(
        target.name,
        memory,
        tuple(target.element(str(path)).path for path in use),
        None if latency is None else seconds_of(latency, f"{where}: max_latency"),
        arithmetic,
    )


def check_support(view: GraphView, target: Target, constraints: Constraints | None = None) -> None:
    """Check that some element runs every operator of a graph.

    Raises
    ------
    HardwareError
        Names the operator that none runs.
    """
    usable = target.elements if constraints is None else constraints.elements(target)
    for node in view.topological_order():
        if node.type() != "Producer" and not any(each.runs(node.type()) for each in usable):
            known = sorted({pattern for each in usable for pattern in each.supports})
            raise HardwareError(
                explain(
                    f"target {target.name}",
                    f"no element runs {node.label}",
                    expected=", ".join(known),
                    found=node.type(),
                    cure=f"Add {node.type()} to an element's supports, or use more elements.",
                )
            )
