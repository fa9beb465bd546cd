"""Calling C kernels on NumPy arrays."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb.core.errors import ExportError, explain
from aidge_nb.kernels.c.calls import Argument, CCall, Constant, Fields, In, Out, Scratch
from aidge_nb.kernels.c.compiling import FLAGS, library_of
from aidge_nb.kernels.c.headers import struct_of

Array = NDArray[Any]


def filled_struct(kind: type[ctypes.Structure], fields: Fields) -> ctypes.Structure:
    """Make a configuration; arrays are filled up with zeros.

    Raises
    ------
    ExportError
        When the fields are not exactly those of the struct, or a number does not fit.

    Examples
    --------
    >>> from aidge_nb.kernels.c.headers import struct_of
    >>> filled_struct(struct_of("nb_unary", "nb_unary_config"), {"count": 3}).count
    3
    """
    declared = {entry[0]: entry[1] for entry in kind._fields_}
    if set(declared) != set(fields):
        raise ExportError(
            explain(kind.__name__, "wrong fields", expected=sorted(declared), found=sorted(fields))
        )
    made = kind()
    for name, value in fields.items():
        if isinstance(value, tuple):
            target = getattr(made, name)
            if len(value) > len(target):
                raise ExportError(
                    explain(
                        f"{kind.__name__}.{name}",
                        "too many numbers",
                        expected=len(target),
                        found=len(value),
                    )
                )
            for index, number in enumerate(value):
                _check(kind, name, number, target._type_)
                target[index] = number
        else:
            _check(kind, name, value, declared[name])
            setattr(made, name, value)
    return made


def _check(kind: type[ctypes.Structure], name: str, number: float, ctype: Any) -> None:
    """Refuse an integer that would lose bits."""
    if isinstance(number, float) or ctype in (ctypes.c_float, ctypes.c_double):
        return
    if ctype(number).value != number:
        raise ExportError(
            explain(f"{kind.__name__}.{name}", "does not fit the field", found=number)
        )


class Program:
    """Calls, ready to be run on arrays.

    Parameters
    ----------
    calls
        What to call, in order.
    flags
        How the kernels are compiled.

    Raises
    ------
    ExportError
        When there is no compiler.
    """

    def __init__(self, calls: Sequence[CCall], flags: Sequence[str] = FLAGS) -> None:
        self._scratch = np.empty(max((call.scratch for call in calls), default=0), np.uint8)
        self._steps: list[tuple[Callable[..., None], ctypes.Structure, tuple[Argument, ...]]] = []
        self._kept = [
            np.ascontiguousarray(argument.array)
            for call in calls
            for argument in call.args
            if isinstance(argument, Constant)
        ]
        for call in calls:
            function: Callable[..., None] = getattr(library_of(call.unit, flags), call.function)
            config = filled_struct(struct_of(call.unit, call.config), call.fields)
            self._steps.append((function, config, call.args))

    def bound(
        self, inputs: Sequence[Array | None], outputs: Sequence[Array | None]
    ) -> list[Callable[[], None]]:
        """Return the calls on contiguous arrays, which must stay where they are."""
        constants = iter(self._kept)
        return [
            partial(
                function,
                ctypes.byref(config),
                *(self._pointer(each, inputs, outputs, constants) for each in arguments),
            )
            for function, config, arguments in self._steps
        ]

    def run(self, inputs: Sequence[Array | None], outputs: Sequence[Array | None]) -> None:
        """Run on contiguous arrays; outputs are written."""
        for call in self.bound(inputs, outputs):
            call()

    def _pointer(
        self,
        argument: Argument,
        inputs: Sequence[Array | None],
        outputs: Sequence[Array | None],
        constants: Any,
    ) -> ctypes.c_void_p:
        if isinstance(argument, In):
            return _address(inputs[argument.index], argument.offset)
        if isinstance(argument, Out):
            return _address(outputs[argument.index], argument.offset)
        if isinstance(argument, Scratch):
            return _address(self._scratch, argument.offset)
        return _address(next(constants), 0) if isinstance(argument, Constant) else _NOTHING


_NOTHING = ctypes.c_void_p(None)


def _address(array: Array | None, offset: int) -> ctypes.c_void_p:
    return _NOTHING if array is None else ctypes.c_void_p(array.ctypes.data + offset)
