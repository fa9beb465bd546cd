"""The Producers of a graph."""

from __future__ import annotations

import aidge_nb
from aidge_nb.recipes import producers, set_producers_constant


def test_constants_are_listed_when_asked_for() -> None:
    view = aidge_nb.sequential([aidge_nb.FC(2, 3, name="fc"), aidge_nb.ReLU()])
    view.get_node("fc_b").get_operator().attr.constant = True
    assert [node.name() for node in producers(view)] == ["fc_w"]
    assert [node.name() for node in producers(view, constant=True)] == ["fc_w", "fc_b"]


def test_all_are_marked() -> None:
    view = aidge_nb.sequential([aidge_nb.FC(2, 3, name="fc"), aidge_nb.ReLU()])
    assert set_producers_constant(view) == 2
    assert producers(view) == []
    assert set_producers_constant(view, constant=False) == 2
    assert len(producers(view)) == 2
