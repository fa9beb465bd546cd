"""Emulated boards: the same bits, stack as stated, and a number of instructions that repeats."""

from __future__ import annotations

import subprocess
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pytest

import aidge_nb
from aidge_nb.core.errors import ExportError
from aidge_nb.export import BOARDS, TARGETS, ExportedPackage, export, plan_export
from aidge_nb.export.boards.boards import RESERVED, board_files
from aidge_nb.export.boards.targets import Board, Region
from aidge_nb.onnx_io import load_onnx
from aidge_nb.quantization import quantize
from aidge_nb.zoo.builder import ModelBuilder
from tests.export.models import diamond, two_relus, zoo_small
from tests.export.quantized import qlinear
from tests.kernels.c.machine import differing
from tests.quantization.test_integer import DIMS, every_layer

TOOLS = ("make", "arm-none-eabi-gcc", "qemu-system-arm")


def check_figures(package: ExportedPackage, board: str) -> None:
    """Compare what a program takes with what its header says."""
    run = package.run_on(board)
    assert run.is_equal
    assert run.stack <= package.plan.stack
    stated = package.plan.arena_bytes + package.plan.stack
    assert abs(run.stack + package.plan.arena_bytes - stated) <= 2048
    assert run.instructions == package.run_on(board).instructions > 0


@pytest.mark.parametrize(
    "board",
    ["mps2-an386", *(pytest.param(b, marks=pytest.mark.slow) for b in BOARDS if "386" not in b)],
)
def test_every_board_gives_the_same_bits(
    tmp_path: Path, need_tools: Callable[..., None], board: str
) -> None:
    need_tools(*TOOLS)
    package = export(diamond(), tmp_path / "diamond")
    check = package.check_layers(board=board)
    assert check.passed, check.text
    check_figures(package, board)


@pytest.mark.parametrize(
    "target",
    ["cortex-m4", *(pytest.param(t, marks=pytest.mark.slow) for t in ("cortex-m3", "cortex-m55"))],
)
def test_packed_codes_give_the_same_bits_with_and_without_two_products_at_a_time(
    tmp_path: Path, need_tools: Callable[..., None], target: str
) -> None:
    need_tools(*TOOLS)
    for dtype in ("int8", "uint8"):
        package = export(qlinear(dtype), tmp_path / dtype, target=target)
        unit = "nb_conv_sixteen" if target == "cortex-m55" else "nb_conv_codes"
        assert f"kernels/{unit}.c" in package.files
        check = package.check_layers(board=TARGETS[target].board)
        assert check.passed, check.text
        check_figures(package, TARGETS[target].board)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["cortex-m4", "cortex-m55"])
def test_a_quantized_network_gives_the_same_bits(
    tmp_path: Path, need_tools: Callable[..., None], target: str
) -> None:
    need_tools(*TOOLS)
    samples = np.random.default_rng(0).standard_normal((4, *DIMS[1:])).astype(np.float32)
    view = load_onnx(every_layer())
    view.forward_dims([list(DIMS)])
    codes, report = quantize(view, samples).integer()
    assert list(report.float_) == ["softmax (Softmax)"]
    package = export(codes, tmp_path / "codes", target=target)
    board = TARGETS[target].board
    check = package.check_layers(board=board)
    assert check.passed, check.text
    inputs = np.random.default_rng(1).standard_normal(DIMS).astype(np.float32)
    assert package.run_on(board, [inputs]).is_equal


@pytest.mark.slow
@pytest.mark.parametrize("target", ["cortex-m3", "cortex-m7"])
def test_a_package_for_a_microcontroller_builds_without_python(
    tmp_path: Path, need_tools: Callable[..., None], target: str
) -> None:
    need_tools(*TOOLS)
    package = export(diamond(), tmp_path / "diamond", target=target)
    board = TARGETS[target].board
    assert f"boards/{board}/board.mk" in package.files
    assert package.run_on(board).is_equal
    assert not list((tmp_path / "diamond" / "build").glob("files-*"))


def code_bytes(package: ExportedPackage, board: str) -> int:
    """Count the bytes of kernels and of the network's own functions, without those of libc."""
    program = package.build_on(board) / f"{package.plan.name}.elf"
    command = ["arm-none-eabi-nm", "-S", "-t", "d", str(program)]
    ran = subprocess.run(command, check=True, capture_output=True, text=True)
    rows = [row for row in map(str.split, ran.stdout.splitlines()) if len(row) == 4]
    ours = ("nb_", package.plan.name)
    return sum(int(size) for _, size, kind, name in rows if kind in "Tt" and name.startswith(ours))


@pytest.mark.slow
@pytest.mark.parametrize("board", BOARDS)
def test_lenet_on_every_board(tmp_path: Path, need_tools: Callable[..., None], board: str) -> None:
    need_tools(*TOOLS)
    target = next(name for name, each in TARGETS.items() if each.board == board)
    package = export(zoo_small("lenet"), tmp_path / "lenet", target=target)
    check = package.check_layers(board=board)
    assert check.passed, check.text
    check_figures(package, board)
    if target == "cortex-m4":
        assert 0 < code_bytes(package, board) <= 24_000


