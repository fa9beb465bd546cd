"""Make, fill and change nodes where ``aidge_core`` differs from us: nodes, and small recipes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from aidge_nb.compat.served.type_facts import ENUMERATIONS
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import generic
from aidge_nb.graph.node import Node
from aidge_nb.graph.query import SinglePassGraphMatching
from aidge_nb.graph.spec import InputCategory
from aidge_nb.graph.view import GraphView
from aidge_nb.recipes.edit import editing


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


# --- recipes ------------------------------------------------------------------------------------

MONOTONE = {"Exp": False, "LogSoftmax": True, "Softmax": True, "Sqrt": False}
"""Operators after which the greatest element is where it was: along their axis, or any."""


def explicit_cast_move(graph_view: GraphView) -> None:
    """Return without changes: there is one memory, and kernels take every type."""


def adapt_fc_params_format(
    graph_view: GraphView, backends: Sequence[tuple[str, int]] = (), constant_fold: bool = True
) -> None:
    """Return without changes: FC reads inputs of every format in their order of axes."""


def fold_constantOfShape(graph_view: GraphView) -> int:  # noqa: N802  # Aidge's name
    """Replace each ConstantOfShape whose shape is known by a Producer; return how many."""
    count = 0
    with editing(graph_view) as edit:
        for node in edit.nodes("ConstantOfShape"):
            shape = edit.constant(node, 0)
            if shape is not None:
                values = np.full(np.ravel(shape), node.get_operator().attr.value)
                made = edit.add_producer(values, node.name(), node, constant=True)
                edit.redirect(node.port(0), made)
                count += 1
    return count


def inject_noise_to_weights(graph_view: GraphView, stddev: float) -> None:
    """Add numbers from a normal distribution around 0 to all parameters."""
    draw = np.random.default_rng()
    for node in graph_view:
        tensor = node.get_operator().get_output(0) if node.type() == "Producer" else None
        if tensor is not None and tensor.has_data and tensor.dtype.is_float:
            noise = draw.normal(0, stddev, tensor.dims)
            tensor.set_array((tensor.array + noise).astype(tensor.dtype.numpy))


def skip_attr_backward(graph_view: GraphView) -> int:
    """Note that no gradient is wanted where nodes lead to attributes alone; return how many."""
    skipped: set[Node] = set()
    for node in reversed(graph_view.topological_order()):
        readers = [port for ports in node.outputs() for port in ports]
        if readers and node.type() != "Producer":
            only = all(
                port.node in skipped or port.node.input_category(port.index).name.endswith("Attr")
                for port in readers
            )
            if only:
                node.annotations["skipBackward"] = True
                skipped.add(node)
    return len(skipped)


def set_number_of_steps(graph_view: GraphView, n_steps: int) -> None:
    """Let every loop inside of a Leaky go for so many steps.

    As in Aidge, it may go round one time less than twice as often; the data end it.
    """
    for node in graph_view:
        inside: Any = node.get_operator().micro_graph
        if node.type() == "Leaky" and inside is not None:
            for each in inside:
                if each.type() == "Memorize":
                    each.get_operator().attr.end_step = 2 * n_steps - 1


def convert_reduce_mean_global_average_pooling(graph_view: GraphView) -> None:
    """Replace each ReduceMean over all axes of space that keeps dims by GlobalAveragePooling."""
    from aidge_nb.ops import GlobalAveragePooling

    for node in [each for each in graph_view if each.type() == "ReduceMean"]:
        operator = node.get_operator()
        given = operator.get_input(0)
        rank = 0 if given is None or given.is_undefined() else given.ndim
        axes = sorted(axis % rank for axis in operator.attr.axes) if rank else []
        if rank > 2 and operator.attr.keep_dims and axes == list(range(2, rank)):
            GraphView.replace([node], [GlobalAveragePooling(name=node.name())])


def nop_monotone_arg_max(graph_view: GraphView) -> None:
    """Remove functions before ArgMax that leave the greatest element where it is."""
    with editing(graph_view) as edit:
        for node in edit.nodes(*MONOTONE):
            readers = node.get_children()
            if not readers or any(each.type() != "ArgMax" for each in readers):
                continue
            axes = {each.get_operator().attr.axis for each in readers}
            if not MONOTONE[node.type()] or axes == {node.get_operator().attr.axis}:
                edit.bypass(node)
