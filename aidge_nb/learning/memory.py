"""Plan the memory of a training step, and compare it with the forward pass."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

from aidge_nb.core.errors import MemoryPlanError, reading
from aidge_nb.core.forms import read_form
from aidge_nb.core.pictures import picture
from aidge_nb.graph.node import Port
from aidge_nb.graph.view import GraphView
from aidge_nb.learning.training import TrainingGraph, training_graph
from aidge_nb.memory.plan import plan_memory
from aidge_nb.memory.values.plan import MemoryPlan


@dataclass(frozen=True, slots=True, repr=False)
class TrainingMemory:
    """The memory of a training step; sizes in bytes.

    Parameters and the state of an optimizer are not included.

    Attributes
    ----------
    plan
        The plan of all values and gradients.
    forward_peak
        The arena of the forward pass alone, which keeps nothing for gradients.
    kept
        Values of the forward pass that are kept for gradients.
    gradients
        Gradients of the parameters and inputs, which live to the end.
    """

    plan: MemoryPlan
    forward_peak: int
    kept: int
    gradients: int

    @property
    def peak(self) -> int:
        """The arena of the whole step."""
        return self.plan.peak

    def __repr__(self) -> str:
        return (
            f"TrainingMemory({self.peak} bytes; forward pass alone {self.forward_peak}, "
            f"kept {self.kept}, gradients that stay {self.gradients})"
        )

    def _repr_mimebundle_(self, include: object = None, exclude: object = None) -> dict[str, Any]:
        return {**picture(self.plan), "text/plain": repr(self)}

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, for JSON."""
        return asdict(self)

    @classmethod
    @reading("memory of training", MemoryPlanError)
    def from_dict(cls, values: dict[str, Any]) -> TrainingMemory:
        """Read the values of :meth:`to_dict`.

        Raises
        ------
        MemoryPlanError
            For anything else.
        """
        found: TrainingMemory = read_form(values, cls, "memory of training", MemoryPlanError)
        return found


def backward_memory(
    view: GraphView | TrainingGraph, input_grads: bool = True, **options: Any
) -> TrainingMemory:
    """Plan the memory of a training step: forward pass, loss, and backward pass.

    Parameters
    ----------
    view
        A graph with known dimensions, or its :func:`training_graph`.
    input_grads
        Whether the gradients of the inputs of the graph are computed too.
    **options
        Those of :func:`aidge_nb.plan_memory`.

    Raises
    ------
    SchedulingError, MissingKernelError, ShapeError
        As :func:`training_graph` does.

    Examples
    --------
    >>> import aidge_nb
    >>> layers = [aidge_nb.Tanh(name=name) for name in "abc"]
    >>> view = aidge_nb.sequential([aidge_nb.FC(4, 8, name="fc"), *layers])
    >>> view.forward_dims([[2, 4]])
    True
    >>> backward_memory(view, input_grads=False)
    TrainingMemory(320 bytes; forward pass alone 64, kept 192, gradients that stay 160)
    """
    step = view if isinstance(view, TrainingGraph) else training_graph(view, input_grads)
    plan = plan_memory(step.graph, step.order, **options)
    return TrainingMemory(
        plan,
        _forward_peak(step, options),
        sum(map(_nbytes, step.kept)),
        sum(map(_nbytes, step.gradients)),
    )


def _forward_peak(step: TrainingGraph, options: dict[str, Any]) -> int:
    """Return the peak of the forward nodes alone, whose outputs are what the loss reads."""
    nodes: Sequence[Any] = step.order[: step.n_forward]
    forward = GraphView()
    producers = [node for node in step.graph.get_nodes() if node.type() == "Producer"]
    forward.add([*producers, *nodes], include_learnable_params=False)
    loss = step.order[step.n_forward]
    outputs = [loss.get_parent(index) for index in range(loss.get_nb_inputs())]
    ports = [
        Port(parent, number)
        for index, parent in enumerate(outputs)
        if parent is not None
        for number, children in enumerate(parent.outputs())
        if Port(loss, index) in children
    ]
    copy, twin = forward.clone_with_map()
    copy.set_ordered_outputs([(twin[port.node], port.index) for port in ports])
    return plan_memory(copy, [twin[node] for node in nodes], **options).peak


def _nbytes(port: Port) -> int:
    return port.node.get_operator().get_output(port.index).nbytes
