"""Exports: from a graph to C sources that give the same bits in the planned memory."""

from aidge_nb.export.api import export, plan_export
from aidge_nb.export.package import ExportedPackage
from aidge_nb.export.plan import ExportPlan

__all__ = ["ExportPlan", "ExportedPackage", "export", "plan_export"]
