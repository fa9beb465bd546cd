"""The numbers that the texts of tutorial 10 say are those that its cells compute."""

from __future__ import annotations

import contextlib
import io
import json
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb.course import boards
from aidge_nb.scheduling import static_schedule
from tests.course.questions_of import NOTEBOOKS

CELLS = json.loads((NOTEBOOKS / "10_quantization.ipynb").read_text("utf-8"))["cells"]
TEXT = " ".join(" ".join("".join(cell["source"]) for cell in CELLS).split())


@pytest.fixture(scope="module")
def found() -> dict[str, Any]:
    """Run the cells that need no board; return what they named."""
    names: dict[str, Any] = {"__name__": "__main__"}
    with contextlib.redirect_stdout(io.StringIO()):
        for cell in CELLS:
            source = "".join(cell["source"])
            if cell["cell_type"] == "code" and "on_m3" not in source:
                exec(source, names)
    return names


def says(*sentences: str) -> None:
    """Check that the texts have these words."""
    for sentence in sentences:
        assert sentence in TEXT, sentence


def test_what_a_defect_is(found: dict[str, Any]) -> None:
    pictures, defect = found["pictures"], found["defect"]
    assert len(pictures) == 64
    assert (
        f"{pictures.size:,} points in all. A single one of these is {defect.max():.0f}, six" in TEXT
    )
    assert round(25 / np.abs(pictures).max()) == 6
    widths = [
        (each.high - each.low) for each in (found["whole"].tensors[0], found["wide"].tensors[0])
    ]
    assert round(widths[1] / widths[0]) == 4
    says("A range 4 times as wide: 2 bits of 6 dB")


def test_what_clipping_costs(found: dict[str, Any]) -> None:
    relu, whole = found["relu"], found["whole"]
    tenthousandths = round(1e4 * relu.clipped)
    gap = (relu.high - relu.low) / 255
    lost = relu.observed[1] - relu.high
    says(
        f"numbers up to {relu.observed[1]:.1f}. With a range up to {relu.high:.1f}",
        f"{tenthousandths} of 10,000 numbers are larger: they become {relu.high:.1f}.",
        f"for {10_000 - tenthousandths:,} of 10,000 numbers",
        f"the {whole.sqnr:.0f} dB of the outputs",
        f"up to {lost:.1f}. A gap is {gap:.3f}.",
        f"{relu.observed[1]:.1f} becomes {relu.high:.1f}: an error of nearly 50 gaps",
    )
    says("gaps between codes are a sixth smaller")
    assert round(6 * relu.high / relu.observed[1]) == 5
    assert 45 < lost / gap < 50


def test_the_budget_is_told_as_it_is_met(found: dict[str, Any]) -> None:
    price, finer, coarse = found["price"], found["finer"], found["coarse"]
    noise = sum(10 ** (-price[name] / 10) for name in ("half", "fc", "both", "mean"))
    added = -10 * np.log10(noise)
    says(f"half, fc, both and mean have {added:.0f} dB together")
    assert abs(coarse.with_floats(["stem", "wide"]).sqnr - added) < 1  # noise adds up
    says("stem, wide and fc are below 30 alone. The others together are not.")
    alone = {name for name in price if price[name] < 30}
    assert alone == {"stem", "wide", "fc"} == set(finer.floats)
    assert (
        -10 * np.log10(sum(10 ** (-price[each] / 10) for each in price if each not in alone)) > 30
    )
    assert finer.sqnr >= 30
    says(f"All layers on codes, {coarse.sqnr:.0f} dB")


def test_the_peaks(found: dict[str, Any]) -> None:
    plan, planned = found["in_float"], found["planned"]
    parts = {each.name: each.size for each in plan.buffers if each.name in ("relu", "half", "wide")}
    says(
        f"In float the peak is {plan.peak:,} bytes",
        ", ".join(f"`{name}` {parts[name]:,}" for name in ("relu", "half")),
        f"and `wide` {parts['wide']:,} meet",
    )
    assert planned.peak == 4096 + 2048 + 8192
    says("4,096 + 2,048 + 8,192")
    before, after = found["coarse"].parameter_bytes
    says(f"take {before:,} bytes in float. On codes they take {after:,}")
    says(f"A quarter would be {before // 4:,}.")


def test_the_instructions_in_float_are_those_of_07b() -> None:
    says(f"In float its program took {boards.RECORDED['five', 'M3'][0]:,} instructions")


def test_the_peak_of_the_exercise(found: dict[str, Any]) -> None:
    readers = found["readers"]
    in_float = aidge_nb.plan_memory(readers, static_schedule(readers)).peak
    on_codes = aidge_nb.plan_memory(
        found["on_codes_too"], static_schedule(found["on_codes_too"])
    ).peak
    says(f"has a peak of {in_float:,} bytes in float")
    assert on_codes == 144 + 576
    says("The codes of add 144, and the floats that are made of them 576.")
