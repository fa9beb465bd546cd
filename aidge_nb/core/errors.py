"""Every exception of aidge_nb.

A message says where (file, node, port), what was expected, what was found and what to do about it.
:func:`explain` builds such a message, so that all of them read alike.
"""

from __future__ import annotations

from typing import Self


class AidgeError(Exception):
    """Base class of what aidge_nb raises on purpose."""

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
    """A graph that is built or changed in a way that makes no sense."""


class UnknownAttributeError(GraphError, AttributeError):
    """An attribute that an operator does not have."""


class ShapeError(AidgeError):
    """Dimensions or data types that an operator cannot take."""


class DataDependencyError(ShapeError):
    """An output shape depends on a value that is not known before the graph runs."""


class SchedulingError(AidgeError):
    """A graph that cannot be scheduled, or a schedule that does not hold."""


class MemoryPlanError(AidgeError):
    """A memory layout that cannot be made, or that breaks a rule."""


class OnnxError(AidgeError):
    """A file or model that cannot be read as ONNX."""


class ExportError(AidgeError):
    """A graph that cannot be exported."""


class HardwareError(AidgeError):
    """A description of hardware, or a mapping onto it, that makes no sense."""


class MissingKernelError(AidgeError):
    """An operator that has no implementation on the chosen backend."""


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
