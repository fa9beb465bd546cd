"""Counts of operations, parameters and memory, under the names of ``aidge_core``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any

from aidge_nb.compat.served.mem_info import write_svg
from aidge_nb.core.text import html_text
from aidge_nb.graph.node import Node
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.view import GraphView

KINDS = {
    "arithm": "Abs Add Div Mul Neg Reciprocal ReduceMean ReduceSum Sub Sum GlobalAveragePooling",
    "logic": "And BitShift Not",
    "comp": "Clip Equal Greater GreaterOrEqual LeakyReLU Less LessOrEqual Max MaxPooling1D "
    "MaxPooling2D MaxPooling3D Min ReLU ReduceMax ReduceMin Where",
    "nl": "Asin Atan Cos Cosh Erf Exp HardSigmoid Ln LogSoftmax Pow Sigmoid Sin Sinh Softmax "
    "Softplus Sqrt Tan Tanh",
}
"""Operators without multiply-accumulates by what they do once for each element of the output."""

_KIND_OF = {type_name: kind for kind, names in KINDS.items() for type_name in names.split()}
REGISTERED: dict[str, Callable[[Operator], Any]] = {}
"""Makers of counts of one's own, by type of operator."""


class OperatorStats:
    """Counts of one execution of an operator.

    Multiply-accumulates are those that this library counts for each operator; each is two
    arithmetic operations.

    Examples
    --------
    >>> import aidge_nb
    >>> graph = aidge_nb.sequential([aidge_nb.FC(4, 3, name="fc")])
    >>> graph.compile(dims=[[2, 4]])
    True
    >>> stats = OperatorStats.get_op_stats(graph.get_node("fc"))
    >>> stats.get_nb_mac_ops(), stats.get_nb_arithm_ops()
    (24, 48)
    """

    def __init__(self, op: Operator) -> None:
        self._operator = op

    @staticmethod
    def get_op_stats(node: Node) -> OperatorStats:
        """Return the counts of a node's operator."""
        operator = node.get_operator()
        made: OperatorStats = REGISTERED.get(node.type(), OperatorStats)(operator)
        return made

    def get_operator(self) -> Operator:
        """Return the operator."""
        return self._operator

    def get_nb_mac_ops(self) -> int:
        """Count multiply-accumulates; 0 while dims are unknown."""
        return self._operator.macs() or 0

    def _count(self, kind: str) -> int:
        inside = self._operator.micro_graph
        if inside is not None:
            return sum(OperatorStats.get_op_stats(node)._count(kind) for node in inside)
        of_type = _KIND_OF.get(self._operator.type())
        return self._operator.get_output(0).size if of_type == kind else 0

    def get_nb_arithm_ops(self) -> int:
        """Count additions, multiplications and their like, on numbers of any type."""
        return 2 * self.get_nb_mac_ops() + self._count("arithm")

    def _is_float(self) -> bool:
        outputs = self._operator.get_outputs()
        return bool(outputs) and outputs[0].dtype.is_float

    def get_nb_arithm_fp_ops(self) -> int:
        """Count arithmetic operations on floating-point numbers."""
        return self.get_nb_arithm_ops() if self._is_float() else 0

    def get_nb_arithm_int_ops(self) -> int:
        """Count arithmetic operations on integers."""
        return 0 if self._is_float() else self.get_nb_arithm_ops()

    def get_nb_logic_ops(self) -> int:
        """Count logic operations."""
        return self._count("logic")

    def get_nb_comp_ops(self) -> int:
        """Count comparisons."""
        return self._count("comp")

    def get_nb_nl_ops(self) -> int:
        """Count functions such as ``exp``."""
        return self._count("nl")

    def get_nb_ops(self) -> int:
        """Count operations of all kinds."""
        return (
            self.get_nb_arithm_ops()
            + self.get_nb_logic_ops()
            + self.get_nb_comp_ops()
            + self.get_nb_nl_ops()
        )


COUNTED = ("arithm", "arithm_fp", "arithm_int", "comp", "logic", "mac", "nl")


