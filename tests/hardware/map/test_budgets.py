"""Memories that are too small for whole tensors: what a refusal suggests works when it is given."""

from __future__ import annotations

import re

import pytest

from aidge_nb import hardware, tile_for, zoo
from aidge_nb.core.errors import HardwareError
from aidge_nb.hardware import Constraints, check_mapping, map_schedule

ADVICE = re.compile(r"(?:Give it (\d+) bytes more, .*)?tile_for\(view(?:, memory=(\d+))?\)")

CASES = [
    pytest.param("mobilenet_v2", "quad_cluster", "l2", 62_000, marks=pytest.mark.slow),
    ("mobilenet_v2", "quad_cluster", "l2", 250_000),
    pytest.param("mobilenet_v2", "quad_cluster", "l2", 300_000, marks=pytest.mark.slow),
    ("squeezenet", "quad_cluster", "l2", 160_000),
    pytest.param("squeezenet", "duo_soc", "ram", 250_000, marks=pytest.mark.slow),
    pytest.param("inception_like", "mps2-an385", "ram", 62_000, marks=pytest.mark.slow),
]


@pytest.mark.parametrize(("name", "target", "memory", "size"), CASES)
def test_what_a_refusal_suggests_works(name: str, target: str, memory: str, size: int) -> None:
    view = zoo.load(name)
    assert view.forward_dims([[1, 3, 64, 64]], allow_data_dependency=True)
    machine = hardware.target(target)
    with pytest.raises(HardwareError, match="do not fit") as refused:
        map_schedule(view, machine, Constraints(target, memory={memory: size}))
    advice = ADVICE.search(str(refused.value))
    assert advice is not None
    more, budget = advice.groups()
    given = Constraints(target, memory={memory: size + int(more or 0)})
    found = tile_for(view, memory=int(budget) if budget else None).best.plan(view)
    mapping = map_schedule(view, machine, given, tilings=found)
    check_mapping(mapping, machine, given, view)
    if more:  # and without these bytes it does not
        with pytest.raises(HardwareError, match="do not fit"):
            map_schedule(view, machine, Constraints(target, memory={memory: size}), tilings=found)
