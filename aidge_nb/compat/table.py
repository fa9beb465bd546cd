"""The table of Aidge 0.10.1's names that this library serves, found by looking up each."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum
from importlib import import_module
from importlib.resources import files
from itertools import groupby
from typing import Any

RELEASE = "0.10.1"
NAMES = "aidge_0_10_1.txt"  # written by tests/compat/record_aidge_names.py


@dataclass(frozen=True, slots=True)
class ApiName:
    """A public name of Aidge: its owner, and whether it is served."""

    area: str
    name: str
    served: bool

    @property
    def owner(self) -> str:
        """Return the class or package that owns the name."""
        return self.name.rpartition(".")[0]

    @property
    def last(self) -> str:
        """Return the name without its owner."""
        return self.name.rpartition(".")[2]


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

    @property
    def areas(self) -> tuple[str, ...]:
        """The areas, in order."""
        return tuple(dict.fromkeys(each.area for each in self.names))

    def served(self, name: str) -> bool:
        """Return whether a name is served.

        Raises
        ------
        KeyError
            When Aidge has no such name.
        """
        return {each.name: each.served for each in self.names}[name]

    def count(self, area: str) -> tuple[int, int]:
        """Count the names of an area that are served, and all of them."""
        mine = [each.served for each in self.names if each.area == area]
        return sum(mine), len(mine)

    def to_markdown(self) -> str:
        """Write the table as Markdown: the counts, then the names of each area."""
        lines = [
            f"# Names of Aidge {RELEASE} that aidge_nb serves",
            "",
            "Made from the code by `python -m aidge_nb.compat --table`: every name was asked for.",
            "",
            "| area | served | of |",
            "|---|---|---|",
        ]
        lines += [f"| {area} | {'{} | {}'.format(*self.count(area))} |" for area in self.areas]
        for area in self.areas:
            lines += ["", f"## {area}", "", "| in | served | not served |", "|---|---|---|"]
            lines += self._rows(area)
        return "\n".join(lines) + "\n"

    def _rows(self, area: str) -> Iterator[str]:
        mine = sorted(
            (each for each in self.names if each.area == area), key=lambda each: each.owner
        )
        for owner, group in groupby(mine, key=lambda each: each.owner):
            cells: dict[bool, list[str]] = {True: [], False: []}
            for each in group:
                cells[each.served].append(f"`{each.last}`")
            yield f"| `{owner}` | {', '.join(cells[True])} | {', '.join(cells[False])} |"

    def __repr__(self) -> str:
        served = sum(each.served for each in self.names)
        return f"ApiTable({served} of {len(self.names)} names served)"


def api_table() -> ApiTable:
    """Look up every recorded name of Aidge's Python API.

    Returns
    -------
    ApiTable
        What is served and what is not.
    """
    found: list[ApiName] = []
    area = ""
    for line in files("aidge_nb.compat").joinpath(NAMES).read_text("utf-8").splitlines():
        if line.startswith("["):
            area = line.strip("[]")
        elif line:
            found.append(ApiName(area, line, _is_served(line)))
    return ApiTable(tuple(found))


def _is_served(name: str) -> bool:
    package, *path = name.split(".")
    found: Any = import_module(f"aidge_nb.compat.served.{package}")
    parts = getattr(found, "SUBMODULES", {})
    if path[0] in parts:
        found, path = parts[path[0]], path[1:]
    for each in path[:-1]:
        found = getattr(found, each, None)
    return found is not None and _has(found, path[-1])


def _has(owner: Any, name: str) -> bool:
    """Return whether something, or the objects of a class, have an attribute."""
    if isinstance(owner, type) and issubclass(owner, Enum) and name in ("name", "value"):
        return True
    return name in getattr(owner, "__annotations__", ()) or hasattr(owner, name)
