"""Consumer-producer (C-P) models: the data that an operator takes and gives at each execution.

A model returns the amounts that its next execution requires of each input and produces at each
output, and counts them. An amount is in elements if the tensor has dimensions, else in tokens.
Source: seed tutorial "Understanding Aidge's scheduling".
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Sequence

from aidge_nb.core.errors import SchedulingError, explain
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.meta import MetaOperatorOp
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.spec import CpModel
from aidge_nb.scheduling.model.elts import Elts_t, EltType, as_amount, describe_no_amount

NONE, DATA, TOKEN = EltType.Undef, EltType.Data, EltType.Token


def amount_of(tensor: Tensor | None) -> Elts_t:
    """Return the amount of a whole tensor: its elements; one token without dimensions; or none."""
    if tensor is None:
        return Elts_t(NONE, 0, 0)
    if tensor.undefined():
        return Elts_t(TOKEN, 0, 1)
    return Elts_t(DATA, tensor.size, 1)


class ProdConso:
    """The default model: each execution takes whole inputs and gives whole outputs.

    For an operator that works piece by piece, override :meth:`get_nb_required_data` and
    :meth:`get_required_memory` in a subclass; keep state in attributes, and reset it in
    :meth:`reset_consummer_producer`.

    Parameters
    ----------
    op
        The operator.
    in_place
        Let the output overwrite the input: nothing of the input is protected.

    Examples
    --------
    >>> import aidge_nb
    >>> relu = aidge_nb.ReLU().get_operator()
    >>> relu.set_input(0, aidge_nb.Tensor([1.0, 2.0]))
    >>> ProdConso(relu).get_nb_required_data(0)
    Elts_t(data=2, token=1)
    """

    def __init__(self, op: Operator, in_place: bool = False) -> None:
        self._operator = op
        self._in_place = in_place
        self._consumed: list[Elts_t] = []
        self._produced: list[Elts_t] = []
        self._counts_were_read = False
        self._clear_counts()

    @staticmethod
    def default_model(op: Operator) -> ProdConso:
        """Return a model that protects its whole input."""
        return ProdConso(op, False)

    @staticmethod
    def in_place_model(op: Operator) -> ProdConso:
        """Return a model whose output may overwrite its input."""
        return ProdConso(op, True)

    def get_operator(self) -> Operator:
        """Return the operator."""
        return self._operator

    # --- the next execution -----------------------------------------------------------------

    def get_nb_required_data(self, input_idx: int) -> Elts_t:
        """Return the amount of an input that the next execution takes."""
        return amount_of(self._operator.get_input(input_idx))

    def get_nb_required_protected(self, input_idx: int) -> Elts_t:
        """Return the amount of an input that must not be overwritten while the operator runs."""
        if self._in_place:
            return Elts_t.data_elts(0)
        return self.get_nb_required_data(input_idx)

    def get_required_memory(
        self, output_idx: int, inputs_size: Sequence[Sequence[int]] = ()
    ) -> Elts_t:
        """Return the amount of an output that the next execution produces.

        ``inputs_size`` holds the dimensions of the inputs.
        """
        return amount_of(self._operator.get_output(output_idx))

    # --- so far -----------------------------------------------------------------------------

    def get_nb_consumed_data(self, input_idx: int) -> Elts_t:
        """Return the amount of an input taken so far."""
        self._counts_were_read = True
        return self._consumed[input_idx]

    def get_nb_produced_data(self, output_idx: int) -> Elts_t:
        """Return the amount of an output produced so far."""
        self._counts_were_read = True
        return self._produced[output_idx]

    def update_consummer_producer(self) -> None:
        """Count one execution.

        Raises
        ------
        SchedulingError
            When the model returns anything but amounts.
        """
        operator = self._operator
        dims = []
        for index in range(operator.nb_inputs):
            tensor = operator.get_input(index)
            dims.append([] if tensor is None else list(tensor.dims))
            required = self.get_nb_required_data(index)
            required = _checked(required, f"get_nb_required_data({index})")
            self._consumed[index] = self._consumed[index] + required
        for index in range(operator.nb_outputs):
            produced = self.get_required_memory(index, dims)
            produced = _checked(produced, f"get_required_memory({index})")
            self._produced[index] = self._produced[index] + produced

    def reset_consummer_producer(self) -> None:
        """Reset to the state before the first execution."""
        self._clear_counts()

    def _clear_counts(self) -> None:
        self._consumed = [Elts_t(NONE, 0, 0) for _ in range(self._operator.nb_inputs)]
        self._produced = [Elts_t(NONE, 0, 0) for _ in range(self._operator.nb_outputs)]


# --- models of library operators ----------------------------------------------------------------


class IdentityProdConso(ProdConso):
    """The model of operators that hand their input on: nothing of it is protected."""

    def __init__(self, op: Operator) -> None:
        super().__init__(op, True)


class PopProdConso(ProdConso):
    """Model of Pop: each execution takes one slice along the first dimension."""

    def get_nb_required_data(self, input_idx: int) -> Elts_t:
        """Return the elements of one slice."""
        tensor = self._operator.get_input(input_idx)
        if input_idx != 0:
            return amount_of(tensor)
        if tensor is None or tensor.undefined() or not tensor.dims or tensor.dims[0] == 0:
            raise SchedulingError.at(
                f"{self._operator.label}, input#0",
                "Pop needs known, non-empty dimensions: they say how often it runs",
                found="unknown dims" if tensor is None or tensor.undefined() else tensor.dims,
                cure="Call forward_dims() with the dimensions of the graph inputs before "
                "scheduling. If they depend on data: compute those first, with "
                "constant_folding() or allow_data_dependency=True, or schedule and run the "
                "part that computes them as a graph of its own.",
            )
        return Elts_t.data_elts(tensor.size // tensor.dims[0])

    def get_nb_required_protected(self, input_idx: int) -> Elts_t:
        """Return the whole input: later executions read it again."""
        return amount_of(self._operator.get_input(input_idx))


class StackProdConso(ProdConso):
    """Model of Stack: each execution gives one slice of the output."""

    def get_required_memory(
        self, output_idx: int, inputs_size: Sequence[Sequence[int]] = ()
    ) -> Elts_t:
        """Return the elements of one slice."""
        return amount_of(self._operator.get_input(0))


class MemorizeProdConso(ProdConso):
    """Model of Memorize: gives its initial value, then the value taken at the last execution.

    After ``end_step`` executions beyond the first it gives nothing on its recurrent output, which
    ends the loop: the body runs ``end_step`` times. ``step`` counts the executions.
    """

    def __init__(self, op: Operator) -> None:
        super().__init__(op, False)
        self.step = 0

    def get_nb_required_data(self, input_idx: int) -> Elts_t:
        """Return the initial value for the first execution, the other input for later ones."""
        wanted = 1 if self.step == 0 else 0
        if input_idx != wanted:
            return Elts_t.none_elts()
        return super().get_nb_required_data(input_idx)

    def get_required_memory(
        self, output_idx: int, inputs_size: Sequence[Sequence[int]] = ()
    ) -> Elts_t:
        """Return the whole output; nothing on the recurrent one at the end."""
        amount = amount_of(self._operator.get_output(output_idx))
        if output_idx == 1 and self.step >= self.end_step > 0:
            return Elts_t(amount.type, 0, 0)
        return amount

    @property
    def end_step(self) -> int:
        """Number of turns of the loop; 0 or less for a loop without end."""
        return int(self._operator.attr.end_step)

    def skip(self, executions: int) -> None:
        """Count executions without their amounts."""
        self.step += executions

    def update_consummer_producer(self) -> None:
        """Count one execution."""
        self.check_goes_on()
        super().update_consummer_producer()
        self.step += 1

    def check_goes_on(self) -> None:
        """Refuse an execution after the end of the loop."""
        if self.step > self.end_step > 0:
            raise SchedulingError.at(
                self._operator.label,
                "runs more often than its loop lasts",
                expected=f"{self.end_step + 1} executions",
                cure="Close the cycle over output#1 of Memorize; output#0 is the last value.",
            )

    def reset_consummer_producer(self) -> None:
        """Reset to the state before the first execution."""
        super().reset_consummer_producer()
        self.step = 0


class PaddedProdConso(ProdConso):
    """Model of padding and operator in one: the output lags the input by the padded elements."""

    def get_nb_required_protected(self, input_idx: int) -> Elts_t:
        """Return the number of elements that the padding adds."""
        tensor = self._operator.get_input(input_idx)
        micro = self._operator.micro_graph
        if input_idx != 0 or tensor is None or tensor.undefined() or micro is None:
            return super().get_nb_required_protected(input_idx)
        padded = [
            node.get_operator().get_output(0)
            for node in micro.get_nodes()
            if node.type().startswith("Pad")
        ]
        if not padded or padded[0].undefined():
            return super().get_nb_required_protected(input_idx)
        return Elts_t.data_elts(max(0, padded[0].size - tensor.size))


class CellProdConso(ProdConso):
    """Model of a cell: its first execution alone takes the initial states."""

    def __init__(self, op: Operator, states: Sequence[int]) -> None:
        super().__init__(op, False)
        self.begun = False
        self._states = tuple(states)

    def get_nb_required_data(self, input_idx: int) -> Elts_t:
        """Return the whole input; nothing of an initial state once the cell has it."""
        if self.begun and input_idx in self._states:
            return Elts_t.none_elts()
        return super().get_nb_required_data(input_idx)

    def update_consummer_producer(self) -> None:
        """Count one execution."""
        super().update_consummer_producer()
        self.begun = True

    def reset_consummer_producer(self) -> None:
        """Reset to the state before the first execution."""
        super().reset_consummer_producer()
        self.begun = False


CONSTANT_MODELS = (ProdConso, PaddedProdConso, PopProdConso, StackProdConso)
"""Models that take and give the same amounts at each execution."""

_MODELS: dict[CpModel, Callable[[Operator], ProdConso]] = {
    CpModel.DEFAULT: ProdConso.default_model,
    CpModel.IN_PLACE: ProdConso.in_place_model,
    CpModel.IDENTITY: ProdConso.in_place_model,
    CpModel.PRODUCER: ProdConso.default_model,
    CpModel.POP: PopProdConso,
    CpModel.STACK: StackProdConso,
    CpModel.MEMORIZE: MemorizeProdConso,
    CpModel.PADDED: PaddedProdConso,
}


MODELS: dict[tuple[str, str], Callable[[Operator], ProdConso]] = {}
"""Makers of other models, by backend and type of operator."""


def later_reads(
    reads: Sequence[int], writes: Sequence[int], execution: int, end: int, waits: bool = True
) -> list[int]:
    """Return when a node reads what one execution of another one wrote.

    ``reads`` and ``writes`` are the times of all executions of both; a value stays until the next
    one is written, the last one until the ``end``. With ``waits``, no value is written over
    unread: a reader that lags behind gets its turn.

    Examples
    --------
    >>> later_reads([4, 5], [0, 2], execution=0, end=9)
    [4, 4]
    """
    after = end if execution == len(writes) - 1 else writes[execution + 1]
    first, beyond = bisect_right(reads, writes[execution]), bisect_right(reads, after)
    found = [*reads[first:beyond]]
    if waits and reads:
        found += reads[first : first + 1]
        share = len(reads) // len(writes)
        if share * len(writes) == len(reads):
            found.append(reads[(execution + 1) * share - 1])
    return found


def make_prod_conso(operator: Operator) -> ProdConso:
    """Make the model named in the declaration of an operator, or registered for its backend."""
    own = MODELS.get((operator.backend(), operator.type()))
    if own:
        return own(operator)
    states = _initial_states(operator) if isinstance(operator, MetaOperatorOp) else []
    return CellProdConso(operator, states) if states else _MODELS[operator.spec.cp](operator)


def _initial_states(cell: MetaOperatorOp) -> list[int]:
    """Return the inputs that only begin loops which go round once per execution."""
    if any(node.type() == "Pop" for node in cell.micro_graph):
        return []  # one execution takes a whole sequence
    ports = enumerate(cell.input_ports)
    return [i for i, group in ports if all(p.node.type() == "Memorize" and p.index for p in group)]


# --- messages -----------------------------------------------------------------------------------


def _checked(amount: object, call: str) -> Elts_t:
    found = as_amount(amount)
    if found is None:
        raise SchedulingError(describe_no_amount(call, "returned no amount", amount))
    return found


def describe_failure(where: str, call: str, error: Exception) -> str:
    """Describe an exception raised by a user's consumer-producer model."""
    kind = "" if isinstance(error, SchedulingError) else f"{type(error).__name__}: "
    return explain(
        where,
        f"its consumer-producer model failed in {call}: {kind}{str(error).removesuffix('.')}",
        cure="Correct the model, or use the default one.",
    )
