"""The exceptions of aidge_nb.

A message says where (file, node, port), what was expected, what was found and what to do about it.
:func:`explain` builds such a message, so that all of them read alike.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Self

from aidge_nb.core.text import terminal_lines


class AidgeError(RuntimeError):
    """Base class of the errors that aidge_nb raises on purpose; RuntimeErrors, as Aidge's are.

    Messages name nodes and files of strangers: characters that do not print are shown escaped.
    """

    def __str__(self) -> str:
        return terminal_lines(super().__str__())

    @classmethod
    def at(
        cls,
        where: str,
        problem: str,
        *,
        expected: object = None,
        found: object = None,
        cure: str = "",
    ) -> Self:
        """Return an error whose message :func:`explain` builds from these parts.

        Parameters
        ----------
        where
            The file, node and port, or the parameter.
        problem
            What is wrong.
        expected, found
            The values to compare, if any.
        cure
            What to do about it: a sentence.

        Examples
        --------
        >>> GraphError.at("conv0 (Conv2D)", "is not in this graph", cure="Add it first.")
        GraphError('conv0 (Conv2D): is not in this graph. Add it first.')
        """
        return cls(explain(where, problem, expected=expected, found=found, cure=cure))


class GraphError(AidgeError):
    """A graph was built or changed in an invalid way."""


class UnknownAttributeError(GraphError, AttributeError):
    """An operator does not have this attribute."""


class NameKindError(GraphError, TypeError):
    """A name is not a string, as when an argument stands in the place of another."""

    @classmethod
    def of(cls, name: object, where: str) -> NameKindError:
        """Return the error for a name that is not a string.

        Examples
        --------
        >>> "expected str, found 3" in str(NameKindError.of(3, "Conv2D"))
        True
        """
        cure = "Pass the other arguments by their names, as in ReLU(name='relu')."
        return cls.at(where, "its name is not a string", expected="str", found=name, cure=cure)


class ShapeError(AidgeError):
    """An operator does not accept these dimensions or data types."""


class DataDependencyError(ShapeError):
    """An output shape depends on a value that is not known before the graph runs."""


class SchedulingError(AidgeError):
    """A graph cannot be scheduled, or a schedule is invalid."""


class MemoryPlanError(AidgeError):
    """Memory cannot be planned, or a plan breaks a rule."""


class OnnxError(AidgeError):
    """A file or model is not valid ONNX, or cannot be written as ONNX."""


class TfliteError(AidgeError):
    """A file is not a valid TensorFlow Lite model."""


class ExportError(AidgeError):
    """A graph cannot be exported."""


class HardwareError(AidgeError):
    """A hardware description, or a mapping onto hardware, is invalid."""


class LimitError(AidgeError):
    """A file asks for more than a limit permits (:class:`aidge_nb.core.limits.Limits`)."""


class MissingKernelError(AidgeError):
    """An operator has no implementation on the chosen backend."""


class MissingExtraError(AidgeError, ImportError):
    """An optional package is needed and is not installed.

    Parameters
    ----------
    package
        The missing distribution, as ``pip`` spells it.
    extra
        The extra of aidge_nb that brings it.

    Examples
    --------
    >>> str(MissingExtraError("onnx", "onnx"))
    'this needs the package onnx, which is not installed: run  pip install "aidge_nb[onnx]"'
    """

    def __init__(self, package: str, extra: str) -> None:
        super().__init__(
            f"this needs the package {package}, which is not installed: "
            f'run  pip install "aidge_nb[{extra}]"'
        )
        self.package = package
        self.extra = extra

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.package, self.extra)


KERNEL_FAILURES = (ValueError, TypeError, LookupError, ArithmeticError, MemoryError)
"""Errors of kernels that cannot take the arrays or attributes of their node."""


def explain(
    where: str, problem: str, *, expected: object = None, found: object = None, cure: str = ""
) -> str:
    """Build an error message from its parts.

    Examples
    --------
    >>> explain("conv0 (Conv2D), input#1", "wrong number of channels", expected=3, found=4)
    'conv0 (Conv2D), input#1: wrong number of channels (expected 3, found 4)'
    """
    facts = [
        f"{word} {value}"
        for word, value in (("expected", expected), ("found", found))
        if value is not None
    ]
    message = f"{where}: {problem}" if where else problem
    if facts:
        message += f" ({', '.join(facts)})"
    return f"{message}. {cure}" if cure else message


@contextmanager
def reading(what: str, kind: type[AidgeError] = AidgeError, expected: str = "") -> Iterator[None]:
    """Turn what goes wrong in this block, where values of strangers are read, into one error.

    Parameters
    ----------
    what
        What is read, and from where.
    kind
        The class of the error.
    expected
        What can be read; by default what ``to_dict()`` gives.

    Raises
    ------
    AidgeError
        Of that kind, for values or texts of another form.

    Examples
    --------
    >>> with reading("plan"):
    ...     {}["peak"]
    Traceback (most recent call last):
    ...
    aidge_nb.core.errors.AidgeError: plan: cannot be read: KeyError 'peak' (expected ...)
    """
    try:
        yield
    except (*KERNEL_FAILURES, AttributeError, RecursionError) as error:
        problem = f"cannot be read: {type(error).__name__} {error}"
        raise kind.at(what, problem, expected=expected or "what to_dict() gives") from error


@contextmanager
def saying_where(where: str) -> Iterator[None]:
    """Put ``where`` before the message of an error that does not know it."""
    try:
        yield
    except AidgeError as error:
        raise type(error)(explain(where, str(error))) from error


def in_a_browser(cure: str) -> str:
    """Return what to do where a machine is missed: in a browser there is none to set right.

    Examples
    --------
    >>> in_a_browser("Install gcc.")  # here is a machine
    'Install gcc.'
    """
    if sys.platform != "emscripten":
        return cure
    return "A browser cannot do this: open the saved notebook for what came out on a machine."


def listed(names: Sequence[str], separator: str = ", ", most: int = 12) -> str:
    """Join names for a message: at most ``most`` of them, and the number of those left out.

    Examples
    --------
    >>> listed(["a", "b"], " -> "), listed(list("abcde"), most=3)
    ('a -> b', 'a, b, c and 2 more')
    """
    more = f" and {len(names) - most} more" if len(names) > most else ""
    return separator.join(names[:most]) + more
