"""All cases."""

from __future__ import annotations

from collections import Counter

from tests.kernels.tables import elementwise, matrices, places, shapes, sliding

CASES = [
    *elementwise.CASES,
    *matrices.CASES,
    *places.CASES,
    *shapes.CASES,
    *sliding.CASES,
]


def _ids() -> list[str]:
    """Number the cases of each operator: ``Conv2D-0``, ``Conv2D-1`` …"""
    seen: Counter[str] = Counter()
    found = []
    for case in CASES:
        found.append(f"{case.type}-{seen[case.type]}")
        seen[case.type] += 1
    return found


IDS = _ids()
