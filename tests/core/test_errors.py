"""Messages stay short on graphs of any size."""

from __future__ import annotations

import re

import pytest

import aidge_nb
from aidge_nb.core.errors import OnnxError, SchedulingError, listed
from aidge_nb.core.log import logger
from aidge_nb.onnx_io.read.check import unique_name
from aidge_nb.report import study


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


EVIL = "a\x1b[31m\x07\u202eb"


def test_messages_of_errors_are_printable() -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU(name=EVIL)], name=EVIL)
    with pytest.raises(aidge_nb.AidgeError, match=r"a\\x1b\[31m\\x07\\u202eb \(ReLU\)") as caught:
        aidge_nb.SequentialScheduler(view).forward(data=[[1.0]])
    assert str(caught.value).isprintable()
    assert repr(view.get_node(EVIL)) == r"Node(a\x1b[31m\x07\u202eb, ReLU)"
    assert repr(view).isprintable()
    assert str(SchedulingError("two\nlines\x9b")) == "two\nlines\\x9b"


def test_notes_and_warnings_are_printable(caplog: pytest.LogCaptureFixture) -> None:
    with caplog.at_level("INFO", logger="aidge_nb"):
        logger.info("folded %s", EVIL)
    assert caplog.messages == [r"folded a\x1b[31m\x07\u202eb"]
    onnx = pytest.importorskip("onnx")
    nodes = [onnx.helper.make_node("Relu", ["x"], [f"y{n}"], name=EVIL) for n in range(2)]
    values = [onnx.helper.make_tensor_value_info(name, 1, [1]) for name in ("x", "y0", "y1")]
    graph = onnx.helper.make_graph(nodes, "g", values[:1], values[1:])
    with pytest.warns(UserWarning, match=r"renamed a\\x1b") as caught:
        aidge_nb.load_onnx(onnx.helper.make_model(graph, ir_version=8))
    assert str(caught[0].message).isprintable()


def test_a_dozen_of_many_unread_inputs_is_named(caplog: pytest.LogCaptureFixture) -> None:
    onnx = pytest.importorskip("onnx")
    names = ["x", *(f"u{n}" for n in range(40))]
    values = [onnx.helper.make_tensor_value_info(name, 1, ["A", "B"]) for name in names]
    made = onnx.helper.make_tensor_value_info("y", 1, None)
    node = onnx.helper.make_node("Relu", ["x"], ["y"])
    model = onnx.helper.make_model(onnx.helper.make_graph([node], "g", values, [made]))
    model.ir_version = 8
    aidge_nb.load_onnx(model)
    (message,) = caplog.messages
    assert re.search(r"no output depends on input u0, .*u11 and 28 more$", message)
    report = study(model.SerializeToString(), open_dims=True)
    (note,) = [each for each in report.notes if "without dimensions" in each]
    assert note.count("input u") <= 12
    assert "and 36 more" in note
