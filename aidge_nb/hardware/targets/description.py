"""From a target to a description: what :mod:`aidge_nb.hardware.targets.describe` reads."""

from __future__ import annotations

from typing import Any

from aidge_nb.hardware.targets.units import hertz_text, size_text
from aidge_nb.hardware.targets.value import Cost, Element, Link, Target


def description_of(target: Target) -> dict[str, Any]:
    """Describe a target with plain values; what is as it is by default is left out.

    Parameters
    ----------
    target
        The target.

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


def _cost(cost: Cost) -> dict[str, float]:
    values = {"per_mac": cost.per_mac, "per_element": cost.per_element, "fixed": cost.fixed or None}
    return {name: value for name, value in values.items() if value is not None}


def _device(devices: dict[str, dict[str, Any]], path: str) -> dict[str, Any]:
    """Find the device at a path among nested ones; it is made where it is not there yet."""
    found: dict[str, Any] = {"devices": devices}
    for name in path.split("/"):
        found = found.setdefault("devices", {}).setdefault(name, {})
    return found
