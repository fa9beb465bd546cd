"""Operators that change the spatial resolution, or trade it against channels."""

from __future__ import annotations

from collections.abc import Sequence
from math import floor, prod

from aidge_nb.core.dims import window_count
from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.attributes import REQUIRED
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel, ShapeContext
from aidge_nb.ops import ports
from aidge_nb.ops.build import declare, make_node
from aidge_nb.ops.rules import axes_of, need_rank, numbers, port, spatial

COORDINATES = (
    "half_pixel",
    "half_pixel_symmetric",
    "pytorch_half_pixel",
    "align_corners",
    "asymmetric",
    "tf_half_pixel_for_nn",
    "tf_crop_and_resize",
)
INTERPOLATIONS = ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "linear", "cubic")


def resized(
    dims: Sequence[int],
    scales: Sequence[float],
    sizes: Sequence[int],
    axes: Sequence[int] = (),
    aspect_ratio: str = "stretch",
    roi: Sequence[float] = (),
    where: str = "",
) -> list[tuple[int, float]]:
    """Return size and scale of each axis after Resize.

    Raise ShapeError unless there is one scale or one size per axis.

    Examples
    --------
    >>> resized((1, 3, 4, 5), [2.0, 0.5], [], axes=[2, 3])
    [(1, 1.0), (3, 1.0), (8, 2.0), (2, 0.5)]
    """
    chosen = axes_of(axes or range(len(dims)), len(dims), where)
    if bool(scales) == bool(sizes) or len(scales or sizes) != len(chosen):
        raise ShapeError.at(
            where,
            "Resize needs either scales or sizes",
            expected=f"one for each of {len(chosen)} axes",
            found=f"scales {list(scales)} and sizes {list(sizes)}",
            cure="Name fewer axes, or give a number for each.",
        )
    result = [(size, 1.0) for size in dims]
    if scales:
        for position, (axis, scale) in enumerate(zip(chosen, scales, strict=True)):
            part = roi[position + len(chosen)] - roi[position] if roi else 1.0
            result[axis] = (floor(dims[axis] * part * scale), float(scale))
        return result
    ratios = [size / dims[axis] for axis, size in zip(chosen, sizes, strict=True) if dims[axis]]
    for axis, size in zip(chosen, sizes, strict=True):
        if aspect_ratio != "stretch" and ratios:
            scale = min(ratios) if aspect_ratio == "not_larger" else max(ratios)
            result[axis] = (floor(scale * dims[axis] + 0.5), scale)
        else:
            result[axis] = (int(size), size / dims[axis] if dims[axis] else 1.0)
    return result


def _resize_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    attrs = context.attrs
    roi, scales, sizes = (
        numbers(context.value(index) if context.present(index) else None, attrs[name])
        for index, name in enumerate(("roi", "scales", "sizes"), 1)
    )
    cropped = attrs.coordinate_transformation_mode == "tf_crop_and_resize"
    found = resized(
        context.dim(0),
        scales,
        sizes,
        attrs.axes,
        attrs.aspect_ratio,
        roi if cropped else (),
        context.where,
    )
    return [tuple(size for size, _ in found)]


RESIZE = declare(
    "Resize",
    (*ports.DATA, *ports.optional("roi", "scales", "sizes")),
    _resize_dims,
    attrs={
        "axes": (),
        "coordinate_transformation_mode": "half_pixel",
        "interpolation_mode": "round_prefer_floor",
        "cubic_coeff_a": -0.75,
        "extrapolation_value": 0.0,
        "padding_mode": "edge",
        "aspect_ratio": "stretch",
        "antialias": False,
        "exclude_outside": False,
        "roi": (),
        # Ours: Aidge has them as inputs alone.
        "scales": (),
        "sizes": (),
    },
    cp=CpModel.IN_PLACE,
)


