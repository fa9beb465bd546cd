"""The backend ``cpu``: run operators with NumPy kernels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from numpy.typing import NDArray

from aidge_nb.core.errors import (
    KERNEL_FAILURES,
    AidgeError,
    MissingKernelError,
    SchedulingError,
    ShapeError,
    explain,
)
from aidge_nb.graph.backend import Implementation, register_backend
from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.graph.meta import MetaOperatorOp
from aidge_nb.graph.node import Node
from aidge_nb.graph.operator import Operator, context_of
from aidge_nb.ops.place import PLACE, TilePlace
from aidge_nb.runtime.autodiff.tape import Tape, run_and_record
from aidge_nb.runtime.backends.gradient import add_gradients
from aidge_nb.runtime.backends.special import SPECIAL
from aidge_nb.runtime.schedulers.sequential import SequentialScheduler
from aidge_nb.scheduling.executor import is_needed
from aidge_nb.scheduling.model.impl import OperatorImpl

if TYPE_CHECKING:
    from aidge_nb.kernels import Kernel

Arrays = Sequence[NDArray[Any] | None]


class CpuImpl(OperatorImpl):
    """Run one operator with its NumPy kernel.

    The kernel is looked up at the first run, so that graphs with missing kernels can be scheduled
    and laid out. Where the kernel supports it, ``needs_optional_outputs = False`` leaves out
    optional outputs such as the indices of MaxPooling, output 0 is written into ``out`` when that
    is an array, and ``place`` says which part of the whole is computed (None: the operator's own).
    """

    out: NDArray[Any] | None = None
    place: TilePlace | None = None
    _kernel: tuple[Kernel, frozenset[str]] | None = None

    def run(self, arrays: Arrays) -> tuple[NDArray[Any], ...]:
        """Compute the outputs from arrays.

        Raises
        ------
        MissingKernelError
            When the operator has no kernel.
        ShapeError
            When the kernel cannot take these arrays.
        """
        operator, (kernel, taken) = self._operator, self._kernel or self._find_kernel()
        if kernel is None:
            return super().run(arrays)
        check_kinds(operator, arrays)
        options = dict(operator.attr)
        place = self.place or options.pop(PLACE, None)
        if place is not None and PLACE in taken:
            options[PLACE] = place
        if not self.needs_optional_outputs and "optional_outputs" in taken:
            options["optional_outputs"] = False
        if self.out is not None and "out" in taken:
            options["out"] = self.out
        try:
            result = kernel(*arrays, **options)
        except AidgeError as error:
            raise type(error)(explain(operator.label, str(error))) from error
        except KERNEL_FAILURES as error:
            raise _why_it_failed(operator, arrays, error) from error
        return result if isinstance(result, tuple) else (result,)

    def _find_kernel(self) -> tuple[Kernel | None, frozenset[str]]:
        """Find the kernel and its keywords; keep them when there is one."""
        from aidge_nb.kernels import find_kernel
        from aidge_nb.kernels.registry import keywords_of

        kernel = find_kernel(self._operator.spec, self._backend)
        if kernel is None:
            return None, frozenset()
        self._kernel = kernel, keywords_of(kernel)
        return self._kernel

    def has_gradient(self) -> bool:
        """Tell whether the operator has a gradient."""
        from aidge_nb.kernels.registry import find_gradient

        return find_gradient(self._operator.spec, self._backend) is not None

    def why_no_gradient(self) -> str | None:
        """Return why the operator cannot have a gradient, or None."""
        from aidge_nb.kernels.registry import why_no_gradient

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
        from aidge_nb.kernels.registry import find_gradient

        function = find_gradient(self._operator.spec, self._backend)
        if function is None:
            raise self.missing_gradient()
        add_gradients(self, function)


def _why_it_failed(operator: Operator, arrays: Arrays, error: Exception) -> AidgeError:
    """Describe a failed kernel call; the operator's shape rule often gives a clearer error."""
    try:
        operator.spec.dims(context_of(operator, arrays))
    except AidgeError as clear:
        return clear
    except KERNEL_FAILURES:
        pass
    ended = isinstance(error, MemoryError)
    return ShapeError.at(
        operator.label,
        f"not enough memory to run it: {error}" if ended else f"the kernel failed: {error}",
        found=[None if a is None else f"{a.dtype}{list(a.shape)}" for a in arrays],
        cure="Give this process more memory, or the inputs smaller dimensions." if ended else "",
    )


def check_kinds(operator: Operator, arrays: Arrays) -> None:
    """Refuse integer data for floating-point parameters, which would truncate the results.

    Raise ShapeError when parameters are floating-point numbers and the data are not.
    """
    data = arrays[0] if arrays else None
    if data is None or data.dtype.kind == "f" or not operator.input_category(0).is_data:
        return
    for index, array in enumerate(arrays[1:], start=1):
        if array is None or array.dtype.kind != "f":
            continue
        if operator.input_category(index).is_param:
            raise ShapeError.at(
                f"{operator.label}, input#0",
                f"is of another kind than the parameters at input#{index}",
                expected=array.dtype.name,
                found=data.dtype.name,
                cure=f"Convert the data with astype({array.dtype.name!r}).",
            )


class MetaImpl(OperatorImpl):
    """Run a meta-operator by scheduling and running its micro-graph.

    A cell, whose micro-graph is a loop that needs new data at each turn, goes round once per
    execution; its state lasts for a pass.
    """

    def __init__(self, op: MetaOperatorOp, backend: str = "cpu") -> None:
        super().__init__(op, backend)
        self._micro_graph = op.micro_graph
        self._scheduler: SequentialScheduler | None = None
        self._cell: _Turns | None = None
        self._tape: Tape | None = None

    def run(self, arrays: Arrays) -> tuple[NDArray[Any], ...]:
        """Refuse: a meta-operator runs on its own tensors only, see :meth:`forward`.

        Raises
        ------
        MissingKernelError
            Always.
        """
        raise MissingKernelError.at(
            self._operator.label, "a meta-operator runs on its own tensors only"
        )

    def forward(self) -> None:
        """Run the micro-graph, whose ports share the operator's tensors.

        Raises
        ------
        SchedulingError
            When a loop inside has no turn left, or needs other data than one execution brings.
        """
        self._run_inside()

    def reset_state(self) -> None:
        """Let a cell begin anew."""
        if self._cell is not None:
            self._cell.done = 0

    def keeps_state(self) -> bool:
        """Tell whether there is a loop inside."""
        inside = [node.get_operator().get_impl() for node in self._micro_graph]
        return any(
            node.type() == "Memorize" or (isinstance(impl, OperatorImpl) and impl.keeps_state())
            for node, impl in zip(self._micro_graph, inside, strict=True)
        )

    def _run_inside(self) -> SequentialScheduler:
        if self._scheduler is None:
            self._scheduler = SequentialScheduler(self._micro_graph)
            self._scheduler.generate_scheduling()
            order = self._scheduler.get_sequential_static_scheduling()
            self._cell = _Turns.of(self._operator.label, order)
        if self._cell is not None and self._cell.next():
            self._tape = self._cell.again()
        else:
            self._scheduler.forward(forward_dims=False)
            self._tape = self._scheduler.tape()
        return self._scheduler

    def remember(self) -> Tape | None:
        """Return the tape of the micro-graph for the backward pass.

        None when a subclass computed the outputs in another way.
        """
        tape, self._tape = self._tape, None
        return tape

    def backward(self) -> None:
        """Run the micro-graph on what the tensors hold, then its backward pass.

        A cell is taken as if it began with these data.

        Raises
        ------
        SchedulingError
            As :meth:`SequentialScheduler.backward` does.
        """
        outputs = [self._operator.get_output(i) for i in range(self._operator.nb_outputs)]
        grads = [tensor.held_grad for tensor in outputs]
        self.reset_state()
        scheduler = self._run_inside()
        for tensor, grad in zip(outputs, grads, strict=True):
            tensor.grad = grad
        scheduler.backward()


class _Turns:
    """The turns of the loops of a cell, of which each execution makes one."""

    def __init__(self, label: str, order: Sequence[Node], end: int) -> None:
        self.done = 0
        self._label, self._end = label, end
        begun: set[Node] = set()
        self._order = []  # without the execution in which a Memorize gives its first value
        for node in order:
            if node.type() == "Producer":
                continue
            if node.type() == "Memorize" and node not in begun:
                begun.add(node)
            else:
                self._order.append(node)

    @classmethod
    def of(cls, label: str, order: Sequence[Node]) -> _Turns | None:
        """Return the turns of a cell; None when one execution makes all there are.

        Raise SchedulingError when it makes some of them.
        """
        loops = {node: order.count(node) - 1 for node in order if node.type() == "Memorize"}
        ends = {node: int(node.get_operator().attr.end_step) for node in loops}
        if all(0 < ends[node] <= turns for node, turns in loops.items()):
            return None
        for node, turns in loops.items():
            if turns != 1:
                raise SchedulingError.at(
                    label,
                    f"the loop of {node.label} inside needs new data at each turn, but one "
                    "execution brings data for some of its turns",
                    expected="one turn, or all of them",
                    found=turns,
                    cure="Replace it by its micro-graph first: expand_metaops().",
                )
        return cls(label, order, min((end for end in ends.values() if end), default=0))

    def next(self) -> bool:
        """Count a turn, and return whether there was one before.

        Raise SchedulingError when none is left.
        """
        if self._end and self.done >= self._end:
            raise SchedulingError.at(
                self._label,
                "no turn of its loop is left",
                expected=f"at most {self._end} executions in a pass",
                cure="Make the cell for as many steps as there are data.",
            )
        self.done += 1
        return self.done > 1

    def again(self) -> Tape:
        """Run a turn after the first one."""
        return Tape([run_and_record(node) for node in self._order if is_needed(node)])


def make_from(
    plain: type[OperatorImpl],
    meta: type[MetaImpl],
    generic: type[OperatorImpl],
    operator: Operator,
    backend: str,
) -> Implementation:
    """Make the implementation that a backend has for an operator of this kind."""
    if isinstance(operator, MetaOperatorOp):
        return meta(operator, backend)
    other = generic if isinstance(operator, GenericOperatorOp) else plain
    return SPECIAL.get(operator.type(), other)(operator, backend)


register_backend("cpu", partial(make_from, CpuImpl, MetaImpl, CpuImpl))
