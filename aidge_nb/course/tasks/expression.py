"""Evaluate a C expression of floats on arrays, each step rounded to 32 bits as C does."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

import numpy as np

from aidge_nb.core.errors import AidgeError

if TYPE_CHECKING:
    from numpy.typing import NDArray

    Floats = NDArray[np.float32]

_TOKEN = re.compile(
    r"\s*(?:(?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?[fF]?)|(?P<name>[A-Za-z_]\w*)"
    r"|(?P<sign><=|>=|==|!=|[-+*/()?:,<>]))"
)
_LONGEST = 400
_DEEPEST = 30


class ExpressionError(AidgeError):
    """Raised for an expression that cannot be read."""


def evaluate(text: str, x: Floats) -> Floats:
    """Return the value of an expression in ``x``.

    Raises
    ------
    ExpressionError
        For text that is not an expression of this kind.

    Examples
    --------
    >>> evaluate("x > 0.0f ? x : 0.0f", np.array([-1, 2], np.float32)).tolist()
    [0.0, 2.0]
    """
    if len(text) > _LONGEST:
        raise ExpressionError(f"it has more than {_LONGEST} characters")
    reader = _ExpressionReader(_tokens(text.strip().rstrip(";")), x)
    with np.errstate(all="ignore"):
        value = reader.choice()
    if reader.at < len(reader.tokens):
        raise ExpressionError(f"{reader.tokens[reader.at]!r} is one too many")
    return np.broadcast_to(np.asarray(value, np.float32), x.shape).copy()


def _tokens(text: str) -> list[str]:
    found, at = [], 0
    while at < len(text):
        match = _TOKEN.match(text, at)
        if match is None:
            raise ExpressionError(f"{text[at:].strip()[:12]!r} cannot be read")
        found.append(match[0].strip())
        at = match.end()
    return found


_COMPARES: dict[str, Callable[[Any, Any], Any]] = {
    "<": np.less,
    ">": np.greater,
    "<=": np.less_equal,
    ">=": np.greater_equal,
    "==": np.equal,
    "!=": np.not_equal,
}
_FUNCTIONS: dict[str, tuple[int, Callable[..., Any]]] = {
    "fmaxf": (2, np.fmax),
    "fminf": (2, np.fmin),
    "fabsf": (1, np.fabs),
}


class _ExpressionReader:
    """Read and compute in one go, as the grammar of C has it."""

    def __init__(self, tokens: list[str], x: Floats) -> None:
        self.tokens, self.x, self.at, self.depth = tokens, x, 0, 0

    def take(self, *wanted: str) -> str:
        """Take the next token if it is one of those wanted; return it, or nothing."""
        if self.at < len(self.tokens) and self.tokens[self.at] in wanted:
            self.at += 1
            return self.tokens[self.at - 1]
        return ""

    def need(self, wanted: str) -> None:
        """Take a token that must stand here."""
        if not self.take(wanted):
            found = self.tokens[self.at] if self.at < len(self.tokens) else "the end"
            raise ExpressionError(f"{wanted!r} is missing before {found!r}")

    def choice(self) -> Any:
        """Read ``a ? b : c``, or less."""
        self.depth += 1
        if self.depth > _DEEPEST:
            raise ExpressionError("it is nested too deeply")
        test = self.comparison()
        if self.take("?"):
            yes = self.choice()
            self.need(":")
            no = self.choice()
            test = np.where(np.asarray(test) != 0, yes, no).astype(np.float32)
        self.depth -= 1
        return test

    def comparison(self) -> Any:
        """Read a sum, or a comparison of two, which gives 1 or 0."""
        value = self.sum()
        while sign := self.take(*_COMPARES):
            value = np.asarray(_COMPARES[sign](value, self.sum()), np.float32)
        return value

    def sum(self) -> Any:
        """Read products, added or subtracted."""
        value = self.product()
        while sign := self.take("+", "-"):
            other = self.product()
            value = np.float32(value + other) if sign == "+" else np.float32(value - other)
        return value

    def product(self) -> Any:
        """Read factors, multiplied or divided."""
        value = self.factor()
        while sign := self.take("*", "/"):
            other = self.factor()
            value = np.float32(value * other) if sign == "*" else np.float32(value / other)
        return value

    def factor(self) -> Any:
        """Read an operand, with signs before it."""
        signs = 0
        while sign := self.take("-", "+"):
            signs += sign == "-"
        value = self.operand()
        return np.negative(value) if signs % 2 else value

    def operand(self) -> Any:
        """Read a number, ``x``, a call or a bracket."""
        if self.take("("):
            value = self.choice()
            self.need(")")
            return value
        if self.at == len(self.tokens):
            raise ExpressionError("it ends too early")
        token = self.tokens[self.at]
        self.at += 1
        if token == "x":
            return self.x
        if token in _FUNCTIONS:
            return self.call(token)
        if token[0].isdigit() or token[0] == ".":
            return np.float32(token.rstrip("fF"))
        known = ", ".join(("x", *_FUNCTIONS))
        raise ExpressionError(f"unknown name {token!r}: choose one of {known}")

    def call(self, name: str) -> Any:
        """Read the arguments of a function, and call it."""
        count, function = _FUNCTIONS[name]
        self.need("(")
        arguments = [self.choice()]
        while self.take(","):
            arguments.append(self.choice())
        self.need(")")
        if len(arguments) != count:
            raise ExpressionError(f"{name} takes {count}, and {len(arguments)} are given")
        return np.asarray(function(*arguments), np.float32)
