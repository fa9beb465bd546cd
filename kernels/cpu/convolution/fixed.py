"""Fixed steps of convolutions: panels are planned once."""

from __future__ import annotations

from functools import partial

import numpy as np

from aidge_nb.kernels.cpu.common.arrays import Array, accumulator
from aidge_nb.kernels.cpu.convolution.columns import ConvWindow
from aidge_nb.kernels.cpu.convolution.forward import Panel, plan_panels
from aidge_nb.kernels.fixed import Bound, Step, fixed
from aidge_nb.ops.convolution import CONVS, DEPTHWISE_CONVS
from aidge_nb.ops.place import PLACE


@fixed(*CONVS, *DEPTHWISE_CONVS)
def conv(bound: Bound) -> Step | None:
    """Convolve; padding is added while columns are gathered."""
    x, weight, attrs, out = bound.input(), bound.input(1), bound.attrs, bound.out
    if any(a.dtype != accumulator(x.dtype) or not a.flags.c_contiguous for a in (x, weight, out)):
        return None
    sliding = ConvWindow.of(
        x.shape[2:],
        weight.shape[2:],
        attrs["stride_dims"],
        attrs["dilation_dims"],
        attrs.get("pads", ()),
    )
    group = int(attrs["group"]) if "group" in attrs else x.shape[1]
    panels = plan_panels(x, weight, out, sliding, group, bound.workspace, attrs.get(PLACE))
    bias = bound.optional(2)
    per_channel = None if bias is None else bias.reshape(-1, *(1 for _ in x.shape[2:]))
    return partial(_run, list(panels), per_channel, out)


def _run(panels: list[Panel], bias: Array | None, out: Array) -> None:
    for panel in panels:
        panel.run()
    if bias is not None:
        np.add(out, bias, out=out)
