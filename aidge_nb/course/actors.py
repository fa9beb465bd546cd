"""Make actors with fixed amounts: what they take and give each time they fire."""

from __future__ import annotations

from math import prod
from typing import TYPE_CHECKING

from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph.generic import GenericOperator, GenericOperatorOp
from aidge_nb.graph.spec import InputCategory
from aidge_nb.scheduling import Elts_t, OperatorImpl, ProdConso

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from aidge_nb.graph.node import Node
    from aidge_nb.graph.operator import Operator


class FixedAmounts(ProdConso):
    """A consumer–producer model of fixed amounts; the first firing may take another one."""

    def __init__(self, op: Operator, takes: int, gives: int, first: int) -> None:
        super().__init__(op)
        self._takes, self._gives, self._first = takes, gives, first
        self._is_first = True

    def get_nb_required_data(self, input_idx: int) -> Elts_t:
        """Return the elements that the next firing takes."""
        return Elts_t.data_elts(self._first if self._is_first else self._takes)

    def get_required_memory(
        self, output_idx: int, inputs_size: Sequence[Sequence[int]] = ()
    ) -> Elts_t:
        """Return the elements that each firing gives."""
        return Elts_t.data_elts(self._gives)

    def update_consummer_producer(self) -> None:
        """Fire once."""
        super().update_consummer_producer()
        self._is_first = False

    def reset_consummer_producer(self) -> None:
        """Begin anew."""
        super().reset_consummer_producer()
        self._is_first = True


class ModelImpl(OperatorImpl):
    """An implementation with only a C-P model."""

    def __init__(self, op: Operator, model: Callable[[Operator], ProdConso]) -> None:
        super().__init__(op, "cpu")
        self._model = model

    def get_prod_conso(self) -> ProdConso:
        """Make the model."""
        return self._model(self.get_operator())


def _all_given(dims: Sequence[int], takes: int, gives: int, first: int) -> list[int]:
    """Return the dims of what all firings together give for an input of these dims."""
    numbers = prod(dims)
    if numbers < first:
        return list(dims)  # it never fires
    given = (1 + (numbers - first) // takes) * gives
    if len(dims) < 2 or given % dims[-1]:
        return [given]
    return [*[1] * (len(dims) - 2), given // dims[-1], dims[-1]]


def actor(name: str, takes: int, gives: int, *, first: int | None = None) -> Node:
    """Make a node with one input and one output that takes and gives fixed amounts.

    Its output has as many elements as all its firings give for one whole input.

    Parameters
    ----------
    name
        Name of the node.
    takes, gives
        Elements that each firing takes and gives.
    first
        Elements that the first firing takes; by default as many as the others.

    Raises
    ------
    SchedulingError
        For amounts below 1.

    Examples
    --------
    >>> import aidge_nb
    >>> source = aidge_nb.Producer([6], name="source")
    >>> view = aidge_nb.sequential([source, actor("a", 2, 1), actor("b", 3, 1)])
    >>> view.forward_dims()
    True
    >>> aidge_nb.static_schedule(view).to_text()
    'source 3×(a) b'
    >>> view.get_node("a").get_operator().get_output(0).dims
    [3]
    """
    at_first = takes if first is None else first
    if min(takes, gives, at_first) < 1:
        found = f"takes={takes}, gives={gives}, first={at_first}"
        raise SchedulingError.at(name, "an amount is too small", expected="1 or more", found=found)
    node = GenericOperator("Actor", [InputCategory.Data], 1, name=name)
    operator = node.get_operator()
    assert isinstance(operator, GenericOperatorOp)  # noqa: S101  # it was made so
    operator.set_forward_dims(lambda dims: [_all_given(dims[0], takes, gives, at_first)])
    operator.set_impl(ModelImpl(operator, lambda op: FixedAmounts(op, takes, gives, at_first)))
    return node
