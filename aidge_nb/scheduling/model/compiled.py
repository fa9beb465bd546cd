"""Compile consumer-producer models for the scheduler: read amounts once per phase.

Library models are constant, or have the few phases of Memorize: their amounts are read once per
phase. Any other model is a user's Python class: it counts its executions itself, and its phase is
the value of its attributes (:mod:`aidge_nb.scheduling.model.phases`). If such a model reads or
overrides its own counters, or keeps state that cannot be read, its counters are part of its phase:
it never returns to an earlier phase, and its schedule is not folded.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph.node import Node
from aidge_nb.scheduling.model.elts import Elts_t, EltType, as_amount, describe_no_amount
from aidge_nb.scheduling.model.impl import prod_conso_of
from aidge_nb.scheduling.model.phases import attributes_of, remembers_elsewhere
from aidge_nb.scheduling.model.prod_conso import (
    CONSTANT_MODELS,
    MemorizeProdConso,
    ProdConso,
    amount_of,
    describe_failure,
)

Amount = Elts_t

_MANY = 10_000
"""Number of executions, all ending in new states, after which states are no longer read."""


class Transfer:
    """Amounts that one execution takes at each input and gives at each output.

    ``loaded`` caches the translation to counters of the dataflow.
    """

    __slots__ = ("gives", "loaded", "takes")

    def __init__(self, takes: Sequence[Amount], gives: Sequence[Amount]) -> None:
        self.takes = takes
        self.gives = gives
        self.loaded: Any = None


def compile_model(node: Node) -> CompiledModel:
    """Compile the model of a node."""
    model = prod_conso_of(node.get_operator())
    kind = type(model)
    if kind in CONSTANT_MODELS:
        return CompiledModel(node, model)
    if isinstance(model, MemorizeProdConso) and kind is MemorizeProdConso:
        return _CompiledMemorize(node, model)
    return _UserModel(node, model)


class CompiledModel:
    """A library model that takes and gives the same amounts at each execution.

    Attributes
    ----------
    phase
        Number of the present phase; the model behaves alike in equal phases.
    varies
        True for models with several phases.
    """

    __slots__ = ("_takes", "_times", "_transfer", "model", "node", "phase")
    varies = False

    def __init__(self, node: Node, model: Any) -> None:
        self.node = node
        self.model = model
        self.phase = 0
        self._transfer: Transfer | None = None
        self._times = 0
        self._takes: list[Amount] | None = None

    def required(self, index: int) -> Amount:
        """Return the amount that an input needs in the present phase."""
        if self._takes is None:
            self._takes = self._read_takes()
        return self._takes[index]

    def consumed(self) -> Sequence[Amount]:
        """Return the amount taken at each input before the first :meth:`fire`."""
        amounts: Sequence[Amount] = self.model._consumed
        return amounts

    def produced(self) -> Sequence[Amount]:
        """Return the amount given at each output before the first :meth:`fire`."""
        amounts: Sequence[Amount] = self.model._produced
        return amounts

    def fire(self) -> Transfer:
        """Execute once; return the transfer."""
        self._times += 1
        if self._transfer is None:
            self._transfer = self._read_transfer()
        return self._transfer

    def skip(self, transfer: Transfer, times: int) -> None:
        """Count skipped executions, which end in the present phase."""
        self._times += times

    def left(self) -> int | None:
        """Return the executions until the phase changes by counting; None if it never does."""
        return None

    @property
    def never_repeats(self) -> bool:
        """True when several executions all led to new phases."""
        return False

    def write_back(self) -> None:
        """Update the counters of the model by all executions."""
        if self._transfer is not None:
            _count(self.model, self._transfer, self._times)
        self._times = 0

    def _read_takes(self) -> list[Amount]:
        if type(self.model) is ProdConso:  # most are
            return [amount_of(tensor) for tensor in self.node.get_operator().get_inputs()]
        inputs = range(self.node.get_nb_inputs())
        return [self.model.get_nb_required_data(index) for index in inputs]

    def _read_gives(self) -> list[Amount]:
        if type(self.model) is ProdConso:
            return [amount_of(tensor) for tensor in self.node.get_operator().get_outputs()]
        outputs = range(self.node.get_nb_outputs())
        return [self.model.get_required_memory(index) for index in outputs]

    def _read_transfer(self) -> Transfer:
        return Transfer(self._takes or self._read_takes(), self._read_gives())


class _CompiledMemorize(CompiledModel):
    """Memorize: phase 0 before the first execution, 1 in the loop, 2 at its end, 3 beyond."""

    __slots__ = ("_counts", "_end", "_transfers")
    varies = True

    def __init__(self, node: Node, model: MemorizeProdConso) -> None:
        super().__init__(node, model)
        self._transfers: dict[int, Transfer] = {}
        self._counts: dict[Transfer, int] = {}
        self._end = model.end_step
        self._find_phase()

    def required(self, index: int) -> Amount:
        amount: Amount = self.model.get_nb_required_data(index)
        return amount

    def fire(self) -> Transfer:
        if self.phase == 3:
            self.model.check_goes_on()
        transfer = self._transfers.get(self.phase)
        if transfer is None:
            transfer = self._transfers[self.phase] = self._read_transfer()
        self.skip(transfer, 1)
        return transfer

    def skip(self, transfer: Transfer, times: int) -> None:
        self._counts[transfer] = self._counts.get(transfer, 0) + times
        self.model.skip(times)
        self._find_phase()

    def left(self) -> int | None:
        return None if self._end <= 0 else self._end - self.model.step

    def write_back(self) -> None:
        for transfer, times in self._counts.items():
            _count(self.model, transfer, times)
        self._counts.clear()

    def _find_phase(self) -> None:
        step, end = self.model.step, self._end
        if step == 0 or end <= 0:
            self.phase = min(step, 1)
        else:
            self.phase = 1 + (step >= end) + (step > end)


class _UserModel(CompiledModel):
    """A user's model: read again after each execution."""

    varies = True

    def __init__(self, node: Node, model: ProdConso) -> None:
        super().__init__(node, model)
        self._transfers: dict[object, Transfer] = {}
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

    def consumed(self) -> Sequence[Amount]:
        return self._before[0]

    def produced(self) -> Sequence[Amount]:
        return self._before[1]

    def required(self, index: int) -> Amount:
        amount = self._asked("get_nb_required_data", index)
        if self._looks_at_counters() and not self._is_hidden:
            self._is_hidden = True
            self._find_phase()
        return amount

    def fire(self) -> Transfer:
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
        transfer = self._transfers.get(key)
        if transfer is None:
            transfer = self._transfers[key] = Transfer(*difference)
        self._find_phase()
        return transfer

    def skip(self, transfer: Transfer, times: int) -> None:
        if self._answers_itself:
            return  # its counters are part of its phase, and did not change
        _count(self.model, transfer, times)
        self._before = self._counters()

    def write_back(self) -> None:
        """Do nothing: the model counts its executions itself."""

    @property
    def never_repeats(self) -> bool:
        return self._fired >= 2 and len(self._phases) > self._fired

    def _looks_at_counters(self) -> bool:
        return self._answers_itself or bool(self.model._counts_were_read)

    def _find_phase(self) -> None:
        if self._fired > _MANY and self.never_repeats:
            self._is_hidden = True
        is_hidden = self._is_hidden or self._answers_itself
        state = None if is_hidden else attributes_of(self.model)
        if state is None:
            state = ("fired", self._fired)
        self.phase = self._phases.setdefault(state, len(self._phases))

    def _counters(self) -> tuple[tuple[Amount, ...], tuple[Amount, ...]]:
        model = self.model
        ins, outs = range(self.node.get_nb_inputs()), range(self.node.get_nb_outputs())
        if not self._answers_itself:
            return (
                tuple(model._consumed[index] for index in ins),
                tuple(model._produced[index] for index in outs),
            )
        return (
            tuple(self._asked("get_nb_consumed_data", index) for index in ins),
            tuple(self._asked("get_nb_produced_data", index) for index in outs),
        )

    def _asked(self, method: str, index: int) -> Amount:
        """Ask for an amount, and copy it: the model may change it later."""
        answer = self._ask(method, index)
        amount = as_amount(answer)
        if amount is None:
            problem = f"its consumer-producer model returned no amount in {method}({index})"
            raise SchedulingError(describe_no_amount(self.node.label, problem, answer))
        return amount

    def _ask(self, method: str, *arguments: int) -> Any:
        try:
            return getattr(self.model, method)(*arguments)
        except Exception as error:  # from a user's class
            call = f"{method}({', '.join(map(str, arguments))})"
            raise SchedulingError(describe_failure(self.node.label, call, error)) from error


def _count(model: Any, transfer: Transfer, times: int) -> None:
    """Add executions to the counters of a model."""
    for counters, amounts in ((model._consumed, transfer.takes), (model._produced, transfer.gives)):
        for index, amount in enumerate(amounts):
            if amount.type is not EltType.Undef:
                so_far = counters[index]
                data, token = amount.data * times, amount.token * times
                counters[index] = Elts_t(amount.type, so_far.data + data, so_far.token + token)


def _difference(new: Amount, old: Amount, node: Node) -> Amount:
    if as_amount(new) is None:  # counted by the user's model
        problem = "its consumer-producer model counts no amounts"
        raise SchedulingError(describe_no_amount(node.label, problem, new))
    data, token = new.data - old.data, new.token - old.token
    if data < 0 or token < 0:
        raise SchedulingError.at(
            node.label,
            "its consumer-producer model decreased a counter",
            expected=f"at least {old}",
            found=new,
            cure="Let counters only grow, until reset_consummer_producer().",
        )
    kind = EltType.Undef if new.type is old.type and not (data or token) else new.type
    return Elts_t(kind, data, token)
