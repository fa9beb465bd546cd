"""Classical machine learning: operators of the domain ai.onnx.ml."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from aidge_nb.core.errors import ShapeError
from aidge_nb.core.limits import need_room
from aidge_nb.kernels.cpu.common.arrays import Array
from aidge_nb.kernels.standard import standard

_ML = "ai.onnx.ml"


@standard("ArrayFeatureExtractor", domain=_ML)
def array_feature_extractor(x: Array, places: Array) -> Array:
    """Choose columns."""
    chosen = x[..., places.reshape(-1)]
    return chosen.reshape(1, -1) if x.ndim == 1 else chosen


@standard("Binarizer", domain=_ML)
def binarizer(x: Array, *, threshold: float = 0.0) -> Array:
    """Return 1 for what is above a threshold, else 0."""
    return (x > threshold).astype(x.dtype)


@standard("LabelEncoder", domain=_ML)
def label_encoder(
    x: Array,
    *,
    default_float: float = -0.0,
    default_int64: int = -1,
    default_string: str = "_Unused",
    default_tensor: Array | None = None,
    keys_floats: Sequence[float] = (),
    keys_int64s: Sequence[int] = (),
    keys_strings: Sequence[str] = (),
    keys_tensor: Array | None = None,
    values_floats: Sequence[float] = (),
    values_int64s: Sequence[int] = (),
    values_strings: Sequence[str] = (),
    values_tensor: Array | None = None,
) -> Array:
    """Replace keys by values; of equal keys the last counts."""
    keys: list[Any] = list(keys_floats or keys_int64s or keys_strings)
    if keys_tensor is not None:
        keys = keys_tensor.tolist()
    values: list[Any]
    if values_tensor is not None:
        values, dtype = values_tensor.tolist(), values_tensor.dtype
        default = default_tensor.reshape(-1)[0] if default_tensor is not None else None
        default = _usual(dtype) if default is None else default
    elif values_strings:
        values, dtype, default = list(values_strings), np.dtype(object), default_string
    elif values_int64s:
        values, dtype, default = list(values_int64s), np.dtype(np.int64), default_int64
    else:
        values, dtype, default = list(values_floats), np.dtype(np.float32), default_float
    table = dict(zip(map(_key, keys), values, strict=True))
    found = np.empty(x.size, dtype)
    for index, entry in enumerate(x.reshape(-1).tolist()):
        found[index] = table.get(_key(entry), default)
    return found.reshape(x.shape)


def _key(entry: Any) -> Any:
    """Return the lookup form of a key: NaN equals NaN, floats keep their precision."""
    if isinstance(entry, float):
        return "NaN" if entry != entry else float(np.float32(entry))
    return entry


def _usual(dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "O":
        return "_Unused"
    return -1 if dtype.kind in "iu" else -0.0


_TESTS: tuple[Callable[[Any, Any], bool], ...] = (
    lambda x, split: bool(x <= split),
    lambda x, split: bool(x < split),
    lambda x, split: bool(x >= split),
    lambda x, split: bool(x > split),
    lambda x, split: bool(x == split),
    lambda x, split: bool(x != split),
)
_MEMBER = 6


@standard("TreeEnsemble", domain=_ML)
def tree_ensemble(
    x: Array,
    *,
    aggregate_function: int = 1,
    leaf_targetids: Sequence[int],
    leaf_weights: Array,
    membership_values: Array | None = None,
    n_targets: int = 1,
    nodes_falseleafs: Sequence[int],
    nodes_falsenodeids: Sequence[int],
    nodes_featureids: Sequence[int],
    nodes_hitrates: Array | None = None,
    nodes_missing_value_tracks_true: Sequence[int] = (),
    nodes_modes: Array,
    nodes_splits: Array,
    nodes_trueleafs: Sequence[int],
    nodes_truenodeids: Sequence[int],
    post_transform: int = 0,
    tree_roots: Sequence[int],
) -> Array:
    """Follow each tree to a leaf, and combine the leaves' weights per target."""
    if post_transform:
        raise ShapeError.at("", "post_transform is not supported", found=post_transform)
    members = _members(nodes_modes, membership_values)

    def leaf(row: Array, node: int) -> int:
        for _ in range(len(nodes_featureids)):
            value, mode = row[nodes_featureids[node]], int(nodes_modes[node])
            if np.isnan(value) and nodes_missing_value_tracks_true:
                goes_true = bool(nodes_missing_value_tracks_true[node])
            elif mode == _MEMBER:
                goes_true = float(value) in members[node]
            else:
                goes_true = _TESTS[mode](value, nodes_splits[node])
            following = (nodes_truenodeids if goes_true else nodes_falsenodeids)[node]
            if (nodes_trueleafs if goes_true else nodes_falseleafs)[node]:
                return following
            node = following
        raise ShapeError.at("", "a tree leads back to one of its nodes", found=f"node {node}")

    need_room((len(x), n_targets))
    result = np.zeros((len(x), n_targets), x.dtype)
    for index, row in enumerate(x):
        leaves = [leaf(row, root) for root in tree_roots]
        for target in range(n_targets):
            weights = [leaf_weights[i] for i in leaves if leaf_targetids[i] == target]
            result[index, target] = _combined(weights, aggregate_function, len(tree_roots))
    return result


def _members(modes: Array, values: Array | None) -> dict[int, set[float]]:
    """Return the set of each node that asks for membership; NaN ends a set."""
    found: dict[int, set[float]] = {}
    rest = iter([] if values is None else values.tolist())
    for node, mode in enumerate(modes.tolist()):
        if mode == _MEMBER:
            found[node] = set()
            for value in rest:
                if value != value:
                    break
                found[node].add(value)
    return found


def _combined(weights: Sequence[Any], function: int, trees: int) -> Any:
    if not weights:
        return 0
    return (sum(weights) / trees, sum(weights), min(weights), max(weights))[function]
