"""Gradients of samples between elements, by finite differences."""

from __future__ import annotations

import numpy as np
import pytest

from tests.kernels.standard_gradient import check, normal

IMAGE = normal(2, 3, 7, 6)


@pytest.mark.parametrize("align", [0, 1])
@pytest.mark.parametrize("padding", ["zeros", "border", "reflection"])
@pytest.mark.parametrize("mode", ["linear", "nearest", "cubic"])
def test_grids(mode: str, padding: str, align: int) -> None:
    """Many of the places lie outside the image, some more than its size away."""
    attributes = {"mode": mode, "padding_mode": padding, "align_corners": align}
    rng = np.random.default_rng(3)
    check("GridSample", [IMAGE[:, :2], rng.uniform(-3.5, 3.5, (2, 4, 5, 2))], 1, **attributes)
    check("GridSample", [normal(1, 2, 1, 3), rng.uniform(-1, 1, (1, 2, 2, 2))], 1, **attributes)
    if mode != "cubic":
        volume = normal(1, 2, 3, 4, 2)
        check("GridSample", [volume, rng.uniform(-1, 1, (1, 2, 1, 3, 3))], 1, **attributes)


def test_nothing_goes_back_to_no_places() -> None:
    check("GridSample", [normal(2, 3, 4, 5), normal(2, 0, 3, 2)], 1)
