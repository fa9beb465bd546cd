"""Small files that ask for much are looked at all the same, or refused in one line."""

from __future__ import annotations

import re
import warnings
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import helper

from aidge_nb import SequentialScheduler, plan_memory, run_in_arena
from aidge_nb.cli import main
from aidge_nb.core.errors import ExportError, LimitError, MemoryPlanError, ShapeError
from aidge_nb.core.limits import limits
from aidge_nb.export import plan_export
from aidge_nb.onnx_io import OnnxModel, load_onnx, read_onnx
from aidge_nb.report import study
from tests.hostile.bombs import (
    EXPORTED,
    FOLDED,
    REFUSED,
    TRIED,
    Constants,
    doubled,
    endless_loop,
    huge,
    ints,
)
from tests.hostile.seeds import branches, loop, model_of, nested_functions


def notes_of(model: onnx.ModelProto) -> list[str]:
    """Study a model; return its notes and the warnings."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        report = study(model.SerializeToString())
    assert report.schedule is not None
    return [*report.notes, *(str(each.message) for each in caught)]


@pytest.mark.parametrize("name", FOLDED)
def test_a_constant_that_would_be_too_large_is_left_to_the_run(name: str) -> None:
    (message,) = [note for note in notes_of(FOLDED[name]) if "constant_bytes" in note]
    assert re.match(r"(bomb|double\d+) \(\w+\): is not computed before the graph runs", message)
    needed = int(re.findall(r"found (\d+)", message)[0])
    assert needed > 1 << 28
    assert f"--limit constant_bytes={needed}, AIDGE_NB_CONSTANT_BYTES={needed}" in message
    assert "\n" not in message


@pytest.mark.parametrize("name", TRIED)
def test_dims_that_take_too_much_to_find_stay_unknown(name: str) -> None:
    notes = [note for note in notes_of(TRIED[name]) if "constant_bytes" in note]
    assert notes[0].startswith("bomb ")
    assert "raise the limit: --limit constant_bytes=" in notes[0]


@pytest.mark.parametrize("name", REFUSED)
def test_what_cannot_be_looked_at_is_refused(name: str) -> None:
    model, limit, needed = REFUSED[name]
    with pytest.raises(LimitError) as caught:
        study(model.SerializeToString())
    message = str(caught.value)
    assert f"found {needed}" in message
    assert f"--limit {limit}={needed}" in message
    assert "\n" not in message


@pytest.mark.parametrize("name", EXPORTED)
def test_an_export_names_the_node_that_is_too_large(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, folder = tmp_path / "m.onnx", tmp_path / "made"
    path.write_bytes(EXPORTED[name].SerializeToString())
    assert main(["export", str(path), "-o", str(folder)]) == 2
    *notes, error, end = capsys.readouterr().err.split("\n")
    assert not end
    assert all(note.startswith("note: bomb ") for note in notes)
    assert re.match(r"aidge-nb: bomb \(\w+\), (in|out)put#0 of \[\d.*: the program reads", error)
    needed = re.findall(r"at most 4294967296, found (\d+)\)", error)[0]
    assert f"--limit export_bytes={needed}, AIDGE_NB_EXPORT_BYTES={needed}" in error
    assert not folder.exists()


def test_an_export_counts_each_execution_up_to_the_limit() -> None:
    weights: Constants = {"w": np.ones((1, 8, 2), np.float32), "r": np.ones((1, 8, 2), np.float32)}
    node = helper.make_node("LSTM", ["x", "w", "r"], ["y"], "lstm", hidden_size=2)
    made = model_of([node], {"x": ("float32", [5, 1, 2])}, weights, ["y"])
    graph = load_onnx(made.SerializeToString())
    with limits(export_bytes=0), pytest.raises(LimitError) as caught:
        plan_export(graph)
    once = int(re.findall(r"found (\d+)", str(caught.value))[0])
    with limits(export_bytes=once), pytest.raises(LimitError) as caught:
        plan_export(graph)
    needed = int(re.findall(r"found (\d+)", str(caught.value))[0])
    assert needed > once
    with limits(export_bytes=needed):
        plan_export(graph)
    with limits(export_bytes=needed - 1), pytest.raises(LimitError, match="export_bytes"):
        plan_export(graph)


@pytest.mark.parametrize("command", ["memory", "report"])
def test_a_tensor_beyond_all_addresses_is_named(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "m.onnx"
    path.write_bytes(EXPORTED["addresses"].SerializeToString())
    page = ["-o", str(tmp_path / "m.html")] if command == "report" else []
    main([command, str(path), *page])
    error = capsys.readouterr().err
    assert "bomb: takes more bytes than can be addressed (expected less than 2**62" in error
    assert error.count("\n") == 1


def test_what_ends_the_memory_of_a_run_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*arguments: object, **options: object) -> None:
        raise MemoryError("Unable to allocate 4.00 TiB")

    graph = load_onnx(huge("Relu", [1, 4]).SerializeToString())
    graph.compile("cpu", dims=[[1, 4]])
    plan = plan_memory(graph)
    with monkeypatch.context() as patch:
        patch.setattr("aidge_nb.runtime.arena.block.block_of", fail)
        with pytest.raises(MemoryPlanError, match="bomb of 16 bytes: not enough memory"):
            run_in_arena(graph, plan, [np.ones((1, 4), np.float32)])
    with monkeypatch.context() as patch:
        patch.setattr("aidge_nb.kernels.find_kernel", lambda *given: fail)
        with pytest.raises(ShapeError, match=r"bomb \(ReLU\): not enough memory to run it"):
            SequentialScheduler(graph).forward(data=[np.ones((1, 4), np.float32)])
    with monkeypatch.context() as patch:
        patch.setattr("aidge_nb.export.plan.calls.calls_at", fail)
        with pytest.raises(ExportError, match=r"bomb \(ReLU\): not enough memory to store"):
            plan_export(graph)
    with monkeypatch.context() as patch:
        patch.setattr("aidge_nb.report.run.Tensor", fail)
        report = study(graph, run=True)
    assert report.failure.startswith("not run: bomb (ReLU), input#0: not enough memory for values")


def test_a_limit_holds_up_to_its_value() -> None:
    model = nested_functions(5).SerializeToString()
    with limits(expanded_nodes=32, depth=5):
        assert len(load_onnx(model).get_nodes()) == 32
    with limits(expanded_nodes=31), pytest.raises(LimitError, match="found 32"):
        load_onnx(model)
    with limits(depth=4), pytest.raises(LimitError, match="found 5"):
        load_onnx(model)


def test_graphs_inside_others_are_levels_too() -> None:
    model = branches(20).SerializeToString()
    with limits(depth=20):
        load_onnx(model)
    with limits(depth=19), pytest.raises(LimitError, match="--limit depth=20"):
        load_onnx(model)


def test_functions_of_models_in_memory_are_counted_too() -> None:
    with limits(expanded_nodes=40_000):
        model = read_onnx(nested_functions(14).SerializeToString())
    assert isinstance(model, OnnxModel)
    with limits(expanded_nodes=10_000), pytest.raises(LimitError, match="expanded_nodes"):
        load_onnx(model)


def test_constants_are_folded_up_to_the_limit() -> None:
    model = doubled(4, ints(1), "Expand").SerializeToString()
    assert "folded" in str(study(model).notes) or "replaced" in str(study(model).notes)
    with limits(constant_bytes=0), pytest.warns(UserWarning, match=r"double3 .* found 112\)"):
        study(model)


def test_turns_of_a_loop_are_counted_when_it_runs() -> None:
    with limits(loop_trips=100):
        report = study(endless_loop().SerializeToString(), run=True)
    assert re.search(r"loop \(Loop\): .*too many turns .*--limit loop_trips=4611", report.failure)
    with limits(loop_trips=4):
        assert "found 5" in study(loop(5).SerializeToString(), run=True).failure
    with limits(loop_trips=5):
        assert study(loop(5).SerializeToString(), run=True).failure == ""


def test_a_run_ends_between_two_nodes(monkeypatch: pytest.MonkeyPatch) -> None:
    now = iter(range(0, 10**6, 100))
    monkeypatch.setattr("aidge_nb.core.limits.time.monotonic", lambda: next(now))
    with limits(run_seconds=250):
        report = study("zoo:lenet", run=True)
    assert re.search(r"the run takes too long .*at most 250.*--limit run_seconds=", report.failure)


@pytest.mark.parametrize("command", ["schedule", "memory", "report", "export"])
def test_each_command_raises_limits(
    command: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path, target = tmp_path / "m.onnx", tmp_path / ("m.html" if command == "report" else "out")
    path.write_bytes(nested_functions(5).SerializeToString())
    line = [command, str(path)]
    if command in ("report", "export"):
        line += ["-o", str(target)]
    assert main([*line, "--limit", "expanded_nodes=10"]) == 2
    error = capsys.readouterr().err
    assert "--limit expanded_nodes=32" in error
    assert error.count("\n") == 1
    assert main([*line, "--limit", "expanded_nodes=32", "--limit", "constant_bytes=1GiB"]) == 0


@pytest.mark.parametrize("given", ["depth", "depth=-1", "depth=many", "nothing=3", "=3"])
def test_what_is_no_limit_is_refused(given: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schedule", "zoo:lenet", "-q", "--limit", given]) == 2
    assert "limit" in capsys.readouterr().err
