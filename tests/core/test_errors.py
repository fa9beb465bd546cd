"""Messages stay short on graphs of any size."""

from __future__ import annotations

import re

import pytest

import aidge_nb
from aidge_nb.core.errors import OnnxError, SchedulingError, listed
from aidge_nb.onnx_io.read.check import unique_name


class CountingSet(set[str]):
    """A set that counts how often it is asked for a member."""

    asked = 0

    def __contains__(self, name: object) -> bool:
        self.asked += 1
        return super().__contains__(name)


def test_a_dozen_names_are_listed_and_the_others_counted() -> None:
    names = [f"n{number}" for number in range(13)]
    assert listed(names[:12]) == ", ".join(names[:12])
    assert listed(names, " -> ") == " -> ".join(names[:12]) + " and 1 more"


def ring(count: int) -> aidge_nb.GraphView:
    nodes = [aidge_nb.ReLU(name=f"r{number}") for number in range(count)]
    for one, other in zip(nodes, [*nodes[1:], nodes[0]], strict=True):
        one.add_child(other)
    view = aidge_nb.GraphView("ring")
    view.add(nodes, True)
    return view


def test_the_message_about_a_large_cycle_names_a_dozen_nodes() -> None:
    with pytest.raises(SchedulingError, match="cycle without initial data") as caught:
        aidge_nb.static_schedule(ring(60))
    message = str(caught.value)
    assert len(set(re.findall(r"r\d+", message))) <= 14  # those of the way, and what they lack
    assert "and 49 more" in message  # of 61: the first is named again at the end


@pytest.mark.parametrize("count", [50, 400])
def test_equal_names_are_numbered_in_few_steps(count: int) -> None:
    taken = CountingSet()
    names = [unique_name("x", taken) for _ in range(count)]
    assert names == ["x", *(f"x_{number}" for number in range(1, count))]
    assert taken.asked < 2 * count * (count.bit_length() + 1)


def test_onnx_cycles_are_named_in_short() -> None:
    onnx = pytest.importorskip("onnx")
    nodes = [
        onnx.helper.make_node("Relu", [f"t{(i - 1) % 40}"], [f"t{i}"], name=f"n{i}")
        for i in range(40)
    ]
    value = onnx.helper.make_tensor_value_info("t0", 1, [1])
    graph = onnx.helper.make_graph(nodes, "ring", [], [value])
    with pytest.raises(OnnxError, match="has a cycle") as caught:
        aidge_nb.load_onnx(onnx.helper.make_model(graph))
    assert "and 29 more" in str(caught.value)
