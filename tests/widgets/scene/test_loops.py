"""The card of a loop: how often it turns, sums that add up, and what sets its pace."""

from __future__ import annotations

import re

import pytest

from aidge_nb.scheduling import StaticSchedule
from aidge_nb.widgets import build_scene
from tests.widgets.loops import chain_of_rates, lstm, nested
from tests.widgets.models import repeated, residual


@pytest.mark.parametrize("turns", [50, 10**6])
def test_an_lstm_says_its_turns_their_sum_and_what_they_wait_for(turns: int) -> None:
    (card,) = build_scene(schedule=lstm(turns)).findings
    assert (card.kind, card.title, card.edge) == ("loop", "LOOP", "dim")
    assert card.figure == f"×{turns - 3:,}, every 8 steps"
    assert card.headline == f"17 + {turns - 3:,}×8 + 8 = {8 * turns + 1:,} steps"
    assert card.nodes == ("lstm_inputGateH", "lstm_hidden_state")
    assert card.words().endswith("Bound by lstm_inputGateH → … → lstm_hidden_state, without slack.")


@pytest.mark.parametrize(
    "schedule",
    [
        nested(1000),
        repeated(40),
        chain_of_rates([(1, 1)] * 5, 1000),
        chain_of_rates([(1, 1), (1, 4), (1, 1), (120, 1)], 2400),
        chain_of_rates([(100, 1), (3, 2), (2, 100), (1, 1)], 90_000),
    ],
    ids=["nested", "flat", "pipeline", "multi-rate", "side by side"],
)
def test_what_it_is_bound_by_has_no_slack_and_its_sum_is_all_steps(
    schedule: StaticSchedule,
) -> None:
    (card,) = build_scene(schedule=schedule).findings
    total = re.search(r"= ([\d,]+) steps", card.headline)
    assert total is not None
    assert int(total[1].replace(",", "")) == schedule.n_steps
    for name in card.nodes:
        actor = next(n for n, each in enumerate(schedule.actors) if each.name == name)
        own = (each for each in schedule.iter_firings() if each.actor == actor)
        assert any(each.early == each.late for each in own), name


def test_what_does_not_turn_has_no_such_card() -> None:
    assert "loop" not in {card.kind for card in build_scene(*residual(6)).findings}
