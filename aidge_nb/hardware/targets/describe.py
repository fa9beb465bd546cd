"""Read a target from a description; each error names the path of the wrong part."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import get_close_matches
from fnmatch import fnmatchcase

from aidge_nb.core.amounts import is_number, is_whole
from aidge_nb.core.dtype import DType
from aidge_nb.graph.spec import find_spec
from aidge_nb.hardware.targets.parts import Cooperation, Element, Link, OperatorCost, TargetMemory
from aidge_nb.hardware.targets.target import Target
from aidge_nb.hardware.targets.text import read_text
from aidge_nb.hardware.targets.units import bytes_of, hertz_of
from aidge_nb.hardware.targets.where import Where, entries, listed, mapped, one_of, only, text_of

SPLITS = ("tile_h", "tile_w", "out_channel", "batch")
"""Ways in which elements may share a layer."""

_KINDS = ("ram", "rom")
_MOST = 1024  # devices
_KEYS = ("device", "clock", "memories", "devices", "links", "cooperation")


def read_target(text: str, where: str = "target") -> Target:
    """Read a target from YAML, or from JSON; a key whose value is null counts as left out.

    Parameters
    ----------
    text
        The description.
    where
        Name of the source in messages, such as a file name.

    Raises
    ------
    HardwareError
        For missing, unknown or contradictory parts; names the line, the path and the cure.
    MissingExtraError
        For YAML without PyYAML (extra ``hardware``).

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
    return as_target(*read_text(text, where))


def as_target(values: object, where: str | Where = "target") -> Target:
    """Make a target from plain values.

    Raises
    ------
    HardwareError
        As :func:`read_target`; names the path of the wrong part.

    Examples
    --------
    >>> as_target({
    ...     "device": "mcu",
    ...     "memories": {"ram": {"size": "64KiB"}},
    ...     "devices": {"core": {"pe": {"macs_per_cycle": 1, "frequency": "80MHz"}}},
    ...     "links": [{"between": ["core/pe", "ram"], "bytes_per_cycle": 4}],
    ... }).local("core/pe")
    (TargetMemory(path='ram', size=65536, kind='ram'),)
    """
    at = where if isinstance(where, Where) else Where(where)
    given = only(values, _KEYS, at, ("device",))
    memories: list[TargetMemory] = []
    elements: list[Element] = []
    _add_memories(given.get("memories"), "", at / "memories", memories)
    _add_devices(given.get("devices"), "", at / "devices", memories, elements)
    if not elements:
        cure = "Write devices: {core: {pe: {macs_per_cycle: 1, frequency: 100MHz}}}."
        raise at.error("has no processing element", cure=cure)
    paths = [*(memory.path for memory in memories), *(element.path for element in elements)]
    clock = given.get("clock")
    target = Target(
        text_of(given["device"], at / "device", "mcu"),
        tuple(memories),
        tuple(elements),
        tuple(_links(given.get("links", []), paths, at / "links")),
        tuple(_groups(given.get("cooperation", []), elements, at / "cooperation")),
        0.0 if clock is None else hertz_of(clock, at / "clock"),
    )
    _check_reach(target, at)
    return target


def _add_memories(values: object, prefix: str, where: Where, found: list[TargetMemory]) -> None:
    for name, each in entries(values, where).items():
        here = where / name
        given = only(each, ("size", "kind"), here, ("size",))
        cure = "Write one of the two, or leave it out for ram."
        kind = one_of(given.get("kind", "ram"), _KINDS, here / "kind", cure)
        found.append(TargetMemory(f"{prefix}{name}", bytes_of(given["size"], here / "size"), kind))


def _add_devices(
    values: object, prefix: str, where: Where, memories: list[TargetMemory], elements: list[Element]
) -> None:
    for name, each in entries(values, where).items():
        here = where / name
        given = only(each, ("count", "pe", "memories", "devices"), here)
        count = given.get("count")
        if count is not None and not (is_whole(count) and 0 < count <= _MOST):
            problem, expected = "must be a number of devices", f"1 to {_MOST}"
            cure = "Write how many there are, or leave it out for one."
            raise (here / "count").error(problem, expected=expected, found=count, cure=cure)
        if not any(given.get(key) for key in ("pe", "memories", "devices")):
            cure = "Give it a pe, memories or devices, or remove it."
            raise here.error("is a device without parts", cure=cure)
        copies = [f"{prefix}{name}/"]
        if count is not None:
            copies = [f"{prefix}{name}/{number}/" for number in range(count)]
        for copy in copies:
            if len(elements) > _MOST:
                problem, expected = "makes too many processing elements", f"{_MOST} at most in all"
                raise here.error(problem, expected=expected, cure="Lower its count.")
            _add_memories(given.get("memories"), copy, here / "memories", memories)
            if given.get("pe") is not None:
                elements.append(_element(given["pe"], f"{copy}pe", here / "pe"))
            _add_devices(given.get("devices"), copy, here / "devices", memories, elements)


