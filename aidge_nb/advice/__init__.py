"""Advice that was planned and checked: what fits, what fills the memory, which order is best."""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        "findings": """
            BoundFinding ChangeFinding Finding FitFinding HeldBytes LayoutFinding MemoryFullFinding
            PeakFinding WaitFinding
        """,
        "fit": "FitReport Measure fit",
        "memory_report": "Advice MemoryReport holes_by_tick memory_report",
        "orders": "OrderComparison OrderRow compare_orders",
        "reading": "held_bytes mapping_findings plan_findings",
        "relayout": "lay_out_again",
        "search": "ChangeSearch find_changes",
    },
)
