"""Repeated blocks are found by names, and contracted only where edges still go down."""

from aidge_nb.widgets import build_scene
from aidge_nb.widgets.scene.groups import find_groups
from tests.widgets.models import LONG, residual, snapshot


def test_blocks_are_what_shares_numbered_words() -> None:
    parts = ("conv0", "bn0", "relu0")
    names = ["net_stem", *(f"net_block{n}_{part}" for n in range(12) for part in parts), "net_fc"]
    groups = find_groups(names, [(n, n + 1) for n in range(len(names) - 1)])
    assert [group.name for group in groups] == [f"block{n}" for n in range(12)]
    assert all(len(group.members) == 3 for group in groups)


def test_a_block_that_would_close_a_cycle_is_left_as_it_is() -> None:
    names = ["b0_a", "b0_b", "x", "b0_c", "b1_a", "b1_b", "b1_c", "b2_a", "b2_b", "b2_c"]
    groups = find_groups(names, [(n, n + 1) for n in range(9)])
    assert [group.name for group in groups] == ["b1", "b2"]


def test_long_and_odd_names_are_gone_through_once() -> None:
    names = ["long" * 2500, "a_" * 5000, "a1" * 5000, "1" * 10_000, "", "_", "1_a", LONG + "1_x"]
    assert find_groups(names, []) == ()


def test_one_block_is_no_repetition() -> None:
    assert find_groups(["b0_a", "b0_b", "b0_c", "x"], [(0, 1), (1, 2), (2, 3)]) == ()
    assert find_groups([], []) == ()


def test_the_drawing_has_a_box_for_each_block_and_edges_that_go_down() -> None:
    scene = build_scene(*residual(4))
    assert scene.blocks is not None
    assert scene.blocks.names == ("stem", "b0", "b1", "b2", "b3")
    assert scene.blocks.types[1] == "4 operators"
    layers = scene.blocks.drawing.layout.layers
    for edge in scene.blocks.drawing.edges:
        assert layers[edge.source] < layers[edge.target]
    assert [scene.blocks.names[box] for box in scene.blocks.member][:3] == ["stem", "b0", "b0"]


def test_without_repetition_there_are_no_blocks() -> None:
    assert build_scene(snapshot(["a", "b"], [(0, 1)])).blocks is None
