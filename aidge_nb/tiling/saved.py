"""Check the plain values of a saved tiling before a tiling is made of them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal

from aidge_nb.core.errors import GraphError, listed
from aidge_nb.core.forms import Many, check_form
from aidge_nb.tiling.ranges import Region

TILING_FORM: dict[str, Any] = {
    "nodes": tuple[str, ...],
    "axes": tuple[int, ...],
    "grid": tuple[int, ...],
    "halo": Literal["recompute", "cache"],
    "macs": int,
    "itemsize": int,
    "links?": tuple[tuple[str, str], ...],
    "tiles": Many(
        {
            "place": tuple[int, ...],
            "parts": Many(
                {
                    "node": str,
                    "output": Region,
                    "needed": Region,
                    "inputs": tuple[tuple[int, Region], ...],
                    "pads": tuple[int, ...],
                    "macs": int,
                }
            ),
            "reused": tuple[tuple[str, Region], ...],
        }
    ),
}
"""The form of the values that :meth:`Tiling.to_dict` returns."""


def check_saved_tiling(values: Mapping[str, Any]) -> None:
    """Check what ``Tiling.to_dict()`` returned; raise GraphError.

    Types are checked, that tiles and parts are those of the nodes and axes that are named, and
    that regions of one tensor have one rank. Whether the tiles cover the result,
    :func:`~aidge_nb.tiling.check.check_tiling` tells.
    """
    check_form(values, TILING_FORM, "tiling", GraphError)
    nodes, cuts = values["nodes"], len(values["axes"])
    _need(len(nodes), "nodes")
    _need(len(values["tiles"]), "tiles")
    _expect("grid", "has the wrong length", cuts, len(values["grid"]))
    ranks: dict[str, object] = {}
    for number, tile in enumerate(values["tiles"]):
        path = f"tiles[{number}]"
        _expect(f"{path}.place", "has the wrong length", cuts, len(tile["place"]))
        _need(len(tile["parts"]), f"{path}.parts")
        for at, part in enumerate(tile["parts"]):
            where = f"{path}.parts[{at}]"
            _check_known(part["node"], nodes, f"{where}.node")
            rank, needed = len(part["output"]), len(part["needed"])
            _expect(f"{where}.needed", "has the wrong rank", rank, needed)
            found = (rank, {index: len(region) for index, region in part["inputs"]})
            known = ranks.setdefault(part["node"], found)
            _expect(f"{where}.inputs", "have other ranks than those before", known, found)
        _expect(f"{path}.parts", "end with another node", nodes[-1], tile["parts"][-1]["node"])
        for at, (name, _) in enumerate(tile["reused"]):
            _check_known(name, nodes, f"{path}.reused[{at}]")
    rank = len(values["tiles"][0]["parts"][-1]["output"])
    for axis in values["axes"]:
        if not 0 <= axis < rank:
            raise _error("axes", "no such axis", f"numbers below {rank}", axis)


def _need(count: int, path: str) -> None:
    if not count:
        raise _error(path, "is empty", "one or more", "none")


def _check_known(name: str, nodes: list[str], path: str) -> None:
    if name not in nodes:
        raise _error(path, "is none of the nodes", listed(nodes), repr(name))


def _expect(path: str, problem: str, expected: object, found: object) -> None:
    if expected != found:
        raise _error(path, problem, expected, found)


def _error(path: str, problem: str, expected: object, found: object) -> GraphError:
    return GraphError.at(f"tiling: {path}", problem, expected=expected, found=found)
