"""Decide what a program computes together, and where channels lie side by side.

A convolution does what follows it element by element before it stores its results, where the memory
plan lets all of that be written to one place: then the values between are never stored, the others
are where they were planned. The operations are the same, and so are the bits.

Channels lie side by side in a value when everything that writes or reads it can do that; inputs and
outputs of the program never lie so. The bytes of a value, and its place, are the same either way.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.graph.node import Node, Port
from aidge_nb.kernels.c import CCall, Site, describe_site
from aidge_nb.kernels.c.adapters.channels_last import (
    Finish,
    conv_last,
    is_conv,
    is_depthwise,
    is_mean,
    is_pool,
    mean_last,
    pool_last,
)

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.memory import MemoryPlan

Array = NDArray[Any]
Calls = Mapping[Node, tuple[CCall, ...]]
Known = Mapping[Node, Mapping[int, Array]]

_CONVS = ("nb_matmul_f32", "nb_conv_f32", "nb_conv_packed_f32", "nb_conv_depthwise_f32")
_EACH = ("nb_unary", "nb_activation", "nb_exponential")
"""Units of functions of one element."""


@dataclass(frozen=True, eq=False)
class FusedChain:
    """A convolution and what is done to its results before they are stored."""

    conv: Node
    site: Site
    finish: Finish = field(default_factory=Finish)
    after: tuple[Node, ...] = ()  # the nodes that follow it, in their order
    more: tuple[Node, int] | None = None  # the input that is added: of which node, and which

    @property
    def last(self) -> Node:
        """The node whose output is stored."""
        return self.after[-1] if self.after else self.conv


@dataclass(frozen=True, eq=False)
class Fusion:
    """Chains, and the values whose channels lie side by side."""

    chains: Mapping[Node, FusedChain] = field(default_factory=dict)  # by convolution
    last: frozenset[Port] = frozenset()

    def owner(self, node: Node) -> Node | None:
        """Return the convolution that a node is computed with, if it is one that follows."""
        return self._owners.get(node)

    def __post_init__(self) -> None:
        found = {node: chain.conv for chain in self.chains.values() for node in chain.after}
        object.__setattr__(self, "_owners", found)

    _owners: Mapping[Node, Node] = field(default_factory=dict, init=False, repr=False)


def fuse(
    view: GraphView,
    order: Sequence[Node],
    memory: MemoryPlan,
    calls: Calls,
    known: Known,
    by_rows: Collection[Port] = (),
) -> tuple[Fusion, Calls]:
    """Find what is computed together; return it with the calls as they are then.

    ``order`` is the node of each execution, ``known`` are inputs whose values are known besides
    those of Producers. Results that lie ``by_rows`` are copied to the caller box by box, and may
    have their channels last. Programs with loops are left as they are.
    """
    if len(set(order)) != len(order):
        return Fusion(), calls
    finder = _Finder(view, order, memory, calls, known)
    chains = finder.chains()
    last = finder.channels_last(chains, by_rows)
    kept = {}
    changed = dict(calls)
    for conv, chain in chains.items():
        x_last = conv.source(0) in last
        y_last = Port(chain.last, 0) in last
        if not (x_last or y_last):
            continue
        kept[conv] = chain
        changed[conv] = (conv_last(chain.site, chain.finish, x_last=x_last, y_last=y_last),)
        for node in chain.after:
            del changed[node]
    for node, site in finder.means.items():
        if node.source(0) in last:
            changed[node] = (mean_last(site),)
    for node, site in finder.pools.items():
        if node.source(0) in last:
            changed[node] = (pool_last(site, *calls[node]),)
    return Fusion(kept, last), changed


class _Finder:
    """Looks at the nodes of a graph, their calls and their places."""

    def __init__(
        self,
        view: GraphView,
        order: Sequence[Node],
        memory: MemoryPlan,
        calls: Calls,
        known: Known,
    ) -> None:
        self._view, self._order, self._calls, self._known = view, order, calls, known
        self._results = set(view.get_ordered_outputs())
        self._ticks = {node: tick for tick, node in enumerate(order)}
        names = view.unique_names()
        self._places = {
            (buffer.node, buffer.output): buffer.offset
            for buffer in memory.buffers
            if not buffer.levels and buffer.view_of is None and not buffer.made_of
        }
        self._names = names
        self.means: dict[Node, Site] = {}
        self.pools: dict[Node, Site] = {}

    # --- chains -------------------------------------------------------------------------------

    def chains(self) -> dict[Node, FusedChain]:
        """Find the convolutions, each with what can follow it."""
        found: dict[Node, FusedChain] = {}
        for node in self._order:
            call = self._call(node)
            if call is None:
                continue
            if call.function == "nb_reduce_mean_f32":
                site = self._site(node)
                if is_mean(site):
                    self.means[node] = site
            elif call.unit == "nb_pool":
                site = self._site(node)
                if is_pool(site, call):
                    self.pools[node] = site
            elif call.function in _CONVS:
                site = self._site(node)
                if is_conv(site) or is_depthwise(site):
                    found[node] = self._followed(FusedChain(node, site), self._ticks[node])
        return found

    def _site(self, node: Node) -> Site:
        return describe_site(node, self._known.get(node))

    def _call(self, node: Node) -> CCall | None:
        """Return the call of a node that needs a single one."""
        calls = self._calls.get(node, ())
        return calls[0] if len(calls) == 1 else None

    def _followed(self, chain: FusedChain, tick: int) -> FusedChain:
        """Go on while what follows can be done at once, and lies in the same place."""
        while True:
            ports = chain.last.output(0)
            if len(ports) != 1 or (chain.last, 0) in self._results:
                return chain
            longer = self._with(chain, ports[0], tick)
            if longer is None:
                return chain
            chain = longer
            self._ticks[chain.last] = tick

    def _with(self, chain: FusedChain, port: Port, tick: int) -> FusedChain | None:
        """Add a node that reads the results of a chain; None where that cannot be."""
        node, call, finish = port.node, self._call(port.node), chain.finish
        place = self._places.get((self._names[chain.conv], 0), -1)
        if call is None or self._places.get((self._names[node], 0)) != place:
            return None
        bounded = (finish.low, finish.high) != (Finish.low, Finish.high)
        more = chain.more
        if call.function == "nb_batch_norm_f32" and chain.after == () and port.index == 0:
            norm = self._norm(node)
            if norm is None:
                return None
            finish = replace(finish, norm=norm)
        elif call.function == "nb_add_f32" and not finish.more and not bounded:
            more = (node, 1 - port.index)
            if not self._is_there(node, 1 - port.index, tick):
                return None
            finish = replace(finish, more=True)
        elif call.function == "nb_relu_f32" and not bounded:
            finish = replace(finish, low=0.0)
        elif call.function == "nb_clip_f32" and not bounded:
            low, high = call.fields["alpha"], call.fields["beta"]
            if not (isinstance(low, float) and isinstance(high, float)):
                return None
            finish = replace(finish, low=low, high=high)
        else:
            return None
        return replace(chain, finish=finish, after=(*chain.after, node), more=more)

    def _norm(self, node: Node) -> Array | None:
        """Return a factor, then an offset per channel, as nb_batch_norm_f32 computes them."""
        site = self._site(node)
        if any(index not in site.constants for index in range(1, 5)):
            return None
        scale, shift, mean, variance = (site.constant(i).reshape(-1) for i in range(1, 5))
        with np.errstate(all="ignore"):
            factor = scale / np.sqrt(variance + np.float32(site.attrs["epsilon"]))
            offset = shift - mean * factor
        return np.concatenate([factor, offset])

    def _is_there(self, node: Node, index: int, tick: int) -> bool:
        """Return whether a second addend of the same dimensions is computed before a tick."""
        port = node.source(index)
        if port is None or self._ticks.get(port.node, tick) >= tick:
            return False
        dims = node.get_operator().get_output(0).dims
        return list(port.node.get_operator().get_output(port.index).dims) == list(dims)

    # --- channels side by side ----------------------------------------------------------------

    def channels_last(
        self, chains: Mapping[Node, FusedChain], by_rows: Collection[Port]
    ) -> frozenset[Port]:
        """Find the values whose channels can lie side by side for all that write or read them."""
        groups = _Groups()
        inside = {node for chain in chains.values() for node in chain.after}
        for node in self._order:
            if node not in inside:
                self._group(node, chains.get(node), groups)
        for port in self._results.difference(by_rows):
            groups.refuse(port)
        return groups.allowed()

    def _group(self, node: Node, chain: FusedChain | None, groups: _Groups) -> None:
        data = node.source(0)
        out = Port(node if chain is None else chain.last, 0)
        if chain is not None:
            groups.take(out)
            if is_depthwise(chain.site):
                groups.join(data, out)
            if chain.more is not None:
                groups.join(chain.more[0].source(chain.more[1]), out)
        elif node in self.means:
            groups.refuse(out)
        elif node in self.pools:
            groups.take(out)
            groups.join(data, out)
        elif self._is_elementwise(node):
            groups.take(out)
            for port in node.sources():
                groups.join(port, out)
        else:
            for port in (*node.sources(), *(Port(node, i) for i in range(node.get_nb_outputs()))):
                groups.refuse(port)

    def _is_elementwise(self, node: Node) -> bool:
        """Tell whether all inputs and the output have the same dimensions, element by element."""
        call = self._call(node)
        operator = node.get_operator()
        if call is None or operator.nb_outputs != 1:
            return False
        dims = list(operator.get_output(0).dims)
        read = [operator.get_input(index) for index in range(operator.nb_inputs)]
        same = all(each is not None and list(each.dims) == dims for each in read)
        return len(dims) == 4 and same and call.unit in (*_EACH, "nb_arithmetic")


class _Groups:
    """Groups of values that lie alike; those that something refuses, or nothing wrote, are not."""

    def __init__(self) -> None:
        self._of: dict[Port, set[Port]] = {}
        self._known: set[Port] = set()
        self._refused: set[Port] = set()

    def _group(self, port: Port) -> set[Port]:
        return self._of.setdefault(port, {port})

    def take(self, port: Port) -> None:
        """Note that something writes a value either way."""
        self._known.add(port)
        self._group(port)

    def refuse(self, port: Port | None) -> None:
        """Note that something wants a value as it is written in the model."""
        if port is not None:
            self._refused.add(port)
            self._group(port)

    def join(self, one: Port | None, other: Port) -> None:
        """Note that two values lie alike; an input of the program lies as it is given."""
        if one is None:
            self.refuse(other)
            return
        first, second = self._group(one), self._group(other)
        if first is not second:
            first |= second
            for port in second:
                self._of[port] = first

    def allowed(self) -> frozenset[Port]:
        """Return the values of groups that nothing refuses."""
        return frozenset(
            port
            for port, group in self._of.items()
            if group <= self._known and group.isdisjoint(self._refused)
        )


def laid_out(array: Array, *, channels_last: bool, by_rows: bool = False) -> Array:
    """Return an array as its bytes lie in the program.

    Examples
    --------
    >>> laid_out(np.arange(4).reshape(1, 2, 1, 2), channels_last=True).reshape(-1).tolist()
    [0, 2, 1, 3]
    """
    if channels_last or by_rows:
        array = np.moveaxis(array, 1, -1 if channels_last else 2)
    return np.ascontiguousarray(array)
