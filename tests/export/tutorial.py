"""Runs a tutorial, exports every graph that it leaves behind, and compares the bits.

    python -m tests.export.tutorial notebooks/01_scheduling.ipynb FOLDER KERNELS [DIMS]

KERNELS is a folder of compiled kernels; they are compiled where there are none. DIMS is a JSON
value: dimensions of the inputs of graphs that have none, by name. Graphs whose parameters have no
values get random ones. Prints one JSON value: for each graph, by its name in the notebook, what its
tests said (nothing where all bits are equal), and why a graph is no program.
"""

from __future__ import annotations

import contextlib
import io
import json
import os
import shutil
import sys
from pathlib import Path
from typing import Any

import numpy as np
from IPython.core.interactiveshell import InteractiveShell

from aidge_nb.core.errors import ExportError, ShapeError
from aidge_nb.export import check_export, export
from aidge_nb.graph import GraphView
from aidge_nb.recipes import init_weights
from tests.export.building import Builder


def run_notebook(path: Path) -> dict[str, Any]:
    """Run the cells of a notebook; give what they leave behind."""
    shell: Any = InteractiveShell.instance()  # it has no types
    shell.ast_node_interactivity = "none"
    for cell in json.loads(path.read_text(encoding="utf-8"))["cells"]:
        if cell["cell_type"] == "code":
            with (
                contextlib.redirect_stdout(io.StringIO()),
                contextlib.redirect_stderr(io.StringIO()),
            ):
                shell.run_cell("".join(cell["source"]))
    return dict(shell.user_ns)


LONG = ("lstm", "endless")
"""Schedules of a million steps, which NumPy would run one by one, and without end."""


def graphs_of(names: dict[str, Any]) -> dict[str, GraphView]:
    """Find the graphs, each under the first of its names."""
    found: dict[int, tuple[str, GraphView]] = {}
    for name, value in names.items():
        if name in LONG or name.startswith("_"):
            continue
        if isinstance(value, GraphView) and len(value):
            found.setdefault(id(value), (name, value))
    return dict(found.values())


def inputs_of(view: GraphView) -> list[Any] | None:
    """Make positive inputs for graphs with roots: no standard fixes the bits of those of others."""
    if all(node.type() != "Sqrt" for node in view.get_nodes()):
        return None
    generator = np.random.default_rng(0)
    tensors = [node.get_operator().get_input(port) for node, port in view.get_ordered_inputs()]
    dims = [tensor.dims for tensor in tensors if tensor is not None]
    return [generator.uniform(0.1, 2, each).astype(np.float32) for each in dims]


def main(notebook: Path, folder: Path, kernels: Path, dims: dict[str, list[list[int]]]) -> None:
    """Export and compare every graph of a notebook."""
    place = folder / "notebooks"
    shutil.copytree(notebook.parent, place)
    os.chdir(place)  # files that a tutorial writes go there
    graphs = graphs_of(run_notebook(place / notebook.name))
    builder = Builder(kernels, "gcc", "-O1")
    said, refused = {}, {}
    for name, view in graphs.items():
        if name in dims:
            view.forward_dims(dims[name], True)
        init_weights(view)
        try:
            package = export(view, folder / name, name=name, layers="sums", inputs=inputs_of(view))
        except (ExportError, ShapeError) as error:
            refused[name] = str(error)
            continue
        check_export(package.plan)
        said[name] = builder.check(package)
    sys.stdout.write(json.dumps({"said": said, "refused": refused}))


if __name__ == "__main__":
    known = json.loads(sys.argv[4]) if len(sys.argv) > 4 else {}
    first, second, third = (Path(each).resolve() for each in sys.argv[1:4])
    main(first, second, third, known)
