"""Changes of graphs, and further questions to them, under aidge_core's names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar, cast

import numpy as np
from numpy.typing import DTypeLike

from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import GraphError
from aidge_nb.core.leniency import allows
from aidge_nb.graph.backend import available_backends, check_device
from aidge_nb.graph.ports import ViewPorts

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node, Port
    from aidge_nb.graph.view import GraphView

_Child = TypeVar("_Child", bound="Node | GraphView")
_Self = TypeVar("_Self", bound="ViewEdits")


class ViewEdits(ViewPorts):
    """Mixin of views: insert, link, copy and log."""

    __slots__ = ()

    # --- nodes ------------------------------------------------------------------------------

    def push(self: _Self, *items: Node | GraphView | Iterable[Node]) -> _Self:
        """Add nodes; return the graph, for chains of calls."""
        for item in items:
            self._view.add(item)
        return self

    append = push

    def link_to(
        self,
        other: _Child,
        self_out_idx: int | tuple[Node, int] | None = None,
        other_in_idx: int | tuple[Node, int] | None = None,
    ) -> _Child:
        """Connect an output of the graph, its first by default, to a node or graph; return that.

        The graph does not take the node in: :meth:`add_child` does.
        """
        outputs = self._view.get_ordered_outputs()
        if isinstance(self_out_idx, tuple):
            source, index = self_out_idx
        else:
            source, index = outputs[self_out_idx or 0]
        source.add_child(other, index, other_in_idx)
        return other

    link = to = link_to

    def add_parent(
        self,
        new_parent: Node,
        input_node: Node | str | None = None,
        input_idx: int = 0,
        parent_output_idx: int = 0,
    ) -> None:
        """Add a node before ``input_node``: the only input node of the view by default."""
        node = self._view.get_node(input_node) if isinstance(input_node, str) else input_node
        if node is None:
            node = self._only("input", self._view.get_input_nodes(), "before", "input_node")
        new_parent.add_child(node, parent_output_idx, input_idx)
        self._view.add(new_parent)

    def _only(self, kind: str, nodes: Sequence[Node], where: str, parameter: str) -> Node:
        """Return the only input or output node; raise GraphError where there are others or none."""
        if len(nodes) != 1:
            raise GraphError.at(
                f"graph {self._view.name() or '(unnamed)'}",
                f"cannot choose the node to add {where}",
                expected=f"one {kind} node",
                found=[each.label for each in nodes],
                cure=f"Pass {parameter}=.",
            )
        return nodes[0]

    def insert_parent(
        self,
        child_node: Node,
        new_parent_node: Node,
        child_input_tensor_idx: int = 0,
        new_parent_input_tensor_idx: int = 0,
        new_parent_output_tensor_idx: int = 0,
    ) -> None:
        """Put a node between an input and what feeds it."""
        source = child_node.source(child_input_tensor_idx)
        child_node.remove_parent(child_input_tensor_idx)
        if source is not None:
            source.node.add_child(new_parent_node, source.index, new_parent_input_tensor_idx)
        new_parent_node.add_child(child_node, new_parent_output_tensor_idx, child_input_tensor_idx)
        self._view.add(new_parent_node)

    def insert_child(
        self,
        parent_node: Node,
        new_child_node: Node,
        parent_output_tensor_idx: int = 0,
        new_child_input_tensor_idx: int = 0,
        new_child_output_tensor_idx: int = 0,
    ) -> None:
        """Put a node between an output and all that read it."""
        readers = parent_node.output(parent_output_tensor_idx)
        for node, index in readers:
            node.remove_parent(index)
        parent_node.add_child(new_child_node, parent_output_tensor_idx, new_child_input_tensor_idx)
        for node, index in readers:
            new_child_node.add_child(node, new_child_output_tensor_idx, index)
        self._view.add(new_child_node)

    # --- inputs and outputs -----------------------------------------------------------------

    def add_ordered_outputs(self, outputs: Sequence[tuple[Node, int]], pos: int = -1) -> None:
        """Make more ports outputs of the graph, from a position on; at the end by default."""
        present = [port for port in self._view.get_ordered_outputs() if port not in outputs]
        place = len(present) if pos < 0 else pos
        self._view.set_ordered_outputs([*present[:place], *outputs, *present[place:]])

    def filter_secondary_outputs(self) -> None:
        """Keep, of each node with several outputs of the graph, the first one."""
        first: dict[Node, Port] = {}
        for port in self._view.get_ordered_outputs():
            if port.node not in first or port.index < first[port.node].index:
                first[port.node] = port
        self._view.set_ordered_outputs(list(first.values()))

    def get_mandatory_inputs(self) -> list[Port]:
        """List the inputs that must be fed."""
        return [p for p in self._view.get_ordered_inputs() if not p.node.is_optional_input(p.index)]

    def set_mandatory_inputs_first(self) -> None:
        """Order the inputs: those that must be fed come first."""
        needed = self.get_mandatory_inputs()
        others = [port for port in self._view.get_ordered_inputs() if port not in needed]
        self._view.set_ordered_inputs(needed + others)

    def set_attr_inputs_last(self) -> None:
        """Order the inputs: attributes given as tensors come last."""
        ports = self._view.get_ordered_inputs()
        ports.sort(key=lambda port: port.node.input_category(port.index).name.endswith("Attr"))
        self._view.set_ordered_inputs(ports)

    def get_ranked_nodes(self) -> tuple[list[Node], int]:
        """Rank the nodes: each is followed by its children, then its parents, not yet ranked.

        Returns
        -------
        list of Node, int
            The nodes from the first on, in an order that the graph alone decides; and how many of
            them are connected to the first, so that none of them came by order of addition.
        """
        mine = self._view.get_nodes()
        ranked: dict[Node, None] = {}
        reached = 0
        for root in self._view.topological_order():
            if root in ranked:
                continue
            reached = reached or len(ranked)
            pending = [root]
            for node in pending:
                if node in ranked or node not in mine:
                    continue
                ranked[node] = None
                pending += [*node.get_children(), *(port.node for _, port in node.edges_in())]
        return list(ranked), reached or len(ranked)

    def get_ranked_nodes_name(
        self, name_format: str = "{3}", mark_non_unicity: bool = False
    ) -> dict[Node, str]:
        """Return the names of every node by rank.

        ``{0}`` is the name, ``{1}`` the type, ``{2}`` the rank in the graph, ``{3}`` the rank
        among the nodes of the type. ``mark_non_unicity`` is taken for Aidge's sake: ranks are
        unique.
        """
        ranks: dict[str, int] = {}
        names = {}
        for rank, node in enumerate(self._view.topological_order()):
            of_type = ranks.get(node.type(), 0)
            ranks[node.type()] = of_type + 1
            names[node] = name_format.format(node.name(), node.type(), rank, of_type)
        return names

    # --- types, backends, copies, logs ------------------------------------------------------

    def forward_dtype(self, dtypes: Sequence[DType] | DType | DTypeLike = ()) -> bool:
        """Set the type of the graph's inputs, all or one by one; convert what follows from them.

        Return whether the types of all tensors are known: they always are.
        """
        if isinstance(dtypes, (list, tuple)):
            if not dtypes:
                return True
            dtypes = dtypes[0]
        self._view.set_datatype(cast("DTypeLike", dtypes))
        return True

    def set_backends(
        self,
        backends: Sequence[tuple[str, int]],
        allow_default_impl: bool = True,
        check_available_specs: bool = False,
    ) -> bool:
        """Set the first of some backends that exists on all nodes; return whether there is one.

        ``allow_default_impl`` and ``check_available_specs`` are taken for Aidge's sake.
        """
        known = [name for name, _ in backends if name in available_backends()]
        if known:
            self._view.set_backend(known[0])
        return bool(known)

    def set_device(self, device: int) -> None:
        """Check that the device is the only one there is, number 0."""
        check_device(device)

    def clone_shared_producers(self) -> GraphView:
        """Copy the graph; the copies of Producers have the operators of the original."""
        return self._view.clone_with_map(lambda node: node.type() == "Producer")[0]

    def clone_shared_operators(self) -> GraphView:
        """Copy nodes and edges; the operators are those of the original."""
        return self._view.clone_with_map(lambda node: True)[0]

    def log_outputs(self, path: str | PathLike[str]) -> None:
        """Write the numbers of all outputs: a folder for each node, a file for each output.

        Raises
        ------
        GraphError
            When an output has no data: the graph did not run.
        """
        for node, name in self._view.get_ranked_nodes_name("{0}[{1}#{3}]").items():
            folder = Path(path) / re.sub(r"[/\\\0]", "_", name)
            for index, tensor in enumerate(node.get_operator().get_outputs()):
                where = f"{node.label}, output#{index}"
                if tensor.is_undefined() or not (
                    tensor.has_data or allows(f"{where}, has no data: zeros are written.")
                ):
                    raise GraphError.at(where, "has no data", cure="Run the graph first.")
                values = tensor.array if tensor.has_data else np.zeros(tensor.dims)
                folder.mkdir(parents=True, exist_ok=True)
                text = f"{values.tolist()}\n"
                (folder / f"output_{index}.log").write_text(text, "utf-8")
