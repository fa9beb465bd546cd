"""The cost of layers on arrays: ZigZag's answers, a simulation of each loop, and refusals."""

from __future__ import annotations

import json
from dataclasses import replace
from itertools import pairwise
from math import ceil, prod
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.core.errors import HardwareError
from aidge_nb.graph.node import Node
from aidge_nb.hardware import (
    ArrayLayer,
    ArrayMachine,
    ArrayMapping,
    ArrayMemory,
    ArrayPort,
    Operand,
    array_layer,
    fill_mapping,
    layer_cost,
    tpu_like,
)
from aidge_nb.hardware.array_cycles import _covered
from aidge_nb.hardware.array_moves import borders

ANSWERS = {
    f"{path.stem}{answer['layer']}": answer
    for path in sorted((Path(__file__).parent / "zigzag").glob("*.json"))
    for answer in json.loads(path.read_text(encoding="utf-8"))
}
SPATIAL = (("D1", "K", 32), ("D2", "C", 32))


def layer_like(answer: dict[str, Any]) -> ArrayLayer:
    """Build the layer of an answer as a node, and describe it."""
    sizes = answer["sizes"]
    if "FX" not in sizes:
        return array_layer(with_dims(aidge_nb.FC(sizes["C"], sizes["K"], name="fc"), 1), 8, 16)
    kernel, stride = [sizes["FY"], sizes["FX"]], answer["strides"]
    pads = [sizes["FY"] // 2, sizes["FX"] // 2] * 2
    conv = aidge_nb.PaddedConv2D(sizes["C"], sizes["K"], kernel, "conv", stride, pads)
    space = [sizes["OY"] * stride[0], sizes["OX"] * stride[1]]
    return array_layer(with_dims(conv, 1, sizes["C"], *space), 8, 16)


def with_dims(node: Node, *dims: int) -> Node:
    view = aidge_nb.sequential([node])
    source = list(dims)
    if node.type() == "FC":
        source.append(read(node, 1).dims[1])
    assert view.forward_dims([source])
    return node


def read(node: Node, index: int) -> aidge_nb.Tensor:
    tensor = node.get_operator().get_input(index)
    assert tensor is not None
    return tensor


@pytest.mark.parametrize("answer", ANSWERS.values(), ids=ANSWERS)
def test_zigzag_says_the_same_of_each_layer_of_resnet18(answer: dict[str, Any]) -> None:
    held = {name: tuple(ends) for name, ends in answer["held"].items()}
    spatial, temporal = (tuple(map(tuple, answer[each])) for each in ("spatial", "temporal"))
    mapping = ArrayMapping(spatial, temporal, held)
    layer = layer_like(answer)
    assert {loop: turns for loop, turns in layer.sizes.items() if turns > 1} == {
        loop: turns for loop, turns in answer["sizes"].items() if turns > 1
    }
    cost = layer_cost(layer, tpu_like(), mapping)
    assert cost.energy == pytest.approx(answer["energy"], rel=1e-4)
    # 1000 results take 31.25 of 32 units on average; ZigZag counts the cycles of 31.
    is_full = all(answer["sizes"][loop] % at_once == 0 for _, loop, at_once in spatial)
    assert cost.cycles == pytest.approx(answer["cycles"], rel=1e-9 if is_full else 0.05)
    # A port has no room for two loads at once: it takes longer, and no more than both.
    in_turn = layer_cost(layer, tpu_like(), mapping, loads_overlap=False)
    assert cost.load <= in_turn.load <= 2 * cost.load
    assert in_turn.energy == cost.energy


def small_machine(room: int = 1 << 20, bits: int = 1 << 12) -> ArrayMachine:
    """Give one unit with a register for each operand, and a memory for everything."""
    ways = {"W": ("fill", "feed"), "I": ("fill", "feed"), "O": ("fill", "feed", "collect", "flush")}
    registers = tuple(
        ArrayMemory(
            f"of {name}", room, 1, 1, tuple(ArrayPort(way, bits, ((name, way),)) for way in ways_)
        )
        for name, ways_ in ways.items()
    )
    uses = tuple((name, way) for name, ways_ in ways.items() for way in ways_)
    port = ArrayPort("inout", 1 << 12, uses)
    return ArrayMachine("one", {}, 1, (*registers, ArrayMemory("all", 1 << 40, 10, 10, (port,))))


def small_layer(sizes: dict[str, int], stride: int = 1) -> ArrayLayer:
    window = (("OY", stride), ("FY", 1))
    weights = Operand("W", ((("K", 1),), (("C", 1),), (("FY", 1),)), 8)
    source = Operand("I", ((("C", 1),), window), 8)
    result = Operand("O", ((("K", 1),), (("OY", 1),)), 8)
    return ArrayLayer("conv", sizes, (weights, source), result)


@st.composite
def nests(draw: st.DrawFn) -> tuple[ArrayLayer, ArrayMapping]:
    sizes = {loop: draw(st.integers(1, 4), label=loop) for loop in ("K", "C", "OY", "FY")}
    order = draw(st.permutations(list(sizes)))
    temporal = tuple((loop, sizes[loop]) for loop in order if sizes[loop] > 1)
    ends = st.integers(0, len(temporal))
    held: dict[str, tuple[int, ...]] = {name: (draw(ends),) for name in "WIO"}
    return small_layer(sizes, draw(st.integers(1, 3))), ArrayMapping((), temporal, held)


def blocks(layer: ArrayLayer, mapping: ArrayMapping, operand: Operand, end: int) -> list[set[Any]]:
    """Run all loops; list what an operand needs in each turn of the loops outside, in order."""
    inner = prod(turns for _, turns in mapping.temporal[:end])
    found: list[set[Any]] = []
    for cycle in range(mapping.cycles):
        place, rest = {}, cycle
        for loop, turns in mapping.temporal:
            rest, place[loop] = divmod(rest, turns)
        if cycle % inner == 0:
            found.append(set())
        found[-1].add(
            tuple(sum(step * place.get(loop, 0) for loop, step in axis) for axis in operand.indices)
        )
    return found


@given(nests())
@settings(max_examples=80)
def test_each_move_is_one_of_a_run_of_all_loops(nest: tuple[ArrayLayer, ArrayMapping]) -> None:
    layer, mapping = nest
    for operand in layer.operands:
        outer = borders(layer, small_machine(), mapping, operand)[1]
        needed = blocks(layer, mapping, operand, mapping.held[operand.name][0])
        changes = 1 + sum(one != other for one, other in pairwise(needed))
        # Rows that one turn reads may be, by chance, those that the next one reads.
        assert outer.times >= changes if operand.name == "I" else outer.times == changes
        assert {len(each) for each in needed} == {outer.held}
        assert outer.times * outer.period == mapping.cycles
    result = borders(layer, small_machine(), mapping, layer.output)
    assert result[1].is_partial == (len(needed_again(layer, mapping)) > 0)


def needed_again(layer: ArrayLayer, mapping: ArrayMapping) -> set[Any]:
    """List the sums that come back into the register after they have left it."""
    end, seen, back = mapping.held["O"][0], set[Any](), set[Any]()
    before: set[Any] = set()
    for each in blocks(layer, mapping, layer.output, end):
        back |= (each - before) & seen
        seen |= each
        before = each
    return back


@given(nests(), st.integers(3, 9))
@settings(max_examples=40)
def test_wider_ports_and_more_memory_never_take_longer(
    nest: tuple[ArrayLayer, ArrayMapping], bits: int
) -> None:
    layer, mapping = nest
    narrow = layer_cost(layer, small_machine(bits=1 << bits), mapping)
    wide = layer_cost(layer, small_machine(bits=1 << bits + 1), mapping)
    assert wide.cycles <= narrow.cycles
    assert wide.energy <= narrow.energy
    assert narrow.cycles >= narrow.compute == mapping.cycles


@given(
    st.lists(st.integers(1, 4), min_size=1, max_size=4),
    st.lists(st.integers(1, 99), min_size=4, max_size=4),
    st.integers(1, 3),
)
def test_open_windows_are_counted_as_by_hand(
    factors: list[int], lengths: list[int], repeats: int
) -> None:
    periods = [prod(factors[: end + 1]) for end in range(len(factors))]
    windows = [
        (period, 1 + length % period) for period, length in zip(periods, lengths, strict=False)
    ]
    cycles = periods[-1] * repeats
    by_hand = sum(any(at % period < open_ for period, open_ in windows) for at in range(cycles))
    assert _covered(windows, cycles) == by_hand


@pytest.mark.parametrize(
    ("node", "dims"),
    [
        (aidge_nb.Conv2D(4, 6, [3, 2], "conv", stride_dims=[2, 1]), (2, 4, 9, 8)),
        (aidge_nb.PaddedConv2D(4, 6, [3, 3], "conv", [1, 1], [1] * 4), (1, 4, 8, 8)),
        (aidge_nb.ConvDepthWise2D(5, [3, 3], "conv"), (2, 5, 8, 8)),
        (aidge_nb.FC(12, 7, name="fc"), (3,)),
    ],
    ids=["strides", "padding", "depthwise", "FC"],
)
def test_a_node_becomes_loops_with_its_own_number_of_macs(
    node: Node, dims: tuple[int, ...]
) -> None:
    layer = array_layer(with_dims(node, *dims))
    assert layer.macs == node.get_operator().macs()
    operator = node.get_operator()
    assert layer.output.elements(layer.sizes) == operator.get_output(0).size
    weights, source = layer.inputs
    assert weights.elements(layer.sizes) == read(node, 1).size
    assert source.elements(layer.sizes) <= read(node, 0).size


@pytest.mark.parametrize(
    ("left", "right", "groups"), [((4, 3, 6), (6, 5), 1), ((4, 3, 6), (4, 6, 5), 4)]
)
def test_a_product_of_matrices_shares_one_or_has_many(
    left: tuple[int, ...], right: tuple[int, ...], groups: int
) -> None:
    node = aidge_nb.MatMul(name="product")
    view = aidge_nb.GraphView()
    view.add(node)
    assert view.forward_dims([list(left), list(right)])
    layer = array_layer(node)
    assert layer.sizes["G"] == groups
    assert layer.macs == node.get_operator().macs() == 4 * 3 * 6 * 5


@pytest.mark.parametrize("turned", [False, True])
def test_a_factor_of_a_product_may_be_transposed(turned: bool) -> None:
    node = aidge_nb.Gemm(6, 5, transA=turned, name="product")
    assert aidge_nb.sequential([node]).forward_dims([[6, 3] if turned else [3, 6]])
    layer = array_layer(node)
    assert (layer.sizes["B"], layer.sizes["C"], layer.sizes["K"]) == (3, 6, 5)
    assert layer.macs == node.get_operator().macs()


def convolution() -> ArrayLayer:
    conv = aidge_nb.PaddedConv2D(64, 40, [3, 3], "conv", [1, 1], [1] * 4)
    return array_layer(with_dims(conv, 1, 64, 28, 28), 8, 16)


def test_loops_that_do_not_matter_inside_save_energy() -> None:
    """Weights stay while all places of the result pass; sums stay while they are added up."""
    layer, machine = convolution(), tpu_like()
    costs = {
        order: layer_cost(layer, machine, fill_mapping(layer, machine, SPATIAL, order.split()))
        for order in ("OX OY FX FY C K", "C FX FY OX OY K", "K C FX FY OX OY")
    }
    weights, sums, neither = costs.values()
    assert weights.energy_of("weights", "W") < sums.energy_of("weights", "W") / 100
    assert sums.energy_of("buffer", "O") < weights.energy_of("buffer", "O")
    assert weights.mac_energy == sums.mac_energy == neither.mac_energy
    assert 0 < sums.use <= 64 * 40 / (64 * 64)
    assert sums.energy == pytest.approx(
        sums.mac_energy + sum(sums.energy_of(memory.name) for memory in machine.memories)
    )


def test_filled_memories_are_full_and_hold_what_they_should() -> None:
    layer, machine = convolution(), tpu_like()
    mapping = fill_mapping(layer, machine, SPATIAL, ("C", "FX", "FY", "OX", "OY", "K"))
    for operand in layer.operands:
        for memory, border in zip(
            machine.levels(operand.name),
            borders(layer, machine, mapping, operand)[1:],
            strict=False,
        ):
            assert ceil(border.held) <= memory.size
    more = {**mapping.held, "O": (mapping.held["O"][0] + 1, *mapping.held["O"][1:])}
    with pytest.raises(HardwareError, match="accumulators: does not hold that much"):
        layer_cost(layer, machine, replace(mapping, held=more))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"spatial": (("D3", "K", 40),)}, "no dimension D3; it has D1, D2"),
        ({"spatial": (("D1", "K", 40), ("D2", "C", 32))}, "40 units along D1, which has 32"),
        ({"spatial": (("D1", "Z", 4),)}, "Z is no loop of the layer; its loops are B, G, K, C"),
        ({"spatial": (("D1", "K", 0),)}, "loop K has 0 turns; 1 is the least"),
        ({"temporal": (("K", 2),)}, "loop C of 64 turns, 32 at once, needs 2 in time and has 1"),
        ({"held": {"W": (0,), "I": (0,)}}, r"held\['O'\] is one number for each of accumulators"),
        ({"held": {"W": (99,), "I": (0,), "O": (0, 0)}}, r"held\['W'\] counts loops"),
        ({"held": {"W": (0,), "I": (0,), "O": (3, 1)}}, "never falls"),
    ],
)
def test_a_mapping_that_cannot_be_says_what_could(change: dict[str, Any], message: str) -> None:
    layer = convolution()
    mapping = fill_mapping(layer, tpu_like(), SPATIAL, "C")
    with pytest.raises(HardwareError, match=message):
        layer_cost(layer, tpu_like(), replace(mapping, **change))


