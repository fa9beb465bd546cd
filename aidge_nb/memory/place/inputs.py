"""What a planner is given, checked before anything is planned."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from operator import index

from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.memory.values.live_range import LiveRange, lower_bound, round_up

Buffers = Sequence[tuple[int, int, int]] | Mapping[str, tuple[int, int, int]]

_LARGEST = 1 << 62
"""What sums are taken in has 64 bits."""

_SHOWN = 5
"""So many buffers are named where more live."""


def checked_count(where: str, value: object, least: int) -> int:
    """Give a whole number of at least ``least``.

    Examples
    --------
    >>> checked_count("alignment", 0, 1)
    Traceback (most recent call last):
    aidge_nb.core.errors.MemoryPlanError: alignment: too small (expected 1 or more, found 0)
    """
    number = _whole(where, value)
    if number < least:
        raise MemoryPlanError.at(where, "too small", expected=f"{least} or more", found=value)
    return number


def checked_buffers(buffers: Buffers, alignment: int) -> tuple[list[LiveRange], list[str]]:
    """Refuse what is no live range; give them with sizes rounded up, and their names."""
    if isinstance(buffers, Mapping):
        names, triples = [str(name) for name in buffers], list(buffers.values())
    else:
        names, triples = [f"#{number}" for number in range(len(buffers))], list(buffers)
    ranges = []
    total = 0
    for name, triple in zip(names, triples, strict=True):
        ranges.append(_checked_range(f"buffer {name}", triple, alignment))
        total += ranges[-1].size
        if total >= _LARGEST:
            raise MemoryPlanError.at(
                f"buffer {name}",
                "sizes are too large to be summed up",
                expected=f"less than 2**62 bytes in all, each rounded up to {alignment}",
                found=f"{total} bytes up to this one",
            )
    return ranges, names


def _checked_range(where: str, triple: tuple[int, int, int], alignment: int) -> LiveRange:
    try:
        lower, upper, size = triple
    except (TypeError, ValueError):
        raise MemoryPlanError.at(
            where, "no live range", expected="(lower, upper, size)", found=repr(triple)
        ) from None
    lower, upper, size = (_whole(where, number) for number in (lower, upper, size))
    if size <= 0:
        raise MemoryPlanError.at(where, "has no size", expected="1 byte or more", found=size)
    if upper <= lower:
        raise MemoryPlanError.at(
            where,
            "its live range ends before it starts",
            expected="lower < upper (the range is half-open)",
            found=f"[{lower}, {upper})",
        )
    if max(abs(lower), abs(upper), size) >= _LARGEST:
        raise MemoryPlanError.at(
            where,
            "numbers too large",
            expected="less than 2**62",
            found=f"{lower}, {upper}, {size}",
        )
    return LiveRange(lower, upper, round_up(size, alignment))


def _whole(where: str, value: object) -> int:
    try:
        return index(value)  # type: ignore[arg-type]  # whatever it is, it says so itself
    except TypeError:
        raise MemoryPlanError.at(
            where, "not a whole number", expected="an int", found=repr(value)
        ) from None


def check_capacity(ranges: list[LiveRange], names: list[str], capacity: int) -> None:
    """Refuse a memory in which no placement can fit, and say what stands in the way."""
    if not ranges:
        return
    largest = max(range(len(ranges)), key=lambda number: ranges[number].size)
    if ranges[largest].size > capacity:
        raise MemoryPlanError.at(
            f"buffer {names[largest]}",
            f"is larger than the memory by {ranges[largest].size - capacity} bytes",
            expected=f"at most {capacity} bytes",
            found=f"{ranges[largest].size} bytes",
        )
    bound = lower_bound(ranges)
    if bound.size > capacity:
        raise MemoryPlanError.at(
            f"tick {bound.tick}",
            f"what lives then exceeds the memory by {bound.size - capacity} bytes",
            expected=f"at most {capacity} bytes",
            found=f"{bound.size} bytes: {_who_lives(ranges, names, bound.tick)}",
            cure="Another order, in-place operators, fusing or tiling may lower it.",
        )


def _who_lives(ranges: list[LiveRange], names: list[str], tick: int) -> str:
    """Name what lives at a tick, the largest first."""
    live = [number for number, each in enumerate(ranges) if each.lower <= tick < each.upper]
    live.sort(key=lambda number: (-ranges[number].size, number))
    shown = [f"{names[number]} ({ranges[number].size})" for number in live[:_SHOWN]]
    if len(live) > _SHOWN:
        shown.append(f"{len(live) - _SHOWN} more")
    return ", ".join(shown)
