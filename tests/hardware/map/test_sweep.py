"""Sweeps: every combination once, the same rows whoever computes them."""

from __future__ import annotations

import csv
import io
import pickle
import sys
from concurrent.futures import ProcessPoolExecutor, ThreadPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest

import aidge_nb
from aidge_nb import hardware
from aidge_nb.core.errors import HardwareError, MissingExtraError
from aidge_nb.hardware import STRATEGIES, sweep
from aidge_nb.scheduling import SchedulingPolicy
from aidge_nb.tiling import tile_for


def chain() -> aidge_nb.GraphView:
    convs = [aidge_nb.Conv2D(8, 8, [3, 3], f"conv{number}") for number in range(3)]
    view = aidge_nb.sequential([*convs, aidge_nb.MaxPooling2D([4, 4], "pool", [4, 4])])
    assert view.forward_dims([[1, 8, 38, 38]])
    return view


POLICIES = (SchedulingPolicy.Default, SchedulingPolicy.AsLateAsPossible)


def test_every_combination_has_a_row() -> None:
    view = chain()
    nodes = list(view)
    choices = [None, *tile_for(view).front[:3]]
    found = sweep(view, choices, POLICIES, STRATEGIES)
    assert len(found) == len(choices) * len(POLICIES) * len(STRATEGIES)
    keys = {(row.tiling, row.policy, row.strategy) for row in found}
    assert len(keys) == len(found)
    assert not any(row.problem for row in found)
    assert list(view) == nodes
    as_it_is = [row for row in found if row.tiling == "as it is" and row.strategy == "planned"]
    assert {row.peak for row in as_it_is} == {78_464}
    assert min(row.peak or 0 for row in found) < 40_000
    assert {row.macs for row in as_it_is} == {sum(n.get_operator().macs() or 0 for n in view)}


def test_nothing_on_the_front_is_beaten() -> None:
    view = chain()
    found = sweep(view, [None, *tile_for(view).front])
    front = {(row.peak or 0, row.macs or 0) for row in found.front}
    for row in found:
        assert any(p <= (row.peak or 0) and m <= (row.macs or 0) for p, m in front)
    assert len(front) == len(found.front)


def test_any_executor_gives_the_same_rows() -> None:
    choices = [None, *tile_for(chain()).front[:2]]
    target = hardware.target("quad_cluster")
    alone = sweep(chain, choices, POLICIES, target=target)
    assert all(row.cycles for row in alone)
    with ThreadPoolExecutor(2) as executor:
        assert sweep(chain(), choices, POLICIES, target=target, executor=executor) == alone
    with ProcessPoolExecutor(2, get_context("spawn")) as executor:
        for model in (chain, chain()):
            assert sweep(model, choices, POLICIES, target=target, executor=executor) == alone


class Weighing(ProcessPoolExecutor):
    """Notes how many bytes each task takes to another process."""

    def __init__(self) -> None:
        super().__init__(2, get_context("spawn"))
        self.sizes: list[int] = []

    def submit(self, fn: Any, /, *given: Any, **named: Any) -> Any:
        self.sizes.append(len(pickle.dumps((fn, given, named))))
        return super().submit(fn, *given, **named)


def test_weights_go_to_processes_once_and_not_with_each_case() -> None:
    view = aidge_nb.sequential([aidge_nb.FC(256, 256, name="fc"), aidge_nb.ReLU(name="relu")])
    aidge_nb.init_weights(view, seed=0)
    assert view.forward_dims([[1, 256]])
    alone = sweep(view, policies=POLICIES, strategies=STRATEGIES)
    with Weighing() as executor:
        assert sweep(view, policies=POLICIES, strategies=STRATEGIES, executor=executor) == alone
    assert len(executor.sizes) == len(POLICIES) * len(STRATEGIES)
    assert max(executor.sizes) < 10_000 < len(pickle.dumps(view))


def test_what_cannot_go_to_another_process_is_refused() -> None:
    with (
        ProcessPoolExecutor(1, get_context("spawn")) as executor,
        pytest.raises(
            HardwareError, match=r"cannot be pickled .*expected a graph or a function of a module"
        ),
    ):
        sweep(lambda: chain(), executor=executor)


def test_progress_is_told(capsys: pytest.CaptureFixture[str]) -> None:
    told: list[tuple[int, int]] = []
    sweep(chain(), strategies=STRATEGIES[:3], progress=lambda done, of: told.append((done, of)))
    assert told == [(1, 3), (2, 3), (3, 3)]
    sweep(chain(), progress=True)
    assert "1/1" in capsys.readouterr().err


def test_a_bar_needs_tqdm(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "tqdm.auto", None)
    with pytest.raises(MissingExtraError, match="tqdm"):
        sweep(chain(), progress=True)


def test_what_fails_says_why_and_the_rest_goes_on() -> None:
    found = sweep(chain(), target=hardware.target("mcu"))
    assert not found.rows[0].problem
    tight = hardware.Constraints("mcu", memory={"ram": 1024})
    found = sweep(chain(), target=hardware.target("mcu"), constraints=tight)
    assert "memory ram: the tensors do not fit" in found.rows[0].problem
    assert repr(found) == "Sweep(1 cases, 1 failed, 0 trade-offs)"
    with pytest.raises(HardwareError, match=r"unknown strategy .expected planned, None_"):
        sweep(chain(), strategies=["best"])
    wrong: Any = ["Default"]
    with pytest.raises(HardwareError, match=r"cannot weigh this .expected SchedulingPolicy"):
        sweep(chain(), policies=wrong)
    with pytest.raises(HardwareError, match=r"expected tile_for.view..front, or None"):
        sweep(chain(), wrong)


def test_rows_are_written_as_csv() -> None:
    found = sweep(chain(), strategies=STRATEGIES)
    rows = list(csv.DictReader(io.StringIO(found.to_csv())))
    assert [row["strategy"] for row in rows] == list(STRATEGIES)
    assert [int(row["peak"]) for row in rows] == [row.peak for row in found]
