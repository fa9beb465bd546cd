"""Replace a convolution by a matrix product of its weights with its unfolded windows."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

import numpy as np

from aidge_nb.core.leniency import allows
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.view import GraphView
from aidge_nb.ops.arithmetic import Add
from aidge_nb.ops.linear import MatMul
from aidge_nb.ops.resampling import Unfold2D
from aidge_nb.ops.shape import Reshape
from aidge_nb.ops.slicing import Pad
from aidge_nb.recipes.edit import Edit, editing
from aidge_nb.recipes.registry import recipe


@recipe(needs=("dims", "values"), safe=False, exact=False)
def conv_to_matmul(view: GraphView) -> Iterable[str]:
    """Make Unfold2D, MatMul and Reshape, and an Add for the bias, of 2-D convolutions.

    Padded ones get a Pad as well; grouped ones are left alone, and those with unknown weights, too;
    code written for Aidge gets a Reshape of weights that were never filled.

    Examples
    --------
    >>> import numpy as np
    >>> import aidge_nb
    >>> conv = aidge_nb.Conv2D(2, 3, [3, 3], name="conv")
    >>> for index, dims in ((1, (3, 2, 3, 3)), (2, (3,))):
    ...     parameter = aidge_nb.Tensor(np.ones(dims, np.float32))
    ...     conv.get_parent(index).get_operator().set_output(0, parameter)
    >>> model = aidge_nb.sequential([conv])
    >>> model.forward_dims([[1, 2, 5, 5]]), conv_to_matmul(model)
    (True, 1)
    >>> [node.type() for node in model.topological_order() if node.type() != "Producer"]
    ['Unfold2D', 'MatMul', 'Add', 'Reshape']
    """
    with editing(view) as edit:
        for conv in edit.nodes("Conv2D", "PaddedConv2D"):
            known = not conv.get_operator().get_output(0).undefined()
            if not known or conv.get_operator().attr.group != 1:
                continue
            has_bias = conv.get_operator().get_input(2) is not None
            if all(_is_known(edit, conv, index) for index in (1, 2)[: 1 + has_bias]):
                yield conv.label
                _replace(edit, conv, has_bias)


conv_to_matMul = conv_to_matmul  # noqa: N816  # Aidge's spelling


def _is_known(edit: Edit, conv: Node, index: int) -> bool:
    """Return whether a parameter has values, or may get them later."""
    tensor, source = conv.get_operator().get_input(index), conv.source(index)
    if edit.constant(conv, index) is not None:
        return True
    if tensor is None or tensor.has_data or tensor.undefined() or source is None:
        return False
    name = source.node.label
    return source.node.type() == "Producer" and allows(f"{name} was never filled: it is reshaped.")


def _feed_matrix(edit: Edit, node: Node, slot: int, conv: Node, index: int) -> None:
    """Let a node read a parameter of a convolution as a matrix, a row per output channel."""
    rows = conv.get_operator().get_output(0).dims[1]
    parameter = conv.get_operator().get_input(index)
    columns = 1 if parameter is None else prod(parameter.dims[1:])
    name = f"{conv.name()}_{'?wb'[index]}" if conv.name() else ""
    values = edit.constant(conv, index)
    if values is not None:
        matrix = np.array(values.reshape(rows, columns))
        edit.feed(node, slot, edit.add_producer(matrix, name, conv))
        return
    shaped = edit.add(Reshape([rows, columns], name=f"{name}_reshape" if name else ""), conv)
    edit.feed_like(shaped, 0, conv, index)
    edit.feed(node, slot, Port(shaped, 0))


def _replace(edit: Edit, conv: Node, has_bias: bool) -> None:
    attr, name = conv.get_operator().attr, conv.name()
    batch, channels, *size = conv.get_operator().get_output(0).dims

    def named(suffix: str) -> str:
        return f"{name}_{suffix}" if name else ""

    first = unfold = Unfold2D(
        attr.kernel_dims, named("unfold"), attr.stride_dims, attr.dilation_dims
    )
    edit.add(unfold, conv)
    if conv.type() == "PaddedConv2D":
        first = edit.add(Pad(attr.padding_dims, named("pad"), axes=(2, 3)), conv)
        edit.feed(unfold, 0, Port(first, 0))
    edit.feed_like(first, 0, conv, 0)
    product = edit.add(MatMul(name=named("matmul")), conv)
    _feed_matrix(edit, product, 0, conv, 1)
    edit.feed(product, 1, Port(unfold, 0))
    last = product
    if has_bias:
        last = edit.add(Add(name=named("add")), conv)
        edit.feed(last, 0, Port(product, 0))
        _feed_matrix(edit, last, 1, conv, 2)
    shape = edit.add(Reshape([batch, channels, *size], name=name), conv)
    edit.feed(shape, 0, Port(last, 0))
    edit.redirect(Port(conv, 0), Port(shape, 0))
