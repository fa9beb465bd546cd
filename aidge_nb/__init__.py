"""See and understand how a neural network runs on a small machine.

A first use goes through these names, each of which takes the results of those before::

    graph = aidge_nb.load_onnx("model.onnx")
    schedule = aidge_nb.static_schedule(graph)
    plan = aidge_nb.plan_memory(graph, schedule)
    aidge_nb.run_in_arena(graph, plan, inputs)
    aidge_nb.export.export(graph, "folder", plan=plan)
    aidge_nb.workbench(graph, schedule, plan)

What Aidge's tutorials call ``aidge_core.X`` is ``aidge_nb.X`` here. The core needs NumPy alone.
The table below is the one list of public names: each is imported when it is first used.
"""

from aidge_nb.core.lazy import attach
from aidge_nb.core.startup import end_quietly

end_quietly()

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        # Read, schedule, plan, run, look
        "report": "load_model",
        "onnx_io": "load_onnx save_onnx",
        "tflite_io": "load_tflite",
        "plan_io": "read_plan",
        "scheduling": """
            static_schedule check_schedule order_for_memory StaticSchedule Scheduler
            SchedulingPolicy SchedulingElement StaticSchedulingElement AvailableDataStatus
            PriorProducersConsumers EltType Elts_t OperatorImpl ProdConso
        """,
        "memory": """
            plan_memory PlanOptions check_plan plan_jointly MemoryPlan Buffer Memory MemoryManager
            OptimizeStrategy compute_default_mem_info generate_memory
            generate_optimized_memory_info
        """,
        "runtime": """
            run_in_arena check_execution SequentialScheduler ParallelScheduler ExecTime
            NodeExecTime
        """,
        "widgets": "workbench",
        "advice": "compare_orders fit memory_report",
        "quantization": "quantize to_integer",
        "tiling": """
            plan_tiling apply_tiling check_tiling tile_for Tiling get_conv_horizontal_tiling
        """,
        # Graphs, tensors, operators
        "graph": """
            GraphView Node Operator OpSpec InputCategory GenericOperator MetaOperator sequential
            parallel residual get_connected_graph_view expand_metaop expand_metaops
            fuse_to_metaop fuse_to_metaops SinglePassGraphMatching MatchingResult GraphSnapshot
            to_mermaid
        """,
        "core.dims": "Dims",
        "core.tensor": "Tensor",
        "core": "dformat dtype",
        "ops": "*",
        # Transformations, and first values of parameters
        "recipes": """
            SimplifyReport absorb_transpose_softmax constant_folding constant_shape_folding
            conv_to_matMul conv_to_matmul
            explicit_transpose fuse_attention fuse_batchnorm fuse_concatenation fuse_convolution
            fuse_consecutive_adds fuse_consecutive_reshape fuse_consecutive_slices
            fuse_consecutive_squeeze fuse_consecutive_unsqueeze fuse_gelu fuse_layernorm
            fuse_mul_add fuse_multi_head_attention fuse_pad_with_conv fuse_qkv
            fuse_reduce_unsqueeze fuse_transpose matmul_to_fc producers remove_dropout
            remove_duplicate_producers remove_flatten remove_idempotent remove_identity
            remove_neutral remove_node remove_nodes remove_noop set_data_format
            set_producers_constant simplify VarianceNorm constant_filler he_filler init_weights
            normal_filler uniform_filler xavier_normal_filler xavier_uniform_filler
        """,
        # Messages and errors
        "core.errors": """
            AidgeError ExportError GraphError HardwareError MemoryPlanError MissingExtraError
            MissingKernelError OnnxError SchedulingError ShapeError TfliteError
        """,
        "core.log": "Level Log",
        "version": "__version__",
        # Rooms
        ".": """
            advice export graph hardware learning memory ops recipes runtime scheduling tiling
            zoo
        """,
    },
)

from aidge_nb.runtime import backends as _backends  # noqa: F401  # registers them
