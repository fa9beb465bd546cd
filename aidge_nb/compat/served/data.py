"""Databases and batches, as ``aidge_core`` has them."""

from __future__ import annotations

from collections.abc import Iterator
from math import ceil
from typing import Any

import numpy as np

from aidge_nb.core.dformat import DataFormat
from aidge_nb.core.dtype import DType
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph.backend import check_device


class Database:
    """Items of data, each a list of tensors, one per modality: override all three methods."""

    def get_item(self, index: int) -> list[Tensor]:
        """Return an item."""
        raise NotImplementedError(f"{type(self).__name__} has no get_item()")

    def len(self) -> int:
        """Count the items."""
        raise NotImplementedError(f"{type(self).__name__} has no len()")

    def get_nb_modalities(self) -> int:
        """Count the tensors of an item."""
        raise NotImplementedError(f"{type(self).__name__} has no get_nb_modalities()")


class DataProvider:
    """Batches of the items of a database: one tensor per modality.

    Parameters
    ----------
    database
        Where the items come from.
    batch_size
        How many items a batch has.
    backend, num_workers
        Taken for Aidge's sake: one thread reads into memory.
    shuffle
        Whether each pass has an order of its own.
    drop_last
        Whether a last batch with fewer items is left out.

    Examples
    --------
    >>> class Numbers(Database):
    ...     def get_item(self, index):
    ...         return [Tensor(np.array([index]))]
    ...     def len(self):
    ...         return 3
    ...     def get_nb_modalities(self):
    ...         return 1
    >>> [np.ravel(batch[0]).tolist() for batch in DataProvider(Numbers(), 2)]
    [[0, 1], [2]]
    """

    def __init__(
        self,
        database: Database,
        batch_size: int,
        backend: str = "cpu",
        shuffle: bool = False,
        drop_last: bool = False,
        num_workers: int = 0,
    ) -> None:
        self._database, self._batch_size = database, batch_size
        self._shuffle, self._drop_last = shuffle, drop_last
        self._transforms: dict[int, Any] = {}
        self._batches: Iterator[list[Tensor]] | None = None

    def __len__(self) -> int:
        count = self._database.len() / self._batch_size
        return int(count) if self._drop_last else ceil(count)

    def __iter__(self) -> Iterator[list[Tensor]]:
        self._batches = self._pass()
        return self._batches

    def __next__(self) -> list[Tensor]:
        if self._batches is None:
            self._batches = self._pass()
        return next(self._batches)

    def _pass(self) -> Iterator[list[Tensor]]:
        order = np.arange(self._database.len())
        if self._shuffle:
            np.random.default_rng().shuffle(order)
        for number in range(len(self)):
            some = order[number * self._batch_size : (number + 1) * self._batch_size]
            items = [self._item(int(index)) for index in some]
            kinds = zip(*items, strict=True)
            yield [Tensor(np.stack([np.asarray(each) for each in kind])) for kind in kinds]

    def _item(self, index: int) -> list[Tensor]:
        item = list(self._database.get_item(index))
        for modality, graph in self._transforms.items():
            from aidge_nb.runtime import SequentialScheduler

            item[modality] = SequentialScheduler(graph).forward(data=[item[modality]])[0].clone()
        return item

    def batch_size(self) -> int:
        """Return how many items a batch has."""
        return self._batch_size

    def set_backend(self, backend: str, device: int = 0) -> None:
        """Check that batches are wanted in memory."""
        check_device(device)
        check_device(backend)

    def transforms(self, modality: int, graph: Any, default_dformat: bool = True) -> None:
        """Run a graph on each tensor of a modality before it goes into a batch."""
        graph.set_backend("cpu")
        self._transforms[modality] = graph

    def _first(self, modality: int) -> Tensor:
        return self._item(0)[modality]

    def dims(self, modality: int) -> list[list[int]]:
        """Return the dims of the items of a modality."""
        return [list(self._first(modality).dims)]

    def dtype(self, modality: int) -> list[DType]:
        """Return the type of the items of a modality."""
        return [self._first(modality).dtype]

    def dformat(self, modality: int) -> list[DataFormat]:
        """Return the format of the items of a modality."""
        return [self._first(modality).dformat]
