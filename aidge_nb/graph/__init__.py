"""Graphs: nodes, operators, views, and what changes or draws them."""

from typing import TYPE_CHECKING

from aidge_nb.core.lazy import when_asked_for
from aidge_nb.graph.attributes import REQUIRED, Attributes
from aidge_nb.graph.backend import (
    Implementation,
    available_backends,
    make_implementation,
    register_backend,
)
from aidge_nb.graph.builders import get_connected_graph_view, parallel, residual, sequential
from aidge_nb.graph.expand import expand_metaop, expand_metaops
from aidge_nb.graph.generic import GenericOperator, GenericOperatorOp
from aidge_nb.graph.inference import DimsReport, propagate_dims
from aidge_nb.graph.mermaid import to_mermaid
from aidge_nb.graph.meta import MetaOperator, MetaOperatorOp
from aidge_nb.graph.node import Node, Port
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.replace import replace_nodes
from aidge_nb.graph.spec import (
    SPECS,
    CpModel,
    InputCategory,
    InputSpec,
    OpSpec,
    ShapeContext,
    find_spec,
    register,
)
from aidge_nb.graph.topology import connected_nodes, topological_order
from aidge_nb.graph.view import GraphView

if TYPE_CHECKING:
    from aidge_nb.graph.fuse import fuse_nodes, fuse_to_metaop, fuse_to_metaops
    from aidge_nb.graph.inside import InnerEdge, InsideView, PartView
    from aidge_nb.graph.query import MatchingResult, SinglePassGraphMatching
    from aidge_nb.graph.snapshot import EdgeView, GraphSnapshot, NodeView, PortView

__all__ = [
    # Declarations
    "REQUIRED",
    "SPECS",
    "Attributes",
    "CpModel",
    "InputCategory",
    "InputSpec",
    "OpSpec",
    "ShapeContext",
    "find_spec",
    "register",
    # Nodes and graphs
    "GraphView",
    "Node",
    "Operator",
    "Port",
    # Operators of any type, and made of graphs
    "GenericOperator",
    "GenericOperatorOp",
    "MetaOperator",
    "MetaOperatorOp",
    "expand_metaop",
    "expand_metaops",
    "fuse_nodes",
    "fuse_to_metaop",
    "fuse_to_metaops",
    # Building and changing
    "connected_nodes",
    "get_connected_graph_view",
    "parallel",
    "replace_nodes",
    "residual",
    "sequential",
    "topological_order",
    # Looking for patterns
    "MatchingResult",
    "SinglePassGraphMatching",
    # Dimensions
    "DimsReport",
    "propagate_dims",
    # Backends
    "Implementation",
    "available_backends",
    "make_implementation",
    "register_backend",
    # Pictures
    "EdgeView",
    "GraphSnapshot",
    "InnerEdge",
    "InsideView",
    "NodeView",
    "PartView",
    "PortView",
    "to_mermaid",
]

__getattr__, __dir__ = when_asked_for(
    __name__,
    {
        "aidge_nb.graph.fuse": (
            "fuse_nodes",
            "fuse_to_metaop",
            "fuse_to_metaops",
        ),
        "aidge_nb.graph.snapshot": ("EdgeView", "GraphSnapshot", "NodeView", "PortView"),
        "aidge_nb.graph.inside": ("InnerEdge", "InsideView", "PartView"),
        "aidge_nb.graph.query": (
            "MatchingResult",
            "SinglePassGraphMatching",
        ),
    },
)
