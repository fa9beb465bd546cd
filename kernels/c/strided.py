"""Calls of windows that read and write parts of tensors where they lie.

Kernels of convolutions and poolings take, in elements, how far channels and rows of their data are
apart, and channels of their result. A row of either is in one piece, and so are the rows of a
channel of the result.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import prod

from aidge_nb.kernels.c.adapters.common import ints_of
from aidge_nb.kernels.c.calls import CCall, In, Value

Ints = Sequence[int]


def reads_at(call: CCall, dims: Ints, strides: Ints) -> CCall | None:
    """Return a call that reads its data, input 0, where it lies: dimensions, strides in elements.

    Return None where the kernel cannot, or does not read it.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.kernels.c import c_calls
    >>> view = aidge_nb.sequential([aidge_nb.MaxPooling2D([2, 2], "pool")])
    >>> view.forward_dims([[1, 3, 2, 8]])
    True
    >>> (call,) = c_calls(view.get_node("pool"))
    >>> by_rows = reads_at(call, (1, 3, 2, 8), (48, 8, 24, 1))  # channel by channel in each row
    >>> [by_rows.fields[name] for name in ("x_channel", "x_line", "y_channel")]
    [8, 24, 7]
    >>> reads_at(call, (1, 3, 2, 8), (48, 1, 24, 3)) is None  # rows are in pieces
    True
    """
    if len(dims) < 3 or In(0) not in call.args:
        return None
    if _is_product(call, "depth", dims):
        steps = _channel_steps(dims, strides)
        return None if steps is None else _changed(call, b_depth=steps[1], b_stack=(steps[0],))
    if not _has_steps(call, "in_dims", "in_channels", dims):
        return None
    count = len(dims) - 2
    if ints_of(call.fields["in_dims"]) != (1,) * (3 - count) + tuple(dims[2:]):
        count = 1  # all places of a channel are a row
    steps = _channel_steps(dims, strides, rows_apart=count > 1)
    if steps is None:
        return None
    axis = _row_axis(dims) if count > 1 else 1
    line = strides[axis] if axis > 1 else ints_of(call.fields["in_dims"])[-1]
    return _changed(call, x_channel=steps[1], x_line=line)


def writes_at(call: CCall, dims: Ints, strides: Ints) -> CCall | None:
    """Return a call that writes its result where it lies, as :func:`reads_at` reads data."""
    steps = _channel_steps(dims, strides) if len(dims) > 2 else None
    if steps is None:
        return None
    if _is_product(call, "rows", dims):
        return _changed(call, y_row=steps[1], y_stack=(steps[0],))
    if not _has_steps(call, "out_dims", "out_channels", dims):
        return None
    return _changed(call, y_channel=steps[1])


def _channel_steps(
    dims: Ints, strides: Ints, *, rows_apart: bool = False
) -> tuple[int, int] | None:
    """Return the steps of samples and channels; None unless what is inside lies side by side.

    With ``rows_apart`` the rows may lie apart, but not the planes of them.
    """
    expected, rows = 1, _row_axis(dims) if rows_apart else None
    for axis in range(len(dims) - 1, 1, -1):
        if axis == rows:
            expected = strides[axis]
        if dims[axis] > 1 and strides[axis] != expected:
            return None
        expected *= dims[axis]
    channel = strides[1] if dims[1] > 1 else strides[0] if dims[0] > 1 else expected
    sample = dims[1] * channel
    if dims[0] > 1 and strides[0] != sample:
        return None
    return sample, channel


def _row_axis(dims: Ints) -> int:
    """Return the last axis before the columns that has several places; 1 where none of them has.

    Where a plane has a single row, its planes follow each other as rows do.
    """
    return next((axis for axis in range(len(dims) - 2, 1, -1) if dims[axis] > 1), 1)


def _is_product(call: CCall, channels: str, dims: Ints) -> bool:
    """Return whether a call multiplies weights by such data: a convolution of single elements."""
    fields = call.fields
    if call.config != "nb_matmul_config" or call.args[1] != In(0) or fields["b_column"] != 1:
        return False
    found = fields["dims"], fields[channels], fields["columns"]
    return found == ((dims[0],), dims[1], prod(dims[2:]))


def _has_steps(call: CCall, sizes: str, channels: str, dims: Ints) -> bool:
    """Return whether a call takes steps, and its fields describe a tensor of these dimensions."""
    fields = call.fields
    if "x_channel" not in fields or prod(ints_of(fields[sizes])) != prod(dims[2:]):
        return False
    if "groups" not in fields:
        return fields["channels"] == dims[0] * dims[1] and "places" not in call.function
    found = _number(fields["groups"]) * _number(fields[channels])
    return (fields["batch"], found) == tuple(dims[:2])


def _changed(call: CCall, **fields: Value) -> CCall:
    return replace(call, fields={**call.fields, **fields})


def _number(value: Value) -> int:
    return int(value) if isinstance(value, int | float) else 0
