"""Graphs: nodes, operators, views, and functions that change, query or draw them."""

from aidge_nb.core.lazy import attach

__getattr__, __dir__, __all__ = attach(
    __name__,
    {
        # Declarations
        "attributes": "REQUIRED Attributes",
        "spec": "SPECS CpModel InputCategory InputSpec OpSpec ShapeContext find_spec register",
        # Nodes and graphs
        "node": "Node Port",
        "operator": "Operator",
        "view": "GraphView",
        # Generic and meta operators
        "generic": "GenericOperator GenericOperatorOp",
        "meta": "MetaOperator MetaOperatorOp",
        "expand": "expand_metaop expand_metaops",
        "fuse": "fuse_nodes fuse_to_metaop fuse_to_metaops",
        # Building and changing
        "builders": "get_connected_graph_view parallel residual sequential",
        "replace": "replace_nodes",
        "topology": "connected_nodes topological_order",
        # Queries
        "query": "MatchingResult SinglePassGraphMatching",
        # Dimensions
        "inference": "DimsReport propagate_dims",
        # Backends
        "backend": "Implementation available_backends make_implementation register_backend",
        # Snapshots and diagrams
        "snapshot": "EdgeView GraphSnapshot NodeView PortView",
        "inside": "InnerEdge InsideView PartView",
        "mermaid": "to_mermaid",
    },
)
