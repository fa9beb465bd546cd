"""The table of Aidge 0.10.1's names that this library serves, found by looking up each."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from importlib import import_module
from typing import Any

from aidge_nb.compat.recorded import table_lines
from aidge_nb.compat.served.unserved import reason_of

RELEASE = "0.10.1"
NAMES = "aidge_0_10_1.txt"  # written by tests/compat/record_aidge_names.py


@dataclass(frozen=True, slots=True)
class ApiName:
    """A public name of Aidge: whether it is served, and its members that are not."""

    area: str
    package: str
    name: str
    served: bool
    members: tuple[str, ...] = ()
    lacking: tuple[str, ...] = ()

    @property
    def full(self) -> str:
        """Return the name with its package."""
        return f"{self.package}.{self.name}"


@dataclass(frozen=True, repr=False)
class ApiTable:
    """The names of Aidge's Python API, by area.

    Examples
    --------
    >>> table = api_table()
    >>> table.served("aidge_core.Scheduler.generate_scheduling")
    True
    >>> "scheduler" in table.areas
    True
    """

    names: tuple[ApiName, ...]
    probes: tuple[int, int, int] = field(default=(0, 0, 0))
    """Probes of real Aidge: how many answers are the same here, differ for a reason, and all."""

    @property
    def areas(self) -> tuple[str, ...]:
        """The areas, in order."""
        return tuple(dict.fromkeys(each.area for each in self.names))

    @cached_property
    def _served(self) -> dict[str, bool]:
        found = {each.full: each.served for each in self.names}
        for each in self.names:
            members = {f"{each.full}.{m}": m not in each.lacking for m in each.members}
            found |= members if each.served else dict.fromkeys(members, False)
        return found

    def served(self, name: str) -> bool:
        """Return whether a name is served, or a member of a class, as ``aidge_core.Node.type``.

        Raises
        ------
        KeyError
            When Aidge has no such name.
        """
        return self._served[name]

    def count(self, area: str = "") -> tuple[int, int]:
        """Count the names of an area that are served, and all of them; of all areas by default."""
        mine = [each.served for each in self.names if area in ("", each.area)]
        return sum(mine), len(mine)

    def count_members(self, area: str = "") -> tuple[int, int]:
        """Count the members of served classes that are there, and all of them."""
        mine = [each for each in self.names if each.served and area in ("", each.area)]
        total = sum(len(each.members) for each in mine)
        return total - sum(len(each.lacking) for each in mine), total

    def to_markdown(self) -> str:
        """Write the table as Markdown: the counts, then the names of each area."""
        rows = [(area, *self.count(area), *self.count_members(area)) for area in self.areas]
        rows.append(("**all**", *self.count(), *self.count_members()))
        lines = [
            f"# Names of Aidge {RELEASE} that aidge_nb serves",
            "",
            "Made from the code by `python -m aidge_nb.compat --table`: every name was asked for.",
            "",
            "| area | names served | of | members of served classes | of |",
            "|---|---|---|---|---|",
            *(f"| {' | '.join(map(str, row))} |" for row in rows),
        ]
        same, excused, total = self.probes
        if total:
            told = (
                f"Of {total} small probes that real Aidge answered, {same} have the same answer "
                f"here, and {excused} another one for a reason."
            )
            lines += ["", told, "", *_differences()]
        for area in self.areas:
            lines += ["", f"## {area}", "", *self._area(area)]
        return "\n".join(lines) + "\n"

    def _area(self, area: str) -> Iterator[str]:
        mine = [each for each in self.names if each.area == area]
        yield f"Served: {_listed(each for each in mine if each.served)}"
        if any(each.lacking for each in mine):
            yield from ("", "| in | members that are missing |", "|---|---|")
            groups: dict[tuple[str, ...], list[ApiName]] = {}
            for each in mine:
                if each.lacking:
                    groups.setdefault(each.lacking, []).append(each)
            for lacking, owners in groups.items():
                yield f"| {_listed(owners)} | {', '.join(f'`{name}`' for name in lacking)} |"
        if not all(each.served for each in mine):
            yield from ("", "| not served | why | instead |", "|---|---|---|")
            reasons: dict[tuple[str, str], list[ApiName]] = {}
            for each in mine:
                if not each.served:
                    reasons.setdefault(reason_of(each.name), []).append(each)
            for (why, instead), names in reasons.items():
                yield f"| {_listed(names)} | {why} | {instead} |"

    def __repr__(self) -> str:
        return "ApiTable({} of {} names served)".format(*self.count())


def _listed(names: Iterable[ApiName]) -> str:
    """List names, each after the package if it is another one than before."""
    words, package = [], ""
    for each in names:
        words.append(f"`{each.full if each.package != package else each.name}`")
        package = each.package
    return ", ".join(words)


def _differences() -> Iterator[str]:
    from aidge_nb.compat.probes import DIFFERENT

    yield from ("| begins with | why the answer differs |", "|---|---|")
    for begin, why in DIFFERENT.items():
        yield f"| `{begin.replace('|', chr(92) + '|')}` | {why} |"


def api_table(*, with_probes: bool = False) -> ApiTable:
    """Look up every recorded name of Aidge's Python API.

    Parameters
    ----------
    with_probes
        Whether to ask the probes, too, which takes some seconds.

    Returns
    -------
    ApiTable
        What is served and what is not.
    """
    found: list[ApiName] = []
    area = ""
    for line in table_lines(NAMES):
        if line.startswith("["):
            area = line.strip("[]")
        else:
            words, _, members = line.partition(": ")
            package, *names = words.split()
            found += (_looked_up(area, package, name, tuple(members.split())) for name in names)
    score = (0, 0, 0)
    if with_probes:
        from aidge_nb.compat.probes import probe_score

        score = probe_score()
    return ApiTable(tuple(found), score)


def _looked_up(area: str, package: str, name: str, members: tuple[str, ...]) -> ApiName:
    first, *rest = package.split(".")
    owner: Any = import_module(f"aidge_nb.compat.served.{first}")
    for part in rest:
        submodules = getattr(owner, "SUBMODULES", {})
        owner = submodules[part] if part in submodules else getattr(owner, part)
    found = getattr(owner, name, None)
    if found is None:
        return ApiName(area, package, name, False, members)
    lacking = tuple(each for each in members if not _has(found, each))
    return ApiName(area, package, name, True, members, lacking)


def _has(owner: Any, name: str) -> bool:
    """Return whether something, or the objects of a class, have an attribute."""
    if isinstance(owner, type) and issubclass(owner, Enum) and name in ("name", "value"):
        return True
    return name in getattr(owner, "__annotations__", ()) or hasattr(owner, name)
