"""What is written over a part of a value, while other parts of it are still needed."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import pytest

from aidge_nb import ops
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.graph import GraphView, Node
from aidge_nb.memory import Buffer, MemoryPlan, check_plan, check_replay, live_values, plan_memory
from aidge_nb.memory.live.sharing import has_parts

ROWS = 6


def cut(name: str, start: int, stop: int) -> Node:
    return ops.Slice([start], [stop], [1], [1], name=name)


class Tiled:
    """A layer cut into stripes of two rows each: slice, operator, slice, operator, …, Concat."""

    def __init__(self, work: Callable[[str], Node] = ops.ReLU, halo: int = 0) -> None:
        self.source = ops.Tanh(name="source")
        self.last = ops.Softmax(1, name="last")
        self.join = ops.Concat(3, 1, name="join")
        self.slices, self.tiles = list[Node](), list[Node]()
        self.nodes = [self.source]
        for number, start in enumerate(range(0, ROWS, 2)):
            piece = cut(f"slice{number}", max(0, start - halo), min(start + 2 + halo, ROWS))
            tile = work(f"tile{number}")
            self.source.add_child(piece)
            piece.add_child(tile)
            tile.add_child(self.join, 0, number)
            self.slices.append(piece)
            self.tiles.append(tile)
            self.nodes += [piece, tile]
        self.join.add_child(self.last)
        self.nodes += [self.join, self.last]

    def view(self) -> GraphView:
        view = GraphView("tiled")
        view.add(self.nodes, True)
        assert view.forward_dims([[2, ROWS, 4]], True)
        view.set_backend("cpu")
        return view

    def planned(self, **options: Any) -> tuple[GraphView, MemoryPlan]:
        view = self.view()
        plan = plan_memory(view, self.nodes, parts=True, **options)
        check_plan(plan)
        check_replay(plan, view, self.nodes)
        return view, plan


WHOLE = 2 * ROWS * 4 * 4


def by_name(plan: MemoryPlan) -> dict[str, Buffer]:
    return {buffer.name: buffer for buffer in plan.buffers}


def changed(plan: MemoryPlan, **buffers: Buffer) -> MemoryPlan:
    return replace(plan, buffers=tuple(buffers.get(b.name, b) for b in plan.buffers))


def test_all_tiles_lie_over_what_they_are_computed_from() -> None:
    tiled = Tiled()
    _, plan = tiled.planned()
    found = by_name(plan)
    for number in range(3):
        tile, piece = found[f"tile{number}"], found[f"slice{number}"]
        assert (tile.in_place_of, piece.view_of) == ((piece.name,), "source")
        assert tile.part == piece.part
    assert found["join"].made_of == ("tile0", "tile1", "tile2")
    assert found["join"].part == found["source"].part
    # The layer itself takes one tensor; softmax, which may not overwrite, needs another one.
    assert plan.peak == plan.lower_bound == 2 * WHOLE
    assert plan.live_bytes()[:-1] == (WHOLE,) * (len(plan.order) - 1)


def test_nothing_is_overwritten_unless_wanted() -> None:
    _, plan = Tiled().planned(in_place=False)
    assert not any(buffer.in_place_of for buffer in plan.buffers)
    assert max(plan.live_bytes()[:-1]) > WHOLE


def test_in_one_piece_only_where_it_is_one() -> None:
    """Stripes of rows in two samples are scattered: they are copied."""
    _, plan = Tiled().planned(contiguous=True)
    assert not any(buffer.levels for buffer in plan.buffers)
    assert not any(buffer.view_of for buffer in plan.buffers)


def test_operators_that_may_not_overwrite_do_not() -> None:
    _, plan = Tiled(lambda name: ops.Softmax(2, name=name)).planned()
    assert by_name(plan)["join"].made_of
    assert not any(buffer.in_place_of for buffer in plan.buffers)


def also_read(tiled: Tiled, node: Node, at: int) -> None:
    """Add a reader, whose result the graph gives."""
    reader = ops.Tanh("reader")
    node.add_child(reader)
    tiled.nodes.insert(at, reader)


def lies_as_without(plan: MemoryPlan) -> None:
    """See that no tile lies over a part, and that the result is where the tiles are."""
    found = by_name(plan)
    over = [name for each in range(3) for name in found[f"tile{each}"].in_place_of]
    assert not any(found[name].view_of for name in over)
    assert found["join"].made_of == ("tile0", "tile1", "tile2")


@pytest.mark.parametrize("at", [3, 5, 7, 9])
def test_a_later_reader_of_all_keeps_all(at: int) -> None:
    """Then no tile may lie there, and the result lies where it would without any of this."""
    tiled = Tiled()
    also_read(tiled, tiled.source, at)
    lies_as_without(tiled.planned()[1])


def test_an_earlier_reader_of_all_is_in_nobodys_way() -> None:
    tiled = Tiled()
    also_read(tiled, tiled.source, 1)
    assert by_name(tiled.planned()[1])["tile0"].in_place_of == ("slice0",)


@pytest.mark.parametrize("number", range(3))
def test_if_one_tile_cannot_none_does(number: int) -> None:
    """A slice that is read again later: its tile lies elsewhere, and so must the result."""
    tiled = Tiled()
    also_read(tiled, tiled.slices[number], 8)
    lies_as_without(tiled.planned()[1])


def test_a_source_that_the_graph_gives_is_kept() -> None:
    tiled = Tiled()
    view = tiled.view()
    view.set_ordered_outputs([(tiled.last, 0), (tiled.source, 0)])
    plan = plan_memory(view, tiled.nodes, parts=True)
    check_replay(plan, view, tiled.nodes)
    lies_as_without(plan)


def test_slices_that_meet_later_ones_are_left_alone() -> None:
    """With a halo, what a later tile needs may not be overwritten."""
    tiled = Tiled(halo=1)
    view = tiled.view()
    live = live_values(view, tiled.nodes, without_copy=has_parts(tiled.nodes))
    values = {value.name: value for storage in live.storages for value in storage.values}
    over = {name for name, value in values.items() if value.in_place_of}
    assert over <= {"tile2"}


def test_one_after_the_other_within_a_tile() -> None:
    tiled = Tiled()
    for number, tile in enumerate(tiled.tiles):
        more = ops.Sigmoid(name=f"more{number}")
        tile.remove_child(tiled.join)
        tile.add_child(more)
        more.add_child(tiled.join, 0, number)
        tiled.nodes.insert(tiled.nodes.index(tile) + 1, more)
    view, plan = tiled.planned()
    assert max(plan.live_bytes()[:-1]) == WHOLE
    assert by_name(plan)["more1"].in_place_of == ("tile1",)
    assert len(view.get_ordered_outputs()) == 1


@pytest.mark.parametrize("kept", ["left", "right", "neither"])
def test_tiles_of_two_inputs_take_the_one_that_goes(kept: str) -> None:
    """The first one, if both go; all tiles take the same."""
    left, right = ops.Tanh("left"), ops.Tanh("right")
    join, last = ops.Concat(2, 1, "join"), ops.Softmax(1, name="last")
    nodes = [left, right]
    for number in range(2):
        add, pieces = ops.Add(f"add{number}"), []
        for index, whole in enumerate((left, right)):
            piece = cut(f"{whole.name()}{number}", 3 * number, 3 * number + 3)
            whole.add_child(piece)
            piece.add_child(add, 0, index)
            pieces.append(piece)
        add.add_child(join, 0, number)
        nodes += [*pieces, add]
    join.add_child(last)
    nodes += [join, last]
    if kept != "neither":
        reader = ops.Tanh("reader")
        {"left": left, "right": right}[kept].add_child(reader)
        nodes.append(reader)
    view = GraphView("two")
    view.add(nodes, True)
    assert view.forward_dims([[2, ROWS, 4], [2, ROWS, 4]], True)
    plan = plan_memory(view, nodes, parts=True)
    check_plan(plan)
    check_replay(plan, view, nodes)
    found = by_name(plan)
    taken = "right" if kept == "left" else "left"
    assert [found[f"add{n}"].in_place_of for n in range(2)] == [(f"{taken}0",), (f"{taken}1",)]
    assert found["join"].part == found[taken].part


def test_parts_put_together_again_are_what_they_were_cut_from() -> None:
    """Slices that nobody changes, in a Concat: no byte moves."""
    tiled = Tiled()
    join = ops.Concat(3, 1, name="join")
    for number, piece in enumerate(tiled.slices):
        piece.remove_child(tiled.tiles[number])
        piece.add_child(join, 0, number)
    last = ops.Softmax(1, name="last")
    join.add_child(last)
    nodes = [tiled.source, *tiled.slices, join, last]
    view = GraphView("again")
    view.add(nodes, True)
    assert view.forward_dims([[2, ROWS, 4]], True)
    plan = plan_memory(view, nodes, parts=True)
    check_plan(plan)
    check_replay(plan, view, nodes)
    assert by_name(plan)["join"].made_of == ("slice0", "slice1", "slice2")
    assert plan.peak == 2 * WHOLE


# --- wrong plans ----------------------------------------------------------------------------------


def over_parts() -> tuple[Tiled, GraphView, MemoryPlan]:
    tiled = Tiled()
    view, plan = tiled.planned()
    return tiled, view, plan


def refused(plan: MemoryPlan, view: GraphView, order: Sequence[Node]) -> str:
    """Give the message of the checker that finds a mistake first."""
    try:
        check_plan(plan)
        check_replay(plan, view, order)
    except MemoryPlanError as error:
        return str(error)
    return "nothing is found"


def test_a_tile_that_was_shifted_is_found() -> None:
    tiled, view, plan = over_parts()
    tile = by_name(plan)["tile1"]
    wrong = changed(plan, tile1=replace(tile, offset=tile.offset + 16))
    message = refused(wrong, view, tiled.nodes)
    assert message.startswith("buffer join: its parts do not fill it")


@pytest.mark.parametrize("by", [4, -4])
def test_a_tile_that_does_not_lie_quite_over_its_slice_is_found(by: int) -> None:
    """The Concat copies here, so that only the tile itself is wrong."""
    tiled, view, plan = over_parts()
    found = by_name(plan)
    join = replace(found["join"], offset=plan.peak, made_of=(), levels=())
    bound = plan.peak + 2 * WHOLE
    apart = replace(changed(plan, join=join), peak=bound, lower_bound=bound)
    wrong = changed(apart, tile1=replace(found["tile1"], offset=found["tile1"].offset + by))
    message = refused(wrong, view, tiled.nodes)
    assert "tile1" in message
    other = "tile0" if by < 0 else "source"
    assert other in message, message


def test_tiles_that_changed_places_are_found() -> None:
    """Each with its slice: only what Slice cuts out tells that they are wrong."""
    tiled, view, plan = over_parts()
    found = by_name(plan)
    wrong = changed(
        plan,
        slice1=replace(found["slice1"], offset=found["slice2"].offset),
        tile1=replace(found["tile1"], offset=found["slice2"].offset),
        slice2=replace(found["slice2"], offset=found["slice1"].offset),
        tile2=replace(found["tile2"], offset=found["slice1"].offset),
    )
    message = refused(wrong, view, tiled.nodes)
    assert message.startswith(
        "tick 3, slice1 (Slice): buffer slice1 is a part of source, but lies elsewhere"
    )


def test_a_result_that_is_put_together_otherwise_is_found() -> None:
    tiled, view, plan = over_parts()
    found = by_name(plan)
    wrong = changed(plan, join=replace(found["join"], made_of=("tile1", "tile0", "tile2")))
    message = refused(wrong, view, tiled.nodes)
    assert "join (Concat): buffer join is made of tile1, tile0, tile2, which are not" in message


@pytest.mark.parametrize("tick", [3, 5, 7])
def test_a_later_reader_of_what_is_overwritten_is_found(tick: int) -> None:
    """A plan for another graph, in which nobody reads all of the source later."""
    tiled, _, plan = over_parts()
    also_read(tiled, tiled.source, tick)
    view = tiled.view()
    end = len(plan.order) + 1

    def later(at: int) -> int:
        return at + (at >= tick)

    buffers = [replace(b, lower=later(b.lower), upper=later(b.upper - 1) + 1) for b in plan.buffers]
    late = Buffer("reader", "reader", 0, WHOLE, tick, end, plan.peak)
    source = replace(buffers[0], upper=max(buffers[0].upper, tick + 1))
    order = (*plan.order[:tick], "reader", *plan.order[tick:])
    bound = plan.peak + WHOLE
    made = (source, *buffers[1:], late)
    wrong = MemoryPlan(order, tuple(sorted(made, key=lambda b: b.lower)), bound, bound)
    message = refused(wrong, view, tiled.nodes)
    first = "tile0" if tick < 8 else "join"
    if tick == 7:  # nothing but the reader asks for the source then
        assert message.startswith(f"buffers source and {first}: overlap at tick")
    else:
        assert f"tick {tick}, input#0 of reader" in message
        assert "buffer source was overwritten (expected source, found tile0)" in message


def test_a_part_that_is_needed_later_is_found() -> None:
    """A slice that lives on and meets the tile of another one."""
    tiled, view, plan = over_parts()
    found = by_name(plan)
    piece = found["slice0"]
    wrong = changed(plan, slice0=replace(piece, upper=piece.upper + 2))
    assert refused(wrong, view, tiled.nodes).startswith("buffers slice0 and tile0: overlap at tick")


def test_more_than_a_part_is_not_taken() -> None:
    """A tile that says it lies over its slice, and lies over the next one as well."""
    tiled, view, plan = over_parts()
    found = by_name(plan)
    wrong = changed(plan, tile0=replace(found["tile0"], offset=found["slice1"].offset))
    assert "tile0" in refused(wrong, view, tiled.nodes)


def test_what_is_made_of_the_same_parts_may_lie_at_one_place() -> None:
    """Two Concats of the same values are one; but not with what is made of others."""
    view = GraphView("twice")
    first, second = ops.Tanh("a"), ops.Softmax(1, name="b")
    whole = [ops.Concat(2, 1, name) for name in ("one", "two")]
    source = ops.Tanh("in")
    for node in (first, second):
        source.add_child(node, 0, 0)
    for concat in whole:
        first.add_child(concat, 0, 0)
        second.add_child(concat, 0, 1)
    view.add([source, first, second, *whole])
    view.forward_dims([[1, 4, 6]])
    order = view.topological_order()
    plan = plan_memory(view, order, parts=True)
    check_plan(plan)
    one, two = (next(b for b in plan.buffers if b.node == name) for name in ("one", "two"))
    assert (one.offset, one.made_of) == (two.offset, two.made_of)
    wrong = tuple(replace(b, made_of=()) if b.node == "two" else b for b in plan.buffers)
    with pytest.raises(MemoryPlanError, match="and two: overlap at tick 4"):
        check_plan(replace(plan, buffers=wrong))
