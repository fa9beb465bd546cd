"""Data formats made explicit: the numbers stay, in the order of axes that was asked for."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.core.errors import GraphError, ShapeError
from aidge_nb.graph import GraphView, Node, Port
from aidge_nb.recipes import RECIPES, explicit_transpose, fuse_transpose, set_data_format
from tests.recipes.graphs import fill, kinds, load, prepared, producer, results, tensor


def _conv(name: str = "conv") -> Node:
    return aidge_nb.PaddedConv2D(3, 3, [3, 3], name=name, padding_dims=[1] * 4)


def _output(node: Node) -> aidge_nb.Tensor:
    return node.get_operator().get_output(0)


def test_pictures_with_channels_last() -> None:
    layers = [_conv(), aidge_nb.ReLU(), aidge_nb.MaxPooling2D([2, 2])]
    view = prepared(aidge_nb.sequential(layers), [2, 3, 8, 6])
    (expected,) = results(view)
    start = next(iter(view)).get_operator().get_input(0)
    assert start is not None
    picture = np.ascontiguousarray(start.array.transpose(0, 2, 3, 1))
    photo = aidge_nb.Tensor(picture)
    photo.set_data_format("nhwc")
    next(iter(view)).get_operator().set_input(0, photo)
    assert explicit_transpose(view) == 1
    assert kinds(view) == ["Transpose", "PaddedConv2D", "ReLU", "MaxPooling2D"]
    view.set_backend("cpu")
    assert view.forward_dims([[2, 8, 6, 3]])
    (found,) = aidge_nb.SequentialScheduler(view).forward(data=[picture])
    np.testing.assert_array_equal(np.asarray(found), expected)


def test_values_with_channels_last_pass_elementwise_operators() -> None:
    layers = [_conv("a"), aidge_nb.ReLU(name="r"), aidge_nb.Tanh(name="t"), _conv("b")]
    view = prepared(aidge_nb.sequential(layers), [1, 3, 5, 7])
    (expected,) = results(view)
    set_data_format(view, "nhwc")
    assert explicit_transpose(view) == 3
    left = ["PaddedConv2D", "Transpose", "ReLU", "Tanh", "Transpose", "PaddedConv2D", "Transpose"]
    assert kinds(view) == left
    middle = _output(view.get_node("t"))
    assert (middle.dims, middle.dformat.name) == ([1, 5, 7, 3], "nhwc")
    (found,) = results(view)
    np.testing.assert_array_equal(found.transpose(0, 3, 1, 2), expected)
    assert middle.dims == (1, 5, 7, 3)
    assert explicit_transpose(view) == 0


def test_what_two_convolutions_pass_on_is_not_turned_twice() -> None:
    view = prepared(aidge_nb.sequential([_conv("a"), _conv("b")]), [1, 3, 5, 7])
    set_data_format(view, aidge_nb.dformat.nhwc)
    assert explicit_transpose(view) == 3
    assert fuse_transpose(view) == 1
    assert kinds(view) == ["PaddedConv2D", "PaddedConv2D", "Transpose"]


def test_one_turn_serves_all_that_read_a_value() -> None:
    start = aidge_nb.ReLU(name="start")
    view = aidge_nb.get_connected_graph_view(start)
    for name in ("a", "b"):
        view.add_child(_conv(name), start)
    prepared(view, [1, 3, 4, 5])
    set_data_format(view, "nhwc")
    explicit_transpose(view)
    # One behind the start, one before both convolutions, one behind each.
    assert kinds(view).count("Transpose") == 4


def test_channel_constants_need_channels_first() -> None:
    add = aidge_nb.Add(name="add")
    producer(tensor([3, 1, 1]), "bias").add_child(add, 0, 1)
    view = aidge_nb.sequential([aidge_nb.ReLU(), add])
    prepared(view, [1, 3, 4, 5])
    (expected,) = results(view)
    set_data_format(view, "nhwc")
    explicit_transpose(view)
    assert kinds(view) == ["ReLU", "Transpose", "Transpose", "Add", "Transpose"]
    np.testing.assert_array_equal(results(view)[0].transpose(0, 3, 1, 2), expected)


def test_memory_is_planned_in_rows_of_points() -> None:
    view = prepared(aidge_nb.sequential([_conv(), aidge_nb.ReLU(name="r")]), [1, 3, 4, 5])
    set_data_format(view, "nhwc")
    explicit_transpose(view)
    scheduler = aidge_nb.SequentialScheduler(view)
    scheduler.generate_scheduling()
    (plane,) = scheduler.generate_memory().get_planes(view.get_node("r"))
    assert (plane.size, plane.length, plane.count) == (3 * 4, 5, 4)


def test_other_ranks_and_channels_first_need_nothing() -> None:
    layers = [_conv(), aidge_nb.ReLU(name="r"), aidge_nb.Flatten(), aidge_nb.Tanh(name="t")]
    view = prepared(aidge_nb.sequential(layers), [1, 3, 4, 5])
    set_data_format(view, "nchw")
    assert explicit_transpose(view) == 0
    assert _output(view.get_node("r")).dformat is aidge_nb.dformat.nchw
    assert _output(view.get_node("t")).dformat is aidge_nb.dformat.default


@pytest.mark.parametrize("name", ["mobilenet_v2", "inception_like", "shufflenet_like"])
def test_numbers_stay_on_models(name: str) -> None:
    view = load(name)
    expected = results(view)
    set_data_format(view, "nhwc")
    assert explicit_transpose(view)
    for found, before in zip(results(view), expected, strict=True):
        np.testing.assert_array_equal(found, before)


def test_dimensions_have_to_be_known() -> None:
    view = fill(aidge_nb.sequential([_conv()]))
    with pytest.raises(GraphError, match=r"conv .*has no dimensions yet .*Call forward_dims\(\)"):
        set_data_format(view, "nhwc")


def test_a_format_may_be_asked_for_before_dimensions_are_known() -> None:
    view = fill(aidge_nb.sequential([_conv(), aidge_nb.ReLU()]))
    view.set_dataformat(aidge_nb.dformat.nhwc)
    before = list(view)
    with pytest.raises(GraphError, match=r"conv .*has no dimensions yet .*Call forward_dims\(\)"):
        explicit_transpose(view)
    assert list(view) == before
    prepared(view, [1, 3, 4, 5])
    (expected,) = results(view)  # asking alone changes nothing
    assert explicit_transpose(view) == 1
    assert kinds(view) == ["PaddedConv2D", "Transpose", "ReLU"]
    np.testing.assert_array_equal(results(view)[0].transpose(0, 3, 1, 2), expected)


def test_asking_may_be_taken_back() -> None:
    view = prepared(aidge_nb.sequential([_conv(), aidge_nb.ReLU()]), [1, 3, 4, 5])
    view.set_dataformat("nhwc")
    view.set_dataformat(aidge_nb.dformat.default)
    assert explicit_transpose(view) == 0


def test_no_such_format() -> None:
    with pytest.raises(ShapeError, match=r"data format: unknown name .*found 'nhcw'"):
        aidge_nb.sequential([_conv()]).set_dataformat("nhcw")


def test_it_is_not_done_unasked() -> None:
    assert not RECIPES["explicit_transpose"].safe


LAYERS = ("conv", "relu", "pool", "add", "scale", "norm", "join")


@given(
    chosen=st.lists(st.sampled_from(LAYERS), min_size=1, max_size=7),
    wished=st.lists(st.booleans(), min_size=8, max_size=8),
    extra=st.integers(0, 7),
)
def test_numbers_stay_on_random_graphs(chosen: list[str], wished: list[bool], extra: int) -> None:
    nodes = [aidge_nb.Tanh(name="start")]
    for number, kind in enumerate(chosen):
        node = _layer(kind, f"{kind}{number}")
        nodes[-1].add_child(node, 0, 0)
        if kind in ("add", "join"):
            nodes[len(nodes) // 2].add_child(node, 0, 1)
        nodes.append(node)
    view: GraphView = aidge_nb.get_connected_graph_view(nodes[0])
    ends = dict.fromkeys([nodes[extra % len(nodes)], nodes[-1]])
    view.set_ordered_outputs([Port(node, 0) for node in ends])
    prepared(view, [2, 3, 4, 6])
    expected = results(view)
    set_data_format(view, "nhwc")
    for node, wish in zip(nodes, wished, strict=False):
        if not wish:
            node.annotations.pop("wanted_format")
    explicit_transpose(view)
    formats = [_output(port.node).dformat.name for port in view.get_ordered_outputs()]
    found = results(view)
    for new, old, name in zip(found, expected, formats, strict=True):
        turned = new.transpose(0, 3, 1, 2) if name == "nhwc" else new
        np.testing.assert_array_equal(turned, old)
    assert view.forward_dims([[2, 3, 4, 6]])
    fuse_transpose(view)
    for new, old in zip(results(view), found, strict=True):
        np.testing.assert_array_equal(new, old)


def _layer(kind: str, name: str) -> Node:
    if kind == "scale":
        scale = aidge_nb.Mul(name=name)
        producer(np.array(2.0), f"{name}_by").add_child(scale, 0, 1)
        return scale
    if kind == "pool":
        return aidge_nb.PaddedMaxPooling2D([3, 3], name, padding_dims=[1] * 4)
    if kind == "norm":
        return aidge_nb.BatchNorm2D(3, name=name)
    if kind == "relu":
        return aidge_nb.ReLU(name=name)
    return _conv(name) if kind == "conv" else aidge_nb.Add(name=name)
