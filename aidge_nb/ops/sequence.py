"""Operators of cyclic and conditional graphs.

Pop, Stack and Memorize keep state from one execution to the next: their implementations are in
:mod:`aidge_nb.runtime`, not among the kernels.
"""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import DataDependencyError, ShapeError
from aidge_nb.graph.attributes import REQUIRED
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel, ShapeContext
from aidge_nb.ops import ports
from aidge_nb.ops.build import declare, factory, make_node, plain
from aidge_nb.ops.rules import common_dtype, integers, need_dims, need_rank, port


def _pop_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data = context.dim(0)
    need_rank(data, range(1, 99), port(context.where, 0))
    return [data[1:]]


POP = declare(
    "Pop",
    ports.DATA,
    _pop_dims,
    attrs={"forward_step": 0, "backward_step": 0},
    cp=CpModel.POP,
)


def _stack_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    (count,) = integers(context, 1, (context.attrs.max_elements,))
    if count < 1:
        raise ShapeError.at(
            context.where,
            "the number of slices is not known",
            expected="max_elements of 1 or more, or a number at input#1",
            found=count,
        )
    return [(count, *context.dim(0))]


STACK = declare(
    "Stack",
    (*ports.DATA, *ports.optional("max_elements")),
    _stack_dims,
    attrs={"schedule_step": 0, "forward_step": 0, "backward_step": 0, "max_elements": 0},
    cp=CpModel.STACK,
)


def _memorize_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    known = context.dims[1] if context.dims[1] is not None else context.dims[0]
    if known is None:
        raise DataDependencyError.at(
            context.where,
            "output dims follow from an initial value that is not there",
            cure=f"Give the dims of input#1 of {context.where}.",
        )
    return [known, known]


MEMORIZE = declare(
    "Memorize",
    (*ports.DATA, *ports.optional_data("data_input_init")),
    _memorize_dims,
    outputs=("data_output", "data_output_rec"),
    attrs={"schedule_step": 0, "forward_step": 0, "end_step": REQUIRED},
    dtypes=lambda context: [context.dtypes[1] or context.dtypes[0] or DType.float32] * 2,
    cp=CpModel.MEMORIZE,
    back_edges=(0,),
    overwrites=(0,),
)


def _select_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    if context.dim(0).size != 1:
        raise ShapeError.at(
            port(context.where, 0),
            "the choice is not one number",
            expected="one element",
            found=list(context.dim(0)),
        )
    first = context.dim(1)
    for index in range(2, len(context.dims)):
        where = port(context.where, index)
        need_dims(context.dim(index), first, "branches give different dims", where)
    return [first]


SELECT = declare(
    "Select",
    (*ports.data("select"), *ports.DATA),
    _select_dims,
    dtypes=lambda context: [common_dtype(context.dtypes[1:])],
    variadic=True,
)


Pop = factory(
    POP, plain, does="outputs the slices of its input along axis 0, one each time it runs"
)


def Stack(max_elements: int = 0, name: str = "") -> Node:
    """Make a node that gathers one slice each time it runs, along a new axis 0.

    Parameters
    ----------
    max_elements
        Number of slices, which may also come at input 1.
    name
        Name of the node.
    """
    return make_node(STACK, name, max_elements=max_elements)


def Memorize(end_step: int, name: str = "") -> Node:
    """Make a node that starts a loop: it gives its initial value, then what it took last.

    Input 0 closes the loop, input 1 is the initial value. Output 1 feeds the loop, output 0 has
    the last value.

    Parameters
    ----------
    end_step
        How often the loop runs.
    name
        Name of the node.

    Examples
    --------
    >>> from aidge_nb import ops
    >>> memorize = ops.Memorize(3, name="state")
    >>> memorize.parent_is_back_edge(0), memorize.outputs_names()
    (True, ['data_output', 'data_output_rec'])
    """
    return make_node(MEMORIZE, name, end_step=end_step)


def Select(nb_inputs: int, name: str = "") -> Node:
    """Make a node that outputs one of ``nb_inputs`` inputs: the one that input 0 names, from 0 on.

    Parameters
    ----------
    nb_inputs
        Number of inputs.
    name
        Name of the node.

    Raises
    ------
    GraphError
        When there is nothing to choose from.
    """
    return make_node(SELECT, name, nb_inputs=nb_inputs + 1)
