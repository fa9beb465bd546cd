"""Whole networks: C gives the bits of the exact kernels, these stay near the fast ones."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import aidge_nb
from aidge_nb import zoo
from tests.kernels.c.machine import differing

Array = NDArray[Any]

SMALL: dict[str, dict[str, Any]] = {
    "mobilenet_v2": {"size": 64, "width": 0.35},
    "resnet18": {"size": 64},
    "resnet50": {"size": 64},
    "squeezenet": {"size": 64},
    "dinov2_like": {"depth": 2},
}
"""Options that make large networks quick to run; all others are built as they are."""


def run(model: Any, arrays: Sequence[Array], backend: str) -> list[Array]:
    """Run a network on a backend."""
    view = aidge_nb.load_onnx(model)
    view.set_backend(backend)
    data = [aidge_nb.Tensor(array) for array in arrays]
    found = aidge_nb.SequentialScheduler(view).forward(data=data)
    return [np.array(tensor.array) for tensor in found]


def compare(name: str, options: dict[str, Any]) -> None:
    """Run a network on all backends."""
    model = zoo.build(name, **options)
    generator = np.random.default_rng(0)
    arrays = [
        generator.standard_normal(
            [dim if isinstance(dim, int) else 1 for dim in value.dims or ()]
        ).astype(np.float32)
        for value in model.inputs
    ]
    exact, compiled, fast = (run(model, arrays, name) for name in ("exact", "c", "cpu"))
    for defined, found, near in zip(exact, compiled, fast, strict=True):
        assert differing(found, defined) == 0
        assert np.abs(defined - near).max() <= 1e-5 * np.abs(near).max()


TAKE_LONG = ("dinov2_like", "resnet18", "resnet50", "squeezenet")


@pytest.mark.usefixtures("no_fallback")
@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.slow) if name in TAKE_LONG else name
        for name in sorted(zoo.MODELS)
    ],
)
def test_networks(name: str) -> None:
    compare(name, SMALL.get(name, {}))


@pytest.mark.slow
@pytest.mark.usefixtures("no_fallback")
@pytest.mark.parametrize("name", sorted(SMALL))
def test_large_networks_as_they_are(name: str) -> None:
    compare(name, {})
