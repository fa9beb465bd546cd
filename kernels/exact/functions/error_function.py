"""The error function, operation by operation as in nb_erf.h."""

from __future__ import annotations

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.exact.functions.exponential import exp_of, polynomial
from aidge_nb.kernels.exact.functions.floats import F, blockwise, constants

_SMALL = constants(
    "-0x1.38742ep-11",
    "0x1.46d9e4p-8",
    "-0x1.b67c04p-6",
    "0x1.ce1986p-4",
    "-0x1.8126e2p-2",
    "0x1.06eba6p-3",
)
_LARGE = constants(
    "-0x1.9ae864p-13",
    "0x1.8ee16ep-9",
    "-0x1.6c2a90p-6",
    "0x1.a9b440p-4",
    "0x1.463cbep-1",
    "0x1.20af5ap+0",
    "0x1.9a5c4ep-13",
)


@blockwise
def erf(x: Array) -> Array:
    """Return the error function."""
    magnitude = np.abs(x)
    small = polynomial(x * x, _SMALL) * x + x
    t = np.where(magnitude > F(4), F(4), magnitude)
    large = F(1) - exp_of(-polynomial(t, _LARGE))
    return np.copysign(np.where(magnitude < F(0.921875), small, large), x)
