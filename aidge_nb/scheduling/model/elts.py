"""Amounts of the consumer-producer model: elements of a tensor, or whole tensors (tokens).

Aidge's rules: amounts of one kind add up, an undefined amount is neutral, elements and tokens
cannot be added. In a comparison the left side decides: elements compare with elements, tokens with
the tokens of either kind, so that a token consumer can read an element producer.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

import numpy as np

from aidge_nb.core.errors import SchedulingError, explain

_WHOLE = (int, np.integer)


class EltType(Enum):
    """Unit of an amount; the lower-case names are Aidge's."""

    data = "data"
    """Elements of a tensor."""
    token = "token"
    """Whole tensors, or unknown amounts."""
    undef = "undefined"
    """No amount."""
    Data = data
    Token = token
    Undef = undef


@dataclass(slots=True, eq=False)
class Elts_t:  # noqa: N801  # Aidge's public name
    """An amount of data.

    Attributes
    ----------
    type
        Unit in which amounts are compared.
    data
        Number of elements.
    token
        Number of tokens.

    Examples
    --------
    >>> Elts_t.data_elts(6) + Elts_t.data_elts(3)
    Elts_t(data=9, token=2)
    >>> Elts_t.token_elts(1) <= Elts_t.data_elts(10)
    True
    """

    type: EltType
    data: int
    token: int

    @staticmethod
    def data_elts(data: int, token: int = 1) -> Elts_t:
        """Return an amount of elements, which is also one token (or ``token``)."""
        return Elts_t(EltType.Data, _whole(data), _whole(token))

    @staticmethod
    def token_elts(token: int) -> Elts_t:
        """Return an amount of tokens."""
        return Elts_t(EltType.Token, 0, _whole(token))

    @staticmethod
    def none_elts() -> Elts_t:
        """Return the undefined amount."""
        return Elts_t(EltType.Undef, 0, 0)

    def copy(self) -> Elts_t:
        """Return an independent copy."""
        return Elts_t(self.type, self.data, self.token)

    def __add__(self, other: Elts_t) -> Elts_t:
        if self.type is EltType.Undef:
            kind = other.type
        elif other.type is self.type or other.type is EltType.Undef:
            kind = self.type
        else:
            raise SchedulingError.at(
                "C-P model",
                "an amount of elements and an amount of tokens cannot be added",
                found=f"{self} + {other}",
                cure="Give dimensions to the whole graph with forward_dims(), or to none.",
            )
        return Elts_t(kind, self.data + other.data, self.token + other.token)

    def _key(self, other: Elts_t) -> tuple[int, int]:
        if self.type is not EltType.Data:
            return self.token, other.token
        if other.type is EltType.Token:
            raise SchedulingError.at(
                "C-P model",
                "elements are needed where only tokens are known",
                expected="an amount of elements",
                found=other,
                cure="Call forward_dims() with the dimensions of the inputs, and with "
                "allow_data_dependency=True if shapes depend on constants.",
            )
        return self.data, other.data

    def __lt__(self, other: Elts_t) -> bool:
        mine, its = self._key(other)
        return mine < its

    def __le__(self, other: Elts_t) -> bool:
        mine, its = self._key(other)
        return mine <= its

    def __gt__(self, other: Elts_t) -> bool:
        return not self <= other

    def __ge__(self, other: Elts_t) -> bool:
        return not self < other

    def __repr__(self) -> str:
        if self.type is EltType.Data:
            return f"Elts_t(data={self.data}, token={self.token})"
        if self.type is EltType.Token:
            return f"Elts_t(token={self.token})"
        if self.type is EltType.Undef:
            return "Elts_t(none)"
        return f"Elts_t({self.type!r}, data={self.data}, token={self.token})"


def _whole(amount: int) -> int:
    try:
        whole = int(amount)
    except (TypeError, ValueError, OverflowError):
        whole = -1
    if whole < 0 or whole != amount:
        raise SchedulingError.at(
            "C-P model", "not an amount", expected="a whole number, 0 or more", found=amount
        )
    return whole


def as_amount(value: object) -> Elts_t | None:
    """Copy an amount, with plain integers; None for any other value.

    Examples
    --------
    >>> as_amount(Elts_t(EltType.Data, -1, 1)) is None
    True
    """
    if not isinstance(value, Elts_t):
        return None
    kind: object = value.type  # fields can hold anything
    data: object = value.data
    token: object = value.token
    if (
        not isinstance(kind, EltType)
        or not isinstance(data, _WHOLE)
        or not isinstance(token, _WHOLE)
        or data < 0
        or token < 0
    ):
        return None
    return Elts_t(kind, int(data), int(token))


def describe_no_amount(where: str, problem: str, found: object) -> str:
    """Describe a value returned by a consumer-producer model that is not an amount."""
    return explain(
        where,
        problem,
        expected="an Elts_t of whole numbers, 0 or more",
        found=repr(found),
        cure="Use Elts_t.data_elts(n), Elts_t.token_elts(n) or Elts_t.none_elts().",
    )
