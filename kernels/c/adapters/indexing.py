"""Calls of operators that read or write elements at places that are computed."""

from __future__ import annotations

from math import prod

import numpy as np

from aidge_nb.core.dims import axis_of
from aidge_nb.core.dtype import DType
from aidge_nb.kernels.c.adapters.common import (
    MAX_RANK,
    PLACES,
    copy_call,
    need,
    refuse,
    row_major,
    suffix_of,
)
from aidge_nb.kernels.c.calls import Argument, CCall, Constant, Fields, In, Out, Site, c_kernel
from aidge_nb.ops import indexing as specs


def _places(site: Site, index: int = 1) -> tuple[Argument, tuple[int, ...], str]:
    """Return where elements are, with the dimensions and the element type of that."""
    if site.has(index):
        found = site.input(index)
        if found.dtype not in PLACES:
            raise refuse(site, "takes such places", expected="int32 or int64", found=found)
        return In(index), found.dims, suffix_of(found.dtype)
    array = np.asarray(site.attrs["indices"], np.int32)
    dims = tuple(map(int, site.attrs["gathered_shape"]))
    dims = dims if dims or array.ndim == 0 else array.shape
    return Constant("places", array.reshape(-1)), dims, "i32"


@c_kernel(specs.GATHER)
def gather(site: Site) -> CCall:
    """Take slices along an axis."""
    data = site.input(0)
    axis = axis_of(int(site.attrs["axis"]), len(data.dims), site.label)
    places, dims, suffix = _places(site)
    fields = {
        "outer": prod(data.dims[:axis]),
        "size": data.dims[axis],
        "count": prod(dims),
        "bytes": prod(data.dims[axis + 1 :]) * data.dtype.itemsize,
    }
    args = (In(0), places, Out(0))
    return CCall(f"nb_gather_{suffix}", "nb_index", "nb_gather_config", fields, args)


def _element_fields(site: Site, dims: tuple[int, ...]) -> Fields:
    data = site.input(0)
    axis = axis_of(int(site.attrs["axis"]), len(data.dims), site.label)
    strides = row_major(data.dims)
    if len(dims) > MAX_RANK:
        raise refuse(site, "goes through so many dimensions", found=list(dims))
    return {
        "rank": len(dims),
        "dims": dims,
        "strides": tuple(0 if i == axis else step for i, step in enumerate(strides)),
        "size": data.dims[axis],
        "step": strides[axis],
        "bytes": data.dtype.itemsize,
    }


@c_kernel(specs.GATHER_ELEMENTS)
def gather_elements(site: Site) -> CCall:
    """Take, for each place, the element there."""
    places, dims, suffix = _places(site)
    name, config = f"nb_gather_elements_{suffix}", "nb_gather_elements_config"
    return CCall(name, "nb_index", config, _element_fields(site, dims), (In(0), places, Out(0)))


@c_kernel(specs.SCATTER)
def scatter(site: Site) -> tuple[CCall, ...]:
    """Copy the data, then write each update at its place."""
    places, dims, suffix = _places(site)
    name = _written_by(site, f"nb_scatter_elements_{suffix}", f"nb_scatter_add_f32_{suffix}")
    config, fields = "nb_gather_elements_config", _element_fields(site, dims)
    first = copy_call(site.outputs[0].nbytes, In(0), Out(0))
    return first, CCall(name, "nb_index", config, fields, (places, In(2), Out(0)))


def _written_by(site: Site, plain: str, adding: str | None) -> str:
    """Choose between writing and adding."""
    reduction = site.attrs["reduction"]
    if reduction == "none":
        return plain
    if reduction != "add" or adding is None:
        raise refuse(site, "combines updates so", found=reduction)
    need(site, (DType.float32,), 0, 2)
    return adding


def _nd_fields(site: Site, dims: tuple[int, ...], batch: int) -> Fields:
    data = site.input(0)
    depth, size = dims[-1], data.dtype.itemsize
    if depth > MAX_RANK:
        raise refuse(site, "takes so many coordinates", found=depth)
    strides = row_major(data.dims)
    return {
        "batch": prod(data.dims[:batch]),
        "count": prod(dims[batch:-1]),
        "depth": depth,
        "sizes": data.dims[batch : batch + depth],
        "strides": tuple(step * size for step in strides[batch : batch + depth]),
        "batch_bytes": prod(data.dims[batch:]) * size,
        "bytes": prod(data.dims[batch + depth :]) * size,
    }


@c_kernel(specs.GATHER_ND)
def gather_nd(site: Site) -> CCall:
    """Take slices at places that have several coordinates."""
    places, dims, suffix = _places(site)
    fields = _nd_fields(site, dims, int(site.attrs["batch_dims"]))
    args = (In(0), places, Out(0))
    return CCall(f"nb_gather_nd_{suffix}", "nb_index", "nb_gather_nd_config", fields, args)


@c_kernel(specs.SCATTER_ND)
def scatter_nd(site: Site) -> tuple[CCall, ...]:
    """Copy the data, then write slices at places that have several coordinates."""
    places, dims, suffix = _places(site)
    name = _written_by(site, f"nb_scatter_nd_{suffix}", None)
    first = copy_call(site.outputs[0].nbytes, In(0), Out(0))
    args = (places, In(2), Out(0))
    return first, CCall(name, "nb_index", "nb_gather_nd_config", _nd_fields(site, dims, 0), args)


@c_kernel(specs.ONE_HOT)
def one_hot(site: Site) -> CCall:
    """Return the second value where a place points, the first elsewhere."""
    suffix = need(site, PLACES)
    dims, out = site.input(0).dims, site.outputs[0]
    axis = axis_of(int(site.attrs["axis"]), len(dims) + 1, site.label)
    fields = {
        "outer": prod(dims[:axis]),
        "size": out.dims[axis],
        "inner": prod(dims[axis:]),
        "bytes": out.dtype.itemsize,
    }
    values = np.asarray(site.attrs["values"], out.dtype.numpy)
    pair: Argument = In(2) if site.has(2) else Constant("values", values)
    args = (In(0), pair, Out(0))
    return CCall(f"nb_one_hot_{suffix}", "nb_index", "nb_one_hot_config", fields, args)
