"""Reports: everything about one model at once, and the formats that it may come in."""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(__name__, {"model": "Report study", "readers": "load_model"})
