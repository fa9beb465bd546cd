"""Nodes: operators connected by edges."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import TYPE_CHECKING, Any, NamedTuple, NoReturn
from weakref import ref

from aidge_nb.core.errors import GraphError, NameKindError
from aidge_nb.core.leniency import is_lenient
from aidge_nb.core.text import terminal_text
from aidge_nb.graph.attributes import Annotations
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.ports import NodePorts
from aidge_nb.graph.spec import InputCategory

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView


class Port(NamedTuple):
    """One end of an edge: a node and the number of its input or output."""

    node: Node
    index: int  # type: ignore[assignment]  # hides tuple.index, which no port needs


def _free() -> Port | None:
    """Return what stands for nothing: None, or a port of no node under Aidge's leniency."""
    return Port(None, 65535) if is_lenient() else None  # type: ignore[arg-type]  # as Aidge's


class _Views:
    """Weak references to the views of a node, in the order of joining.

    A :class:`weakref.WeakSet` for each node would be most of what is made with it.
    """

    __slots__ = ("_refs",)

    def __init__(self) -> None:
        self._refs: dict[ref[GraphView], None] = {}

    def add(self, view: GraphView) -> None:
        """Add a view."""
        if self._refs:
            self._refs = dict.fromkeys(each for each in self._refs if each() is not None)
        self._refs[ref(view)] = None

    def discard(self, view: GraphView) -> None:
        """Forget a view."""
        self._refs.pop(ref(view), None)

    def __iter__(self) -> Iterator[GraphView]:
        return (view for each in list(self._refs) if (view := each()) is not None)


