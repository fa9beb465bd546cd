"""Operators that cut tensors, put them together, pad and repeat them."""

from __future__ import annotations

from collections.abc import Sequence

from aidge_nb.core.dims import axis_of
from aidge_nb.core.errors import ShapeError
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel, ShapeContext
from aidge_nb.ops import ports
from aidge_nb.ops.arithmetic import common_result
from aidge_nb.ops.build import declare, factory, make_node, plain
from aidge_nb.ops.rules import axes_of, choice_of, integers, port, same_dims, slices_of, split_sizes


def _slice_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    starts, ends, axes, steps = (
        integers(context, index, context.attrs[name])
        for index, name in enumerate(("starts", "ends", "axes", "steps"), 1)
    )
    taken = slices_of(context.dim(0), starts, ends, axes, steps, context.where)
    return [tuple(count for _, count, _ in taken)]


SLICE = declare(
    "Slice",
    (*ports.DATA, *ports.optional("starts", "ends", "axes", "steps")),
    _slice_dims,
    attrs={"starts": (), "ends": (), "axes": (), "steps": ()},
    cp=CpModel.IN_PLACE,
    onnx=("Slice",),
)


def _concat_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    first = context.dim(0)
    axis = axis_of(int(context.attrs.axis), len(first), context.where)
    total = 0
    for index in range(len(context.dims)):
        dims = context.dim(index)
        if (*dims[:axis], 0, *dims[axis + 1 :]) != (*first[:axis], 0, *first[axis + 1 :]):
            raise ShapeError.at(
                port(context.where, index),
                f"differs from input#0 in other axes than {axis}",
                expected=[*first[:axis], "any", *first[axis + 1 :]],
                found=list(dims),
            )
        total += dims[axis]
    return [(*first[:axis], total, *first[axis + 1 :])]


CONCAT = declare(
    "Concat",
    ports.DATA,
    _concat_dims,
    attrs={"axis": 0},
    dtypes=common_result,
    variadic=True,
    onnx=("Concat",),
)


def _split_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data = context.dim(0)
    axis = axis_of(int(context.attrs.axis), len(data), context.where)
    given = integers(context, 1, context.attrs.split)
    sizes = split_sizes(data[axis], context.nb_outputs, given, context.where)
    return [(*data[:axis], size, *data[axis + 1 :]) for size in sizes]


SPLIT = declare(
    "Split",
    (*ports.DATA, *ports.optional("split")),
    _split_dims,
    outputs=("data_output_0", "data_output_n"),
    # The kernel cannot see how many outputs there are: `nb_outputs` tells it (ours).
    attrs={"axis": 0, "split": (), "nb_outputs": 2},
)

PAD_MODES = ("constant", "edge", "reflect", "wrap", "constant_lowest")


def padding_of(
    rank: int, pads: Sequence[int], axes: Sequence[int], where: str = ""
) -> list[tuple[int, int]]:
    """Return the elements added before and after each axis; negative numbers cut off.

    Raise ShapeError when there are not two pads per axis.

    Examples
    --------
    >>> padding_of(4, [1, 2, 3, 4], [])
    [(0, 0), (0, 0), (1, 3), (2, 4)]
    """
    count = len(axes) or len(pads) // 2
    if len(pads) == 2 * count and count > rank:
        raise ShapeError.at(
            f"{where}, input#0" if where else "input#0",
            "has fewer dimensions than there are axes to pad",
            expected=f"{count} or more",
            found=rank,
        )
    if len(pads) != 2 * count:
        raise ShapeError.at(
            where,
            "wrong number of pads",
            expected=f"begins, then ends, of {len(axes) or f'up to {rank}'} axes",
            found=list(pads),
        )
    padded = axes_of(axes or range(rank - count, rank), rank, where)
    result = [(0, 0)] * rank
    for position, axis in enumerate(padded):
        result[axis] = (int(pads[position]), int(pads[count + position]))
    return result


def _pad_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data, attrs, where = context.dim(0), context.attrs, context.where
    mode = choice_of(attrs.mode, PAD_MODES, "padding mode", where)
    pads, axes = integers(context, 1, attrs.pads), integers(context, 3, attrs.axes)
    sizes = []
    for size, (before, behind) in zip(data, padding_of(len(data), pads, axes, where), strict=True):
        kept = size + min(before, 0) + min(behind, 0)
        nothing_to_copy = kept == 0 < max(before, behind) and not mode.startswith("constant")
        if kept < 0 or nothing_to_copy:
            raise ShapeError.at(
                where,
                f"pads {before} and {behind} do not fit a size of {size} (mode {mode})",
                found=list(data),
            )
        sizes.append(size + before + behind)
    return [sizes]


PAD = declare(
    "Pad",
    (*ports.DATA, *ports.optional("pads", "value", "axes")),
    _pad_dims,
    attrs={"mode": "constant", "pads": (), "constant_value": 0.0, "axes": ()},
)


