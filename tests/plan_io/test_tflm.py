"""The log of TensorFlow Lite Micro, and the plans that .tflite files hold."""

from __future__ import annotations

import struct
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb.core.errors import AidgeError, MemoryPlanError
from aidge_nb.memory import LiveRange
from aidge_nb.memory.contest.solvers import largest_into_first_gap
from tests.plan_io.samples import SAMPLES
from tests.tflite_io.record import FOLDER as RECORDED
from tests.tflite_io.writer import Net, file_of, table

LOG = (SAMPLES / "tflm_print_allocations_keyword_spotting.txt").read_text(encoding="utf-8")
HEAD = "[RecordingMicroAllocator] Arena allocation head 16000 bytes"


@pytest.mark.parametrize(
    ("task", "head", "total"),
    [("image_classification", 49152, 55984), ("keyword_spotting", 16000, 24448)],
)
def test_a_log_shows_what_fills_the_arena(task: str, head: int, total: int) -> None:
    plan = aidge_nb.read_plan(SAMPLES / f"tflm_print_allocations_{task}.txt")
    assert (plan.buffers[0].size, plan.peak, plan.order) == (head, total, ("invoke",))
    assert sum(each.size for each in plan.buffers) == total
    assert "NodeAndRegistration struct" in {each.name for each in plan.buffers}


def test_lines_of_others_are_passed_over() -> None:
    text = f"booting\n{LOG}done\n".replace("[Rec", "I (312) tf: [Rec")
    assert aidge_nb.read_plan(text.encode()).peak == 24448


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        (HEAD, f"{HEAD} or so", "line 2: is not understood .*found .*16000 bytes or so"),
        (HEAD, f"{HEAD}\n{HEAD}", "line 3: says the same a second time"),
        (HEAD, "", "a line is missing .*Arena allocation head"),
        (HEAD, HEAD.replace("16000", "16001"), "do not add up .*expected .*24448.*found 16001"),
        ("used 5620", "used 99999", "do not add up"),
        ("'TfLiteEvalTensor data' used", "TfLiteEvalTensor uses", "line 4: is not understood"),
    ],
)
def test_what_is_not_understood_is_quoted(old: str, new: str, message: str) -> None:
    assert old in LOG
    with pytest.raises(MemoryPlanError, match=message):
        aidge_nb.read_plan(LOG.replace(old, new, 1).encode())


PRINTED = (SAMPLES / "tflm_memory_plan.txt").read_text(encoding="utf-8")


def test_a_plan_that_was_printed_is_read() -> None:
    plan = aidge_nb.read_plan(PRINTED.encode())
    rows = [(b.name, b.lower, b.upper, b.size, b.offset) for b in plan.buffers]
    assert rows[:2] == [("buffer 0", 0, 3, 832, 0), ("buffer 1", 1, 4, 96, 1408)]
    assert (len(rows), plan.peak, plan.lower_bound, plan.alignment) == (8, 2416, 2128, 16)
    assert aidge_nb.advice.lay_out_again(plan).peak == 2128


def test_it_is_what_our_rule_of_that_planner_gives() -> None:
    plan = aidge_nb.read_plan(PRINTED.encode())
    ranges = [LiveRange(b.lower, b.upper, b.size) for b in plan.buffers]
    assert largest_into_first_gap(ranges) == [b.offset for b in plan.buffers]


def test_lines_of_a_terminal_may_have_something_before() -> None:
    marked = "".join(f"I (312) tf: {line}\r\n" for line in PRINTED.splitlines())
    assert aidge_nb.read_plan(marked.encode()) == aidge_nb.read_plan(PRINTED.encode())


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("offset=1408, first", "at=1408, first", r"line 2: is not understood .*'1 \(id=1\).*at=14"),
        ("offset=1408", "offset=-1", "line 2: is not understood .*offset=-1"),
        ("(id=1)", "(id=0)", "line 2: says the same a second time"),
        ("first_used=1 ", "first_used=9 ", "line 2: is not understood"),
        ("offset=1408", "offset=1392", "buffers buffer 1 and buffer 2: overlap at tick 2"),
    ],
)
def test_lines_of_printed_plans_that_are_not_understood_are_quoted(
    old: str, new: str, message: str
) -> None:
    assert old in PRINTED
    with pytest.raises(MemoryPlanError, match=message):
        aidge_nb.read_plan(PRINTED.replace(old, new, 1).encode())


def network(plan: bytes | None) -> bytes:
    """Return a chain of three additions, with a plan as Vela and TFLM store it."""
    net = Net()
    x = net.input([1, 20], scale=0.1)
    constant = net.tensor([1, 20], scale=0.1, data=np.zeros(20, np.int8))
    a, b, y = (net.tensor([1, 20], scale=0.1) for _ in range(3))
    net.add("ADD", [x, constant], [a], activation="NONE")
    net.add("ADD", [a, constant], [b], activation="NONE")
    net.add("ADD", [b, a], [y], activation="NONE")
    return with_plan(net, [y], plan)


def with_plan(net: Net, outputs: list[int], plan: bytes | None) -> bytes:
    root: dict[int, Any] = net.root(outputs)
    if plan is not None:
        net.buffers.append({0: np.frombuffer(plan, np.uint8)})
        number = ("I", len(net.buffers) - 1)
        root[6] = [table(s0="OfflineMemoryAllocation", s1=number)]
    return file_of(root)


def stored(*offsets: int, count: int | None = None) -> bytes:
    return struct.pack(
        f"<{3 + len(offsets)}i", 0, 1, len(offsets) if count is None else count, *offsets
    )


