"""Memory: live ranges, planners, Aidge's memory manager, lower bounds and checks."""

from aidge_nb.memory.aidge.from_manager import plan_of_manager
from aidge_nb.memory.aidge.generate import generate_memory, generate_memory_auto_concat
from aidge_nb.memory.aidge.generate_several import (
    generate_memory_multiple_mems,
    generate_memory_multiple_mems_autoconcat,
)
from aidge_nb.memory.aidge.manager import MemoryManager
from aidge_nb.memory.aidge.optimize import OptimizeStrategy
from aidge_nb.memory.aidge.report import (
    compute_default_mem_info,
    describe_plan,
    generate_optimized_memory_info,
    memory_info,
    memory_info_text,
)
from aidge_nb.memory.aidge.spaces import MemoryPlane, MemorySpace
from aidge_nb.memory.check.plan import check_offsets, check_plan
from aidge_nb.memory.check.replay import check_replay
from aidge_nb.memory.joint import JointPlan, plan_jointly
from aidge_nb.memory.live.liveness import live_values
from aidge_nb.memory.place.planners import Placement, best_placement, plan
from aidge_nb.memory.place.problem import read_problem, write_solution
from aidge_nb.memory.place.rings import plan_rings
from aidge_nb.memory.plan import plan_memory
from aidge_nb.memory.values.live_range import LiveRange, LowerBound, live_bytes, lower_bound
from aidge_nb.memory.values.options import Memory, PlanOptions, WhatIf
from aidge_nb.memory.values.part import Part
from aidge_nb.memory.values.plan import Buffer, MemoryPlan, MemoryUse
from aidge_nb.memory.values.storages import Liveness, Storage, Value

__all__ = [
    # Plans, as values
    "Buffer",
    "MemoryPlan",
    "MemoryUse",
    "Part",
    # Our planner: live ranges to offsets
    "LiveRange",
    "Liveness",
    "LowerBound",
    "Memory",
    "Placement",
    "PlanOptions",
    "Storage",
    "Value",
    "best_placement",
    "live_bytes",
    "live_values",
    "lower_bound",
    "plan",
    "plan_memory",
    "plan_rings",
    "read_problem",
    "write_solution",
    "WhatIf",
    "JointPlan",
    "plan_jointly",
    # Checkers
    "check_offsets",
    "check_plan",
    "check_replay",
    # Aidge's memory manager
    "MemoryManager",
    "MemoryPlane",
    "MemorySpace",
    "OptimizeStrategy",
    "generate_memory",
    "generate_memory_auto_concat",
    "generate_memory_multiple_mems",
    "generate_memory_multiple_mems_autoconcat",
    "plan_of_manager",
    # Reports
    "compute_default_mem_info",
    "describe_plan",
    "generate_optimized_memory_info",
    "memory_info",
    "memory_info_text",
]
