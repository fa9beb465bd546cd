"""Mappings that views are tested with: a real one, and odd ones made by hand."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

from aidge_nb import hardware, zoo
from aidge_nb.hardware import Mapping
from aidge_nb.hardware.steps import Function, MappingStep, Placed, Work
from aidge_nb.widgets import Scene, scene_of


@cache
def mapped() -> tuple[Mapping, Scene]:
    """Map a network with branches onto a host and an accelerator."""
    view = zoo.load("inception_like")
    view.set_backend("cpu")
    view.forward_dims([[1, 3, 32, 32]], allow_data_dependency=True)
    mapping = hardware.map_schedule(view, hardware.target("duo_soc"))
    return mapping, scene_of(mapping)


def odd_mappings() -> dict[str, Mapping]:
    """Mappings that a view must be able to draw, and a stranger to read."""
    long = "long" * 2500
    work = Work("a", (Function("a", "ReLU", 0, 1),), ("pe",))
    step = MappingStep("operation", "compute 0", "a", 0, ("pe",), 0, 9, (), ("b",), 1)
    nothing = replace(step, end=0)
    works = tuple(Work(f"w{n}", (Function(f"w{n}", "FC", 8, 1),), ("pe",)) for n in range(2000))
    many = tuple(
        MappingStep("operation", "compute 0", f"w{n}", 0, ("pe",), 5 * n, 5 * n + 5, (), (), 8)
        for n in range(2000)
    )
    named = Work(long, (Function(long, "ReLU", 0, 1),), (long,))
    at = MappingStep("operation", "compute 0", long, 0, (long,), 3, 9, (), (long,), 1)
    moved = MappingStep("transfer", "store 0", long, 0, (f"{long}→ram",), 9, 12, (long,), ("c",), 1)
    places = (Placed(long, long, 0, 7, 3, 12), Placed("c", "ram", 0, 7, 9, 12))
    return {
        "one node": Mapping("mcu", ("pe",), 1e6, (work,), (step,), (), (("ram", 64),)),
        "nothing takes time": Mapping("mcu", ("pe",), 1e6, (work,), (nothing,), ()),
        "no memories": Mapping("mcu", ("pe",), 1e6, (work,), (step,), ()),
        "2000 works": Mapping("mcu", ("pe",), 1e6, works, many, ()),
        "long names": Mapping(
            long, (long,), 1e6, (named,), (at, moved), places, ((long, 8), ("ram", 4096))
        ),
    }
