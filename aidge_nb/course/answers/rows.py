"""Ask which rows a stripe needs, of every map of a chain: brushes on the maps."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from aidge_nb.core.errors import GraphError
from aidge_nb.course.answers.question import ModelAnswer, Question
from aidge_nb.course.answers.spans import Span, span_of, span_text
from aidge_nb.course.feedback import Feedback, not_understood
from aidge_nb.tiling.windows import sliding_windows

if TYPE_CHECKING:
    from aidge_nb.graph.view import GraphView
    from aidge_nb.tiling import Tile, Tiling

ROWS = 2
"""The axis of rows."""

INPUT = "input"
"""Name of what the chain reads."""


@dataclass(eq=False, repr=False)
class RowsQuestion(Question):
    """Ask which rows of each map a stripe needs; ``course.rows`` for short.

    Parameters
    ----------
    text
        What is asked.
    view
        The graph of the tiling.
    tiling
        Stripes: a tiling along the axis of rows.
    stripe
        Number of the stripe, from 1. The rows that it gives are shown.
    hints, why
        As for :class:`Question`.

    Raises
    ------
    GraphError
        For a stripe that is not there, or a tiling along other axes.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.course import graphs
    >>> view = graphs.stripes()
    >>> nodes = [view.get_node(name) for name in ("conv0", "conv1", "pool")]
    >>> asked = RowsQuestion("Which?", view, aidge_nb.plan_tiling(view, nodes, {2: 4}), 2)
    >>> asked.check({"conv1": (4, 7), "conv0": (3, 8), "input": (3, 8)})
    Not yet (67 %): Right: conv0, conv1. 2 of 3 are right.
    Hint: input: conv0 computes rows 3–8. Its window has 3 rows, so row 3 reads a row above row 3.
    >>> asked.check({"conv1": (4, 7), "conv0": (3, 8), "input": (2, 9)}).correct
    True
    """

    kind = "rows"

    view: GraphView
    tiling: Tiling
    stripe: int

    def __post_init__(self) -> None:
        super().__post_init__()
        axes, count = self.tiling.axes, len(self.tiling.tiles)
        if axes != (ROWS,):
            raise GraphError.at("rows", "stripes are asked for", found=f"axes {axes}")
        if not 1 <= self.stripe <= count:
            there = f"stripes 1 to {count}"
            raise GraphError.at("rows", "no such stripe", expected=there, found=str(self.stripe))

    @property
    def _tile(self) -> Tile:
        return self.tiling.tiles[self.stripe - 1]

    @cached_property
    def _readers(self) -> dict[str, tuple[str, Span]]:
        """By map that is asked for, its first reader and the rows that this one computes."""
        found: dict[str, tuple[str, Span]] = {}
        for part in self._tile.parts:
            rows = (part.output[ROWS].start, part.output[ROWS].stop - 1)
            sources = [source for source, reader in self.tiling.links if reader == part.node]
            for source in sources or [INPUT]:
                found.setdefault(source, (part.node, rows))
        return {name: found[name] for name in (INPUT, *self.tiling.nodes) if name in found}

    @cached_property
    def _spans(self) -> dict[str, Span]:
        """First and last row that is needed of each map that is asked for, both included."""
        parts = {part.node: part for part in self._tile.parts}
        found: dict[str, Span] = {}
        for name, (reader, _) in self._readers.items():
            if name == INPUT:
                read = dict(parts[reader].inputs)[0][ROWS]
            else:
                read = parts[name].needed[ROWS]
            found[name] = (read.start, read.stop - 1)
        return found

    @cached_property
    def _heights(self) -> dict[str, int]:
        """Rows of each map, by name."""
        first = self.view.get_node(self._readers[INPUT][0])
        image = first.get_operator().get_input(0)
        found = {} if image is None else {INPUT: int(image.dims[ROWS])}
        for part in self._tile.parts:
            result = self.view.get_node(part.node).get_operator().get_output(0)
            found[part.node] = int(result.dims[ROWS])
        return found

    @property
    def form(self) -> str:
        """An answer of the right form, as Python; not the right answer."""
        return f"{{{next(iter(self._spans))!r}: (0, 0), …}}"

    @property
    def config(self) -> Mapping[str, Any]:
        """Facts for the widget, beside the text."""
        last = self._tile.parts[-1]
        given = [last.needed[ROWS].start, last.needed[ROWS].stop - 1]
        maps = [
            {"name": name, "rows": rows, "given": given if name == last.node else None}
            for name, rows in self._heights.items()
        ]
        return {"maps": maps}

    def table(self) -> str:
        """Return the question as text, with the rows of each map and the form of an answer."""
        (given,) = (each for each in self.config["maps"] if each["given"])
        heights = ", ".join(f"{name} {rows}" for name, rows in self._heights.items())
        first, last = given["given"]
        lines = [self.text, f"Rows: {heights}. Given: rows {first}–{last} of {given['name']}."]
        return "\n".join([*lines, f"Answer with .check({self.form})"])

    def _read(self, answer: Any) -> Any:
        """Return an answer in the form in which answers are compared with each other."""
        if not isinstance(answer, Mapping):
            return answer
        return {name: span_of(rows) for name, rows in answer.items()}

    def _judge(self, answer: Any) -> Feedback:
        if not isinstance(answer, Mapping):
            return not_understood(f"a dictionary, as in {self.form}")
        names = list(self._spans)
        for unknown in answer.keys() - self._spans.keys():
            text = f"The rows of {unknown!r} are not asked for."
            return Feedback(False, text, f"They are {', '.join(names)}.", 0.0)
        given = {name: span_of(answer.get(name)) for name in names}
        wrong = [name for name in names if given[name] != self._spans[name]]
        if not wrong:
            told = ", ".join(f"{name} {span_text(span)}" for name, span in self._spans.items())
            return Feedback(True, f"Yes: {told}.")
        right = tuple(name for name in names if name not in wrong)
        text = f"{len(right)} of {len(names)} {'is' if len(right) == 1 else 'are'} right."
        hint, idea = self._hint(wrong[-1], given[wrong[-1]])
        return Feedback(False, text, hint, len(right) / len(names), right, idea)

    def _hint(self, name: str, given: Span | None) -> tuple[str, str]:
        """Return a hint on a map, and the idea behind the answer; maps are walked backwards."""
        if given is None:
            return f"{name}: give its first and its last row, as in (0, 0).", "form"
        reader, (first, last) = self._readers[name]
        height, (low, high) = self._heights[name], self._spans[name]
        begin = f"{name}: {reader} computes rows {span_text((first, last))}. "
        if not 0 <= given[0] <= given[1] < height:
            return f"{name} has rows 0–{height - 1}. Beyond them there is padding.", "padding"
        kernel, stride = self._window(reader)
        own = (first * stride, min((last + 1) * stride, height) - 1)
        if given == (first, last) and stride > 1:
            return begin + f"Each of them begins {stride} rows of {name} further.", "stride"
        if given == own:
            window = f"Its window has {kernel} rows, so row "
            if low < own[0]:
                return begin + f"{window}{first} reads a row above row {own[0]}.", "no halo"
            return begin + f"{window}{last} reads a row below row {own[1]}.", "no halo"
        wide = (max(own[0] - kernel, 0), min(own[1] + kernel, height - 1))
        if given == wide:
            return begin + f"Of {kernel} rows one is its own: {kernel - 1} are more.", "k rows"
        if given[0] == low:
            return begin + f"The first row is right. Which row does row {last} read last?", "last"
        if given[1] == high:
            return begin + f"The last row is right. Which row does row {first} read first?", "first"
        return begin + f"Each reads {kernel} rows of {name}. Which does row {first} read?", ""

    def _window(self, name: str) -> Span:
        """Return the rows that an operator reads for one row, and how far the next is away."""
        node = self.view.get_node(name)
        if not any(word in node.type() for word in ("Conv", "Pooling")):
            return 1, 1
        window = sliding_windows(node)[0]
        return window.dilation * (window.kernel - 1) + 1, window.stride

    def _solve(self) -> ModelAnswer:
        shown = ", ".join(f"{name} {span_text(span)}" for name, span in self._spans.items())
        return ModelAnswer(dict(self._spans), shown, self.why)
