"""Blocks are found by names, or by types that repeat, where edges go down; names get short."""

import pytest

from aidge_nb import zoo
from aidge_nb.widgets import build_scene
from aidge_nb.widgets.scene.labels import blocks
from aidge_nb.widgets.scene.labels.blocks import NodeLabels, label_nodes
from aidge_nb.widgets.scene.labels.names import Names, fitting
from tests.widgets.models import LONG, residual, snapshot


def titles(labels: NodeLabels) -> list[tuple[str, str, int]]:
    return [(block.label, block.kind, len(block.members)) for block in labels.blocks]


def chain(count: int) -> list[tuple[int, int]]:
    return [(node, node + 1) for node in range(count - 1)]


def test_blocks_are_what_shares_numbered_words() -> None:
    parts = ("conv0", "bn0", "relu0")
    names = ["net_stem", *(f"net_block{n}_{part}_fwd" for n in range(12) for part in parts)]
    names += ["net_fc_fwd"]
    labels = label_nodes(names, ["ReLU"] * len(names), chain(len(names)))
    wanted = [(str(number), "block", 3) for number in range(12)]
    assert titles(labels) == [("stem", "", 1), *wanted, ("head", "", 1)]
    assert (labels.prefix, labels.suffix) == ("net_", "_fwd")
    leaves = [name[slice(*leaf)] for name, leaf in zip(names, labels.leaf, strict=True)]
    assert leaves == ["stem", *(list(parts) * 12), "fc"]


def test_types_are_looked_at_only_where_names_say_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[int] = []

    def by_type(types: list[str]) -> dict[str, tuple[str, list[int]]]:
        asked.append(len(types))
        return {}

    monkeypatch.setattr(blocks, "_by_type", by_type)
    label_nodes([f"block{n}_{part}" for n in range(4) for part in "abc"], ["ReLU"] * 12)
    assert asked == []
    label_nodes([f"op{n}" for n in range(12)], ["FC", "ReLU", "Add"] * 4)
    assert asked == [12]


@pytest.mark.parametrize(
    ("model", "count", "first", "stem"),
    [
        ("mobilenet_v2", 19, ("0", "linearbottleneck", 8), ("stem", "", 3)),
        ("resnet50", 18, ("1.0", "layer", 12), ("stem", "", 4)),
        ("squeezenet", 10, ("2", "fire", 7), ("stem", "", 3)),
        ("dinov2_like", 14, ("0", "layer", 50), ("stem", "", 5)),
        ("inception_like", 4, ("0", "cell", 14), ("stem", "", 2)),
    ],
)
def test_real_networks_are_seen_in_blocks(
    model: str, count: int, first: tuple[str, str, int], stem: tuple[str, str, int]
) -> None:
    graph = zoo.load(model).snapshot()
    names = [node.name for node in graph.nodes]
    down = [(edge.source, edge.target) for edge in graph.edges if not edge.back]
    labels = label_nodes(names, [node.type for node in graph.nodes], down)
    found = titles(labels)
    assert len(found) == count
    assert found[:2] == [stem, first]
    assert sum(members for *_, members in found) > 0.9 * len(names)


def test_a_block_that_would_close_a_cycle_is_left_as_it_is() -> None:
    names = ["b0_a", "b0_b", "x", "b0_c", "b1_a", "b1_b", "b1_c", "b2_a", "b2_b", "b2_c"]
    labels = label_nodes(names, [str(n) for n in range(10)], chain(10))
    assert titles(labels) == [("1", "b", 3), ("2", "b", 3)]
    assert labels.block[:3] == (-1, -1, -1)
    assert labels.leaf[0] == (0, 4), "the name says the block where nothing else does"


def test_types_that_repeat_are_blocks_where_names_say_nothing() -> None:
    types = ["Input", *(["Conv2D", "BatchNorm2D", "ReLU"] * 6), "FC"]
    labels = label_nodes([f"n{n}" for n in range(20)], types, chain(20))
    wanted = [(str(number), "repeat", 3) for number in range(6)]
    assert titles(labels) == [("stem", "", 1), *wanted, ("head", "", 1)]


def test_one_type_again_and_again_is_no_block() -> None:
    assert label_nodes([f"n{n}" for n in range(20)], ["ReLU"] * 20, chain(20)).blocks == ()


def test_blocks_of_several_kinds_say_which() -> None:
    names = [f"{side}coder{n}_{part}" for side in ("en", "de") for n in (0, 1) for part in "abc"]
    labels = label_nodes(names, ["Add"] * 12)
    assert [label for label, *_ in titles(labels)][:3] == ["encoder 0", "encoder 1", "decoder 0"]


