"""Decide what a program computes together, and where channels lie side by side.

A convolution, or a product, does what follows it element by element before it stores its results,
where the memory plan lets all of that be written to one place: then the values between are never
stored, the others are where they were planned. The operations are the same, and so are the bits.
Targets without vectors gain nothing by it: there ReLU takes 8 instructions per result by itself, 7
to 16 behind a sum on a Cortex-M4, where the kernels would grow by half.

Channels lie side by side in a value when everything that writes or reads it can do that; inputs and
outputs of the program never lie so. The bytes of a value, and its place, are the same either way.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.export.plan.strided import ChannelGroups, JoinedPart, find_joined
from aidge_nb.graph.node import Node, Port
from aidge_nb.kernels.c import CCall, Site, describe_site
from aidge_nb.kernels.c.adapters.channels_last import (
    FINISHED,
    Finish,
    channel_axis,
    conv_last,
    finished,
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

_SUMS = (*FINISHED, "nb_conv_f32")
_EACH = ("nb_unary", "nb_activation", "nb_exponential")
"""Units of functions of one element."""


@dataclass(frozen=True, eq=False)
class FusedChain:
    """A convolution, or a product, and what is done to its results before they are stored."""

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
    joined: Mapping[Port, JoinedPart] = field(default_factory=dict)  # parts of such values

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
    *,
    channels_last: bool = True,
) -> tuple[Fusion, Calls]:
    """Find what is computed together; return it with the calls as they are then.

    ``order`` is the node of each execution, ``known`` are inputs whose values are known besides
    those of Producers; ``channels_last`` lets channels lie side by side. Results that lie
    ``by_rows`` are copied to the caller box by box, and may lie so, too. Programs with loops are
    left as they are.
    """
    if len(set(order)) != len(order):
        return Fusion(), calls
    finder = _Finder(view, order, memory, calls, known)
    chains = finder.chains()
    last, joined = frozenset[Port](), dict[Port, JoinedPart]()
    if channels_last:
        last, joined = finder.channels_last(chains, by_rows)
    kept, changed = _with_chains(chains, last, joined, calls)
    for node, site in finder.means.items():
        if node.source(0) in last:
            changed[node] = (mean_last(site),)
    for node, site in finder.pools.items():
        if node.source(0) in last:
            changed[node] = (pool_last(site, *calls[node]),)
    return Fusion(kept, last, joined), changed


def _with_chains(
    chains: Mapping[Node, FusedChain],
    last: frozenset[Port],
    joined: Mapping[Port, JoinedPart],
    calls: Calls,
) -> tuple[dict[Node, FusedChain], dict[Node, tuple[CCall, ...]]]:
    """Return the chains that are computed by other calls than those of their nodes, and all calls.

    Where some calls of a function do what follows, all of them are of the function that can.
    """
    kept, changed = dict[Node, FusedChain](), dict(calls)
    others = {}
    for conv, chain in chains.items():
        x_last, y_last = conv.source(0) in last, Port(chain.last, 0) in last
        if x_last or y_last:
            part = joined.get(Port(chain.last, 0))
            pixel = 0 if part is None else part.channels
            call = conv_last(chain.site, chain.finish, x_last=x_last, y_last=y_last, y_pixel=pixel)
            changed[conv] = (call,)
            kept[conv] = chain
        elif calls[conv][0].function in FINISHED:
            others[conv] = chain
    functions = {calls[conv][0].function for conv, chain in others.items() if chain.after}
    for conv, chain in others.items():
        if calls[conv][0].function in functions:
            changed[conv] = (finished(chain.site, calls[conv][0], chain.finish),)
            kept[conv] = chain
    for chain in kept.values():
        for node in chain.after:
            del changed[node]
    return kept, changed


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
        self._memory = memory
        self._joined: dict[Port, JoinedPart] = {}
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
            elif call.function in _SUMS:
                chain = FusedChain(node, self._site(node))
                found[node] = self._followed(chain, self._ticks[node])
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
        node, call = port.node, self._call(port.node)
        place = self._places.get((self._names[chain.conv], 0), -1)
        if call is None or self._places.get((self._names[node], 0)) != place:
            return None
        finish, more = self._finish(chain, port, call), chain.more
        if finish is None:
            return None
        if finish.more and more is None:
            more = (node, 1 - port.index)
            if not self._is_there(node, 1 - port.index, tick):
                return None
        return replace(chain, finish=finish, after=(*chain.after, node), more=more)

    def _finish(self, chain: FusedChain, port: Port, call: CCall) -> Finish | None:
        """Return what is done with a node as well, if that comes behind the rest."""
        finish = chain.finish
        if (finish.low, finish.high) != (Finish.low, Finish.high):
            return None
        if call.function == "nb_relu_f32":
            return replace(finish, low=0.0)
        if call.function == "nb_clip_f32":
            low, high = call.fields["alpha"], call.fields["beta"]
            if isinstance(low, float) and isinstance(high, float):
                return replace(finish, low=low, high=high)
            return None
        if finish.more:
            return None
        if call.function == "nb_batch_norm_f32" and port.index == 0:
            is_first = finish.norm is None and channel_axis(chain.site) == 1
            norm = self._norm(port.node) if is_first else None
            return None if norm is None else replace(finish, norm=norm)
        if call.function not in ("nb_add_f32", "nb_mul_f32"):
            return None
        each = self._each(chain, port)
        if each is not None:
            return _with_each(finish, each, is_sum=call.function == "nb_add_f32")
        return replace(finish, more=True) if call.function == "nb_add_f32" else None

    def _each(self, chain: FusedChain, port: Port) -> Array | None:
        """Return the other operand of an addition or a product, if it is a number per channel."""
        site = self._site(port.node)
        dims = chain.site.outputs[0].dims
        if 1 - port.index not in site.constants or site.outputs[0].dims != dims:
            return None
        axis = channel_axis(chain.site)
        array = site.constant(1 - port.index)
        shape = (1,) * (len(dims) - array.ndim) + array.shape
        is_each = all(size == 1 for at, size in enumerate(shape) if at != axis)
        return np.broadcast_to(array.reshape(-1), (dims[axis],)) if is_each else None

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
    ) -> tuple[frozenset[Port], dict[Port, JoinedPart]]:
        """Find the values whose channels can lie side by side for all that write or read them.

        Parts of such values are written across them.
        """
        groups = ChannelGroups()
        writers = {
            Port(chain.last, 0): (conv, *chain.after)
            for conv, chain in chains.items()
            if _can_be_last(chain) and chain.more is None and (chain.last, 0) not in self._results
        }
        self._joined = find_joined(self._names, self._order, self._memory, writers)
        inside = {node for chain in chains.values() for node in chain.after}
        for node in self._order:
            if node not in inside:
                self._group(node, chains.get(node), groups)
        for port in self._results.difference(by_rows):
            groups.refuse(port)
        last = groups.allowed()
        joined = {port: part for port, part in self._joined.items() if part.whole in last}
        return last | set(joined), joined

    def _group(self, node: Node, chain: FusedChain | None, groups: ChannelGroups) -> None:
        data = node.source(0)
        out = Port(node if chain is None else chain.last, 0)
        if out in self._joined:
            out = self._joined[out].whole
        if chain is not None and _can_be_last(chain):
            groups.take(out)
            if is_depthwise(chain.site):
                groups.join(data, out)
            if chain.more is not None:
                groups.join(chain.more[0].source(chain.more[1]), out)
        elif any(out == part.whole for part in self._joined.values()):
            groups.take(out)
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
            more = [] if chain is None or chain.more is None else [chain.more]
            outputs = (Port(node, index) for index in range(node.get_nb_outputs()))
            for port in (*node.sources(), *outputs, out, *(n.source(i) for n, i in more)):
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


def _can_be_last(chain: FusedChain) -> bool:
    return is_conv(chain.site) or is_depthwise(chain.site)


def _with_each(finish: Finish, each: Array, *, is_sum: bool) -> Finish | None:
    """Add a number per channel to sums, or multiply them by it, behind what is done already.

    Where there is a factor alone, the offset is -0, and where there is an offset alone, the factor
    is 1: no bit changes by them.
    """
    if finish.norm is None:
        pair = (np.ones_like(each), each) if is_sum else (each, np.full_like(each, -0.0))
        return replace(finish, norm=np.concatenate(pair), plus_first=is_sum)
    factor, offset = np.split(finish.norm, 2)
    if is_sum and not finish.plus_first and _is_nothing(offset):
        return replace(finish, norm=np.concatenate([factor, each]))
    if not is_sum and finish.plus_first and (factor == 1).all():
        return replace(finish, norm=np.concatenate([each, offset]))
    return None


def _is_nothing(offset: Array) -> bool:
    """Tell whether adding it changes no bit."""
    return bool((np.signbit(offset) & (offset == 0)).all())
