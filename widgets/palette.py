"""Colours of the views: one per family of operators, for light and for dark backgrounds.

Every colour has a contrast of at least 3:1 with its background, and the colours of two families
stay apart (a distance of 15 or more in CIE Lab) for people who do not tell red from green; a test
simulates how they see.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Family:
    """A family of operators: its name, its two colours and the operator types it takes."""

    name: str
    light: str
    dark: str
    types: frozenset[str]


def _family(name: str, light: str, dark: str, types: str = "") -> Family:
    return Family(name, light, dark, frozenset(types.split()))


PAPER = {"light": "#ffffff", "dark": "#14171c"}
"""Backgrounds that the palette is made for."""

FAMILIES = (
    _family(
        "convolution",
        "#238bfb",
        "#5faaff",
        "Conv Conv1D Conv2D Conv3D ConvDepthWise ConvDepthWise1D ConvDepthWise2D PaddedConv "
        "PaddedConv1D PaddedConv2D PaddedConvDepthWise1D PaddedConvDepthWise2D ConvTranspose "
        "ConvTranspose1D ConvTranspose2D PaddedConvTranspose1D PaddedConvTranspose2D ConvAct "
        "ConvDepthWise3D ConvTranspose3D",
    ),
    _family("matrix", "#671098", "#3b58de", "FC MatMul Gemm Einsum"),
    _family(
        "activation",
        "#bf5327",
        "#f8b472",
        "ReLU LeakyReLU PReLU Sigmoid Tanh Softmax GELU Gelu SiLU HardSwish HardSigmoid Clip Elu "
        "Selu Softplus Mish LogSoftmax Heaviside Erf "
        "Swish Softsign Celu ThresholdedRelu PRelu Hardmax",
    ),
    _family(
        "normalisation",
        "#22a2a1",
        "#18e9f2",
        "BatchNorm BatchNorm1D BatchNorm2D BatchNorm3D LayerNorm LRN InstanceNormalization "
        "GroupNormalization LpNorm RMSNorm Scaling Dropout "
        "InstanceNorm RMSNormalization LpNormalization",
    ),
    _family(
        "pooling",
        "#b15cbb",
        "#bd7db6",
        "MaxPooling1D MaxPooling2D MaxPooling3D AvgPooling1D AvgPooling2D AvgPooling3D "
        "PaddedMaxPooling1D PaddedMaxPooling2D PaddedAvgPooling1D PaddedAvgPooling2D MaxPooling "
        "AvgPooling GlobalAveragePooling GlobalAveragePool GlobalMaxPool ReduceMean ReduceSum "
        "ReduceMax ReduceMin ArgMax ArgMin GlobalMaxPooling ReduceProd ReduceL1 ReduceL2 "
        "ReduceSumSquare ReduceLogSum ReduceLogSumExp CumSum Mean",
    ),
    _family(
        "elementwise",
        "#ca8300",
        "#f2c902",
        "Add Sub Mul Div Pow Sqrt Abs Exp Ln Log Neg Sum Min Max And Or Equal Round Floor Ceil "
        "Sin Cos Atan Where BitShift Mod Reciprocal Less Greater Not Sign "
        "LessOrEqual GreaterOrEqual Xor BitwiseAnd BitwiseOr BitwiseXor BitwiseNot IsNaN IsInf Tan "
        "Asin Acos Sinh Cosh Asinh Acosh Atanh",
    ),
    _family(
        "layout",
        "#3f3f63",
        "#616578",
        "Reshape Flatten Transpose Concat Slice Split Squeeze Unsqueeze Gather Expand Resize Pad "
        "Tile Stack Shape Cast Identity DepthToSpace SpaceToDepth ConstantOfShape Select Unfold "
        "Fold CropTranspose Range Unfold2D Fold2D "
        "GatherElements GatherND Scatter ScatterND OneHot NonZero Compress Trilu EyeLike CastLike "
        "Size TopK",
    ),
    _family(
        "recurrent",
        "#7a2521",
        "#a64a35",
        "LSTM LSTM_ONNX GRU GRU_ONNX RNN RNN_ONNX Memorize Pop Push LeakyMemory Leaky",
    ),
    _family("other", "#6d6965", "#c3bcb2"),
)

_BY_TYPE = {kind: index for index, family in enumerate(FAMILIES) for kind in family.types}

_IN_TURN = (0, 5, 3, 4, 2)


def in_turn(number: int) -> int:
    """Give the family whose colours the tile, or the node without a type, of this number has.

    Examples
    --------
    >>> in_turn(0) == in_turn(5), in_turn(0) == in_turn(1)
    (True, False)
    """
    return _IN_TURN[number % len(_IN_TURN)]


def text_on(colour: str) -> str:
    """Choose black or white for text on a colour, whichever reads better.

    Examples
    --------
    >>> text_on("#671098"), text_on("#f2c902")
    ('#ffffff', '#000000')
    """
    parts = (int(colour[start : start + 2], 16) / 255 for start in (1, 3, 5))
    luminance = sum(
        weight * part**2.2 for weight, part in zip((0.2126, 0.7152, 0.0722), parts, strict=True)
    )
    return "#000000" if luminance > 0.18 else "#ffffff"


def family_of(kind: str) -> int:
    """Find the family of an operator type, as an index into :data:`FAMILIES`.

    Examples
    --------
    >>> FAMILIES[family_of("Conv2D")].name, FAMILIES[family_of("Conv2D_Fused")].name
    ('convolution', 'other')
    """
    return _BY_TYPE.get(kind, len(FAMILIES) - 1)
