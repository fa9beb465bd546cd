"""Orders of least peak memory: a search on plain integers, and what it says about a graph."""

from aidge_nb.scheduling.orders.from_graph import FiringOrder, firing_order
from aidge_nb.scheduling.orders.order_for_memory import OrderResult, order_for_memory
from aidge_nb.scheduling.orders.problem import Block, OrderProblem
from aidge_nb.scheduling.orders.solve import MAX_STATES, Solution, solve

__all__ = [
    "MAX_STATES",
    "Block",
    "FiringOrder",
    "OrderProblem",
    "OrderResult",
    "Solution",
    "firing_order",
    "order_for_memory",
    "solve",
]
