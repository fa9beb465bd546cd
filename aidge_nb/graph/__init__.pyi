# Written by .ci/stubs.py from the table in __init__.py: change that one.

from aidge_nb.graph.attributes import Attributes as Attributes
from aidge_nb.graph.attributes import REQUIRED as REQUIRED
from aidge_nb.graph.backend import Implementation as Implementation
from aidge_nb.graph.backend import available_backends as available_backends
from aidge_nb.graph.backend import make_implementation as make_implementation
from aidge_nb.graph.backend import register_backend as register_backend
from aidge_nb.graph.builders import get_connected_graph_view as get_connected_graph_view
from aidge_nb.graph.builders import parallel as parallel
from aidge_nb.graph.builders import residual as residual
from aidge_nb.graph.builders import sequential as sequential
from aidge_nb.graph.expand import expand_metaop as expand_metaop
from aidge_nb.graph.expand import expand_metaops as expand_metaops
from aidge_nb.graph.fuse import fuse_nodes as fuse_nodes
from aidge_nb.graph.fuse import fuse_to_metaop as fuse_to_metaop
from aidge_nb.graph.fuse import fuse_to_metaops as fuse_to_metaops
from aidge_nb.graph.generic import GenericOperator as GenericOperator
from aidge_nb.graph.generic import GenericOperatorOp as GenericOperatorOp
from aidge_nb.graph.inference import DimsReport as DimsReport
from aidge_nb.graph.inference import propagate_dims as propagate_dims
from aidge_nb.graph.inside import InnerEdge as InnerEdge
from aidge_nb.graph.inside import InsideView as InsideView
from aidge_nb.graph.inside import PartView as PartView
from aidge_nb.graph.mermaid import to_mermaid as to_mermaid
from aidge_nb.graph.meta import MetaOperator as MetaOperator
from aidge_nb.graph.meta import MetaOperatorOp as MetaOperatorOp
from aidge_nb.graph.node import Node as Node
from aidge_nb.graph.node import Port as Port
from aidge_nb.graph.operator import Operator as Operator
from aidge_nb.graph.query import MatchingResult as MatchingResult
from aidge_nb.graph.query import SinglePassGraphMatching as SinglePassGraphMatching
from aidge_nb.graph.replace import replace_nodes as replace_nodes
from aidge_nb.graph.snapshot import EdgeView as EdgeView
from aidge_nb.graph.snapshot import GraphSnapshot as GraphSnapshot
from aidge_nb.graph.snapshot import NodeView as NodeView
from aidge_nb.graph.snapshot import PortView as PortView
from aidge_nb.graph.spec import CpModel as CpModel
from aidge_nb.graph.spec import InputCategory as InputCategory
from aidge_nb.graph.spec import InputSpec as InputSpec
from aidge_nb.graph.spec import OpSpec as OpSpec
from aidge_nb.graph.spec import SPECS as SPECS
from aidge_nb.graph.spec import ShapeContext as ShapeContext
from aidge_nb.graph.spec import find_spec as find_spec
from aidge_nb.graph.spec import register as register
from aidge_nb.graph.topology import connected_nodes as connected_nodes
from aidge_nb.graph.topology import topological_order as topological_order
from aidge_nb.graph.view import GraphView as GraphView

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
