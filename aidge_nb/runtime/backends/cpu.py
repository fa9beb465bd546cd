"""The backend ``cpu``: operators run by NumPy kernels."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from aidge_nb.core.errors import AidgeError, MissingKernelError, SchedulingError, explain
from aidge_nb.graph.backend import Implementation, register_backend
from aidge_nb.graph.meta import MetaOperatorOp
from aidge_nb.graph.operator import Operator
from aidge_nb.ops.place import PLACE, Place
from aidge_nb.runtime.autodiff.tape import Tape
from aidge_nb.runtime.backends.bad_input import check_kinds, why_it_failed
from aidge_nb.runtime.backends.conditional import SelectImpl
from aidge_nb.runtime.backends.passing_back import pass_back
from aidge_nb.runtime.backends.stateful import STATEFUL
from aidge_nb.scheduling.model.impl import OperatorImpl

if TYPE_CHECKING:
    from aidge_nb.runtime.schedulers.sequential import SequentialScheduler


class CpuImpl(OperatorImpl):
    """Runs one operator with its NumPy kernel.

    The kernel is looked up when it is first needed, so that graphs with operators that have none
    can be scheduled and laid out. A kernel that can is told to leave out optional outputs, such as
    the indices of MaxPooling, while ``needs_optional_outputs`` is False, and one that can writes
    output 0 into ``out`` while that is an array. One that computes a part with the bits of the
    whole is told the ``place`` of the part, which is that of the operator while it is None.
    """

    needs_optional_outputs = True
    out: NDArray[Any] | None = None
    place: Place | None = None

    def run(self, arrays: Sequence[NDArray[Any] | None]) -> tuple[NDArray[Any], ...]:
        """Compute the outputs of the given inputs.

        Raises
        ------
        MissingKernelError
            When the operator has no kernel.
        ShapeError
            When the kernel cannot take these arrays.
        """
        from aidge_nb.kernels import can_be_placed, can_skip_outputs, can_write_into, find_kernel

        operator = self._operator
        kernel = find_kernel(operator.spec, self._backend)
        if kernel is None:
            return super().run(arrays)
        check_kinds(operator, arrays)
        options = dict(operator.attr)
        place = self.place or options.pop(PLACE, None)
        if place is not None and can_be_placed(kernel):
            options[PLACE] = place
        if not self.needs_optional_outputs and can_skip_outputs(kernel):
            options["optional_outputs"] = False
        if self.out is not None and can_write_into(kernel):
            options["out"] = self.out
        try:
            result = kernel(*arrays, **options)
        except AidgeError as error:
            raise type(error)(explain(operator.label, str(error))) from error
        except (ValueError, TypeError, IndexError, ArithmeticError) as error:
            raise why_it_failed(operator, arrays, error) from error
        return result if isinstance(result, tuple) else (result,)

    def has_gradient(self) -> bool:
        """Whether there is a gradient of the operator."""
        from aidge_nb.kernels.gradients import find_gradient

        return find_gradient(self._operator.spec, self._backend) is not None

    def why_no_gradient(self) -> str | None:
        """Say why the operator has no gradient, if that is in its nature."""
        from aidge_nb.kernels.gradients import why_no_gradient

        return why_no_gradient(self._operator.spec)

    def backward(self) -> None:
        """Add to the gradients of the inputs.

        Raises
        ------
        MissingKernelError
            When the operator has no gradient.
        ShapeError
            When the gradient cannot take these arrays.
        """
        from aidge_nb.kernels.gradients import find_gradient

        function = find_gradient(self._operator.spec, self._backend)
        if function is None:
            raise self.missing_gradient()
        pass_back(self, function)


class MetaImpl(OperatorImpl):
    """Runs a meta-operator by scheduling and running its micro-graph."""

    def __init__(self, op: MetaOperatorOp, backend: str = "cpu") -> None:
        super().__init__(op, backend)
        self._micro_graph = op.micro_graph
        self._scheduler: SequentialScheduler | None = None
        self._ran_inside = False

    def run(self, arrays: Sequence[NDArray[Any] | None]) -> tuple[NDArray[Any], ...]:
        """Refuse: the tensors of the micro-graph are the operator's own, see :meth:`forward`.

        Raises
        ------
        MissingKernelError
            Always.
        """
        raise MissingKernelError(
            explain(self._operator.label, "a meta-operator runs on its own tensors alone")
        )

    def forward(self) -> None:
        """Run the micro-graph, whose ports share the operator's tensors.

        Raises
        ------
        SchedulingError
            When a loop inside cannot end, because it takes new data at each turn and one execution
            brings them once.
        """
        self._run_inside()

    def _run_inside(self) -> SequentialScheduler:
        if self._scheduler is None:
            self._scheduler = self._schedule()
        self._scheduler.forward(forward_dims=False)
        self._ran_inside = True
        return self._scheduler

    def remember(self) -> Tape | None:
        """Give the tape of the micro-graph, which gradients go back over.

        There is none when a subclass computed the outputs in another way.
        """
        ran, self._ran_inside = self._ran_inside, False
        return self._scheduler.tape() if ran and self._scheduler is not None else None

    def backward(self) -> None:
        """Run the micro-graph on what the tensors hold, and go back over what ran.

        Raises
        ------
        SchedulingError
            As :meth:`SequentialScheduler.backward` does.
        """
        outputs = [self._operator.get_output(i) for i in range(self._operator.nb_outputs)]
        grads = [tensor.grad for tensor in outputs]
        scheduler = self._run_inside()
        for tensor, grad in zip(outputs, grads, strict=True):
            tensor.grad = grad
        scheduler.backward()

    def _schedule(self) -> SequentialScheduler:
        from aidge_nb.runtime.schedulers.sequential import SequentialScheduler

        scheduler = SequentialScheduler(self._micro_graph)
        scheduler.generate_scheduling()
        order = scheduler.get_sequential_static_scheduling()
        for node in self._micro_graph:
            if node.type() != "Memorize":
                continue
            turns, wanted = order.count(node) - 1, int(node.get_operator().attr.end_step)
            if turns < wanted:
                raise SchedulingError(
                    explain(
                        self._operator.label,
                        f"the loop of {node.label} inside takes new data at each turn, and one "
                        "execution brings them once",
                        expected=f"{wanted} turns",
                        found=turns,
                        cure="Put what is inside in its place with expand_metaops() first.",
                    )
                )
        return scheduler


SPECIAL: dict[str, Callable[[Operator, str], OperatorImpl]] = {"Select": SelectImpl, **STATEFUL}
"""Operators that are more than a kernel."""


def _make(operator: Operator, backend: str) -> Implementation:
    if isinstance(operator, MetaOperatorOp):
        return MetaImpl(operator, backend)
    return SPECIAL.get(operator.type(), CpuImpl)(operator, backend)


register_backend("cpu", _make)
