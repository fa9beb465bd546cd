"""The board of blocks, as Python sees it."""

import pytest

from aidge_nb.course import PlaceBlocks
from aidge_nb.widgets.live.blocks import BlockBoard
from aidge_nb.widgets.shared import COLOURS

EXERCISE = PlaceBlocks({"a": (0, 2, 4), "b": (1, 3, 4), "c": (2, 4, 2)})


def test_blocks_begin_one_above_the_other() -> None:
    board = EXERCISE.widget()
    assert board.offsets == {"a": 0, "b": 4, "c": 8}
    assert not board.check().correct
    board.offsets = {"a": 0, "b": 4, "c": 0}
    assert board.check().correct


def test_offsets_can_be_given() -> None:
    assert BlockBoard(EXERCISE, offsets={"c": 1}).offsets == {"a": 0, "b": 4, "c": 1}


def test_the_least_peak_need_not_be_told() -> None:
    board = EXERCISE.widget(tells_best=False)
    assert "Peak 10 bytes.<" in board.to_svg()
    assert COLOURS["light"]["good"] not in board.to_svg()  # no line at the least peak
    board.offsets = {"a": 0, "b": 4, "c": 0}
    assert "Peak 8 bytes.<" in board.to_svg()
    assert board.check().correct


def test_an_unknown_keyword_is_refused() -> None:
    with pytest.raises(TypeError, match="colour"):
        BlockBoard(EXERCISE, colour="red")  # type: ignore[call-arg]


def test_repr_is_short() -> None:
    assert repr(BlockBoard(EXERCISE)) == "BlockBoard(3 blocks)"


def test_a_picture_stands_where_the_board_cannot() -> None:
    bundle, _ = PlaceBlocks({"<a>": (0, 2, 4)}).widget()._repr_mimebundle_()
    assert "&lt;a&gt; (4)" in bundle["image/svg+xml"]
    assert set(bundle) >= {"image/svg+xml", "image/png"}


def test_the_picture_says_what_the_board_says() -> None:
    board = EXERCISE.widget()
    assert "Peak 10 bytes; 8 are possible. Score 80 %." in board.to_svg()
    board.offsets = {"a": 0, "b": 2, "c": 0}
    assert "a, b overlap." in board.to_svg()
    assert COLOURS["light"]["warn"] in board.to_svg()
    board.offsets = {"a": 0, "b": 4, "c": 0}
    assert 'aria-label="Blocks of memory on a board. Peak 8 bytes: it cannot' in board.to_svg()
    assert board.to_png(width=900)[16:20] == (900).to_bytes(4, "big")
    assert ">b (4)</text>" in board.to_svg()