def test_a_plan_in_a_tflite_takes_times_and_sizes_from_the_graph() -> None:
    plan = aidge_nb.read_plan(network(stored(0, -1, 32, 96, 0)))
    rows = [(b.name, b.lower, b.upper, b.size, b.offset, b.kind) for b in plan.buffers]
    assert rows == [
        ("t0", 0, 1, 32, 0, "input"),
        ("t2", 0, 3, 32, 32, "activation"),
        ("t3", 1, 3, 32, 96, "activation"),
        ("t4", 2, 3, 32, 0, "activation"),
    ]
    assert (plan.peak, plan.lower_bound, plan.alignment) == (128, 96, 16)
    assert plan.order == tuple(f"operator {number} (ADD)" for number in range(3))
    assert aidge_nb.advice.lay_out_again(plan).peak == 96


def test_tensors_that_are_placed_at_run_time_are_left_out() -> None:
    plan = aidge_nb.read_plan(network(stored(0, -1, 32, -1, -1)))
    assert [each.name for each in plan.buffers] == ["t0", "t2"]


def test_what_vela_compiled_has_its_working_memory_and_what_lies_inside_before_and_after() -> None:
    """The file holds QUANTIZE, whose result lies in the working memory of the rest."""
    plan = aidge_nb.read_plan(RECORDED / "by_vela.tflite")
    rows = [(b.name, b.lower, b.upper, b.size, b.offset, b.kind) for b in plan.buffers]
    assert rows == [
        ("t0", 0, 1, 368, 96, "input"),
        ("t1", 0, 1, 96, 0, "activation"),
        ("scratch", 1, 2, 464, 0, "scratch"),
    ]
    assert plan.order == ("operator 0 (QUANTIZE)", "operator 1 (ethos-u)")


def compiled(*offsets: int) -> bytes:
    """Return a net whose second of four operators Vela compiled: t4 is its working memory."""
    net = Net()
    t0, t1 = net.input([20], scale=0.1), net.tensor([20], scale=0.1)
    commands, constants = (net.tensor([8], "uint8", data=np.zeros(8, np.uint8)) for _ in range(2))
    working = net.tensor([128], "uint8")
    t5, t6, t7 = (net.tensor([20], scale=0.1) for _ in range(3))
    net.add("ADD", [t0, t0], [t1], activation="NONE")
    net.add("ethos-u", [commands, constants, working, working, t1], [t5])
    net.add("ADD", [t5, t1], [t6], activation="NONE")
    net.add("ADD", [t6, t0], [t7], activation="NONE")
    return with_plan(net, [t7], stored(*offsets))


def test_a_tensor_is_no_buffer_of_its_own_while_the_working_memory_holds_it() -> None:
    plan = aidge_nb.read_plan(compiled(128, 0, -1, -1, 0, 32, 64, 0))
    rows = [(b.name, b.lower, b.upper, b.offset, b.size) for b in plan.buffers]
    assert sorted(rows) == [
        ("t0", 0, 4, 128, 32),
        ("t1", 0, 1, 0, 32),
        ("t1 (2)", 2, 3, 0, 32),
        ("t4", 1, 2, 0, 128),
        ("t5", 2, 3, 32, 32),
        ("t6", 2, 4, 64, 32),
        ("t7", 3, 4, 0, 32),
    ]
    assert (plan.peak, plan.lower_bound) == (160, 160)


def test_outside_of_the_working_memory_it_is_one() -> None:
    plan = aidge_nb.read_plan(compiled(160, 128, -1, -1, 0, 32, 64, 0))
    assert [(b.lower, b.upper) for b in plan.buffers if b.name == "t1"] == [(0, 3)]


@pytest.mark.parametrize("other", [96, 112])
def test_others_must_not_lie_in_the_working_memory(other: int) -> None:
    """What Vela compiled does not name t0, which is read after it."""
    with pytest.raises(MemoryPlanError, match="overlap at tick 1"):
        aidge_nb.read_plan(compiled(other, 0, -1, -1, 0, 32, 64, 0))


@pytest.mark.parametrize("name", ["tflite", "vela"])
def test_plans_that_were_stored_for_another_graph_are_refused(name: str) -> None:
    data = (SAMPLES / f"{name}_offline_memory_allocation_keyword_spotting.bin").read_bytes()
    with pytest.raises(MemoryPlanError, match="is damaged, or of several graphs"):
        aidge_nb.read_plan(network(data))


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (None, "holds no memory plan .*expected metadata Offline"),
        (b"", "is damaged"),
        (stored(0, -1, 32, 64, 0)[:-1], "is damaged"),
        (stored(0, -1, 32, 64), "is damaged"),
        (stored(0, -1, 32, 64, 0, count=4), "is damaged"),
        (stored(0, -1, 32, 64, -7), "tensor 4 't4': has no such address .*found -7"),
        (stored(0, 96, 32, 64, 0), "tensor 1 't1': has no such address .*found 96"),
        (stored(0, -1, 32, 48, 0), "buffers t2 and t3: overlap at tick 1"),
        (stored(-1, -1, -1, -1, -1), "lists no buffers"),
    ],
)
def test_plans_that_do_not_fit_are_refused(plan: bytes | None, message: str) -> None:
    with pytest.raises(MemoryPlanError, match=message):
        aidge_nb.read_plan(network(plan))


def test_a_truncated_tflite_is_refused() -> None:
    content = network(stored(0, -1, 32, 64, 0))
    for end in range(8, len(content), 7):
        with pytest.raises(AidgeError):
            aidge_nb.read_plan(content[:end])