@pytest.mark.parametrize("order", ["CC", "CZ"])
def test_an_order_names_loops_once(order: str) -> None:
    with pytest.raises(HardwareError, match="expected some of B, G, K, C, OY, OX, FY, FX, each"):
        fill_mapping(convolution(), tpu_like(), SPATIAL, order)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"dims": {"D1": 0, "D2": 4}}, "tpu_like/D1: needs 1 unit or more"),
        ({"systolic": ("D9",)}, "D9: is systolic, and no dimension"),
        ({"memories": ()}, "has no memory"),
        ({"memories": (ArrayMemory("m", 0, 1, 1, ()),)}, "m: needs 1 byte or more"),
        ({"memories": (ArrayMemory("m", 1, -1, 1, ()),)}, "costs less than nothing"),
        ({"memories": (ArrayMemory("m", 1, 1, 1, (), ("X",)),)}, "serves X; dimensions are D1"),
        ({"memories": (ArrayMemory("m", 1, 1, 1, ()),) * 2}, "is the name of two memories"),
        (
            {"memories": (ArrayMemory("m", 1, 1, 1, (ArrayPort("p", 0, ()),)),)},
            "m/p: moves 0 bits per cycle",
        ),
        (
            {"memories": (ArrayMemory("m", 1, 1, 1, (ArrayPort("p", 8, (("W", "up"),)),)),)},
            "ways are fill, feed, collect, flush",
        ),
    ],
)
def test_a_machine_that_cannot_be_names_the_place(change: dict[str, Any], message: str) -> None:
    with pytest.raises(HardwareError, match=message):
        replace(tpu_like(), **change)


def test_a_way_without_port_is_named() -> None:
    machine = tpu_like()
    deaf = replace(machine.memories[1], ports=machine.memories[1].ports[2:])  # no sums come back
    cut = replace(machine, memories=(machine.memories[0], deaf, *machine.memories[2:]))
    layer = convolution()
    with pytest.raises(HardwareError, match="accumulators: no port lets O feed"):
        layer_cost(layer, cut, fill_mapping(layer, machine, SPATIAL, ("C", "FX")))


def test_nodes_without_dimensions_are_refused() -> None:
    with pytest.raises(HardwareError, match="dimensions are unknown"):
        array_layer(aidge_nb.Conv2D(3, 4, [3, 3]))


@pytest.mark.parametrize("inputs", [0, 1, 2])
def test_other_nodes_are_refused(inputs: int) -> None:
    node = (aidge_nb.Producer([4], "p"), aidge_nb.ReLU(name="r"), aidge_nb.Add(name="a"))[inputs]
    aidge_nb.GraphView().add(node)
    with pytest.raises(HardwareError, match="expected Conv2D, ConvDepthWise2D, FC, Gemm or"):
        array_layer(node)
