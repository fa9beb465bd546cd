"""Run a graph on samples, and look at every tensor on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.inputs import input_slots
from aidge_nb.graph.node import Port
from aidge_nb.graph.view import GraphView
from aidge_nb.runtime.schedulers.sequential import SequentialScheduler

Batch = tuple[NDArray[Any], ...]
Source = Port | int
"""A tensor: the output of a node, or the number of a graph input."""


def batches_of(view: GraphView, samples: ArrayLike | Sequence[ArrayLike]) -> list[Batch]:
    """Cut samples into batches that the graph takes, one array for each input.

    Parameters
    ----------
    view
        The graph; the dimensions of its inputs are known.
    samples
        One array with samples along the first axis for each input, or a single array.

    Raises
    ------
    ShapeError
        When there are no samples, their dims are not those of the inputs, they are not a multiple
        of the batch, or one of them is not a finite number.
    """
    slots = [slot for slot in input_slots(view) if slot.tensor is not None]
    if not slots:
        cure = "Call forward_dims() with the dims of the inputs first."
        raise ShapeError.at("samples", "the dims of the inputs are not known", cure=cure)
    arrays = [samples] if len(slots) == 1 and not isinstance(samples, (list, tuple)) else samples
    given = [np.asarray(each) for each in arrays]  # type: ignore[union-attr]
    if len(given) != len(slots):
        raise ShapeError.at(
            "samples", "one array for each input", expected=len(slots), found=len(given)
        )
    cut = []
    for slot, array in zip(slots, given, strict=True):
        tensor = slot.tensor
        where = f"samples of {slot.name or 'the input'}"
        dims = () if tensor is None or tensor.undefined() else tuple(tensor.dims)
        if array.dtype.kind not in "fiu" or array.ndim != len(dims) or array.shape[1:] != dims[1:]:
            raise ShapeError.at(
                where,
                "not like the input",
                expected=["n", *dims[1:]],
                found=f"{array.dtype}{list(array.shape)}",
            )
        if not len(array) or len(array) % dims[0]:
            raise ShapeError.at(
                where, "a multiple of the batch is needed", expected=dims[0], found=len(array)
            )
        if not np.isfinite(array).all():
            raise ShapeError.at(where, "numbers must be finite", found="NaN or infinity")
        dtype = np.float32 if tensor is None else tensor.dtype.numpy
        cut.append(array.astype(dtype).reshape(-1, *dims))
    counts = {len(each) for each in cut}
    if len(counts) > 1:
        raise ShapeError.at("samples", "as many for each input", found=sorted(counts))
    return [tuple(each) for each in zip(*cut, strict=True)]


def watch(
    view: GraphView,
    batches: Sequence[Batch],
    sources: Sequence[Source],
    progress: Callable[[int], None] = lambda done: None,
) -> Iterator[dict[Source, NDArray[Any]]]:
    """Run the graph on each batch; give the tensors that were asked for."""
    view.set_backend("cpu")
    scheduler = SequentialScheduler(view)
    for number, batch in enumerate(batches):
        scheduler.forward(data=[Tensor(array) for array in batch])
        yield {
            source: batch[source]
            if isinstance(source, int)
            else source.node.get_operator().get_output(source.index).array
            for source in sources
        }
        progress(number + 1)


class Remembered:
    """Tensors of a graph for some samples, batch by batch; the graph runs once where they fit.

    Parameters
    ----------
    view
        The graph.
    batches
        The samples.
    sources
        The tensors.
    """

    MOST = 1 << 28
    """Bytes that are kept; with more, the graph runs again each time."""

    def __init__(
        self, view: GraphView, batches: Sequence[Batch], sources: Sequence[Source]
    ) -> None:
        self._view, self._batches = view, batches
        self._sources = list(dict.fromkeys(sources))
        self._kept: list[dict[Source, NDArray[Any]]] | None = None

    def __iter__(self) -> Iterator[dict[Source, NDArray[Any]]]:
        if self._kept is not None:
            yield from self._kept
            return
        kept: list[dict[Source, NDArray[Any]]] | None = []
        total = 0
        for tensors in watch(self._view, self._batches, self._sources):
            if kept is not None:
                kept.append({source: array.copy() for source, array in tensors.items()})
                total += sum(array.nbytes for array in tensors.values())
                kept = kept if total <= self.MOST else None
            yield tensors
        self._kept = kept
