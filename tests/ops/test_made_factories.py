"""Factories made from one function for several operators: names, signatures, descriptions."""

from __future__ import annotations

from inspect import isclass, signature

import pytest

from aidge_nb import ops

# Enumerations are no factories.
FACTORIES = [name for name in ops.__all__ if not isclass(getattr(ops, name))]


@pytest.mark.parametrize("name", FACTORIES)
def test_every_parameter_of_a_factory_is_described(name: str) -> None:
    factory = getattr(ops, name)
    text = (factory.__doc__ or "").partition("Parameters\n    ----------\n")[2]
    heads = [line.strip() for line in text.splitlines() if line[:5].strip() and line.strip()]
    described = {part.strip() for head in heads for part in head.split(",")}
    assert set(signature(factory).parameters) <= described
    assert "{" not in text


def test_factories_of_three_ranks_differ_in_name_and_words_alone() -> None:
    assert signature(ops.Conv1D) == signature(ops.Conv2D) == signature(ops.Conv3D)
    assert [each.__name__ for each in (ops.Conv1D, ops.Conv3D)] == ["Conv1D", "Conv3D"]
    assert "over three spatial dimensions" in (ops.Conv3D.__doc__ or "")
    assert ops.PaddedMaxPooling3D([2, 2, 2]).type() == "PaddedMaxPooling3D"
