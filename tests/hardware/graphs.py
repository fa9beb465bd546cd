"""Graphs and a target that several tests of mappings share."""

from __future__ import annotations

import aidge_nb
from aidge_nb import zoo

__all__ = ["TWO_CORES", "model", "two_branches"]


def model(name: str) -> aidge_nb.GraphView:
    view = zoo.load(name)
    known = zoo.build(name).inputs[0].dims
    assert known is not None
    dims = [dim if isinstance(dim, int) else 1 for dim in known]
    assert view.forward_dims([dims], allow_data_dependency=True)
    return view


def two_branches(wide: int = 8) -> aidge_nb.GraphView:
    """Two branches that read one tensor, and a sum of both; each of one or two convolutions."""
    first, join = aidge_nb.ReLU("first"), aidge_nb.Add("join")
    view = aidge_nb.GraphView()
    view.add([first, join])
    for index, name in enumerate(("left", "right")):
        end = aidge_nb.PaddedConv2D(8, wide, [3, 3], name, padding_dims=[1] * 4)
        first.add_child(end, 0, 0)
        view.add([end, *(parent for parent in end.get_parents() if parent is not None)])
        if wide > 8:
            last = aidge_nb.Conv2D(wide, 8, [1, 1], f"{name}_end")
            end.add_child(last, 0, 0)
            view.add([last, *(parent for parent in last.get_parents() if parent is not None)])
            end = last
        end.add_child(join, 0, index)
    assert view.forward_dims([[1, 8, 32, 32]])
    return view


TWO_CORES = """
device: two_cores
memories: {ram: {size: 1MiB}}
devices:
  core: {count: 2, pe: {macs_per_cycle: 1, frequency: 100MHz}}
links: [{between: [core/*/pe, ram], bytes_per_cycle: 8}]
"""
