"""Exercise: make a network run that does not, in a few calls of the library."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cached_property
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from aidge_nb import core
from aidge_nb.core.errors import AidgeError
from aidge_nb.course.answers.question import UNTRIED, ModelAnswer
from aidge_nb.course.feedback import NO_ANSWER, Feedback, not_understood
from aidge_nb.course.models import silent
from aidge_nb.graph.view import GraphView
from aidge_nb.memory import plan_memory
from aidge_nb.onnx_io import load_onnx
from aidge_nb.runtime import run_in_arena
from aidge_nb.scheduling import static_schedule

MOST_CALLS = 4
"""Calls of the library that an answer may make."""

PAGE = "<html>This network has moved. It is model-2.onnx now, beside this file.</html>\n"

_CURES = {
    "open": (
        "What does graph.annotations['onnx'] say about the image?",
        "Give the sizes that the file leaves open to forward_dims.",
        "graph.forward_dims([[1, 3, 16, 16]])",
    ),
    "operator": (
        "Which node has the domain com.theirs?",
        "Replace it by the operator of this library that has its name.",
        'aidge_nb.GraphView.replace({graph.get_node("act1")}, {aidge_nb.KIND("act1")})',
    ),
    "rank": (
        "Who made so few dimensions of four? Print the nodes in their order.",
        "flat does, and conv2 reads pictures: take flat out.",
        'aidge_nb.GraphView.replace({graph.get_node("flat")}, set())',
    ),
    "page": (
        "Open the file as text: what does it say?",
        "Load the file that it names.",
        'graph = aidge_nb.load_onnx(path.with_name("model-2.onnx"))',
    ),
}
"""Why a network does not run: where to look, what to do, and the line that does it."""

_NAMES = {"Relu": "ReLU", "Tanh": "Tanh", "Sigmoid": "Sigmoid"}
_HERE = str(Path(core.__file__).parents[1])


class MakeItRun:
    """Make the network in a file run, in at most 4 calls of the library.

    An answer is a function that takes the path of the file and returns a graph. That graph is
    planned and run on :attr:`image`, and its scores compared with those of the network without the
    fault. Sizes that the file states are taken from it; those that it leaves open are yours to say.

    Parameters
    ----------
    seed
        Draws network and fault: open sizes, an unknown operator, a wrong rank, or no network.

    Attributes
    ----------
    tries
        How many answers were checked.

    Examples
    --------
    >>> import aidge_nb
    >>> asked = MakeItRun(2)
    >>> def make(path):
    ...     graph = aidge_nb.load_onnx(path)
    ...     return graph
    >>> asked.check(make).hint
    "What does graph.annotations['onnx'] say about the image?"
    >>> asked.check(make).hint
    'Give the sizes that the file leaves open to forward_dims.'
    >>> asked.solution()
    graph.forward_dims([[1, 3, 16, 16]])
    """

    def __init__(self, seed: int) -> None:
        self.seed = seed
        self.tries = 0
        self._model, self._healthy, self._why = silent(seed)

    def __repr__(self) -> str:
        return f"MakeItRun(seed={self.seed})"

    @cached_property
    def path(self) -> Path:
        """The file; written to a folder of its own when first asked for."""
        path = Path(tempfile.mkdtemp(), "model.onnx")
        if self._why == "page":
            self._model.save(path.with_name("model-2.onnx"))
            path.write_text(PAGE)
        else:
            self._model.save(path)
        return path

    @cached_property
    def image(self) -> NDArray[np.float32]:
        """The image to run on: as large as the file states, 1 × 3 × 16 × 16 where it is open."""
        stated = self._stated_dims or [1, 3, 16, 16]
        return np.random.default_rng(self.seed).random(stated, np.float32)

    @property
    def _stated_dims(self) -> list[int]:
        """The size of the image as the file states it; empty where it leaves one open."""
        (image,) = self._model.inputs
        dims = [dim for dim in image.dims or () if isinstance(dim, int)]
        return dims if len(dims) == len(image.dims or ()) else []

    def check(self, answer: Callable[[Path], GraphView] | None) -> Feedback:
        """Check an answer.

        Parameters
        ----------
        answer
            A function that takes the path of the file and returns a graph; None is no answer.
        """
        if answer is None:
            return NO_ANSWER
        if not callable(answer):
            return not_understood("a function that takes a path and returns a graph")
        hint = _CURES[self._why][min(self.tries, 1)]
        self.tries += 1
        path, calls = self.path, list[str]()
        try:
            with _counted(calls):
                graph = answer(path)
        except AidgeError as error:
            return Feedback(False, f"It does not get as far as running: {error}", hint, 0.0)
        if not isinstance(graph, GraphView):
            return not_understood(f"a function that returns a graph; yours returns {graph!r}")
        try:
            scores = self._scores(graph)
        except AidgeError as error:
            return Feedback(False, f"It does not run: {error}", hint, 0.25)
        if not np.array_equal(scores, self._scores(load_onnx(self._healthy), self.image.shape)):
            return Feedback(
                False, "It runs, and gives other scores than the network should.", hint, 0.5
            )
        made = f"{len(calls)} call{'s' * (len(calls) != 1)}"
        if len(calls) > MOST_CALLS:
            again = f"Make at most {MOST_CALLS}: the graph is planned and run for you."
            return Feedback(False, f"It runs, after {made}.", again, 0.75)
        return Feedback(True, f"It runs, and its scores are right, after {made}.")

    def solution(self) -> ModelAnswer:
        """Return the line that makes it run; only after a try."""
        if not self.tries:
            return UNTRIED
        line = _CURES[self._why][2].replace("KIND", _NAMES[self._healthy.nodes[1].op_type])
        return ModelAnswer(line, line)

    def _scores(self, graph: GraphView, dims: tuple[int, ...] = ()) -> NDArray[Any]:
        """Plan a graph and run it in the arena of its plan."""
        graph.set_backend("cpu")
        if given := list(dims) or self._stated_dims:
            graph.forward_dims([given])
        plan = plan_memory(graph, static_schedule(graph))
        return np.asarray(run_in_arena(graph, plan, [self.image]).outputs[0])


@contextmanager
def _counted(calls: list[str]) -> Iterator[None]:
    """Note the calls of this library that code outside of it makes; importing is none."""

    def is_of(frame: FrameType | None, *starts: str) -> bool:
        return frame is not None and frame.f_code.co_filename.startswith(starts)

    def note(frame: FrameType, event: str, argument: object) -> None:
        if event != "call" or not is_of(frame, _HERE) or is_of(frame.f_back, _HERE, "<frozen"):
            return
        name = frame.f_code.co_name
        if name == "__init__" or not name.startswith(("_", "<")):  # such as __getattr__
            calls.append(name)

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        yield
    finally:
        sys.setprofile(before)
