"""Live ranges, and who shares memory with whom."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

import aidge_nb
from aidge_nb import load_onnx, order_for_memory, plan_memory, zoo
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.core.tensor import Tensor
from aidge_nb.graph import CpModel, GraphView, Node
from aidge_nb.memory import live_values
from aidge_nb.scheduling import Elts_t, OperatorImpl, ProdConso
from tests.calls import calls_of
from tests.memory.graphs import binary, chain, graph, op, opaque, producer, reshape, unary


def ranges(view: GraphView, order: Sequence[Node] | None = None, **options: Any) -> dict[str, str]:
    """Describe each value as ``[lower, upper) sharing``."""
    live = live_values(view, list(view.get_nodes()) if order is None else order, **options)
    described = {}
    for storage in live.storages:
        for value in storage.values:
            sharing = "".join(f" on {name}" for name in value.in_place_of)
            sharing += f" is {value.view_of}" if value.view_of else ""
            described[value.name] = f"[{value.lower}, {value.upper}){sharing}"
    return described


def test_a_value_lives_until_its_last_reader() -> None:
    view = graph([opaque("a"), opaque("b"), opaque("c", nb_inputs=2)], [(0, 1), (0, 2), (1, 2)])
    assert ranges(view) == {"a": "[0, 3)", "b": "[1, 3)", "c": "[2, 3)"}


def test_outputs_of_the_graph_live_to_the_end() -> None:
    view = graph([opaque("in"), opaque("out"), opaque("a"), opaque("b")], [(0, 1), (0, 2), (2, 3)])
    assert ranges(view)["out"] == "[1, 4)"


def test_an_element_wise_operator_overwrites_its_dying_input() -> None:
    view = chain(opaque("a"), unary("b"), unary("c"))
    assert ranges(view) == {"a": "[0, 2)", "b": "[1, 3) on a", "c": "[2, 3) on b"}
    assert ranges(view, in_place=False)["b"] == "[1, 3)"


def test_the_second_input_may_be_overwritten_where_the_first_lives_on() -> None:
    view = graph(
        [opaque("a"), opaque("b"), binary("sum"), opaque("late", nb_inputs=2)],
        [(0, 1), (0, 2, 0), (1, 2, 1), (0, 3, 0), (2, 3, 1)],
    )
    assert ranges(view)["sum"] == "[2, 4) on b"


def test_a_sum_of_a_value_with_itself_is_in_place() -> None:
    view = graph([opaque("a"), binary("twice")], [(0, 1, 0), (0, 1, 1)])
    assert ranges(view)["twice"] == "[1, 2) on a"


@pytest.mark.parametrize(
    ("view", "why"),
    [
        (graph([opaque("a"), unary("b"), opaque("c")], [(0, 1), (0, 2)]), "it is read later"),
        (chain(opaque("a", 8), unary("b", 4)), "it has another size"),
        (chain(opaque("a"), opaque("b")), "the operator is not declared so"),
        (
            graph(
                [opaque("a"), reshape("v"), unary("b"), opaque("c", nb_inputs=2)],
                [(0, 1), (0, 2), (1, 3, 0), (2, 3, 1)],
            ),
            "a view of it is read later",
        ),
        (
            graph(
                [opaque("a"), reshape("v"), op("b", 2, overwrites=(0,))],
                [(0, 1), (0, 2, 0), (1, 2, 1)],
            ),
            "it is read through another port too",
        ),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_an_input_is_not_overwritten_when(view: GraphView, why: str) -> None:
    assert " on " not in ranges(view)["b"], why


def test_an_output_of_the_graph_is_not_overwritten() -> None:
    view = chain(opaque("a"), unary("b"))
    view.set_ordered_outputs([(view.get_node("a"), 0), (view.get_node("b"), 0)])
    assert ranges(view) == {"a": "[0, 2)", "b": "[1, 2)"}


def test_a_view_shares_memory_as_long_as_either_is_read() -> None:
    view = graph(
        [opaque("a"), reshape("v"), opaque("b"), opaque("c", nb_inputs=2)],
        [(0, 1), (0, 2), (2, 3, 0), (1, 3, 1)],
    )
    assert ranges(view, in_place=False)["v"] == "[1, 4) is a"
    live = live_values(view, list(view.get_nodes()))
    assert live.storages[0].live_range == (0, 4, 16)


def test_an_operator_writes_over_a_view_once_nothing_else_reads_it() -> None:
    view = chain(opaque("a"), reshape("v"), unary("b"))
    assert ranges(view)["b"] == "[2, 3) on v"
    assert len(live_values(view, list(view.get_nodes())).storages) == 1


def test_a_view_of_what_has_no_memory_here_gets_its_own() -> None:
    assert ranges(chain(reshape("v"), opaque("b")))["v"] == "[0, 2)"


def test_optional_outputs_that_nobody_reads_take_no_memory() -> None:
    pool = op("pool", nb_outputs=2, optional_outputs=(1,))
    split = op("split", nb_outputs=2)
    view = graph([pool, split], [(0, 1)])
    view.set_ordered_outputs([(split, 0)])
    # The kernel of `split` writes both outputs, read or not.
    assert ranges(view) == {"pool": "[0, 2)", "split": "[1, 2)", "split:1": "[1, 2)"}


def test_outputs_inside_a_meta_operator_that_nobody_reads_take_no_memory() -> None:
    view = load_onnx(zoo.lstm_classifier(sequence=5, hidden=8, classes=3))
    assert view.forward_dims([[5, 1, 4]], True)
    order = order_for_memory(view)
    plan = plan_memory(view, order.nodes(view))
    assert {buffer.name for buffer in plan.buffers} == {"lstm:1", "squeeze", "fc", "softmax"}
    assert plan.peak == plan.lower_bound == order.peak_bytes == (8 + 3) * 4
    softmax, lstm = view.get_node("softmax"), view.get_node("lstm")
    view.set_ordered_outputs([(softmax, 0), (lstm, 2)])
    kept = plan_memory(view, order.nodes(view))
    assert {b.name: b.upper for b in kept.buffers}["lstm:2"] == len(kept.order)


def test_producers_take_memory_when_asked() -> None:
    view = graph([opaque("in"), producer("w"), opaque("f", nb_inputs=2)], [(0, 2), (1, 2)])
    nodes = list(view.get_nodes())
    assert "w" not in ranges(view)
    assert ranges(view, inc_producers=True) == {"in": "[0, 3)", "w": "[1, 3)", "f": "[2, 3)"}
    # What the order does not execute was there from the start.
    assert ranges(view, [nodes[0], nodes[2]], inc_producers=True)["w"] == "[0, 2)"


def test_parameters_are_never_overwritten() -> None:
    view = graph([producer("w"), unary("b")], [(0, 1)])
    assert ranges(view, inc_producers=True)["b"] == "[1, 2)"


def test_inputs_take_memory_when_asked() -> None:
    view = graph([opaque("a"), unary("b"), opaque("c", nb_inputs=2)], [(0, 2, 0), (1, 2, 1)])
    assert ranges(view, inc_inputs=True) == {
        "input#0": "[0, 2)",
        "a": "[0, 3)",
        "b": "[1, 3) on input#0",
        "c": "[2, 3)",
    }


def test_a_node_that_runs_again_writes_a_new_value() -> None:
    view = chain(opaque("a"), opaque("b"))
    a, b = view.get_nodes()
    assert ranges(view, [a, b, a, b]) == {
        "a[0]": "[0, 2)",
        "a[1]": "[2, 4)",
        "b[0]": "[1, 2)",
        "b[1]": "[3, 4)",
    }


def test_a_value_waits_for_a_reader_that_lags_behind() -> None:
    view = chain(opaque("a"), opaque("b"))
    a, b = view.get_nodes()
    # One execution of b for two of a: it takes what both wrote.
    assert ranges(view, [a, a, b])["a[0]"] == "[0, 3)"
    # Two of b for each of a, the second one late.
    assert ranges(view, [a, b, a, b, b, b])["a[0]"] == "[0, 4)"


class PieceByPiece(ProdConso):
    """Gives one element at a time."""

    def get_required_memory(
        self, output_idx: int, inputs_size: Sequence[Sequence[int]] = ()
    ) -> Elts_t:
        return Elts_t.data_elts(1)


class PieceByPieceImpl(OperatorImpl):
    def get_prod_conso(self) -> ProdConso:
        return PieceByPiece(self.get_operator())


def test_an_output_written_piece_by_piece_is_one_value() -> None:
    view = chain(opaque("a", 1), opaque("stack", 3), reshape("v", 3), opaque("b"))
    a, stack, v, b = view.get_nodes()
    stack.get_operator().set_impl(PieceByPieceImpl(stack.get_operator()))
    assert ranges(view, [a, stack, a, stack, a, stack, v, b]) == {
        "a[0]": "[0, 2)",
        "a[1]": "[2, 4)",
        "a[2]": "[4, 6)",
        "stack": "[1, 7)",
        "v": "[6, 8) is stack",
        "b": "[7, 8)",
    }
    # While pieces are still to come a view would change under its reader.
    assert " is " not in ranges(view, [a, stack, v, a, stack, b])["v"]


def test_memorize_hands_on_one_value_after_the_other() -> None:
    loop = op("m", 2, nb_outputs=2, cp=CpModel.MEMORIZE, back_edges=(0,), attrs={"end_step": 2})
    view = graph([loop, unary("body"), opaque("last")], [(0, 1, 0, 1), (1, 0, 0), (0, 2, 0, 0)])
    m, body, last = view.get_nodes()
    # Of output 0, what nobody read before the next execution is gone.
    assert ranges(view, [m, body, m, body, m, last]) == {
        "m[0]": "[0, 1)",
        "m:1[0]": "[0, 2) is m[0]",
        "body[0]": "[1, 3) on m:1[0]",
        "m[1]": "[2, 3)",
        "m:1[1]": "[2, 4) is m[1]",
        "body[1]": "[3, 5) on m:1[1]",
        "m[2]": "[4, 6)",
        "m:1[2]": "[4, 5) is m[2]",
        "last": "[5, 6)",
    }


def test_names_stay_unique() -> None:
    view = graph(
        [op("a", nb_outputs=2), opaque("a:1"), opaque("end", nb_inputs=2)], [(0, 2), (1, 2)]
    )
    view.set_ordered_outputs([(view.get_node("a"), 1), (view.get_node("end"), 0)])
    assert list(ranges(view)) == ["a", "a:1", "a:1'", "end"]


def test_unknown_dims_are_named() -> None:
    view = chain(opaque("a"), opaque("b"))
    view.get_node("a").get_operator().get_output(0).clear()
    with pytest.raises(MemoryPlanError, match=r"a \(Op\), output#0: .*forward_dims"):
        ranges(view)


def test_unknown_dims_of_an_input_are_named() -> None:
    view = chain(opaque("a"), opaque("b"))
    view.get_node("a").get_operator().associate_input(0, Tensor())
    with pytest.raises(MemoryPlanError, match=r"a \(Op\), input#0: .*forward_dims"):
        ranges(view, inc_inputs=True)


def test_calls_grow_in_proportion_to_a_chain_that_works_in_place() -> None:
    def line(count: int) -> aidge_nb.GraphView:
        view = aidge_nb.sequential([aidge_nb.ReLU(name=f"r{i}") for i in range(count)])
        view.forward_dims([[1, 4]])
        return view

    few, many = line(200), line(400)
    orders = few.topological_order(), many.topological_order()
    once = calls_of(lambda: live_values(few, orders[0]))
    twice = calls_of(lambda: live_values(many, orders[1]))
    assert len(live_values(many, orders[1]).storages) == 1
    assert twice < 2.2 * once
