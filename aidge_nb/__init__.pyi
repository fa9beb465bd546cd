# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb import advice
from aidge_nb import export
from aidge_nb import graph
from aidge_nb import hardware
from aidge_nb import learning
from aidge_nb import memory
from aidge_nb import ops
from aidge_nb import recipes
from aidge_nb import runtime
from aidge_nb import scheduling
from aidge_nb import tiling
from aidge_nb import zoo
from aidge_nb.advice import compare_orders
from aidge_nb.advice import fit
from aidge_nb.advice import memory_report
from aidge_nb.core import dformat
from aidge_nb.core import dtype
from aidge_nb.core.dims import Dims
from aidge_nb.core.errors import AidgeError
from aidge_nb.core.errors import ExportError
from aidge_nb.core.errors import GraphError
from aidge_nb.core.errors import HardwareError
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.core.errors import MissingExtraError
from aidge_nb.core.errors import MissingKernelError
from aidge_nb.core.errors import OnnxError
from aidge_nb.core.errors import SchedulingError
from aidge_nb.core.errors import ShapeError
from aidge_nb.core.errors import TfliteError
from aidge_nb.core.log import Level
from aidge_nb.core.log import Log
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import GenericOperator
from aidge_nb.graph import GraphSnapshot
from aidge_nb.graph import GraphView
from aidge_nb.graph import InputCategory
from aidge_nb.graph import MatchingResult
from aidge_nb.graph import MetaOperator
from aidge_nb.graph import Node
from aidge_nb.graph import OpSpec
from aidge_nb.graph import Operator
from aidge_nb.graph import SinglePassGraphMatching
from aidge_nb.graph import expand_metaop
from aidge_nb.graph import expand_metaops
from aidge_nb.graph import fuse_to_metaop
from aidge_nb.graph import fuse_to_metaops
from aidge_nb.graph import get_connected_graph_view
from aidge_nb.graph import parallel
from aidge_nb.graph import residual
from aidge_nb.graph import sequential
from aidge_nb.graph import to_mermaid
from aidge_nb.memory import Buffer
from aidge_nb.memory import Memory
from aidge_nb.memory import MemoryManager
from aidge_nb.memory import MemoryPlan
from aidge_nb.memory import OptimizeStrategy
from aidge_nb.memory import PlanOptions
from aidge_nb.memory import check_plan
from aidge_nb.memory import compute_default_mem_info
from aidge_nb.memory import generate_memory
from aidge_nb.memory import generate_optimized_memory_info
from aidge_nb.memory import plan_jointly
from aidge_nb.memory import plan_memory
from aidge_nb.onnx_io import load_onnx
from aidge_nb.onnx_io import save_onnx
from aidge_nb.ops import Abs
from aidge_nb.ops import Acos
from aidge_nb.ops import Acosh
from aidge_nb.ops import Add
from aidge_nb.ops import And
from aidge_nb.ops import ArgMax
from aidge_nb.ops import ArgMin
from aidge_nb.ops import Asin
from aidge_nb.ops import Asinh
from aidge_nb.ops import Atan
from aidge_nb.ops import Atanh
from aidge_nb.ops import AvgPooling1D
from aidge_nb.ops import AvgPooling2D
from aidge_nb.ops import AvgPooling3D
from aidge_nb.ops import BatchNorm2D
from aidge_nb.ops import BitShift
from aidge_nb.ops import BitwiseAnd
from aidge_nb.ops import BitwiseNot
from aidge_nb.ops import BitwiseOr
from aidge_nb.ops import BitwiseXor
from aidge_nb.ops import Cast
from aidge_nb.ops import CastLike
from aidge_nb.ops import Ceil
from aidge_nb.ops import Celu
from aidge_nb.ops import Clip
from aidge_nb.ops import Compress
from aidge_nb.ops import Concat
from aidge_nb.ops import ConstantOfShape
from aidge_nb.ops import Conv1D
from aidge_nb.ops import Conv2D
from aidge_nb.ops import Conv3D
from aidge_nb.ops import ConvDepthWise1D
from aidge_nb.ops import ConvDepthWise2D
from aidge_nb.ops import ConvDepthWise3D
from aidge_nb.ops import ConvTranspose1D
from aidge_nb.ops import ConvTranspose2D
from aidge_nb.ops import ConvTranspose3D
from aidge_nb.ops import Cos
from aidge_nb.ops import Cosh
from aidge_nb.ops import CumSum
from aidge_nb.ops import DepthToSpace
from aidge_nb.ops import Div
from aidge_nb.ops import Dropout
from aidge_nb.ops import Einsum
from aidge_nb.ops import Elu
from aidge_nb.ops import Equal
from aidge_nb.ops import Erf
from aidge_nb.ops import Exp
from aidge_nb.ops import Expand
from aidge_nb.ops import EyeLike
from aidge_nb.ops import FC
from aidge_nb.ops import Flatten
from aidge_nb.ops import Floor
from aidge_nb.ops import Fold2D
from aidge_nb.ops import GRU
from aidge_nb.ops import Gather
from aidge_nb.ops import GatherElements
from aidge_nb.ops import GatherND
from aidge_nb.ops import Gelu
from aidge_nb.ops import Gemm
from aidge_nb.ops import GlobalAveragePooling
from aidge_nb.ops import GlobalMaxPooling
from aidge_nb.ops import Greater
from aidge_nb.ops import GreaterOrEqual
from aidge_nb.ops import GroupNormalization
from aidge_nb.ops import HardSigmoid
from aidge_nb.ops import HardSwish
from aidge_nb.ops import Hardmax
from aidge_nb.ops import Heaviside
from aidge_nb.ops import Identity
from aidge_nb.ops import InstanceNorm
from aidge_nb.ops import IsInf
from aidge_nb.ops import IsNaN
from aidge_nb.ops import LRN
from aidge_nb.ops import LSTM
from aidge_nb.ops import Lapicque
from aidge_nb.ops import LayerNorm
from aidge_nb.ops import Leaky
from aidge_nb.ops import LeakyReLU
from aidge_nb.ops import Less
from aidge_nb.ops import LessOrEqual
from aidge_nb.ops import Ln
from aidge_nb.ops import LogSoftmax
from aidge_nb.ops import LpNormalization
from aidge_nb.ops import MatMul
from aidge_nb.ops import Max
from aidge_nb.ops import MaxPooling1D
from aidge_nb.ops import MaxPooling2D
from aidge_nb.ops import MaxPooling3D
from aidge_nb.ops import Mean
from aidge_nb.ops import Memorize
from aidge_nb.ops import Min
from aidge_nb.ops import Mish
from aidge_nb.ops import Mod
from aidge_nb.ops import Mul
from aidge_nb.ops import Neg
from aidge_nb.ops import NonZero
from aidge_nb.ops import Not
from aidge_nb.ops import OneHot
from aidge_nb.ops import Or
from aidge_nb.ops import PRelu
from aidge_nb.ops import Pad
from aidge_nb.ops import PaddedAvgPooling1D
from aidge_nb.ops import PaddedAvgPooling2D
from aidge_nb.ops import PaddedAvgPooling3D
from aidge_nb.ops import PaddedConv1D
from aidge_nb.ops import PaddedConv2D
from aidge_nb.ops import PaddedConv3D
from aidge_nb.ops import PaddedConvDepthWise1D
from aidge_nb.ops import PaddedConvDepthWise2D
from aidge_nb.ops import PaddedConvDepthWise3D
from aidge_nb.ops import PaddedMaxPooling1D
from aidge_nb.ops import PaddedMaxPooling2D
from aidge_nb.ops import PaddedMaxPooling3D
from aidge_nb.ops import Pop
from aidge_nb.ops import Pow
from aidge_nb.ops import Producer
from aidge_nb.ops import RMSNormalization
from aidge_nb.ops import Range
from aidge_nb.ops import ReLU
from aidge_nb.ops import Reciprocal
from aidge_nb.ops import ReduceL1
from aidge_nb.ops import ReduceL2
from aidge_nb.ops import ReduceLogSum
from aidge_nb.ops import ReduceLogSumExp
from aidge_nb.ops import ReduceMax
from aidge_nb.ops import ReduceMean
from aidge_nb.ops import ReduceMin
from aidge_nb.ops import ReduceProd
from aidge_nb.ops import ReduceSum
from aidge_nb.ops import ReduceSumSquare
from aidge_nb.ops import Reshape
from aidge_nb.ops import Resize
from aidge_nb.ops import Round
from aidge_nb.ops import Scatter
from aidge_nb.ops import ScatterND
from aidge_nb.ops import Select
from aidge_nb.ops import Selu
from aidge_nb.ops import Shape
from aidge_nb.ops import Sigmoid
from aidge_nb.ops import Sign
from aidge_nb.ops import Sin
from aidge_nb.ops import Sinh
from aidge_nb.ops import Size
from aidge_nb.ops import Slice
from aidge_nb.ops import Softmax
from aidge_nb.ops import Softplus
from aidge_nb.ops import Softsign
from aidge_nb.ops import SpaceToDepth
from aidge_nb.ops import Split
from aidge_nb.ops import Sqrt
from aidge_nb.ops import Squeeze
from aidge_nb.ops import Stack
from aidge_nb.ops import Sub
from aidge_nb.ops import Sum
from aidge_nb.ops import Swish
from aidge_nb.ops import Tan
from aidge_nb.ops import Tanh
from aidge_nb.ops import ThresholdedRelu
from aidge_nb.ops import Tile
from aidge_nb.ops import TopK
from aidge_nb.ops import Transpose
from aidge_nb.ops import Trilu
from aidge_nb.ops import Unfold2D
from aidge_nb.ops import Unsqueeze
from aidge_nb.ops import Where
from aidge_nb.ops import Xor
from aidge_nb.ops import leaky_reset
from aidge_nb.plan_io import read_plan
from aidge_nb.quantization import quantize
from aidge_nb.quantization import to_integer
from aidge_nb.recipes import SimplifyReport
from aidge_nb.recipes import VarianceNorm
from aidge_nb.recipes import absorb_transpose_softmax
from aidge_nb.recipes import constant_filler
from aidge_nb.recipes import constant_folding
from aidge_nb.recipes import constant_shape_folding
from aidge_nb.recipes import conv_to_matMul
from aidge_nb.recipes import conv_to_matmul
from aidge_nb.recipes import explicit_transpose
from aidge_nb.recipes import fuse_attention
from aidge_nb.recipes import fuse_batchnorm
from aidge_nb.recipes import fuse_concatenation
from aidge_nb.recipes import fuse_consecutive_adds
from aidge_nb.recipes import fuse_consecutive_reshape
from aidge_nb.recipes import fuse_consecutive_slices
from aidge_nb.recipes import fuse_consecutive_squeeze
from aidge_nb.recipes import fuse_consecutive_unsqueeze
from aidge_nb.recipes import fuse_convolution
from aidge_nb.recipes import fuse_gelu
from aidge_nb.recipes import fuse_layernorm
from aidge_nb.recipes import fuse_mul_add
from aidge_nb.recipes import fuse_multi_head_attention
from aidge_nb.recipes import fuse_pad_with_conv
from aidge_nb.recipes import fuse_qkv
from aidge_nb.recipes import fuse_reduce_unsqueeze
from aidge_nb.recipes import fuse_transpose
from aidge_nb.recipes import he_filler
from aidge_nb.recipes import init_weights
from aidge_nb.recipes import matmul_to_fc
from aidge_nb.recipes import normal_filler
from aidge_nb.recipes import producers
from aidge_nb.recipes import remove_dropout
from aidge_nb.recipes import remove_duplicate_producers
from aidge_nb.recipes import remove_flatten
from aidge_nb.recipes import remove_idempotent
from aidge_nb.recipes import remove_identity
from aidge_nb.recipes import remove_neutral
from aidge_nb.recipes import remove_node
from aidge_nb.recipes import remove_nodes
from aidge_nb.recipes import remove_noop
from aidge_nb.recipes import set_data_format
from aidge_nb.recipes import set_producers_constant
from aidge_nb.recipes import simplify
from aidge_nb.recipes import uniform_filler
from aidge_nb.recipes import xavier_normal_filler
from aidge_nb.recipes import xavier_uniform_filler
from aidge_nb.report import load_model
from aidge_nb.runtime import ExecTime
from aidge_nb.runtime import NodeExecTime
from aidge_nb.runtime import ParallelScheduler
from aidge_nb.runtime import SequentialScheduler
from aidge_nb.runtime import check_execution
from aidge_nb.runtime import run_in_arena
from aidge_nb.scheduling import AvailableDataStatus
from aidge_nb.scheduling import EltType
from aidge_nb.scheduling import Elts_t
from aidge_nb.scheduling import OperatorImpl
from aidge_nb.scheduling import PriorProducersConsumers
from aidge_nb.scheduling import ProdConso
from aidge_nb.scheduling import Scheduler
from aidge_nb.scheduling import SchedulingElement
from aidge_nb.scheduling import SchedulingPolicy
from aidge_nb.scheduling import StaticSchedule
from aidge_nb.scheduling import StaticSchedulingElement
from aidge_nb.scheduling import check_schedule
from aidge_nb.scheduling import order_for_memory
from aidge_nb.scheduling import static_schedule
from aidge_nb.tflite_io import load_tflite
from aidge_nb.tiling import Tiling
from aidge_nb.tiling import apply_tiling
from aidge_nb.tiling import check_tiling
from aidge_nb.tiling import get_conv_horizontal_tiling
from aidge_nb.tiling import plan_tiling
from aidge_nb.tiling import tile_for
from aidge_nb.version import __version__
from aidge_nb.widgets import workbench

