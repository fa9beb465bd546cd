"""Check the arguments of an export before anything else is done."""

from __future__ import annotations

from os import PathLike

from aidge_nb.core.errors import ExportError, explain
from aidge_nb.graph.view import GraphView
from aidge_nb.hardware.mapping import Mapping


def check_choice(name: str, given: str, known: tuple[str, ...]) -> None:
    """Check that something is one of a few words.

    Raises
    ------
    ExportError
        When it is not.
    """
    if given not in known:
        raise ExportError(explain(name, "no such form", expected=" or ".join(known), found=given))


def graph_and_mapping(
    given: object, mapping: Mapping | None = None
) -> tuple[GraphView, Mapping | None]:
    """Tell apart what is to be exported and how it is mapped: a mapping knows its graph.

    Raises
    ------
    ExportError
        When there is no graph, or a mapping beside a mapping.
    """
    if isinstance(given, GraphView):
        return given, mapping
    is_path = isinstance(given, (str, PathLike))
    cure = f"Write export(aidge_nb.load_onnx({given!r}), …)." if is_path else ""
    problem = "there is no graph to export"
    if isinstance(given, Mapping):
        if given.view is not None and mapping is None:
            return given.view, given
        cure = "Write export(graph, …, mapping=mapping)."
        problem = "the mapping was read and does not know its graph"
        if mapping is not None:
            problem = "there are two mappings"
    found = repr(given) if is_path else type(given).__name__
    expected = "a GraphView, or a Mapping of one"
    raise ExportError(explain("export", problem, expected=expected, found=found, cure=cure))


def check_sizes(view: GraphView) -> None:
    """Check that no tensor is empty: C has no arrays of size 0.

    Raises
    ------
    ExportError
        Naming the first node that gives an empty tensor.
    """
    for node in view.topological_order():
        operator = node.get_operator()
        for index in range(operator.nb_outputs):
            dims = operator.get_output(index).dims
            if 0 in list(dims):
                raise ExportError(
                    explain(
                        f"{node.label}, output#{index}",
                        "is empty: a C program has no tensors of size 0",
                        expected="dimensions of at least 1",
                        found=list(dims),
                        cure="Give the inputs other dimensions with forward_dims().",
                    )
                )
