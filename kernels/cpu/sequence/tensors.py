"""Sequences of tensors, and values that need not be there.

A sequence is an array of objects of rank 1; an optional that is empty one of rank 0 with None.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.standard import standard


def sequence_of(tensors: Iterable[Any]) -> Array:
    """Make a sequence."""
    entries = list(tensors)
    result = np.empty(len(entries), object)
    for index, entry in enumerate(entries):
        result[index] = entry
    return result


def _position(sequence: Array, position: Array | None, count: int) -> int:
    index = count - 1 if position is None else int(position.reshape(-1)[0])
    if not -len(sequence) <= index < count:
        raise ShapeError.at(
            "", "no such place in the sequence", expected=f"below {count}", found=index
        )
    return index + len(sequence) if index < 0 else index


@standard("SequenceConstruct", open_dims=True)
def construct(*tensors: Array) -> Array:
    """Make a sequence of tensors."""
    return sequence_of(tensors)


@standard("SequenceEmpty", open_dims=True)
def empty(*, dtype: int = 1) -> Array:
    """Make a sequence without tensors."""
    return sequence_of(())


@standard("SequenceInsert", open_dims=True)
def insert(sequence: Array, tensor: Array, position: Array | None) -> Array:
    """Put a tensor in, at the end by default."""
    index = _position(sequence, position, len(sequence) + 1)
    return sequence_of([*sequence[:index], tensor, *sequence[index:]])


@standard("SequenceErase", open_dims=True)
def erase(sequence: Array, position: Array | None) -> Array:
    """Take a tensor out, the last by default."""
    index = _position(sequence, position, len(sequence))
    return sequence_of([*sequence[:index], *sequence[index + 1 :]])


@standard("SequenceAt", open_dims=True)
def at(sequence: Array, position: Array) -> Array:
    """Return a tensor of a sequence."""
    return np.asarray(sequence[_position(sequence, position, len(sequence))])


@standard("SequenceLength", open_dims=True)
def length(sequence: Array) -> Array:
    """Count the tensors."""
    return np.asarray(len(sequence), np.int64)


@standard("SplitToSequence", open_dims=True)
def split_to_sequence(x: Array, split: Array | None, *, axis: int = 0, keepdims: int = 1) -> Array:
    """Cut a tensor into a sequence: singly, in equal parts, or in parts of given sizes."""
    size = x.shape[axis]
    if split is None:
        parts = np.split(x, size, axis)
        return sequence_of(parts if keepdims else [np.squeeze(part, axis) for part in parts])
    if split.ndim == 0:
        places = list(range(int(split), size, int(split)))
    else:
        if int(split.sum()) != size:
            raise ShapeError.at(
                "input#1", "parts do not make up the whole", expected=size, found=split
            )
        places = np.cumsum(split)[:-1].tolist()
    return sequence_of(np.split(x, places, axis))


@standard("ConcatFromSequence", open_dims=True)
def concat_from_sequence(sequence: Array, *, axis: int, new_axis: int = 0) -> Array:
    """Join the tensors of a sequence, along an axis or a new one."""
    parts: Sequence[Array] = list(sequence)
    return np.stack(parts, axis) if new_axis else np.concatenate(parts, axis)


def _is_empty(value: Array) -> bool:
    return value.dtype == object and value.ndim == 0 and value[()] is None


@standard("Optional", open_dims=True)
def optional_value(value: Array | None, *, type: object = None) -> Array:  # ONNX's name
    """Return the value, or nothing."""
    return np.array(None, object) if value is None else value


@standard("OptionalHasElement")
def has_element(value: Array | None) -> Array:
    """Return whether there is a value."""
    return np.asarray(value is not None and not _is_empty(value))


@standard("OptionalGetElement", open_dims=True)
def get_element(value: Array) -> Array:
    """Return the value.

    Raise ShapeError when there is none.
    """
    if _is_empty(value):
        raise ShapeError.at("input#0", "the optional has no value")
    return value