def _element(values: object, path: str, where: Where) -> Element:
    keys = ("macs_per_cycle", "macs_per_cycle_of", "frequency", "supports", "kernels", "cycles")
    given = only(values, keys, where, ("macs_per_cycle", "frequency"))
    speed = _positive(given["macs_per_cycle"], where / "macs_per_cycle", "16")
    supports = given.get("supports", ["*"])
    for operator in (supports if isinstance(supports, list) else None) or [None]:
        if not isinstance(operator, str) or not _is_operator(operator):
            raise (where / "supports").error(
                "must be a list of operator types",
                expected='[Conv2D, ReLU], or ["*"] for all',
                found=operator if isinstance(supports, list) else supports,
                cure="Write types of operators of aidge_nb in a list, or leave it out for all.",
            )
    frequency = hertz_of(given["frequency"], where / "frequency")
    costs = tuple(_costs(given.get("cycles"), where / "cycles"))
    kernels = text_of(given.get("kernels", ""), where / "kernels", "generic_c")
    speeds = tuple(_speeds(given.get("macs_per_cycle_of"), where / "macs_per_cycle_of"))
    return Element(path, speed, frequency, tuple(supports), kernels, costs, speeds)


def _speeds(values: object, where: Where) -> Iterator[tuple[str, float]]:
    cure = "Write the multiply-accumulates per cycle after the type of the data."
    for dtype, speed in mapped(values, where, "int8: 32", cure).items():
        known = [each.name for each in DType]
        if dtype not in known:
            problem, expected = "unknown element type", "int8, say"
            raise (where / dtype).error(problem, expected=expected, found=repr(dtype), cure=cure)
        yield dtype, _positive(speed, where / dtype, "32")


def _costs(values: object, where: Where) -> Iterator[tuple[str, OperatorCost]]:
    example = "Softmax: {per_element: 12, fixed: 100}"
    cure = "Write the cycles after the type of each operator."
    for operator, each in mapped(values, where, example, cure).items():
        here = where / operator
        if not isinstance(operator, str) or not _is_operator(operator):
            problem, expected = "unknown operator type", 'Conv2D, say, or "*" for all'
            cure = "Write the type of an operator of aidge_nb."
            raise here.error(problem, expected=expected, found=repr(operator), cure=cure)
        given = only(each, ("per_mac", "per_element", "fixed"), here)
        for name, value in given.items():
            if not is_number(value) or not value >= 0:
                problem, cure = "must be a number of cycles", "Write a number of 0 or more."
                raise (here / name).error(problem, expected="0.5", found=value, cure=cure)
        yield operator, OperatorCost(**given)


def _is_operator(name: str) -> bool:
    return "*" in name or find_spec(name.removeprefix("Padded")) is not None


def _positive(value: object, where: Where, example: str) -> float:
    if not is_number(value) or not value > 0:
        problem, cure = "must be a positive number", "Write a number above 0, without a unit."
        raise where.error(problem, expected=example, found=repr(value), cure=cure)
    return value


