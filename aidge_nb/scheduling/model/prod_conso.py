"""The consumer-producer (C-P) model: how much an operator takes and gives each time it runs.

A model says, for its next execution, how much of each input is required and how much of each
output is produced, and keeps count. Amounts are elements where dimensions are known and tokens
where they are not, tensor by tensor. Source: seed tutorial "Understanding Aidge's scheduling".
"""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.core.errors import SchedulingError, explain
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.operator import Operator
from aidge_nb.scheduling.model.elts import Elts_t, EltType, as_amount, describe_no_amount

NONE, DATA, TOKEN = EltType.Undef, EltType.Data, EltType.Token


def amount_of(tensor: Tensor | None) -> Elts_t:
    """Give a whole tensor as an amount: its elements, one token if unknown, none if absent."""
    if tensor is None:
        return Elts_t(NONE, 0, 0)
    if tensor.undefined:
        return Elts_t(TOKEN, 0, 1)
    return Elts_t(DATA, tensor.size, 1)


class ProdConso:
    """The default model: each execution takes whole inputs and gives whole outputs.

    Subclass it and override :meth:`get_nb_required_data` and :meth:`get_required_memory` for an
    operator that works piece by piece; keep state in attributes and put it back to the start in
    :meth:`reset_consummer_producer`.

    Parameters
    ----------
    op
        The operator.
    in_place
        Whether an output may overwrite its input: nothing of the input is protected.

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
        """Give a model that protects its whole input."""
        return ProdConso(op, False)

    @staticmethod
    def in_place_model(op: Operator) -> ProdConso:
        """Give a model whose output may overwrite its input."""
        return ProdConso(op, True)

    def get_operator(self) -> Operator:
        """Give the operator."""
        return self._operator

    # --- the next execution -----------------------------------------------------------------

    def get_nb_required_data(self, input_idx: int) -> Elts_t:
        """Tell how much of an input the next execution needs, and takes."""
        return amount_of(self._operator.get_input(input_idx))

    def get_nb_required_protected(self, input_idx: int) -> Elts_t:
        """Tell how much of an input must not be overwritten while the operator runs."""
        if self._in_place:
            return Elts_t.data_elts(0)
        return self.get_nb_required_data(input_idx)

    def get_required_memory(
        self, output_idx: int, inputs_size: Sequence[Sequence[int]] = ()
    ) -> Elts_t:
        """Tell how much of an output the next execution produces.

        ``inputs_size`` holds the dimensions of the inputs.
        """
        return amount_of(self._operator.get_output(output_idx))

    # --- so far -----------------------------------------------------------------------------

    def get_nb_consumed_data(self, input_idx: int) -> Elts_t:
        """Tell how much of an input was taken so far."""
        self._counts_were_read = True
        return self._consumed[input_idx]

    def get_nb_produced_data(self, output_idx: int) -> Elts_t:
        """Tell how much of an output was produced so far."""
        self._counts_were_read = True
        return self._produced[output_idx]

    def update_consummer_producer(self) -> None:
        """Count one execution.

        Raises
        ------
        SchedulingError
            When the model tells no amount.
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
        """Start over."""
        self._clear_counts()

    def _clear_counts(self) -> None:
        self._consumed = [Elts_t(NONE, 0, 0) for _ in range(self._operator.nb_inputs)]
        self._produced = [Elts_t(NONE, 0, 0) for _ in range(self._operator.nb_outputs)]


def _checked(amount: object, call: str) -> Elts_t:
    found = as_amount(amount)
    if found is None:
        raise SchedulingError(describe_no_amount(call, "gives no amount", amount))
    return found


def describe_failure(where: str, call: str, error: Exception) -> str:
    """Say that a user's consumer-producer model raised something."""
    kind = "" if isinstance(error, SchedulingError) else f"{type(error).__name__}: "
    return explain(
        where,
        f"its consumer-producer model failed in {call}: {kind}{str(error).removesuffix('.')}",
        cure="Mend the model, or leave the operator its default one.",
    )
