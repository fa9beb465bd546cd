"""The options of :func:`~aidge_nb.memory.plan_memory`, as values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, fields, replace
from typing import Any

import numpy as np

from aidge_nb.core.errors import MemoryPlanError, reading
from aidge_nb.core.forms import read_form
from aidge_nb.core.values import dataclass


@dataclass(frozen=True, slots=True)
class Memory:
    """A memory to plan for.

    Attributes
    ----------
    name
        Its name in plans.
    capacity
        Its size, in bytes.
    priority
        Memories of lower priority are filled first; equal ones in the order in which they are
        listed.
    """

    name: str
    capacity: int
    priority: int = 0


@dataclass(frozen=True, slots=True)
class WhatIf:
    """Changes to a model to plan for, without making them.

    Attributes
    ----------
    fused
        Pairs of node names: a node, and the node that reads it. Both are computed together, so the
        value between them is never stored, and what the first one reads lives until the second
        one runs.
    in_place
        Names of nodes that may write output 0 over input 0, although their operators do not
        declare it.
    """

    fused: tuple[tuple[str, str], ...] = ()
    in_place: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, repr=False)
class PlanOptions:
    """The options of :func:`~aidge_nb.memory.plan_memory`.

    Attributes
    ----------
    inc_producers, inc_inputs
        Whether Producers (parameters) and graph inputs take memory too.
    alignment
        Offsets are multiples of it, in bytes.
    in_place
        Whether outputs may overwrite inputs where ``OpSpec.in_place`` permits it.
    parts
        Whether Slice, Split and Concat may work without a copy where that takes no more memory:
        their parts lie inside the whole tensor, possibly in several blocks (``Buffer.levels``).
    contiguous
        With ``parts``, whether parts that would lie in several blocks are copied instead.
    by_rows
        Whether convolutions and poolings may overwrite their input row by row while they consume
        it, and Softmax and normalizations line by line. The executor must store these buffers by
        rows (``Buffer.rows``) and keep one output row aside, as
        :func:`aidge_nb.runtime.run_in_arena` does.
    looped
        Whether all executions of an output lie at one offset, as in a program whose loops write to
        the same addresses in every turn. Excludes ``rings``.
    rings
        Whether outputs that are written and read piece by piece lie in a ring of the pieces that
        are still needed, see :func:`~aidge_nb.memory.plan_rings`. Each piece is a buffer.
    effort
        How long to search when the lower bound is not reached at once, as for
        :func:`~aidge_nb.memory.plan`; 0 tries the quick methods only.
    what_if
        Changes to the model to plan for.
    memories
        Memories to fill, by priority; None for one arena without a limit. In the plan they follow
        each other in one address space; ``MemoryPlan.memories`` lists how much of each is used.

    Raises
    ------
    MemoryPlanError
        When a value is invalid, or ``looped`` and ``rings`` are combined.

    Examples
    --------
    >>> options = PlanOptions(parts=True, alignment=4)
    >>> options
    PlanOptions(alignment=4, parts=True)
    >>> PlanOptions.from_dict(options.to_dict()) == options
    True
    """

    inc_producers: bool = False
    inc_inputs: bool = False
    alignment: int = 1
    in_place: bool = True
    parts: bool = False
    contiguous: bool = False
    by_rows: bool = False
    looped: bool = False
    rings: bool = False
    effort: float = 0.25
    what_if: WhatIf = WhatIf()
    memories: Sequence[Memory] | None = None

    def __post_init__(self) -> None:
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(field.default, bool) and not isinstance(value, bool | np.bool_):
                raise _invalid(field.name, "True or False", value)
        if self.alignment < 1:
            raise _invalid("alignment", "1 byte or more", self.alignment)
        if not self.effort >= 0:  # also refuses NaN
            raise _invalid("effort", "0 or more", self.effort)
        if self.looped and self.rings:
            problem = "looped=True and rings=True cannot be combined: pieces of a ring move"
            raise MemoryPlanError.at("plan options", problem, cure="Choose one of them.")
        if self.memories is not None:
            object.__setattr__(self, "memories", tuple(self.memories))
            _check_memories(self.memories)

    @classmethod
    def of(cls, options: PlanOptions | None = None, /, **changes: Any) -> PlanOptions:
        """Return ``options`` (None for the defaults) with some of them changed.

        Parameters
        ----------
        options
            The options to start from.
        **changes
            Fields to replace, by name.

        Raises
        ------
        MemoryPlanError
            When an option is unknown or invalid.

        Examples
        --------
        >>> PlanOptions.of(PlanOptions(parts=True), looped=True)
        PlanOptions(parts=True, looped=True)
        """
        if options is not None and not isinstance(options, PlanOptions):
            raise _invalid("options", "PlanOptions, or keywords such as parts=True", options)
        known = [field.name for field in fields(cls)]
        for name in changes:
            if name not in known:
                raise MemoryPlanError.at(
                    "plan options", f"unknown option {name!r}", expected=", ".join(known)
                )
        return replace(cls() if options is None else options, **changes)

    def to_dict(self) -> dict[str, Any]:
        """Return plain Python values, for JSON; :meth:`from_dict` reads them."""
        return asdict(self)

    @classmethod
    @reading("plan options", MemoryPlanError)
    def from_dict(cls, values: Mapping[str, Any]) -> PlanOptions:
        """Read what :meth:`to_dict` returned.

        Parameters
        ----------
        values
            Fields by name; those left out have their defaults.

        Raises
        ------
        MemoryPlanError
            When an option is unknown or invalid.
        """
        options: PlanOptions = read_form(values, cls, "plan options", MemoryPlanError)
        return options

    def __repr__(self) -> str:
        values = ((field, getattr(self, field.name)) for field in fields(self))
        changed = (f"{field.name}={value!r}" for field, value in values if value != field.default)
        return f"PlanOptions({', '.join(changed)})"


def _check_memories(memories: Sequence[Memory]) -> None:
    if not memories:
        raise _invalid("memories", "one memory or more, or None", memories)
    names = [memory.name for memory in memories]
    for memory in memories:
        where = f"memory {memory.name}"
        if names.count(memory.name) > 1:
            raise MemoryPlanError.at(where, "two memories have this name")
        if memory.capacity <= 0:
            raise MemoryPlanError.at(
                where, "has no capacity", expected="1 byte or more", found=memory.capacity
            )


def _invalid(name: str, expected: str, found: object) -> MemoryPlanError:
    return MemoryPlanError.at(name, "invalid value", expected=expected, found=repr(found))
