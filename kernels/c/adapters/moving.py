"""Calls that move elements, for operators of several families."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from aidge_nb.kernels.c.adapters.common import joined, refuse, row_major
from aidge_nb.kernels.c.calls import CCall, Constant, Fields, In, Out, Site

Ints = Sequence[int]


def move_call(
    site: Site,
    dims: Ints,
    source: tuple[int, int, Ints],
    target: tuple[int, int, Ints],
) -> CCall:
    """Copy elements from an input to an output.

    ``source`` and ``target`` name the port, the first element and the strides, in elements.
    """
    size = site.outputs[target[0]].dtype.itemsize
    own, x_strides, y_strides = joined(site.label, dims, source[2], target[2])
    fields: Fields = {
        "rank": len(own),
        "dims": own,
        "x_strides": x_strides,
        "y_strides": y_strides,
        "size": size,
    }
    args = (In(source[0], source[1] * size), Out(target[0], target[1] * size))
    return CCall("nb_move", "nb_move", "nb_move_config", fields, args)


def fill_call(site: Site, value: Any) -> CCall:
    """Write the same element everywhere into output 0."""
    out = site.outputs[0]
    bits = int.from_bytes(np.asarray(value, out.dtype.numpy).tobytes(), "little")
    fields = {
        "count": out.size,
        "size": out.dtype.itemsize,
        "low": bits & 0xFFFFFFFF,
        "high": bits >> 32,
    }
    return CCall("nb_fill", "nb_move", "nb_fill_config", fields, (Out(0),))


def pick_call(site: Site, tables: Sequence[Ints]) -> CCall:
    """Take elements of input 0 by their indices along each axis; below 0 nothing is taken."""
    strides = row_major(site.input(0).dims)
    absent = -(2**30)
    lists = [
        np.array([absent if i < 0 else i * step for i in table], np.int64)
        for table, step in zip(tables, strides, strict=True)
    ]
    kept = [(table, len(table)) for table in lists] or [(np.zeros(1, np.int64), 1)]
    if len(kept) > 8 or site.input(0).size >= -absent:
        raise refuse(site, "picks from so large a tensor", found=site.input(0))
    places = Constant("places", np.concatenate([table for table, _ in kept]).astype(np.int32))
    fields: Fields = {
        "rank": len(kept),
        "dims": tuple(count for _, count in kept),
        "size": site.outputs[0].dtype.itemsize,
    }
    return CCall("nb_pick", "nb_move", "nb_pick_config", fields, (In(0), places, Out(0)))
