"""aidge_nb: see and understand how a neural network runs on a small machine.

Everything that the Aidge tutorials call ``aidge_core.X`` is ``aidge_nb.X`` here. The core needs
NumPy alone; readers, views and exports import what they need when they are used.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from aidge_nb.startup import end_quietly

end_quietly()

from aidge_nb import dtype, ops
from aidge_nb.errors import (
    AidgeError,
    ExportError,
    GraphError,
    MemoryPlanError,
    MissingExtraError,
    MissingKernelError,
    OnnxError,
    SchedulingError,
    ShapeError,
)
from aidge_nb.graph import (
    GenericOperator,
    GraphSnapshot,
    GraphView,
    InputCategory,
    MatchingResult,
    MetaOperator,
    Node,
    Operator,
    OpSpec,
    SinglePassGraphMatching,
    expand_metaop,
    expand_metaops,
    fuse_to_metaop,
    fuse_to_metaops,
    get_connected_graph_view,
    parallel,
    residual,
    sequential,
    to_mermaid,
)
from aidge_nb.log import Level, Log
from aidge_nb.ops import *  # noqa: F403  # ops.__all__ is the one list of factories
from aidge_nb.runtime import (
    ExecTime,
    NodeExecTime,
    ParallelScheduler,
    SequentialScheduler,
    check_execution,
    run_in_arena,
)
from aidge_nb.scheduling import (
    AvailableDataStatus,
    Elts_t,
    OperatorImpl,
    PriorProducersConsumers,
    ProdConso,
    Scheduler,
    SchedulingElement,
    SchedulingPolicy,
    StaticSchedule,
    StaticSchedulingElement,
    check_schedule,
    order_for_memory,
    static_schedule,
)
from aidge_nb.tensor import Dims, Tensor
from aidge_nb.version import __version__

if TYPE_CHECKING:
    from aidge_nb import memory, recipes, tiling, zoo
    from aidge_nb.memory import (
        Buffer,
        Memory,
        MemoryManager,
        MemoryPlan,
        OptimizeStrategy,
        check_plan,
        compare_orders,
        compute_default_mem_info,
        fit,
        generate_memory,
        generate_optimized_memory_info,
        memory_report,
        plan_jointly,
        plan_memory,
    )
    from aidge_nb.onnx_io import load_onnx, save_onnx
    from aidge_nb.recipes import (
        SimplifyReport,
        VarianceNorm,
        constant_filler,
        constant_folding,
        constant_shape_folding,
        conv_to_matMul,
        conv_to_matmul,
        fuse_attention,
        fuse_batchnorm,
        fuse_concatenation,
        fuse_consecutive_adds,
        fuse_consecutive_reshape,
        fuse_consecutive_slices,
        fuse_consecutive_squeeze,
        fuse_consecutive_unsqueeze,
        fuse_gelu,
        fuse_layernorm,
        fuse_mul_add,
        fuse_multi_head_attention,
        fuse_pad_with_conv,
        fuse_qkv,
        fuse_reduce_unsqueeze,
        fuse_transpose,
        he_filler,
        init_weights,
        matmul_to_fc,
        normal_filler,
        producers,
        remove_dropout,
        remove_duplicate_producers,
        remove_flatten,
        remove_idempotent,
        remove_identity,
        remove_neutral,
        remove_node,
        remove_nodes,
        remove_noop,
        set_producers_constant,
        simplify,
        uniform_filler,
        xavier_normal_filler,
        xavier_uniform_filler,
    )
    from aidge_nb.tiling import Tiling, apply_tiling, get_conv_horizontal_tiling, plan_tiling

_WHEN_ASKED_FOR = {
    "aidge_nb.memory": (
        "Buffer",
        "Memory",
        "MemoryManager",
        "MemoryPlan",
        "OptimizeStrategy",
        "check_plan",
        "compare_orders",
        "compute_default_mem_info",
        "fit",
        "generate_memory",
        "generate_optimized_memory_info",
        "memory_report",
        "plan_jointly",
        "plan_memory",
    ),
    "aidge_nb.onnx_io": ("load_onnx", "save_onnx"),
    "aidge_nb.recipes": (
        "fuse_concatenation",
        "fuse_reduce_unsqueeze",
        "remove_node",
        "remove_nodes",
        "producers",
        "set_producers_constant",
        "SimplifyReport",
        "VarianceNorm",
        "constant_filler",
        "constant_folding",
        "constant_shape_folding",
        "conv_to_matMul",
        "conv_to_matmul",
        "fuse_attention",
        "fuse_batchnorm",
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
        "fuse_transpose",
        "he_filler",
        "init_weights",
        "matmul_to_fc",
        "normal_filler",
        "remove_dropout",
        "remove_duplicate_producers",
        "remove_flatten",
        "remove_idempotent",
        "remove_identity",
        "remove_neutral",
        "remove_noop",
        "simplify",
        "uniform_filler",
        "xavier_normal_filler",
        "xavier_uniform_filler",
    ),
    "aidge_nb.tiling": (
        "Tiling",
        "apply_tiling",
        "get_conv_horizontal_tiling",
        "plan_tiling",
    ),
}
"""Rooms that are imported when one of these names is used: importing the package stays quick."""

__all__ = [
    # Tensors
    "Dims",
    "Tensor",
    "dtype",
    # Graphs
    "GenericOperator",
    "GraphSnapshot",
    "GraphView",
    "InputCategory",
    "MetaOperator",
    "Node",
    "OpSpec",
    "Operator",
    "expand_metaop",
    "expand_metaops",
    "fuse_to_metaop",
    "fuse_to_metaops",
    "get_connected_graph_view",
    "parallel",
    "residual",
    "sequential",
    "to_mermaid",
    # Queries
    "MatchingResult",
    "SinglePassGraphMatching",
    # Consumer-producer model
    "Elts_t",
    "OperatorImpl",
    "PriorProducersConsumers",
    "ProdConso",
    # Schedules
    "AvailableDataStatus",
    "ExecTime",
    "NodeExecTime",
    "ParallelScheduler",
    "Scheduler",
    "SchedulingElement",
    "SchedulingPolicy",
    "SequentialScheduler",
    "StaticSchedule",
    "StaticSchedulingElement",
    "check_schedule",
    "static_schedule",
    # Memory
    "memory",
    "Buffer",
    "Memory",
    "MemoryManager",
    "MemoryPlan",
    "OptimizeStrategy",
    "check_execution",
    "check_plan",
    "compare_orders",
    "compute_default_mem_info",
    "fit",
    "generate_memory",
    "generate_optimized_memory_info",
    "memory_report",
    "order_for_memory",
    "plan_jointly",
    "plan_memory",
    "run_in_arena",
    # ONNX, and models without files
    "load_onnx",
    "save_onnx",
    "zoo",
    # Recipes
    "recipes",
    "fuse_concatenation",
    "fuse_reduce_unsqueeze",
    "remove_node",
    "remove_nodes",
    "producers",
    "set_producers_constant",
    "SimplifyReport",
    "constant_shape_folding",
    "conv_to_matMul",
    "conv_to_matmul",
    "fuse_attention",
    "fuse_batchnorm",
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
    "fuse_transpose",
    "matmul_to_fc",
    "remove_dropout",
    "remove_duplicate_producers",
    "remove_flatten",
    "remove_idempotent",
    "remove_identity",
    "remove_neutral",
    "remove_noop",
    "simplify",
    "constant_folding",
    # Tiling
    "Tiling",
    "apply_tiling",
    "get_conv_horizontal_tiling",
    "plan_tiling",
    "tiling",
    # First values of parameters
    "VarianceNorm",
    "constant_filler",
    "he_filler",
    "init_weights",
    "normal_filler",
    "uniform_filler",
    "xavier_normal_filler",
    "xavier_uniform_filler",
    # Messages and errors
    "AidgeError",
    "ExportError",
    "GraphError",
    "Level",
    "Log",
    "MemoryPlanError",
    "MissingExtraError",
    "MissingKernelError",
    "OnnxError",
    "SchedulingError",
    "ShapeError",
    "__version__",
]
__all__ += ops.__all__


def __getattr__(name: str) -> Any:
    """Import what is not needed by everybody when it is asked for."""
    if name in ("memory", "recipes", "tiling", "zoo"):
        return import_module(f"aidge_nb.{name}")
    for room, names in _WHEN_ASKED_FOR.items():
        if name in names:
            return getattr(import_module(room), name)
    raise AttributeError(f"module 'aidge_nb' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
