"""Figures of emulated boards: run where there is an emulator, recorded where there is none."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from aidge_nb import zoo
from aidge_nb.course import boards, graphs
from aidge_nb.export import ExportedPackage, export
from aidge_nb.quantization import quantize


@pytest.fixture(scope="module")
def packages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ExportedPackage]:
    folder: Path = tmp_path_factory.mktemp("packages")
    pictures = np.random.default_rng(0).standard_normal((64, 1, 8, 8))
    integers, _ = quantize(graphs.five_layers(), pictures, ranges="minmax").integer()
    return {
        "five": export(graphs.five_layers(), folder / "five", name="five", target="cortex-m4"),
        "five8": export(integers, folder / "five8", name="five8", target="cortex-m3"),
        "lenet": export(zoo.load("lenet"), folder / "lenet", target="cortex-m4"),
    }


@pytest.mark.slow
@pytest.mark.parametrize(("name", "processor"), boards.RECORDED)
def test_what_is_recorded_is_what_a_run_gives(
    packages: dict[str, ExportedPackage], name: str, processor: str
) -> None:
    """Compilers differ a little."""
    found = boards.on_board(packages[name], processor)
    if found.recorded:
        pytest.skip("no emulator")
    instructions, stack = boards.RECORDED[name, processor]
    assert found.instructions == pytest.approx(instructions, rel=0.1)
    assert found.stack == pytest.approx(stack, abs=200)


def test_without_an_emulator_the_record_is_shown(
    packages: dict[str, ExportedPackage], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "")
    found = boards.on_board(packages["five"], "M4")
    assert found.recorded
    assert repr(found) == "M4: 19,280 instructions, stack 248 bytes (recorded)"
