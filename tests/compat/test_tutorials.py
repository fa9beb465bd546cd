"""Scripts written for Aidge run here without a change."""

import subprocess
import sys
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

from aidge_nb import load_onnx, zoo

SCRIPTS = Path(__file__).parent / "scripts"


def run(script: str, folder: Path) -> str:
    command = [sys.executable, "-m", "aidge_nb.compat", "--force", str(SCRIPTS / script)]
    found = subprocess.run(command, capture_output=True, text=True, cwd=folder, check=False)
    assert found.returncode == 0, found.stderr
    return found.stdout


def save_swish(onnx: ModuleType, path: Path) -> None:
    """Write a model with an operator that ONNX does not know."""
    values = [onnx.helper.make_tensor_value_info(name, 1, [1, 4]) for name in "xy"]
    node = onnx.helper.make_node("Swish", ["x"], ["y"], "swish", domain="mine", beta=1.5)
    graph = onnx.helper.make_graph([node], "g", values[:1], values[1:])
    opsets = [onnx.helper.make_opsetid("", 17), onnx.helper.make_opsetid("mine", 1)]
    onnx.save(onnx.helper.make_model(graph, opset_imports=opsets), path)


@pytest.mark.parametrize("name", sorted(path.stem for path in SCRIPTS.glob("*.out")))
def test_output_is_that_of_real_aidge(name: str, tmp_path: Path) -> None:
    """The texts are what these scripts print on aidge_core 0.10.1."""
    if "onnx" in name or name == "own_operator":
        save_swish(pytest.importorskip("onnx"), tmp_path / "swish.onnx")
    assert run(f"{name}.py", tmp_path) == (SCRIPTS / f"{name}.out").read_text("utf-8")


def test_scheduling(tmp_path: Path) -> None:
    assert run("pipeline.py", tmp_path).splitlines() == ["lstm 202", "pipeline 133"]
    assert "gantt" in (tmp_path / "scheduling.mmd").read_text()


def test_tiling(tmp_path: Path) -> None:
    assert run("tiling.py", tmp_path).splitlines() == ["replaced True", "equal True"]


def test_memory(tmp_path: Path) -> None:
    pytest.importorskip("onnx")
    model = zoo.build("dinov2_like", size=28, depth=1)
    model.save(tmp_path / "model.onnx")
    fused, peak, native = run("memory.py", tmp_path).splitlines()
    assert int(fused.removeprefix("fused ")) > 0
    assert (peak, native) == ("peak True True", "native True")
    assert load_onnx(tmp_path / "again.onnx").get_nodes()
    assert any((tmp_path / "stats").iterdir())


@pytest.mark.usefixtures("served")
def test_export(tmp_path: Path) -> None:
    import aidge_core
    import aidge_export_cpp

    model = aidge_core.sequential([aidge_core.ReLU(name="relu"), aidge_core.ReLU(name="again")])
    model.compile("cpu", aidge_core.dtype.float32, dims=[[1, 4]])
    scheduler = aidge_core.SequentialScheduler(model)
    scheduler.generate_scheduling()
    data = [aidge_core.Tensor(np.array([[1, -2, 3, -4]], np.float32))]
    package = aidge_export_cpp.export(str(tmp_path / "made"), model, scheduler, data)
    assert (tmp_path / "made" / "manifest.json").is_file()
    assert package.plan.arena_bytes == 16
    config = aidge_core.export_utils.ExportConfig(
        export_folder=str(tmp_path / "other"), compile=False
    )
    same = aidge_core.export_utils.export(model, config, input_tensors=data)
    assert same.plan == package.plan
