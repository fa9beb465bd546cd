"""Places in a description: messages name the file, the line where it is known, and the path."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from aidge_nb.core.errors import HardwareError


@dataclass(frozen=True, slots=True)
class Where:
    """A place in a description.

    Attributes
    ----------
    source
        What is read: the name of a file, say.
    path
        Keys from the outermost one, such as ``devices/core/pe`` or ``links[2]/between``.
    lines
        Numbers of lines by path; empty for a description that is no text.

    Examples
    --------
    >>> where = Where("soc.yaml", lines={"links": 7, "links[0]": 8})
    >>> str(where / "links"), str((where / "links")[0] / "latency")
    ('soc.yaml, line 7: links', 'soc.yaml, line 8: links[0]/latency')
    """

    source: str
    path: str = ""
    lines: Mapping[str, int] = field(default_factory=dict, compare=False)

    def __truediv__(self, key: object) -> Where:
        return replace(self, path=f"{self.path}/{key}" if self.path else str(key))

    def __getitem__(self, number: int) -> Where:
        return replace(self, path=f"{self.path}[{number}]")

    @property
    def line(self) -> int | None:
        """The line, or that of the closest place around it; None where none is known."""
        path = self.path
        while path not in self.lines:
            if not path:
                return None
            path = path[: max(path.rfind("/"), path.rfind("["), 0)]
        return self.lines[path]

    def error(self, problem: str, **facts: Any) -> HardwareError:
        """Say what is wrong here; facts are those of :func:`aidge_nb.core.errors.explain`.

        Examples
        --------
        >>> (Where("soc.yaml") / "links").error("is no list", expected="- {…}")
        HardwareError('soc.yaml: links: is no list (expected - {…})')
        """
        return HardwareError.at(str(self), problem, **facts)

    def __str__(self) -> str:
        line = self.line
        source = self.source if line is None else f"{self.source}, line {line}"
        return f"{source}: {self.path}" if self.path else source