def _links(values: object, paths: list[str], where: Where) -> Iterator[Link]:
    seen: dict[frozenset[str], Where] = {}
    for number, each in enumerate(listed(values, where)):
        here = where[number]
        keys = ("between", "bytes_per_cycle", "latency", "shared", "bus")
        given = only(each, keys, here, ("between", "bytes_per_cycle"))
        ends = given["between"]
        if not isinstance(ends, list) or len(ends) != 2:
            problem, expected = "must have two ends", "[l2, cluster/*/l1]"
            cure = "Write the paths of what it links, in a list of two."
            raise (here / "between").error(problem, expected=expected, found=ends, cure=cure)
        speed = _positive(given["bytes_per_cycle"], here / "bytes_per_cycle", "8")
        latency = given.get("latency", 0)
        if not is_whole(latency) or latency < 0:
            problem, cure = (
                "must be a number of cycles",
                "Write whole cycles, or leave it out for 0.",
            )
            raise (here / "latency").error(problem, expected="0 or more", found=latency, cure=cure)
        shared = given.get("shared", False)
        if not isinstance(shared, bool):
            expected, cure = "true or false", "Write one of the two, or leave it out for false."
            problem = f"must be {expected}"
            raise (here / "shared").error(problem, expected=expected, found=repr(shared), cure=cure)
        bus = text_of(given.get("bus", ""), here / "bus", "axi")
        bus = bus or (f"bus{number}" if shared else "")
        one, other = (text_of(end, here / "between", "cluster/*/l1") for end in ends)
        for pair in _pairs(one, other, paths, here / "between"):
            if pair[0] == pair[1]:
                cure = "Name another part at one of its ends, or remove the link."
                raise here.error("links a part to itself", found=pair[0], cure=cure)
            key = frozenset(pair)
            if key in seen:
                raise here.error(
                    f"is a second link between {pair[0]} and {pair[1]}",
                    found=f"the first one at {seen[key]}",
                    cure="Keep one of them; add up their bandwidths if both exist.",
                )
            seen[key] = here
            yield Link(pair, speed, latency, bus)


def _pairs(one: str, other: str, paths: list[str], where: Where) -> Iterator[tuple[str, str]]:
    """Match two patterns; a star in both stands for the same device."""
    for start in _matches(one, paths, where):
        stars = _stars(one, start)
        end = other
        if stars is not None and other.count("*") == one.count("*"):
            for star in stars:
                end = end.replace("*", star, 1)
        for each in _matches(end, paths, where):
            yield start, each


def _matches(pattern: str, paths: list[str], where: Where) -> list[str]:
    found = [pattern] if pattern in paths else [path for path in paths if _fits(pattern, path)]
    if not found:
        close = get_close_matches(pattern, paths, 3) or paths
        cure = "Write the path of a part that is described, with * for any name."
        raise where.error("unknown part", expected=", ".join(close), found=pattern, cure=cure)
    return found


def _fits(pattern: str, path: str) -> bool:
    parts, names = pattern.split("/"), path.split("/")
    return len(parts) == len(names) and all(map(fnmatchcase, names, parts))


def _stars(pattern: str, path: str) -> list[str] | None:
    parts = zip(pattern.split("/"), path.split("/"), strict=True)
    return [name for part, name in parts if part == "*"] if "*" in pattern else None


def _groups(values: object, elements: list[Element], where: Where) -> Iterator[Cooperation]:
    for number, each in enumerate(listed(values, where)):
        here = where[number]
        given = only(each, ("group", "split"), here, ("group", "split"))
        patterns = given["group"] if isinstance(given["group"], list) else [given["group"]]
        patterns = [text_of(pattern, here / "group", "cluster/*") for pattern in patterns]
        devices = [element.device for element in elements]
        members = [
            path for pattern in patterns for path in _matches(pattern, devices, here / "group")
        ]
        if len(set(members)) < 2:
            problem = "has one member, which shares nothing"
            cure = "Name another device that shares layers with it, or remove the group."
            raise (here / "group").error(problem, found=members, cure=cure)
        for split in listed(given["split"], here / "split"):
            one_of(split, SPLITS, here / "split", "Write one of these.")
        if not given["split"]:
            cure = "Write how the group may share a layer, or remove the group."
            raise (here / "split").error("is empty", expected=" or ".join(SPLITS), cure=cure)
        yield Cooperation(tuple(members), tuple(given["split"]))


def _check_reach(target: Target, where: Where) -> None:
    """Check that each element is linked to a memory, and that each memory can be reached."""
    reached: set[str] = set()
    for element in target.elements:
        near = target.local(element.path)
        if not near:
            there = target.memories[0].path if target.memories else "ram"
            raise (where / "links").error(
                f"{element.path}: is linked to no memory",
                cure=f"Add a link: - {{between: [{element.path}, {there}], bytes_per_cycle: 8}}.",
            )
        reached |= target.reachable(element.path)
    for memory in target.memories:
        if memory.path not in reached:
            raise (where / "links").error(
                f"{memory.path}: cannot be reached by any processing element",
                cure="Link it to an element, or to a memory that one reaches.",
            )