def test_long_and_odd_names_are_gone_through_once() -> None:
    names = ["long" * 2500, "a_" * 5000, "a1" * 5000, "1" * 10_000, "", "_", "1_a", LONG + "1_x"]
    labels = label_nodes(names, list("abcdefgh"))
    assert labels.blocks == ()
    known = Names(names, labels)
    assert all(len(known.fit(name, 100)) <= 40 for name in names)
    assert label_nodes([], []).leaf == ()


def test_one_block_is_no_repetition() -> None:
    assert label_nodes(["b0_a", "b0_b", "b0_c", "x"], list("abcd"), chain(4)).blocks == ()


def test_what_would_leave_numbers_alone_is_kept() -> None:
    labels = label_nodes([f"layer_{number}" for number in range(20)], ["ReLU"] * 20)
    assert (labels.prefix, labels.suffix) == ("", "")


def test_no_name_loses_all_it_has() -> None:
    names = ["net_", "net_a", "net_b", "net_c_fwd", "_fwd"]
    labels = label_nodes(names, ["Add"] * 5)
    assert all(stop > start for start, stop in labels.leaf)


def test_the_longest_way_that_has_room_is_written() -> None:
    ways = ["1 · 3x3_reduce_relu", "3x3_reduce_relu"]
    widths = (19, 18, 14, 5)
    found = [fitting(ways, width, len) for width in widths]
    assert found == ["1 · 3x3_reduce_relu", "3x3_reduce_relu", "3x3_red_relu", ""]


def test_the_drawing_has_a_box_for_each_block_and_edges_that_go_down() -> None:
    scene = build_scene(*residual(4))
    assert scene.blocks is not None
    assert scene.blocks.names[:3] == ("stem", "b 0", "b 1")
    assert scene.blocks.types[1] == "4 operators"
    layers = scene.blocks.drawing.layout.layers
    for edge in scene.blocks.drawing.edges:
        assert layers[edge.source] < layers[edge.target]
    names = [scene.blocks.names[box] for box in scene.blocks.member]
    assert names[:3] == ["stem", "b 0", "b 0"]


def test_without_repetition_there_are_no_blocks() -> None:
    assert build_scene(snapshot(["a", "b"], [(0, 1)])).blocks is None


def test_many_repeats_of_few_types_make_a_bounded_number_of_blocks() -> None:
    names = [f"n{'ab'[at % 2] * (at // 2 + 1)}" for at in range(1000)]
    labels = label_nodes(names, ["Conv2D", "ReLU", "Add", "FC"] * 250)
    assert 2 <= len([block for block in labels.blocks if block.kind]) <= 40
    covered = sorted(node for block in labels.blocks for node in block.members)
    assert covered == list(range(1000))


def forks(count: int, tail: int = 1) -> tuple[int, list[tuple[int, int]]]:
    """Make a stem of 2 nodes, blocks of 3 nodes beside a skip and a join, and a head of 2."""
    edges = [(0, 1)]
    node = 1
    for number in range(count):
        begin = node
        # No two blocks in a row have one length, so that no sequence of types repeats.
        node += 4 + number % 3
        edges += [(at, at + 1) for at in range(begin, node)]
        edges.append((begin, node))
        edges += [(node + at, node + at + 1) for at in range(tail)]
        node += tail
    edges += [(node, node + 1), (node + 1, node + 2)]
    return node + 3, edges


@pytest.mark.parametrize("tail", [0, 1, 2])
@pytest.mark.parametrize("count", [12, 100])
def test_what_forks_between_two_values_is_a_block_where_names_say_nothing(
    count: int, tail: int
) -> None:
    nodes, edges = forks(count, tail)
    found = label_nodes([f"n{at}" for at in range(nodes)], ["Conv2D"] * nodes, edges).blocks
    stem, *parts, head = found
    assert (stem.members, len(head.members)) == ((0, 1), 2)
    assert {part.kind for part in parts} == {"part"}
    assert len(parts) == (12 if count == 12 else 34), "three a block, where there are many"
    members = [node for block in found for node in block.members]
    assert members == list(range(nodes))


def test_nothing_is_cut_where_a_value_is_kept_for_the_end() -> None:
    nodes, edges = forks(20)
    names, types = [f"n{at}" for at in range(nodes)], ["Conv2D"] * nodes
    assert label_nodes(names, types, [*edges, (0, nodes - 1)]).blocks == ()
    assert label_nodes(names, types, [(at, at + 1) for at in range(nodes - 1)]).blocks == ()
    few, edges = forks(6)
    assert label_nodes([f"n{at}" for at in range(few)], ["Conv2D"] * few, edges).blocks == ()
