"""Programs of ExecuTorch."""

from __future__ import annotations

import random

import pytest

import aidge_nb
from aidge_nb.advice import lay_out_again
from aidge_nb.core.errors import AidgeError, MemoryPlanError
from tests.plan_io.samples import SAMPLES

PROGRAM = (SAMPLES / "executorch_digits.pte").read_bytes()


def test_a_program_is_read() -> None:
    plan = aidge_nb.read_plan(PROGRAM)
    assert (plan.peak, plan.lower_bound, plan.alignment) == (9216, 8192, 16)
    assert plan.order[:3] == ("convolution", "relu", "max_pool2d_with_indices")
    assert [each.name for each in plan.buffers if each.kind == "input"] == ["value 6"]


def test_a_view_that_was_left_out_keeps_the_bytes_it_shows() -> None:
    buffers = {each.name: each for each in aidge_nb.read_plan(PROGRAM).buffers}
    view, source = buffers["value 67"], buffers["max_pool2d_with_indices 53"]
    assert view.view_of == source.name
    assert (source.lower, source.upper, source.offset, source.size) == (5, 8, 6144, 512)


def test_it_is_laid_out_again() -> None:
    assert lay_out_again(aidge_nb.read_plan(PROGRAM)).peak == 8192


def test_other_versions_are_refused() -> None:
    with pytest.raises(MemoryPlanError, match=r"another version .*expected b'ET12', found b'ET13'"):
        aidge_nb.read_plan(PROGRAM.replace(b"ET12", b"ET13", 1))


def test_a_truncated_program_is_refused() -> None:
    end = PROGRAM.index(b"aten::")  # weights lie behind the tables
    for size in range(8, end, 61):
        with pytest.raises(AidgeError):
            aidge_nb.read_plan(PROGRAM[:size])


@pytest.mark.parametrize("seed", range(4))
def test_mutated_programs_are_refused_or_read(seed: int) -> None:
    choose = random.Random(seed)
    for _ in range(100):
        content = bytearray(PROGRAM[:6000])
        for _ in range(choose.randrange(1, 4)):
            content[choose.randrange(8, len(content))] = choose.choice([0, 1, 127, 128, 255])
        try:
            aidge_nb.read_plan(bytes(content))
        except AidgeError:
            continue
