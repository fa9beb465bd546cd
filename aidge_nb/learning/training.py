"""Make the graph of a training step: the forward pass, the loss, and the backward pass.

Each node gets a gradient node. It reads the gradients from the readers of the node, added up, and
the values of the forward pass that it depends on, which must be kept until then. As any graph this
one can be scheduled, laid out in memory, and drawn.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from aidge_nb.core.errors import MissingKernelError, SchedulingError, ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.expand import expand_metaops
from aidge_nb.graph.generic import FixedDims, GenericOperator, GenericOperatorOp
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.spec import InputCategory
from aidge_nb.graph.view import GraphView, check_view
from aidge_nb.kernels.gradients import Gradient
from aidge_nb.kernels.registry import find_gradient, why_no_gradient
from aidge_nb.ops.arithmetic import Add

_LOOPED = ("Pop", "Stack", "Memorize")
_FIXED = (InputCategory.Attr, InputCategory.OptionalAttr)  # inputs without a gradient


@dataclass(frozen=True, slots=True, eq=False)
class TrainingGraph:
    """A training step as a graph.

    Attributes
    ----------
    graph
        Forward nodes under their names, ``loss``, and ``<name>_grad`` for the gradient of each.
    order
        The nodes in the order in which they run, without Producers. The backward pass is in the
        reverse order, as in :meth:`aidge_nb.SequentialScheduler.backward`.
    n_forward
        How many of them are the forward pass.
    kept
        Computed values of the forward pass that gradients read, by node and output, without views
        of them (Reshape).
    gradients
        The outputs that are the gradients of the parameters and of the inputs of the graph.
    """

    graph: GraphView
    order: tuple[Node, ...]
    n_forward: int
    kept: tuple[Port, ...]
    gradients: tuple[Port, ...]

    def __repr__(self) -> str:
        back = len(self.order) - self.n_forward
        return (
            f"TrainingGraph({self.n_forward} nodes there, {back} back, "
            f"{len(self.kept)} values kept, {len(self.gradients)} gradients)"
        )


def training_graph(view: GraphView, input_grads: bool = True) -> TrainingGraph:
    """Make the graph of a training step.

    Parameters
    ----------
    view
        A graph with known dimensions; it is copied, and meta-operators are expanded.
    input_grads
        Whether the gradients of the inputs of the graph are computed too, as by ``backward()``.

    Raises
    ------
    SchedulingError
        When the graph has a loop, or no parameter has a gradient.
    MissingKernelError
        When an operator in between has no gradient.
    ShapeError
        When dimensions are not known.

    Examples
    --------
    >>> import aidge_nb
    >>> view = aidge_nb.sequential([aidge_nb.FC(4, 3, name="fc"), aidge_nb.Tanh(name="t")])
    >>> view.forward_dims([[2, 4]])
    True
    >>> step = training_graph(view)
    >>> step
    TrainingGraph(2 nodes there, 3 back, 1 values kept, 3 gradients)
    >>> [node.name() for node in step.order]
    ['fc', 't', 'loss', 't_grad', 'fc_grad']
    """
    check_view(view, "training_graph", SchedulingError)
    graph, _ = view.clone_with_map()
    expand_metaops(graph)
    for node, name in graph.unique_names().items():
        node.set_name(name)
    _check(graph)
    return _Builder(graph, input_grads).build()


def _check(graph: GraphView) -> None:
    for node in graph.get_nodes():
        if node.type() in _LOOPED:
            raise SchedulingError.at(
                node.label,
                "the graph has a loop, whose backward pass is known only after a run",
                cure="Run forward() and backward(), and look at get_backward_scheduling().",
            )
        operator = node.get_operator()
        for index in range(node.get_nb_outputs()):
            if (
                operator.get_output(index).undefined()
                and index not in operator.spec.optional_outputs
            ):
                where = f"{node.label}, output#{index}"
                cure = "Call forward_dims() with the dimensions of the inputs first."
                raise ShapeError.at(where, "has no dimensions yet", cure=cure)


@dataclass(slots=True)
class _Builder:
    """Build a training step."""

    graph: GraphView
    input_grads: bool
    order: list[Node] = field(default_factory=list)
    kept: dict[Port, None] = field(default_factory=dict)
    leaves: list[Port] = field(default_factory=list)
    wanted: set[int] = field(default_factory=set)  # ids of tensors
    sources: dict[int, Port] = field(default_factory=dict)  # the output that writes a tensor
    gradient_of: dict[int, Port] = field(default_factory=dict)  # the gradient of a tensor so far

    def build(self) -> TrainingGraph:
        nodes = self.graph.topological_order()
        forward = [node for node in nodes if node.type() != "Producer"]
        outputs = [port for port in self.graph.get_ordered_outputs() if _is_float(_tensor(port))]
        self._find_wanted(nodes)
        self.order += forward
        self._add_loss([port for port in outputs if id(_tensor(port)) in self.wanted])
        for node in reversed(forward):
            self._add_gradient(node)
        self._collect_leaves(nodes)
        self.graph.set_ordered_outputs([(port.node, port.index) for port in self.leaves])
        return TrainingGraph(
            self.graph,
            tuple(self.order),
            len(forward),
            tuple(self.kept),
            tuple(self.leaves),
        )

    def _find_wanted(self, nodes: Sequence[Node]) -> None:
        for node in nodes:
            operator = node.get_operator()
            outputs = operator.get_outputs()
            for index, tensor in enumerate(outputs):
                self.sources[id(tensor)] = Port(node, index)
            if node.type() == "Producer":
                goes_on = not operator.attr.constant
            else:
                goes_on = any(self._wants(node, i) for i in range(node.get_nb_inputs()))
                goes_on = goes_on and why_no_gradient(operator.spec) is None
            if goes_on:
                self.wanted.update(id(tensor) for tensor in outputs if _is_float(tensor))

    def _wants(self, node: Node, index: int) -> bool:
        tensor = node.get_operator().get_input(index)
        if tensor is None or not _is_float(tensor) or node.input_category(index) in _FIXED:
            return False
        if id(tensor) not in self.sources and self.input_grads:
            self.wanted.add(id(tensor))
        return id(tensor) in self.wanted

    def _add_loss(self, outputs: list[Port]) -> None:
        if not outputs:
            raise SchedulingError.at(
                "training", "no output depends on a parameter by operators with a gradient"
            )
        loss = _make_node("Loss", "loss", [_tensor(port) for port in outputs], len(outputs))
        self._append(loss)
        for index, port in enumerate(outputs):
            port.node.add_child(loss, port.index, index)
            self.gradient_of[id(_tensor(port))] = Port(loss, index)

    def _append(self, node: Node) -> None:
        self.graph.add(node, include_learnable_params=False)
        self.order.append(node)

    def _add_gradient(self, node: Node) -> None:
        operator = node.get_operator()
        outputs = operator.get_outputs()
        arrived = [self.gradient_of[id(t)] for t in outputs if id(t) in self.gradient_of]
        targets = [i for i in range(node.get_nb_inputs()) if self._wants(node, i)]
        if not arrived or not targets:
            return
        found = find_gradient(operator.spec)
        if found is None:
            problem = f"operator {node.type()} has no gradient"
            raise MissingKernelError.at(node.label, problem)
        read = self._values_read(node, found)
        tensors = [operator.get_input(index) for index in targets]
        results = [tensor for tensor in tensors if tensor is not None]
        count = len(arrived) + len(read)
        back = _make_node(f"{node.type()}Grad", f"{node.name()}_grad", results, count)
        self._append(back)
        for index, port in enumerate(arrived):
            port.node.add_child(back, port.index, index)
        for index, tensor in enumerate(read, len(arrived)):
            self._connect(tensor, back, index)
        for index, tensor in enumerate(results):
            self._send_back(tensor, Port(back, index))

    def _values_read(self, node: Node, found: Gradient) -> list[Tensor]:
        operator = node.get_operator()
        numbers = filter(found.reads_input, range(node.get_nb_inputs()))
        inputs = [operator.get_input(index) for index in numbers]
        numbers = filter(found.reads_output, range(node.get_nb_outputs()))
        outputs = [operator.get_output(index) for index in numbers]
        read = {id(t): t for t in (*inputs, *outputs) if t is not None and not t.undefined()}
        return list(read.values())

    def _connect(self, tensor: Tensor, back: Node, index: int) -> None:
        """Connect a value of the forward pass to a gradient."""
        source = self.sources.get(id(tensor))
        if source is None:
            back.get_operator().associate_input(index, tensor)
            return
        source.node.add_child(back, source.index, index)
        while source.node.get_operator().spec.is_view:  # it shares the bytes of its input
            parent = source.node.get_operator().get_input(0)
            if parent is None or id(parent) not in self.sources:
                return
            source = self.sources[id(parent)]
        if source.node.type() != "Producer":
            self.kept[source] = None

    def _send_back(self, tensor: Tensor, port: Port) -> None:
        """Add a gradient of a tensor to the ones before."""
        before = self.gradient_of.get(id(tensor))
        if before is not None:
            total = Add(name=f"{port.node.name()}_sum{port.index or ''}")
            _give_dims(total, [tensor])
            before.node.add_child(total, before.index, 0)
            port.node.add_child(total, port.index, 1)
            self._append(total)
            port = Port(total, 0)
        self.gradient_of[id(tensor)] = port

    def _collect_leaves(self, nodes: Sequence[Node]) -> None:
        """Find the gradients of Producers, then those of the inputs of the graph."""
        parameters = [n.get_operator().get_output(0) for n in nodes if n.type() == "Producer"]
        found = [self.gradient_of[id(t)] for t in parameters if id(t) in self.gradient_of]
        found += [port for key, port in self.gradient_of.items() if key not in self.sources]
        if not found:
            raise SchedulingError.at("training", "no parameter has a gradient")
        self.leaves = found


def _tensor(port: Port) -> Tensor:
    return port.node.get_operator().get_output(port.index)


def _is_float(tensor: Tensor) -> bool:
    return tensor.dtype.is_float and not tensor.undefined()


def _make_node(type_name: str, name: str, like: Sequence[Tensor], nb_inputs: int) -> Node:
    """Make a node whose outputs have the dims and types of some tensors."""
    node = GenericOperator(type_name, nb_inputs, 0, len(like), name=name)
    _give_dims(node, like)
    return node


def _give_dims(node: Node, like: Sequence[Tensor]) -> None:
    operator = node.get_operator()
    dims = [list(tensor.dims) for tensor in like]
    if isinstance(operator, GenericOperatorOp):
        operator.set_forward_dims(FixedDims(dims))
    for index, tensor in enumerate(like):
        output = operator.get_output(index)
        output.set_datatype(tensor.dtype)
        output.resize(tensor.dims)
