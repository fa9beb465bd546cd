"""Schedules as Mermaid Gantt charts, in Aidge's line format.

Mermaid refuses texts above a length that its host sets (50,000 characters unless changed): long
schedules are drawn folded.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from aidge_nb.scheduling.schedule.value import Actor, Firing, StaticSchedule

_UNSAFE = str.maketrans(
    {
        ":": "_",
        ";": "_",
        "%": "_",
        **{chr(code): " " for code in (*range(0x20), 0xFFFE, 0xFFFF) if chr(code) != "\t"},
    }
)
"""Characters that end a task name in Mermaid's grammar, begin a comment, or are none in SVG."""

_KEYWORDS = {
    *("axisformat", "call", "click", "date", "dateformat", "excludes", "href", "includes"),
    *("section", "tickinterval", "title", "todaymarker", "weekday", "weekend"),
}
"""First words that make a line something else than a task."""

_MARKS = ("#", "acc", "gantt", "inclusiveenddates", "topaxis", *"0123456789")
"""Beginnings that do so: comments, keywords that need no space behind them, dates."""


def _header(axis: str = "%Q") -> list[str]:
    return ["gantt", "dateFormat x", f"axisFormat {axis}", ""]


def task_caption(text: str) -> str:
    """Keep Mermaid from taking a name for anything else: an invisible space begins it."""
    text = text.translate(_UNSAFE)
    lower = text.lower()
    is_risky = lower.startswith(_MARKS) or lower.split(" ", 1)[0] in _KEYWORDS
    return f"\N{ZERO WIDTH SPACE}{text}" if is_risky else text


def _line(actor: Actor, firing: Firing, is_repeated: bool, mark_critical: bool) -> str:
    tags = [
        *(["crit"] if mark_critical and firing.is_critical else []),
        *(["milestone"] if firing.is_critical else []),
        *(["active"] if is_repeated else []),
    ]
    # Folding can shift what begins before a loop ends below step 0, which Mermaid does not know.
    steps = f"{max(0, firing.early)}, {max(0, firing.late)}"
    return f"{task_caption(actor.caption)} :{', '.join([*tags, steps])}"


def _lines(
    schedule: StaticSchedule,
    firings: Iterable[Firing],
    ignore_producers: bool,
    mark_critical: bool,
    is_repeated: bool = False,
) -> list[str]:
    actors = schedule.actors
    return [
        _line(actors[firing.actor], firing, is_repeated, mark_critical)
        for firing in firings
        if not (ignore_producers and actors[firing.actor].producer)
    ]


def static_gantt(
    schedule: StaticSchedule, ignore_producers: bool = False, mark_critical: bool = False
) -> str:
    """Draw each firing from its early to its late step; a milestone where they are equal.

    ``mark_critical`` gives those the tag ``crit`` too, which Aidge does not: they turn red.

    Examples
    --------
    >>> import aidge_nb
    >>> model = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    >>> schedule = aidge_nb.static_schedule(model)
    >>> print(static_gantt(schedule, mark_critical=True).rstrip())
    gantt
    dateFormat x
    axisFormat %Q
    <BLANKLINE>
    a (ReLU#0) :crit, milestone, 0, 0
    b (Tanh#0) :crit, milestone, 1, 1
    """
    lines = _header() + _lines(schedule, schedule.firings, ignore_producers, mark_critical)
    return "\n".join([*lines, "", ""])


def factorized_gantt(
    schedule: StaticSchedule,
    ignore_producers: bool = False,
    min_repeat: int = 2,
    mark_critical: bool = False,
) -> str:
    """Draw repeated stretches once, as sections ``seq#k (xN)``; see :func:`static_gantt`."""
    lines = _header()
    for number, section in enumerate(schedule.sections(min_repeat)):
        times = f" (x{section.repeat})" if section.repeat > 1 else ""
        lines.append(f"section seq#{number}{times}")
        is_repeated = section.repeat > 1
        lines += _lines(schedule, section.firings, ignore_producers, mark_critical, is_repeated)
    return "\n".join([*lines, "", ""])


def measured_gantt(rows: Iterable[tuple[str, int, int]]) -> str:
    """Draw executions by measured time: caption, start and end in microseconds."""
    lines = _header("%Q µs")
    lines += [f"{task_caption(name)} :{start}, {end}" for name, start, end in rows]
    return "\n".join([*lines, "", ""])