def _tile_dims(context: ShapeContext) -> Sequence[Sequence[int]]:
    data, repeats = context.dim(0), integers(context, 1, ())
    if len(repeats) != len(data) or any(count < 0 for count in repeats):
        raise ShapeError.at(
            port(context.where, 1),
            "bad repeats",
            expected=f"{len(data)} counts, none negative",
            found=repeats,
        )
    return [tuple(size * count for size, count in zip(data, repeats, strict=True))]


TILE = declare("Tile", (*ports.DATA, *ports.data("repeats_input")), _tile_dims, onnx=("Tile",))
TRILU = declare(
    "Trilu",
    (*ports.data("input"), *ports.optional("k")),
    same_dims,
    outputs=("output",),
    attrs={"upper": True, "k": 0},
    cp=CpModel.IN_PLACE,
    overwrites=(0,),
    onnx=("Trilu",),
)


def Slice(
    starts: Sequence[int] = (),
    ends: Sequence[int] = (),
    axes: Sequence[int] = (),
    steps: Sequence[int] = (),
    name: str = "",
) -> Node:
    """Make a node that cuts out a part of a tensor.

    Parameters
    ----------
    starts, ends
        First element, and the one after the last, for each axis; negative ones count from the
        end, and what lies outside is cut off.
    axes
        The axes; the first ones when there are none.
    steps
        Steps, 1 when there are none; negative ones go backward.
    name
        Name of the node. All four may also come as tensors at inputs 1 to 4.

    Examples
    --------
    >>> from aidge_nb import ops
    >>> ops.Slice(starts=[1], ends=[-1], axes=[2]).inputs_names()
    ['data_input', 'starts', 'ends', 'axes', 'steps']
    """
    return make_node(
        SLICE,
        name,
        starts=tuple(starts),
        ends=tuple(ends),
        axes=tuple(axes),
        steps=tuple(steps),
    )


def Concat(nb_inputs: int, axis: int = 0, name: str = "") -> Node:
    """Make a node that puts tensors one after the other along ``axis``.

    Parameters
    ----------
    nb_inputs
        Number of inputs.
    axis
        The axis; negative ones count from the end.
    name
        Name of the node.

    Raises
    ------
    GraphError
        When there is no input.
    """
    return make_node(CONCAT, name, nb_inputs=nb_inputs, axis=axis)


def Split(nb_outputs: int, axis: int = 0, split: Sequence[int] = (), name: str = "") -> Node:
    """Make a node that cuts a tensor into parts along ``axis``.

    Parameters
    ----------
    nb_outputs
        Number of parts.
    axis
        The axis along which they lie one after the other.
    split
        Their sizes, which may also come at input 1. Otherwise they are equal, but for a smaller
        last one (as in ONNX; Aidge makes the last one larger).
    name
        Name of the node.

    Raises
    ------
    GraphError
        When there is no output.
    """
    return make_node(SPLIT, name, nb_outputs=nb_outputs, axis=axis, split=tuple(split))


def Pad(
    pads: Sequence[int] = (),
    name: str = "",
    mode: str = "constant",
    constant_value: float = 0.0,
    axes: Sequence[int] = (),
) -> Node:
    """Make a node that adds a border.

    Parameters
    ----------
    pads
        What is added before each axis, then what is added after each; negative numbers cut off.
    name
        Name of the node. Pads, value and axes may also come at inputs 1 to 3.
    mode
        ``constant``, ``constant_lowest`` (the lowest number there is), ``edge``, ``reflect`` or
        ``wrap``.
    constant_value
        Value of the elements that are added.
    axes
        The axes; the last ones when there are none.

    Raises
    ------
    ShapeError
        For an unknown mode.

    Examples
    --------
    >>> from aidge_nb import ops
    >>> ops.Pad([1, 1, 1, 1], name="pad").get_operator().attr.mode
    'constant'
    """
    return make_node(
        PAD,
        name,
        pads=tuple(pads),
        mode=choice_of(mode, PAD_MODES, "padding mode", f"{name} (Pad)"),
        constant_value=constant_value,
        axes=tuple(axes),
    )


Tile = factory(TILE, plain, does="repeats data along each axis as often as input 1 says")


def Trilu(upper: bool = True, k: int = 0, name: str = "") -> Node:
    """Make a node that keeps the upper or lower triangle of matrices, and puts 0 elsewhere.

    The triangle begins at diagonal ``k``, which may also come at input 1.

    Parameters
    ----------
    upper
        Whether the part above the diagonal is kept; otherwise the one below.
    k
        Number of the diagonal: 0 the main one, positive ones above it.
    name
        Name of the node.
    """
    return make_node(TRILU, name, upper=upper, k=k)