__all__ = [
    "load_model",
    "load_onnx",
    "save_onnx",
    "load_tflite",
    "read_plan",
    "static_schedule",
    "check_schedule",
    "order_for_memory",
    "StaticSchedule",
    "Scheduler",
    "SchedulingPolicy",
    "SchedulingElement",
    "StaticSchedulingElement",
    "AvailableDataStatus",
    "PriorProducersConsumers",
    "EltType",
    "Elts_t",
    "OperatorImpl",
    "ProdConso",
    "plan_memory",
    "PlanOptions",
    "check_plan",
    "plan_jointly",
    "MemoryPlan",
    "Buffer",
    "Memory",
    "MemoryManager",
    "OptimizeStrategy",
    "compute_default_mem_info",
    "generate_memory",
    "generate_optimized_memory_info",
    "run_in_arena",
    "check_execution",
    "SequentialScheduler",
    "ParallelScheduler",
    "ExecTime",
    "NodeExecTime",
    "workbench",
    "compare_orders",
    "fit",
    "memory_report",
    "quantize",
    "to_integer",
    "plan_tiling",
    "apply_tiling",
    "check_tiling",
    "tile_for",
    "Tiling",
    "get_conv_horizontal_tiling",
    "GraphView",
    "Node",
    "Operator",
    "OpSpec",
    "InputCategory",
    "GenericOperator",
    "MetaOperator",
    "sequential",
    "parallel",
    "residual",
    "get_connected_graph_view",
    "expand_metaop",
    "expand_metaops",
    "fuse_to_metaop",
    "fuse_to_metaops",
    "SinglePassGraphMatching",
    "MatchingResult",
    "GraphSnapshot",
    "to_mermaid",
    "Dims",
    "Tensor",
    "dformat",
    "dtype",
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
    "SimplifyReport",
    "absorb_transpose_softmax",
    "constant_folding",
    "constant_shape_folding",
    "conv_to_matMul",
    "conv_to_matmul",
    "explicit_transpose",
    "fuse_attention",
    "fuse_batchnorm",
    "fuse_concatenation",
    "fuse_convolution",
    "fuse_consecutive_adds",
    "fuse_consecutive_reshape",
    "fuse_consecutive_slices",
    "fuse_consecutive_squeeze",
    "fuse_consecutive_unsqueeze",
    "fuse_gelu",
    "fuse_layernorm",
    "fuse_mul_add",
    "fuse_multi_head_attention",
    "fuse_pad_with_conv",
    "fuse_qkv",
    "fuse_reduce_unsqueeze",
    "fuse_transpose",
    "matmul_to_fc",
    "producers",
    "remove_dropout",
    "remove_duplicate_producers",
    "remove_flatten",
    "remove_idempotent",
    "remove_identity",
    "remove_neutral",
    "remove_node",
    "remove_nodes",
    "remove_noop",
    "set_data_format",
    "set_producers_constant",
    "simplify",
    "VarianceNorm",
    "constant_filler",
    "he_filler",
    "init_weights",
    "normal_filler",
    "uniform_filler",
    "xavier_normal_filler",
    "xavier_uniform_filler",
    "AidgeError",
    "ExportError",
    "GraphError",
    "HardwareError",
    "MemoryPlanError",
    "MissingExtraError",
    "MissingKernelError",
    "OnnxError",
    "SchedulingError",
    "ShapeError",
    "TfliteError",
    "Level",
    "Log",
    "__version__",
    "advice",
    "export",
    "graph",
    "hardware",
    "learning",
    "memory",
    "ops",
    "recipes",
    "runtime",
    "scheduling",
    "tiling",
    "zoo",
]
