"""Prepare the step of a node: a fixed one where its family has one, else a call of the kernel."""

from __future__ import annotations

from functools import partial

from aidge_nb.kernels.fixed import Bound, Step, run_and_store
from aidge_nb.kernels.registry import OPTIONAL_OUTPUTS, OUT, find_fixed, find_kernel, keywords_of
from aidge_nb.ops.place import PLACE


def make_step(bound: Bound) -> Step | None:
    """Prepare a step; None when the operator has neither a function for that nor a kernel.

    Examples
    --------
    >>> import numpy as np
    >>> from aidge_nb.graph.spec import SPECS
    >>> from aidge_nb.kernels.workspace import Workspace
    >>> x, out = np.array([-1.0, 2.0], np.float32), np.empty(2, np.float32)
    >>> spec = SPECS["ReLU"]
    >>> step = make_step(Bound(spec, spec.make_attributes(), (x,), (out,), Workspace()))
    >>> step() is None or out.tolist()
    [0.0, 2.0]
    """
    step = fixed_step(bound)
    return _call_of_kernel(bound) if step is None else step


def fixed_step(bound: Bound) -> Step | None:
    """Prepare a step that allocates nothing; None where that cannot be done."""
    maker = find_fixed(bound.spec)
    return None if maker is None else maker(bound)


def _call_of_kernel(bound: Bound) -> Step | None:
    """Call the kernel, and copy what it does not write to its place itself."""
    kernel = find_kernel(bound.spec)
    if kernel is None:
        return None
    options = {name: bound.attrs[name] for name in bound.spec.attrs}
    taken = keywords_of(kernel)
    if OPTIONAL_OUTPUTS in taken and all(out is None for out in bound.outputs[1:]):
        options[OPTIONAL_OUTPUTS] = False
    if PLACE in bound.attrs and PLACE in taken:
        options[PLACE] = bound.attrs[PLACE]
    out = bound.outputs[0]
    if out is not None and OUT in taken:
        options[OUT] = out
    return partial(run_and_store, partial(kernel, *bound.inputs, **options), bound.outputs)
