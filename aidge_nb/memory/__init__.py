"""Memory: live ranges, planners, Aidge's memory manager, lower bounds, checks and reports."""

from aidge_nb.memory.analysis import Advice, MemoryReport, holes_by_tick, memory_report
from aidge_nb.memory.budget import FitReport, Measure, fit
from aidge_nb.memory.check import check_offsets, check_plan
from aidge_nb.memory.generate import generate_memory, generate_memory_auto_concat
from aidge_nb.memory.generate_several import (
    generate_memory_multiple_mems,
    generate_memory_multiple_mems_autoconcat,
)
from aidge_nb.memory.joint import JointPlan, plan_jointly
from aidge_nb.memory.layout import plan_memory
from aidge_nb.memory.liveness import live_values
from aidge_nb.memory.lower_bound import LiveRange, LowerBound, live_bytes, lower_bound
from aidge_nb.memory.manager import MemoryManager
from aidge_nb.memory.optimize import OptimizeStrategy
from aidge_nb.memory.order_table import OrderComparison, OrderRow, compare_orders
from aidge_nb.memory.part import Part
from aidge_nb.memory.plan import Buffer, MemoryPlan, MemoryUse
from aidge_nb.memory.planners import Placement, best_placement, plan
from aidge_nb.memory.problem import read_problem, write_solution
from aidge_nb.memory.replay import check_replay
from aidge_nb.memory.report import (
    compute_default_mem_info,
    describe_plan,
    generate_optimized_memory_info,
    memory_info,
    memory_info_text,
)
from aidge_nb.memory.rings import plan_rings
from aidge_nb.memory.several import Memory
from aidge_nb.memory.spaces import MemoryPlane, MemorySpace
from aidge_nb.memory.storages import Liveness, Storage, Value
from aidge_nb.memory.what_if import WhatIf

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
    # Budgets, and what would help
    "Advice",
    "FitReport",
    "Measure",
    "MemoryReport",
    "WhatIf",
    "fit",
    "holes_by_tick",
    "memory_report",
    # Orders and layouts
    "JointPlan",
    "OrderComparison",
    "OrderRow",
    "compare_orders",
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
    # Reports
    "compute_default_mem_info",
    "describe_plan",
    "generate_optimized_memory_info",
    "memory_info",
    "memory_info_text",
]
