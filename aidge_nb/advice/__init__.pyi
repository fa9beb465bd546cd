# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.advice.findings import BoundFinding
from aidge_nb.advice.findings import ChangeFinding
from aidge_nb.advice.findings import Finding
from aidge_nb.advice.findings import FitFinding
from aidge_nb.advice.findings import HeldBytes
from aidge_nb.advice.findings import LayoutFinding
from aidge_nb.advice.findings import MemoryFullFinding
from aidge_nb.advice.findings import PeakFinding
from aidge_nb.advice.findings import WaitFinding
from aidge_nb.advice.fit import FitReport
from aidge_nb.advice.fit import Measure
from aidge_nb.advice.fit import fit
from aidge_nb.advice.memory_report import Advice
from aidge_nb.advice.memory_report import MemoryReport
from aidge_nb.advice.memory_report import holes_by_tick
from aidge_nb.advice.memory_report import memory_report
from aidge_nb.advice.orders import OrderComparison
from aidge_nb.advice.orders import OrderRow
from aidge_nb.advice.orders import compare_orders
from aidge_nb.advice.reading import held_bytes
from aidge_nb.advice.reading import mapping_findings
from aidge_nb.advice.reading import plan_findings
from aidge_nb.advice.relayout import lay_out_again
from aidge_nb.advice.search import ChangeSearch
from aidge_nb.advice.search import find_changes

__all__ = [
    "BoundFinding",
    "ChangeFinding",
    "Finding",
    "FitFinding",
    "HeldBytes",
    "LayoutFinding",
    "MemoryFullFinding",
    "PeakFinding",
    "WaitFinding",
    "FitReport",
    "Measure",
    "fit",
    "Advice",
    "MemoryReport",
    "holes_by_tick",
    "memory_report",
    "OrderComparison",
    "OrderRow",
    "compare_orders",
    "held_bytes",
    "mapping_findings",
    "plan_findings",
    "lay_out_again",
    "ChangeSearch",
    "find_changes",
]
