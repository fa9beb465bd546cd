"""Filling templates: text in which ``@name@`` stands for a value.

A name that has a line to itself stands for any number of lines: they are indented as the name was,
and none at all if the value is empty. Templates lie in ``kernels/c/templates``, or come from the
user.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache
from importlib.resources import files

from aidge_nb.core.errors import ExportError, explain

_NAME = re.compile(
    r"^(?P<indent>[ \t]*)@(?P<line>[a-z][a-z0-9_]*)@[ \t]*\n|@(?P<word>[a-z][a-z0-9_]*)@",
    re.MULTILINE,
)


@cache
def template(name: str) -> str:
    """Read a template by name.

    Raises
    ------
    ExportError
        When there is none of this name.
    """
    found = files("aidge_nb.kernels") / "c" / "templates" / name
    if not found.is_file():
        raise ExportError(explain("templates", "there is none of this name", found=name))
    return found.read_text(encoding="utf-8")


def fill(text: str, values: Mapping[str, object], name: str = "template") -> str:
    r"""Put values in their places.

    Raises
    ------
    ExportError
        When a name has no value.

    Examples
    --------
    >>> text = "int @name@[] = {\n    @rows@\n};\n@nothing@\n"
    >>> fill(text, {"name": "x", "rows": "1,\n2", "nothing": ""})
    'int x[] = {\n    1,\n    2\n};\n'
    """

    def value_of(key: str) -> str:
        if key not in values:
            raise ExportError(
                explain(name, f"nothing is known of @{key}@", expected=", ".join(sorted(values)))
            )
        return str(values[key])

    def filled(match: re.Match[str]) -> str:
        if match["word"]:
            return value_of(match["word"])
        rows = value_of(match["line"]).splitlines()
        return "".join(f"{match['indent']}{row}\n" if row else "\n" for row in rows)

    return _NAME.sub(filled, text)
