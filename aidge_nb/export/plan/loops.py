"""Loops of the forward function, and operators whose bytes depend on the turn of these loops.

The schedule's own nest counts Producers, which an exported program does not run, and other orders
than its own have none. So repetitions are looked for in the order itself.

Views, and operators that keep count of their executions, only move bytes. Which ones depends on the
execution; in a loop that is a sum of products of the loop's counter, and so is the address.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from aidge_nb.core.errors import ExportError
from aidge_nb.core.tensor import Tensor
from aidge_nb.export.plan import parts
from aidge_nb.export.plan.addresses import NOTHING, Addresses
from aidge_nb.export.plan.parts import Choice, Copy, Operand, Place, ProgramTensor, Zero
from aidge_nb.export.plan.stretches import copy_runs
from aidge_nb.graph.node import Node
from aidge_nb.graph.spec import CpModel
from aidge_nb.scheduling.schedule.nest import Repeat
from aidge_nb.scheduling.schedule.repetitions import find_sections

T = TypeVar("T", bound=Hashable)


def fold(order: Sequence[T]) -> tuple[T | Repeat[T], ...]:
    """Find the loops in a sequence.

    Examples
    --------
    >>> fold("abcbcbcd")
    ('a', Repeat(count=3, body=('b', 'c')), 'd')
    >>> fold("abbcabbc")
    (Repeat(count=2, body=('a', Repeat(count=2, body=('b',)), 'c')),)
    """
    numbers = {item: number for number, item in enumerate(dict.fromkeys(order))}
    if len(numbers) == len(order):
        return tuple(order)
    nest: list[T | Repeat[T]] = []
    keys = [(numbers[item], 0, 0) for item in order]
    for start, length, repeat, _ in find_sections(keys):
        body = order[start : start + length]
        if repeat == 1:
            nest += body
        else:
            nest.append(Repeat(repeat, fold(body)))
    return tuple(nest)


@dataclass(frozen=True, slots=True)
class Turn:
    """Which execution of its node a place in the nest is."""

    base: int  # its number in the first copy of all loops around it
    # by how much the number grows with each turn of these loops, the outermost first
    steps: tuple[int, ...] = ()
    counts: tuple[int, ...] = ()  # how often these loops turn

    @property
    def total(self) -> int:
        """How many executions it stands for."""
        found = 1
        for count in self.counts:
            found *= count
        return found

    @property
    def last(self) -> int:
        """The number of the last execution that it stands for."""
        return self.base + sum(
            step * (count - 1) for step, count in zip(self.steps, self.counts, strict=True)
        )

    @property
    def first_alone(self) -> bool:
        """Tell whether it stands for the first execution alone."""
        return self.base == 0 and self.total == 1

    @property
    def has_first(self) -> bool:
        """Tell whether it stands for the first execution, among others."""
        return self.base == 0


def turns(nest: Sequence[T | Repeat[T]]) -> Iterator[Turn]:
    """Walk over the leaves of a nest, loops not unrolled, and tell which execution each is.

    Examples
    --------
    >>> [str(turn.base) + str(turn.steps) for turn in turns(("a", Repeat(3, ("b", "a"))))]
    ['0()', '0(1,)', '1(1,)']
    """
    done: Counter[T] = Counter()

    def walk(items: Sequence[T | Repeat[T]], loops: tuple[Repeat[T], ...]) -> Iterator[Turn]:
        for item in items:
            if isinstance(item, Repeat):
                before = Counter(done)
                yield from walk(item.body, (*loops, item))
                each = done - before
                for key, count in each.items():
                    done[key] = before[key] + count * item.count
            else:
                steps = tuple(_count(loop.body, item) for loop in loops)
                yield Turn(done[item], steps, tuple(loop.count for loop in loops))
                done[item] += 1

    yield from walk(nest, ())


def _count(items: Sequence[T | Repeat[T]], wanted: T) -> int:
    """Count a leaf in a nest, loops unrolled."""
    return sum(
        item.count * _count(item.body, wanted) if isinstance(item, Repeat) else item == wanted
        for item in items
    )


Action = Copy | Zero
"""A step that moves bytes and computes nothing."""


def moves(addresses: Addresses, node: Node, turn: Turn) -> tuple[Action, ...] | None:
    """Return what such an operator does; None for operators that compute."""
    operator = node.get_operator()
    if addresses.is_in_place_already(node):
        return ()
    if operator.spec.is_view:
        return _view(addresses, node)
    if operator.spec.cp is CpModel.POP:
        return _pop(addresses, node, turn)
    if operator.spec.cp is CpModel.STACK:
        return _stack(addresses, node, turn)
    if operator.spec.cp is CpModel.MEMORIZE:
        return _memorize(addresses, node, turn)
    if node.type() == "Select":
        return _select(addresses, node)
    return None


def written(addresses: Addresses, node: Node, turn: Turn) -> tuple[Operand, ...]:
    """Return the outputs that a node wrote; of one that it fills bit by bit, what it wrote now."""
    found = []
    symbol = addresses.symbol_of(node)
    for index in range(node.get_nb_outputs()):
        place = addresses.of_output(node, index)
        if node.type() == "Producer":
            value = ProgramTensor(symbol, node.name(), *addresses.type_of(place))
            found.append(Operand(0, value, place, value.nbytes))
            continue
        tensor = node.get_operator().get_output(index)
        size, dims = tensor.nbytes, tuple(tensor.dims)
        if place.kind == "spread":
            found += _stretches(addresses, node, index, turn)
        if place.kind != "arena":
            continue
        if node.get_operator().spec.cp is CpModel.STACK:
            size, dims = size // max(1, dims[0]), dims[1:]
            place = _at(place, turn, size)
        label = node.name() or node.type()
        name = label if node.get_nb_outputs() == 1 else f"{label}:{index}"
        last = (node, index) in addresses.last
        buffer = addresses.buffers[addresses.node_names[node], index]
        value = ProgramTensor(
            symbol if index == 0 else f"{symbol}_{index}",
            name,
            tensor.dtype,
            dims,
            last,
            buffer.value.by_rows,
        )
        found.append(Operand(index, value, place, size, buffer.levels))
    return tuple(found)


def _stretches(addresses: Addresses, node: Node, index: int, turn: Turn) -> Iterator[Operand]:
    """Return what a node wrote now of an output that lies in stretches, one after the other."""
    operator = node.get_operator()
    tensor = operator.get_output(index)
    first, size, whole = 0, tensor.nbytes, tuple(tensor.dims)
    if operator.spec.cp is CpModel.STACK:
        size, whole = size // max(1, whole[0]), whole[1:]
        first = turn.base * size
    spread = addresses.there(addresses.of_output(node, index), written=True)
    symbol, name = addresses.symbol_of(node), node.name() or node.type()
    for length, stretch, offset in spread.runs(first, size):
        place = addresses.place_of(stretch)
        value = ProgramTensor(symbol, name, tensor.dtype, whole)
        start = stretch.first + offset - first
        yield Operand(index, value, _moved(place, offset), length, start=start)


def spread_moves(
    addresses: Addresses, node: Node, actions: Sequence[Action]
) -> tuple[parts.Action, ...]:
    """Let what moves bytes find them in their stretches; raise ExportError if they are not there.

    What is moved to a ring is the piece that is written now.
    """
    found: list[parts.Action] = []
    for action in actions:
        places = [action.target, *([action.source] if isinstance(action, Copy) else [])]
        if all(place.kind != "spread" for place in places):
            found.append(action)
            continue
        target, size = action.target, action.size
        there = [(target, 0, size)]
        if target.kind == "spread":
            there = [
                (_moved(addresses.place_of(each), offset), each.first + offset - target.offset, n)
                for n, each, offset in addresses.there(target, written=True).runs(
                    target.offset, size
                )
            ]
        for place, begin, length in there:
            if isinstance(action, Zero):
                found.append(Zero(place, length))
                continue
            source = _moved(action.source, begin)
            have = [(length, source)]
            if source.kind == "spread":
                have = [
                    (n, _moved(addresses.place_of(each), offset))
                    for n, each, offset in addresses.there(source).runs(source.offset, length)
                ]
            found += copy_runs(node.label, [(length, place)], have, action.when)
    return tuple(found)


def _moved(place: Place, offset: int) -> Place:
    return replace(place, offset=place.offset + offset)


def _copy(target: Place, source: Place, size: int, turn: str = "") -> tuple[Action, ...]:
    if target in (NOTHING, source) or not size:
        return ()
    if source == NOTHING:
        return (Zero(target, size, turn),)
    return (Copy(target, source, size, turn),)


def _view(addresses: Addresses, node: Node) -> tuple[Action, ...]:
    """Move nothing where the plan lets both be the same bytes."""
    target, source = addresses.of_output(node, 0), addresses.of_input(node, 0)
    if addresses.same_bytes(target, source):
        return ()
    return _copy(target, source, node.get_operator().get_output(0).nbytes)


def _at(place: Place, turn: Turn, size: int) -> Place:
    """Go to the slice that belongs to an execution."""
    strides = tuple(step * size for step in turn.steps)
    return Place(place.kind, place.name, place.offset + turn.base * size, strides)


def _check_slices(node: Node, turn: Turn, tensor: Tensor | None) -> None:
    """Refuse more executions than there are slices: that would reach beyond the end."""
    slices = 0 if tensor is None else tensor.dims[0]
    if turn.last >= slices:
        raise ExportError.at(
            node.label,
            "runs more often than there are slices",
            expected=f"at most {slices} executions",
            found=turn.last + 1,
        )


def _pop(addresses: Addresses, node: Node, turn: Turn) -> tuple[Action, ...]:
    _check_slices(node, turn, node.get_operator().get_input(0))
    size = node.get_operator().get_output(0).nbytes
    source = _at(addresses.of_input(node, 0), turn, size)
    return _copy(addresses.of_output(node, 0), source, size)


def _stack(addresses: Addresses, node: Node, turn: Turn) -> tuple[Action, ...]:
    tensor = node.get_operator().get_output(0)
    _check_slices(node, turn, tensor)
    size = tensor.nbytes // tensor.dims[0]
    target = _at(addresses.of_output(node, 0), turn, size)
    return _copy(target, addresses.of_input(node, 0), size)


def _memorize(addresses: Addresses, node: Node, turn: Turn) -> tuple[Action, ...]:
    found: tuple[Action, ...] = ()
    later, first = addresses.of_input(node, 0), addresses.of_input(node, 1)
    targets = [addresses.of_output(node, index) for index in range(node.get_nb_outputs())]
    for index, target in enumerate(targets):
        if any(addresses.same_bytes(target, other) for other in targets[:index]):
            continue  # both outputs are one value, and may lie in one place
        size = node.get_operator().get_output(index).nbytes
        if turn.first_alone:
            found += _copy(target, first, size)
        elif not turn.has_first:
            found += () if addresses.same_bytes(target, later) else _copy(target, later, size)
        else:
            found += _copy(target, first, size, "first")
            if not addresses.same_bytes(target, later):
                found += _copy(target, later, size, "later")
    return found


def _select(addresses: Addresses, node: Node) -> tuple[Action, ...]:
    target, condition = addresses.of_output(node, 0), addresses.of_input(node, 0)
    tensor = node.get_operator().get_input(0)
    size = node.get_operator().get_output(0).nbytes
    found: list[Action] = []
    for index in range(1, node.get_nb_inputs()):
        source = addresses.of_input(node, index)
        if tensor is not None and not addresses.same_bytes(target, source):
            choice = Choice(condition, tensor.dtype, index - 1)
            found += [
                Copy(each.target, each.source, each.size, when=choice)
                for each in _copy(target, source, size)
                if isinstance(each, Copy)
            ]
    return tuple(found)
