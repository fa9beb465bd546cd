"""Every model of the zoo, small: bits, arena, compilers."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aidge_nb.export import check_export, export, plan_export
from tests.export.building import VARIANTS, Builder
from tests.export.models import zoo_small
from tests.zoo.small import SMALL


@pytest.mark.parametrize("name", SMALL)
def test_every_model_can_be_planned(name: str) -> None:
    plan = plan_export(zoo_small(name), name=name)
    check_export(plan)
    assert plan.arena_bytes == plan.memory.peak


def test_quick_models_have_the_same_bits(tmp_path: Path, builder: Builder) -> None:
    for name in ("lenet", "mlp", "tiling_model"):
        said = builder.check(export(zoo_small(name), tmp_path / name, name=name))
        assert not said, f"{name}: {said}"


@pytest.mark.slow
@pytest.mark.parametrize("variant", VARIANTS, ids=lambda pair: " ".join(pair))
def test_every_model_has_the_same_bits(
    tmp_path: Path, builder_of: Callable[..., Builder], variant: tuple[str, str]
) -> None:
    builder = builder_of(*variant)
    for name in SMALL:
        said = builder.check(export(zoo_small(name), tmp_path / name, name=name))
        assert not said, f"{name}: {said}"
