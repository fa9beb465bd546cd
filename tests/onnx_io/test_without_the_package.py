"""ONNX files where there is no ``onnx`` package: NumPy alone reads and writes them."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import helper

from aidge_nb import zoo

BEFORE = """
import sys
for name in ("onnx", "google", "google.protobuf", "ml_dtypes"):
    sys.modules[name] = None
import numpy as np
import aidge_nb
"""


def ran(code: str, *arguments: object) -> str:
    """Run code where there is no such package; return what it prints."""
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", BEFORE + code, *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
        env={**os.environ, "PYTHONUTF8": "1"},
    )
    assert done.returncode == 0, done.stderr
    return done.stdout + done.stderr


def single(op_type: str, data_type: int, **attributes: Any) -> onnx.ModelProto:
    value = helper.make_tensor_value_info
    node = helper.make_node(op_type, ["x"], ["y"], name="only", **attributes)
    graph = helper.make_graph(
        [node], "g", [value("x", 1, [1, 2, 3, 3])], [value("y", data_type, [1, 2, 3, 3])]
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", 18)])


@pytest.mark.parametrize("name", ["lenet", "inception_like"])
def test_models_are_loaded_planned_run_and_saved(name: str, tmp_path: Path) -> None:
    model = zoo.build(name)
    dims = [list(value.dims or ()) for value in model.inputs]
    model.save(tmp_path / "model.onnx")
    told = ran(
        """
graph = aidge_nb.load_onnx(sys.argv[1])
graph.set_backend("cpu")
graph.forward_dims(eval(sys.argv[3]))
schedule = aidge_nb.static_schedule(graph)
print(len(graph.get_nodes()), aidge_nb.plan_memory(graph, schedule).peak > 0)
aidge_nb.save_onnx(graph, sys.argv[2])
again = aidge_nb.load_onnx(sys.argv[2])
print(len(again.get_nodes()))
""",
        tmp_path / "model.onnx",
        tmp_path / "again.onnx",
        dims,
    )
    first, planned, second = told.split()[:3]
    assert planned == "True"
    assert first == second
    onnx.checker.check_model(onnx.load(tmp_path / "again.onnx"))


def test_the_report_of_a_file(tmp_path: Path) -> None:
    zoo.build("lenet").save(tmp_path / "model.onnx")
    told = ran(
        """
from aidge_nb.cli import main
try:
    main(["report", sys.argv[1], "-o", sys.argv[2], "--quiet"])
except SystemExit as end:
    print("ended", end.code)
""",
        tmp_path / "model.onnx",
        tmp_path / "report.html",
    )
    assert "PEAK" in told
    assert (tmp_path / "report.html").stat().st_size > 100_000


def test_an_operator_that_the_package_would_expand_says_so(tmp_path: Path) -> None:
    onnx.save(single("MeanVarianceNormalization", 1), tmp_path / "model.onnx")
    told = ran(
        "print([n.type() for n in aidge_nb.load_onnx(sys.argv[1]).get_nodes()])",
        tmp_path / "model.onnx",
    )
    assert "the onnx package, which expands them, is not installed" in told
    assert "MeanVarianceNormalization" in told


def test_types_that_numpy_lacks(tmp_path: Path) -> None:
    onnx.save(single("Cast", 16, to=16), tmp_path / "model.onnx")
    told = ran(
        """
graph = aidge_nb.load_onnx(sys.argv[1])
graph.set_backend("cpu")
scheduler = aidge_nb.SequentialScheduler(graph)
x = np.full((1, 2, 3, 3), 1.001, np.float32)
print(float(scheduler.forward(data=[aidge_nb.Tensor(x)])[0].array.flat[0]))
""",
        tmp_path / "model.onnx",
    )
    assert float(told.split()[0]) == 1.0  # the nearest number of bfloat16
