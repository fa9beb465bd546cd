"""Makes what the documentation says of MLPerf Tiny: a table, and two layouts of each task.

    python benchmarks/mlperf_tiny.py --save docs/mlperf_tiny.json
    python docs/tiny.py

writes the table into ``howto/tflite.md``. The page with the layouts is made with the site.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from aidge_nb import MemoryPlan
from aidge_nb.widgets import scene_of, to_svg

HERE = Path(__file__).resolve().parent
GUIDE = HERE / "howto" / "tflite.md"
BEGIN, END = "<!-- table: made by docs/tiny.py -->", "<!-- end of table -->"

_HEADS = {
    "parameters": "parameters",
    "arena": "arena of TensorFlow Lite Micro",
    "vela": "SRAM of Vela",
    "ours": "same rules, our plan",
    "lent": "input lent",
    "rows": "by rows",
    "tiles": "tiles",
    "work": "work",
    "least": "least",
    "its work": "work",
    "M4": "instructions, M4",
    "M55": "M55",
}
_KINDS = {"work": "{:.2f}", "its work": "{:.2f}", "M4": "{:.1f} M", "M55": "{:.1f} M"}

_PLANS = {"ours": "Under the rules of TensorFlow Lite Micro", "rows": "By rows"}

_TEXT = """# MLPerf Tiny

What `benchmarks/mlperf_tiny.py` found; the columns are explained in
[Open a TensorFlow Lite model](howto/tflite.md). Below are the layouts of each task: first under the
rules of TensorFlow Lite Micro, whose arena has the same size, then the one in which convolutions
overwrite their input row by row.
"""


def tasks() -> list[dict[str, Any]]:
    """Return the recorded tasks: figures and plans."""
    found: list[dict[str, Any]] = json.loads((HERE / "mlperf_tiny.json").read_text("utf-8"))
    return found


def title_of(task: dict[str, Any]) -> str:
    """Return the name of a task in a sentence."""
    return str(task["task"]).replace("_", " ")


def table() -> str:
    """Return the figures as a table."""
    lines = ["| task | " + " | ".join([*_HEADS.values(), "bytes that differ"]) + " |"]
    lines.append("|---" * (len(_HEADS) + 2) + "|")
    for task in tasks():
        row = task["figures"]
        shown = [_KINDS.get(key, "{:,}").format(row[key]) for key in _HEADS]
        wrong = sum(count for key, count in row.items() if key.startswith("differing"))
        lines.append(f"| {' | '.join([title_of(task), *shown, str(wrong)])} |")
    return "\n".join(lines)


def page(folder: Path) -> str:
    """Write the pictures into a folder; give the page that shows them."""
    folder.mkdir(parents=True, exist_ok=True)
    parts = [_TEXT, table(), ""]
    for task in tasks():
        parts += [f"## {title_of(task).capitalize()}", ""]
        for name, said in _PLANS.items():
            plan = MemoryPlan.from_dict(task["plans"][name])
            file = f"{task['task']}_{name}.svg"
            (folder / file).write_text(to_svg(scene_of(plan)), "utf-8")
            words = f"{said}: {plan.peak:,} bytes"
            parts += [f"{words}.", "", f'<img src="{folder.name}/{file}" alt="{words}">', ""]
    return "\n".join(parts)


def with_table(text: str) -> str:
    """Return the guide with the table between its marks."""
    before, rest = text.split(BEGIN)
    return f"{before}{BEGIN}\n\n{table()}\n\n{END}{rest.split(END)[1]}"


if __name__ == "__main__":
    GUIDE.write_text(with_table(GUIDE.read_text("utf-8")), "utf-8")
