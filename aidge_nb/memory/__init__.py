"""Memory: live ranges, planners, Aidge's memory manager, lower bounds and checks."""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "plan": "plan_memory",
        # Plans, as values
        "values.plan": "Buffer MemoryPlan MemoryUse",
        "values.part": "Part",
        # Our planner: live ranges to offsets
        "values.live_range": "LiveRange LowerBound live_bytes lower_bound",
        "values.storages": "Liveness Storage Value",
        "values.options": "Memory PlanOptions WhatIf",
        "live.liveness": "live_values",
        "place.planners": "Placement best_placement plan",
        "place.problem": "read_problem write_solution",
        "place.rings": "plan_rings",
        "joint": "JointPlan plan_jointly",
        # Checkers
        "check.plan": "check_offsets check_plan",
        "check.replay": "check_replay",
        # Plans of other tools: a room above, imported at first use
        "aidge_nb.plan_io.read": "read_plan",
        # Solvers side by side
        "contest.board": "ContestResult Leaderboard compare_solvers",
        # Aidge's memory manager
        "aidge.manager": "MemoryManager",
        "aidge.spaces": "MemoryPlane MemorySpace",
        "aidge.optimize": "OptimizeStrategy",
        "aidge.generate": "generate_memory generate_memory_auto_concat",
        "aidge.generate_several": (
            "generate_memory_multiple_mems generate_memory_multiple_mems_autoconcat"
        ),
        "aidge.from_manager": "plan_of_manager",
        # Reports
        "aidge.report": (
            "compute_default_mem_info describe_plan generate_optimized_memory_info "
            "memory_info memory_info_text"
        ),
    },
)
