"""What is written of a long name tells it from the others of its block, and is not long."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from aidge_nb.widgets.scene.labels.blocks import label_nodes
from aidge_nb.widgets.scene.labels.leaves import leaves_of
from aidge_nb.widgets.scene.labels.names import Names
from tests.widgets.models import LONG


def written(names: Sequence[str], block: Sequence[int] = ()) -> tuple[list[str], list[str]]:
    """Return the leaves and their parts."""
    count = len(names)
    leaf, part = leaves_of(names, "", "", [""] * count, block or [-1] * count)
    return tuple(
        [n[slice(*of)] for n, of in zip(names, each, strict=True)] for each in (leaf, part)
    )  # type: ignore[return-value]


def test_a_path_is_written_by_its_shortest_end_that_no_other_has() -> None:
    names = ["m/conv_1/Relu", "m/conv_2/Relu", "m/pool/AvgPool", "m/flatten/Reshape", "m/dense"]
    leaves, parts = written(names)
    assert leaves == ["conv_1/Relu", "conv_2/Relu", "AvgPool", "Reshape", "dense"]
    assert parts == ["conv_1", "conv_2", "AvgPool", "Reshape", "dense"]


def test_of_several_paths_the_first_is_written_unless_another_begins_with_it() -> None:
    names = ["m/a/Relu;m/a/BiasAdd", "m/b/Relu;m/b/BiasAdd", "m/b/Relu;m/c/BiasAdd"]
    leaves, _ = written(names)
    assert leaves[0] == "Relu"
    assert leaves[1] != leaves[2]
    assert "b/BiasAdd" in leaves[1]


def test_ends_are_those_of_no_other_name_of_the_block() -> None:
    names = ["m/a/Relu", "m/a/Conv2D", "m/b/Relu", "m/b/Conv2D"]
    assert written(names)[0] == ["a/Relu", "a/Conv2D", "b/Relu", "b/Conv2D"]
    assert written(names, [0, 0, 1, 1])[0] == ["Relu", "Conv2D"] * 2


def test_last_words_stand_for_a_long_name_if_they_are_of_no_other() -> None:
    names = ["FusedBatchNormV3", "downsample_convolution", "convolution1", "1234567_1234567"]
    numbered = ["separable_conv2d_7", "separable_conv2d_8", "depthwise_conv2d_8"]
    assert written(numbered)[1] == ["conv2d_7", *numbered[1:]], "8 is that of two"
    assert written(names)[1] == ["NormV3", "downsample_convolution", "convolution1", names[-1]]


@pytest.mark.parametrize("block", [[], [0, 0, 1, 1, 0, 1, 0, 1, 0, 1, 0, 1]])
def test_odd_names_keep_what_tells_them_apart(block: list[int]) -> None:
    names = [
        "",
        "/",
        "//",
        ";",
        ";;/",
        "a/",
        "/a",
        "same/x",
        "same/x",
        "a/" * 5000,
        LONG,
        "x;" * 5000,
    ]
    leaves, parts = written(names, block)
    for name, leaf, part in zip(names, leaves, parts, strict=True):
        assert leaf in name
        assert part in leaf
        assert bool(part) == bool(name)
    assert leaves[7] == leaves[8], "equal names have equal leaves"


def test_every_name_of_a_network_of_paths_has_a_text_that_is_its_own() -> None:
    names = [
        f"net/block/layer_{n}/separable_conv2d_{n}/depthwise;net/layer_{n}/x" for n in range(30)
    ]
    known = Names(names, label_nodes(names, ["Conv2D"] * 30))
    for room in (56, 66, 90, 200):
        texts = [known.fit(name, room, 11, in_block=True) for name in names]
        assert len(set(texts)) == 30, room