def _blocks(context: ShapeContext, axis: int | None) -> tuple[Sequence[int], int]:
    """Return data dims and block size, after checking that the block divides the dims."""
    data, block = context.dim(0), int(context.attrs.block_size)
    need_rank(data, 4, port(context.where, 0))
    needed = {1: block * block} if axis == 1 else {2: block, 3: block}
    if block < 1 or any(data[axis] % factor for axis, factor in needed.items()):
        raise ShapeError.at(
            port(context.where, 0),
            "cannot be cut into blocks",
            expected=" and ".join(
                f"a multiple of {factor} at axis {axis}" for axis, factor in needed.items()
            ),
            found=list(data),
        )
    return data, block


def _depth_to_space_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data, block = _blocks(context, axis=1)
    return [(data[0], data[1] // block**2, data[2] * block, data[3] * block)]


def _space_to_depth_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data, block = _blocks(context, axis=None)
    return [(data[0], data[1] * block**2, data[2] // block, data[3] // block)]


DEPTH_TO_SPACE = declare(
    "DepthToSpace",
    ports.DATA,
    _depth_to_space_dims,
    attrs={"block_size": REQUIRED, "mode": "CRD"},
)
SPACE_TO_DEPTH = declare(
    "SpaceToDepth", ports.DATA, _space_to_depth_dims, attrs={"block_size": REQUIRED}
)


def _windows(context: ShapeContext, sizes: Sequence[int]) -> int:
    attrs, where = context.attrs, context.where
    kernel = spatial(attrs.kernel_dims, 2, "kernel_dims", where=where)
    strides = spatial(attrs.stride_dims, 2, "stride_dims", where=where)
    dilations = spatial(attrs.dilation_dims, 2, "dilation_dims", where=where)
    counts = list(map(window_count, sizes, kernel, strides, dilations))
    if min(counts) < 1:
        raise ShapeError.at(
            where,
            "the window is larger than the image",
            expected=f"a window {list(kernel)}, dilated by {list(dilations)}, that fits",
            found=list(sizes),
            cure="Pad the input first.",
        )
    return prod(counts)


def _unfold_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data = context.dim(0)
    need_rank(data, 4, port(context.where, 0))
    return [(data[0], data[1] * prod(context.attrs.kernel_dims), _windows(context, data[2:]))]


def _fold_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data, attrs = context.dim(0), context.attrs
    need_rank(data, 3, port(context.where, 0))
    area, count = prod(attrs.kernel_dims), _windows(context, attrs.output_dims)
    if data[1] % area or data[2] != count:
        raise ShapeError.at(
            port(context.where, 0),
            "windows do not make up the output",
            expected=f"[batch, a multiple of {area}, {count}]",
            found=list(data),
        )
    return [(data[0], data[1] // area, *attrs.output_dims)]


_WINDOW = {"stride_dims": (1, 1), "dilation_dims": (1, 1), "kernel_dims": REQUIRED}
UNFOLD = declare("Unfold2D", ports.DATA, _unfold_dims, attrs=_WINDOW)
FOLD = declare("Fold2D", ports.DATA, _fold_dims, attrs={"output_dims": REQUIRED, **_WINDOW})


def Resize(
    roi: Sequence[float] = (),
    scale: Sequence[float] = (),
    size: Sequence[int] = (),
    axes: Sequence[int] = (),
    coord_transfo_mode: str = "half_pixel",
    interpolation_mode: str = "round_prefer_floor",
    cubic_interpolation_coefficient_a: float = -0.75,
    extrapolation_value: float = 0.0,
    padding_mode: str = "edge",
    aspect_ratio: str = "stretch",
    antialias: bool = False,
    exclude_outside: bool = False,
    name: str = "",
) -> Node:
    """Make a node that resamples a tensor.

    Parameters
    ----------
    roi
        The part to take, for ``tf_crop_and_resize``: starts, then ends, as shares of the size.
    scale, size
        Factors or new sizes, for each axis. These three may also come at inputs 1 to 3.
    axes
        The axes; all when there are none.
    coord_transfo_mode
        Which place of the data a place of the result stands for: ``half_pixel``,
        ``half_pixel_symmetric``, ``pytorch_half_pixel``, ``align_corners``, ``asymmetric``,
        ``tf_half_pixel_for_nn`` or ``tf_crop_and_resize``.
    interpolation_mode
        The nearest element by ``round_prefer_floor``, ``round_prefer_ceil``, ``floor`` or
        ``ceil``, or ``linear`` or ``cubic`` interpolation.
    cubic_interpolation_coefficient_a, exclude_outside
        Its coefficient, a number without unit (-0.75 by default), and whether elements outside
        count as absent.
    extrapolation_value
        Value of what lies outside, for ``tf_crop_and_resize``.
    padding_mode
        ``edge`` alone.
    aspect_ratio
        With sizes: ``stretch``, or ``not_larger`` or ``not_smaller`` at one scale for all axes.
    antialias
        Whether a smaller result averages over what it leaves out.
    name
        Name of the node.

    Examples
    --------
    >>> from aidge_nb import ops
    >>> ops.Resize(scale=[2, 2], axes=[2, 3], interpolation_mode="linear")
    Node((unnamed), Resize)
    """
    return make_node(
        RESIZE,
        name,
        roi=tuple(roi),
        scales=tuple(scale),
        sizes=tuple(size),
        axes=tuple(axes),
        coordinate_transformation_mode=coord_transfo_mode,
        interpolation_mode=interpolation_mode,
        cubic_coeff_a=cubic_interpolation_coefficient_a,
        extrapolation_value=extrapolation_value,
        padding_mode=padding_mode,
        aspect_ratio=aspect_ratio,
        antialias=antialias,
        exclude_outside=exclude_outside,
    )


def DepthToSpace(block_size: int, mode: str = "CRD", name: str = "") -> Node:
    """Make a node that turns channels into blocks of pixels.

    ``mode`` says which comes first in the channels: ``DCR`` the place in the block, ``CRD`` the
    channel of the result (ONNX's default is ``DCR``).

    Parameters
    ----------
    block_size
        Size of a block along height and width, in elements.
    mode
        Which part of the channels moves into the blocks: ``"DCR"`` the slow one, ``"CRD"``
        the fast one.
    name
        Name of the node.
    """
    return make_node(DEPTH_TO_SPACE, name, block_size=block_size, mode=mode)


def SpaceToDepth(block_size: int, name: str = "") -> Node:
    """Make a node that turns blocks of pixels into channels.

    Parameters
    ----------
    block_size
        Size of a block along height and width, in elements.
    name
        Name of the node.
    """
    return make_node(SPACE_TO_DEPTH, name, block_size=block_size)


def Unfold2D(
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] = (1, 1),
    dilation_dims: Sequence[int] = (1, 1),
) -> Node:
    """Make a node that lays the windows of a convolution side by side, as columns (im2col).

    Parameters
    ----------
    kernel_dims
        Size of the window along each spatial axis, in elements.
    name
        Name of the node.
    stride_dims
        Elements from one window to the next along each spatial axis.
    dilation_dims
        Elements from one tap of a window to the next along each spatial axis.
    """
    return make_node(
        UNFOLD,
        name,
        kernel_dims=tuple(kernel_dims),
        stride_dims=tuple(stride_dims),
        dilation_dims=tuple(dilation_dims),
    )


def Fold2D(
    output_dims: Sequence[int],
    kernel_dims: Sequence[int],
    name: str = "",
    stride_dims: Sequence[int] = (1, 1),
    dilation_dims: Sequence[int] = (1, 1),
) -> Node:
    """Make a node that adds columns up where their windows lie (col2im).

    Parameters
    ----------
    output_dims
        Size of the output along each spatial axis, in elements.
    kernel_dims
        Size of the window along each spatial axis, in elements.
    name
        Name of the node.
    stride_dims
        Elements from one window to the next along each spatial axis.
    dilation_dims
        Elements from one tap of a window to the next along each spatial axis.
    """
    return make_node(
        FOLD,
        name,
        output_dims=tuple(output_dims),
        kernel_dims=tuple(kernel_dims),
        stride_dims=tuple(stride_dims),
        dilation_dims=tuple(dilation_dims),
    )
