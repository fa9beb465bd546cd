# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb import advice as advice
from aidge_nb import export as export
from aidge_nb import graph as graph
from aidge_nb import hardware as hardware
from aidge_nb import learning as learning
from aidge_nb import memory as memory
from aidge_nb import ops as ops
from aidge_nb import recipes as recipes
from aidge_nb import runtime as runtime
from aidge_nb import scheduling as scheduling
from aidge_nb import tiling as tiling
from aidge_nb import zoo as zoo
from aidge_nb.advice import compare_orders as compare_orders
from aidge_nb.advice import fit as fit
from aidge_nb.advice import memory_report as memory_report
from aidge_nb.core import dformat as dformat
from aidge_nb.core import dtype as dtype
from aidge_nb.core.errors import AidgeError as AidgeError
from aidge_nb.core.errors import ExportError as ExportError
from aidge_nb.core.errors import GraphError as GraphError
from aidge_nb.core.errors import HardwareError as HardwareError
from aidge_nb.core.errors import MemoryPlanError as MemoryPlanError
from aidge_nb.core.errors import MissingExtraError as MissingExtraError
from aidge_nb.core.errors import MissingKernelError as MissingKernelError
from aidge_nb.core.errors import OnnxError as OnnxError
from aidge_nb.core.errors import SchedulingError as SchedulingError
from aidge_nb.core.errors import ShapeError as ShapeError
from aidge_nb.core.log import Level as Level
from aidge_nb.core.log import Log as Log
from aidge_nb.core.tensor import Dims as Dims
from aidge_nb.core.tensor import Tensor as Tensor
from aidge_nb.graph import GenericOperator as GenericOperator
from aidge_nb.graph import GraphSnapshot as GraphSnapshot
from aidge_nb.graph import GraphView as GraphView
from aidge_nb.graph import InputCategory as InputCategory
from aidge_nb.graph import MatchingResult as MatchingResult
from aidge_nb.graph import MetaOperator as MetaOperator
from aidge_nb.graph import Node as Node
from aidge_nb.graph import OpSpec as OpSpec
from aidge_nb.graph import Operator as Operator
from aidge_nb.graph import SinglePassGraphMatching as SinglePassGraphMatching
from aidge_nb.graph import expand_metaop as expand_metaop
from aidge_nb.graph import expand_metaops as expand_metaops
from aidge_nb.graph import fuse_to_metaop as fuse_to_metaop
from aidge_nb.graph import fuse_to_metaops as fuse_to_metaops
from aidge_nb.graph import get_connected_graph_view as get_connected_graph_view
from aidge_nb.graph import parallel as parallel
from aidge_nb.graph import residual as residual
from aidge_nb.graph import sequential as sequential
from aidge_nb.graph import to_mermaid as to_mermaid
from aidge_nb.memory import Buffer as Buffer
from aidge_nb.memory import Memory as Memory
from aidge_nb.memory import MemoryManager as MemoryManager
from aidge_nb.memory import MemoryPlan as MemoryPlan
from aidge_nb.memory import OptimizeStrategy as OptimizeStrategy
from aidge_nb.memory import PlanOptions as PlanOptions
from aidge_nb.memory import check_plan as check_plan
from aidge_nb.memory import compute_default_mem_info as compute_default_mem_info
from aidge_nb.memory import generate_memory as generate_memory
from aidge_nb.memory import generate_optimized_memory_info as generate_optimized_memory_info
from aidge_nb.memory import plan_jointly as plan_jointly
from aidge_nb.memory import plan_memory as plan_memory
from aidge_nb.onnx_io import load_onnx as load_onnx
from aidge_nb.onnx_io import save_onnx as save_onnx
from aidge_nb.ops import Abs as Abs
from aidge_nb.ops import Acos as Acos
from aidge_nb.ops import Acosh as Acosh
from aidge_nb.ops import Add as Add
from aidge_nb.ops import And as And
from aidge_nb.ops import ArgMax as ArgMax
from aidge_nb.ops import ArgMin as ArgMin
from aidge_nb.ops import Asin as Asin
from aidge_nb.ops import Asinh as Asinh
from aidge_nb.ops import Atan as Atan
from aidge_nb.ops import Atanh as Atanh
from aidge_nb.ops import AvgPooling1D as AvgPooling1D
from aidge_nb.ops import AvgPooling2D as AvgPooling2D
from aidge_nb.ops import AvgPooling3D as AvgPooling3D
from aidge_nb.ops import BatchNorm2D as BatchNorm2D
from aidge_nb.ops import BitShift as BitShift
from aidge_nb.ops import BitwiseAnd as BitwiseAnd
from aidge_nb.ops import BitwiseNot as BitwiseNot
from aidge_nb.ops import BitwiseOr as BitwiseOr
from aidge_nb.ops import BitwiseXor as BitwiseXor
from aidge_nb.ops import Cast as Cast
from aidge_nb.ops import CastLike as CastLike
from aidge_nb.ops import Ceil as Ceil
from aidge_nb.ops import Celu as Celu
from aidge_nb.ops import Clip as Clip
from aidge_nb.ops import Compress as Compress
from aidge_nb.ops import Concat as Concat
from aidge_nb.ops import ConstantOfShape as ConstantOfShape
from aidge_nb.ops import Conv1D as Conv1D
from aidge_nb.ops import Conv2D as Conv2D
from aidge_nb.ops import Conv3D as Conv3D
from aidge_nb.ops import ConvDepthWise1D as ConvDepthWise1D
from aidge_nb.ops import ConvDepthWise2D as ConvDepthWise2D
from aidge_nb.ops import ConvDepthWise3D as ConvDepthWise3D
from aidge_nb.ops import ConvTranspose1D as ConvTranspose1D
from aidge_nb.ops import ConvTranspose2D as ConvTranspose2D
from aidge_nb.ops import ConvTranspose3D as ConvTranspose3D
from aidge_nb.ops import Cos as Cos
from aidge_nb.ops import Cosh as Cosh
from aidge_nb.ops import CumSum as CumSum
from aidge_nb.ops import DepthToSpace as DepthToSpace
from aidge_nb.ops import Div as Div
from aidge_nb.ops import Dropout as Dropout
from aidge_nb.ops import Einsum as Einsum
from aidge_nb.ops import Elu as Elu
from aidge_nb.ops import Equal as Equal
from aidge_nb.ops import Erf as Erf
from aidge_nb.ops import Exp as Exp
from aidge_nb.ops import Expand as Expand
from aidge_nb.ops import EyeLike as EyeLike
from aidge_nb.ops import FC as FC
from aidge_nb.ops import Flatten as Flatten
from aidge_nb.ops import Floor as Floor
from aidge_nb.ops import Fold2D as Fold2D
from aidge_nb.ops import GRU as GRU
from aidge_nb.ops import Gather as Gather
from aidge_nb.ops import GatherElements as GatherElements
from aidge_nb.ops import GatherND as GatherND
from aidge_nb.ops import Gelu as Gelu
from aidge_nb.ops import Gemm as Gemm
from aidge_nb.ops import GlobalAveragePooling as GlobalAveragePooling
from aidge_nb.ops import GlobalMaxPooling as GlobalMaxPooling
from aidge_nb.ops import Greater as Greater
from aidge_nb.ops import GreaterOrEqual as GreaterOrEqual
from aidge_nb.ops import GroupNormalization as GroupNormalization
from aidge_nb.ops import HardSigmoid as HardSigmoid
from aidge_nb.ops import HardSwish as HardSwish
from aidge_nb.ops import Hardmax as Hardmax
from aidge_nb.ops import Identity as Identity
from aidge_nb.ops import InstanceNorm as InstanceNorm
from aidge_nb.ops import IsInf as IsInf
from aidge_nb.ops import IsNaN as IsNaN
from aidge_nb.ops import LRN as LRN
from aidge_nb.ops import LSTM as LSTM
from aidge_nb.ops import LayerNorm as LayerNorm
from aidge_nb.ops import LeakyReLU as LeakyReLU
from aidge_nb.ops import Less as Less
from aidge_nb.ops import LessOrEqual as LessOrEqual
from aidge_nb.ops import Ln as Ln
from aidge_nb.ops import LogSoftmax as LogSoftmax
from aidge_nb.ops import LpNormalization as LpNormalization
from aidge_nb.ops import MatMul as MatMul
from aidge_nb.ops import Max as Max
from aidge_nb.ops import MaxPooling1D as MaxPooling1D
from aidge_nb.ops import MaxPooling2D as MaxPooling2D
from aidge_nb.ops import MaxPooling3D as MaxPooling3D
from aidge_nb.ops import Mean as Mean
from aidge_nb.ops import Memorize as Memorize
from aidge_nb.ops import Min as Min
from aidge_nb.ops import Mish as Mish
from aidge_nb.ops import Mod as Mod
from aidge_nb.ops import Mul as Mul
from aidge_nb.ops import Neg as Neg
from aidge_nb.ops import NonZero as NonZero
from aidge_nb.ops import Not as Not
from aidge_nb.ops import OneHot as OneHot
from aidge_nb.ops import Or as Or
from aidge_nb.ops import PRelu as PRelu
from aidge_nb.ops import Pad as Pad
from aidge_nb.ops import PaddedAvgPooling1D as PaddedAvgPooling1D
from aidge_nb.ops import PaddedAvgPooling2D as PaddedAvgPooling2D
from aidge_nb.ops import PaddedAvgPooling3D as PaddedAvgPooling3D
from aidge_nb.ops import PaddedConv1D as PaddedConv1D
from aidge_nb.ops import PaddedConv2D as PaddedConv2D
from aidge_nb.ops import PaddedConv3D as PaddedConv3D
from aidge_nb.ops import PaddedConvDepthWise1D as PaddedConvDepthWise1D
from aidge_nb.ops import PaddedConvDepthWise2D as PaddedConvDepthWise2D
from aidge_nb.ops import PaddedConvDepthWise3D as PaddedConvDepthWise3D
from aidge_nb.ops import PaddedMaxPooling1D as PaddedMaxPooling1D
from aidge_nb.ops import PaddedMaxPooling2D as PaddedMaxPooling2D
from aidge_nb.ops import PaddedMaxPooling3D as PaddedMaxPooling3D
from aidge_nb.ops import Pop as Pop
from aidge_nb.ops import Pow as Pow
from aidge_nb.ops import Producer as Producer
from aidge_nb.ops import RMSNormalization as RMSNormalization
from aidge_nb.ops import Range as Range
from aidge_nb.ops import ReLU as ReLU
from aidge_nb.ops import Reciprocal as Reciprocal
from aidge_nb.ops import ReduceL1 as ReduceL1
from aidge_nb.ops import ReduceL2 as ReduceL2
from aidge_nb.ops import ReduceLogSum as ReduceLogSum
from aidge_nb.ops import ReduceLogSumExp as ReduceLogSumExp
from aidge_nb.ops import ReduceMax as ReduceMax
from aidge_nb.ops import ReduceMean as ReduceMean
from aidge_nb.ops import ReduceMin as ReduceMin
from aidge_nb.ops import ReduceProd as ReduceProd
from aidge_nb.ops import ReduceSum as ReduceSum
from aidge_nb.ops import ReduceSumSquare as ReduceSumSquare
from aidge_nb.ops import Reshape as Reshape
from aidge_nb.ops import Resize as Resize
from aidge_nb.ops import Round as Round
from aidge_nb.ops import Scatter as Scatter
from aidge_nb.ops import ScatterND as ScatterND
from aidge_nb.ops import Select as Select
from aidge_nb.ops import Selu as Selu
from aidge_nb.ops import Shape as Shape
from aidge_nb.ops import Sigmoid as Sigmoid
from aidge_nb.ops import Sign as Sign
from aidge_nb.ops import Sin as Sin
from aidge_nb.ops import Sinh as Sinh
from aidge_nb.ops import Size as Size
from aidge_nb.ops import Slice as Slice
from aidge_nb.ops import Softmax as Softmax
from aidge_nb.ops import Softplus as Softplus
from aidge_nb.ops import Softsign as Softsign
from aidge_nb.ops import SpaceToDepth as SpaceToDepth
from aidge_nb.ops import Split as Split
from aidge_nb.ops import Sqrt as Sqrt
from aidge_nb.ops import Squeeze as Squeeze
from aidge_nb.ops import Stack as Stack
from aidge_nb.ops import Sub as Sub
from aidge_nb.ops import Sum as Sum
from aidge_nb.ops import Swish as Swish
from aidge_nb.ops import Tan as Tan
from aidge_nb.ops import Tanh as Tanh
from aidge_nb.ops import ThresholdedRelu as ThresholdedRelu
from aidge_nb.ops import Tile as Tile
from aidge_nb.ops import TopK as TopK
from aidge_nb.ops import Transpose as Transpose
from aidge_nb.ops import Trilu as Trilu
from aidge_nb.ops import Unfold2D as Unfold2D
from aidge_nb.ops import Unsqueeze as Unsqueeze
from aidge_nb.ops import Where as Where
from aidge_nb.ops import Xor as Xor
from aidge_nb.recipes import SimplifyReport as SimplifyReport
from aidge_nb.recipes import VarianceNorm as VarianceNorm
from aidge_nb.recipes import constant_filler as constant_filler
from aidge_nb.recipes import constant_folding as constant_folding
from aidge_nb.recipes import constant_shape_folding as constant_shape_folding
from aidge_nb.recipes import conv_to_matMul as conv_to_matMul
from aidge_nb.recipes import conv_to_matmul as conv_to_matmul
from aidge_nb.recipes import explicit_transpose as explicit_transpose
from aidge_nb.recipes import fuse_attention as fuse_attention
from aidge_nb.recipes import fuse_batchnorm as fuse_batchnorm
from aidge_nb.recipes import fuse_concatenation as fuse_concatenation
from aidge_nb.recipes import fuse_consecutive_adds as fuse_consecutive_adds
from aidge_nb.recipes import fuse_consecutive_reshape as fuse_consecutive_reshape
from aidge_nb.recipes import fuse_consecutive_slices as fuse_consecutive_slices
from aidge_nb.recipes import fuse_consecutive_squeeze as fuse_consecutive_squeeze
from aidge_nb.recipes import fuse_consecutive_unsqueeze as fuse_consecutive_unsqueeze
from aidge_nb.recipes import fuse_gelu as fuse_gelu
from aidge_nb.recipes import fuse_layernorm as fuse_layernorm
from aidge_nb.recipes import fuse_mul_add as fuse_mul_add
from aidge_nb.recipes import fuse_multi_head_attention as fuse_multi_head_attention
from aidge_nb.recipes import fuse_pad_with_conv as fuse_pad_with_conv
from aidge_nb.recipes import fuse_qkv as fuse_qkv
from aidge_nb.recipes import fuse_reduce_unsqueeze as fuse_reduce_unsqueeze
from aidge_nb.recipes import fuse_transpose as fuse_transpose
from aidge_nb.recipes import he_filler as he_filler
from aidge_nb.recipes import init_weights as init_weights
from aidge_nb.recipes import matmul_to_fc as matmul_to_fc
from aidge_nb.recipes import normal_filler as normal_filler
from aidge_nb.recipes import producers as producers
from aidge_nb.recipes import remove_dropout as remove_dropout
from aidge_nb.recipes import remove_duplicate_producers as remove_duplicate_producers
from aidge_nb.recipes import remove_flatten as remove_flatten
from aidge_nb.recipes import remove_idempotent as remove_idempotent
from aidge_nb.recipes import remove_identity as remove_identity
from aidge_nb.recipes import remove_neutral as remove_neutral
from aidge_nb.recipes import remove_node as remove_node
from aidge_nb.recipes import remove_nodes as remove_nodes
from aidge_nb.recipes import remove_noop as remove_noop
from aidge_nb.recipes import set_data_format as set_data_format
from aidge_nb.recipes import set_producers_constant as set_producers_constant
from aidge_nb.recipes import simplify as simplify
from aidge_nb.recipes import uniform_filler as uniform_filler
from aidge_nb.recipes import xavier_normal_filler as xavier_normal_filler
from aidge_nb.recipes import xavier_uniform_filler as xavier_uniform_filler
from aidge_nb.runtime import ExecTime as ExecTime
from aidge_nb.runtime import NodeExecTime as NodeExecTime
from aidge_nb.runtime import ParallelScheduler as ParallelScheduler
from aidge_nb.runtime import SequentialScheduler as SequentialScheduler
from aidge_nb.runtime import check_execution as check_execution
from aidge_nb.runtime import run_in_arena as run_in_arena
from aidge_nb.scheduling import AvailableDataStatus as AvailableDataStatus
from aidge_nb.scheduling import EltType as EltType
from aidge_nb.scheduling import Elts_t as Elts_t
from aidge_nb.scheduling import OperatorImpl as OperatorImpl
from aidge_nb.scheduling import PriorProducersConsumers as PriorProducersConsumers
from aidge_nb.scheduling import ProdConso as ProdConso
from aidge_nb.scheduling import Scheduler as Scheduler
from aidge_nb.scheduling import SchedulingElement as SchedulingElement
from aidge_nb.scheduling import SchedulingPolicy as SchedulingPolicy
from aidge_nb.scheduling import StaticSchedule as StaticSchedule
from aidge_nb.scheduling import StaticSchedulingElement as StaticSchedulingElement
from aidge_nb.scheduling import check_schedule as check_schedule
from aidge_nb.scheduling import order_for_memory as order_for_memory
from aidge_nb.scheduling import static_schedule as static_schedule
from aidge_nb.tiling import Tiling as Tiling
from aidge_nb.tiling import apply_tiling as apply_tiling
from aidge_nb.tiling import check_tiling as check_tiling
from aidge_nb.tiling import get_conv_horizontal_tiling as get_conv_horizontal_tiling
from aidge_nb.tiling import plan_tiling as plan_tiling
from aidge_nb.tiling import tile_for as tile_for
from aidge_nb.version import __version__ as __version__
from aidge_nb.widgets import workbench as workbench

__all__ = [
    "load_onnx",
    "save_onnx",
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
    "SimplifyReport",
    "constant_folding",
    "constant_shape_folding",
    "conv_to_matMul",
    "conv_to_matmul",
    "explicit_transpose",
    "fuse_attention",
    "fuse_batchnorm",
    "fuse_concatenation",
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
