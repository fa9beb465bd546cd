"""Tell the scheduling algorithm stage by stage: what is asked, found and decided, and why.

The rounds are those of :func:`aidge_nb.scheduling.trace_of`; what each execution takes and gives
comes from a replay on the consumer-producer models.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from aidge_nb.core.values import dataclass
from aidge_nb.scheduling.explain.rounds import TraceEnd
from aidge_nb.scheduling.model.elts import Elts_t, EltType
from aidge_nb.scheduling.model.replay import Replay, count_of
from aidge_nb.widgets.scene.waiting import Waiting

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.snapshot import EdgeView, GraphSnapshot
    from aidge_nb.graph.view import GraphView
    from aidge_nb.scheduling.explain.rounds import Lack, Round
    from aidge_nb.widgets.scene.index import NodeIndex

ROLES = ("asked", "prior", "gives", "runs", "still", "next")
"""Roles of a node in a stage; the graph shows them beside the node."""

_NAMED = 4
"""Of more nodes than this, the others are counted."""

_ENDS = {
    TraceEnd.Done: "The end: no operator is left to check.",
    TraceEnd.Stuck: "The end: no operator can run. The others wait for data that never come.",
    TraceEnd.CutOff: "The end of what was asked for: more rounds would follow.",
}


@dataclass(frozen=True, slots=True)
class Stage:
    """One decision of the algorithm.

    Attributes
    ----------
    round
        The round it belongs to, from 0.
    title
        The decision in one sentence.
    lines
        Reasons, with the numbers.
    nodes
        Nodes it is about, by their place in the scene, and the role of each in :data:`ROLES`.
    waiting
        What waits on edges where that changed: the place of the edge in the graph, and how many
        tokens, or elements where dimensions are known.
    """

    round: int
    title: str
    lines: tuple[str, ...]
    nodes: tuple[tuple[int, str], ...]
    waiting: tuple[tuple[int, int], ...] = ()


def stages_of(
    view: GraphView, rounds: Sequence[Round], index: NodeIndex, graph: GraphSnapshot | None = None
) -> tuple[Stage, ...]:
    """Tell the rounds of a trace stage by stage.

    Parameters
    ----------
    view
        The graph that was traced.
    rounds
        Result of :func:`~aidge_nb.scheduling.trace_of`.
    index
        Where nodes are in the scene.
    graph
        The graph that is drawn: its edges show what waits on them.
    """
    teller = _Teller(view, index, () if graph is None else graph.edges)
    return tuple(stage for each in rounds for stage in teller.tell(each))


class _Teller:
    """Replays rounds, and describes them."""

    def __init__(self, view: GraphView, index: NodeIndex, edges: Sequence[EdgeView]) -> None:
        self._nodes = {name: node for node, name in view.unique_names().items()}
        self._replay = Replay(view)
        self._index = index
        self._waiting = Waiting(self._replay, self._nodes, index, edges)

    def tell(self, each: Round) -> Iterator[Stage]:
        """Tell one round."""
        yield self._ask(each)
        if each.lacks:
            yield self._replace(each)
        if each.producers:
            lines = tuple(self._produce(name) for name in each.producers)
            title = f"{_names(each.producers)} {_verb(each.producers, 'give')} all data at once."
            yield self._stage(each, title, lines, gives=each.producers)
        if each.fired:
            yield self._run(each)
        yield self._hand_on(each)

    def _stage(
        self, each: Round, title: str, lines: Sequence[str], **roles: Sequence[str]
    ) -> Stage:
        nodes = tuple((self._place(name), role) for role, names in roles.items() for name in names)
        about = tuple(dict.fromkeys(nodes))
        return Stage(each.number, title, tuple(lines), about, self._waiting.news())

    def _place(self, name: str) -> int:
        if self._nodes[name].type() == "Producer":
            return self._index.find_user(name)
        return self._index.find(name)

    # --- stages ---------------------------------------------------------------------------------

    def _ask(self, each: Round) -> Stage:
        lines = []
        if each.number == 0:
            ends = _verb(each.consumers, "make")
            lines.append(f"{_names(each.consumers)} {ends} the outputs of the graph: begin there.")
        for name in each.consumers:
            lacks = [lack for lack in each.lacks if lack.consumer == name]
            lines += [_lack(lack) for lack in lacks] or [
                f"{name} can run. {self._has(name)}".rstrip()
            ]
        lacking = tuple(dict.fromkeys(lack.consumer for lack in each.lacks))
        ready = tuple(name for name in each.consumers if name not in lacking)
        parts = [f"{_names(ready)} can run"] if ready else []
        parts += [f"{_names(lacking)} {_verb(lacking, 'lack')} data"] if lacking else []
        title = f"Check {_names(each.consumers)}: {'; '.join(parts) or 'nothing can run'}."
        return self._stage(each, title, lines, asked=each.consumers)

    def _replace(self, each: Round) -> Stage:
        lacking = tuple(dict.fromkeys(lack.consumer for lack in each.lacks))
        if each.priors:
            lines = [
                f"{name} lacks nothing but data of Producers: it can run before those that wait "
                "for it."
                for name in each.priors
            ]
            title = f"Go back along the edges: {_names(each.priors)} can run first."
            return self._stage(each, title, lines, prior=each.priors)
        ready = tuple(name for name in lacking if name in each.fired)
        waits = tuple(name for name in lacking if name not in each.fired)
        lines = [f"{name} lacks nothing but data of Producers." for name in ready]
        lines += [f"{name} cannot run in this round, nor an operator before it." for name in waits]
        parts = [f"{_names(ready)} can run with data of Producers"] if ready else []
        parts += [f"{_names(waits)} {_verb(waits, 'wait')}"] if waits else []
        return self._stage(each, f"{'; '.join(parts)}.", lines, asked=lacking)

    def _produce(self, name: str) -> str:
        node = self._nodes[name]
        before = self._given(node)
        self._fire_node(node)
        given = self._given(node)
        return f"{name} gives {_more(before, given)}: its whole tensor."

    def _run(self, each: Round) -> Stage:
        lines = [self._fire(name) for name in each.fired]
        title = f"{_names(each.fired)} {_verb(each.fired, 'run')}."
        if len(each.fired) > 1:
            title = f"{_names(each.fired)} run in parallel: none waits for another."
        return self._stage(each, title, lines, runs=each.fired)

    def _fire(self, name: str) -> str:
        node = self._nodes[name]
        has = self._has(name)
        model = self._replay.model(node)
        taken = [model.get_nb_consumed_data(i) for i in range(node.get_nb_inputs())]
        before = self._given(node)
        self._fire_node(node)
        takes = ", ".join(
            f"{_more(old, model.get_nb_consumed_data(i))} of input#{i}"
            for i, old in enumerate(taken)
            if self._replay.offered(node, i) is not None
        )
        gives = _more(before, self._given(node))
        return f"{name} runs. {has}It takes {takes or 'nothing'} and gives {gives}."

    def _fire_node(self, node: Node) -> None:
        self._replay.fire(node)
        self._waiting.fired(node)

    def _has(self, name: str) -> str:
        """Say what is required and what is available at each input."""
        node = self._nodes[name]
        parts = []
        for i in range(node.get_nb_inputs()):
            offered = self._replay.offered(node, i)
            if offered is None:
                continue
            wanted = self._replay.wanted(node, i)
            count = count_of(wanted, like=wanted)
            there = count_of(offered, like=wanted)
            unit = _unit(wanted) if count != 1 else _unit(wanted).removesuffix("s")
            parts.append(f"input#{i} needs {count} {unit} in total and was given {there}")
        return f"{_sentence('; '.join(parts))} " if parts else ""

    def _hand_on(self, each: Round) -> Stage:
        lines = [
            f"{name} has data left that it did not take. It is checked again when no other "
            "operator can run."
            for name in each.still
            if name not in each.asked_again
        ]
        lines += [
            f"{name} is checked again: it has data left, and no other operator can run."
            for name in each.asked_again
        ]
        others = [name for name in each.following if name not in each.asked_again]
        ran = set(each.fired)
        lines += [
            f"{name} is checked next: {_names(givers)} gave it data."
            if (givers := [p for p in self._parents(name) if p in ran])
            else f"{name} is checked once more: it did not run."
            for name in others
        ]
        title = f"Next, check {_names(each.following)}."
        if each.end is not None:
            title = _ENDS[each.end]
        return self._stage(each, title, lines, next=others, still=each.still)

    def _parents(self, name: str) -> list[str]:
        known = {node: each for each, node in self._nodes.items()}
        return [known[parent] for parent in self._nodes[name].get_parents() if parent in known]

    def _given(self, node: Node) -> Elts_t:
        """Return what the first output has produced so far."""
        model = self._replay.model(node)
        return model.get_nb_produced_data(0) if node.get_nb_outputs() else Elts_t.none_elts()


def _lack(lack: Lack) -> str:
    source = f" from {lack.source}" if lack.source else ""
    unit = lack.unit if lack.needed != 1 else lack.unit.removesuffix("s")
    return (
        f"{lack.consumer} cannot run yet: input#{lack.input} needs {lack.needed} {unit}"
        f"{source} in total and was given {lack.available}."
    )


def _unit(amount: Elts_t) -> str:
    return "elements" if amount.type is EltType.Data else "tokens"


def _more(before: Elts_t, after: Elts_t) -> str:
    """Say how much an amount grew."""
    count = count_of(after, like=after) - count_of(before, like=after)
    unit = _unit(after)
    return f"{count} {unit if count != 1 else unit.removesuffix('s')}"


def _sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}." if text else ""


def _names(names: Sequence[str]) -> str:
    """List names; many of them are counted.

    Examples
    --------
    >>> _names(["a", "b", "c"])
    'a, b and c'
    """
    if len(names) > _NAMED:
        return f"{', '.join(names[:_NAMED])} and {len(names) - _NAMED} more"
    return " and ".join(filter(None, (", ".join(names[:-1]), *names[-1:]))) or "no operator"


def _verb(subjects: Sequence[str], verb: str) -> str:
    return verb if len(subjects) > 1 else f"{verb}s"
