# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.graph.attributes import Attributes
from aidge_nb.graph.attributes import REQUIRED
from aidge_nb.graph.backend import Implementation
from aidge_nb.graph.backend import available_backends
from aidge_nb.graph.backend import make_implementation
from aidge_nb.graph.backend import register_backend
from aidge_nb.graph.builders import get_connected_graph_view
from aidge_nb.graph.builders import parallel
from aidge_nb.graph.builders import residual
from aidge_nb.graph.builders import sequential
from aidge_nb.graph.expand import expand_metaop
from aidge_nb.graph.expand import expand_metaops
from aidge_nb.graph.fuse import fuse_nodes
from aidge_nb.graph.fuse import fuse_to_metaop
from aidge_nb.graph.fuse import fuse_to_metaops
from aidge_nb.graph.generic import GenericOperator
from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.graph.inference import DimsReport
from aidge_nb.graph.inference import propagate_dims
from aidge_nb.graph.inside import InnerEdge
from aidge_nb.graph.inside import InsideView
from aidge_nb.graph.inside import PartView
from aidge_nb.graph.mermaid import to_mermaid
from aidge_nb.graph.meta import MetaOperator
from aidge_nb.graph.meta import MetaOperatorOp
from aidge_nb.graph.node import Node
from aidge_nb.graph.node import Port
from aidge_nb.graph.operator import Operator
from aidge_nb.graph.query import MatchingResult
from aidge_nb.graph.query import SinglePassGraphMatching
from aidge_nb.graph.replace import replace_nodes
from aidge_nb.graph.snapshot import EdgeView
from aidge_nb.graph.snapshot import GraphSnapshot
from aidge_nb.graph.snapshot import NodeView
from aidge_nb.graph.snapshot import PortView
from aidge_nb.graph.spec import CpModel
from aidge_nb.graph.spec import InputCategory
from aidge_nb.graph.spec import InputSpec
from aidge_nb.graph.spec import OpSpec
from aidge_nb.graph.spec import SPECS
from aidge_nb.graph.spec import ShapeContext
from aidge_nb.graph.spec import find_spec
from aidge_nb.graph.spec import register
from aidge_nb.graph.topology import connected_nodes
from aidge_nb.graph.topology import topological_order
from aidge_nb.graph.view import GraphView

__all__ = [
    "REQUIRED",
    "Attributes",
    "SPECS",
    "CpModel",
    "InputCategory",
    "InputSpec",
    "OpSpec",
    "ShapeContext",
    "find_spec",
    "register",
    "Node",
    "Port",
    "Operator",
    "GraphView",
    "GenericOperator",
    "GenericOperatorOp",
    "MetaOperator",
    "MetaOperatorOp",
    "expand_metaop",
    "expand_metaops",
    "fuse_nodes",
    "fuse_to_metaop",
    "fuse_to_metaops",
    "get_connected_graph_view",
    "parallel",
    "residual",
    "sequential",
    "replace_nodes",
    "connected_nodes",
    "topological_order",
    "MatchingResult",
    "SinglePassGraphMatching",
    "DimsReport",
    "propagate_dims",
    "Implementation",
    "available_backends",
    "make_implementation",
    "register_backend",
    "EdgeView",
    "GraphSnapshot",
    "NodeView",
    "PortView",
    "InnerEdge",
    "InsideView",
    "PartView",
    "to_mermaid",
]
