"""Frozen dataclasses of ours against those of the standard library."""

from __future__ import annotations

import copy
import dataclasses
import inspect
import pickle
from collections.abc import Callable
from dataclasses import FrozenInstanceError, field
from typing import Any

import pytest

from aidge_nb.core import values


def spans(make: Callable[..., Any]) -> dict[str, type[Any]]:
    """Make classes with a decorator: the library's, or ours."""

    @make(frozen=True)
    class Plain:
        """Some fields."""

        start: int
        stop: int = 4
        notes: list[int] = field(default_factory=list, compare=False)

        def __len__(self) -> int:
            return self.stop - self.start

    @make(frozen=True, slots=True)
    class Slim:
        """Slots, a default, and a check."""

        start: int
        stop: int = 4
        notes: tuple[str, ...] = field(default=(), repr=False)

        def __post_init__(self) -> None:
            if self.stop < self.start:
                raise ValueError(f"{self.stop} < {self.start}")

    @make(frozen=True, eq=False, repr=False)
    class Bare:
        """Neither equality nor a text."""

        start: int

    @make(frozen=True)
    class Longer(Plain):
        """Inherits fields."""

        start: int = 1
        step: int = 2

    @make(frozen=True)
    class Empty:
        """No field."""

    @make(frozen=True)
    class Own:
        """Writes some of the methods itself."""

        start: int

        def __eq__(self, other: object) -> bool:
            return type(other) is type(self)

        def __repr__(self) -> str:
            return "mine"

    return {each.__name__: each for each in (Plain, Slim, Bare, Longer, Empty, Own)}


THEIRS, OURS = spans(dataclasses.dataclass), spans(values.dataclass)

CALLS: list[tuple[str, tuple[Any, ...], dict[str, Any]]] = [
    ("Plain", (1,), {}),
    ("Plain", (1, 9), {"notes": [3]}),
    ("Plain", (), {}),
    ("Plain", (1,), {"other": 2}),
    ("Slim", (1,), {"notes": ("a",)}),
    ("Slim", (5,), {}),
    ("Bare", (1,), {}),
    ("Longer", (), {"step": 7}),
    ("Empty", (), {}),
    ("Own", (1,), {}),
]


def facts(cls: type[Any], *args: Any, **named: Any) -> dict[str, Any]:
    """Return what can be seen of an instance, or why there is none."""
    try:
        made = cls(*args, **named)
    except (TypeError, ValueError) as error:
        return {"error": str(error)}
    text = repr(made) if "__repr__" in vars(cls) else ""
    with pytest.raises(FrozenInstanceError) as assigned:
        made.start = 0
    with pytest.raises(FrozenInstanceError) as deleted:
        del made.start
    try:
        code: Any = hash(made) if "__hash__" in vars(cls) else None
    except TypeError as error:
        code = str(error)
    return {
        "text": text,
        "hash": code,
        "dict": dataclasses.asdict(made),
        "equal": made == cls(*args, **named),
        "other": made == object(),
        "assigned": str(assigned.value),
        "deleted": str(deleted.value),
        "copied": dataclasses.asdict(copy.copy(made)),
        "matched": cls.__match_args__,
        "slots": getattr(cls, "__slots__", None),
        "names": [each.name for each in dataclasses.fields(cls)],
        "signature": str(inspect.signature(cls)).replace("<lambda>", ""),
    }


@pytest.mark.parametrize(("name", "args", "named"), CALLS)
def test_they_behave_alike(name: str, args: tuple[Any, ...], named: dict[str, Any]) -> None:
    assert facts(OURS[name], *args, **named) == facts(THEIRS[name], *args, **named)


def test_fields_can_be_replaced_and_defaults_are_not_shared() -> None:
    plain = OURS["Plain"]
    assert dataclasses.replace(plain(1), stop=2) == plain(1, 2)
    assert plain(1).notes is not plain(1).notes


def test_those_that_are_not_frozen_are_the_librarys() -> None:
    @values.dataclass(slots=True)
    class Loose:
        """One field."""

        start: int = 0

    loose = Loose()
    loose.start = 3
    assert loose == Loose(3)


def test_values_with_slots_can_be_pickled() -> None:
    from aidge_nb.advice.findings import HeldBytes

    held = HeldBytes("conv1#0", "conv1", 12)
    assert not hasattr(held, "__dict__")
    assert pickle.loads(pickle.dumps(held)) == held
