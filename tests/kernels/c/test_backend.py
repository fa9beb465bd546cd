"""The backends ``exact`` and ``c``: how they are chosen, and what happens without a kernel."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import aidge_nb
from aidge_nb.core.errors import ExportError, MissingKernelError
from aidge_nb.kernels.c import compiling
from aidge_nb.runtime.backends import c as compiled
from tests.kernels.c.machine import differing

Array = NDArray[Any]


def forward(view: aidge_nb.GraphView, *arrays: Array) -> list[Array]:
    """Run a graph once."""
    data = [aidge_nb.Tensor(array) for array in arrays]
    return [np.array(t.array) for t in aidge_nb.SequentialScheduler(view).forward(data=data)]


def test_both_are_registered() -> None:
    from aidge_nb.graph.backend import available_backends

    assert {"c", "cpu", "exact"} <= set(available_backends())


@pytest.mark.parametrize("backend", ["exact", "c"])
def test_an_operator_without_any_kernel_is_named(backend: str) -> None:
    view = aidge_nb.sequential([aidge_nb.GenericOperator("Odd", 1, 0, 1, name="odd")])
    view.set_backend(backend)
    impl = view.get_node("odd").get_operator().get_impl()
    assert impl is not None
    with pytest.raises(MissingKernelError, match="odd"):
        impl.run([np.ones(2, np.float32)])


def test_what_c_cannot_do_runs_in_numpy_and_is_logged_once(
    caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(compiled, "_told", set())
    view = aidge_nb.sequential([aidge_nb.Exp(name="exp")])
    view.set_backend("c")
    with caplog.at_level(logging.INFO, "aidge_nb"):
        for _ in range(2):
            (found,) = forward(view, np.array([1.0, 2.0]))
    np.testing.assert_allclose(found, np.exp([1.0, 2.0]))
    told = [record.message for record in caplog.records if "runs in NumPy" in record.message]
    assert len(told) == 1
    assert "Exp" in told[0]


def test_changed_weights_are_seen() -> None:
    view = aidge_nb.sequential([aidge_nb.Conv2D(3, 40, [3, 3], name="conv")])
    x = np.random.default_rng(0).standard_normal((1, 3, 9, 9)).astype(np.float32)
    weight = view.get_node("conv").get_parent(1)
    assert weight is not None
    for factor in (1, 2):
        values = np.full((40, 3, 3, 3), factor, np.float32)
        weight.get_operator().set_output(0, aidge_nb.Tensor(values))
        bias = view.get_node("conv").get_parent(2)
        assert bias is not None
        bias.get_operator().set_output(0, aidge_nb.Tensor(np.zeros(40, np.float32)))
        results = []
        for backend in ("c", "exact"):
            view.set_backend(backend)
            results += forward(view, x)
        assert differing(*results) == 0


def test_weights_changed_in_place_are_seen() -> None:
    view = aidge_nb.sequential([aidge_nb.FC(4, 3, no_bias=True, name="fc")])
    weight = view.get_node("fc").get_parent(1)
    assert weight is not None
    weight.get_operator().set_output(0, aidge_nb.Tensor(np.ones((3, 4), np.float32)))
    view.set_backend("c")
    x = np.ones((1, 4), np.float32)
    assert forward(view, x)[0].tolist() == [[4, 4, 4]]
    weight.get_operator().get_output(0).array[...] = 2
    assert forward(view, x)[0].tolist() == [[8, 8, 8]]


def test_other_dims_are_taken() -> None:
    view = aidge_nb.sequential([aidge_nb.Softmax(axis=-1)])
    view.set_backend("c")
    for dims in ((2, 3), (5, 7), (1, 1)):
        found = forward(view, np.ones(dims, np.float32))[0]
        np.testing.assert_allclose(found, np.full(dims, 1 / dims[1]), rtol=1e-6)


def test_runs_in_a_planned_arena() -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    view.set_backend("c")
    view.forward_dims([[2, 3]])
    x = np.random.default_rng(0).standard_normal((2, 3)).astype(np.float32)
    plan = aidge_nb.plan_memory(view, view.topological_order())
    run = aidge_nb.run_in_arena(view, plan, [x])
    view.set_backend("exact")
    assert differing(run.outputs[0], forward(view, x)[0]) == 0
    assert run.scratch == 0  # both kernels wrote to their places in the arena


def test_without_a_compiler_the_cure_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("shutil.which", lambda name: None)
    view = aidge_nb.sequential([aidge_nb.ReLU()])
    with pytest.raises(ExportError, match=r"C compiler: none is installed.*sudo apt install gcc"):
        view.set_backend("c")


def test_libraries_are_compiled_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AIDGE_NB_CACHE", str(tmp_path))
    compiling._load.cache_clear()
    compiling.library_of("nb_unary")
    (made,) = tmp_path.iterdir()
    before = made.stat().st_mtime_ns
    compiling._load.cache_clear()
    compiling.library_of("nb_unary")
    assert [path.stat().st_mtime_ns for path in tmp_path.iterdir()] == [before]
    compiling.library_of("nb_unary", ("-O0",))
    assert len(list(tmp_path.iterdir())) == 2
    compiling._load.cache_clear()