def tiny_board(ram: int, more: int = 0) -> Board:
    regions = [Region("ram", 0x2000_0000, ram)]
    regions += [Region("more", 0x2100_0000, more)] if more else []
    return Board("tiny", "none", "-mthumb", Region("code", 0, 1 << 20), tuple(regions), "tiny")


def test_a_program_that_is_too_large_says_by_how_much() -> None:
    plan = plan_export(diamond())
    board = tiny_board(RESERVED + 90)
    with pytest.raises(ExportError, match=r"arena do not fit: 6 bytes too many .*found 96 bytes"):
        board_files(plan, board, "boards/tiny")


def test_what_does_not_fit_the_first_memory_goes_to_the_next() -> None:
    plan = plan_export(diamond())
    files = board_files(plan, tiny_board(RESERVED + 100, more=4096), "b")
    assert "} > more" in files["b/board.ld"].decode()


def test_a_model_larger_than_its_target_is_refused(tmp_path: Path) -> None:
    view = two_relus((1, 1, 4096, 4096))
    with pytest.raises(ExportError, match=r"do not fit: .* bytes too many"):
        export(view, tmp_path / "out", target="cortex-m4")
    assert list(tmp_path.iterdir()) == []


def test_inputs_of_ones_own(tmp_path: Path, need_tools: Callable[..., None]) -> None:
    need_tools(*TOOLS)
    package = export(two_relus(), tmp_path / "two")
    x = np.arange(-12, 12, dtype=np.float32).reshape(1, 2, 3, 4)
    run = package.run_on("mps2-an385", [x])
    assert run.is_equal
    assert np.array_equal(run.outputs[0], np.maximum(x, 0))


FUNCTIONS = ("Exp", "Log", "Erf", "Tanh", "Sigmoid", "Softplus", "Mish", "Gelu")
ALONG = ("Softmax", "LogSoftmax", "ReduceMax", "ReduceMin")


def test_functions_keep_subnormal_numbers(tmp_path: Path, need_tools: Callable[..., None]) -> None:
    """Vectors of the Cortex-M55 take them for 0, so that such numbers are computed one by one."""
    need_tools(*TOOLS)
    builder = ModelBuilder("functions", seed=0, opset=20)
    every = builder.input("every", (1, 1021))
    rows = builder.input("rows", (6, 33))
    axes = builder.constant("axes", np.array([-1]))
    outputs: dict[str, Sequence[int | str]] = {}
    for kind in FUNCTIONS:
        outputs[builder.node(kind, [every], kind)] = (1, 1021)
    for kind in ALONG:
        is_one = kind.startswith("Reduce")
        outputs[builder.node(kind, [rows, *([axes] if is_one else [])], kind)] = (
            6,
            1 if is_one else 33,
        )
    package = export(load_onnx(builder.build(outputs)), tmp_path / "net", target="cortex-m55")
    bits = np.linspace(0, 2**32 - 1, 1021).astype(np.uint32)
    lines = np.linspace(-110, -60, 6 * 33).reshape(6, 33).astype(np.float32)
    lines[:2] *= np.float32(1e-41)
    lines[::2, 7] = 0
    run = package.run_on(TARGETS["cortex-m55"].board, [bits.view(np.float32)[None], lines])
    pairs = zip(outputs, run.outputs, run.expected, strict=True)
    assert [name for name, found, expected in pairs if differing(found, expected)] == []


def test_what_follows_keeps_what_is_no_number(
    tmp_path: Path, need_tools: Callable[..., None]
) -> None:
    """Each ReLU is done by the layer before, in vectors, whose `less than` is true of NaN."""
    need_tools(*TOOLS)
    layers = aidge_nb.sequential(
        [
            aidge_nb.Conv2D(4, 8, [3, 3], "conv"),
            aidge_nb.ReLU("after_conv"),
            aidge_nb.ConvDepthWise2D(8, [3, 3], "deep"),
            aidge_nb.ReLU("after_deep"),
            aidge_nb.Flatten(name="flat"),
            aidge_nb.FC(128, 12, name="fc"),
            aidge_nb.ReLU("after_fc"),
        ]
    )
    layers.forward_dims([[1, 4, 8, 8]])
    aidge_nb.init_weights(layers, seed=1)
    x = np.random.default_rng(0).standard_normal((1, 4, 8, 8)).astype(np.float32)
    x[0, 0, 3, 3] = np.nan
    package = export(layers, tmp_path / "net", target="cortex-m55")
    assert not any(call.function == "nb_relu_f32" for call in package.plan.calls)
    run = package.run_on(TARGETS["cortex-m55"].board, [x])
    (found,), (expected,) = run.outputs, run.expected
    assert np.isnan(expected).all()
    assert differing(found, expected) == 0
