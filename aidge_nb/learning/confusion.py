"""Count which classes are taken for which."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum

import numpy as np
from numpy.typing import ArrayLike

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.tensor import Tensor

ConfusionTableMetric = Enum(
    "ConfusionTableMetric",
    "Sensitivity Specificity Precision NegativePredictiveValue MissRate FallOut FalseDiscoveryRate "
    "FalseOmissionRate Accuracy F1Score Informedness Markedness IU",
    start=0,
)
"""Figures that :meth:`ConfusionTable.get_metric` computes."""


def _share(part: int, *others: int) -> float:
    """Return a part of the whole; 0 of nothing."""
    whole = part + sum(others)
    return part / whole if whole else 0.0


@dataclass
class ConfusionTable:
    """How often one class was found and wanted, and measures that follow from it.

    Attributes
    ----------
    tp, tn, fp, fn
        True and false positives and negatives.

    Examples
    --------
    >>> table = ConfusionTable(tp=5, tn=7, fp=2, fn=1)
    >>> table.accuracy(), table.relevant, round(table.f_score(), 3)
    (0.8, 8, 0.769)
    """

    tp: int = 0
    tn: int = 0
    fp: int = 0
    fn: int = 0

    @property
    def relevant(self) -> int:
        """True and false positives and false negatives, without what was rightly left."""
        return self.tp + self.fp + self.fn

    def add_tp(self, count: int) -> None:
        """Count true positives."""
        self.tp += count

    def add_tn(self, count: int) -> None:
        """Count true negatives."""
        self.tn += count

    def add_fp(self, count: int) -> None:
        """Count false positives."""
        self.fp += count

    def add_fn(self, count: int) -> None:
        """Count false negatives."""
        self.fn += count

    def sensitivity(self) -> float:
        """Return the share of the wanted that was found."""
        return _share(self.tp, self.fn)

    def specificity(self) -> float:
        """Return the share of the unwanted that was left."""
        return _share(self.tn, self.fp)

    def precision(self) -> float:
        """Return the share of the found that was wanted."""
        return _share(self.tp, self.fp)

    def negative_predictive_value(self) -> float:
        """Return the share of the left that was unwanted."""
        return _share(self.tn, self.fn)

    def miss_rate(self) -> float:
        """Return what sensitivity lacks."""
        return 1.0 - self.sensitivity()

    def fall_out(self) -> float:
        """Return what specificity lacks."""
        return 1.0 - self.specificity()

    def false_discovery_rate(self) -> float:
        """Return what precision lacks."""
        return 1.0 - self.precision()

    def false_omission_rate(self) -> float:
        """Return what the negative predictive value lacks."""
        return 1.0 - self.negative_predictive_value()

    def accuracy(self) -> float:
        """Return the share of right answers."""
        return _share(self.tp + self.tn, self.fp, self.fn)

    def f_score(self, beta: float = 1.0) -> float:
        """Return the harmonic mean of precision and sensitivity, which weighs ``beta`` times."""
        square, (precision, found) = beta**2, (self.precision(), self.sensitivity())
        below = square * precision + found
        return float((1.0 + square) * precision * found / below) if below else 0.0

    def informedness(self) -> float:
        """Return sensitivity and specificity less 1."""
        return self.sensitivity() + self.specificity() - 1.0

    def markedness(self) -> float:
        """Return precision and negative predictive value less 1."""
        return self.precision() + self.negative_predictive_value() - 1.0

    def iu(self) -> float:
        """Return intersection over union: true positives among the relevant."""
        return _share(self.tp, self.fp, self.fn)

    def get_metric(self, metric: Enum) -> float:
        """Return one of the measures."""
        measures: tuple[Callable[[], float], ...] = (
            *(self.sensitivity, self.specificity, self.precision, self.negative_predictive_value),
            *(self.miss_rate, self.fall_out, self.false_discovery_rate, self.false_omission_rate),
            *(self.accuracy, self.f_score, self.informedness, self.markedness, self.iu),
        )
        return measures[int(metric.value)]()


class ConfusionMatrix:
    """How often each class was taken for each.

    Parameters
    ----------
    size
        How many classes there are.

    Examples
    --------
    >>> matrix = ConfusionMatrix(2)
    >>> matrix.aggregate([0, 1, 1], [0, 1, 0])
    >>> matrix.tensor().array.tolist(), matrix.get_confusion_table(1).precision()
    ([[1, 0], [1, 1]], 1.0)
    """

    def __init__(self, size: int) -> None:
        self._counts = np.zeros((size, size), np.uint64)

    def aggregate(self, target: Tensor | ArrayLike, pred: Tensor | ArrayLike) -> None:
        """Count predictions.

        Parameters
        ----------
        target, pred
            Classes, one or many, of the same dims; tensors of several columns have a score for
            each class.

        Raises
        ------
        ShapeError
            When the dims differ, or there is no such class.
        """
        wanted, found = np.asarray(target), np.asarray(pred)
        where = "ConfusionMatrix.aggregate"
        if wanted.shape != found.shape:
            problem = "target and prediction have other dims"
            given, made = list(wanted.shape), list(found.shape)
            raise ShapeError.at(where, problem, expected=given, found=made)
        if wanted.ndim > 1 and wanted.shape[1] > 1:
            wanted, found = wanted.argmax(1), found.argmax(1)
        pairs = np.stack([wanted.ravel(), found.ravel()]).astype(np.int64)
        if ((pairs < 0) | (pairs >= len(self._counts))).any():
            classes = f"0 to {len(self._counts) - 1}"
            raise ShapeError.at(where, "no such class", expected=classes, found=pairs.tolist())
        np.add.at(self._counts, tuple(pairs), 1)

    def clear(self) -> None:
        """Forget all counts."""
        self._counts[:] = 0

    def tensor(self) -> Tensor:
        """Return the counts: a row for each class that was wanted."""
        return Tensor(self._counts.copy())

    def get_confusion_table(self, target: int) -> ConfusionTable:
        """Return the counts of one class against all others."""
        total, row, column = (
            int(part.sum())
            for part in (self._counts, self._counts[target], self._counts[:, target])
        )
        right = int(self._counts[target, target])
        rest = total - row - column + right
        return ConfusionTable(right, rest, column - right, row - right)

    def get_confusion_tables(self) -> list[ConfusionTable]:
        """Return the counts of each class."""
        return [self.get_confusion_table(target) for target in range(len(self._counts))]
