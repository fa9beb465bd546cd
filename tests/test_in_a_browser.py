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
    "package",
    ["graph", "memory", "recipes", "tiling", "zoo", "course", "compat", "quantization", "widgets"],
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
