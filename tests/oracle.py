"""What aidge_core answered (see ``data/oracle/README.md``), and its graphs rebuilt from scratch.

The graphs are made of generic operators that behave as recorded: same ports, same dimensions,
same consumer-producer amounts. So schedules and memory layouts are compared without any kernel.
"""

from __future__ import annotations

import gzip
import json
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from aidge_nb.core.dtype import DType
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import CpModel, GraphView, InputCategory, Node
from aidge_nb.graph.generic import GenericOperatorOp
from aidge_nb.graph.operator import Operator
from aidge_nb.scheduling import Elts_t, OperatorImpl, ProdConso
from aidge_nb.scheduling.model.prod_conso import make_prod_conso

DATA = Path(__file__).parent / "data" / "oracle"

Description = dict[str, Any]

CP_MODELS = {
    "default": CpModel.DEFAULT,
    "inplace": CpModel.IN_PLACE,
    "identity": CpModel.IDENTITY,
    "pop": CpModel.POP,
    "stack": CpModel.STACK,
    "memorize": CpModel.MEMORIZE,
    "producer": CpModel.PRODUCER,
}
OF_TYPE = {"Producer": "producer", "Memorize": "memorize", "Pop": "pop", "Stack": "stack"}
DTYPES = {1: DType.int8, 2: DType.float16, 4: DType.float32, 8: DType.int64}


def names(having: str = "") -> list[str]:
    """Name the files; ``having="memory"`` those of graphs whose memory was laid out."""
    found = sorted(path.name.removesuffix(".json.gz") for path in DATA.glob("*.json.gz"))
    return [name for name in found if not having or _has(load(name), having)]


def _has(recorded: Description, what: str) -> bool:
    return what in recorded.get("runs", {}).get("data", {})


def load(name: str) -> Description:
    """Read a file by its name without suffix."""
    with gzip.open(DATA / f"{name}.json.gz", "rt", encoding="utf-8") as stream:
        loaded: Description = json.load(stream)
    return loaded


def build_graph(recorded: Description, with_dims: bool = True) -> tuple[GraphView, dict[str, Node]]:
    """Rebuild a recorded graph.

    Parameters
    ----------
    recorded
        A graph file, as :func:`load` gives it.
    with_dims
        Whether tensors have their dimensions: True for the run ``data``, False for ``token``.

    Returns
    -------
    GraphView, dict
        The graph and its nodes by name.
    """
    graph = recorded["graph"]
    nodes = {each["name"]: _make_node(each, recorded, with_dims) for each in graph["nodes"]}
    for parent, output, child, index in _edges(recorded):
        nodes[parent].add_child(nodes[child], output, index)
    key = "direct_tensors"
    direct = graph[key] if with_dims else recorded.get(f"{key}_before_forward_dims", graph[key])
    for each in direct:
        tensor = Tensor() if each["dims"] is None else Tensor.of_dims(each["dims"])
        nodes[each["node"]].get_operator().associate_input(each["input"], tensor)
    view = GraphView(recorded["name"])
    view.add(nodes.values())
    view.set_ordered_inputs([(nodes[name], index) for name, index in graph["ordered_inputs"]])
    view.set_ordered_outputs([(nodes[name], index) for name, index in graph["ordered_outputs"]])
    return view, nodes


def _make_node(described: Description, recorded: Description, with_dims: bool) -> Node:
    name, type_name = described["name"], described["op"]
    amounts = recorded.get("cp", {}).get(name)
    operator = GenericOperatorOp(
        type_name,
        [InputCategory[category] for category in described["categories"]],
        len(described["out_dims"]),
        described["attrs"],
    )
    kind = amounts["kind"] if amounts else OF_TYPE.get(type_name, "default")
    cp = CP_MODELS.get(kind, CpModel.DEFAULT)
    operator.spec = replace(operator.spec, cp=cp, back_edges=tuple(described["back_edges"]))
    sizes, dims_of = described["out_bytes_per_elt"], described["out_dims"]
    for index, (dims, size) in enumerate(zip(dims_of, sizes, strict=True)):
        tensor = operator.get_output(index)
        tensor.set_datatype(DTYPES[size])
        if with_dims and dims is not None:
            tensor.resize(dims)
    operator.set_impl(_RecordedImpl(operator, kind, amounts, described.get("custom_cp")))
    node = Node(operator, name)
    node.annotations["data_format"] = described.get("out_format", [])
    return node


def _edges(recorded: Description) -> list[tuple[str, int, str, int]]:
    """List the edges so that children are connected in the order of their fork branches."""
    run = recorded["runs"].get("data") or recorded["runs"].get("token") or {}
    branches = run.get("schedule", {}).get("fork_branches", {})
    edges = [
        (parent[0], parent[1], each["name"], index)
        for each in recorded["graph"]["nodes"]
        for index, parent in enumerate(each["inputs"])
        if parent is not None
    ]
    last = len(edges)
    return sorted(edges, key=lambda edge: branches.get(edge[2], {}).get(edge[0], last))


class _RecordedImpl(OperatorImpl):
    """An implementation that consumes and produces as recorded, and cannot run."""

    def __init__(
        self, op: Operator, kind: str, amounts: Description | None, custom: Description | None
    ) -> None:
        super().__init__(op, "recorded")
        self._kind, self._amounts, self._custom = kind, amounts, custom

    def get_prod_conso(self) -> ProdConso:
        if self._custom is not None:
            return _CustomProdConso(self._operator, self._custom)
        if self._kind == "meta" and self._amounts is not None:
            return _ProtectingProdConso(self._operator, self._amounts["protected"])
        return make_prod_conso(self._operator)


class _ProtectingProdConso(ProdConso):
    """Whole tensors in and out, of which recorded parts must not be overwritten."""

    def __init__(self, op: Operator, protected: Sequence[Description | None]) -> None:
        super().__init__(op)
        self._protected = protected

    def get_nb_required_protected(self, input_idx: int) -> Elts_t:
        amount = self._protected[input_idx]
        if amount is None or "data" not in amount:
            return super().get_nb_required_protected(input_idx)
        return Elts_t.data_elts(amount["data"])


class _CustomProdConso(ProdConso):
    """Pieces of tensors in and out, perhaps more of them the first time."""

    def __init__(self, op: Operator, custom: Description) -> None:
        super().__init__(op)
        self._custom = custom
        self._is_first = True

    def get_nb_required_data(self, input_idx: int) -> Elts_t:
        if self._operator.get_input(input_idx) is None:
            return Elts_t.none_elts()
        first = self._custom.get("first") if self._is_first else None
        return Elts_t.data_elts((first or self._custom["required"])[input_idx])

    def get_nb_required_protected(self, input_idx: int) -> Elts_t:
        protected = self._custom.get("protected")
        if protected is None:
            return self.get_nb_required_data(input_idx)
        return Elts_t.data_elts(protected[input_idx])

    def get_required_memory(
        self, output_idx: int, inputs_size: Sequence[Sequence[int]] = ()
    ) -> Elts_t:
        return Elts_t.data_elts(self._custom["produced"][output_idx])

    def update_consummer_producer(self) -> None:
        super().update_consummer_producer()
        self._is_first = False

    def reset_consummer_producer(self) -> None:
        super().reset_consummer_producer()
        self._is_first = True
