# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.ops.activation import Celu as Celu
from aidge_nb.ops.activation import Clip as Clip
from aidge_nb.ops.activation import Elu as Elu
from aidge_nb.ops.activation import Gelu as Gelu
from aidge_nb.ops.activation import HardSigmoid as HardSigmoid
from aidge_nb.ops.activation import HardSwish as HardSwish
from aidge_nb.ops.activation import LeakyReLU as LeakyReLU
from aidge_nb.ops.activation import Mish as Mish
from aidge_nb.ops.activation import PRelu as PRelu
from aidge_nb.ops.activation import ReLU as ReLU
from aidge_nb.ops.activation import Selu as Selu
from aidge_nb.ops.activation import Sigmoid as Sigmoid
from aidge_nb.ops.activation import Softplus as Softplus
from aidge_nb.ops.activation import Softsign as Softsign
from aidge_nb.ops.activation import Swish as Swish
from aidge_nb.ops.activation import ThresholdedRelu as ThresholdedRelu
from aidge_nb.ops.arithmetic import Add as Add
from aidge_nb.ops.arithmetic import And as And
from aidge_nb.ops.arithmetic import BitShift as BitShift
from aidge_nb.ops.arithmetic import BitwiseAnd as BitwiseAnd
from aidge_nb.ops.arithmetic import BitwiseOr as BitwiseOr
from aidge_nb.ops.arithmetic import BitwiseXor as BitwiseXor
from aidge_nb.ops.arithmetic import Div as Div
from aidge_nb.ops.arithmetic import Equal as Equal
from aidge_nb.ops.arithmetic import Greater as Greater
from aidge_nb.ops.arithmetic import GreaterOrEqual as GreaterOrEqual
from aidge_nb.ops.arithmetic import Less as Less
from aidge_nb.ops.arithmetic import LessOrEqual as LessOrEqual
from aidge_nb.ops.arithmetic import Max as Max
from aidge_nb.ops.arithmetic import Mean as Mean
from aidge_nb.ops.arithmetic import Min as Min
from aidge_nb.ops.arithmetic import Mod as Mod
from aidge_nb.ops.arithmetic import Mul as Mul
from aidge_nb.ops.arithmetic import Or as Or
from aidge_nb.ops.arithmetic import Pow as Pow
from aidge_nb.ops.arithmetic import Sub as Sub
from aidge_nb.ops.arithmetic import Sum as Sum
from aidge_nb.ops.arithmetic import Where as Where
from aidge_nb.ops.arithmetic import Xor as Xor
from aidge_nb.ops.convolution import Conv1D as Conv1D
from aidge_nb.ops.convolution import Conv2D as Conv2D
from aidge_nb.ops.convolution import Conv3D as Conv3D
from aidge_nb.ops.convolution import ConvDepthWise1D as ConvDepthWise1D
from aidge_nb.ops.convolution import ConvDepthWise2D as ConvDepthWise2D
from aidge_nb.ops.convolution import ConvDepthWise3D as ConvDepthWise3D
from aidge_nb.ops.convolution import ConvTranspose1D as ConvTranspose1D
from aidge_nb.ops.convolution import ConvTranspose2D as ConvTranspose2D
from aidge_nb.ops.convolution import ConvTranspose3D as ConvTranspose3D
from aidge_nb.ops.indexing import Compress as Compress
from aidge_nb.ops.indexing import Gather as Gather
from aidge_nb.ops.indexing import GatherElements as GatherElements
from aidge_nb.ops.indexing import GatherND as GatherND
from aidge_nb.ops.indexing import NonZero as NonZero
from aidge_nb.ops.indexing import OneHot as OneHot
from aidge_nb.ops.indexing import Scatter as Scatter
from aidge_nb.ops.indexing import ScatterND as ScatterND
from aidge_nb.ops.linear import Einsum as Einsum
from aidge_nb.ops.linear import FC as FC
from aidge_nb.ops.linear import Gemm as Gemm
from aidge_nb.ops.linear import MatMul as MatMul
from aidge_nb.ops.maths import Abs as Abs
from aidge_nb.ops.maths import Acos as Acos
from aidge_nb.ops.maths import Acosh as Acosh
from aidge_nb.ops.maths import Asin as Asin
from aidge_nb.ops.maths import Asinh as Asinh
from aidge_nb.ops.maths import Atan as Atan
from aidge_nb.ops.maths import Atanh as Atanh
from aidge_nb.ops.maths import BitwiseNot as BitwiseNot
from aidge_nb.ops.maths import Ceil as Ceil
from aidge_nb.ops.maths import Cos as Cos
from aidge_nb.ops.maths import Cosh as Cosh
from aidge_nb.ops.maths import Erf as Erf
from aidge_nb.ops.maths import Exp as Exp
from aidge_nb.ops.maths import Floor as Floor
from aidge_nb.ops.maths import IsInf as IsInf
from aidge_nb.ops.maths import IsNaN as IsNaN
from aidge_nb.ops.maths import Ln as Ln
from aidge_nb.ops.maths import Neg as Neg
from aidge_nb.ops.maths import Not as Not
from aidge_nb.ops.maths import Reciprocal as Reciprocal
from aidge_nb.ops.maths import Round as Round
from aidge_nb.ops.maths import Sign as Sign
from aidge_nb.ops.maths import Sin as Sin
from aidge_nb.ops.maths import Sinh as Sinh
from aidge_nb.ops.maths import Sqrt as Sqrt
from aidge_nb.ops.maths import Tan as Tan
from aidge_nb.ops.maths import Tanh as Tanh
from aidge_nb.ops.normalization import BatchNorm2D as BatchNorm2D
from aidge_nb.ops.normalization import GroupNormalization as GroupNormalization
from aidge_nb.ops.normalization import Hardmax as Hardmax
from aidge_nb.ops.normalization import InstanceNorm as InstanceNorm
from aidge_nb.ops.normalization import LRN as LRN
from aidge_nb.ops.normalization import LayerNorm as LayerNorm
from aidge_nb.ops.normalization import LogSoftmax as LogSoftmax
from aidge_nb.ops.normalization import LpNormalization as LpNormalization
from aidge_nb.ops.normalization import RMSNormalization as RMSNormalization
from aidge_nb.ops.normalization import Softmax as Softmax
from aidge_nb.ops.padded import PaddedAvgPooling1D as PaddedAvgPooling1D
from aidge_nb.ops.padded import PaddedAvgPooling2D as PaddedAvgPooling2D
from aidge_nb.ops.padded import PaddedAvgPooling3D as PaddedAvgPooling3D
from aidge_nb.ops.padded import PaddedConv1D as PaddedConv1D
from aidge_nb.ops.padded import PaddedConv2D as PaddedConv2D
from aidge_nb.ops.padded import PaddedConv3D as PaddedConv3D
from aidge_nb.ops.padded import PaddedConvDepthWise1D as PaddedConvDepthWise1D
from aidge_nb.ops.padded import PaddedConvDepthWise2D as PaddedConvDepthWise2D
from aidge_nb.ops.padded import PaddedConvDepthWise3D as PaddedConvDepthWise3D
from aidge_nb.ops.padded import PaddedMaxPooling1D as PaddedMaxPooling1D
from aidge_nb.ops.padded import PaddedMaxPooling2D as PaddedMaxPooling2D
from aidge_nb.ops.padded import PaddedMaxPooling3D as PaddedMaxPooling3D
from aidge_nb.ops.pooling import AvgPooling1D as AvgPooling1D
from aidge_nb.ops.pooling import AvgPooling2D as AvgPooling2D
from aidge_nb.ops.pooling import AvgPooling3D as AvgPooling3D
from aidge_nb.ops.pooling import GlobalAveragePooling as GlobalAveragePooling
from aidge_nb.ops.pooling import GlobalMaxPooling as GlobalMaxPooling
from aidge_nb.ops.pooling import MaxPooling1D as MaxPooling1D
from aidge_nb.ops.pooling import MaxPooling2D as MaxPooling2D
from aidge_nb.ops.pooling import MaxPooling3D as MaxPooling3D
from aidge_nb.ops.producer import ConstantOfShape as ConstantOfShape
from aidge_nb.ops.producer import EyeLike as EyeLike
from aidge_nb.ops.producer import Producer as Producer
from aidge_nb.ops.producer import Range as Range
from aidge_nb.ops.recurrent import GRU as GRU
from aidge_nb.ops.recurrent import LSTM as LSTM
from aidge_nb.ops.reduction import ArgMax as ArgMax
from aidge_nb.ops.reduction import ArgMin as ArgMin
from aidge_nb.ops.reduction import CumSum as CumSum
from aidge_nb.ops.reduction import ReduceL1 as ReduceL1
from aidge_nb.ops.reduction import ReduceL2 as ReduceL2
from aidge_nb.ops.reduction import ReduceLogSum as ReduceLogSum
from aidge_nb.ops.reduction import ReduceLogSumExp as ReduceLogSumExp
from aidge_nb.ops.reduction import ReduceMax as ReduceMax
from aidge_nb.ops.reduction import ReduceMean as ReduceMean
from aidge_nb.ops.reduction import ReduceMin as ReduceMin
from aidge_nb.ops.reduction import ReduceProd as ReduceProd
from aidge_nb.ops.reduction import ReduceSum as ReduceSum
from aidge_nb.ops.reduction import ReduceSumSquare as ReduceSumSquare
from aidge_nb.ops.reduction import TopK as TopK
from aidge_nb.ops.resampling import DepthToSpace as DepthToSpace
from aidge_nb.ops.resampling import Fold2D as Fold2D
from aidge_nb.ops.resampling import Resize as Resize
from aidge_nb.ops.resampling import SpaceToDepth as SpaceToDepth
from aidge_nb.ops.resampling import Unfold2D as Unfold2D
from aidge_nb.ops.sequence import Memorize as Memorize
from aidge_nb.ops.sequence import Pop as Pop
from aidge_nb.ops.sequence import Select as Select
from aidge_nb.ops.sequence import Stack as Stack
from aidge_nb.ops.shape import Cast as Cast
from aidge_nb.ops.shape import CastLike as CastLike
from aidge_nb.ops.shape import Dropout as Dropout
from aidge_nb.ops.shape import Expand as Expand
from aidge_nb.ops.shape import Flatten as Flatten
from aidge_nb.ops.shape import Identity as Identity
from aidge_nb.ops.shape import Reshape as Reshape
from aidge_nb.ops.shape import Shape as Shape
from aidge_nb.ops.shape import Size as Size
from aidge_nb.ops.shape import Squeeze as Squeeze
from aidge_nb.ops.shape import Transpose as Transpose
from aidge_nb.ops.shape import Unsqueeze as Unsqueeze
from aidge_nb.ops.slicing import Concat as Concat
from aidge_nb.ops.slicing import Pad as Pad
from aidge_nb.ops.slicing import Slice as Slice
from aidge_nb.ops.slicing import Split as Split
from aidge_nb.ops.slicing import Tile as Tile
from aidge_nb.ops.slicing import Trilu as Trilu

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
