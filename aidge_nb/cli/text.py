"""Write for people at a terminal: tables, messages, and advice that fits a command line.

All text of the commands goes through :func:`say` and :func:`complain`, so that no control character
of a name reaches the terminal.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence

from aidge_nb.core.files import naming
from aidge_nb.core.text import terminal_lines, terminal_text

_INSTEAD = {
    "Give it a function with set_forward_dims().": (
        "Write the dimensions of its outputs into the file: onnx.helper.make_tensor_value_info() "
        "makes an entry of graph.value_info, and onnx.shape_inference.infer_shapes() all of those "
        "that follow."
    ),
    "Pass allow_data_dependency=True if the data are known before the run, "
    "or fold them with constant_folding().": (
        "If they follow from an input whose value is known in advance, pass it with "
        "--constant NAME=VALUE. If they depend on computed data, the model can be scheduled, "
        "but its memory cannot be planned."
    ),
    "It can be scheduled and laid out, but not run; give it an implementation with set_impl().": (
        "It can be scheduled and laid out, but not run: leave out --run, or run the model from "
        "Python with an implementation of your own (set_impl())."
    ),
    "Call forward_dims() with the dimensions of the graph inputs first, and with "
    "allow_data_dependency=True if shapes depend on constants.": (
        "Give the dimensions of the inputs with --dims."
    ),
}
"""Advice for users of Python, and its counterpart for users of the command."""


def say(text: str) -> None:
    """Write lines to the standard output."""
    with naming("standard output"):
        sys.stdout.write(terminal_lines(text))


def complain(text: str) -> None:
    """Write lines to the standard error."""
    sys.stderr.write(terminal_lines(text))


def for_command_line(text: str) -> str:
    """Replace advice for Python in a message by advice for the command line.

    Examples
    --------
    >>> print(for_command_line("odd: unknown. Give it a function with set_forward_dims().")[:44])
    odd: unknown. Write the dimensions of its ou
    """
    for python, instead in _INSTEAD.items():
        text = text.replace(python, instead)
    return text


def table(titles: Sequence[str], rows: Sequence[Sequence[str]], names: int = 1) -> str:
    """Write a table; its last ``names`` columns are aligned to the left, the others to the right.

    Examples
    --------
    >>> print(table(("bytes", "buffer"), [("8", "a"), ("16", "long")]), end="")
    bytes  buffer
        8  a
       16  long
    """
    rows = [tuple(map(terminal_text, row)) for row in rows]
    widths = [max(len(row[column]) for row in (titles, *rows)) for column in range(len(titles))]
    lines = []
    for row in (titles, *rows):
        pairs = list(zip(row, widths, strict=True))
        cells = [cell.rjust(width) for cell, width in pairs[:-names]]
        cells += [cell.ljust(width) for cell, width in pairs[-names:]]
        lines.append("  ".join(cells).rstrip())
    return "\n".join(lines) + "\n"
