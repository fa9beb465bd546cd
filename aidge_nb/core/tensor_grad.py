"""The gradient of a tensor."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Self

import numpy as np
from numpy.typing import ArrayLike

from aidge_nb.core.errors import ShapeError

if TYPE_CHECKING:
    from aidge_nb.core.dims import Dims
    from aidge_nb.core.dtype import DType


class TensorGrad:
    """A tensor's gradient: another tensor of its dimensions."""

    __slots__ = ("_grad",)

    _grad: Any

    if TYPE_CHECKING:  # what a tensor brings

        def __init__(self, array: ArrayLike | None = None) -> None: ...
        @property
        def shape(self) -> Dims: ...  # noqa: D102
        @property
        def dtype(self) -> DType: ...  # noqa: D102
        def undefined(self) -> bool: ...  # noqa: D102

    @property
    def grad(self) -> Self:
        """The gradient; zeros when nothing has set it, as in Aidge (see :meth:`has_grad`)."""
        return self.init_grad() if self._grad is None else self._grad

    @grad.setter
    def grad(self, grad: Self | None) -> None:
        self._grad = grad

    @property
    def held_grad(self) -> Self | None:
        """The gradient; None when nothing has set it."""
        held: Self | None = self._grad
        return held

    def has_grad(self) -> bool:
        """Return whether there is a gradient."""
        return self._grad is not None

    def init_grad(self) -> Self:
        """Set the gradient to zeros, and return it."""
        zeros = None if self.undefined() else np.zeros(self.shape, self.dtype.numpy)
        self._grad = made = type(self)(zeros)
        return made

    def add_grad(self, grad: ArrayLike) -> None:
        """Add to the gradient, which begins at zero.

        Raises
        ------
        ShapeError
            When the gradient has other dimensions than the tensor.

        Examples
        --------
        >>> from aidge_nb import Tensor
        >>> tensor = Tensor([1.0, 2.0])
        >>> tensor.add_grad([0.5, 0.5])
        >>> tensor.add_grad([1.0, 0.0])
        >>> tensor.grad.array.tolist()
        [1.5, 0.5]
        """
        found = np.asarray(grad, self.dtype.numpy)
        if found.shape != self.shape:
            problem = "a gradient has the dimensions of its tensor"
            raise ShapeError.at(
                repr(self), problem, expected=list(self.shape), found=list(found.shape)
            )
        self._grad = type(self)(found if self._grad is None else self._grad.array + found)
