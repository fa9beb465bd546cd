"""From a description to a target: every part is checked, every error names its path."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from difflib import get_close_matches
from fnmatch import fnmatchcase
from typing import Any

from aidge_nb.errors import HardwareError, explain
from aidge_nb.graph.spec import find_spec
from aidge_nb.hardware.target import Cooperation, Element, Link, Memory, Target
from aidge_nb.hardware.units import bytes_of, hertz_of
from aidge_nb.hardware.yaml_text import read_yaml

__all__ = ["SPLITS", "as_target", "only", "read_target"]

SPLITS = ("tile_h", "tile_w", "out_channel", "batch")
"""How elements may share a layer."""

_KINDS = ("ram", "rom")


def read_target(text: str, where: str = "target") -> Target:
    """Read a target from YAML.

    Raises
    ------
    HardwareError
        For anything that is missing, unknown or contradictory; names its path and the cure.

    Examples
    --------
    >>> read_target('''
    ... device: mcu
    ... memories: {ram: {size: 64KiB}}
    ... devices: {core: {pe: {macs_per_cycle: 1, frequency: 80MHz}}}
    ... links: [{between: [core/pe, ram], bytes_per_cycle: 4}]
    ... ''')
    Target(mcu: 1 elements, 1 memories, 1 links)
    """
    return as_target(read_yaml(text, where), where)


def as_target(values: object, where: str = "target") -> Target:
    """Make a target of plain values, as :func:`read_target` does of YAML."""
    given = only(
        values, ("device", "memories", "devices", "links", "cooperation"), where, ("device",)
    )
    name = str(given["device"])
    memories: list[Memory] = []
    elements: list[Element] = []
    _add_memories(given.get("memories"), "", f"{where}: memories", memories)
    _add_devices(given.get("devices"), "", f"{where}: devices", memories, elements)
    if not elements:
        cure = "Write devices: {core: {pe: {macs_per_cycle: 1, frequency: 100MHz}}}."
        raise HardwareError(explain(where, "has no processing element", cure=cure))
    paths = [*(memory.path for memory in memories), *(element.path for element in elements)]
    links = list(_links(given.get("links") or [], paths, f"{where}: links"))
    groups = list(_groups(given.get("cooperation") or [], elements, f"{where}: cooperation"))
    target = Target(name, tuple(memories), tuple(elements), tuple(links), tuple(groups))
    _check_reach(target, where)
    return target


def only(
    values: object, allowed: Sequence[str], where: str, needed: Sequence[str] = ()
) -> Mapping[str, Any]:
    """Check that values are a mapping with known keys.

    Raises
    ------
    HardwareError
        For other keys (says which are close), and for missing ones.
    """
    if not isinstance(values, Mapping):
        raise HardwareError(
            explain(where, "is no mapping", expected="key: value", found=repr(values))
        )
    for key in values:
        if key not in allowed:
            close = get_close_matches(str(key), allowed)
            raise HardwareError(
                explain(
                    where,
                    f"unknown key {key!r}",
                    expected=" or ".join(allowed),
                    cure=f"Did you mean {close[0]}?" if close else "",
                )
            )
    for key in needed:
        if values.get(key) is None:
            raise HardwareError(explain(where, f"lacks {key!r}", cure=f"Add  {key}: …"))
    return values


def _entries(values: object, where: str) -> Mapping[str, Any]:
    if values is None:
        return {}
    if not isinstance(values, Mapping):
        raise HardwareError(
            explain(where, "is no mapping", expected="name: {…}", found=repr(values))
        )
    for name in values:
        if "/" in str(name) or "*" in str(name):
            raise HardwareError(
                explain(where, "names have no / and no *", found=name, cure="Use nested devices.")
            )
    return values


def _add_memories(values: object, prefix: str, where: str, found: list[Memory]) -> None:
    for name, each in _entries(values, where).items():
        path = f"{prefix}{name}"
        here = f"{where.partition(':')[0]}: {path}"
        given = only(each, ("size", "kind"), here, ("size",))
        kind = given.get("kind", "ram")
        if kind not in _KINDS:
            raise HardwareError(
                explain(f"{here}/kind", "unknown", expected=" or ".join(_KINDS), found=kind)
            )
        found.append(Memory(path, bytes_of(given["size"], f"{here}/size"), kind))


def _add_devices(
    values: object, prefix: str, where: str, memories: list[Memory], elements: list[Element]
) -> None:
    for name, each in _entries(values, where).items():
        here = f"{where.partition(':')[0]}: {prefix}{name}"
        given = only(each, ("count", "pe", "memories", "devices"), here)
        count = given.get("count")
        if count is not None and (not isinstance(count, int) or count < 1):
            raise HardwareError(
                explain(
                    f"{here}/count", "is a number of devices", expected="1 or more", found=count
                )
            )
        copies = [f"{prefix}{name}/"]
        if count is not None:
            copies = [f"{prefix}{name}/{number}/" for number in range(count)]
        for copy in copies:
            _add_memories(given.get("memories"), copy, here, memories)
            if given.get("pe") is not None:
                elements.append(_element(given["pe"], f"{copy}pe", f"{here}/pe"))
            _add_devices(given.get("devices"), copy, here, memories, elements)


def _element(values: object, path: str, where: str) -> Element:
    keys = ("macs_per_cycle", "frequency", "supports", "kernels")
    given = only(values, keys, where, ("macs_per_cycle", "frequency"))
    speed = _positive(given["macs_per_cycle"], f"{where}/macs_per_cycle", "16")
    supports = given.get("supports", ["*"])
    for operator in supports if isinstance(supports, list) else [None]:
        if not isinstance(operator, str) or not _is_operator(operator):
            raise HardwareError(
                explain(
                    f"{where}/supports",
                    "is a list of operator types",
                    expected='[Conv2D, ReLU], or ["*"] for all',
                    found=operator if isinstance(supports, list) else supports,
                )
            )
    frequency = hertz_of(given["frequency"], f"{where}/frequency")
    return Element(path, speed, frequency, tuple(supports), str(given.get("kernels") or ""))


def _is_operator(name: str) -> bool:
    return "*" in name or find_spec(name.removeprefix("Padded")) is not None


def _positive(value: object, where: str, example: str) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or value <= 0:
        raise HardwareError(
            explain(where, "is a positive number", expected=example, found=repr(value))
        )
    return value


def _links(values: object, paths: list[str], where: str) -> Iterator[Link]:
    seen: dict[frozenset[str], str] = {}
    for number, each in enumerate(_listed(values, where)):
        here = f"{where}[{number}]"
        keys = ("between", "bytes_per_cycle", "latency", "shared", "bus")
        given = only(each, keys, here, ("between", "bytes_per_cycle"))
        ends = given["between"]
        if not isinstance(ends, list) or len(ends) != 2:
            raise HardwareError(
                explain(
                    f"{here}/between", "has two ends", expected="[l2, cluster/*/l1]", found=ends
                )
            )
        speed = _positive(given["bytes_per_cycle"], f"{here}/bytes_per_cycle", "8")
        latency = given.get("latency", 0)
        if isinstance(latency, bool) or not isinstance(latency, int) or latency < 0:
            raise HardwareError(
                explain(
                    f"{here}/latency", "is a number of cycles", expected="0 or more", found=latency
                )
            )
        bus = str(given.get("bus") or (f"bus{number}" if given.get("shared") else ""))
        for pair in _pairs(str(ends[0]), str(ends[1]), paths, f"{here}/between"):
            if pair[0] == pair[1]:
                raise HardwareError(explain(here, "links a part to itself", found=pair[0]))
            key = frozenset(pair)
            if key in seen:
                raise HardwareError(
                    explain(
                        here,
                        f"is a second link between {pair[0]} and {pair[1]}",
                        found=f"the first one at {seen[key]}",
                        cure="Keep one of them; add up their bandwidths if both exist.",
                    )
                )
            seen[key] = here
            yield Link(pair, speed, latency, bus)


def _listed(values: object, where: str) -> list[Any]:
    if not isinstance(values, list):
        raise HardwareError(explain(where, "is no list", expected="- {…}", found=repr(values)))
    return values


def _pairs(one: str, other: str, paths: list[str], where: str) -> Iterator[tuple[str, str]]:
    """Match two patterns; where both have a star it stands for the same device."""
    for start in _matches(one, paths, where):
        stars = _stars(one, start)
        end = other
        if stars is not None and other.count("*") == one.count("*"):
            for star in stars:
                end = end.replace("*", star, 1)
        for each in _matches(end, paths, where):
            yield start, each


def _matches(pattern: str, paths: list[str], where: str) -> list[str]:
    found = [path for path in paths if _fits(pattern, path)]
    if not found:
        close = get_close_matches(pattern, paths, 3) or paths
        raise HardwareError(
            explain(where, "no such part", expected=", ".join(close), found=pattern)
        )
    return found


def _fits(pattern: str, path: str) -> bool:
    parts, names = pattern.split("/"), path.split("/")
    return len(parts) == len(names) and all(map(fnmatchcase, names, parts))


def _stars(pattern: str, path: str) -> list[str] | None:
    parts = zip(pattern.split("/"), path.split("/"), strict=True)
    return [name for part, name in parts if part == "*"] if "*" in pattern else None


def _groups(values: object, elements: list[Element], where: str) -> Iterator[Cooperation]:
    for number, each in enumerate(_listed(values, where)):
        here = f"{where}[{number}]"
        given = only(each, ("group", "split"), here, ("group", "split"))
        patterns = given["group"] if isinstance(given["group"], list) else [given["group"]]
        devices = [element.path.removesuffix("/pe") for element in elements]
        members = [
            path
            for pattern in patterns
            for path in _matches(str(pattern), devices, f"{here}/group")
        ]
        for split in _listed(given["split"], f"{here}/split"):
            if split not in SPLITS:
                raise HardwareError(
                    explain(f"{here}/split", "unknown", expected=" or ".join(SPLITS), found=split)
                )
        yield Cooperation(tuple(members), tuple(given["split"]))


def _check_reach(target: Target, where: str) -> None:
    """Check that every element works in some memory, and that every memory can be reached."""
    reached: set[str] = set()
    for element in target.elements:
        near = target.local(element.path)
        if not near:
            raise HardwareError(
                explain(
                    f"{where}: {element.path}",
                    "is linked to no memory",
                    cure=f"Add a link: - {{between: [{element.path}, "
                    f"{target.memories[0].path if target.memories else 'ram'}], "
                    "bytes_per_cycle: 8}.",
                )
            )
        for memory in target.memories:
            try:
                target.route(element.path, memory.path)
            except HardwareError:
                continue
            reached.add(memory.path)
    for memory in target.memories:
        if memory.path not in reached:
            raise HardwareError(
                explain(
                    f"{where}: {memory.path}",
                    "cannot be reached by any processing element",
                    cure="Link it to an element, or to a memory that one reaches.",
                )
            )
