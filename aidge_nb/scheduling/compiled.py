"""Consumer-producer models as the scheduler reads them: whole numbers, asked once per phase.

A model of the library is known to be constant, or to have the few phases of Memorize; its amounts
are asked once for each. Any other is somebody's Python class: it counts each of its executions
itself, and its phase is whatever it remembers (:mod:`aidge_nb.scheduling.phases`). A model that
looks at its own counters, answers for them itself, or remembers where nobody can look, has its
counters as part of its phase: it never comes back to one, and its schedule is not folded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aidge_nb.errors import SchedulingError, explain
from aidge_nb.graph.node import Node
from aidge_nb.scheduling.elts import Elts_t, EltType
from aidge_nb.scheduling.impl import prod_conso_of
from aidge_nb.scheduling.models import (
    MemorizeProdConso,
    PaddedProdConso,
    PopProdConso,
    StackProdConso,
)
from aidge_nb.scheduling.phases import attributes_of, remembers_elsewhere
from aidge_nb.scheduling.prod_conso import ProdConso

__all__ = ["Amount", "CompiledModel", "Move", "compile_model"]

Amount = Elts_t

_CONSTANT = (ProdConso, PaddedProdConso, PopProdConso, StackProdConso)


class Move:
    """What one execution takes at each input and gives at each output."""

    __slots__ = ("gives", "takes")

    def __init__(self, takes: Sequence[Amount], gives: Sequence[Amount]) -> None:
        self.takes = tuple(takes)
        self.gives = tuple(gives)


def compile_model(node: Node) -> CompiledModel:
    """Read the model of a node."""
    model = prod_conso_of(node.get_operator())
    if type(model) in _CONSTANT:
        return CompiledModel(node, model)
    if type(model) is MemorizeProdConso:
        return _Memorize(node, model)
    return _Opaque(node, model)


class CompiledModel:
    """The model of a library operator that takes and gives the same each time.

    Attributes
    ----------
    phase
        Number of the phase that it is in; equal phases behave alike.
    varies
        Whether it has several phases.
    """

    varies = False
    never_repeats = False

    def __init__(self, node: Node, model: Any) -> None:
        self.node = node
        self.model = model
        self.phase = 0
        self._moves: dict[object, Move] = {}
        self._counts: dict[Move, int] = {}

    def required(self, index: int) -> Amount:
        """Tell what an input needs in the present phase."""
        amount = self._ask("get_nb_required_data", index)
        return _checked(amount, self.node, "get_nb_required_data", index)

    def consumed(self, index: int) -> Amount:
        """Tell what was taken so far, before the first :meth:`fire`."""
        amount: Amount = self.model._consumed[index]
        return amount

    def produced(self, index: int) -> Amount:
        """Tell what was given so far, before the first :meth:`fire`."""
        amount: Amount = self.model._produced[index]
        return amount

    def fire(self) -> Move:
        """Go through one execution."""
        move = self._moves.get(self.phase)
        if move is None:
            move = self._moves[self.phase] = self._read_move()
        self._counts[move] = self._counts.get(move, 0) + 1
        return move

    def skip(self, move: Move, times: int) -> None:
        """Count executions that were not gone through: they end in the phase of now."""
        self._counts[move] = self._counts.get(move, 0) + times

    def left(self) -> int | None:
        """Executions before the phase changes by counting; None where none does."""
        return None

    def write_back(self) -> None:
        """Leave the model as if it had gone through all executions itself."""
        model = self.model
        for move, times in self._counts.items():
            for index, amount in enumerate(move.takes):
                model._consumed[index] = model._consumed[index] + _times(amount, times)
            for index, amount in enumerate(move.gives):
                model._produced[index] = model._produced[index] + _times(amount, times)
        self._counts.clear()

    def _read_move(self) -> Move:
        operator = self.node.get_operator()
        takes = [self.required(index) for index in range(operator.nb_inputs)]
        gives = [
            _checked(self._ask("get_required_memory", index), self.node, "get_required_memory")
            for index in range(operator.nb_outputs)
        ]
        return Move(takes, gives)

    def _ask(self, method: str, *arguments: int) -> Any:
        try:
            return getattr(self.model, method)(*arguments)
        except SchedulingError as error:
            if type(self.model).__module__.startswith("aidge_nb."):
                raise
            raise SchedulingError(_failed(self.node, method, arguments, str(error))) from error
        except Exception as error:  # whatever a user's class raises
            text = f"{type(error).__name__}: {error}"
            raise SchedulingError(_failed(self.node, method, arguments, text)) from error


class _Memorize(CompiledModel):
    """Memorize: the first execution, the loop, and its end."""

    varies = True

    def __init__(self, node: Node, model: MemorizeProdConso) -> None:
        super().__init__(node, model)
        self.phase = model.phase

    def fire(self) -> Move:
        self.model.check_goes_on()
        move = super().fire()
        self.model.skip(1)
        self.phase = self.model.phase
        return move

    def skip(self, move: Move, times: int) -> None:
        super().skip(move, times)
        self.model.skip(times)
        self.phase = self.model.phase

    def left(self) -> int | None:
        left: int | None = self.model.left
        return left


class _Opaque(CompiledModel):
    """A model that somebody wrote: it is asked again after each of its executions."""

    varies = True

    def __init__(self, node: Node, model: ProdConso) -> None:
        super().__init__(node, model)
        kind = type(model)
        self._answers_itself = (
            kind.get_nb_consumed_data is not ProdConso.get_nb_consumed_data
            or kind.get_nb_produced_data is not ProdConso.get_nb_produced_data
        )
        self._is_hidden = remembers_elsewhere(kind)
        self._phases: dict[object, int] = {}
        self._fired = 0
        self._before = self._counters()
        model._counts_were_read = False
        self._find_phase()

    def consumed(self, index: int) -> Amount:
        return self._before[0][index]

    def produced(self, index: int) -> Amount:
        return self._before[1][index]

    def required(self, index: int) -> Amount:
        amount = super().required(index)
        if self._looks_at_counters() and not self._is_hidden:
            self._is_hidden = True
            self._find_phase()
        return amount.copy()

    def fire(self) -> Move:
        self._ask("update_consummer_producer")
        self._fired += 1
        if self._looks_at_counters():
            self._is_hidden = True
        before, self._before = self._before, self._counters()
        (took, gave), (takes, gives) = before, self._before
        difference = (
            tuple(_difference(new, old, self.node) for old, new in zip(took, takes, strict=True)),
            tuple(_difference(new, old, self.node) for old, new in zip(gave, gives, strict=True)),
        )
        key = tuple((each.type, each.data, each.token) for side in difference for each in side)
        move = self._moves.get(key)
        if move is None:
            move = self._moves[key] = Move(*difference)
        self._find_phase()
        return move

    def skip(self, move: Move, times: int) -> None:
        if self._answers_itself:
            return  # its counters are part of its phase, and stayed as they are
        model = self.model
        for index, amount in enumerate(move.takes):
            model._consumed[index] = model._consumed[index] + _times(amount, times)
        for index, amount in enumerate(move.gives):
            model._produced[index] = model._produced[index] + _times(amount, times)
        self._before = self._counters()

    def write_back(self) -> None:
        """Leave it alone: it counted itself."""

    @property
    def never_repeats(self) -> bool:  # type: ignore[override]  # a fact of the class elsewhere
        """Whether it was in another phase after each of several executions."""
        return self._fired >= 2 and len(self._phases) > self._fired

    def _looks_at_counters(self) -> bool:
        return self._answers_itself or bool(self.model._counts_were_read)

    def _find_phase(self) -> None:
        state = attributes_of(self.model)
        if state is None or self._is_hidden or self._answers_itself:
            state = (state, self._fired)
        self.phase = self._phases.setdefault(state, len(self._phases))

    def _counters(self) -> tuple[tuple[Amount, ...], tuple[Amount, ...]]:
        operator, model = self.node.get_operator(), self.model
        ins, outs = range(operator.nb_inputs), range(operator.nb_outputs)
        if not self._answers_itself:
            return (
                tuple(model._consumed[index] for index in ins),
                tuple(model._produced[index] for index in outs),
            )
        return (
            tuple(self._counter("get_nb_consumed_data", index) for index in ins),
            tuple(self._counter("get_nb_produced_data", index) for index in outs),
        )

    def _counter(self, method: str, index: int) -> Amount:
        return _checked(self._ask(method, index), self.node, method, index).copy()


def _times(amount: Amount, times: int) -> Amount:
    return Elts_t(amount.type, amount.data * times, amount.token * times)


def _difference(new: Amount, old: Amount, node: Node) -> Amount:
    data, token = new.data - old.data, new.token - old.token
    if data < 0 or token < 0:
        raise SchedulingError(
            explain(
                node.label,
                "its consumer-producer model takes back what it counted",
                expected=f"at least {old}",
                found=new,
                cure="Counters only grow, until reset_consummer_producer().",
            )
        )
    kind = EltType.Undef if new.type is old.type and not (data or token) else new.type
    return Elts_t(kind, data, token)


def _checked(amount: Any, node: Node, method: str, index: int = 0) -> Amount:
    """Refuse what is no amount."""
    is_amount = isinstance(amount, Elts_t) and _is_count(amount.data) and _is_count(amount.token)
    if not is_amount:
        raise SchedulingError(
            explain(
                node.label,
                f"{method}({index}) gives no amount",
                expected="an Elts_t of whole numbers, 0 or more",
                found=repr(amount),
                cure="Use Elts_t.data_elts(n), Elts_t.token_elts(n) or Elts_t.none_elts().",
            )
        )
    checked: Amount = amount
    return checked


def _is_count(number: Any) -> bool:
    return isinstance(number, int) and number >= 0


def _failed(node: Node, method: str, arguments: Sequence[int], text: str) -> str:
    call = f"{method}({', '.join(map(str, arguments))})"
    return explain(
        node.label,
        f"its consumer-producer model failed in {call}: {text}",
        cure="Mend the model, or leave the operator its default one.",
    )
