"""Cases of convolutions, pooling and resampling."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import product
from typing import Any

import numpy as np

from tests.kernels.case import Array, Case
from tests.kernels.onnx_oracle import onnx
from tests.kernels.tables.data import array, i64, integers, normal

Ints = Sequence[int]


def _conv(
    dims: Ints,
    outs: int,
    kernel: Ints,
    strides: Ints = (),
    dilations: Ints = (),
    group: int = 1,
    *,
    bias: bool = True,
) -> Case:
    rank = len(kernel)
    strides, dilations = tuple(strides) or (1,) * rank, tuple(dilations) or (1,) * rank
    depthwise = group == dims[1] == outs > 1
    attrs: dict[str, Any] = {
        "kernel_dims": tuple(kernel),
        "stride_dims": strides,
        "dilation_dims": dilations,
    }
    return Case(
        f"ConvDepthWise{rank}D" if depthwise else f"Conv{rank}D",
        [normal(*dims), normal(outs, dims[1] // group, *kernel), normal(outs) if bias else None],
        onnx("Conv", strides=strides, dilations=dilations, group=group),
        attrs if depthwise else {**attrs, "group": group},
    )


CONVOLUTIONS = [
    _conv((1, 3, 9), 4, (3,)),
    _conv((2, 4, 20), 6, (5,), (3,), (2,), 2, bias=False),
    _conv((2, 3, 8, 9), 5, (1, 1)),
    _conv((2, 3, 8, 9), 5, (1, 1), (2, 3)),
    _conv((1, 3, 9, 8), 4, (3, 3), bias=False),
    _conv((2, 6, 11, 10), 4, (3, 2), (2, 1), (1, 3), 2),
    _conv((1, 8, 70, 90), 4, (5, 5)),  # several pieces
    _conv((1, 3, 5, 6, 7), 4, (2, 3, 2), (1, 2, 2)),
    _conv((2, 2, 4, 4, 4), 2, (1, 1, 1)),
    _conv((2, 5, 12), 5, (3,), (2,), group=5),
    _conv((1, 5, 12), 10, (3,), group=5),
    _conv((1, 5, 12), 5, (3,), group=5, bias=False),
    _conv((2, 6, 9, 9), 6, (3, 3), group=6),
    _conv((1, 40, 60, 60), 40, (3, 3), (2, 2), group=40),  # several pieces
    _conv((1, 4, 9, 9), 8, (3, 3), (2, 2), (2, 2), 4, bias=False),
    _conv((1, 4, 5, 5, 5), 4, (2, 2, 2), group=4),
    _conv((2, 3, 4, 5, 6), 3, (3, 2, 1), (1, 1, 2), group=3),
    Case(
        "Conv2D",
        [integers(1, 2, 4, 4, dtype=np.int32), integers(3, 2, 2, 2, dtype=np.int32)],
        lambda x, w: np.einsum(
            "nchwij,ocij->nohw", np.lib.stride_tricks.sliding_window_view(x, (2, 2), (2, 3)), w
        ),
        {"kernel_dims": (2, 2)},
    ),
    Case(
        "Conv2D",
        [normal(0, 3, 4, 4), normal(2, 3, 3, 3), None],
        lambda x, w, b: np.zeros((0, 2, 2, 2)),
        {"kernel_dims": (3, 3)},
    ),
]


def _transposed(
    dims: Ints, outs: int, kernel: Ints, group: int = 1, *, bias: bool = True, **attrs: Any
) -> Case:
    rank = len(kernel)
    ours = {
        "kernel_dims": tuple(kernel),
        "stride_dims": attrs.get("strides", (1,) * rank),
        "dilation_dims": attrs.get("dilations", (1,) * rank),
        "pads": attrs.get("pads", ()),
        "output_padding": attrs.get("output_padding", ()),
        "group": group,
    }
    arrays = [normal(*dims), normal(dims[1], outs, *kernel), normal(outs * group)]
    oracle = onnx("ConvTranspose", group=group, **attrs)
    if not bias:
        arrays.pop()
    return Case(f"ConvTranspose{rank}D", arrays, oracle, ours)


CONVOLUTIONS += [
    _transposed((2, 3, 6), 4, (3,)),
    _transposed((1, 4, 6), 2, (3,), 2, strides=(2,), pads=(1, 2), bias=False),
    _transposed((1, 3, 4, 5), 2, (3, 2)),
    _transposed((2, 3, 4, 5), 2, (3, 3), strides=(2, 2), pads=(1, 1, 1, 1)),
    _transposed((1, 4, 4, 5), 3, (3, 3), 2, strides=(3, 2), output_padding=(1, 1)),
    _transposed((1, 2, 4, 5), 3, (2, 3), dilations=(2, 2), bias=False),
    _transposed((1, 2, 3, 3, 3), 2, (2, 2, 2), strides=(2, 1, 2)),
    _transposed((1, 2, 3, 3, 3), 2, (2, 2, 2)),
]


def _pool_attrs(kernel: Ints, strides: Ints, dilations: Ints, ceil: bool) -> dict[str, Any]:
    return {
        "kernel_dims": tuple(kernel),
        "stride_dims": tuple(strides) or (1,) * len(kernel),
        "dilations": tuple(dilations) or (1,) * len(kernel),
        "ceil_mode": ceil,
    }


def _max(
    dims: Ints, kernel: Ints, strides: Ints = (), dilations: Ints = (), *, ceil: bool = False
) -> Case:
    attrs = _pool_attrs(kernel, strides, dilations, ceil)
    return Case(
        f"MaxPooling{len(kernel)}D",
        [normal(*dims)],
        onnx(
            "MaxPool",
            2,
            kernel_shape=kernel,
            strides=attrs["stride_dims"],
            dilations=attrs["dilations"],
            ceil_mode=int(ceil),
        ),
        attrs,
    )


def _average(
    dims: Ints,
    kernel: Ints,
    strides: Ints = (),
    dilations: Ints = (),
    pads: Ints = (),
    *,
    ceil: bool = False,
) -> Case:
    """Make a case whose data have the padding in them, which ONNX adds by itself."""
    attrs = _pool_attrs(kernel, strides, dilations, ceil)
    rank = len(kernel)
    pads = tuple(pads) or (0,) * (2 * rank)
    data = normal(*dims)
    edges = [(0, 0), (0, 0), *zip(pads[:rank], pads[rank:], strict=True)]
    reference = onnx(
        "AveragePool",
        kernel_shape=kernel,
        strides=attrs["stride_dims"],
        dilations=attrs["dilations"],
        pads=pads,
        ceil_mode=int(ceil),
        count_include_pad=0,
    )
    return Case(
        f"AvgPooling{rank}D",
        [np.pad(data, edges)],
        lambda x: reference(data),
        {**attrs, "ignore_pads": pads},
    )


POOLINGS = [
    _max((2, 3, 9), (3,)),
    _max((1, 2, 10), (3,), (2,), ceil=True),
    _max((2, 3, 8, 9), (2, 3), (2, 2)),
    _max((1, 2, 9, 9), (3, 3), (2, 2), (2, 2)),
    _max((1, 2, 8, 9), (3, 3), (2, 3), ceil=True),
    _max((1, 2, 5, 6, 7), (2, 2, 3), (1, 2, 2)),
    _max((1, 1, 4, 4, 4), (4, 4, 4)),
    Case(
        "MaxPooling2D",
        [normal(2, 2, 5, 6)],
        onnx("MaxPool", 2, kernel_shape=(2, 2), storage_order=1),
        {"kernel_dims": (2, 2), "storage_order": True},
    ),
    Case(
        "MaxPooling1D",
        [integers(1, 2, 9, dtype=np.int8)],
        onnx("MaxPool", 2, kernel_shape=(3,)),
        {"kernel_dims": (3,)},
    ),
    Case(
        "MaxPooling1D",
        [array(np.float32, [[[-np.inf, -np.inf, 1, np.nan, 2, 3]]])],
        lambda x: [
            array(np.float32, [[[-np.inf, 1, np.nan, np.nan, 3]]]),
            array(np.int64, [[[0, 2, 3, 3, 5]]]),
        ],
        {"kernel_dims": (2,)},
    ),
    _average((2, 3, 9), (3,), (2,)),
    _average((1, 2, 9), (3,), pads=(1, 2)),
    _average((2, 3, 8, 9), (2, 3), (2, 2)),
    _average((1, 2, 8, 9), (3, 3), (2, 2), (2, 1), (1, 1, 1, 1)),
    _average((1, 2, 8, 9), (3, 3), (2, 3), ceil=True),
    _average((1, 2, 8, 8), (3, 3), (2, 2), (), (1, 0, 0, 1), ceil=True),
    _average((1, 2, 5, 6, 7), (2, 2, 3), (1, 2, 2)),
    _average((1, 1, 4, 4, 4), (2, 2, 2), pads=(1, 1, 1, 1, 1, 1)),
    Case(
        "AvgPooling1D",
        [array(np.int32, [[[1, 2, 4, -3]]])],
        lambda x: [[[2, 3, 1]]],
        {"kernel_dims": (2,)},
    ),
    *(
        case
        for dims in ((2, 3, 7), (2, 3, 4, 5), (1, 2, 3, 4, 5))
        for case in (
            Case("GlobalAveragePooling", [normal(*dims)], onnx("GlobalAveragePool")),
            Case("GlobalMaxPooling", [normal(*dims)], onnx("GlobalMaxPool")),
        )
    ),
    Case("GlobalAveragePooling", [array(np.int8, [[[127, 126, 126]]])], lambda x: [[[126]]]),
]


def _resize(
    x: Array,
    coordinates: str,
    interpolation: str,
    *,
    sizes: Ints = (),
    scales: Sequence[float] = (),
) -> Case:
    nearest = interpolation not in ("linear", "cubic")
    reference = onnx(
        "Resize",
        coordinate_transformation_mode=coordinates,
        mode="nearest" if nearest else interpolation,
        nearest_mode=interpolation if nearest else "floor",
    )
    extra = [array(np.float32, scales)] if scales else [None, array(np.int64, sizes)]
    return Case(
        "Resize",
        [x],
        lambda x: reference(x, None, *extra),
        {
            "coordinate_transformation_mode": coordinates,
            "interpolation_mode": interpolation,
            "sizes": tuple(sizes),
            "scales": tuple(scales),
        },
    )


RESIZES = [
    *(
        _resize(normal(1, 2, 5, 7), coordinates, interpolation, sizes=sizes)
        for coordinates, interpolation in product(
            ("half_pixel", "align_corners", "asymmetric", "pytorch_half_pixel"),
            ("round_prefer_floor", "round_prefer_ceil", "floor", "ceil", "linear", "cubic"),
        )
        for sizes in ((1, 2, 8, 9), (1, 2, 3, 14))
    ),
    _resize(normal(1, 1, 4, 6), "half_pixel_symmetric", "linear", scales=(1.0, 1.0, 2.3, 0.7)),
    _resize(normal(1, 1, 4, 6), "half_pixel", "cubic", scales=(1.0, 1.0, 2.0, 0.5)),
    _resize(normal(1, 1, 4, 6), "tf_half_pixel_for_nn", "floor", scales=(1.0, 1.0, 1.5, 2.0)),
    _resize(normal(3, 4), "half_pixel", "linear", scales=(2.0, 2.0)),
    Case(
        "Resize",
        [normal(1, 1, 5, 6), array(np.float32, [0.1, 0.2, 0.8, 1.3]), None, i64(4, 5)],
        lambda x, roi, scales, sizes: onnx(
            "Resize",
            coordinate_transformation_mode="tf_crop_and_resize",
            mode="linear",
            extrapolation_value=7.0,
        )(x, array(np.float32, [0, 0, 0.1, 0.2, 1, 1, 0.8, 1.3]), None, i64(1, 1, 4, 5)),
        {
            "axes": (2, 3),
            "coordinate_transformation_mode": "tf_crop_and_resize",
            "interpolation_mode": "linear",
            "extrapolation_value": 7.0,
        },
    ),
    *(
        Case(
            "Resize",
            [normal(1, 1, 9, 8), None, array(np.float32, [1, 1, 0.45, 0.6]), None],
            onnx("Resize", mode=mode, **flag),
            {
                "interpolation_mode": mode,
                **{name: bool(value) for name, value in flag.items()},
            },
        )
        for mode, flag in (("linear", {}), ("cubic", {}), ("cubic", {"exclude_outside": 1}))
    ),
    Case(
        "Resize",
        [normal(1, 1, 4, 8), None, None, i64(8, 8)],
        onnx("Resize", mode="linear", axes=(2, 3), keep_aspect_ratio_policy="not_larger"),
        {"interpolation_mode": "linear", "axes": (2, 3), "aspect_ratio": "not_larger"},
    ),
]


def _depth(type_name: str, dims: Ints, block: int, **mode: Any) -> Case:
    return Case(
        type_name,
        [normal(*dims)],
        onnx(type_name, blocksize=block, **mode),
        {"block_size": block, **mode},
    )


def _windows(dilation: int) -> Callable[..., Any]:
    def oracle(x: Array) -> Array:
        view = np.lib.stride_tricks.sliding_window_view(x, (3, 1 + dilation), (2, 3))
        taken = view[:, :, ::2, :, :, ::dilation].transpose(0, 1, 4, 5, 2, 3)
        return taken.reshape(len(x), 6 * x.shape[1], -1)

    return oracle


def _fold(x: Array) -> Array:
    result = np.zeros((1, 2, 3, 4), np.float32)
    for tap_row, tap_column, row, column in product(range(2), range(2), range(2), range(3)):
        columns = x.reshape(1, 2, 2, 2, 2, 3)
        result[:, :, row + tap_row, column + tap_column] += columns[
            :, :, tap_row, tap_column, row, column
        ]
    return result


_UNFOLD = {"kernel_dims": (3, 2), "stride_dims": (2, 1)}
RESAMPLINGS = [
    _depth("DepthToSpace", (2, 12, 3, 4), 2, mode="DCR"),
    _depth("DepthToSpace", (1, 18, 2, 2), 3, mode="CRD"),
    _depth("SpaceToDepth", (2, 3, 4, 6), 2),
    _depth("SpaceToDepth", (1, 1, 3, 3), 3),
    Case("Unfold2D", [normal(2, 3, 7, 6)], _windows(1), _UNFOLD),
    Case("Unfold2D", [normal(2, 3, 7, 6)], _windows(2), {**_UNFOLD, "dilation_dims": (1, 2)}),
    Case("Fold2D", [normal(1, 8, 6)], _fold, {"output_dims": (3, 4), "kernel_dims": (2, 2)}),
    Case(
        "Fold2D",
        [normal(1, 4, 4)],
        lambda x: x.reshape(1, 1, 2, 2, 2, 2).transpose(0, 1, 4, 2, 5, 3).reshape(1, 1, 4, 4),
        {"output_dims": (4, 4), "kernel_dims": (2, 2), "stride_dims": (2, 2)},
    ),
]

CASES = [*CONVOLUTIONS, *POOLINGS, *RESIZES, *RESAMPLINGS]
