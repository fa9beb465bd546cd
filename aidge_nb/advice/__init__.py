"""Advice that was planned and checked: what fits, what fills the memory, which order is best."""

from aidge_nb.advice.findings import (
    BoundFinding,
    ChangeFinding,
    Finding,
    FitFinding,
    HeldBytes,
    LayoutFinding,
    MemoryFullFinding,
    PeakFinding,
    WaitFinding,
)
from aidge_nb.advice.fit import FitReport, Measure, fit
from aidge_nb.advice.memory_report import Advice, MemoryReport, holes_by_tick, memory_report
from aidge_nb.advice.orders import OrderComparison, OrderRow, compare_orders
from aidge_nb.advice.reading import held_bytes, mapping_findings, plan_findings
from aidge_nb.advice.relayout import lay_out_again
from aidge_nb.advice.search import ChangeSearch, find_changes

__all__ = [
    "Advice",
    "BoundFinding",
    "ChangeFinding",
    "ChangeSearch",
    "Finding",
    "FitFinding",
    "FitReport",
    "HeldBytes",
    "LayoutFinding",
    "Measure",
    "MemoryFullFinding",
    "MemoryReport",
    "OrderComparison",
    "OrderRow",
    "PeakFinding",
    "WaitFinding",
    "compare_orders",
    "find_changes",
    "fit",
    "held_bytes",
    "holes_by_tick",
    "lay_out_again",
    "mapping_findings",
    "memory_report",
    "plan_findings",
]
