"""Kernels on arrays that stay where they are: prepared once, run many times.

A kernel of the registry takes other arrays each time. Where a model runs in an arena, a node finds
its data at the same addresses in every run, so that all that does not depend on their values can
be done before: views are made, work is cut into pieces, memory for what lies between is set aside.
What is left is a step: a function without arguments that allocates nothing. It computes the same
bits as the kernel.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import GraphError, ShapeError
from aidge_nb.core.values import dataclass
from aidge_nb.graph.spec import OpSpec
from aidge_nb.kernels.workspace import Workspace

Array = NDArray[Any]
Step = Callable[[], object]
"""Does the work of one node, once; what it returns means nothing."""


def nothing() -> None:
    """Do nothing: the step of a node whose output is in its place already."""


def in_order(steps: Iterable[Step]) -> Step:
    """Make one step of several.

    Examples
    --------
    >>> in_order([]) is nothing
    True
    """
    some = tuple(step for step in steps if step is not nothing)
    if not some:
        return nothing
    return some[0] if len(some) == 1 else partial(_run_in_order, some)


def _run_in_order(steps: tuple[Step, ...]) -> None:
    for step in steps:
        step()


FixedMaker = Callable[["Bound"], Step | None]
"""Prepares a step of a node; None where it cannot, and the kernel is called instead."""

FIXED: dict[OpSpec, FixedMaker] = {}
"""Functions that imported modules bound to operators with :func:`fixed`."""


@dataclass(frozen=True, slots=True, eq=False)
class Bound:
    """An operator and the arrays that it is bound to.

    Attributes
    ----------
    spec, attrs
        The operator. A padded one is what is inside, with its ``pads`` as an attribute more.
    inputs
        What it reads; None for an optional input that is not there. ``constants`` are the numbers
        of those that never change.
    outputs
        Where its outputs go; None for one that nobody reads. Output 0 may be the memory of an
        input, where the declaration permits that.
    workspace
        Memory for what lies between.
    """

    spec: OpSpec
    attrs: Mapping[str, Any]
    inputs: tuple[Array | None, ...]
    outputs: tuple[Array | None, ...]
    workspace: Workspace
    constants: frozenset[int] = frozenset()

    def input(self, index: int = 0) -> Array:
        """Return an input that must be connected.

        Raise GraphError when it is not.
        """
        array = self.inputs[index] if index < len(self.inputs) else None
        if array is None:
            raise GraphError.at(f"{self.spec.type}, input#{index}", "is not there")
        return array

    @property
    def out(self) -> Array:
        """Where output 0 goes.

        Raise GraphError when it is not wanted.
        """
        array = self.outputs[0]
        if array is None:
            raise GraphError.at(f"{self.spec.type}, output#0", "is not wanted")
        return array

    def optional(self, index: int) -> Array | None:
        """Return an optional input, or None."""
        return self.inputs[index] if index < len(self.inputs) else None

    def is_constant(self, *indices: int) -> bool:
        """Return whether inputs never change, or are not there."""
        return all(self.optional(i) is None or i in self.constants for i in indices)


Maker = TypeVar("Maker", bound=Callable[[Bound], Step | None])


def fixed(*specs: OpSpec) -> Callable[[Maker], Maker]:
    """Make the decorated function prepare steps of operators.

    It gives None where it cannot, and the kernel is called instead. Raise GraphError when one of
    them has such a function already.
    """

    def bind(maker: Maker) -> Maker:
        for spec in specs:
            if spec in FIXED:
                raise GraphError.at(spec.type, "is prepared by another function already")
            FIXED[spec] = maker
        return maker

    return bind


def run_and_store(function: Callable[[], Any], outputs: Sequence[Array | None]) -> None:
    """Call a function, and copy its results to where they belong, unless they are there.

    Raise ShapeError when a result has other dimensions.
    """
    results = function()
    for result, out in zip(_as_tuple(results), outputs, strict=False):
        if out is not None and result is not out:
            put(result, out)


def _as_tuple(results: Any) -> tuple[Array, ...]:
    return results if isinstance(results, tuple) else (results,)


def put(result: Array, out: Array) -> None:
    """Copy a result to its place.

    Raise ShapeError when it has other dimensions, or another element type.
    """
    if result.shape != out.shape or result.dtype != out.dtype:
        raise ShapeError.at(
            "output",
            "is not what memory was set aside for",
            expected=f"{out.dtype}{list(out.shape)}",
            found=f"{result.dtype}{list(result.shape)}",
        )
    np.copyto(out, result)
