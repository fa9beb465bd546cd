"""Spiking neurons with a synaptic current or a recurrent weight, and a sum that watches a change.

They are meta-operators around a cyclic micro-graph, as :func:`~aidge_nb.ops.Leaky` is. Nodes, ports
and names are those of Aidge, where the number of steps of some loops is fixed.

Source: E. O. Neftci and others, Surrogate Gradient Learning in Spiking Neural Networks, 2019;
M. Dampfhoffer and others, Investigating Current-Based and Gating Approaches for Accurate and
Energy-Efficient Spiking Recurrent Neural Networks, 2022; E. S. Page, Continuous Inspection Schemes,
1954.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from aidge_nb.core.errors import GraphError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.meta import MetaOperator
from aidge_nb.graph.node import Node, Port
from aidge_nb.ops.activation import Clip, Heaviside, Sigmoid
from aidge_nb.ops.arithmetic import Add, Mul, Sub
from aidge_nb.ops.build import add_parameter, make_node, make_producer
from aidge_nb.ops.linear import FULLY_CONNECTED
from aidge_nb.ops.producer import ConstantOfShape
from aidge_nb.ops.recurrent import CellBuilder
from aidge_nb.ops.sequence import Memorize
from aidge_nb.ops.shape import Shape
from aidge_nb.ops.spiking import leaky_reset

STEPS = 10
"""How often the loops go round whose number of steps Aidge does not ask for."""


class LoopBuilder(CellBuilder):
    """A micro-graph with numbers, recurrent layers and states that begin with zeros."""

    def number(self, value: float, name: str) -> Node:
        """Add a constant that has a name of its own."""
        return self.named(name, make_producer(Tensor(np.full(1, value, np.float32)), constant=True))

    def named(self, name: str, node: Node, *sources: Node | tuple[Node, int]) -> Node:
        """Add a node whose name does not begin with that of the cell."""
        added = self.add("", node, *sources)
        added.set_name(name)
        return added

    def layer(self, name: str, source: Node | tuple[Node, int], features: int) -> Node:
        """Add a fully connected layer, with its parameters."""
        added = self.add(name, make_node(FULLY_CONNECTED), source)
        self.view.add(add_parameter(added, 1, "w", (features, features)))
        self.view.add(add_parameter(added, 2, "b", (features,)))
        return added

    def close(self, states: Mapping[Node, Node], zeros: tuple[str, str] = ("", "")) -> None:
        """Let each state begin with zeros and become what a node gives."""
        shape = self.named("", Shape(), self.data)
        start = self.named("", ConstantOfShape(), shape)
        for node, name in zip((start, shape), zeros, strict=True):
            node.set_name(f"{self._name}_{name}" if name and self._name else "")
        for state, new in states.items():
            new.add_child(state, 0, 0)
            start.add_child(state, 0, 1)

    def done(
        self,
        kind: str,
        outputs: Sequence[tuple[Node, int]],
        others: Sequence[Port] = (),
        **attributes: Any,
    ) -> Node:
        """Make the node, whose inputs are the data and others."""
        self.view.set_ordered_outputs(list(outputs))
        ports = [[Port(self.data, 0)], *([port] for port in others)]
        return MetaOperator(kind, self.view, self._name, input_ports=ports, attributes=attributes)


def Synaptic(alpha: float, beta: float, name: str = "") -> Node:
    """Make leaky neurons that a synaptic current charges.

    One time step gives i' = α i + x and u' = β u + i' - s, and a spike s' where u' is above 1.
    Outputs are spikes, potentials and currents, then currents, potentials and spikes as the last
    step left them.

    Parameters
    ----------
    alpha, beta
        Shares of the current and of the potential that are left after a step.
    name
        Name of the neurons, which those of their nodes begin with.

    Examples
    --------
    >>> from aidge_nb.compat import operators
    >>> operators.Synaptic(0.9, 0.5).get_nb_outputs()
    6
    """
    cell = LoopBuilder(name)
    names = ("isyn", "potential", "spike")
    current, potential, spike = (cell.add(each, Memorize(STEPS)) for each in names)
    limit = cell.add("uth", _constant(1.0))
    kept = cell.add("mul_alpha", Mul(), (current, 1), cell.add("alpha", _constant(alpha)))
    charged = cell.add("add_isyn", Add(), kept, cell.data)
    left = cell.add("mul_beta", Mul(), (potential, 1), cell.add("beta", _constant(beta)))
    before = cell.add("add_upre", Add(), left, charged)
    now = cell.add("sub", Sub(), before, cell.add("reset", Mul(), (spike, 1), limit))
    fires = cell.add("hs", Heaviside(0.0), cell.add("threshold", Sub(), now, limit))
    cell.close({spike: fires, potential: now, current: charged})
    outputs = [(node, 0) for node in (fires, now, charged, current, potential, spike)]
    return cell.done("Synaptic", outputs, alpha=alpha, beta=beta)


def RLeaky(
    nb_timesteps: int,
    beta: float,
    threshold: float,
    linear_features: float | None = None,
    reset: leaky_reset = leaky_reset.subtraction,
    output: bool = False,
    name: str = "",
    *,
    multiplier: float | None = None,
) -> Node:
    """Make leaky neurons whose spikes come back to them.

    One time step gives u' = β u + x + V(s) - s θ, and a spike s' where u' is above the threshold θ.
    Outputs are the spikes, then the potentials and the spikes as the last step left them.

    Parameters
    ----------
    nb_timesteps
        Number of time steps; up to one less than twice as many go, as in Aidge.
    beta, threshold
        Share of the potential that is left after a step; potential above which a neuron fires.
    linear_features
        V is a fully connected layer of so many features, when this is an int; its Producers are
        called ``<name>_recurrent_w`` and ``<name>_recurrent_b``. V multiplies by a float.
    reset
        ``leaky_reset.subtraction``, as in Aidge.
    output
        Accepted for Aidge's sake: outputs are those of the graph.
    name
        Name of the neurons, which those of their nodes begin with.
    multiplier
        Another name for a float that V multiplies by.

    Raises
    ------
    GraphError
        For another ``reset``, or without V.
    """
    _check_reset("RLeaky", reset)
    cell = LoopBuilder(name)
    spike, potential = (cell.add(each, Memorize(2 * nb_timesteps - 1)) for each in _STATES)
    limit = cell.number(threshold, "leaky_uth")
    kept = Mul(), (potential, 1), cell.number(beta, "leaky_beta")
    charged = cell.named(f"{name}add1", Add(), cell.data, cell.named(f"{name}mul", *kept))
    weight = _weight("RLeaky", linear_features, multiplier)
    if isinstance(weight, float):
        back = cell.named("recurrent", Mul(), (spike, 1), cell.number(weight, "leaky_uth_1"))
    else:
        back = cell.layer("recurrent", (spike, 1), weight)
    all_of_it = cell.named(f"{name}add2", Add(), back, charged)
    lost = cell.add("reset", Mul(), (spike, 1), limit)
    now = cell.named(f"{name}sub", Sub(), all_of_it, lost)
    above = cell.add("threshold", Sub(), now, limit)
    fires = cell.add("hs", Heaviside(0.0), above)
    cell.close({spike: fires, potential: now}, ("cstofshape", "shape"))
    outputs = [(node, 0) for node in (fires, potential, spike)]
    attributes: dict[str, Any] = {"nb_timesteps": nb_timesteps, "beta": beta}
    return cell.done("RLeaky", outputs, threshold=threshold, **attributes)


def RSynaptic(
    nb_timesteps: int,
    alpha: float,
    beta: float,
    threshold: float,
    linear_features: float | None = None,
    reset: leaky_reset = leaky_reset.subtraction,
    output: bool = False,
    name: str = "",
    *,
    multiplier: float | None = None,
) -> Node:
    """Make the neurons of :func:`Synaptic` whose spikes come back to them.

    One time step gives i' = α i + x + V(s) and u' = β u + i' - s θ, and a spike s' where u' is
    above the threshold θ. Outputs are the spikes, then potentials, currents and spikes as the last
    step left them.

    Parameters
    ----------
    nb_timesteps, beta, threshold, linear_features, reset, output, name, multiplier
        See :func:`RLeaky`.
    alpha
        Share of the current that is left after a step.

    Raises
    ------
    GraphError
        For another ``reset``, or without V.
    """
    _check_reset("RSynaptic", reset)
    cell = LoopBuilder(name)
    end = 2 * nb_timesteps - 1
    current, potential, spike = (cell.add(n, Memorize(end)) for n in ("isyn", *_STATES[::-1]))
    limit = cell.add("uth", _constant(threshold))
    kept = cell.add("mul_alpha", Mul(), (current, 1), cell.add("alpha", _constant(alpha)))
    weight = _weight("RSynaptic", linear_features, multiplier)
    if isinstance(weight, float):
        times = cell.add("mult", _constant(weight))
        back = cell.add("elem_recurrent", Mul(), (spike, 1), times)
    else:
        back = cell.layer("recurrent", (spike, 1), weight)
    given = cell.add("add_isyn_input", Add(), kept, cell.data)
    charged = cell.add("add_isyn_full", Add(), given, back)
    left = cell.add("mul_beta", Mul(), (potential, 1), cell.add("beta", _constant(beta)))
    before = cell.add("add_potential_pre", Add(), left, charged)
    now = cell.add("sub_reset", Sub(), before, cell.add("reset", Mul(), (spike, 1), limit))
    above = cell.add("threshold", Sub(), now, limit)
    fires = cell.add("hs", Heaviside(0.0), above)
    cell.close({spike: fires, potential: now, current: charged})
    attributes: dict[str, Any] = {"nb_timesteps": nb_timesteps, "alpha": alpha, "beta": beta}
    outputs = [(node, 0) for node in (fires, potential, current, spike)]
    return cell.done("RSynaptic", outputs, threshold=threshold, **attributes)


def SpikGRU(alpha: float, nb_features: int, name: str = "") -> Node:
    """Make a gated recurrent unit that fires.

    One time step gives z = σ(W x + U s), i' = α i + V x + R s, v' = z v + (1 - z) i' - s, and a
    spike s' where v' is above 1. Outputs are the spikes, then potentials and currents, then both as
    the loop goes on with them.

    Parameters
    ----------
    alpha
        Share of the current that is left after a step.
    nb_features
        Number of features of the data and of the state.
    name
        Name of the unit, which those of its nodes begin with. Its layers are called ``<name>_wz``,
        ``_uz``, ``_wi`` and ``_ui``.
    """
    cell = LoopBuilder(name)
    names = ("isyn", "potential", "spike")
    current, potential, spike = (cell.add(each, Memorize(STEPS)) for each in names)
    limit = cell.number(1.0, "spikGru_uth")
    from_data, from_spikes = (
        [cell.layer(f"{side}{gate}", source, nb_features) for gate in "zi"]
        for side, source in (("w", cell.data), ("u", (spike, 1)))
    )
    gate = cell.named("sigma", Sigmoid(), cell.add("add3", Add(), from_data[0], from_spikes[0]))
    kept = cell.add("mul1", Mul(), cell.add("alpha", _constant(alpha)), (current, 1))
    charged = cell.add("add1", Add(), kept, from_data[1])
    now = cell.add("add2", Add(), from_spikes[1], charged)
    rest = cell.add("sub1", Sub(), cell.number(1.0, f"{name}one"), gate)
    old = cell.add("mul2", Mul(), gate, (potential, 1))
    mixed = cell.add("add4", Add(), old, cell.add("mul3", Mul(), rest, now))
    lost = cell.add("resetmul", Mul(), (spike, 1), limit)
    after = cell.add("resetmin", Sub(), mixed, lost)
    fires = cell.add("hs", Heaviside(0.0), cell.add("thresholddiff", Sub(), after, limit))
    cell.close({spike: fires, potential: after, current: now}, ("cstshape", "shape"))
    last = [(fires, 0), (potential, 0), (current, 0), (current, 1), (potential, 1)]
    return cell.done("SpikGRU", last, alpha=alpha, nb_features=nb_features)


def Cusum(drift: float, name: str = "") -> Node:
    """Make a sum that grows where the data stay above a drift, to notice a change.

    One time step gives s' = max(0, s + x - drift). Outputs are the sum, and the sum as the last
    step left it.

    Parameters
    ----------
    drift
        What is taken from each element.
    name
        Name of the node, which those of its nodes begin with.

    Examples
    --------
    >>> from aidge_nb.compat import operators
    >>> operators.Cusum(0.5, name="watch").type()
    'Cusum'
    """
    cell = LoopBuilder(name)
    total = cell.add("cusum", Memorize(0))
    above = cell.add("sub", Sub(), cell.data, cell.number(drift, "cusum_drift"))
    highest = float(np.finfo(np.float32).max)
    now = cell.add("clip", Clip(min=0.0, max=highest), cell.add("add", Add(), above, (total, 1)))
    cell.close({total: now}, ("cstofshape", "shape"))
    bounds = (Port(now, 1), Port(now, 2))
    return cell.done("Cusum", [(now, 0), (total, 0)], bounds, drift=drift)


_STATES = ("spike", "potential")


def _constant(value: float) -> Node:
    return make_producer(Tensor(np.full(1, value, np.float32)), constant=True)


def _weight(kind: str, features: float | None, multiplier: float | None) -> float:
    """Return how spikes come back: the features of a layer (an int), or a factor (a float)."""
    found = features if multiplier is None else float(multiplier)
    if found is None:
        raise GraphError.at(
            kind,
            "how spikes come back is unknown",
            expected="linear_features of a fully connected layer, or a multiplier",
        )
    return found


def _check_reset(kind: str, reset: leaky_reset) -> None:
    if reset is not leaky_reset.subtraction:
        raise GraphError.at(
            kind,
            "a spike can only take the threshold from the potential",
            expected="leaky_reset.subtraction",
            found=reset,
            cure="Make the neurons with aidge_core.Leaky, which knows to_zero.",
        )
