"""Graph views: sets of nodes with ordered inputs and outputs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, KeysView, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from numpy.typing import DTypeLike

from aidge_nb.core.dformat import DataFormat, as_dformat
from aidge_nb.core.dtype import DType
from aidge_nb.core.errors import AidgeError, GraphError, NameKindError, listed
from aidge_nb.core.leniency import is_lenient
from aidge_nb.core.log import logger
from aidge_nb.core.pictures import Shown
from aidge_nb.core.tensor import Tensor
from aidge_nb.core.text import terminal_text
from aidge_nb.graph.attributes import Annotations
from aidge_nb.graph.backend import backend_for
from aidge_nb.graph.edits import ViewEdits
from aidge_nb.graph.inference import propagate_dims, reset_dims
from aidge_nb.graph.inputs import input_slots
from aidge_nb.graph.mermaid import Saved
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.pickled import Pickled
from aidge_nb.graph.topology import free_inputs, free_outputs, names_of, topological_order

if TYPE_CHECKING:
    from aidge_nb.graph.snapshot import GraphSnapshot

_Fact = TypeVar("_Fact")


class GraphView(ViewEdits, Pickled, Saved, Shown):
    """A set of nodes, seen as one graph.

    Nodes may be in several views. The inputs of a view are the inputs that nothing inside feeds,
    its outputs the outputs that nothing inside reads; both have an order that can be set.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    >>> view.forward_dims([[2, 3]])
    True
    >>> view.get_node("b").get_operator().get_output(0)
    Tensor([2, 3], float32, no data)
    """

    def __init__(self, name: str = "") -> None:
        self.set_name(name)
        self._nodes: dict[Node, None] = {}
        self._facts: dict[str, Any] = {}  # what follows from nodes, edges and names
        self.edits = 0
        self._input_order: list[Port] = []
        self._output_order: list[Port] = []
        self.annotations = Annotations()

    # --- nodes ------------------------------------------------------------------------------

    def name(self) -> str:
        """Return the view's name."""
        return self._name

    def set_name(self, name: str) -> None:
        """Rename the view; raise NameKindError for a name that is not a string."""
        if not isinstance(name, str):
            raise NameKindError.of(name, "graph")
        self._name = name

    def get_nodes(self) -> KeysView[Node]:
        """Return the nodes: a set that keeps the order in which they were added."""
        return dict(self._nodes).keys()

    def get_node(self, name: str) -> Node:
        """Find a node by name.

        Raises
        ------
        GraphError
            When no node, or more than one, has this name; suggests similar names. Code written for
            Aidge gets None when there is none.
        """
        found = [node for node in self._nodes if node.name() == name]
        if len(found) == 1:
            return found[0]
        where = f"graph {self._name or '(unnamed)'}"
        if found:
            labels = listed([node.label for node in found])
            cure = "Rename them with set_name(), or pick from get_nodes()."
            raise GraphError.at(
                where, f"several nodes are called {name!r}", found=labels, cure=cure
            )
        if is_lenient():
            return None  # type: ignore[return-value]  # as Aidge does
        from difflib import get_close_matches

        close = get_close_matches(name, [node.name() for node in self._nodes if node.name()])
        cure = f"Did you mean {', '.join(close)}?" if close else ""
        raise GraphError.at(where, f"no node is called {name!r}", cure=cure)

    def in_view(self, node: Node | str) -> bool:
        """Return whether a node, or one of this name, is in the view."""
        if isinstance(node, Node):
            return node in self._nodes
        return any(mine.name() == node for mine in self._nodes)

    def __contains__(self, node: object) -> bool:
        return node in self._nodes

    def __len__(self) -> int:
        return len(self._nodes)

    def __iter__(self) -> Iterator[Node]:
        return iter(self.get_nodes())

    def add(
        self, item: Node | GraphView | Iterable[Node], include_learnable_params: bool = True
    ) -> None:
        """Add a node, the nodes of a view, or several nodes; a set in order of creation.

        With ``include_learnable_params`` the Producers that feed a node come with it.
        """
        if isinstance(item, Node):
            self._add_node(item, include_learnable_params)
            return
        if isinstance(item, (set, frozenset)):
            item = sorted(item, key=Node.id)
        for node in item.get_nodes() if isinstance(item, GraphView) else item:
            self._add_node(node, include_learnable_params)
        if isinstance(item, GraphView):
            self._input_order += item._input_order

    def forget_facts(self) -> None:
        """Count a change of nodes, edges or names, and drop what followed from them."""
        self.edits += 1
        self._facts.clear()

    def _fact(self, name: str, find: Callable[[], _Fact]) -> _Fact:
        found: _Fact | None = self._facts.get(name)
        if found is None:
            found = self._facts[name] = find()
        return found

    def _add_node(self, node: Node, with_producers: bool) -> None:
        self.forget_facts()
        self._nodes.setdefault(node)
        node._views.add(self)
        if with_producers:
            for _, parent in node.edges_in():
                if parent.node.type() == "Producer":
                    self._nodes.setdefault(parent.node)
                    parent.node._views.add(self)

    def add_child(
        self,
        child: Node | GraphView,
        from_node: Node | str | None = None,
        from_output: int = 0,
        to_input: int | None = None,
    ) -> None:
        """Add a node after ``from_node``: the only output node of the view by default."""
        source = self.get_node(from_node) if isinstance(from_node, str) else from_node
        if source is None:
            source = self._only("output", self.get_output_nodes(), "after", "from_node")
        first = child.get_input_nodes()[:1] if isinstance(child, GraphView) else [child]
        if not first:
            raise GraphError.at(f"graph {child.name() or '(unnamed)'}", "has no free input")
        source.add_child(first[0], from_output, to_input)
        self.add(child)

    def remove(self, node: Node, include_learnable_params: bool = True) -> None:
        """Remove a node from the view, with the Producers that feed no other node."""
        self.forget_facts()
        self._nodes.pop(node, None)
        node._views.discard(self)
        if include_learnable_params:
            for _, parent in node.edges_in():
                mine = [child for child in parent.node.get_children() if child in self._nodes]
                if parent.node.type() == "Producer" and not mine:
                    self._nodes.pop(parent.node, None)
                    parent.node._views.discard(self)

    # --- inputs and outputs -----------------------------------------------------------------

    def get_ordered_inputs(self) -> list[Port]:
        """Return the inputs that nothing in the view feeds: set ones first, then mandatory ones."""
        free = list(self._fact("inputs", lambda: free_inputs(self._nodes)))
        if self._input_order:
            rank = {port: i for i, port in reversed(list(enumerate(self._input_order)))}
            free.sort(key=lambda port: rank.get(port, len(rank)))
        return free

    def get_input_groups(self) -> list[list[Port]]:
        """Return the ordered inputs, grouped by shared tensor."""
        groups: dict[object, list[Port]] = {}
        for port in self.get_ordered_inputs():
            tensor = port.node.get_operator().get_input(port.index)
            groups.setdefault(port if tensor is None else id(tensor), []).append(port)
        return list(groups.values())

    def get_ordered_outputs(self) -> list[Port]:
        """Return the outputs of the graph: those set by the user, else those without readers."""
        chosen = [port for port in self._output_order if port.node in self._nodes]
        return chosen or list(self._fact("outputs", lambda: tuple(free_outputs(self._nodes))))

    def set_ordered_inputs(self, ports: Sequence[tuple[Node, int]]) -> None:
        """Set the order of the inputs; inputs not listed follow."""
        self._input_order = [self._own_port("input", *port) for port in ports]

    def set_ordered_outputs(self, ports: Sequence[tuple[Node, int]]) -> None:
        """Set the outputs of the graph and their order."""
        self._output_order = [self._own_port("output", *port) for port in ports]

    def _own_port(self, kind: str, node: Node, index: int) -> Port:
        if node not in self._nodes:
            raise GraphError.at(f"{node.label}, {kind}#{index}", "is not in this graph")
        getattr(node.get_operator(), f"get_{kind}")(index)  # raises
        return Port(node, index)

    def get_input_nodes(self) -> list[Node]:
        """Return the nodes with an ordered input, each once."""
        return list(dict.fromkeys(port.node for port in self.get_ordered_inputs()))

    def get_output_nodes(self) -> list[Node]:
        """Return the nodes with an ordered output, each once."""
        return list(dict.fromkeys(port.node for port in self.get_ordered_outputs()))

    # --- order and names --------------------------------------------------------------------

    def topological_order(self) -> list[Node]:
        """Return the nodes so that producers come before consumers; ties in order of addition.

        Raises
        ------
        GraphError
            For a cycle without a node, such as Memorize, that starts it.
        """
        return list(self._fact("order", lambda: topological_order(self._nodes)))

    def unique_names(self) -> dict[Node, str]:
        """Return a unique name for every node: ``(FC#1)`` for one without or with a shared name."""
        found = self._fact("names", lambda: names_of(self.topological_order()))
        return {node: found[node] for node in self._nodes}

    # --- dimensions, types, backend ---------------------------------------------------------

    def forward_dims(
        self,
        dims: Sequence[Sequence[int] | None] = (),
        allow_data_dependency: bool = False,
    ) -> bool:
        """Compute the dimensions of all tensors; tell whether all are known.

        What is missing or does not match is logged as an error, what depends on data as a
        warning. :func:`aidge_nb.graph.propagate_dims` returns the same as a value.

        Parameters
        ----------
        dims
            Dimensions of the graph inputs in the order of :meth:`get_ordered_inputs`; None or
            empty where they are known. Those that are known stay: :meth:`reset_dims` frees them.
        allow_data_dependency
            Whether shapes may be computed from data that are known before the graph runs.

        Raises
        ------
        ShapeError
            When the inputs of an operator do not fit each other.
        """
        report = propagate_dims(self, dims, allow_data_dependency)
        for problem in report.problems:
            logger.error(problem)
        for note in report.notes:
            logger.warning(note)
        if report.unknown:
            logger.warning(
                "Unable to forward dimensions: output dims stay unknown for [%s] "
                "(a cycle without initial value, dims that depend on data, or a generic operator)",
                ", ".join(report.unknown),
            )
        return report.complete

    def reset_dims(self) -> None:
        """Clear dimensions and data, except those of Producers, so that others can be set."""
        reset_dims(self)

    def set_backend(self, name: str, arithmetic: str = "fast") -> None:
        """Set the backend of all nodes; ``arithmetic="exact"`` gives the bits of exported C."""
        chosen = backend_for(name, arithmetic)
        for node in self._nodes:
            node.get_operator().set_backend(chosen)

    def set_datatype(self, dtype: DType | DTypeLike) -> None:
        """Convert floating-point tensors; integers (indices, shapes) and booleans stay."""
        for node in self._nodes:
            node.get_operator().set_datatype(dtype)
        for port, *_ in self.get_input_groups():
            tensor = port.node.get_operator().get_input(port.index)
            if (
                tensor is not None
                and port.node.source(port.index) is None
                and tensor.dtype.is_float
            ):
                tensor.set_datatype(dtype)

    def set_dataformat(self, dformat: DataFormat | str) -> None:
        """Request an axis order for outputs with as many axes; ``default`` cancels the request.

        Numbers stay: :func:`aidge_nb.explicit_transpose` grants it, with Transposes at the borders.

        Raises
        ------
        ShapeError
            When there is no such format.
        """
        for node in self:
            if node.type() != "Producer":
                node.annotations["wanted_format"] = as_dformat(dformat)

    def compile(
        self,
        backend: str = "cpu",
        dtype: DType | DTypeLike = DType.float32,
        device: int = 0,
        dims: Sequence[Sequence[int] | None] = (),
        *,
        arithmetic: str = "fast",
    ) -> bool:
        """Set backend, arithmetic and data type, then propagate dimensions."""
        del device
        self.set_backend(backend, arithmetic)
        for slot in [slot for slot in input_slots(self)[: len(dims)] if slot.tensor is None]:
            for node, index in slot.ports[:1]:
                node.get_operator().associate_input(index, Tensor())
        self.set_datatype(dtype)
        return self.forward_dims(dims)

    # --- copies, pictures -------------------------------------------------------------------

    def clone(self) -> GraphView:
        """Make an independent copy of the graph."""
        return self.clone_with_map()[0]

    def clone_with_map(
        self, shares: Callable[[Node], bool] = lambda node: False
    ) -> tuple[GraphView, dict[Node, Node]]:
        """Make a copy, and tell which node became which; ``shares`` picks operators to share."""
        from aidge_nb.graph.cloning import clone_view

        return clone_view(self, shares=shares)

    @staticmethod
    def replace(
        old: Iterable[Node] | GraphView,
        new: Iterable[Node] | GraphView,
        ignore_new_outputs: bool = False,
    ) -> bool:
        """Replace nodes by others; see :func:`aidge_nb.graph.replace_nodes`."""
        from aidge_nb.graph.replace import replace_nodes

        return replace_nodes(old, new, ignore_new_outputs=ignore_new_outputs)

    def snapshot(self) -> GraphSnapshot:
        """Return the graph as a value that views and reports read."""
        from aidge_nb.graph.snapshot import GraphSnapshot

        return GraphSnapshot.of(self)

    def __repr__(self) -> str:
        return terminal_text(f"GraphView({self._name or '(unnamed)'}, {len(self._nodes)} nodes)")


def check_view(view: object, where: str, error: type[AidgeError] = GraphError) -> None:
    """Check that an argument of the function `where` is a graph; raise `error` otherwise.

    Examples
    --------
    >>> check_view("model.onnx", "tiling")
    Traceback (most recent call last):
        ...
    aidge_nb.core.errors.GraphError: tiling: is not a graph (expected a GraphView, found str). \
Pass the graph that aidge_nb.load_onnx() or aidge_nb.sequential([...]) returns.
    """
    if not isinstance(view, GraphView):
        cure = "Pass the graph that aidge_nb.load_onnx() or aidge_nb.sequential([...]) returns."
        found = type(view).__name__
        raise error.at(where, "is not a graph", expected="a GraphView", found=found, cure=cure)
