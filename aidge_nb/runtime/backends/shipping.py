"""Running an operator elsewhere: what it needs as one value, which other processes can be sent."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from time import perf_counter_ns
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.graph.attributes import Attributes
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.spec import SPECS
from aidge_nb.runtime.backends.cpu import CpuImpl

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node

Array = NDArray[Any]


@dataclass(frozen=True, slots=True, eq=False)
class Job:
    """One execution of a declared operator.

    Attributes
    ----------
    type, attributes
        What runs.
    label
        The node, as messages call it.
    arrays
        The inputs, None for optional ones that are not there.
    nb_outputs
        Number of outputs.
    optional_outputs
        Whether optional outputs are wanted.
    """

    type: str
    attributes: Mapping[str, Any]
    label: str
    arrays: tuple[Array | None, ...]
    nb_outputs: int
    optional_outputs: bool


def job_of(node: Node) -> Job | None:
    """Make a job of what a node has to do now; None when only its own implementation can do it.

    Operators that remember something, meta-operators, those without declaration and users'
    implementations stay where they are.

    Raises
    ------
    ShapeError
        When an input that must be there has no data.
    """
    operator = node.get_operator()
    impl = operator.get_impl()
    if type(impl) is not CpuImpl or SPECS.get(operator.type()) is not operator.spec:
        return None
    return Job(
        operator.type(),
        dict(operator.attr),
        operator.label,
        tuple(impl.input_arrays()),
        operator.nb_outputs,
        impl.needs_optional_outputs,
    )


def compute(job: Job) -> tuple[tuple[Array, ...], int]:
    """Do a job; give the outputs, and the nanoseconds that it took.

    Raises
    ------
    MissingKernelError
        When the operator has no kernel.
    ShapeError
        When the kernel cannot take these arrays.

    Examples
    --------
    >>> job = Job("ReLU", {}, "a (ReLU)", (np.array([-1.0, 2.0]),), 1, True)
    >>> [array.tolist() for array in compute(job)[0]]
    [[0.0, 2.0]]
    """
    operator = Operator(
        SPECS[job.type],
        Attributes(job.attributes),
        nb_inputs=len(job.arrays),
        nb_outputs=job.nb_outputs,
    )
    operator.label = job.label
    impl = CpuImpl(operator)
    impl.needs_optional_outputs = job.optional_outputs
    start = perf_counter_ns()
    with np.errstate(all="ignore"):
        outputs = impl.run(job.arrays)
    return outputs, perf_counter_ns() - start
