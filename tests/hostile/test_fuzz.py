"""Mutated files: read, planned, run and shown, or refused with an error of ours."""

from __future__ import annotations

import os

import pytest

from aidge_nb.core.log import Level, logger
from tests.hostile.fuzz import mutated, outcome
from tests.hostile.seeds import seed_models

pytestmark = pytest.mark.skipif(os.name != "posix", reason="needs alarms")

MOST = 5
"""Exceptions of 10,000 files that may be none of ours; each of them is to be mended."""


def failures(seeds: range, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setattr(logger, "level", Level.Fatal)
    models = [model.SerializeToString() for model in seed_models()]
    found = [(seed, outcome(mutated(models, seed))) for seed in seeds]
    return [f"{seed}: {place}" for seed, place in found if place]


def test_mutated_files_end_in_errors_of_ours(monkeypatch: pytest.MonkeyPatch) -> None:
    assert failures(range(400), monkeypatch) == []


@pytest.mark.slow
def test_of_many_mutated_files(monkeypatch: pytest.MonkeyPatch) -> None:
    found = failures(range(10_000), monkeypatch)
    assert len(found) <= MOST, "\n".join(found)


def test_the_files_differ_and_some_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    models = [model.SerializeToString() for model in seed_models()]
    files = [mutated(models, seed) for seed in range(100)]
    assert files == [mutated(models, seed) for seed in range(100)]
    assert len(set(files)) > 90
    assert not failures(range(3), monkeypatch)
    monkeypatch.setattr("tests.hostile.fuzz.study", lambda *_, **__: 1 // 0)
    (found,) = failures(range(1), monkeypatch)
    assert found.startswith("0: ZeroDivisionError")
