"""Make and fill nodes where ``aidge_core``'s arguments differ from ours."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from aidge_nb.compat.served.type_facts import ENUMERATIONS
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import generic
from aidge_nb.graph.node import Node
from aidge_nb.graph.query import SinglePassGraphMatching
from aidge_nb.graph.spec import InputCategory
from aidge_nb.graph.view import GraphView

__all__ = [
    "ComplexToInnerPair",
    "CryptoHash",
    "GenericOperator",
    "InnerPairToComplex",
    "adapt_to_backend",
    "init_producer",
]


def GenericOperator(  # noqa: N802  # factories carry the operator's name
    type: str,
    input_category: Sequence[InputCategory] | int | None = None,
    nb_out: int | None = None,
    *others: Any,
    name: str = "",
    nb_data: int | None = None,
    nb_param: int = 0,
    **attributes: Any,
) -> Node:
    """Make a node of any type, with the arguments of any release of Aidge.

    Parameters
    ----------
    type
        What ``node.type()`` gives.
    input_category, nb_out
        The category of each input, and the number of outputs; or, as three numbers or as
        ``nb_data``, ``nb_param`` and ``nb_out``, how many inputs of data and of parameters.
    name
        Name of the node, by name or after the numbers.
    attributes
        Attributes of the operator.

    Examples
    --------
    >>> GenericOperator("Swish", [InputCategory.Data], 1, "swish")
    Node(swish, Swish)
    >>> GenericOperator("Swish", nb_data=1, nb_param=0, nb_out=1, name="swish")
    Node(swish, Swish)
    """
    given = [each for each in (input_category, nb_out, *others) if each is not None]
    if given and isinstance(given[-1], str):
        name = given.pop()
    if nb_data is not None:
        given = [nb_data, nb_param, *given]
    return generic.GenericOperator(type, *given, name=name, **attributes)


def _without_kernel(type_name: str, **attributes: Any) -> Callable[..., Node]:
    def make(name: str = "") -> Node:
        return GenericOperator(type_name, [InputCategory.Data], 1, name=name, **attributes)

    make.__doc__ = f"Make a {type_name}: Aidge has no kernel for it either; see set_impl()."
    return make


ComplexToInnerPair = _without_kernel("ComplexToInnerPair")
InnerPairToComplex = _without_kernel("InnerPairToComplex")
CryptoHash = _without_kernel(
    "CryptoHash", crypto_hash_function=ENUMERATIONS["crypto_hash_function"].SHA256
)


def adapt_to_backend(graph_view: GraphView, backends: Sequence[tuple[str, int]] = ()) -> None:
    """Return without changes: our kernels take every layout and type."""


def init_producer(graph: GraphView, pattern: str, filler: Callable[[Tensor], None]) -> int:
    """Fill the Producers that a query starts with; return how many.

    Examples
    --------
    >>> import aidge_nb
    >>> graph = aidge_nb.sequential([aidge_nb.FC(2, 3, name="fc")])
    >>> init_producer(graph, "Producer-1>(Conv2D|FC)", aidge_nb.he_filler)
    1
    >>> graph.get_node("fc").get_operator().get_input(1)
    Tensor([3, 2], float32)
    """
    matches = SinglePassGraphMatching(graph).match(pattern)
    roots = dict.fromkeys(match.root_node for match in matches if match.root_node)
    for node in roots:
        filler(node.get_operator().get_output(0))
    return len(roots)
