"""Fuse chains of additions into one Sum."""

from __future__ import annotations

from collections.abc import Iterable

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.ops.arithmetic import Sum
from aidge_nb.recipes.edit import editing
from aidge_nb.recipes.registry import recipe

_SUMS = ("Add", "Sum")


@recipe(safe=False, exact=False)
def fuse_consecutive_adds(view: GraphView) -> Iterable[str]:
    """Fuse an Add or Sum with the additions that only it reads.

    All that is added is then in memory at once, which may be more than before.

    Examples
    --------
    >>> import aidge_nb
    >>> adds = [aidge_nb.Add(name="a"), aidge_nb.Add(name="b")]
    >>> model = aidge_nb.sequential([aidge_nb.ReLU(), *adds])
    >>> fuse_consecutive_adds(model), [(node.name(), node.type()) for node in model]
    (1, [('', 'ReLU'), ('b', 'Sum')])
    """
    with editing(view) as edit:
        for last in reversed(edit.nodes(*_SUMS)):
            if last not in view or not _alike(last):
                continue
            terms = edit.terms(last, _joins)
            if len(terms) > last.get_nb_inputs():
                yield last.label
                edit.replace(last, Sum(len(terms), name=last.name()), terms)


def _joins(first: Node, second: Node) -> bool:
    return first.type() in _SUMS and _alike(first)


def _alike(node: Node) -> bool:
    """Return whether all terms have one type, so that it does not matter which are added first."""
    tensors = [node.get_operator().get_input(index) for index in range(node.get_nb_inputs())]
    return len({tensor.dtype for tensor in tensors if tensor is not None}) <= 1
