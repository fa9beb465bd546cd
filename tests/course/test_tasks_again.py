"""Answers of the tasks, worked out a second time by other means than the library's planners."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import pairwise, permutations, product
from math import lcm
from typing import Any

import numpy as np
import pytest

from aidge_nb import course
from aidge_nb.course.answers.folding import unroll

SEEDS = range(20)


def asked(number: str, seed: int) -> tuple[str, Any]:
    """Return the text of a task and its right answer."""
    task = course.task(number, seed)
    task.check(task.mistakes[0].answer)
    return task.text, task.solution().value


def edges_in(text: str) -> list[tuple[str, str]]:
    """Return the edges that a text draws with arrows."""
    chains = [chain.split(" → ") for chain in re.findall(r"\w+(?: → \w+)+", text)]
    return [edge for chain in chains for edge in pairwise(chain)]


def by_hand(edges: list[tuple[str, str]]) -> dict[str, tuple[int, int]]:
    """Return early and late steps: longest ways from the front and from the end."""
    names = dict.fromkeys(name for edge in edges for name in edge)

    def early(name: str) -> int:
        return max((1 + early(a) for a, b in edges if b == name), default=0)

    last = max(map(early, names))

    def late(name: str) -> int:
        return min((late(b) - 1 for a, b in edges if a == name), default=last)

    return {name: (early(name), late(name)) for name in names}


def numbers_in(text: str) -> list[int]:
    return [int(found.replace(",", "")) for found in re.findall(r"\d[\d,]*", text)]


@pytest.mark.parametrize("seed", SEEDS)
def test_steps(seed: int) -> None:
    text, right = asked("1.1", seed)
    assert right == by_hand(edges_in(text))
    text, right = asked("1.2", seed)
    steps = by_hand(edges_in(text))
    slack = {letter: steps[f"{letter}1"][1] - steps[f"{letter}1"][0] for letter in "abc"}
    assert slack[right] == max(slack.values())
    text, right = asked("1.3", seed)
    steps = by_hand(edges_in(text))
    assert right == {name: steps[name][1] for name in right}
    text, right = asked("1.4", seed)
    quick, slow = map(int, re.findall(r"branch \w+: (\d+)", text.replace("on branch", "branch")))
    goal = int(re.findall(r"slack of (\d+)", text)[0])
    assert slow + right["slow"] - quick - right["quick"] == goal


def amounts_in(text: str) -> tuple[int, list[tuple[int, int]]]:
    size = int(re.findall(r"source gives (\d+)", text)[0])
    pairs = re.findall(r"takes (\d+) and gives (\d+)", text)
    return size, [(int(takes), int(gives)) for takes, gives in pairs]


def balanced(size: int, pairs: list[tuple[int, int]]) -> list[int]:
    """Solve the balance equations with fractions."""
    rates, given = [Fraction(1)], Fraction(size)
    for takes, gives in pairs:
        rates.append(given / takes)
        given = rates[-1] * gives
    times = lcm(*(rate.denominator for rate in rates))
    return [int(rate * times) for rate in rates]


@pytest.mark.parametrize("seed", SEEDS)
def test_amounts(seed: int) -> None:
    text, right = asked("2.1", seed)
    size, ((takes_a, gives_a), (takes_b, _)) = amounts_in(text)
    eager, there = [], 0
    for _ in range(size // takes_a):
        eager.append("a")
        there += gives_a
        while there >= takes_b:
            eager.append("b")
            there -= takes_b
    assert right == eager
    text, right = asked("2.2", seed)
    assert list(right.values()) == balanced(*amounts_in(text))
    text, right = asked("2.3", seed)
    size, pairs = amounts_in(text)
    unrolled = unroll(right)
    assert [unrolled.count(name) for name in ("source", "a", "b")] == balanced(size, pairs)
    assert len(unrolled) == int(re.findall(r"these (\d+)", text)[0])
    shown = text.partition(": ")[2].partition(" …")[0].partition(". ")[0].split()
    assert list(unrolled[: len(shown)]) == shown
    text, right = asked("2.4", seed)
    cycle = text.partition(": ")[2].partition(". ")[0].split(" → ")
    turns = numbers_in(text.partition("runs ")[2])[0]
    first = max(2, text.count("before_") + 1)  # behind zero and state, or behind pop and others
    assert right == {"period": len(cycle) - 1, "steps": (len(cycle) - 1) * turns + first}


def sizes_in(text: str) -> dict[str, int]:
    listed = text.partition("in bytes: ")[2].partition(". ")[0]
    return {
        name: int(size.replace(",", "")) for name, size in re.findall(r"(\w+) (\d[\d,]*)", listed)
    }


def live(order: list[str], edges: list[tuple[str, str]], sizes: dict[str, int]) -> list[int]:
    """Add what is alive at each tick, nothing in place; results of the graph stay."""
    end = {
        name: max((order.index(b) for a, b in edges if a == name), default=len(order))
        for name in order
    }
    return [
        sum(sizes[name] for at, name in enumerate(order) if at <= tick <= end[name])
        for tick in range(len(order))
    ]


@pytest.mark.parametrize("seed", SEEDS)
def test_orders(seed: int) -> None:
    text, right = asked("3.1", seed)
    assert all(right.index(a) < right.index(b) for a, b in edges_in(text))
    text, right = asked("3.2", seed)
    order = text.partition("The order is ")[2].partition(",")[0].split()
    assert list(right.values()) == live(order, edges_in(text), sizes_in(text))
    text, right = asked("3.3", seed)
    sizes, edges = sizes_in(text), edges_in(text)
    peaks = {}
    for first, second in ("ab", "ba"):
        # What runs in place takes no bytes of its own.
        order = [f"{kind}_{each}" for each in (first, second) for kind in ("grow", "shrink")]
        direct = [("split", "grow_a"), ("split", "grow_b")]
        direct += [(f"grow_{each}", f"shrink_{each}") for each in "ab"]
        peaks[first] = max(live(["split", *order], direct, sizes))
    assert peaks[right] == min(peaks.values())
    assert len(edges) == len(sizes) - 1


@pytest.mark.parametrize("seed", SEEDS)
def test_no_order_of_three_branches_is_better(seed: int) -> None:
    text, right = asked("3.4", seed)
    sizes, edges = sizes_in(text), edges_in(text)
    names = [name for name in sizes if name != "split"]
    least = min(
        max(live(["split", *order], edges, sizes))
        for order in permutations(names)
        if all(order.index(f"grow_{each}") < order.index(f"shrink_{each}") for each in "abc")
    )
    assert max(live(right, edges, sizes)) == least


def blocks_in(text: str) -> dict[str, tuple[int, int, int]]:
    found = re.findall(r"(\w) ticks? (\d+)(?:–(\d+))?, (\d+) B", text)
    return {
        name: (int(lower), int(upper or lower) + 1, int(size)) for name, lower, upper, size in found
    }


def overlap(blocks: dict[str, tuple[int, int, int]], offsets: dict[str, int]) -> bool:
    """Return whether two blocks hold the same byte at the same tick."""
    held: set[tuple[int, int]] = set()
    for name, (lower, upper, size) in blocks.items():
        mine = set(product(range(lower, upper), range(offsets[name], offsets[name] + size)))
        if mine & held:
            return True
        held |= mine
    return False


@pytest.mark.parametrize("seed", SEEDS)
def test_layouts(seed: int) -> None:
    text, right = asked("4.1", seed)
    order = text.partition("The order is ")[2].partition(",")[0].split()
    edges = edges_in(text)
    assert right == {
        name: (at, max((order.index(b) for a, b in edges if a == name), default=at))
        for at, name in enumerate(order)
    }
    text, right = asked("4.2", seed)
    blocks = blocks_in(text)
    sums = [
        sum(size for lower, upper, size in blocks.values() if lower <= tick < upper)
        for tick in range(10)
    ]
    assert right == {"bytes": max(sums), "tick": sums.index(max(sums))}
    text, right = asked("4.3", seed)
    blocks = blocks_in(text)
    peak = max(right[name] + size for name, (_, _, size) in blocks.items())
    assert not overlap(blocks, right)
    assert not fits(blocks, peak - 1)
    text, right = asked("4.4", seed)
    blocks = blocks_in(text)
    factor = np.gcd.reduce([size for _, _, size in blocks.values()])
    small = {name: (lower, upper, size // factor) for name, (lower, upper, size) in blocks.items()}
    assert fits(small, right // factor)
    assert not fits(small, right // factor - 1)


def fits(blocks: dict[str, tuple[int, int, int]], room: int) -> bool:
    """Try all layouts, block by block."""
    names = list(blocks)

    def place(at: int, offsets: dict[str, int]) -> bool:
        if at == len(names):
            return True
        lower, upper, size = blocks[names[at]]
        for offset in range(room - size + 1):
            clear = all(
                upper <= blocks[other][0]
                or blocks[other][1] <= lower
                or offset + size <= begin
                or begin + blocks[other][2] <= offset
                for other, begin in offsets.items()
            )
            if clear and place(at + 1, {**offsets, names[at]: offset}):
                return True
        return False

    return place(0, {})


@pytest.mark.parametrize("seed", SEEDS)
def test_queries(seed: int) -> None:
    text, right = asked("5.2", seed)
    types = dict(re.findall(r"(\w+) \((\w+)\)", text))
    edges = edges_in(text)
    readers = {name: [b for a, b in edges if a == name] for name in types}
    silent = []
    for query in course.task("5.2", seed).config["options"]:
        one, arrow, other = re.split(r"(-\d*>|~>)", query)
        found = [
            (a, b)
            for a, b in edges
            if (types[a], types[b]) == (one, other) and (arrow == "~>" or len(readers[a]) == 1)
        ]
        silent += [] if found else [query]
    assert sorted(right) == sorted(silent)
    text, right = asked("5.4", seed)
    sizes = sizes_in(text)
    chain = [sizes["conv"], sizes["join"]]
    chain += [size for name, size in sizes.items() if name.startswith(("tail", "wide"))]
    assert right == max(a + b for a, b in pairwise(chain))


@pytest.mark.parametrize("seed", SEEDS)
def test_stripes(seed: int) -> None:
    text, right = asked("6.1", seed)
    kernel, stride = int(text[2]), int(re.findall(r"stride (\d)", text)[0])
    first, last = map(int, re.findall(r"gives rows (\d+)–(\d+)", text)[0])
    assert right == {"input": (first * stride - kernel // 2, last * stride + kernel // 2)}
    text, right = asked("6.2", seed)
    first, last = map(int, re.findall(r"gives rows (\d+)–(\d+)", text)[0])
    first, last = 2 * first, 2 * last + 1
    for above, rows in enumerate(reversed(right.values())):
        assert rows == (first - above, last + above)
    text, right = asked("6.3", seed)
    convs, rows = map(int, re.findall(r": (\d) 3×3 .* on (\d+) rows", text)[0])
    count = int(re.findall(r"In (\d) stripes", text)[0])
    borders = (count - 1) * sum(2 * above for above in range(convs))
    assert right == pytest.approx(100 * borders / (rows * convs))


@pytest.mark.parametrize("seed", SEEDS)
def test_machines(seed: int) -> None:
    text, right = asked("7.1", seed)
    _, _, channels, _, size, _, _, cores, rate = numbers_in(text)
    assert right == 9 * channels * channels * size * size / (cores * rate)
    text, right = asked("7.2", seed)
    macs, moved, rate, width = numbers_in(text)
    assert right * rate / width > macs / moved >= (right - 1) * rate / width
    text, right = asked("7.3", seed)
    listed = re.findall(r"(work_\d) ([\d,]+)", text)
    macs_of = {name: int(macs.replace(",", "")) for name, macs in listed}
    fast, slow = map(int, re.findall(r"(?:does|slow) (\d)", text))
    ideal = max(
        sum(macs for name, macs in macs_of.items() if name in right) / fast,
        sum(macs for name, macs in macs_of.items() if name not in right) / slow,
    )
    best = min(
        max(
            sum(m for m, on in zip(macs_of.values(), bits, strict=True) if on) / fast,
            sum(m for m, on in zip(macs_of.values(), bits, strict=True) if not on) / slow,
        )
        for bits in product([0, 1], repeat=len(macs_of))
    )
    assert ideal <= 1.1 * best, "transfers are short on this machine"
    text, right = asked("7.4", seed)
    blocks = blocks_in(text)
    reads = {name: int(count) for name, count in re.findall(r"(\w) ticks?[^;]*?B, (\d) read", text)}
    room = int(re.findall(r"memory has (\d+)", text)[0]) // 64
    units = {name: (lower, upper, size // 64) for name, (lower, upper, size) in blocks.items()}
    parts = [chosen(blocks, bits) for bits in product([0, 1], repeat=len(blocks))]
    gains = [
        sum(blocks[name][2] * reads[name] for name in part)
        for part in parts
        if fits({name: units[name] for name in part}, room)
    ]
    assert sum(blocks[name][2] * reads[name] for name in right) == max(gains)


def chosen(names: Any, bits: Any) -> list[str]:
    return [name for name, bit in zip(names, bits, strict=True) if bit]


@pytest.mark.parametrize("seed", SEEDS)
def test_bits(seed: int) -> None:
    text, right = asked("8.1", seed)
    assert right == sizes_in(text)["conv"], "relu lies on conv"
    text, right = asked("8.2", seed)
    a, b, c = (np.float32(value) for value in signed_in(text))
    assert right == {
        "(a + b) + c": np.float32(np.float32(a + b) + c),
        "a + (b + c)": np.float32(a + np.float32(b + c)),
        "(a + c) + b": np.float32(np.float32(a + c) + b),
    }
    text, right = asked("8.3", seed)
    assert right == first_overwritten(text)
    text, right = asked("9.2", seed)
    depth, width, _, batch = numbers_in(text)[:4]
    assert right == depth * batch * width * 4
    text, right = asked("9.3", seed)
    value = float(text.split()[0])
    step = int(re.findall(r"(\d)/127", text)[0]) / 127
    code = round(value / step)
    assert right["code"] == code
    assert right["value"] == pytest.approx(code * step, abs=1e-4)
    text, right = asked("9.4", seed)
    sizes = numbers_in(
        text.partition("behind them have ")[2].partition(" numbers")[0].replace(", ", " ")
    )
    pairs = list(pairwise(sizes))
    inner = max(one + other for one, other in pairs)
    assert right["at the ends"] == max(inner, 5 * sizes[-1])
    assert right["at each layer"] == max(inner, 5 * max(sizes[1:]))


def signed_in(text: str) -> list[float]:
    found = re.findall(r"\w = (-?[\d,]+), ?(?=\w|a)|c = (-?[\d,]+)", text)
    return [float((one or other).rstrip(",").replace(",", "")) for one, other in found]


def first_overwritten(text: str) -> str:
    """Walk along the order: who reads bytes that belong to another result by then?"""
    order = text.partition("The order is ")[2].partition(";")[0].split()
    places = dict(re.findall(r"(\w+) (\d+)", text.partition("in place, at ")[2].partition(".")[0]))
    moved, target = re.findall(r"program, (\w+) now lies at (\d+)", text)[0]
    places[moved] = target
    edges, holder = edges_in(text), dict[str, str]()
    wrong: set[str] = set()
    for name in order:
        sources = [a for a, b in edges if b == name]
        if any(holder[places[source]] != source or source in wrong for source in sources):
            return name
        holder[places[name]] = name
    return ""
