"""Calls of activations."""

from __future__ import annotations

from aidge_nb.kernels.c.adapters.common import F32, need
from aidge_nb.kernels.c.calls import CCall, In, Out, Site, c_kernel
from aidge_nb.ops import activation


@c_kernel(activation.CLIP)
def clip(site: Site) -> CCall:
    """Keep values between two bounds, which must be known."""
    need(site, F32)
    bounds = [
        float(site.constant(index).reshape(()).item()) if site.has(index) else float(attribute)
        for index, attribute in ((1, site.attrs["min"]), (2, site.attrs["max"]))
    ]
    fields = {"count": site.outputs[0].size, "alpha": bounds[0], "beta": bounds[1]}
    unit = "nb_activation"
    return CCall("nb_clip_f32", unit, "nb_activation_config", fields, (In(0), Out(0)))