class Node(NodePorts):
    """A named operator in a graph.

    Parameters
    ----------
    operator
        What the node does.
    name
        Its name; may be empty, diagrams then call it by type and rank, such as ``(FC#1)``.

    Examples
    --------
    >>> import aidge_nb
    >>> relu, tanh = aidge_nb.ReLU(name="relu"), aidge_nb.Tanh(name="tanh")
    >>> relu.add_child(tanh)
    >>> tanh.inputs()
    [Port(node=Node(relu, ReLU), index=0)]
    """

    __slots__ = (
        "__weakref__",
        "_children",
        "_id",
        "_name",
        "_operator",
        "_parents",
        "_views",
        "annotations",
    )
    _ids = count()

    def __init__(self, operator: Operator, name: str = "") -> None:
        self._id = next(Node._ids)
        self._operator = operator
        self._parents: list[Port | None] = [None] * operator.nb_inputs
        self._children: list[list[Port]] = [[] for _ in range(operator.nb_outputs)]
        self._views = _Views()
        self.annotations = Annotations()
        self._name = ""
        self.set_name(name)

    # --- description -------------------------------------------------------------------------

    def name(self) -> str:
        """Return the name; empty when it has none."""
        return self._name

    def set_name(self, name: str) -> None:
        """Rename the node; raise NameKindError for a name that is not a string."""
        if not isinstance(name, str):
            raise NameKindError.of(name, f"({self.type()})")
        self._name = name
        self._operator.label = f"{name} ({self.type()})" if name else f"({self.type()})"
        self._tell_views()

    def type(self) -> str:
        """Return the name of the operator's type."""
        return self._operator.spec.type

    def id(self) -> int:
        """Return the number of the node, in order of creation."""
        return self._id

    def get_operator(self) -> Operator:
        """Return the operator."""
        return self._operator

    @property
    def label(self) -> str:
        """The node's name in messages: ``name (Type)``."""
        return self._operator.label

    def attributes(self) -> Annotations:
        """Return the annotations of the node, such as ``schedule.cond``."""
        return self.annotations

    annot = property(attributes)

    def port(self, index: int) -> Port:
        """Return the port of an index."""
        return Port(self, index)

    def get_nb_inputs(self) -> int:
        """Count the input ports."""
        return len(self._parents)

    def get_nb_outputs(self) -> int:
        """Count the output ports."""
        return len(self._children)

    def input_category(self, index: int) -> InputCategory:
        """Return the category of input ``index``."""
        return self._operator.input_category(index)

    def is_optional_input(self, index: int) -> bool:
        """Return whether input ``index`` may stay unconnected."""
        return self._operator.is_optional_input(index)

    def parent_is_back_edge(self, index: int) -> bool:
        """Return whether input ``index`` closes a cycle."""
        return self._operator.is_back_edge(index)

    def input_name(self, index: int) -> str:
        """Return the name of input ``index``."""
        return self._operator.spec.input_spec(index).name

    def output_name(self, index: int) -> str:
        """Return the name of output ``index``."""
        names = self._operator.spec.outputs
        return names[index] if index < len(names) else f"output_{index}"

    def inputs_names(self) -> list[str]:
        """Return the names of all inputs."""
        return [self.input_name(index) for index in range(self.get_nb_inputs())]

    def outputs_names(self) -> list[str]:
        """Return the names of all outputs."""
        return [self.output_name(index) for index in range(self.get_nb_outputs())]

    # --- edges ------------------------------------------------------------------------------

    def source(self, index: int) -> Port | None:
        """Return the output that feeds input ``index``, None when nothing does."""
        if not 0 <= index < len(self._parents):
            self._operator.get_input(index)  # raises
        return self._parents[index]

    def sources(self) -> list[Port | None]:
        """Return the output that feeds each input; None for free inputs."""
        return list(self._parents)

    def input(self, index: int) -> Port | None:
        """Return what :meth:`source` does; for code written for Aidge, a free input is a port."""
        return self.source(index) or _free()

    def inputs(self) -> list[Port | None]:
        """Return what :meth:`input` does for each input."""
        return [port or _free() for port in self._parents]

    def output(self, index: int) -> list[Port]:
        """Return the inputs that output ``index`` feeds."""
        if not 0 <= index < len(self._children):
            self._operator.get_output(index)  # raises
        return list(self._children[index])

    def outputs(self) -> list[list[Port]]:
        """Return the inputs that each output feeds."""
        return [list(ports) for ports in self._children]

    def get_parent(self, index: int) -> Node | None:
        """Return the node that feeds input ``index``."""
        port = self.source(index)
        return None if port is None else port.node

    def get_parents(self) -> list[Node | None]:
        """Return the node that feeds each input."""
        return [None if port is None else port.node for port in self._parents]

    def get_ordered_children(self) -> list[list[Node]]:
        """Return the nodes that each output feeds."""
        return [[port.node for port in ports] for ports in self._children]

    def get_children(self, index: int | None = None) -> list[Node]:
        """Return the nodes that the outputs (or one of them) feed, each once."""
        groups = self._children if index is None else [self.output(index)]
        return list(dict.fromkeys([port.node for ports in groups for port in ports]))

    def get_nb_free_inputs(self) -> int:
        """Count the inputs that nothing feeds."""
        return sum(port is None for port in self._parents)

    def free_data_input(self) -> int | None:
        """Find the first data input that nothing feeds.

        An operator without data inputs, such as Shape, is fed at the first input that it needs.
        """
        ports = range(self.get_nb_inputs())
        wanted = [index for index in ports if self.input_category(index).is_data]
        wanted = wanted or [index for index in ports if not self.is_optional_input(index)]
        return next((index for index in wanted if self._parents[index] is None), None)

    def add_child(
        self,
        child: Node | GraphView,
        out_idx: int = 0,
        in_idx: int | tuple[Node, int] | None = None,
    ) -> None:
        """Connect output ``out_idx`` to an input of ``child``: the first free one by default.

        The input of a graph is its first, unless ``in_idx`` is a pair of node and index.

        Raises
        ------
        GraphError
            When the port does not exist or is connected, when ``child`` is neither a node nor a
            graph, and when a node would wait for itself.
        """
        if not isinstance(child, Node):
            child, in_idx = self._port_of_graph(child, in_idx)
        elif isinstance(in_idx, tuple):
            raise GraphError.at(
                child.label, "in_idx of a node must be a number", found=repr(in_idx)
            )
        tensor = self._operator.get_output(out_idx)
        if in_idx is None:
            in_idx = child.free_data_input()
            if in_idx is None:
                raise GraphError.at(
                    child.label, f"has no free data input for {self.label}, output#{out_idx}"
                )
        if child is self and not self.parent_is_back_edge(in_idx):
            cure = (
                "Close the loop through a Memorize node, whose second input gives the first value."
            )
            raise GraphError.at(f"{self.label}, input#{in_idx}", "would wait for itself", cure=cure)
        taken = child.source(in_idx)
        if taken is not None:
            raise GraphError.at(
                f"{child.label}, input#{in_idx}",
                "is connected already",
                found=taken.node.label,
                cure="Disconnect it first with remove_parent().",
            )
        child._operator.associate_input(in_idx, tensor)
        child._parents[in_idx] = Port(self, out_idx)
        self._children[out_idx].append(Port(child, in_idx))
        self._tell_views()
        child._tell_views()

    def _tell_views(self) -> None:
        for view in self._views:
            view.forget_facts()

    def _port_of_graph(self, graph: Any, wanted: Any) -> Port:
        """Find the input of a graph to feed."""
        if not hasattr(graph, "get_ordered_inputs"):
            raise GraphError.at(
                self.label,
                "cannot be connected to this object: pass a node or a graph",
                found=repr(graph),
            )
        ports: list[Port] = graph.get_ordered_inputs()
        first = wanted if isinstance(wanted, tuple) else next(iter(ports), None)
        if first not in ports:
            raise GraphError.at(
                self.label,
                f"cannot be connected to {graph!r}: unknown input",
                expected=[f"{port.node.label}, input#{port.index}" for port in ports],
                found=repr(wanted),
            )
        return ports[ports.index(first)]

    def remove_parent(self, index: int) -> None:
        """Disconnect input ``index``."""
        port = self.source(index)
        if port is not None:
            port.node._children[port.index].remove(Port(self, index))
            self._parents[index] = None
            self._operator.reset_input(index)
            self._tell_views()
            port.node._tell_views()

    def remove_child(self, child: Node, out_idx: int = 0) -> bool:
        """Disconnect ``child`` from output number ``out_idx``; tell whether it was connected."""
        mine = [port for port in self.output(out_idx) if port.node is child]
        for port in mine:
            child.remove_parent(port.index)
        return bool(mine)

    def reset_connections(self) -> None:
        """Disconnect everything."""
        for index in range(self.get_nb_inputs()):
            self.remove_parent(index)
        for ports in self.outputs():
            for port in ports:
                port.node.remove_parent(port.index)

    def edges_in(self) -> Iterator[tuple[int, Port]]:
        """Yield each connected input: its index and the output that feeds it."""
        for index, port in enumerate(self._parents):
            if port is not None:
                yield index, port

    # --- running and copies -----------------------------------------------------------------

    def forward(self) -> None:
        """Run the operator on its tensors."""
        self._operator.forward()

    def clone(self) -> Node:
        """Make an unconnected node with a copy of the operator and of the annotations."""
        copy = Node(self._operator.clone(), self._name)
        copy.annotations = Annotations(self.annotations)
        return copy

    def __reduce__(self) -> NoReturn:
        problem, cure = "is part of a graph, and not pickled alone", "Pickle the graph."
        raise GraphError.at(self.label, problem, cure=cure)

    def __repr__(self) -> str:
        return terminal_text(f"Node({self._name or '(unnamed)'}, {self.type()})")
