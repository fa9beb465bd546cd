"""What cannot be exported is refused, with a cure, and nothing is written."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest

import aidge_nb
from aidge_nb import zoo
from aidge_nb.core.errors import ExportError
from aidge_nb.export import export, plan_export
from aidge_nb.graph import GraphView
from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.memory import Memory
from aidge_nb.onnx_io import load_onnx
from tests.export.models import fill_producers, two_relus


def refused(view: GraphView, folder: Path, match: str, **options: object) -> None:
    before = sorted(folder.parent.rglob("*"))
    with pytest.raises(ExportError, match=match):
        export(view, folder, **options)  # type: ignore[arg-type]  # of all kinds
    assert sorted(folder.parent.rglob("*")) == before, "something was written"


def test_an_operator_without_kernel_is_named(tmp_path: Path) -> None:
    odd = aidge_nb.GenericOperator("Odd", 1, 0, 1, name="strange")
    operator = odd.get_operator()
    assert isinstance(operator, GenericOperatorOp)
    operator.set_forward_dims(lambda dims: dims)
    view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), odd])
    view.forward_dims([[1, 4]])
    refused(view, tmp_path / "out", r"without a C kernel \(found Odd \(strange\)\)")


def test_an_operator_that_leaves_dimensions_open_is_named_as_such(tmp_path: Path) -> None:
    odd = aidge_nb.GenericOperator("Odd", 1, 0, 1, name="strange")
    view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), odd, aidge_nb.ReLU(name="b")])
    view.forward_dims([[1, 4]])
    refused(view, tmp_path / "out", r"without a C kernel \(found Odd \(strange\)\)")


def test_open_dimensions_are_refused_with_a_cure(tmp_path: Path) -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU(name="a")])
    refused(view, tmp_path / "out", r"a \(ReLU\).*[Dd]imensions.*pass inputs=")


def test_inputs_give_open_dimensions(tmp_path: Path) -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU(name="a")])
    plan = plan_export(view, inputs=[np.zeros((2, 5), np.float32)])
    assert [value.dims for value in plan.inputs] == [(2, 5)]


def test_an_empty_graph_is_refused(tmp_path: Path) -> None:
    refused(GraphView("none"), tmp_path / "out", "no node")


def test_a_folder_of_somebody_else_is_left_alone(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "thesis.txt").write_text("precious")
    refused(two_relus(), folder, r"was not made by an export.*force=True")
    assert (folder / "thesis.txt").read_text() == "precious"


def test_force_replaces_the_folder(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    folder.mkdir()
    (folder / "other.txt").write_text("old")
    export(two_relus(), folder, force=True)
    assert not (folder / "other.txt").exists()
    assert (folder / "manifest.json").is_file()


def test_a_package_is_replaced_unless_it_was_changed(tmp_path: Path) -> None:
    folder = tmp_path / "out"
    export(two_relus(), folder)
    (folder / "build").mkdir()
    (folder / "build" / "made.o").write_text("by make")
    export(two_relus((1, 5)), folder)
    assert not (folder / "build").exists()
    (folder / "src" / "two.c").write_text("/* my own */")
    refused(two_relus(), folder, r"made by an export, and src/two.c was changed since")


def test_a_file_in_the_way_is_named(tmp_path: Path) -> None:
    (tmp_path / "out").write_text("a file")
    refused(two_relus(), tmp_path / "out", "is no folder")


def test_the_folder_around_must_be_there(tmp_path: Path) -> None:
    refused(two_relus(), tmp_path / "missing" / "out", "no folder to put it in")


def test_nothing_is_left_half_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = Path.write_bytes
    count = 0

    def fail_at_the_fifth(path: Path, data: bytes) -> int:
        nonlocal count
        count += 1
        if count == 5:
            raise OSError(28, "No space left on device", str(path))
        return write(path, data)

    monkeypatch.setattr(Path, "write_bytes", fail_at_the_fifth)
    with pytest.raises(OSError, match="No space left"):
        export(two_relus(), tmp_path / "out")
    assert list(tmp_path.iterdir()) == []


def test_a_package_stays_when_its_successor_cannot_be_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    export(two_relus(), tmp_path / "out")
    before = (tmp_path / "out" / "manifest.json").read_bytes()

    def fail(path: Path, target: Path) -> Path:
        raise OSError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "rename", fail)
    with pytest.raises(OSError, match="Permission denied"):
        export(two_relus((1, 7)), tmp_path / "out")
    assert (tmp_path / "out" / "manifest.json").read_bytes() == before


@pytest.mark.parametrize(
    ("options", "match"),
    [
        ({"target": "cortex-m9"}, r"is unknown \(expected host, cortex-m3.*cortex-m9\)"),
        ({"parameters": "hex"}, r"no such form \(expected incbin or c, found hex\)"),
        ({"layers": "none"}, r"no such form \(expected bytes or sums, found none\)"),
        ({"order": ["first", "third"]}, "not in the graph: third"),
        ({"inputs": [np.zeros((2, 2)), np.zeros(3)]}, "too many of them"),
    ],
)
def test_wrong_options_are_named(tmp_path: Path, options: dict[str, object], match: str) -> None:
    refused(two_relus(), tmp_path / "out", match, **options)


def test_too_small_a_memory_says_by_how_much(tmp_path: Path) -> None:
    match = r"activations do not fit: 32 bytes too many \(expected at most 64 bytes in l1"
    refused(two_relus(), tmp_path / "out", match, memories=[Memory("l1", 64)])


def test_a_missing_compiler_comes_with_the_packages_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = export(two_relus(), tmp_path / "out")
    monkeypatch.setenv("PATH", "")
    with pytest.raises(ExportError, match=r"not installed: clang.*apt-get install clang"):
        package.build("clang")
    match = "arm-none-eabi-gcc, qemu-system-arm.*gcc-arm-none-eabi libnewlib-arm-none-eabi"
    with pytest.raises(ExportError, match=match):
        package.run_on("mps2-an500")


def test_an_unknown_board_is_named(tmp_path: Path) -> None:
    package = export(two_relus(), tmp_path / "out")
    with pytest.raises(ExportError, match=r"mps2-an385.*found pico"):
        package.run_on("pico")


def test_an_error_of_the_compiler_shows_its_line(tmp_path: Path) -> None:
    package = export(two_relus(), tmp_path / "out")
    path = tmp_path / "out" / "src" / "two.c"
    path.write_text(path.read_text().replace("nb_relu_f32(", "nb_relu_of_mine(", 1))
    match = r"src/two.c:\d+:\d+: .*nb_relu_of_mine.*found nb_relu_of_mine\(&first_config"
    with pytest.raises(ExportError, match=match):
        package.build()


def test_wrong_inputs_of_a_run_are_named(tmp_path: Path) -> None:
    package = export(two_relus(), tmp_path / "out")
    with pytest.raises(ExportError, match=r"too few of them: first .* gets no data"):
        package.run([])
    with pytest.raises(ExportError, match=r"expected \[1, 2, 3, 4\], found \[4\]"):
        package.run([np.zeros(4)])
    assert os.listdir(tmp_path) == ["out"]  # noqa: PTH208  # names alone


def test_what_is_no_graph_is_named(tmp_path: Path) -> None:
    for given in ("model.onnx", None):
        with pytest.raises(ExportError, match="expected a GraphView"):
            export(given, tmp_path / "made")  # type: ignore[arg-type]
    with pytest.raises(ExportError, match=r"load_onnx\('model.onnx'\)"):
        export("model.onnx", tmp_path / "made")  # type: ignore[arg-type]


def test_empty_tensors_are_named(tmp_path: Path) -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU(name="one")])
    assert view.forward_dims([[0, 4]])
    with pytest.raises(ExportError, match=r"one \(ReLU\), output#0: is empty.*found \[0, 4\]"):
        export(view, tmp_path / "made")


def test_a_file_that_was_added_is_named(tmp_path: Path) -> None:
    folder = tmp_path / "made"
    export(two_relus(), folder)
    (folder / "NOTES.txt").write_text("mine")
    refused(two_relus(), folder, r"NOTES.txt was added since.*force=True, --force")


def test_what_a_file_leaves_open_is_named_once_with_the_cure(tmp_path: Path) -> None:
    view = load_onnx(zoo.build("mlp", batch="N"))
    match = r"dimensions are open.*found .*\[N, 784\].*forward_dims\(\[\[1, 784\]\]\)"
    refused(view, tmp_path / "out", match)
    assert view.forward_dims([[1, 784]])
    assert plan_export(view).inputs[0].dims == (1, 784)


def dense(size: int) -> GraphView:
    view = aidge_nb.sequential([aidge_nb.FC(size, size, name="fc")])
    assert view.forward_dims([[1, size]])
    fill_producers(view)
    return view


def test_a_model_that_is_too_large_says_what_would_fit() -> None:
    match = r"parameters do not fit: \d+ bytes too many .*As int8 .* about \d+ bytes, which fit.*"
    with pytest.raises(ExportError, match=match + "fits the board with Cortex-M55") as raised:
        plan_export(dense(2100), target="cortex-m7")
    assert "Cortex-M3" not in str(raised.value)
    match = r"still too many\. A model with at most \d+ parameters .*fits the board with Cortex-M55"
    with pytest.raises(ExportError, match=match):
        plan_export(dense(4200), target="cortex-m3")


def test_parameters_without_values_are_named(tmp_path: Path) -> None:
    view = aidge_nb.sequential([aidge_nb.FC(4, 2, name="fc")])
    assert view.forward_dims([[1, 4]])
    refused(view, tmp_path / "out", r"parameters without values .*fc_b, fc_w.*init_weights")
    aidge_nb.init_weights(view)
    assert plan_export(view).parameter_bytes == 4 * (4 * 2 + 2)


@pytest.mark.parametrize("order", ["plan first", "change first"])
def test_a_plan_made_before_an_attribute_changed_is_refused(tmp_path: Path, order: str) -> None:
    view = aidge_nb.sequential(
        [aidge_nb.ReLU(name="relu"), aidge_nb.MaxPooling2D([2, 2], "pool", [2, 2])]
    )
    view.forward_dims([[1, 1, 8, 8]])
    attributes = view.get_node("pool").get_operator().attr
    if order == "plan first":
        plan = aidge_nb.plan_memory(view)
        attributes.stride_dims = (1, 1)
    else:
        attributes.stride_dims = (1, 1)
        plan = aidge_nb.plan_memory(view)
    refused(
        view,
        tmp_path / "out",
        r"pool .*planned for other dim.*\[1, 1, 4, 4\].*\[1, 1, 7, 7\]",
        plan=plan,
    )
    export(view, tmp_path / "fresh")  # without a plan, dimensions are computed anew
