"""Replace a convolution by a matrix product of its weights with its unfolded windows."""

from __future__ import annotations

from collections.abc import Iterable
from math import prod

import numpy as np

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

    Padded ones get a Pad as well; grouped ones are left alone.

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
            weights, bias = edit.constant(conv, 1), conv.get_operator().get_input(2)
            known = not conv.get_operator().get_output(0).undefined()
            if weights is None or not known or conv.get_operator().attr.group != 1:
                continue
            if bias is None or edit.constant(conv, 2) is not None:
                yield conv.label
                _replace(edit, conv)


conv_to_matMul = conv_to_matmul  # noqa: N816  # Aidge's spelling


def _replace(edit: Edit, conv: Node) -> None:
    attr, name = conv.get_operator().attr, conv.name()
    weights, bias = edit.constant(conv, 1), edit.constant(conv, 2)
    if weights is None:
        return
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
    matrix = np.ascontiguousarray(weights.reshape(channels, prod(weights.shape[1:])))
    edit.feed(product, 0, edit.add_producer(matrix, named("w"), conv))
    edit.feed(product, 1, Port(unfold, 0))
    last = product
    if bias is not None:
        last = edit.add(Add(name=named("add")), conv)
        edit.feed(last, 0, Port(product, 0))
        edit.feed(last, 1, edit.add_producer(bias.reshape(-1, 1).copy(), named("b"), conv))
    shape = edit.add(Reshape([batch, channels, *size], name=name), conv)
    edit.feed(shape, 0, Port(last, 0))
    edit.redirect(Port(conv, 0), Port(shape, 0))
