"""Damaged files: each is refused with an error that says what is wrong, or read."""

from __future__ import annotations

import random
import struct
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb.core.errors import AidgeError, TfliteError
from aidge_nb.core.log import Level, logger
from aidge_nb.tflite_io.read.parse import read_tflite
from tests.tflite_io import more_cases  # noqa: F401  # adds its cases
from tests.tflite_io.cases import CASES, built
from tests.tflite_io.writer import Net, file_of

Root = dict[int, Any]


def small() -> Net:
    net = Net()
    x, y = net.input([1, 4], scale=0.1), net.tensor([1, 4], scale=0.1)
    net.add("ADD", [x, x], [y], activation="NONE")
    return net


def root() -> Root:
    return small().root([1])


def test_a_whole_file_is_read() -> None:
    model = read_tflite(file_of(root()))
    assert [operator.kind for operator in model.operators] == ["ADD"]
    assert repr(model) == "TfliteModel('bytes', 1 operators, 2 tensors, 0 parameters)"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "not a TensorFlow Lite model"),
        (b"\x10\0\0\0TFL2" + bytes(40), "expected b'TFL3', found b'TFL2'"),
        (b"{}" + bytes(40), "found JSON text"),
        (struct.pack("<I4s", 2**31, b"TFL3"), "model lies outside the file"),
        (struct.pack("<I4si", 8, b"TFL3", -(2**30)), "vtable of model lies outside the file"),
        (struct.pack("<I4siHH", 8, b"TFL3", -4, 5, 4), "vtable of model has no such length"),
    ],
)
def test_what_is_no_file(content: bytes, message: str) -> None:
    with pytest.raises(TfliteError, match=message.replace("(", r"\(")):
        read_tflite(content)


def test_a_vector_of_two_thousand_millions_of_elements() -> None:
    content = bytearray(built("dense"))
    place = content.index(np.asarray([2, 2, 9], "<i4").tobytes()) - 4
    struct.pack_into("<I", content, place, 2**31)
    with pytest.raises(TfliteError, match=r"\(2147483648 elements\) lies outside the file"):
        read_tflite(bytes(content))


def test_many_offsets_that_lead_to_one_place() -> None:
    """Offsets point forward, so that none leads in a circle; how often one is read is limited."""
    content = file_of({**root(), 2: [{0: [{3: "x" * 60_000}] * 2000}]})
    assert len(content) < 70_000
    with pytest.raises(TfliteError, match="many offsets lead to one place"):
        read_tflite(content)


def changed(change: Callable[[Root], Any]) -> bytes:
    made = root()
    change(made)
    return file_of(made)


def graph(made: Root) -> Root:
    found: Root = made[2][0]
    return found


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda r: r.update({0: ("I", 2)}), "another version .expected 3, found 2"),
        (lambda r: r.update({2: []}), "there is no graph"),
        (lambda r: graph(r)[3][0].pop(4), r"operator 0 \(ADD\): its options are missing"),
        (lambda r: graph(r)[3][0].update({3: ("B", 1)}), "found options of type 1"),
        (lambda r: graph(r)[3][0].update({0: ("I", 9)}), "operator code that is not there"),
        (lambda r: graph(r)[0][0].update({2: ("I", 9)}), "buffer that is not there"),
        (lambda r: graph(r)[0][0].update({1: ("b", 99)}), "unknown element type"),
        (lambda r: graph(r).update({1: np.asarray([7], np.int32)}), "a tensor that is not there"),
        (lambda r: graph(r).update({2: np.asarray([0, 1], np.int32), 3: []}), "nothing writes"),
        (lambda r: r[4].append({0: np.zeros(3, np.uint8)}), None),
        (
            lambda r: graph(r)[3][0].update({2: np.asarray([0], np.int32)}),
            "writes tensor 0 again",
        ),
        (
            lambda r: graph(r)[0][0].update({0: np.asarray([2**30, 8], np.int32)}),
            "too large",
        ),
        (lambda r: graph(r)[0][0].update({0: np.asarray([-5], np.int32)}), "no such dims"),
        (
            lambda r: graph(r)[0][0][4].update({2: np.asarray([np.nan], np.float32)}),
            "expected positive, finite",
        ),
        (
            lambda r: graph(r)[0][0][4].update({2: np.ones(3, np.float32)}),
            "scales that do not fit",
        ),
        (lambda r: graph(r)[3][0].update({1: np.asarray([0], np.int32)}), "inputs or outputs are"),
    ],
)
def test_rules_of_the_format(change: Callable[[Root], Any], message: str | None) -> None:
    content = changed(change)
    if message is None:
        aidge_nb.load_tflite(content)
        return
    with pytest.raises(TfliteError, match=message):
        aidge_nb.load_tflite(content)


def test_load_model_reads_it() -> None:
    assert aidge_nb.load_model(built("dense")).annotations["onnx"]


def test_no_source() -> None:
    with pytest.raises(TfliteError, match=r"Pass the path of a \.tflite file"):
        read_tflite(3)  # type: ignore[arg-type]
    with pytest.raises(TfliteError, match="does not exist"):
        read_tflite("nothing.tflite")


def mutated(files: list[bytes], seed: int) -> bytes:
    rng = random.Random(seed)
    content = bytearray(rng.choice(files))
    for _ in range(rng.randrange(1, 4)):
        place = rng.randrange(len(content))
        kind = rng.randrange(5)
        if kind == 0:
            content[place] ^= 1 << rng.randrange(8)
        elif kind == 1:
            content[place] = rng.randrange(256)
        elif kind == 2 and place + 4 <= len(content):
            number = rng.choice([0, 1, 2**31, 2**32 - 1, 2**31 - 1, len(content), 2**16])
            struct.pack_into("<I", content, place, number)
        elif kind == 3:
            del content[place : place + rng.randrange(1, 9)]
        else:
            del content[place:]
        content = content or bytearray(b"\0")
    return bytes(content)


def outcome(content: bytes) -> str:
    """Return the internal exception that a file ends in; empty without one."""
    try:
        view = aidge_nb.load_tflite(content)
        aidge_nb.plan_memory(view)
    except AidgeError:
        return ""
    except Exception as error:  # noqa: BLE001  # what is looked for
        return repr(error)
    return ""


def failures(seeds: range, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(logger, "level", Level.Fatal)
    files = [built(name) for name in sorted(CASES)]
    found = [(seed, outcome(mutated(files, seed))) for seed in seeds]
    return [f"{seed}: {text}" for seed, text in found if text]


def test_mutated_files_end_in_errors_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    assert failures(range(300), monkeypatch) == []


@pytest.mark.slow
def test_of_many_mutated_files(monkeypatch: pytest.MonkeyPatch) -> None:
    assert failures(range(300, 6000), monkeypatch) == []
