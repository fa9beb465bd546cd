"""Spiking neurons: meta-operators around a cyclic micro-graph, as LSTM is.

The potential and the spike go round through Memorize nodes, one time step each time. Nodes, ports
and names are those of Aidge.

Source: L. Lapicque, Recherches quantitatives sur l'excitation électrique des nerfs, 1907;
W. Gerstner and W. Kistler, Spiking Neuron Models, 2002, section 4.1.
"""

from __future__ import annotations

from collections.abc import Iterable
from enum import Enum
from math import exp

import numpy as np

from aidge_nb.core.errors import GraphError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.meta import MetaOperator
from aidge_nb.graph.node import Node, Port
from aidge_nb.ops.activation import Heaviside
from aidge_nb.ops.arithmetic import Add, Mul, Sub
from aidge_nb.ops.build import make_producer
from aidge_nb.ops.producer import ConstantOfShape
from aidge_nb.ops.recurrent import CellBuilder
from aidge_nb.ops.sequence import Memorize
from aidge_nb.ops.shape import Shape


class leaky_reset(Enum):  # noqa: N801  # Aidge's name
    """The effect of a spike on the potential."""

    subtraction = 0
    """The threshold is taken from it."""
    to_zero = 1
    """It is taken away whole."""


def Leaky(
    nb_timesteps: int,
    beta: float,
    threshold: float = 1.0,
    reset: leaky_reset = leaky_reset.subtraction,
    output: bool = False,
    name: str = "",
) -> Node:
    """Make leaky integrate-and-fire neurons, one for each element of the data.

    One time step gives u' = β u + x - s θ, and a spike s' where u' is above the threshold θ. With
    ``leaky_reset.to_zero`` it is u' = (1 - s) β u + x. Outputs are the spikes, the potentials, then
    potentials and spikes as the last step left them.

    Parameters
    ----------
    nb_timesteps
        Number of time steps.
    beta
        Share of the potential that is left after a step.
    threshold
        Potential above which a neuron fires.
    reset
        Whether a spike takes the threshold, or the whole potential, from the next one.
    output
        Accepted for Aidge's sake: outputs are those of the graph.
    name
        Name of the neurons, which those of their nodes begin with.

    Examples
    --------
    >>> from aidge_nb import ops
    >>> leaky = ops.Leaky(3, beta=0.5, name="lif")
    >>> leaky.get_nb_inputs(), leaky.get_nb_outputs()
    (1, 4)
    """
    return _neurons("Leaky", nb_timesteps, beta, threshold, reset, name)


def Lapicque(
    nb_timesteps: int,
    beta: float | None = None,
    threshold: float = 1.0,
    reset: leaky_reset = leaky_reset.subtraction,
    output: bool = False,
    name: str = "",
    *,
    resistance: float | None = None,
    capacitance: float | None = None,
) -> Node:
    """Make the neurons of :func:`Leaky`, described as a resistor and a capacitor.

    Parameters
    ----------
    nb_timesteps, threshold, reset, output, name
        See :func:`Leaky`.
    beta
        Share of the potential that is left after a step.
    resistance, capacitance
        Instead of ``beta``, which is exp(-1 / (resistance · capacitance)) then.

    Raises
    ------
    GraphError
        Unless either ``beta`` or both others are given, above 0.
    """
    if beta is None and resistance and capacitance and min(resistance, capacitance) > 0:
        beta = exp(-1 / (resistance * capacitance))
    if beta is None:
        raise GraphError.at(
            "Lapicque",
            "how fast the potential decays is unknown",
            expected="beta, or resistance and capacitance above 0",
            found=f"resistance {resistance}, capacitance {capacitance}",
        )
    return _neurons("Lapicque", nb_timesteps, beta, threshold, reset, name)


def _neurons(
    kind: str, steps: int, beta: float, threshold: float, reset: leaky_reset, name: str
) -> Node:
    cell = CellBuilder(name)
    spike = cell.add("spike", Memorize(steps))
    potential = cell.add("potential", Memorize(steps))
    limit = _number(threshold, "leaky_uth")
    kept = cell.add("mul", Mul(), (potential, 1), _number(beta, "leaky_beta"))
    if reset is leaky_reset.to_zero:
        quiet = cell.add("one_minus_spike", Sub(), _number(1.0, "one"), (spike, 1))
        now = cell.add("add", Add(), cell.add("final", Mul(), quiet, kept), cell.data)
    else:
        lost = cell.add("reset", Mul(), (spike, 1), limit)
        now = cell.add("sub", Sub(), cell.add("add", Add(), cell.data, kept), lost)
    fires = cell.add("hs", Heaviside(0.0), cell.add("threshold", Sub(), now, limit))
    zeros = cell.add("cstofshape", ConstantOfShape(), cell.add("shape", Shape(), cell.data))
    for state, new in ((spike, fires), (potential, now)):
        new.add_child(state, 0, 0)
        zeros.add_child(state, 0, 1)
    for constant in (node for node in _parents(cell.view.get_nodes()) if node not in cell.view):
        cell.view.add(constant)
    cell.view.set_ordered_outputs([(node, 0) for node in (fires, now, potential, spike)])
    attributes = {"nb_timesteps": steps, "beta": beta, "threshold": threshold}
    ports = [[Port(cell.data, 0)]]
    return MetaOperator(kind, cell.view, name, input_ports=ports, attributes=attributes)


def _number(value: float, name: str) -> Node:
    return make_producer(Tensor(np.full(1, value, np.float32)), name, constant=True)


def _parents(nodes: Iterable[Node]) -> list[Node]:
    found = [parent for node in nodes for parent in node.get_parents() if parent is not None]
    return list(dict.fromkeys(found))
