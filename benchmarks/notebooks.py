#!/usr/bin/env python3
"""Measures how long the tutorials take, and writes that into the guide for teachers.

    python benchmarks/notebooks.py                        all of them
    python benchmarks/notebooks.py notebooks/06*.ipynb    some of them
    python benchmarks/notebooks.py --write                the table in docs/teachers.md

Seconds are those that the processor works for the kernel and for the compilers that it starts, so
that other programs hardly change them. They are divided by the time of fixed work on this
machine, so that a slow machine does not count. The exit code tells whether all promises are kept.
"""

import argparse
import json
import re
import sys
import time
from pathlib import Path

import nbformat
import numpy as np
import psutil
from nbclient import NotebookClient

ROOT = Path(__file__).resolve().parent.parent
GUIDE = ROOT / "docs" / "teachers.md"
BEGIN, END = "<!-- times: python benchmarks/notebooks.py --write -->", "<!-- end of times -->"
MOST, MOST_FOR_A_VIEW = 60, 5  # seconds of CPU
REFERENCE = 0.21  # seconds of `reference` on a machine of 2026
QUESTION = re.compile(
    r"\bcourse\.(?:number|choose|pick|order|drag_bars|fold|query|rows|place_blocks)\("
)
HEAD = "| notebook | for students | questions | for the computer | first view | longest after it |"


def reference():
    """Return how many times slower this machine is than the one of the guide."""

    def once():
        begin = time.process_time()
        total = 0
        for number in range(2_000_000):
            total += number % 7
        np.sort(np.random.default_rng(0).standard_normal(2_000_000))
        return time.process_time() - begin

    return min(once() for _ in range(3)) / REFERENCE


def measure(path):
    """Run a notebook and write nothing; return its seconds: all, first view, by section."""
    notebook = nbformat.read(path, as_version=4)
    where = {"metadata": {"path": str(path.parent)}}
    client = NotebookClient(notebook, timeout=600, store_widget_state=False, resources=where)
    slower, view, sections, heading = reference(), None, {}, ""
    with client.setup_kernel():
        kernel = psutil.Process(client.km.provisioner.pid)
        begin = last = sum(kernel.cpu_times()[:4])
        for index, cell in enumerate(notebook.cells):
            found = re.match(r"#+ (.*)", cell.source) if cell.cell_type == "markdown" else None
            heading = found[1] if found else heading
            client.execute_cell(cell, index)
            now = sum(kernel.cpu_times()[:4])
            if view is not None:
                sections[heading] = sections.get(heading, 0) + (now - last) / slower
            elif any("image/svg+xml" in each.get("data", {}) for each in cell.get("outputs", ())):
                view = (now - begin) / slower
            last = now
    return (last - begin) / slower, view, sections


def row(path):
    """Measure a notebook; return its line of the table, and what breaks a promise."""
    cells = json.loads(path.read_text("utf-8"))["cells"]
    text = "".join(cells[0]["source"])
    minutes, said = map(
        int, re.search(r"(\d+) minutes for you, about (\d+) seconds", text).groups()
    )
    asked = sum(len(QUESTION.findall("".join(cell["source"]))) for cell in cells)
    seconds, view, sections = measure(path)
    longest = max(sections, key=sections.get)
    wrong = [
        f"{path.stem}: {problem}"
        for problem, holds in (
            (f"takes {seconds:.1f} s, more than {MOST}", seconds < MOST),
            (f"takes {seconds:.1f} s, and says {said}", seconds <= said),
            (f"shows nothing for {view:.1f} s", view < MOST_FOR_A_VIEW),
        )
        if not holds
    ]
    times = f"{seconds:.1f} s | {view:.1f} s | {longest}, {sections[longest]:.1f} s"
    return f"| {path.stem} | {minutes} min | {asked} | {times} |", wrong


def main():
    """Parse the command line, measure, and say which promises are broken."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--write", action="store_true", help="write the table into the guide")
    options = parser.parse_args()
    if options.write and options.notebooks:
        parser.error("the guide's table holds all tutorials")
    lines, broken = [HEAD, "|---|---|---|---|---|---|"], []
    for path in options.notebooks or sorted((ROOT / "notebooks").glob("*.ipynb")):
        line, wrong = row(path)
        print(line, flush=True)
        lines.append(line)
        broken += wrong
    if options.write:
        before, _, rest = GUIDE.read_text("utf-8").partition(BEGIN)
        made = "\n".join([before + BEGIN, "", *lines, "", END + rest.partition(END)[2]])
        GUIDE.write_text(made, "utf-8")
    print(*broken, sep="\n", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
