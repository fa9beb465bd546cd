"""OperatorImpl: base class of operator implementations, with a C-P model and kernels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from numpy.typing import NDArray

from aidge_nb.core.errors import MissingKernelError, SchedulingError, ShapeError
from aidge_nb.graph.node import Port
from aidge_nb.graph.operator import Operator
from aidge_nb.scheduling.model.elts import EltType
from aidge_nb.scheduling.model.prod_conso import ProdConso, describe_failure, make_prod_conso


class OperatorImpl:
    """An implementation of one operator on one backend.

    Override :meth:`get_prod_conso` to give the operator another consumer-producer model, and
    :meth:`run` (or :meth:`forward`) to make it run.

    Parameters
    ----------
    op
        The operator.
    backend
        Name of the backend.
    """

    gathers = False
    """True when all executions write parts of one output, and so share its gradient."""

    needs_optional_outputs = True
    """Compute the optional outputs of the operator too; set before each pass."""

    wanted: frozenset[int] | None = None
    """Inputs whose gradients :meth:`backward` must compute; None for all."""

    def __init__(self, op: Operator, backend: str = "cpu") -> None:
        self._operator = op
        self._backend = backend
        self._prod_conso: ProdConso | None = None

    def get_operator(self) -> Operator:
        """Return the operator."""
        return self._operator

    def backend(self) -> str:
        """Return the name of the backend."""
        return self._backend

    def get_prod_conso(self) -> ProdConso:
        """Make the consumer-producer model; called once."""
        return make_prod_conso(self._operator)

    def prod_conso(self) -> ProdConso:
        """Return the consumer-producer model, with its state.

        Raises
        ------
        SchedulingError
            When :meth:`get_prod_conso` fails or returns something else.
        """
        if self._prod_conso is None:
            self._prod_conso = _make_model(self)
        return self._prod_conso

    def run(self, arrays: Sequence[NDArray[Any] | None]) -> tuple[NDArray[Any], ...]:
        """Compute the outputs for the given inputs.

        Raises
        ------
        MissingKernelError
            Unless overridden.
        """
        raise MissingKernelError.at(
            self._operator.label,
            f"operator {self._operator.type()} has no kernel on backend {self._backend!r}",
            cure="It can be scheduled and laid out, but not run; give it an implementation "
            "with set_impl().",
        )

    def forward(self) -> None:
        """Run the operator on its tensors.

        Raises
        ------
        ShapeError
            When a required input has no data.
        """
        for index, array in enumerate(self.run(self.input_arrays())):
            self._operator.get_output(index).set_array(array)

    def input_arrays(self) -> list[NDArray[Any] | None]:
        """Return the arrays of the inputs.

        Raises
        ------
        ShapeError
            When a required input has no data.
        """
        return [self._input_array(index) for index in range(self._operator.nb_inputs)]

    def _input_array(self, index: int) -> NDArray[Any] | None:
        operator = self._operator
        tensor = operator.get_input(index)
        if tensor is not None and tensor.has_data:
            return tensor.array
        if operator.is_optional_input(index) or operator.is_back_edge(index):
            return None
        raise ShapeError.at(
            f"{operator.label}, input#{index}",
            "has no data",
            found="no tensor" if tensor is None else tensor,
            cure="Pass a tensor for each input of the graph to forward(data=[...]), or give "
            "it one with set_input().",
        )

    def reset_state(self) -> None:
        """Reset state before each pass, for operators that keep state."""

    def keeps_state(self) -> bool:
        """Tell whether an execution depends on those before it in a pass."""
        return type(self).reset_state is not OperatorImpl.reset_state

    def remember(self) -> Any:
        """Return the data of the last execution that :meth:`backward` needs besides the tensors."""
        return None

    def recall(self, memory: Any) -> None:
        """Restore, before :meth:`backward`, the data that :meth:`remember` returned."""

    def has_gradient(self) -> bool:
        """Tell whether :meth:`backward` is implemented."""
        return type(self).backward is not OperatorImpl.backward

    def why_no_gradient(self) -> str | None:
        """Say why no gradient can pass, for example boolean data; None when one can or should."""
        return None

    def backward(self) -> None:
        """Propagate gradients from the outputs to the inputs.

        The tensors at the ports hold the values of the execution in question. Add to the gradients
        of the inputs with :meth:`aidge_nb.Tensor.add_grad`.

        Raises
        ------
        MissingKernelError
            Unless overridden.
        """
        raise self.missing_gradient()

    def missing_gradient(self) -> MissingKernelError:
        """Return the error for a missing gradient."""
        return MissingKernelError.at(
            self._operator.label,
            f"operator {self._operator.type()} has no gradient on backend {self._backend!r}",
            cure="Give it an implementation with a backward() by set_impl(), or leave it out "
            "of the way from the loss to the parameters.",
        )


def _make_model(impl: OperatorImpl) -> ProdConso:
    label = impl.get_operator().label
    try:
        model: object = impl.get_prod_conso()
    except Exception as error:  # from a user's class
        raise SchedulingError(describe_failure(label, "get_prod_conso()", error)) from error
    if not isinstance(model, ProdConso):
        raise SchedulingError.at(
            label,
            "its implementation gives no consumer-producer model in get_prod_conso()",
            expected="an object of a subclass of ProdConso",
            found=repr(model),
            cure="Return one, such as ProdConso.default_model(self.get_operator()).",
        )
    return model


def prod_conso_of(operator: Operator) -> ProdConso:
    """Return the consumer-producer model of an operator, with its state.

    Without a backend it is the model named in the declaration, so that a graph can be scheduled
    before it can run.
    """
    impl = operator.get_impl()
    if impl is not None:
        model: ProdConso = impl.prod_conso()
        return model
    if operator.cp_model is None:
        operator.cp_model = make_prod_conso(operator)
    default: ProdConso = operator.cp_model
    return default


def adds_up(port: Port) -> bool:
    """Return whether executions of a node add up in one output tensor, as those of Stack do."""
    operator = port.node.get_operator()
    tensor, model = operator.get_output(port.index), prod_conso_of(operator)
    if type(model) is ProdConso:  # which gives whole outputs
        return False
    made = model.get_required_memory(port.index, ())
    return made.type is EltType.Data and 0 < made.data < tensor.size
