"""Attributes: a namespace and a mapping in one."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from aidge_nb.core.errors import GraphError
from aidge_nb.graph import REQUIRED, Attributes


def test_three_ways_to_read_and_write() -> None:
    attr = Attributes({"axis": 1, "mode": "max"})
    attr.axis = 2
    assert (attr.axis, attr["axis"], attr.get_attr("axis")) == (2, 2, 2)
    attr["axis"] = 3
    attr.set_attr("mode", "mean")
    assert attr.dict() == {"axis": 3, "mode": "mean"}
    assert dict(**attr) == attr.dict()
    assert len(attr) == 2
    assert "axis" in attr
    assert attr.has_attr("mode")
    assert not attr.has_attr("none")


def test_dict_is_a_copy() -> None:
    given = {"axis": 1}
    attr = Attributes(given)
    attr.dict()["axis"] = 5
    given["axis"] = 6
    assert attr.axis == 1


@pytest.mark.parametrize(
    "use",
    [
        lambda attr: attr.axes,
        lambda attr: attr.get_attr("axes"),
        lambda attr: setattr(attr, "axes", 1),
        lambda attr: attr.__setitem__("axes", 1),
        lambda attr: attr.set_attr("axes", 1),
        lambda attr: attr.update(axes=1),
        lambda attr: attr.setdefault("axes", 1),
    ],
    ids=["read", "get", "write", "item", "set", "update", "default"],
)
def test_a_misspelt_name_is_an_error(use: Callable[[Attributes], Any]) -> None:
    attr = Attributes({"axis": 1, "mode": ""})
    with pytest.raises(GraphError) as refusal:
        use(attr)
    message = "attribute: no such name (expected ['axis', 'mode'], found axes)"
    assert str(refusal.value) == message


def test_reading_an_unknown_key_is_a_key_error() -> None:
    attr = Attributes({"axis": 1})
    with pytest.raises(KeyError):
        _ = attr["axes"]
    assert attr.get("axes", 4) == 4


def test_add_and_delete() -> None:
    attr = Attributes({})
    attr.add_attr("axis", 1)
    assert attr.axis == 1
    del attr["axis"]
    assert "axis" not in attr


def test_can_be_copied_and_pickled() -> None:
    attr = Attributes({"axis": [1]})
    twin = copy.deepcopy(attr)
    twin.axis.append(2)
    assert attr.axis == [1]
    assert pickle.loads(pickle.dumps(attr)).dict() == {"axis": [1]}


def test_text() -> None:
    assert repr(Attributes({"axis": 1})) == "Attributes({'axis': 1})"
    assert repr(REQUIRED) == "REQUIRED"


def test_unknown_names_are_as_python_expects() -> None:
    """So that hasattr, copying and the displays of notebooks, which probe for methods, work."""
    attributes = Attributes({"axis": 1})
    assert hasattr(attributes, "axis")
    assert not hasattr(attributes, "_repr_html_")
    assert "axis" in dir(attributes)
    assert copy.deepcopy(attributes) == attributes
