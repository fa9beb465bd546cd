"""Ask for the fault of a broken model: which node, which port, and what is wrong there."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from aidge_nb.core.errors import AidgeError
from aidge_nb.course.answers.question import ModelAnswer, Question
from aidge_nb.course.feedback import Feedback, not_understood
from aidge_nb.course.models import FAULTS
from aidge_nb.onnx_io import load_onnx

if TYPE_CHECKING:
    from aidge_nb.onnx_io.model import OnnxModel

_COMPLAINS = re.compile(
    r"(?P<node>\w+) \(\w+\), (?P<port>input#\d+): wrong number of (?P<fault>\w+)"
)
_PORT = re.compile(r"\b(input|output)\s*#?\s*(\d+)", re.IGNORECASE)


class Fault(NamedTuple):
    """Where a model is broken, and how."""

    node: str
    port: str
    fault: str


@dataclass(eq=False, repr=False)
class FaultQuestion(Question):
    """Ask for the fault of a model; made by :func:`broken`.

    Parameters
    ----------
    text
        What is asked.
    model
        A model with one fault.
    hints, why
        As for :class:`Question`.

    Attributes
    ----------
    model
        The model, to be loaded and looked at.

    Examples
    --------
    >>> from aidge_nb.course import broken
    >>> asked = broken(0)
    >>> asked.check("conv1 input#0 features")
    Not yet (67 %): Right: input#0, features. conv1 is not the node that complains.
    Hint: Load asked.model, and read the report of what was not understood.
    """

    kind = "text"

    model: OnnxModel

    @cached_property
    def fault(self) -> Fault:
        """The fault, as loading the model and giving it dimensions find it."""
        view = load_onnx(self.model)
        for name, _, _ in view.annotations["onnx.report"].generic:
            return Fault(name, "output#0", "unknown")
        try:
            view.forward_dims(
                [
                    [dim for dim in value.dims or () if isinstance(dim, int)]
                    for value in self.model.inputs
                ]
            )
        except AidgeError as error:
            found = _COMPLAINS.match(str(error))
            if found is None:
                raise
            names = {node.name for node in self.model.nodes}
            inner = found["node"]  # of a block, as in conv2_conv
            node = inner if inner in names else inner.rpartition("_")[0]
            return Fault(node, found["port"], found["fault"])
        raise AidgeError.at("FaultQuestion", "the model has no fault")

    @property
    def form(self) -> str:
        """An answer of the right form, as Python; not the right answer."""
        return repr(f"{self.model.nodes[0].name} output#1 {FAULTS[0]}")

    @property
    def config(self) -> Mapping[str, Any]:
        """Facts for the widget, beside the text."""
        return {"keys": ["#"], "label": "node port fault"}

    def _read(self, answer: Any) -> Fault | None:
        if isinstance(answer, Iterable) and not isinstance(answer, (str, Mapping)):
            answer = " ".join(map(str, answer))
        if not isinstance(answer, str):
            return None
        port = _PORT.search(answer)
        words = re.findall(r"\w+", _PORT.sub(" ", answer))
        faults = [word.lower() for word in words if word.lower() in FAULTS]
        names = {node.name for node in self.model.nodes}
        nodes = [word for word in words if word in names]
        if not (port and faults and nodes):
            return None
        return Fault(nodes[0], f"{port[1].lower()}#{port[2]}", faults[0])

    def _judge(self, answer: Any) -> Feedback:
        given = self._read(answer)
        if given is None:
            kinds = ", ".join(FAULTS)
            return not_understood(f"node, port and one of {kinds}, as in {self.form}")
        right = tuple(
            part for part in Fault._fields if getattr(given, part) == getattr(self.fault, part)
        )
        if len(right) == len(Fault._fields):
            return Feedback(True, f"Yes: {' '.join(given)}.")
        wrong = next(part for part in Fault._fields if part not in right)
        text, hint = {
            "node": (f"{given.node} is not the node that complains.", self.hint(1)),
            "port": (f"It is not {given.port}.", "The message names the port behind the node."),
            "fault": (f"{given.fault} is not what is wrong.", "What was expected, what was found?"),
        }[wrong]
        said = tuple(getattr(given, part) for part in right)
        return Feedback(False, text, hint, len(right) / len(Fault._fields), said, wrong)

    def _solve(self) -> ModelAnswer:
        return ModelAnswer(" ".join(self.fault), " ".join(self.fault), self.why)
