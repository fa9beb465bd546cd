"""The rooms of the house, from the ground up, and their table in CONTRIBUTING.md.

python tests/rooms.py      write the table anew
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent

LAYERS: tuple[tuple[str, ...], ...] = (
    ("core", "version"),
    ("graph",),
    ("ops",),
    ("scheduling", "memory", "recipes"),
    ("tiling", "hardware", "kernels"),
    ("runtime", "learning", "onnx_io", "tflite_io", "onnx_backend", "zoo"),
    ("quantization", "export"),
    ("advice",),
    ("widgets",),
    ("course", "report"),
    ("compat", "cli", "__main__"),
)
"""From the ground up: a part imports its own layer and what lies below it."""

BEGIN, END = "<!-- rooms: made by tests/rooms.py -->", "<!-- end of rooms -->"


def table() -> str:
    """Return the table of rooms: name, folders inside, and the first line of the docstring."""
    lines = [BEGIN, "", "| room | folders inside | what it holds |", "|---|---|---|"]
    for layer in LAYERS:
        for room in layer:
            folder = ROOT / room if room in ("kernels", "widgets") else ROOT / "aidge_nb" / room
            if folder.is_dir():
                inside = sorted(path.parent.name for path in folder.glob("*/__init__.py"))
                doc = ast.get_docstring(ast.parse((folder / "__init__.py").read_text("utf-8")))
                first = re.sub(r"``([^`]*)``", r"`\1`", (doc or "").split("\n")[0])
                inner = ", ".join(f"`{name}/`" for name in inside)
                lines.append(f"| `{room}` | {inner} | {first} |")
    return "\n".join([*lines, "", END])


def main() -> None:
    """Write the table into CONTRIBUTING.md."""
    path = ROOT / "CONTRIBUTING.md"
    text = path.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    path.write_text(before + table() + rest.partition(END)[2], encoding="utf-8")


if __name__ == "__main__":
    main()
