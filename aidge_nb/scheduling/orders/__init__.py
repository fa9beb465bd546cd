"""Orders of least peak memory: a search on plain integers, and what it says about a graph."""

from aidge_nb.scheduling.orders.from_graph import FiringOrder, firing_order
from aidge_nb.scheduling.orders.order_result import OrderResult, nodes_named, order_for_memory
from aidge_nb.scheduling.orders.problem import Block, OrderProblem
from aidge_nb.scheduling.orders.solve import MAX_STATES, Solution, solve
from aidge_nb.scheduling.orders.variants import other_orders

__all__ = [
    "MAX_STATES",
    "Block",
    "FiringOrder",
    "OrderProblem",
    "OrderResult",
    "Solution",
    "firing_order",
    "nodes_named",
    "order_for_memory",
    "other_orders",
    "solve",
]
