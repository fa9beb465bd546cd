# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.ops.activation import Celu
from aidge_nb.ops.activation import Clip
from aidge_nb.ops.activation import Elu
from aidge_nb.ops.activation import Gelu
from aidge_nb.ops.activation import HardSigmoid
from aidge_nb.ops.activation import HardSwish
from aidge_nb.ops.activation import Heaviside
from aidge_nb.ops.activation import LeakyReLU
from aidge_nb.ops.activation import Mish
from aidge_nb.ops.activation import PRelu
from aidge_nb.ops.activation import ReLU
from aidge_nb.ops.activation import Selu
from aidge_nb.ops.activation import Sigmoid
from aidge_nb.ops.activation import Softplus
from aidge_nb.ops.activation import Softsign
from aidge_nb.ops.activation import Swish
from aidge_nb.ops.activation import ThresholdedRelu
from aidge_nb.ops.arithmetic import Add
from aidge_nb.ops.arithmetic import And
from aidge_nb.ops.arithmetic import BitShift
from aidge_nb.ops.arithmetic import BitwiseAnd
from aidge_nb.ops.arithmetic import BitwiseOr
from aidge_nb.ops.arithmetic import BitwiseXor
from aidge_nb.ops.arithmetic import Div
from aidge_nb.ops.arithmetic import Equal
from aidge_nb.ops.arithmetic import Greater
from aidge_nb.ops.arithmetic import GreaterOrEqual
from aidge_nb.ops.arithmetic import Less
from aidge_nb.ops.arithmetic import LessOrEqual
from aidge_nb.ops.arithmetic import Max
from aidge_nb.ops.arithmetic import Mean
from aidge_nb.ops.arithmetic import Min
from aidge_nb.ops.arithmetic import Mod
from aidge_nb.ops.arithmetic import Mul
from aidge_nb.ops.arithmetic import Or
from aidge_nb.ops.arithmetic import Pow
from aidge_nb.ops.arithmetic import Sub
from aidge_nb.ops.arithmetic import Sum
from aidge_nb.ops.arithmetic import Where
from aidge_nb.ops.arithmetic import Xor
from aidge_nb.ops.convolution import Conv1D
from aidge_nb.ops.convolution import Conv2D
from aidge_nb.ops.convolution import Conv3D
from aidge_nb.ops.convolution import ConvDepthWise1D
from aidge_nb.ops.convolution import ConvDepthWise2D
from aidge_nb.ops.convolution import ConvDepthWise3D
from aidge_nb.ops.convolution import ConvTranspose1D
from aidge_nb.ops.convolution import ConvTranspose2D
from aidge_nb.ops.convolution import ConvTranspose3D
from aidge_nb.ops.indexing import Compress
from aidge_nb.ops.indexing import Gather
from aidge_nb.ops.indexing import GatherElements
from aidge_nb.ops.indexing import GatherND
from aidge_nb.ops.indexing import NonZero
from aidge_nb.ops.indexing import OneHot
from aidge_nb.ops.indexing import Scatter
from aidge_nb.ops.indexing import ScatterND
from aidge_nb.ops.linear import Einsum
from aidge_nb.ops.linear import FC
from aidge_nb.ops.linear import Gemm
from aidge_nb.ops.linear import MatMul
from aidge_nb.ops.maths import Abs
from aidge_nb.ops.maths import Acos
from aidge_nb.ops.maths import Acosh
from aidge_nb.ops.maths import Asin
from aidge_nb.ops.maths import Asinh
from aidge_nb.ops.maths import Atan
from aidge_nb.ops.maths import Atanh
from aidge_nb.ops.maths import BitwiseNot
from aidge_nb.ops.maths import Ceil
from aidge_nb.ops.maths import Cos
from aidge_nb.ops.maths import Cosh
from aidge_nb.ops.maths import Erf
from aidge_nb.ops.maths import Exp
from aidge_nb.ops.maths import Floor
from aidge_nb.ops.maths import IsInf
from aidge_nb.ops.maths import IsNaN
from aidge_nb.ops.maths import Ln
from aidge_nb.ops.maths import Neg
from aidge_nb.ops.maths import Not
from aidge_nb.ops.maths import Reciprocal
from aidge_nb.ops.maths import Round
from aidge_nb.ops.maths import Sign
from aidge_nb.ops.maths import Sin
from aidge_nb.ops.maths import Sinh
from aidge_nb.ops.maths import Sqrt
from aidge_nb.ops.maths import Tan
from aidge_nb.ops.maths import Tanh
from aidge_nb.ops.normalization import BatchNorm2D
from aidge_nb.ops.normalization import GroupNormalization
from aidge_nb.ops.normalization import Hardmax
from aidge_nb.ops.normalization import InstanceNorm
from aidge_nb.ops.normalization import LRN
from aidge_nb.ops.normalization import LayerNorm
from aidge_nb.ops.normalization import LogSoftmax
from aidge_nb.ops.normalization import LpNormalization
from aidge_nb.ops.normalization import RMSNormalization
from aidge_nb.ops.normalization import Softmax
from aidge_nb.ops.padded import PaddedAvgPooling1D
from aidge_nb.ops.padded import PaddedAvgPooling2D
from aidge_nb.ops.padded import PaddedAvgPooling3D
from aidge_nb.ops.padded import PaddedConv1D
from aidge_nb.ops.padded import PaddedConv2D
from aidge_nb.ops.padded import PaddedConv3D
from aidge_nb.ops.padded import PaddedConvDepthWise1D
from aidge_nb.ops.padded import PaddedConvDepthWise2D
from aidge_nb.ops.padded import PaddedConvDepthWise3D
from aidge_nb.ops.padded import PaddedMaxPooling1D
from aidge_nb.ops.padded import PaddedMaxPooling2D
from aidge_nb.ops.padded import PaddedMaxPooling3D
from aidge_nb.ops.pooling import AvgPooling1D
from aidge_nb.ops.pooling import AvgPooling2D
from aidge_nb.ops.pooling import AvgPooling3D
from aidge_nb.ops.pooling import GlobalAveragePooling
from aidge_nb.ops.pooling import GlobalMaxPooling
from aidge_nb.ops.pooling import MaxPooling1D
from aidge_nb.ops.pooling import MaxPooling2D
from aidge_nb.ops.pooling import MaxPooling3D
from aidge_nb.ops.producer import ConstantOfShape
from aidge_nb.ops.producer import EyeLike
from aidge_nb.ops.producer import Producer
from aidge_nb.ops.producer import Range
from aidge_nb.ops.recurrent import GRU
from aidge_nb.ops.recurrent import LSTM
from aidge_nb.ops.reduction import ArgMax
from aidge_nb.ops.reduction import ArgMin
from aidge_nb.ops.reduction import CumSum
from aidge_nb.ops.reduction import ReduceL1
from aidge_nb.ops.reduction import ReduceL2
from aidge_nb.ops.reduction import ReduceLogSum
from aidge_nb.ops.reduction import ReduceLogSumExp
from aidge_nb.ops.reduction import ReduceMax
from aidge_nb.ops.reduction import ReduceMean
from aidge_nb.ops.reduction import ReduceMin
from aidge_nb.ops.reduction import ReduceProd
from aidge_nb.ops.reduction import ReduceSum
from aidge_nb.ops.reduction import ReduceSumSquare
from aidge_nb.ops.reduction import TopK
from aidge_nb.ops.resampling import DepthToSpace
from aidge_nb.ops.resampling import Fold2D
from aidge_nb.ops.resampling import Resize
from aidge_nb.ops.resampling import SpaceToDepth
from aidge_nb.ops.resampling import Unfold2D
from aidge_nb.ops.sequence import Memorize
from aidge_nb.ops.sequence import Pop
from aidge_nb.ops.sequence import Select
from aidge_nb.ops.sequence import Stack
from aidge_nb.ops.shape import Cast
from aidge_nb.ops.shape import CastLike
from aidge_nb.ops.shape import Dropout
from aidge_nb.ops.shape import Expand
from aidge_nb.ops.shape import Flatten
from aidge_nb.ops.shape import Identity
from aidge_nb.ops.shape import Reshape
from aidge_nb.ops.shape import Shape
from aidge_nb.ops.shape import Size
from aidge_nb.ops.shape import Squeeze
from aidge_nb.ops.shape import Transpose
from aidge_nb.ops.shape import Unsqueeze
from aidge_nb.ops.slicing import Concat
from aidge_nb.ops.slicing import Pad
from aidge_nb.ops.slicing import Slice
from aidge_nb.ops.slicing import Split
from aidge_nb.ops.slicing import Tile
from aidge_nb.ops.slicing import Trilu
from aidge_nb.ops.spiking import Lapicque
from aidge_nb.ops.spiking import Leaky
from aidge_nb.ops.spiking import leaky_reset

