"""Tasks as values: what is computed at a time, what it reads and writes, what it awaits."""

from __future__ import annotations

from dataclasses import dataclass, field

from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.hardware.mapping import Function
from aidge_nb.tiling import Tiling


@dataclass(frozen=True, slots=True)
class Buffer:
    """What lies in the memory of whole tensors: values that share bytes.

    ``users`` are the numbers of the tasks that read or write it. An input of the graph is there
    from the beginning, and what the graph gives is kept up to the end.
    """

    name: str
    size: int
    users: tuple[int, ...]
    holds: tuple[str, ...]
    is_input: bool = False
    is_kept: bool = False


@dataclass(eq=False, slots=True)
class Task:
    """What is computed at a time.

    Attributes
    ----------
    number, name
        Its place in the order, and a name of its own.
    nodes
        What is computed, in order.
    functions
        The same as values.
    after
        Numbers of the tasks that must have ended.
    inputs, outputs
        Names of buffers.
    parameters
        Bytes by the name of the Producer.
    tiling
        How it is to be cut, where that was given.
    """

    number: int
    name: str
    nodes: tuple[Node, ...]
    functions: tuple[Function, ...]
    after: set[int] = field(default_factory=set)
    inputs: dict[str, None] = field(default_factory=dict)
    outputs: dict[str, None] = field(default_factory=dict)
    parameters: dict[str, int] = field(default_factory=dict)
    tiling: Tiling | None = None


@dataclass(frozen=True, eq=False)
class TaskList:
    """All tasks in the order of the schedule, and the buffers between them."""

    view: GraphView
    tasks: tuple[Task, ...]
    buffers: tuple[Buffer, ...]
