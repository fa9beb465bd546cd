"""Stands in for ``aidge_core.show_graphview``: graphs and schedules as text and JSON."""

from aidge_nb.compat.served.graphs import (
    gview_to_json,
    str_aidge_graph_structure,
    str_aidge_seq_scheduling,
)

__all__ = ["gview_to_json", "str_aidge_graph_structure", "str_aidge_seq_scheduling"]
