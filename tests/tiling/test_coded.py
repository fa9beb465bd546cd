"""Operators on codes are planned as their twins on numbers: tiled, by rows, and mapped."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from itertools import combinations_with_replacement
from typing import Any

import numpy as np
import pytest

import aidge_nb
from aidge_nb import hardware, tiling
from aidge_nb.core.errors import AidgeError, HardwareError
from aidge_nb.memory import check_replay, plan_memory
from aidge_nb.ops.coded import kind_of
from aidge_nb.quantization import quantize
from aidge_nb.runtime import check_execution
from aidge_nb.tiling.chain_model import can_weigh
from aidge_nb.zoo.builder import ModelBuilder
from tests.tiling.graphs import Array, run

SEEDS = range(24)


def samples(*dims: int) -> Array:
    return np.random.default_rng(0).standard_normal(dims).astype(np.float32)


def integer(view: aidge_nb.GraphView, data: Array) -> aidge_nb.GraphView:
    """Quantize a graph of one sample, and let it compute on integers."""
    return quantize(view, data).integer()[0]


def pick(random: np.random.Generator, *values: Any) -> Any:
    return values[int(random.integers(len(values)))]


def chain(seed: int, kinds: tuple[Any, ...] = ()) -> aidge_nb.GraphView:
    """Make a network of layers with windows, ReLUs, and perhaps a sum, a product or a Concat."""
    random = np.random.default_rng(seed)
    b = ModelBuilder("chain", seed)
    channels, size = int(pick(random, 3, 4, 6)), int(pick(random, 16, 21, 24))
    dims = (1, channels, size, size + int(random.integers(4)))
    value = b.input("data", dims)
    for number in range(int(random.integers(3, 7))):
        kind, name = pick(random, *(kinds or _LAYERS)), f"n{number}"
        value, channels = kind(b, random, value, channels, name)
    view = aidge_nb.load_onnx(b.build({b.node("Relu", [value], "last"): ()}))
    view.forward_dims([list(dims)], allow_data_dependency=True)
    return view


def _conv(b: ModelBuilder, random: np.random.Generator, x: str, ins: int, name: str) -> Any:
    kernel, outs = int(pick(random, 1, 3, 3)), int(pick(random, 4, 6, 8))
    weight = b.weight(f"{name}_w", (outs, ins, kernel, kernel), ins * kernel**2)
    pads = [int(random.integers(0, kernel)) for _ in range(4)]
    inputs = [x, weight, *([b.weight(f"{name}_b", (outs,), 4)] if random.integers(2) else [])]
    x = b.node("Conv", inputs, name, kernel_shape=(kernel, kernel), pads=pads)
    return (b.node("Relu", [x], f"{name}_relu") if random.integers(2) else x), outs


def _depthwise(b: ModelBuilder, random: np.random.Generator, x: str, ins: int, name: str) -> Any:
    weight = b.weight(f"{name}_w", (ins, 1, 3, 3), 9)
    step = int(pick(random, 1, 1, 2))
    options: dict[str, Any] = {"kernel_shape": (3, 3), "pads": (1,) * 4, "group": ins}
    return b.node("Conv", [x, weight], name, strides=(step, step), **options), ins


def _pool(b: ModelBuilder, random: np.random.Generator, x: str, ins: int, name: str) -> Any:
    kind, step = pick(random, "MaxPool", "AveragePool"), int(pick(random, 1, 2))
    return b.node(kind, [x], name, kernel_shape=(2, 2), strides=(step, step)), ins


def _block(b: ModelBuilder, random: np.random.Generator, x: str, ins: int, name: str) -> Any:
    weight = b.weight(f"{name}_w", (ins, ins, 3, 3), ins * 9)
    y = b.node("Conv", [x, weight], f"{name}_conv", kernel_shape=(3, 3), pads=(1,) * 4)
    kind = pick(random, "Add", "Mul", "Concat")
    if kind == "Concat":
        return b.node(kind, [y, x], name, axis=1), 2 * ins
    return b.node(kind, [y, x], name), ins


def _function(b: ModelBuilder, random: np.random.Generator, x: str, ins: int, name: str) -> Any:
    return b.node(pick(random, "HardSwish", "Sigmoid", "LeakyRelu", "Elu"), [x], name), ins


def _spread(b: ModelBuilder, random: np.random.Generator, x: str, ins: int, name: str) -> Any:
    kernel, step, outs = int(pick(random, 2, 3)), int(pick(random, 1, 2)), int(pick(random, 4, 6))
    group = int(pick(random, 1, 1, 2))
    inputs = [x, b.weight(f"{name}_w", (ins, outs // group, kernel, kernel), ins * kernel)]
    options: dict[str, Any] = {"kernel_shape": (kernel, kernel), "strides": (step, step)}
    return b.node("ConvTranspose", inputs, name, group=group, **options), outs


def _resize(b: ModelBuilder, random: np.random.Generator, x: str, ins: int, name: str) -> Any:
    scales = b.constant(f"{name}_scales", np.array([1, 1, 2, 2], np.float32))
    options = {"mode": "nearest", "nearest_mode": "floor"}
    options["coordinate_transformation_mode"] = "asymmetric"
    if random.integers(2):
        options = {"mode": "linear"}
    return b.node("Resize", [x, "", scales], name, **options), ins


_LAYERS = (_conv, _depthwise, _pool, _block, _function)
_MORE = (_conv, _pool, _block, _spread, _resize)


def named(view: aidge_nb.GraphView) -> dict[str, aidge_nb.Node]:
    return {node.name(): node for node in view.get_nodes() if node.type() != "Producer"}


@pytest.mark.parametrize("seed", SEEDS)
def test_the_twin_of_a_chain_is_tiled_where_the_chain_is(seed: int) -> None:
    numbers = chain(seed)
    tensor = numbers.get_input_groups()[0][0].node.get_operator().get_input(0)
    assert tensor is not None
    data = samples(4, *tensor.dims[1:])
    codes = integer(numbers, data)
    before, one = run(codes, data[:1]), named(codes)
    for name, node in named(numbers).items():
        if name in one and node.type() != "ReLU":
            assert can_weigh(one[name]) == can_weigh(node), name
            assert kind_of(one[name]) == node.type() or one[name].type() == "LookUp", name
    end = max(
        (node for node in named(numbers).values() if node.name() in one), key=_rank_in(numbers)
    ).name()
    start = next(node.name() for node in numbers.topological_order() if node.name() in one)
    nodes = tiling.between(codes, one[start], one[end])
    rows = one[end].get_operator().get_output(0).dims[2]
    for halo in tiling.HALOS:
        copy, where = codes.clone_with_map()
        plan = tiling.plan_tiling(
            copy, [where[node] for node in nodes], {2: min(3, rows)}, halo=halo
        )
        tiling.check_tiling(copy, plan)
        tiling.apply_tiling(copy, plan)
        copy.set_backend("cpu")
        np.testing.assert_array_equal(run(copy, data[:1]), before)
        if seed % 4 == 0:
            copy.set_backend("c")
            np.testing.assert_array_equal(run(copy, data[:1]), before)
        arena = plan_memory(copy, copy.topological_order(), parts=True)
        copy.set_backend("cpu")
        found = check_execution(copy, arena, [data[:1]]).outputs[0]
        np.testing.assert_array_equal(found, before)
    by_rows = plan_memory(codes, by_rows=True)
    check_replay(by_rows, codes)
    codes.set_backend("cpu")
    np.testing.assert_array_equal(check_execution(codes, by_rows, [data[:1]]).outputs[0], before)


@pytest.mark.parametrize(("seed", "bits"), [(seed, 16 if seed % 2 else 8) for seed in range(8)])
def test_all_parts_of_a_chain_are_tiled_on_codes_where_they_are_on_numbers(
    seed: int, bits: int
) -> None:
    numbers = chain(seed, _MORE)
    tensor = numbers.get_input_groups()[0][0].node.get_operator().get_input(0)
    assert tensor is not None
    data = samples(2, *tensor.dims[1:])
    found = quantize(numbers, data)
    if bits == 16:
        found = found.with_floats([], [each.name for each in found.with_prices().layers])
    codes = found.integer()[0]
    before, one = run(codes, data[:1]), named(codes)
    both = [node for node in numbers.topological_order() if one.get(node.name())]
    tried = 0
    for first, last in combinations_with_replacement(both, 2):
        for halo in tiling.HALOS:
            if not (plan := planned(numbers, first.name(), last.name(), halo)):
                continue
            copy = codes.clone()
            twin = planned(copy, first.name(), last.name(), halo)
            assert twin, f"{first.name()} to {last.name()}, {halo}"
            assert len(twin.tiles) == len(plan.tiles)
            tried += 1
            if (first, last) == (both[0], both[-1]) or tried % 5 == 0:
                tiling.apply_tiling(copy, twin)
                copy.set_backend("cpu")
                np.testing.assert_array_equal(run(copy, data[:1]), before)
                arena = plan_memory(copy, copy.topological_order(), parts=True)
                ran = check_execution(copy, arena, [data[:1]]).outputs[0]
                np.testing.assert_array_equal(ran, before)
    assert tried >= 4


def planned(view: aidge_nb.GraphView, first: str, last: str, halo: str) -> tiling.Tiling | None:
    """Cut a part of a chain into rows, if it can be."""
    one = named(view)
    rows = one[last].get_operator().get_output(0).dims[2]
    try:
        nodes = tiling.between(view, one[first], one[last])
        return tiling.plan_tiling(view, nodes, {2: min(3, rows)}, halo=halo)
    except AidgeError:
        return None


def _rank_in(view: aidge_nb.GraphView) -> Any:
    order = {node: rank for rank, node in enumerate(view.topological_order())}
    return lambda node: order[node]


def resnet8() -> aidge_nb.GraphView:
    """Make the ResNet of MLPerf Tiny: images of 32 x 32, blocks of 16, 32 and 64 channels."""
    b = ModelBuilder("resnet8", 0)

    def conv(x: str, ins: int, outs: int, size: int, step: int, name: str) -> str:
        before = (size - 1) // 2 if step == 1 else 0
        pads = (before, before, (size - 1) // 2, (size - 1) // 2)
        weight = b.weight(f"{name}_w", (outs, ins, size, size), ins * size**2)
        inputs = [x, weight, b.weight(f"{name}_b", (outs,), outs)]
        options: dict[str, Any] = {"kernel_shape": (size, size), "strides": (step, step)}
        return b.node("Conv", inputs, name, pads=pads, **options)

    x = b.node("Relu", [conv(b.input("data", (1, 3, 32, 32)), 3, 16, 3, 1, "first")], "first_relu")
    ins = 16
    for outs, step in ((16, 1), (32, 2), (64, 2)):
        y = b.node("Relu", [conv(x, ins, outs, 3, step, f"one{outs}")], f"one{outs}_relu")
        y = conv(y, outs, outs, 3, 1, f"two{outs}")
        x = x if step == 1 else conv(x, ins, outs, 1, step, f"short{outs}")
        x = b.node("Relu", [b.node("Add", [x, y], f"add{outs}")], f"add{outs}_relu")
        ins = outs
    x = b.node("AveragePool", [x], "pool", kernel_shape=(8, 8), strides=(8, 8))
    weights = [b.weight("fc_w", (10, 64), 64), b.weight("fc_b", (10,), 10)]
    x = b.node("Gemm", [b.node("Flatten", [x], "flat"), *weights], "fc", transB=1)
    view = aidge_nb.load_onnx(b.build({x: (1, 10)}))
    view.forward_dims([[1, 3, 32, 32]])
    return view


def test_resnet8_in_int8_needs_33280_bytes_by_rows_and_20000_tiled() -> None:
    numbers, data = resnet8(), samples(4, 3, 32, 32)
    codes = integer(numbers, data)
    before = run(codes, data[:1])
    by_rows = plan_memory(codes, by_rows=True)
    check_replay(by_rows, codes)
    assert by_rows.peak <= 33_280
    assert by_rows.peak * 4 == plan_memory(numbers, by_rows=True).peak
    found = check_execution(codes, by_rows, [data[:1]])
    np.testing.assert_array_equal(found.outputs[0], before)
    assert tiling.tiled_plan(codes, 20_000, effort=0.05).peak <= 20_000
    one, other = aidge_nb.tile_for(codes), aidge_nb.tile_for(numbers)
    assert one.best.peak * 4 == other.best.peak
    # Stripes that keep their halos fit without more work, once their parts share memory.
    free = [each for each in one.front if each.macs == one.untiled.macs and each.chains]
    for choice in (aidge_nb.tile_for(codes, 20_000).best, min(free, key=lambda each: each.peak)):
        copy = codes.clone()
        tiling.apply_tilings(copy, choice.plan(copy))
        plan = plan_memory(copy, copy.topological_order(), parts=True, effort=0.05)
        assert plan.peak <= 20_000
        copy.set_backend("cpu")
        np.testing.assert_array_equal(check_execution(copy, plan, [data[:1]]).outputs[0], before)


def test_what_runs_a_layer_on_numbers_runs_it_on_codes() -> None:
    numbers = chain(3)
    tensor = numbers.get_input_groups()[0][0].node.get_operator().get_input(0)
    assert tensor is not None
    data = samples(2, *tensor.dims[1:])
    codes = integer(numbers, data)
    before = run(codes, data[:1])
    for machine in ("duo_soc", "quad_cluster"):
        mapping = hardware.map_schedule(codes, hardware.target(machine))
        hardware.check_mapping(mapping, hardware.target(machine), view=codes)
        used = {
            (function.operator, path)
            for work in mapping.works
            for function in work.functions
            for path in work.elements
        }
        assert any("Conv" in operator for operator, _ in used)
        if machine == "duo_soc":
            assert {path for operator, path in used if "Conv" in operator} == {"accelerator/pe"}
        with ThreadPoolExecutor(2) as pool:
            ran = hardware.run_mapping(codes, mapping, [data[:1]], pool)
        np.testing.assert_array_equal(ran.outputs[0], before)


def test_codes_may_be_computed_faster_than_numbers() -> None:
    described = {
        "device": "board",
        "memories": {"ram": {"size": "1MiB"}},
        "devices": {
            "core": {
                "pe": {
                    "macs_per_cycle": 1,
                    "macs_per_cycle_of": {"int8": 4, "int16": 2},
                    "frequency": "80MHz",
                }
            }
        },
        "links": [{"between": ["core/pe", "ram"], "bytes_per_cycle": 64}],
    }
    board = hardware.as_target(described)
    assert hardware.as_target(board.to_dict()) == board
    (element,) = board.elements
    assert element.cycles("Conv2D", 3200, 100) == 3200
    assert element.cycles("Conv2D", 3200, 100, "int8") == 800
    assert element.cycles("Conv2D", 3200, 100, "int16") == 1600
    numbers = aidge_nb.sequential([aidge_nb.Conv2D(8, 8, [3, 3], name="conv")])
    aidge_nb.init_weights(numbers, seed=0)
    numbers.forward_dims([[1, 8, 16, 16]])
    found = quantize(numbers, samples(2, 8, 16, 16))
    codes, wide = found.integer()[0], found.with_floats([], ["conv"]).integer()[0]
    slow, fast, between = (hardware.map_schedule(view, board) for view in (numbers, codes, wide))
    hardware.check_mapping(fast, board, view=codes)
    assert hardware.Mapping.from_dict(fast.to_dict()) == fast
    macs = codes.get_node("conv").get_operator().macs()
    took = [
        sum(step.end - step.start for step in each.steps if step.amount == macs)
        for each in (slow, fast, between)
    ]
    assert took[0] == 4 * took[1] == 2 * took[2]
    described["devices"]["core"]["pe"]["macs_per_cycle_of"] = {"int9": 4}  # type: ignore[index]
    with pytest.raises(HardwareError, match="unknown element type"):
        hardware.as_target(described)
