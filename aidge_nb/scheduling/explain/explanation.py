"""An explanation of one firing as a value: it reads as plain text."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum


class Reason(Enum):
    """Why one firing follows another."""

    Input = "gives an input"
    Condition = "decides whether it runs"
    Reader = "takes what the execution before gave"
    Itself = "is the execution before"
    Output = "takes what it gives"
    Again = "is the next execution"
    Refill = "gives new input for the next execution"


@dataclass(frozen=True, slots=True)
class Wait:
    """A firing before or after the one that is explained.

    Attributes
    ----------
    name, execution
        The firing.
    step
        Its early step if it comes before, its late step if it comes after.
    reason
        Why one follows the other.
    inputs
        Numbers of the inputs that it gives, from 0, where they are known.
    """

    name: str
    execution: int
    step: int
    reason: Reason
    inputs: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Explanation:
    """Why a firing runs when it does.

    Attributes
    ----------
    name, execution
        The firing.
    executions
        How often its node runs in all.
    early, late, end
        The first and last step at which it can run, and the last step of the schedule.
    is_producer
        Whether the node gives its data whenever somebody asks for them.
    waits_for
        What it had to follow.
    bound_by
        What must follow it at the latest; None where that is the end.
    path
        Names along the chain of last causes that leads to it: at most 100, the firing itself last.
    path_start
        The step of the first of them; 0 unless the chain is longer.
    """

    name: str
    execution: int
    executions: int
    early: int
    late: int
    end: int
    is_producer: bool
    waits_for: tuple[Wait, ...]
    bound_by: Wait | None
    path: tuple[str, ...]
    path_start: int

    @property
    def slack(self) -> int:
        """Steps by which it can be put off without delaying anything."""
        return self.late - self.early

    @property
    def is_critical(self) -> bool:
        """Whether any delay would delay the end."""
        return self.slack == 0

    @property
    def last_causes(self) -> tuple[Wait, ...]:
        """What it waited for longest."""
        return tuple(wait for wait in self.waits_for if wait.step == self.early - 1)

    def __str__(self) -> str:
        count = f"execution {self.execution}" + (f" of {self.executions}" * (self.executions > 1))
        lines = [f"{self.name}, {count}: can run from step {self.early} to step {self.late}."]
        if self.is_producer:
            lines.append("It is a Producer: it gives its data when somebody asks for them.")
        lines += self._describe_waits()
        bound = "the schedule ends then."
        if self.bound_by is not None:
            bound = f"{_describe(self.bound_by, 'late step')} {self.bound_by.reason.value}."
        lines.append(f"It can wait until step {self.late}: {bound}")
        lines.append(self._describe_path())
        return "\n".join(lines)

    def _describe_waits(self) -> list[str]:
        if not self.waits_for:
            return ["It waits for nothing."]
        last = self.last_causes
        earlier = [wait for wait in self.waits_for if wait not in last]
        return [
            *(f"It waits for {_describe(wait, 'step')}, which {_because(wait)}." for wait in last),
            *(
                f"{_describe(wait, 'step')}, which {_because(wait)}, ran before that."
                for wait in earlier
            ),
        ]

    def _describe_path(self) -> str:
        if not self.is_critical:
            steps = "1 step" if self.slack == 1 else f"{self.slack} steps"
            return f"It is not on the critical path: it has {steps} of slack."
        names = list(self.path)
        if self.path_start:
            names[:-5] = ["…"]
        elif len(names) > 12:
            names[6:-5] = ["…"]
        return f"It is on the critical path, where any delay delays the end: {' → '.join(names)}."


def _describe(wait: Wait, step: str) -> str:
    return f"{wait.name} (execution {wait.execution}, {step} {wait.step})"


def _because(wait: Wait) -> str:
    given = ", ".join(f"input#{index}" for index in wait.inputs)
    return f"gives {given}" if given else wait.reason.value