__all__ = [
    "ConstantOfShape",
    "EyeLike",
    "Producer",
    "Range",
    "Abs",
    "Acos",
    "Acosh",
    "Asin",
    "Asinh",
    "Atan",
    "Atanh",
    "BitwiseNot",
    "Ceil",
    "Cos",
    "Cosh",
    "Erf",
    "Exp",
    "Floor",
    "IsInf",
    "IsNaN",
    "Ln",
    "Neg",
    "Not",
    "Reciprocal",
    "Round",
    "Sign",
    "Sin",
    "Sinh",
    "Sqrt",
    "Tan",
    "Tanh",
    "Add",
    "And",
    "BitShift",
    "BitwiseAnd",
    "BitwiseOr",
    "BitwiseXor",
    "Div",
    "Equal",
    "Greater",
    "GreaterOrEqual",
    "Less",
    "LessOrEqual",
    "Max",
    "Mean",
    "Min",
    "Mod",
    "Mul",
    "Or",
    "Pow",
    "Sub",
    "Sum",
    "Where",
    "Xor",
    "Celu",
    "Clip",
    "Elu",
    "Gelu",
    "HardSigmoid",
    "HardSwish",
    "Heaviside",
    "LeakyReLU",
    "Mish",
    "PRelu",
    "ReLU",
    "Selu",
    "Sigmoid",
    "Softplus",
    "Softsign",
    "Swish",
    "ThresholdedRelu",
    "Conv1D",
    "Conv2D",
    "Conv3D",
    "ConvDepthWise1D",
    "ConvDepthWise2D",
    "ConvDepthWise3D",
    "ConvTranspose1D",
    "ConvTranspose2D",
    "ConvTranspose3D",
    "AvgPooling1D",
    "AvgPooling2D",
    "AvgPooling3D",
    "GlobalAveragePooling",
    "GlobalMaxPooling",
    "MaxPooling1D",
    "MaxPooling2D",
    "MaxPooling3D",
    "BatchNorm2D",
    "GroupNormalization",
    "Hardmax",
    "InstanceNorm",
    "LRN",
    "LayerNorm",
    "LogSoftmax",
    "LpNormalization",
    "RMSNormalization",
    "Softmax",
    "Einsum",
    "FC",
    "Gemm",
    "MatMul",
    "ArgMax",
    "ArgMin",
    "CumSum",
    "ReduceL1",
    "ReduceL2",
    "ReduceLogSum",
    "ReduceLogSumExp",
    "ReduceMax",
    "ReduceMean",
    "ReduceMin",
    "ReduceProd",
    "ReduceSum",
    "ReduceSumSquare",
    "TopK",
    "Cast",
    "CastLike",
    "Dropout",
    "Expand",
    "Flatten",
    "Identity",
    "Reshape",
    "Shape",
    "Size",
    "Squeeze",
    "Transpose",
    "Unsqueeze",
    "Concat",
    "Pad",
    "Slice",
    "Split",
    "Tile",
    "Trilu",
    "Compress",
    "Gather",
    "GatherElements",
    "GatherND",
    "NonZero",
    "OneHot",
    "Scatter",
    "ScatterND",
    "DepthToSpace",
    "Fold2D",
    "Resize",
    "SpaceToDepth",
    "Unfold2D",
    "Memorize",
    "Pop",
    "Select",
    "Stack",
    "Lapicque",
    "Leaky",
    "leaky_reset",
    "PaddedConv1D",
    "PaddedConv2D",
    "PaddedConv3D",
    "PaddedConvDepthWise1D",
    "PaddedConvDepthWise2D",
    "PaddedConvDepthWise3D",
    "PaddedAvgPooling1D",
    "PaddedAvgPooling2D",
    "PaddedAvgPooling3D",
    "PaddedMaxPooling1D",
    "PaddedMaxPooling2D",
    "PaddedMaxPooling3D",
    "GRU",
    "LSTM",
]
