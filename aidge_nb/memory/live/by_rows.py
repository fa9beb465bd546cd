"""Find operators that consume their input row by row, and the memory that saves.

A convolution or pooling computes its output rows from the top. When row r is computed, the input
rows above the window of row r + 1 are done with, so that the output may run over them. For this
both lie *by rows*: all channels of a row together (``[batch, height, channels, width]``), and the
kernel keeps one row of its output aside until it is complete. This is what Aidge's protected
amounts and wrapped planes promise, without wrapping: nothing is addressed modulo anything.

Softmax and normalizations over the last dimension work line by line: once a line is computed, it
may take the place of the line that it was computed from.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from aidge_nb.core.values import dataclass
from aidge_nb.memory.values.live_range import Stream, used_at
from aidge_nb.memory.values.storages import Liveness, Storage, Value
from aidge_nb.ops.coded import as_numbers

if TYPE_CHECKING:
    from aidge_nb.graph import Node
    from aidge_nb.memory.values.live_range import Footprint

_BY_LINES = ("Softmax", "LogSoftmax", "LayerNorm", "RMSNormalization", "LpNormalization")
_SLIDING = ("Conv2D", "ConvDepthWise2D", "MaxPooling2D", "AvgPooling2D")


@dataclass(frozen=True, slots=True)
class RowWindow:
    """Which rows of its input an operator needs for a row of its output.

    ``size`` rows, ``dilation`` apart, from row ``stride`` times the number of the output row minus
    ``above``; ``above`` and ``below`` are padding.
    """

    rows_in: int
    rows_out: int
    batch: int = 1
    size: int = 1
    stride: int = 1
    dilation: int = 1
    above: int = 0
    below: int = 0

    def first(self, row: int) -> int:
        """Return the first input row that an output row needs."""
        return min(self.rows_in, max(0, row * self.stride - self.above))

    def first_of_all(self, row: int) -> int:
        """Return the same with rows counted across all samples."""
        sample, row = divmod(row, self.rows_out)
        return sample * self.rows_in + self.first(row)


def row_window(node: Node) -> RowWindow | None:
    """Return how a node consumes input 0 row by row; None if it does not.

    Examples
    --------
    >>> import aidge_nb
    >>> node = aidge_nb.PaddedConv2D(3, 4, [3, 3], name="c", padding_dims=[1, 1, 1, 1])
    >>> aidge_nb.sequential([node]).forward_dims([[1, 3, 8, 8]])
    True
    >>> row_window(node).first(4)
    3
    """
    operator = as_numbers(node).get_operator()
    source, result = operator.get_input(0) if operator.nb_inputs else None, operator.get_output(0)
    if source is None or source.ndim != 4 or result.ndim != 4:
        return None
    batch, _, rows_in, _ = source.dims
    rows_out = result.dims[2]
    kind = operator.type()
    if kind == "LRN":
        return RowWindow(rows_in, rows_out, batch)
    padded = kind.startswith("Padded")
    if kind.removeprefix("Padded") not in _SLIDING:
        return None
    attrs = operator.attr.dict()
    pads = attrs.get("padding_dims", (0, 0, 0, 0)) if padded else (0, 0, 0, 0)
    dilations = attrs.get("dilation_dims", attrs.get("dilations"))
    window = RowWindow(
        rows_in,
        rows_out,
        batch,
        size=int(attrs["kernel_dims"][0]),
        stride=int(attrs["stride_dims"][0]),
        dilation=1 if dilations is None else int(dilations[0]),
        above=int(pads[0]),
        below=int(pads[2]),
    )
    last = (rows_out - 1) * window.stride + (window.size - 1) * window.dilation + 1
    reaches_out = last > rows_in + window.above + window.below  # with ceil_mode
    return None if reaches_out or any(attrs.get("ignore_pads", ())) else window


def works_by_lines(node: Node) -> bool:
    """Return whether each line of output 0 depends on the same line of input 0 alone.

    Examples
    --------
    >>> import aidge_nb
    >>> node = aidge_nb.Softmax(-1, name="s")
    >>> aidge_nb.sequential([node]).forward_dims([[2, 5]]), works_by_lines(node)
    (True, True)
    """
    operator = as_numbers(node).get_operator()
    source, result = operator.get_input(0) if operator.nb_inputs else None, operator.get_output(0)
    if operator.type() not in _BY_LINES or source is None or source.dims != result.dims:
        return False
    attrs = operator.attr.dict()
    last = source.ndim > 0 and int(attrs["axis"]) % source.ndim == source.ndim - 1
    return last and not attrs.get("flatten")


def lead_of(window: RowWindow, source: int, result: int) -> int:
    """Return how many bytes after the output the input must begin; sizes in bytes."""
    row_in = source // max(1, window.rows_in * window.batch)
    row_out = result // max(1, window.rows_out * window.batch)
    rows = range(1, window.rows_out * window.batch)
    return max((row * row_out - window.first_of_all(row) * row_in for row in rows), default=-source)


def find_streams(
    nodes: Mapping[str, Node], live: Liveness, footprints: Sequence[Footprint], alignment: int
) -> dict[tuple[int, int], Stream]:
    """Find the storages that may be overwritten row by row, by pairs (output, input) of numbers.

    ``footprints`` are those of the storages of ``live``, in their order.
    """
    number_of = {
        id(value): number
        for number, storage in enumerate(live.storages)
        for value in storage.values
    }
    written: dict[tuple[str, int], list[Value]] = {}
    for storage in live.storages:
        for value in storage.values:
            written.setdefault((value.node, value.output), []).append(value)
    names = {node: name for name, node in nodes.items()}
    streams: dict[tuple[int, int], Stream] = {}
    for tick, name in enumerate(live.order):
        node = nodes[name]
        parent = node.source(0) if node.get_nb_inputs() else None
        window = row_window(node)
        if parent is None or window is None or window.rows_out < 1:
            continue
        results = written.get((name, 0), [])
        sources = written.get((names.get(parent.node, ""), parent.index), [])
        if len(results) != 1 or len(sources) != 1 or sources[0].upper != tick + 1:
            continue
        output, source = number_of[id(results[0])], number_of[id(sources[0])]
        fits = (
            not sources[0].is_kept
            and _is_alone(tick, live.storages[output], footprints[output], results[0])
            and _is_alone(tick, live.storages[source], footprints[source], sources[0])
        )
        if output != source and fits and footprints[source].upper == tick + 1:
            lead = lead_of(window, sources[0].size, results[0].size)
            streams[output, source] = Stream(tick, -(-lead // alignment) * alignment)
    return streams


def _is_alone(tick: int, storage: Storage, footprint: Footprint, value: Value) -> bool:
    """Return whether a storage holds one value at a tick, and all its values can lie by rows."""
    return (
        value.start == 0
        and used_at(footprint, tick) == footprint.size
        and all(
            each.kind == "activation"
            and each.view_of is None
            and not each.made_of
            and not each.levels
            and each.size == value.size
            and each.rows == value.rows > 0
            for each in storage.values
        )
    )
