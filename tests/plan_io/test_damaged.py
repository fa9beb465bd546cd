"""Damaged plans of every format: read, or refused with an error of ours; never anything else."""

from __future__ import annotations

import random

import pytest

import aidge_nb
from aidge_nb.core.errors import AidgeError
from aidge_nb.memory import check_plan
from tests.plan_io.samples import SAMPLES
from tests.tflite_io.record import FOLDER as MODELS

FILES = sorted(
    path for path in SAMPLES.iterdir() if path.suffix in (".csv", ".txt", ".json", ".html")
)
FILES += [SAMPLES / "executorch_digits.pte", SAMPLES / "torch_cuda_snapshot_handmade.pickle"]
FILES += [MODELS / "by_vela.tflite"]

PIECES = (b"\n", b",", b":", b'"', b"-", b"0x", b"9" * 25, b"", b"\x00", b"\xff", b"{", b"]", b" ")


def mutated(content: bytes, choose: random.Random) -> bytes:
    """Change a file in a few places: bytes, numbers, lines that come twice, and its end."""
    made = bytearray(content)
    for _ in range(choose.randrange(1, 5)):
        at = choose.randrange(len(made) or 1)
        kind = choose.randrange(6)
        if kind == 0:
            made[at : at + 1] = bytes([choose.randrange(256)])
        elif kind == 1:
            made[at : at + choose.randrange(3)] = choose.choice(PIECES)
        elif kind == 2:
            made = made[:at] if choose.random() < 0.3 else made
        elif kind == 3:
            lines = bytes(made).split(b"\n")
            lines.insert(choose.randrange(len(lines)), choose.choice(lines))
            made = bytearray(b"\n".join(lines))
        elif kind == 4:
            del made[at : at + choose.randrange(40)]
        else:
            digits = [place for place, byte in enumerate(made) if 48 <= byte <= 57]
            if digits:
                made[choose.choice(digits)] = choose.choice(b"0123456789-")
    return bytes(made)


def damage(path_number: int, seed: int) -> None:
    content = mutated(FILES[path_number].read_bytes(), random.Random(f"{path_number} {seed}"))
    arena = random.Random(seed).choice([None, None, None, "forward, memory 1", "CUDA 0"])
    try:
        plan = aidge_nb.read_plan(content, arena=arena)
    except AidgeError as error:
        message = str(error)
    else:
        check_plan(plan)
        assert plan.peak >= plan.lower_bound >= 0
        return
    assert 0 < len(message) < 2000


@pytest.mark.parametrize("number", range(len(FILES)), ids=lambda number: FILES[number].name)
def test_damaged_files_are_read_or_refused(number: int) -> None:
    for seed in range(15):
        damage(number, seed)


@pytest.mark.slow
@pytest.mark.parametrize("number", range(len(FILES)), ids=lambda number: FILES[number].name)
def test_many_damaged_files_are_read_or_refused(number: int) -> None:
    for seed in range(15, 1000):
        damage(number, seed)
