"""Requirements of implementations, and small arguments, as ``aidge_core`` has them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

from aidge_nb.compat.served.type_facts import AnyFormat, AnyType, OtherFormat, OtherType
from aidge_nb.core.dtype import DType
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.attributes import OF_ALL
from aidge_nb.graph.operator import Operator


@dataclass
class IOSpec:
    """Requirements of an implementation at a port: type, format and dims; ``any`` is open."""

    type: AnyType
    format: AnyFormat = OtherFormat["any"]
    dims: Sequence[tuple[int, int]] = ()


@dataclass(init=False)
class ImplSpec:
    """Requirements of an implementation.

    Parameters
    ----------
    io, o
        The specs of the inputs and of the outputs, one or a list; the outputs are like the
        inputs when there is one alone.
    funcs
        Functions of the operator: those that return 0 refuse it, and higher numbers are better.
    """

    inputs: list[IOSpec] = field(default_factory=list)
    outputs: list[IOSpec] = field(default_factory=list)
    funcs: list[Callable[[Any], int]] = field(default_factory=list)

    def __init__(
        self,
        io: IOSpec | Sequence[IOSpec] = (),
        o: IOSpec | Sequence[IOSpec] | None = None,
        funcs: Sequence[Callable[[Any], int]] = (),
    ) -> None:
        if o is not None and any(callable(each) for each in _listed(o)):
            o, funcs = None, _listed(o)
        self.inputs = _listed(io)
        self.outputs = _listed(io if o is None else o)
        self.funcs = list(funcs)

    def suits(self, operator: Any) -> bool:
        """Return whether an operator's tensors have these types and dims."""
        pairs = [
            *zip(operator.get_inputs(), _spread(self.inputs, operator.nb_inputs), strict=False),
            *zip(operator.get_outputs(), _spread(self.outputs, operator.nb_outputs), strict=False),
        ]
        known = [(tensor, spec) for tensor, spec in pairs if tensor is not None]
        return all(_suits(tensor, spec) for tensor, spec in known) and all(
            function(operator) for function in self.funcs
        )


def _required_spec(operator: Operator) -> ImplSpec:
    """Return types, formats and dims of an operator's tensors: what it asks implementations for."""
    inputs, outputs = (
        [_spec_of(tensor) for tensor in tensors]
        for tensors in (operator.get_inputs(), operator.get_outputs())
    )
    return ImplSpec(inputs, outputs)


def _spec_of(tensor: Tensor | None) -> IOSpec:
    if tensor is None:
        return IOSpec(OtherType["any"])
    known = () if tensor.is_undefined() else tensor.dims
    return IOSpec(tensor.dtype, tensor.dformat, [(size, size) for size in known])


OF_ALL["get_required_spec"] = _required_spec


def _listed(specs: Any) -> list[Any]:
    return list(specs) if isinstance(specs, (list, tuple)) else [specs]


def _spread(specs: list[IOSpec], count: int) -> list[IOSpec]:
    return specs + specs[-1:] * (count - len(specs))


def _suits(tensor: Any, spec: IOSpec) -> bool:
    if isinstance(spec.type, DType) and tensor.dtype is not spec.type:
        return False
    wanted = [size for _, size in spec.dims]
    return not wanted or tensor.is_undefined() or list(tensor.dims) == wanted


def _attributes(name: str, why: str) -> Callable[[Any], Callable[[Any], int]]:
    def function(attrs: Any) -> Callable[[Any], int]:
        def judge(operator: Any) -> int:
            same = sum(operator.attr.get(key) == value for key, value in attrs.items())
            return int(same == len(attrs)) if name == "mandatory" else 1 + same

        return judge

    function.__doc__ = why
    return function


mandatory_attrs = _attributes("mandatory", "Return a function that wants all these attributes.")
preferred_attrs = _attributes("preferred", "Return a function that counts these attributes.")
mandatory_annotations, preferred_annotations = mandatory_attrs, preferred_attrs


class DataDependency:
    """Permission for dims to depend on data: of all inputs, or one by one."""

    def __init__(self, dependency: bool | Sequence[bool]) -> None:
        self.allowed = dependency if isinstance(dependency, bool) else tuple(dependency)

    def __bool__(self) -> bool:
        return self.allowed if isinstance(self.allowed, bool) else any(self.allowed)


class OpArgs:
    """A node or a graph, as ``sequential`` and its like take them."""

    def __init__(self, made: Any) -> None:
        self._made = made

    def node(self) -> Any:
        """Return the node; None for a graph."""
        return None if hasattr(self._made, "get_nodes") else self._made

    def view(self) -> Any:
        """Return the graph; None for a node."""
        return self._made if hasattr(self._made, "get_nodes") else None
