"""Amounts: the algebra that aidge_core answered, case by case."""

from __future__ import annotations

import operator
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest

from aidge_nb.core.errors import SchedulingError
from aidge_nb.scheduling import Elts_t, EltType
from tests import oracle

RECORDED = oracle.load("elts_algebra")
KINDS = {"data": EltType.Data, "token": EltType.Token, "undef": EltType.Undef}


def _amount(name: str) -> Elts_t:
    value = RECORDED["values"][name]
    return Elts_t(KINDS[value["type"]], value["data"], value["token"])


def _fields(amount: Elts_t) -> dict[str, Any]:
    names = {kind: name for name, kind in KINDS.items()}
    return {"type": names[amount.type], "data": amount.data, "token": amount.token}


def _answer(action: Callable[[], Any]) -> Any:
    try:
        return action()
    except SchedulingError:
        return "refused"


@pytest.mark.parametrize(
    "case", RECORDED["cases"], ids=[f"{case['a']}-{case['b']}" for case in RECORDED["cases"]]
)
def test_as_aidge_does(case: dict[str, Any]) -> None:
    a, b = _amount(case["a"]), _amount(case["b"])
    for name, action in (("lt", operator.lt), ("gt", operator.gt)):
        expected = "refused" if isinstance(case[name], dict) else case[name]
        assert _answer(partial(action, a, b)) == expected
    expected = "refused" if "raises" in case["add"] else case["add"]
    found = _answer(lambda: _fields(a + b))
    assert found == expected
    assert (_amount(case["a"]).data, _amount(case["b"]).data) == (a.data, b.data)


def test_orders_agree() -> None:
    small, large = Elts_t.data_elts(2), Elts_t.data_elts(3)
    assert small < large
    assert small <= large
    assert small <= small
    assert large > small
    assert large >= small
    assert not small >= large


def test_constructors_and_text() -> None:
    assert repr(Elts_t.data_elts(6)) == "Elts_t(data=6, token=1)"
    assert repr(Elts_t.data_elts(6, 2)) == "Elts_t(data=6, token=2)"
    assert repr(Elts_t.token_elts(3)) == "Elts_t(token=3)"
    assert repr(Elts_t.none_elts()) == "Elts_t(none)"


def test_copies_are_independent() -> None:
    amount = Elts_t.data_elts(1)
    twin = amount.copy()
    twin.data += 1
    assert amount.data == 1


def test_mixing_says_what_to_do() -> None:
    with pytest.raises(SchedulingError) as refusal:
        Elts_t.data_elts(5) + Elts_t.token_elts(1)
    assert str(refusal.value) == (
        "C-P model: an amount of elements and an amount of tokens cannot be added "
        "(found Elts_t(data=5, token=1) + Elts_t(token=1)). "
        "Give dimensions to the whole graph with forward_dims(), or to none."
    )
    with pytest.raises(SchedulingError, match=r"elements are needed where only tokens are known"):
        _ = Elts_t.data_elts(5) > Elts_t.token_elts(1)


@pytest.mark.parametrize("amount", [-1, 1.5, float("nan"), float("inf"), "3", None])
def test_what_is_no_amount(amount: Any) -> None:
    for make in (Elts_t.data_elts, Elts_t.token_elts):
        with pytest.raises(SchedulingError, match="C-P model: not an amount"):
            make(amount)


def test_kinds_by_the_names_of_aidge() -> None:
    assert {name: EltType[name] for name in KINDS} == KINDS
    assert Elts_t.data_elts(1).type is EltType.data
