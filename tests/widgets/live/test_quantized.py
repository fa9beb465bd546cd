"""The view of a quantized network in Python: linked panels, and a picture where it cannot run."""

from __future__ import annotations

from typing import Any
from xml.etree import ElementTree as ET

import pytest

from aidge_nb import course
from aidge_nb.core.errors import AidgeError
from aidge_nb.quantization import quantize
from aidge_nb.widgets import QuantizedExplorer, explore_quantized
from tests.quantization.test_post_training import network, samples


@pytest.fixture
def explorer() -> QuantizedExplorer:
    return explore_quantized(quantize(network(), samples(4), weight_bits=4))


def test_a_switch_plans_again(explorer: QuantizedExplorer) -> None:
    board, bench = explorer.board, explorer.bench
    (before, now), sqnr = board._facts["peak"], board._facts["sqnr"]
    assert before == 4 * now
    board.floats = ["c1", "c2", "fc"]
    assert board._facts["peak"] == [before, before]
    assert board._facts["sqnr"] is None
    assert board._facts["macs"][1] == 0
    assert "in float" in board.to_svg()
    assert {node.type for node in bench.scene.nodes} >= {"FC"}
    board.floats = []
    assert (board._facts["peak"][1], board._facts["sqnr"]) == (now, sqnr)


def test_a_layer_goes_to_16_bits_and_from_there_to_float(explorer: QuantizedExplorer) -> None:
    board = explorer.board
    (_, before), sqnr = board._facts["peak"], board._facts["sqnr"]
    board.wides = ["c1"]
    places = {row["name"]: row["on"] for row in board._facts["rows"]}
    assert (places["c1"], places["c2"]) == (1, 0)
    assert board._facts["kinds"] == ["int8", "int16", "float"]
    assert before < board._facts["peak"][1] <= 2 * before
    assert board._facts["sqnr"] != sqnr
    assert ">int16</text>" in board.to_svg()
    assert explorer.bench.scene is board.scene
    # Both names change in one message of the front-end.
    board.set_state({"wides": [], "floats": ["c1"]})
    assert (board.network.wides, board.network.floats) == ((), ("c1",))
    board.set_state({"wides": [], "floats": []})
    assert (board._facts["peak"][1], board._facts["sqnr"]) == (before, sqnr)


def test_a_view_begins_with_the_types_of_the_network() -> None:
    mixed = quantize(network(), samples(4)).with_floats(["c2"], ["c1"])
    rows = explore_quantized(mixed).board._facts["rows"]
    assert [row["on"] for row in rows] == [None, 1, 2, 0]


def test_a_layer_is_chosen_in_all_panels(explorer: QuantizedExplorer) -> None:
    explorer.board.selected = "c2"
    assert explorer.bench.selected == "c2"
    explorer.bench.selected = "p1"
    assert explorer.board.selected == "c1"


def test_a_prediction_covers_the_board_too(explorer: QuantizedExplorer) -> None:
    asked = course.predict(course.number("How many dB?", lambda: 20, "dB"), explorer)
    assert explorer.board.layout.visibility == "hidden"
    asked.check(3)
    assert explorer.board.layout.visibility is explorer.board.layout.height is None


def test_the_picture_says_what_the_board_says(explorer: QuantizedExplorer) -> None:
    svg = explorer.board.to_svg()
    ET.fromstring(svg)
    row = next(each for each in explorer.board._facts["rows"] if each["name"] == "fc")
    assert all(f"+{size:,}" in svg for size in row["more"])
    assert f"{row['alone']:.1f}" in svg
    assert explorer.board.to_png().startswith(b"\x89PNG")
    forms, _ = explorer._repr_mimebundle_()
    assert {"image/png", "text/plain"} <= set(forms)


def test_only_a_quantized_network_is_shown() -> None:
    other: Any = network()
    with pytest.raises(AidgeError, match="only a quantized network can be shown"):
        explore_quantized(other)
