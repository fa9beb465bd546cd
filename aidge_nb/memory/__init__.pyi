# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.memory.aidge.from_manager import plan_of_manager
from aidge_nb.memory.aidge.generate import generate_memory
from aidge_nb.memory.aidge.generate import generate_memory_auto_concat
from aidge_nb.memory.aidge.generate_several import generate_memory_multiple_mems
from aidge_nb.memory.aidge.generate_several import generate_memory_multiple_mems_autoconcat
from aidge_nb.memory.aidge.manager import MemoryManager
from aidge_nb.memory.aidge.optimize import OptimizeStrategy
from aidge_nb.memory.aidge.report import compute_default_mem_info
from aidge_nb.memory.aidge.report import describe_plan
from aidge_nb.memory.aidge.report import generate_optimized_memory_info
from aidge_nb.memory.aidge.report import memory_info
from aidge_nb.memory.aidge.report import memory_info_text
from aidge_nb.memory.aidge.spaces import MemoryPlane
from aidge_nb.memory.aidge.spaces import MemorySpace
from aidge_nb.plan_io.read import read_plan
from aidge_nb.memory.check.plan import check_offsets
from aidge_nb.memory.check.plan import check_plan
from aidge_nb.memory.check.replay import check_replay
from aidge_nb.memory.contest.board import ContestResult
from aidge_nb.memory.contest.board import Leaderboard
from aidge_nb.memory.contest.board import compare_solvers
from aidge_nb.memory.joint import JointPlan
from aidge_nb.memory.joint import plan_jointly
from aidge_nb.memory.live.liveness import live_values
from aidge_nb.memory.place.planners import Placement
from aidge_nb.memory.place.planners import best_placement
from aidge_nb.memory.place.planners import plan
from aidge_nb.memory.place.problem import read_problem
from aidge_nb.memory.place.problem import write_solution
from aidge_nb.memory.place.rings import plan_rings
from aidge_nb.memory.plan import plan_memory
from aidge_nb.memory.values.live_range import LiveRange
from aidge_nb.memory.values.live_range import LowerBound
from aidge_nb.memory.values.live_range import live_bytes
from aidge_nb.memory.values.live_range import lower_bound
from aidge_nb.memory.values.options import Memory
from aidge_nb.memory.values.options import PlanOptions
from aidge_nb.memory.values.options import WhatIf
from aidge_nb.memory.values.part import Part
from aidge_nb.memory.values.plan import Buffer
from aidge_nb.memory.values.plan import MemoryPlan
from aidge_nb.memory.values.plan import MemoryUse
from aidge_nb.memory.values.storages import Liveness
from aidge_nb.memory.values.storages import Storage
from aidge_nb.memory.values.storages import Value

__all__ = [
    "plan_memory",
    "Buffer",
    "MemoryPlan",
    "MemoryUse",
    "Part",
    "LiveRange",
    "LowerBound",
    "live_bytes",
    "lower_bound",
    "Liveness",
    "Storage",
    "Value",
    "Memory",
    "PlanOptions",
    "WhatIf",
    "live_values",
    "Placement",
    "best_placement",
    "plan",
    "read_problem",
    "write_solution",
    "plan_rings",
    "JointPlan",
    "plan_jointly",
    "check_offsets",
    "check_plan",
    "check_replay",
    "read_plan",
    "ContestResult",
    "Leaderboard",
    "compare_solvers",
    "MemoryManager",
    "MemoryPlane",
    "MemorySpace",
    "OptimizeStrategy",
    "generate_memory",
    "generate_memory_auto_concat",
    "generate_memory_multiple_mems",
    "generate_memory_multiple_mems_autoconcat",
    "plan_of_manager",
    "compute_default_mem_info",
    "describe_plan",
    "generate_optimized_memory_info",
    "memory_info",
    "memory_info_text",
]
