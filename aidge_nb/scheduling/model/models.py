"""Consumer-producer models of operators that do not take and give whole tensors."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.spec import CpModel
from aidge_nb.scheduling.model.elts import Elts_t
from aidge_nb.scheduling.model.prod_conso import ProdConso, amount_of


class PopProdConso(ProdConso):
    """Pop takes one slice along the first dimension each time, and keeps the rest for later."""

    def get_nb_required_data(self, input_idx: int) -> Elts_t:
        """Tell the elements of one slice."""
        tensor = self._operator.get_input(input_idx)
        if input_idx != 0:
            return amount_of(tensor)
        if tensor is None or tensor.undefined or not tensor.dims or tensor.dims[0] == 0:
            raise SchedulingError.at(
                f"{self._operator.label}, input#0",
                "Pop needs known, non-empty dimensions: they say how often it runs",
                found="unknown dims" if tensor is None or tensor.undefined else tensor.dims,
                cure="Call forward_dims() with the dimensions of the graph inputs before "
                "scheduling. If they depend on data: compute those first, with "
                "constant_folding() or allow_data_dependency=True, or schedule and run the "
                "part that computes them as a graph of its own.",
            )
        return Elts_t.data_elts(tensor.size // tensor.dims[0])

    def get_nb_required_protected(self, input_idx: int) -> Elts_t:
        """Tell the whole input: later slices are read again."""
        return amount_of(self._operator.get_input(input_idx))


class StackProdConso(ProdConso):
    """Stack gives one slice more of its output each time it runs."""

    def get_required_memory(
        self, output_idx: int, inputs_size: Sequence[Sequence[int]] = ()
    ) -> Elts_t:
        """Tell the elements of one slice."""
        return amount_of(self._operator.get_input(0))


class MemorizeProdConso(ProdConso):
    """Memorize starts from its initial value, then hands on what it took the time before.

    After ``end_step`` executions beyond the first it gives nothing on its recurrent output, which
    ends the loop: the body runs ``end_step`` times. ``step`` counts the executions.
    """

    def __init__(self, op: Operator) -> None:
        super().__init__(op, False)
        self.step = 0

    def get_nb_required_data(self, input_idx: int) -> Elts_t:
        """Tell that the first execution needs the initial value alone, later ones the other."""
        wanted = 1 if self.step == 0 else 0
        if input_idx != wanted:
            return Elts_t.none_elts()
        return super().get_nb_required_data(input_idx)

    def get_required_memory(
        self, output_idx: int, inputs_size: Sequence[Sequence[int]] = ()
    ) -> Elts_t:
        """Tell the whole output, and nothing on the recurrent one at the end."""
        amount = amount_of(self._operator.get_output(output_idx))
        if output_idx == 1 and self.step >= self.end_step > 0:
            return Elts_t(amount.type, 0, 0)
        return amount

    @property
    def end_step(self) -> int:
        """Executions that the loop lasts; 0 or less where it has no end."""
        return int(self._operator.attr.end_step)

    def skip(self, executions: int) -> None:
        """Count executions without their amounts."""
        self.step += executions

    def update_consummer_producer(self) -> None:
        """Count one execution.

        Raises
        ------
        SchedulingError
            When the loop goes on although it has ended.
        """
        self.check_goes_on()
        super().update_consummer_producer()
        self.step += 1

    def check_goes_on(self) -> None:
        """Refuse one execution more when the loop has ended.

        Raises
        ------
        SchedulingError
            When it has.
        """
        if self.step > self.end_step > 0:
            raise SchedulingError.at(
                self._operator.label,
                "runs more often than its loop lasts",
                expected=f"{self.end_step + 1} executions",
                cure="Close the cycle over output#1 of Memorize; output#0 is the last value.",
            )

    def reset_consummer_producer(self) -> None:
        """Start over."""
        super().reset_consummer_producer()
        self.step = 0


class PaddedProdConso(ProdConso):
    """A padding and an operator in one: the output trails the input by what the padding adds."""

    def get_nb_required_protected(self, input_idx: int) -> Elts_t:
        """Tell how much larger the padded input is."""
        tensor = self._operator.get_input(input_idx)
        micro = self._operator.micro_graph
        if input_idx != 0 or tensor is None or tensor.undefined or micro is None:
            return super().get_nb_required_protected(input_idx)
        padded = [
            node.get_operator().get_output(0)
            for node in micro.get_nodes()
            if node.type().startswith("Pad")
        ]
        if not padded or padded[0].undefined:
            return super().get_nb_required_protected(input_idx)
        return Elts_t.data_elts(max(0, padded[0].size - tensor.size))


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


def make_prod_conso(operator: Operator) -> ProdConso:
    """Make the model that an operator's declaration names."""
    return _MODELS[operator.spec.cp](operator)
