"""The library works where Python runs in a browser (Pyodide): no threads, no processes.

Such an interpreter has NumPy alone and no sockets. A real one is not needed to find out who relies
on more.
"""

import subprocess
import sys
from pathlib import Path

import pytest

LIKE_PYODIDE = """
import sys, threading

for name in ("subprocess", "multiprocessing", "socket", "ssl", "_posixsubprocess", "fcntl",
             "onnx", "yaml", "plotly", "anywidget", "ipywidgets", "traitlets", "IPython", "tqdm"):
    sys.modules[name] = None

def refuse(*_):
    raise RuntimeError("can't start new thread")

threading.Thread.start = refuse
sys.platform = "emscripten"
"""

SCHEDULE = """
import numpy as np
import aidge_nb
from aidge_nb.widgets import scene_of, to_html

graph = aidge_nb.zoo.load("lenet")
graph.set_backend("cpu")
graph.forward_dims([[1, 1, 32, 32]])
scheduler = aidge_nb.SequentialScheduler(graph)
(result,) = scheduler.forward(data=[np.zeros((1, 1, 32, 32), np.float32)])
plan = aidge_nb.plan_memory(graph, graph.topological_order())
run = aidge_nb.run_in_arena(graph, plan, [np.zeros((1, 1, 32, 32), np.float32)])
assert run.outputs[0].tobytes() == np.asarray(result).tobytes()
assert "<svg" in scheduler.schedule()._repr_mimebundle_()["image/svg+xml"]
assert to_html(scene_of(graph)).startswith("<!")
print("done")
"""

PARALLEL = """
import aidge_nb
graph = aidge_nb.sequential([aidge_nb.ReLU(name="a")])
graph.set_backend("cpu")
try:
    aidge_nb.ParallelScheduler(graph).forward(data=[aidge_nb.Tensor([1.0])])
except (RuntimeError, aidge_nb.AidgeError) as error:
    print(error)
else:
    print("ran")
"""


def run(code: str, folder: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-W", "error", "-c", LIKE_PYODIDE + code]
    return subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)


def test_it_schedules_plans_runs_and_draws(tmp_path: Path) -> None:
    found = run(SCHEDULE, tmp_path)
    assert found.stdout == "done\n", found.stderr


@pytest.mark.parametrize(
    "package", ["graph", "memory", "recipes", "tiling", "zoo", "course", "compat", "widgets"]
)
def test_packages_can_be_imported(package: str, tmp_path: Path) -> None:
    found = run(f"import aidge_nb.{package}; print('done')", tmp_path)
    assert found.stdout == "done\n", found.stderr


COMPILED = """
del sys.modules["subprocess"]  # it is there, and starts nothing
import os
os.environ["PATH"] = ""
import aidge_nb
from aidge_nb.export import export
graph = aidge_nb.zoo.load("lenet")
graph.set_backend("cpu")
graph.forward_dims([[1, 1, 32, 32]])
sources = export(graph, "program")
try:
    sources.build()
except aidge_nb.AidgeError as error:
    print(error)
"""


@pytest.mark.parametrize(
    ("code", "why"),
    [(PARALLEL, "can't start new thread"), (COMPILED, "not installed: gcc")],
    ids=["threads", "compiler"],
)
def test_what_needs_a_machine_says_so(code: str, why: str, tmp_path: Path) -> None:
    told = run(code, tmp_path)
    assert why in told.stdout, told.stderr
    assert "A browser cannot do this: open the saved notebook" in told.stdout


LIKE_JUPYTERLITE = """
import json, sys, threading, subprocess
import IPython.display, anywidget

for name in ("onnx", "yaml", "tqdm"):
    sys.modules[name] = None

def refuse(*_, **__):
    raise RuntimeError("can't start new thread or process")

threading.Thread.start = subprocess.Popen.__init__ = refuse

names = {"__name__": "__main__"}
for cell in json.load(open(sys.argv[1], encoding="utf-8"))["cells"]:
    if cell["cell_type"] == "code":
        exec("".join(cell["source"]), names)
"""
"""Runs a tutorial where the views can be had, as in JupyterLite, and what the system has cannot."""


@pytest.mark.slow
@pytest.mark.parametrize(
    "name",
    [
        "01_scheduling",
        "02_cp_model",
        "04_memory",
        "05_queries",
        "06_tiling",
        "08_your_own_model",
        "09_training",
    ],
)
def test_tutorials_need_no_more_than_a_browser_has(name: str, tmp_path: Path) -> None:
    """The others have cells that start threads, save ONNX files or compile: docs/howto/browser."""
    notebook = Path(__file__).resolve().parent.parent / "notebooks" / f"{name}.ipynb"
    command = [sys.executable, "-c", LIKE_JUPYTERLITE, str(notebook)]
    found = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, check=False)
    assert found.returncode == 0, found.stderr