class StaticAnalysis:
    """Counts of one pass through a graph, and of what its nodes hold.

    Besides the methods below there is ``get_nb_<kind>_ops()`` for the kinds that
    :class:`OperatorStats` counts, and ``log_nb_<kind>_ops(filename)``, which draws bars.
    """

    def __init__(self, graph: GraphView) -> None:
        self._graph = graph

    def get_graph(self) -> GraphView:
        """Return the graph."""
        return self._graph

    def _times(self, node: Node) -> int:
        return 1

    def _of(self, node: Node, what: str) -> int:
        return int(getattr(OperatorStats.get_op_stats(node), what)())

    def _parameters(self, node: Node) -> list[Any]:
        ports = [port for _, port in node.edges_in() if port.node.type() == "Producer"]
        parents = [port.node.get_operator().get_output(port.index) for port in ports]
        return [tensor for tensor in parents if not tensor.is_undefined()]

    def get_nb_params(self, node: Node) -> int:
        """Count the numbers that Producers give a node."""
        return sum(tensor.size for tensor in self._parameters(node))

    def get_params_size(self, node: Node) -> int:
        """Return the size of these numbers in bits."""
        tensors = self._parameters(node)
        return sum(tensor.size * tensor.dtype.itemsize * 8 for tensor in tensors)

    def summary(self, inc_producers: bool = False) -> None:
        """Print a table of nodes, their outputs and parameters, and the sums."""
        line, double = "-" * 80, "=" * 80
        rows = [line, f"{'Layer (type)':<45}{'Output Shape':>25}{'Param #':>10}", double]
        order = self._graph.topological_order()
        names = self._graph.get_ranked_nodes_name("{0} ({1}#{3})")
        for node in order:
            if inc_producers or node.type() != "Producer":
                shape = str(list(node.get_operator().get_output(0).dims))
                rows.append(f"{names[node]:<45}{shape:>25}{self.get_nb_params(node):>10}")
        total = sum(map(self.get_nb_params, order))
        rows += [double, f"{'Total params':<45}{total:>35}", line]
        inputs = [
            p.node.get_operator().get_input(p.index) for p in self._graph.get_ordered_inputs()
        ]
        outputs = [t for n in order if n.type() != "Producer" for t in n.get_operator()._outputs]
        sizes = {
            "Input size": sum(map(_bytes, inputs)),
            "Forward/backward pass": sum(map(_bytes, outputs)),
            "Params size": sum(map(self.get_params_size, order)) / 8,
        }
        rows += [_megabytes(name, size) for name, size in sizes.items()]
        rows += [line, _megabytes("Estimated Total Size", sum(sizes.values())), line]
        sys.stdout.write("\n".join(rows) + "\n")

    def _log(self, count: Callable[[Node], Any], filename: Any, title: str | None) -> list[Any]:
        names = self._graph.get_ranked_nodes_name("{0} ({1}#{3})")
        nodes = [node for node in self._graph.topological_order() if node.type() != "Producer"]
        found = [[names[node], count(node)] for node in nodes]
        if filename is not None:
            _draw(found, filename, title)
        return found

    def log_nb_params(
        self, filename: Any, title: str | None = None, log_scale: bool = False
    ) -> list[Any]:
        """Draw how many parameters each node has; return names and counts."""
        return self._log(self.get_nb_params, filename, title)

    def log_params_size(
        self, filename: Any, title: str | None = None, log_scale: bool = False
    ) -> list[Any]:
        """Draw how many bits the parameters of each node have; return names and counts."""
        return self._log(self.get_params_size, filename, title)

    def log_nb_ops_by_type(
        self, filename: Any, title: str | None = None, log_scale: bool = False
    ) -> list[Any]:
        """Draw the operations of each node; return their counts by kind."""
        kinds = [
            f"get_nb_{kind}_ops" for kind in ("arithm_int", "arithm_fp", "logic", "comp", "nl")
        ]
        if filename is not None:
            self._log(lambda node: self._of(node, "get_nb_ops"), filename, title)
        return self._log(lambda node: [self._of(node, each) for each in kinds], None, title)


class DynamicAnalysis(StaticAnalysis):
    """The same for a schedule, in which nodes may run several times.

    Parameters
    ----------
    scheduler
        A scheduler that has scheduled its graph.
    """

    def __init__(self, scheduler: Any) -> None:
        super().__init__(scheduler.graph_view())
        self._order = [element.node for element in scheduler.get_static_scheduling()]

    def _times(self, node: Node) -> int:
        return self._order.count(node)


def _give(kind: str) -> None:
    """Add the methods for a kind of operations to the analyses."""
    name = f"get_nb_{kind}ops"

    def total(self: StaticAnalysis) -> int:
        return sum(self._of(node, name) * self._times(node) for node in self._graph)

    def log(
        self: StaticAnalysis, filename: Any, title: str | None = None, log_scale: bool = False
    ) -> list[Any]:
        return self._log(lambda node: self._of(node, name), filename, title)

    total.__doc__ = f"Count the {kind.rstrip('_') or 'operations'} of one pass."
    log.__doc__ = f"Draw the {kind.rstrip('_') or 'operations'} of each node; return the counts."
    setattr(StaticAnalysis, name, total)
    setattr(StaticAnalysis, f"log_nb_{kind}ops", log)


for _kind in ("", *(f"{kind}_" for kind in COUNTED)):
    _give(_kind)


def _bytes(tensor: Any) -> int:
    return 0 if tensor is None or tensor.is_undefined() else tensor.size * tensor.dtype.itemsize


def _megabytes(name: str, size: float) -> str:
    return f"{name:<63}: {size / 2**20:>12.2f} MB"


def _draw(rows: list[list[Any]], filename: Any, title: str | None) -> None:
    """Write an SVG picture with one bar for each row, whatever the ending of the name."""
    most = max((value for _, value in rows), default=0) or 1
    text = '<text x="{}" y="{}">{}</text>'
    lines = [text.format(8, 18, html_text(title or ""))]
    for number, (name, value) in enumerate(rows):
        y = 28 + 20 * number
        lines.append(text.format(8, y + 14, html_text(name)))
        lines.append(f'<rect x="240" y="{y}" width="{300 * value / most:g}" height="16"/>')
        lines.append(text.format(548, y + 14, value))
    style = "text{font:12px sans-serif}rect{fill:#4477aa}"
    write_svg(filename, (660, 40 + 20 * len(rows)), style, lines)


class ActivityTracker:
    """Which neurons never had a value above 0; one that was never seen is dead.

    Attributes
    ----------
    neurons
        Whether each neuron is dead, up to the last that was seen.

    Examples
    --------
    >>> tracker = ActivityTracker()
    >>> tracker.add(2, 0.5)
    >>> tracker.neurons, tracker.count_dead_neurons()
    ([True, True, False], 2)
    """

    def __init__(self) -> None:
        self.neurons: list[bool] = []

    def add(self, index: int, value: float) -> None:
        """Take in a value of a neuron."""
        self.neurons += [True] * (index + 1 - len(self.neurons))
        if value > 0:
            self.neurons[index] = False

    def is_dead(self, index: int) -> bool:
        """Return whether no value of a neuron was above 0."""
        return self.neurons[index] if index < len(self.neurons) else True

    def count_dead_neurons(self) -> int:
        """Count the dead neurons among those up to the last that was seen."""
        return sum(self.neurons)
