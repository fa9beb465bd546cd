"""Steps before the first tick and after the last one: what is loaded, and results in stretches."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from aidge_nb.export.plan.addresses import Addresses
from aidge_nb.export.plan.parts import Action, Copy, Operand, Place, ProgramTensor, Step
from aidge_nb.export.plan.stretches import copy_runs


def load_steps(addresses: Addresses, loads: Sequence[Copy]) -> Iterator[Step]:
    """Make the steps that copy inputs and parameters into the arena before the first tick."""
    for number, copy in enumerate(loads, 1):
        buffer = addresses.every_buffer[copy.target.name]
        value = replace(buffer.value, symbol=buffer.symbol)
        wrote = Operand(0, value, copy.target, copy.size)
        name, sources = f"(load {buffer.value.name})", (copy.source,)
        yield Step(number, name, "Copy", buffer.symbol, (), sources, (wrote,), (copy,), total=0)


def result_step(
    addresses: Addresses, outputs: Sequence[ProgramTensor], results: Sequence[Place], number: int
) -> Step:
    """Make the last step, which copies the results that lie in stretches.

    Raise ExportError for a plan that does not keep all of a result.
    """
    actions: list[Action] = []
    for value, place in zip(outputs, results, strict=True):
        if place.kind == "spread":
            runs = [
                (size, replace(begin, offset=begin.offset + offset))
                for size, stretch, offset in addresses.at_end(place).runs(0, value.nbytes)
                for begin in [addresses.place_of(stretch)]
            ]
            actions += copy_runs(value.name, [(value.nbytes, Place("output", value.symbol))], runs)
    return Step(number, "(results)", "Copy", "results", (), (), (), tuple(actions), total=0)
