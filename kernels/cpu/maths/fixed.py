"""Fixed steps of functions of one number."""

from __future__ import annotations

from functools import partial

import numpy as np

from aidge_nb.kernels.cpu.common.erf import erf_of_block
from aidge_nb.kernels.cpu.common.fixed import in_blocks, is_plain
from aidge_nb.kernels.cpu.maths.forward import OF_FLOATS
from aidge_nb.kernels.fixed import Bound, Step, fixed
from aidge_nb.ops import maths


@fixed(*(spec for spec in OF_FLOATS if spec is not maths.ERF))
def of_float(bound: Bound) -> Step | None:
    """Apply one function."""
    return partial(OF_FLOATS[bound.spec], bound.input(), out=bound.out) if is_plain(bound) else None


@fixed(maths.ERF)
def erf(bound: Bound) -> Step | None:
    """Compute the error function of float32, block by block."""
    return in_blocks(bound, erf_of_block, 2) if bound.input().dtype == np.float32 else None
