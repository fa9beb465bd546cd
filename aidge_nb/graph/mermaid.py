"""Graphs as Mermaid flowcharts."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

from aidge_nb.core.text import mermaid_text
from aidge_nb.graph.generic import GenericOperatorOp

if TYPE_CHECKING:
    from os import PathLike

    from aidge_nb.graph.node import Node, Port
    from aidge_nb.graph.view import GraphView


class Saved:
    """Mixin for graphs: save as a Mermaid flowchart."""

    def save(
        self, path: str | PathLike[str], verbose: bool = False, show_producers: bool = False
    ) -> None:
        """Write the graph as a Mermaid flowchart to ``path.mmd``.

        Parameters
        ----------
        path
            Name of the file without its ending.
        verbose
            Taken for Aidge's sake: the picture says the same either way.
        show_producers
            Whether Producers are drawn; their dims are on the edges in any case.
        """
        from aidge_nb.core.files import write_atomically

        text = to_mermaid(cast("GraphView", self), producers=show_producers)
        write_atomically(f"{path}.mmd", text)


def to_mermaid(view: GraphView, *, producers: bool = False) -> str:
    """Return a graph as Mermaid text: nodes with name and rank, dims on the edges.

    Parameters
    ----------
    view
        The graph.
    producers
        Whether Producers are drawn; their dims are on the edges in any case.

    Examples
    --------
    >>> import aidge_nb
    >>> print(to_mermaid(aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh()])))
    %%{init: {'flowchart': {'curve': 'monotoneY'}}}%%
    flowchart TB
    <BLANKLINE>
    ReLU_0("a<br/><sub><em>(ReLU#35;0)</em></sub>")
    Tanh_0("<em>(Tanh#35;0)</em>")
    input0((in#35;0)):::inputCls
    input0 --> ReLU_0
    ReLU_0 --> Tanh_0
    Tanh_0 --> output0((out#35;0)):::outputCls
    <BLANKLINE>
    classDef inputCls fill:#afa
    classDef outputCls fill:#ffa
    classDef producerCls fill:#ccf
    classDef genericCls fill:#f9f9ff,stroke-width:1px,stroke-dasharray: 5 5
    classDef metaCls stroke-width:5px
    <BLANKLINE>
    """
    ids = _identifiers(view)
    ranks = view.get_ranked_nodes_name("{1}#{3}")
    shown = [node for node in view.topological_order() if producers or node.type() != "Producer"]
    lines = ["%%{init: {'flowchart': {'curve': 'monotoneY'}}}%%", "flowchart TB", ""]
    lines += [_node_line(node, ids[node], ranks[node]) for node in shown]
    lines += _input_lines(view, ids)
    for node in shown:
        lines += _edge_lines(node, view, ids, producers)
    lines += [
        f"{ids[port.node]} -->{_dims(port)} output{i}((out#35;{i})):::outputCls"
        for i, port in enumerate(view.get_ordered_outputs())
        if port.node in shown
    ]
    lines += [
        "",
        "classDef inputCls fill:#afa",
        "classDef outputCls fill:#ffa",
        "classDef producerCls fill:#ccf",
        "classDef genericCls fill:#f9f9ff,stroke-width:1px,stroke-dasharray: 5 5",
        "classDef metaCls stroke-width:5px",
        "",
    ]
    return "\n".join(lines)


def _identifiers(view: GraphView) -> dict[Node, str]:
    """Return an identifier per node: type and rank if the type is a valid identifier, else rank."""
    by_rank = view.get_ranked_nodes_name("node_{2}")
    by_type = view.get_ranked_nodes_name("{1}_{3}")
    return {
        node: name
        if name.isascii() and name.isidentifier() and name[0].isupper()
        else by_rank[node]
        for node, name in by_type.items()
    }


def _node_line(node: Node, identifier: str, rank: str) -> str:
    label = f"({mermaid_text(rank)})"
    name = mermaid_text(node.name()) if node.name() else ""
    text = f"{name}<br/><sub><em>{label}</em></sub>" if name else f"<em>{label}</em>"
    style = ""
    if node.type() == "Producer":
        style = ":::producerCls"
    elif node.get_operator().micro_graph is not None:
        style = ":::metaCls"
    elif isinstance(node.get_operator(), GenericOperatorOp):
        style = ":::genericCls"
    return f'{identifier}("{text}"){style}'


def _dims(port: Port) -> str:
    tensor = port.node.get_operator().get_output(port.index)
    if tensor.undefined():
        return ""
    return f'|"{list(tensor.dims)}<br/>{tensor.dtype.name}"|'


def _input_lines(view: GraphView, ids: dict[Node, str]) -> list[str]:
    mandatory = [
        port for port in view.get_ordered_inputs() if not port.node.is_optional_input(port.index)
    ]
    lines = []
    for i, port in enumerate(mandatory):
        lines.append(f"input{i}((in#35;{i})):::inputCls")
        lines.append(f"input{i} --> {ids[port.node]}")
    return lines


def _edge_lines(node: Node, view: GraphView, ids: dict[Node, str], producers: bool) -> list[str]:
    lines = []
    for index, parent in node.edges_in():
        if parent.node not in view or (parent.node.type() == "Producer" and not producers):
            continue
        arrow = "-.->" if node.parent_is_back_edge(index) else "-->"
        lines.append(f"{ids[parent.node]} {arrow}{_dims(parent)} {ids[node]}")
    return lines
