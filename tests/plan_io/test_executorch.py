"""Programs of ExecuTorch."""

from __future__ import annotations

import random
import struct

import pytest

import aidge_nb
from aidge_nb.advice import lay_out_again
from aidge_nb.core.errors import AidgeError, MemoryPlanError
from aidge_nb.tflite_io.read.flat import FlatFile
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


def two_memories() -> bytes:
    """Give the program a second memory of 4096 bytes, in which its input lies at 64."""
    content = bytearray(PROGRAM)
    content += bytes(-len(content) % 8 + 4)
    file = FlatFile(memoryview(PROGRAM), "program", MemoryPlanError)
    (method,) = file.root().tables(1, "execution plan")
    at = method.place(8)
    assert at is not None
    struct.pack_into("<I", content, at, len(content) - at)
    content += struct.pack("<Iqqq", 3, 0, 9216, 4096)
    tensor = method.tables(2, "value")[6].table(1, "tensor")
    assert tensor is not None
    place = tensor.table(6, "place")
    assert place is not None
    memory, offset = place.place(0), place.place(1)
    assert memory is not None
    struct.pack_into("<I", content, memory, 2)
    if offset is not None:
        struct.pack_into("<I", content, offset, 64)
    return bytes(content)


def test_several_memories_lie_one_after_the_other_or_are_chosen() -> None:
    program = two_memories()
    both = {each.name: each for each in aidge_nb.read_plan(program).buffers}
    assert both["value 6"].offset in (9216, 9216 + 64)
    second = aidge_nb.read_plan(program, arena="forward, memory 2")
    assert [each.name for each in second.buffers] == ["value 6"]
    assert second.buffers[0].offset == both["value 6"].offset - 9216
    first = aidge_nb.read_plan(program, arena="forward, memory 1")
    assert len(first.buffers) == len(both) - 1
    assert first.peak <= 9216
    assert aidge_nb.read_plan(program, arena="forward") == aidge_nb.read_plan(program)


def test_an_unknown_arena_is_answered_by_those_there_are() -> None:
    expected = r"expected 'forward', 'forward, memory 1', 'forward, memory 2', found 'backward'"
    with pytest.raises(MemoryPlanError, match=expected):
        aidge_nb.read_plan(two_memories(), arena="backward")
