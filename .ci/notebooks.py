#!/usr/bin/env python3
"""Run notebooks and write their outputs anew, as they are committed.

    python .ci/notebooks.py                      all tutorials and course notebooks
    python .ci/notebooks.py notebooks/01*.ipynb  some of them
    python .ci/notebooks.py --keep               do not run them, only mend their outputs

An output that is a live view and a picture keeps the picture alone: a saved notebook has no kernel,
and hosts that prefer the view would show an error in its place. Run it with the environment of the
tests (see CONTRIBUTING.md).
"""

import argparse
import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
VIEW = "application/vnd.jupyter.widget-view+json"


def leave_pictures(notebook):
    """Remove live views that have a picture beside them, and the state of all."""
    notebook["metadata"].pop("widgets", None)
    for cell in notebook["cells"]:
        for output in cell.get("outputs", ()):
            data = output.get("data", {})
            if VIEW in data and any(kind.startswith("image/") for kind in data):
                del data[VIEW]


def run(path):
    """Run a notebook in its folder; return it with its new outputs."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    kept = dict(notebook.metadata)
    where = {"metadata": {"path": str(path.parent)}}
    NotebookClient(
        notebook, timeout=600, record_timing=False, store_widget_state=False, resources=where
    ).execute()
    notebook.metadata = nbformat.from_dict(kept)
    return json.loads(nbformat.writes(notebook))


def main():
    """Parse the command line and mend each notebook."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("notebooks", nargs="*", type=Path)
    parser.add_argument("--keep", action="store_true", help="keep the outputs that are there")
    options = parser.parse_args()
    found = options.notebooks or [
        *sorted((ROOT / "notebooks").glob("*.ipynb")),
        *sorted((ROOT / "notebooks/course/source").glob("*/*.ipynb")),
    ]
    for path in found:
        notebook = json.loads(path.read_text("utf-8")) if options.keep else run(path)
        leave_pictures(notebook)
        text = json.dumps(notebook, indent=1, ensure_ascii=False) + "\n"
        path.write_text(text, encoding="utf-8")
        print(path.resolve().relative_to(ROOT), file=sys.stderr)


if __name__ == "__main__":
    main()
