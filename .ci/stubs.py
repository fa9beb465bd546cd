#!/usr/bin/env python3
"""Writes the stubs of packages whose names are imported at first use (aidge_nb/core/lazy.py).

    python3 .ci/stubs.py            write each stale `__init__.pyi`
    python3 .ci/stubs.py --check    write nothing; name the stale ones and fail

The table in a package's `__init__.py` is the one list of its public names. Type checkers and
editors cannot follow it, so they read the stub. Needs Python and nothing else.
"""

import ast
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def table_of(path):
    """Return the table that an `__init__.py` attaches, or None."""
    for node in ast.parse(path.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.Assign) and isinstance(node.value, ast.Call):
            call = node.value
            if isinstance(call.func, ast.Name) and call.func.id == "attach":
                return ast.literal_eval(call.args[1])
    return None


def names_of(folder, table):
    """Return the public names of the package in `folder`, as lists by submodule."""
    names = {}
    for module, listed in table.items():
        if listed == "*":
            inner = folder.joinpath(*module.split("."))
            parts = names_of(inner, table_of(inner / "__init__.py"))
            names[module] = [name for part in parts.values() for name in part]
        else:
            names[module] = listed.split()
    return names


def stub_of(package, names):
    """Return the text of the stub of `package`."""
    lines = ["# Written by .ci/stubs.py from the table in __init__.py: change that one.", ""]
    for module, listed in sorted(names.items()):
        is_above = module.startswith("aidge_nb.")  # a module of a room above, by its full name
        source = package if module == "." else module if is_above else f"{package}.{module}"
        lines += [f"from {source} import {name}" for name in sorted(listed)]
    public = [name for listed in names.values() for name in listed]
    lines += ["", "__all__ = [", *(f'    "{name}",' for name in public), "]"]
    return "\n".join(lines) + "\n"


def main(arguments):
    """Write or check the stubs; return the exit code."""
    stale = []
    rooms = [ROOT / room for room in ("aidge_nb", "widgets", "kernels")]
    for path in sorted(path for room in rooms for path in room.rglob("__init__.py")):
        if (table := table_of(path)) is None:
            continue
        stub = path.with_suffix(".pyi")
        package = ".".join(path.parent.relative_to(ROOT).parts)
        if not package.startswith("aidge_nb"):
            package = f"aidge_nb.{package}"  # where it is installed
        text = stub_of(package, names_of(path.parent, table))
        if not stub.exists() or stub.read_text(encoding="utf-8") != text:
            stale.append(str(stub.relative_to(ROOT)))
            if arguments != ["--check"]:
                stub.write_text(text, encoding="utf-8", newline="\n")
    if arguments == ["--check"] and stale:
        sys.stderr.write(f"stale stubs: {', '.join(stale)}: run python3 .ci/stubs.py\n")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
