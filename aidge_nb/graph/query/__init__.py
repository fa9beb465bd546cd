"""Graph queries: a small language for patterns of nodes."""

from aidge_nb.graph.query.build import build_query
from aidge_nb.graph.query.matching import SinglePassGraphMatching, keep_disjoint
from aidge_nb.graph.query.parser import parse_query
from aidge_nb.graph.query.result import MatchingResult

__all__ = [
    "MatchingResult",
    "SinglePassGraphMatching",
    "build_query",
    "keep_disjoint",
    "parse_query",
]
