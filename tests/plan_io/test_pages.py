"""A file of each format opens in one page: bound, waste, what fills the peak, a better plan."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import pytest

import aidge_nb
from aidge_nb.advice import lay_out_again
from aidge_nb.cli import main
from aidge_nb.plan_io.read import FORMATS, format_of
from tests.plan_io.samples import SAMPLES
from tests.tflite_io.record import FOLDER as MODELS

FIGURES = {
    "executorch_digits.pte": (9216, 8192, "relu 22 4 KiB, convolution 7 4 KiB, holes 1 KiB"),
    "omnimalloc_example.csv": (12, 12, "b5 4 B, b3 4 B, b1 4 B"),
    "omnimalloc_kinds_pool_offset.csv": (192, 192, "t 128 B, in 64 B"),
    "tflm_memory_plan.txt": (2416, 2128, "buffer 5 656 B, .* holes 288 B"),
    "tflm_print_allocations_image_classification.txt": (55984, 55984, "head .* 48 KiB"),
    "tflm_print_allocations_keyword_spotting.txt": (24448, 24448, "head .* 15.6 KiB"),
    "torch_cuda_snapshot_handmade.pickle": (1536, 1536, r"net.py:1 forward \(2\) 1 KiB"),
    "torch_memory_viz_page.html": (1536, 1536, r"net.py:1 forward \(2\) 1 KiB"),
    "torch_profiler_memory_events.json": (12288, 12288, "aten::"),
    "vela_command_stream_keyword_spotting.txt": (22208, 20752, "KiB"),
    "vela_verbose_allocation_image_classification.txt": (51808, 51808, "KiB"),
    "vela_verbose_allocation_keyword_spotting.txt": (22208, 22208, "KiB"),
    "vela_verbose_allocation_legacy_core.txt": (51824, 51824, "KiB"),
    "vela_verbose_allocation_linearalloc_keyword_spotting.txt": (104320, 22208, "holes"),
    "by_vela.tflite": (464, 464, "t0 368 B, t1 96 B"),
}
"""Peak and bound of each file that has addresses, and what the peak holds."""


def files() -> dict[str, Path]:
    """Return all files that can be opened, by name."""
    found = [path for path in SAMPLES.iterdir() if path.suffix not in (".py", ".md", ".bin")]
    return {path.name: path for path in [*found, MODELS / "by_vela.tflite"] if path.is_file()}


PLACED = {"minimalloc_input.12.csv", "omnimalloc_vector_clock.csv"}
"""The first has no addresses, the second no ticks: it is refused."""


def test_every_file_and_every_format_takes_part() -> None:
    assert files().keys() == FIGURES.keys() | PLACED
    known = {format_of(path.read_bytes()).name for path in files().values()}
    assert known == {each.name for each in FORMATS}


@pytest.mark.parametrize("name", FIGURES)
def test_a_page_has_bound_waste_peak_and_a_better_plan(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    peak, bound, held = FIGURES[name]
    plan = aidge_nb.read_plan(files()[name])
    assert (plan.peak, plan.lower_bound, plan.gap) == (peak, bound, peak - bound)
    page = tmp_path / "page.html"
    assert main(["plan", str(files()[name]), "-o", str(page)]) == 0
    shown = capsys.readouterr().out
    assert f"peak {peak} bytes, lower bound {bound} bytes, " in shown
    assert (f"{peak - bound} bytes wasted" if peak > bound else "nothing wasted") in shown
    assert re.search(rf"^PEAK: .* while .* runs .*: .*{held}", shown, re.MULTILINE)
    text = unescape(page.read_text(encoding="utf-8"))
    assert name in text
    assert re.search(rf"PEAK: .*{held}", text)
    ours = lay_out_again(plan).peak
    assert ours == bound
    assert f"placed again:\npeak {ours} bytes" in shown
    better = re.search(r"Lay out again: [0-9.]+ (KiB|B), −[0-9]+ %", text)
    assert (better is not None) == (ours < peak)
    assert ("No, peak = lower bound" in text) == (ours == peak)


def test_a_file_without_addresses_is_placed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    page = tmp_path / "page.html"
    assert main(["plan", str(files()["minimalloc_input.12.csv"]), "-o", str(page)]) == 0
    assert "peak 12 bytes, lower bound 12 bytes, gap 0 bytes (optimal)" in capsys.readouterr().out
    assert "minimalloc_input.12.csv" in page.read_text(encoding="utf-8")
