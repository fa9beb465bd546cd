"""Advice that was planned and checked: what fits, what fills the memory, which order is best."""

from aidge_nb.advice.fit import FitReport, Measure, fit
from aidge_nb.advice.memory_report import Advice, MemoryReport, holes_by_tick, memory_report
from aidge_nb.advice.orders import OrderComparison, OrderRow, compare_orders

__all__ = [
    "Advice",
    "FitReport",
    "Measure",
    "MemoryReport",
    "OrderComparison",
    "OrderRow",
    "compare_orders",
    "fit",
    "holes_by_tick",
    "memory_report",
]
