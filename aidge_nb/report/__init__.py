"""Reports: everything about one model at once."""

from aidge_nb.report.model import Report, study

__all__ = ["Report", "study"]
