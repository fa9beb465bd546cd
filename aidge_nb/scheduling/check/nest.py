"""Check a loop nest without unrolling it; skipped copies are proved.

Copies of a loop are replayed until two in a row took and gave the same amounts and left all models
in the state in which they found them. All further copies then do the same: each backlog changes by
a constant from copy to copy. Checking the first and the last copy suffices, since a linear function
that is not negative at both ends is not negative in between; the copies between are counted.
:mod:`aidge_nb.scheduling.check.nest_steps` checks steps by the same argument.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling.check.data import Amounts, Replayed, check_end
from aidge_nb.scheduling.check.nest_steps import check_nest_steps
from aidge_nb.scheduling.model.elts import Elts_t
from aidge_nb.scheduling.model.phases import attributes_of, remembers_elsewhere
from aidge_nb.scheduling.model.prod_conso import CONSTANT_MODELS, MemorizeProdConso, ProdConso
from aidge_nb.scheduling.model.replay import Replay
from aidge_nb.scheduling.schedule.nest import Firing, Loop
from aidge_nb.scheduling.schedule.nest_walk import count_firings
from aidge_nb.scheduling.schedule.static_schedule import MAX_UNROLLED, StaticSchedule


def check_nest(view: GraphView, schedule: StaticSchedule) -> Replayed:
    """Check a schedule as :func:`check_firings` does, loop by loop."""
    run = _NestReplay(view, schedule)
    run.replay_nest(schedule.loops, {})
    check_end(run.replay, view.get_output_nodes())
    check_nest_steps(view, schedule)
    return Replayed(run.replay, run.amounts)


class _Snapshot(NamedTuple):
    states: list[object]
    counters: list[tuple[int, ...]]


class _NestReplay:
    """A replay that skips copies of loops."""

    def __init__(self, view: GraphView, schedule: StaticSchedule) -> None:
        known = {name: node for node, name in view.unique_names().items()}
        self.names = [actor.name for actor in schedule.actors]
        self.nodes = [known.get(name) for name in self.names]
        self.replay = Replay(view)
        self.amounts = Amounts()
        self.position = 0

    def replay_nest(self, nest: Iterable[Firing | Loop], offsets: Mapping[int, int]) -> None:
        """Replay firings and loops; ``offsets`` are added to the executions of actors."""
        for item in nest:
            if isinstance(item, Loop):
                self._replay_loop(item, offsets)
                continue
            execution = item.execution + offsets.get(item.actor, 0)
            where = f"firing {self.position}, execution {execution} of {self.names[item.actor]}"
            self.amounts.fire(self.replay, self.nodes[item.actor], execution, where)
            self.position += 1

    def _replay_loop(self, loop: Loop, offsets: Mapping[int, int]) -> None:
        actors = [actor for actor, *_ in loop.shifts]
        nodes = [node for actor in actors if (node := self.nodes[actor]) is not None]
        length = count_firings(loop.body)
        change: list[tuple[int, ...]] | None = None
        before = self._look_at(nodes)
        copy = replayed = 0
        while copy < loop.count:
            inside = {a: offsets.get(a, 0) + copy * shift for a, shift, _, _ in loop.shifts}
            self.replay_nest(loop.body, {**offsets, **inside})
            copy += 1
            replayed += length
            after = self._look_at(nodes)
            moved = [
                tuple(new - old for new, old in zip(*each, strict=True))
                for each in zip(after.counters, before.counters, strict=True)
            ]
            spare = loop.count - copy - 1  # the last copy is replayed
            if spare > 0 and moved == change and before.states == after.states:
                spare = self._skip(nodes, moved, spare)
                copy += spare
                self.position += spare * length
                after = self._look_at(nodes)
            if replayed > MAX_UNROLLED:
                raise SchedulingError.at(
                    f"firing {self.position}",
                    f"a loop of {loop.count} copies is too long to be replayed, and its models "
                    "never return to an earlier state",
                    expected=f"at most {MAX_UNROLLED} firings",
                    found=loop.count * length,
                )
            before, change = after, moved

    def _look_at(self, nodes: list[Node]) -> _Snapshot:
        """Return the state of each model, and its counters."""
        states: list[object] = []
        counters: list[tuple[int, ...]] = []
        for node in nodes:
            model, operator = self.replay.model(node), node.get_operator()
            states.append(self._state(node, model))
            amounts = [model.get_nb_consumed_data(index) for index in range(operator.nb_inputs)]
            amounts += [model.get_nb_produced_data(index) for index in range(operator.nb_outputs)]
            executions = self.replay.executions[node]
            counters.append((executions, *[n for each in amounts for n in (each.data, each.token)]))
        return _Snapshot(states, counters)

    def _state(self, node: Node, model: ProdConso) -> object:
        """Return the state that decides a model's next execution; a unique object if unreadable."""
        if type(model) is MemorizeProdConso:
            end = model.end_step
            return min(model.step, 1), 0 < end <= model.step, 0 < end < model.step
        if type(model) in CONSTANT_MODELS:
            return None
        state = attributes_of(model)
        if state is None or remembers_elsewhere(type(model)) or node in self.replay.look_back:
            return object()
        return state

    def _skip(self, nodes: list[Node], moved: list[tuple[int, ...]], spare: int) -> int:
        """Count copies that certainly repeat the last one; return their number."""
        models = [self.replay.model(node) for node in nodes]
        for model, (executions, *_) in zip(models, moved, strict=True):
            if type(model) is MemorizeProdConso and model.end_step > 0 and executions:
                spare = min(spare, max(0, model.end_step - model.step) // executions)
        for node, model, (executions, *amounts) in zip(nodes, models, moved, strict=True):
            self.replay.executions[node] += spare * executions
            if type(model) is MemorizeProdConso:
                model.skip(spare * executions)
            counters = [*model._consumed, *model._produced]
            for index, counter in enumerate(counters):
                data, token = amounts[2 * index : 2 * index + 2]
                counters[index] = Elts_t(
                    counter.type, counter.data + spare * data, counter.token + spare * token
                )
            n_inputs = len(model._consumed)
            model._consumed, model._produced = counters[:n_inputs], counters[n_inputs:]
        return spare
