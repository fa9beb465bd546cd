"""Read the memory plans of other tools, as :class:`~aidge_nb.memory.MemoryPlan`."""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, {"read": "read_plan"})
