"""Every value goes to another process and back; what does not says what to send instead."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import pytest

from aidge_nb import hardware, static_schedule
from aidge_nb.core import errors
from aidge_nb.core.errors import GraphError, MissingExtraError, SchedulingError
from aidge_nb.core.limits import Limits
from aidge_nb.export import ExportedPackage, export
from aidge_nb.memory import Memory
from aidge_nb.report import study
from aidge_nb.runtime import PreparedRun
from aidge_nb.zoo import build
from tests.runtime.models import zoo_view

KINDS = [
    each
    for each in vars(errors).values()
    if isinstance(each, type) and issubclass(each, Exception) and each is not MissingExtraError
]


def again(value: Any) -> Any:
    return pickle.loads(pickle.dumps(value))


@pytest.mark.parametrize("kind", KINDS)
def test_errors_come_back_with_their_message(kind: type[Exception]) -> None:
    found = again(kind("relu1 (ReLU): a message"))
    assert (type(found), str(found)) == (kind, "relu1 (ReLU): a message")


def test_a_missing_extra_comes_back() -> None:
    """An error that cannot be read again breaks the whole pool of its worker."""
    given = MissingExtraError("onnx", "onnx")
    found = again(given)
    assert (str(found), found.package, found.extra) == (str(given), "onnx", "onnx")


def test_values_beside_the_saved_ones() -> None:
    report = study("zoo:lenet")
    assert again(report).to_dict() == report.to_dict()
    assert again(report.scene()).payload()[0] == report.scene().payload()[0]
    for value in (Memory("l1", 1024, 0), Limits()):
        assert again(value) == value
    assert again(build("lenet")).to_bytes() == build("lenet").to_bytes()
    snapshot = zoo_view("lenet").snapshot()
    assert repr(again(snapshot)) == repr(snapshot)


def test_a_sweep() -> None:
    target = hardware.target("quad_cluster")
    found = hardware.sweep(zoo_view("lenet"), target=target)
    assert repr(again(found)) == repr(found)


def test_an_exported_package(tmp_path: Path) -> None:
    package = export(zoo_view("lenet"), tmp_path / "made")
    twin = again(package)
    assert isinstance(twin, ExportedPackage)
    assert (twin.folder, twin.files, twin.plan) == (package.folder, package.files, package.plan)
    assert [node.name() for node in twin.made.order] == [n.name() for n in package.made.order]
    assert all(node in set(twin.made.view) for node in twin.made.order)
    ports = [[(port.node.name(), port.index) for port in each] for each in package.made.inputs]
    assert [[(p.node.name(), p.index) for p in each] for each in twin.made.inputs] == ports
    assert repr(static_schedule(twin.made.view)) == repr(static_schedule(package.made.view))


def test_what_is_not_pickled_says_what_is() -> None:
    view = zoo_view("lenet")
    with pytest.raises(GraphError, match=r"conv1 .*not pickled alone\. Pickle the graph"):
        pickle.dumps(view.get_node("conv1"))
    with pytest.raises(SchedulingError, match=r"PreparedRun.*: is not pickled\. Pickle its graph"):
        pickle.dumps(PreparedRun(view))
