"""Tell the scheduling algorithm stage by stage: what is asked, found and decided, and why.

The rounds are those of :func:`aidge_nb.scheduling.trace_of`; what each execution takes and gives
comes from a replay on the consumer-producer models.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from aidge_nb.scheduling.model.elts import Elts_t, EltType
from aidge_nb.scheduling.model.replay import Replay, count_of

if TYPE_CHECKING:
    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView
    from aidge_nb.scheduling.explain.rounds import Lack, Round
    from aidge_nb.widgets.scene.index import NodeIndex

ROLES = ("asked", "prior", "gives", "runs", "still", "next")
"""Roles of a node in a stage; the graph shows them beside the node."""


@dataclass(frozen=True, slots=True)
class Stage:
    """One decision of the algorithm.

    Attributes
    ----------
    round
        The round it belongs to, from 0.
    title
        Title of the decision.
    lines
        Reasons, with the numbers.
    nodes
        Nodes it is about, by their place in the scene, and the role of each in :data:`ROLES`.
    """

    round: int
    title: str
    lines: tuple[str, ...]
    nodes: tuple[tuple[int, str], ...]


def stages_of(view: GraphView, rounds: Sequence[Round], index: NodeIndex) -> tuple[Stage, ...]:
    """Tell the rounds of a trace stage by stage.

    Parameters
    ----------
    view
        The graph that was traced.
    rounds
        Result of :func:`~aidge_nb.scheduling.trace_of`.
    index
        Where nodes are in the scene.
    """
    teller = _Teller(view, index)
    return tuple(stage for each in rounds for stage in teller.tell(each))


class _Teller:
    """Replays rounds, and describes them."""

    def __init__(self, view: GraphView, index: NodeIndex) -> None:
        self._nodes = {name: node for node, name in view.unique_names().items()}
        self._outputs = {name for name, node in self._nodes.items() if node in _outputs(view)}
        self._replay = Replay(view)
        self._index = index

    def tell(self, each: Round) -> Iterator[Stage]:
        """Tell one round."""
        yield self._ask(each)
        if each.lacks:
            yield self._replace(each)
        if each.producers:
            lines = tuple(self._produce(name) for name in each.producers)
            yield self._stage(each, "Producers give their data", lines, gives=each.producers)
        if each.fired:
            yield self._run(each)
        yield self._hand_on(each)

    def _stage(
        self, each: Round, title: str, lines: Sequence[str], **roles: Sequence[str]
    ) -> Stage:
        nodes = tuple((self._place(name), role) for role, names in roles.items() for name in names)
        return Stage(each.number, title, tuple(lines), tuple(dict.fromkeys(nodes)))

    def _place(self, name: str) -> int:
        if self._nodes[name].type() == "Producer":
            return self._index.find_user(name)
        return self._index.find(name)

    # --- stages ---------------------------------------------------------------------------------

    def _ask(self, each: Round) -> Stage:
        lines = []
        if each.number == 0:
            ends = "gives an output" if len(each.consumers) == 1 else "give the outputs"
            lines.append(f"{_names(each.consumers)} {ends} of the graph: the search begins there.")
        for name in each.consumers:
            lacks = [lack for lack in each.lacks if lack.consumer == name]
            lines += [_lack(lack) for lack in lacks] or [
                f"{name} can run. {self._has(name)}".rstrip()
            ]
        return self._stage(each, "Consumers are asked what they lack", lines, asked=each.consumers)

    def _replace(self, each: Round) -> Stage:
        lacking = tuple(dict.fromkeys(lack.consumer for lack in each.lacks))
        if each.priors:
            lines = [
                f"{name} takes the place of those that wait for it: of what it lacks itself, "
                "Producers alone can give something."
                for name in each.priors
            ]
            title = "Priors take their place"
        else:
            lines = [
                f"{name} stays: nothing further up can run before it."
                if name not in each.fired
                else f"{name} stays: it lacks nothing but what Producers give."
                for name in lacking
            ]
            title = "No priors are needed"
        return self._stage(each, title, lines, prior=each.priors or lacking)

    def _produce(self, name: str) -> str:
        node = self._nodes[name]
        before = self._given(node)
        self._replay.fire(node)
        given = self._given(node)
        return f"{name} gives {_more(before, given)}: all of its tensor, on demand."

    def _run(self, each: Round) -> Stage:
        lines = []
        if len(each.fired) > 1:
            lines.append(
                f"{len(each.fired)} consumers have all they need. None waits for another of them: "
                "they may run in parallel."
            )
        lines += [self._fire(name) for name in each.fired]
        return self._stage(each, "Runnable consumers run", lines, runs=each.fired)

    def _fire(self, name: str) -> str:
        node = self._nodes[name]
        has = self._has(name)
        model = self._replay.model(node)
        taken = [model.get_nb_consumed_data(i) for i in range(node.get_nb_inputs())]
        before = self._given(node)
        self._replay.fire(node)
        takes = ", ".join(
            f"{_more(old, model.get_nb_consumed_data(i))} of input#{i}"
            for i, old in enumerate(taken)
            if self._replay.offered(node, i) is not None
        )
        gives = _more(before, self._given(node))
        return f"{name} runs. {has}It takes {takes or 'nothing'} and gives {gives}."

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
            parts.append(f"input#{i} requires {count} {unit} in all, {there} were given")
        return f"{_sentence('; '.join(parts))} " if parts else ""

    def _hand_on(self, each: Round) -> Stage:
        lines = [
            f"{name} has data left that it did not take: it is a still-consumer, and asked again "
            "when nobody else can run."
            for name in each.still
            if name not in each.asked_again
        ]
        lines += [
            f"{name} is asked again: it still has data, and nobody else can run."
            for name in each.asked_again
        ]
        others = [name for name in each.following if name not in each.asked_again]
        ran = set(each.fired)
        lines += [
            f"{name} becomes a consumer: {_names(givers)} gave it data."
            if (givers := [p for p in self._parents(name) if p in ran])
            else f"{name} is still a consumer."
            for name in others
        ]
        if each.end is not None:
            lines.append(f"The end: {each.end.value}.")
        title = "The end" if each.end is not None else "Consumers of the next round"
        return self._stage(each, title, lines, next=others, still=each.still)

    def _parents(self, name: str) -> list[str]:
        known = {node: each for each, node in self._nodes.items()}
        return [known[parent] for parent in self._nodes[name].get_parents() if parent in known]

    def _given(self, node: Node) -> Elts_t:
        """Return what the first output has produced so far."""
        model = self._replay.model(node)
        return model.get_nb_produced_data(0) if node.get_nb_outputs() else Elts_t.none_elts()


def _outputs(view: GraphView) -> set[Node]:
    return set(view.get_output_nodes())


def _lack(lack: Lack) -> str:
    source = f" from {lack.source}" if lack.source else ""
    unit = lack.unit if lack.needed != 1 else lack.unit.removesuffix("s")
    return (
        f"{lack.consumer} cannot run yet: input#{lack.input} requires {lack.needed} {unit}"
        f"{source} in all, {lack.available} were given."
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
    return ", ".join(names) or "nobody"
