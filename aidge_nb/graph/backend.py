"""Backends: registered makers of operator implementations.

A backend is registered by name with a factory that makes the implementation of one operator.
The graph room knows the contract alone; ``aidge_nb.runtime`` registers the backend ``cpu``.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any, Protocol

from numpy.typing import NDArray

from aidge_nb.core.errors import GraphError

if TYPE_CHECKING:
    from aidge_nb.graph.operator import Operator

ARITHMETICS = {"fast": "cpu", "exact": "exact"}
"""The two arithmetics of NumPy, and the backends that have them."""


class Implementation(Protocol):
    """The implementation of an operator by a backend."""

    def forward(self) -> None:
        """Run the operator on its tensors."""

    def reset_state(self) -> None:
        """Reset the state before a pass through the graph."""

    def backward(self) -> None:
        """Propagate gradients from the outputs to the inputs."""

    def run(self, arrays: Sequence[NDArray[Any] | None]) -> tuple[NDArray[Any], ...]:
        """Compute the outputs of the given inputs, leaving the operator's tensors alone."""

    def prod_conso(self) -> Any:
        """Return the consumer-producer model, with its state."""


Factory = Callable[["Operator", str], Implementation]

_FACTORIES: dict[str, Factory | str] = {}

MAKERS: dict[tuple[str, str], Callable[[Operator], Implementation]] = {}
"""Makers of implementations for one type of operators on a backend, before the backend's own."""


def register_backend(name: str, factory: Factory | str) -> None:
    """Register ``factory(operator, name)`` as the maker of a backend's implementations.

    A string names the module that registers the factory itself when the backend is first used.
    """
    _FACTORIES[name] = factory


def available_backends() -> list[str]:
    """Return the names of the registered backends."""
    return sorted(_FACTORIES)


def backend_for(name: str, arithmetic: str = "fast") -> str:
    """Return the name of the backend that has an arithmetic.

    Raise GraphError when there is no such arithmetic, or the backend has another one.

    Parameters
    ----------
    name
        A backend; only ``"cpu"`` leaves the choice.
    arithmetic
        ``"fast"``, or ``"exact"``: every sum in a fixed order, so that exported programs give the
        same bits.

    Examples
    --------
    >>> backend_for("cpu", "exact")
    'exact'
    """
    if arithmetic not in ARITHMETICS:
        expected, found = " or ".join(ARITHMETICS), repr(arithmetic)
        raise GraphError.at("arithmetic", "is unknown", expected=expected, found=found)
    if arithmetic == "fast" or name in ("exact", "c"):  # these are exact
        return name
    if name != "cpu":
        problem = f"has no {arithmetic} arithmetic"
        raise GraphError.at(f"backend {name!r}", problem, cure='Choose the backend "cpu".')
    return ARITHMETICS[arithmetic]


def check_device(device: Any) -> None:
    """Check that the device is the only one there is, number 0; raise GraphError otherwise."""
    if device not in (None, 0, "", "cpu"):
        raise GraphError.at("device", "there is no other one", expected=0, found=device)


def make_implementation(name: str, operator: Operator) -> Implementation:
    """Make the implementation of an operator on a backend.

    Raises
    ------
    GraphError
        When there is no such backend.
    """
    own = MAKERS.get((operator.type(), name))
    if own is not None:
        return own(operator)
    factory = _FACTORIES.get(name)
    if isinstance(factory, str):
        import_module(factory)
        factory = _FACTORIES[name]
    if factory is None or isinstance(factory, str):
        raise GraphError.at(
            operator.label, "no such backend", expected=available_backends(), found=repr(name)
        )
    return factory(operator, name)
