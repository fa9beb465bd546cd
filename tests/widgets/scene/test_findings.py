"""The words of the findings."""

from __future__ import annotations

from dataclasses import replace

import pytest

import aidge_nb
from aidge_nb.advice import (
    BoundFinding,
    ChangeFinding,
    Finding,
    FitFinding,
    HeldBytes,
    LayoutFinding,
    MemoryFullFinding,
    PeakFinding,
    WaitFinding,
)
from aidge_nb.memory import Buffer, MemoryPlan
from aidge_nb.tiling import ChainChoice
from aidge_nb.widgets import build_scene
from aidge_nb.widgets.scene.findings import cards_of
from tests.widgets.models import mapping_of, residual

MIB = 2**20


def plan(peak: int) -> MemoryPlan:
    return MemoryPlan(("a",), (Buffer("a", "a", 0, peak, 0, 1, 0),), peak, peak)


def five(sizes: list[int]) -> tuple[HeldBytes, ...]:
    return tuple(HeldBytes(f"b{n}", f"n{n}", size) for n, size in enumerate(sizes))


HALOS = (
    ChainChoice(("s", "t"), (3, 1), "cache"),
    ChainChoice(("u", "v"), (2, 1), "cache"),
)


@pytest.mark.parametrize(
    ("finding", "words"),
    [
        (
            PeakFinding(3 * MIB, 14, "conv1", five([2 * MIB, MIB])),
            "PEAK: 3 MiB while conv1 runs (tick 14): n0 2 MiB, n1 1 MiB",
        ),
        (
            PeakFinding(60, 0, "c", five([20, 15, 10, 5, 5])),
            "PEAK: 60 B while c runs (tick 0): n0 20 B, n1 15 B, n2 10 B, + 2 more, holes 5 B",
        ),
        (
            LayoutFinding(64, 64, 3, 64),
            (
                "CAN A LAYOUT HELP?: No, peak = lower bound: 0 B of holes at the peak. "
                "Only other buffers help: tile, fuse, share, reorder."
            ),
        ),
        (
            LayoutFinding(MIB, MIB - 312 * 1024, 3, MIB - 1024),
            "CAN A LAYOUT HELP?: By at most 312 KiB: 1 KiB of holes at the peak.",
        ),
        (
            LayoutFinding(64, 60, 3, 60, searched=False),
            (
                "CAN A LAYOUT HELP?: Not known, search stopped: 4 B of holes at the peak. "
                "By at most 4 B."
            ),
        ),
        (
            ChangeFinding(("tiling",), 100, plan(40), 0.0004, ("s",), HALOS),
            (
                "DO THIS: Tile 2 chains: 40 B, −60 %, 0.0 % more MACs: "
                "s … t in 3 stripes and u … v in 2 stripes, halos kept."
            ),
        ),
        (
            ChangeFinding(("order", "by rows"), 100, plan(80)),
            (
                "DO THIS: Reorder, overwrite row by row: 80 B, −20 %, no more MACs: The same "
                "operators in another order. Convolutions and poolings run over their input, a row "
                "at a time."
            ),
        ),
        (FitFinding("ram", MIB, MIB // 2), "FITS: 512 KiB left for 1 MiB of ram"),
        (
            FitFinding("ram", MIB, 3 * MIB),
            "DOES NOT FIT: 2 MiB too much for 1 MiB of ram: Nothing known here brings it there.",
        ),
        (
            BoundFinding("accelerator/pe", 27168, 34196, 13),
            (
                "BOUND BY: accelerator/pe busy 79 % of 34,196 cycles: "
                "its 13 works take 27,168 cycles; dealt like this, nothing ends sooner"
            ),
        ),
        (
            WaitFinding("pe", 34196, 1240, 2420, ((0, 1300), (2000, 4068))),
            (
                "WHERE IT WAITS: 7,028 cycles, 21 %: 2,068 + 1,300 for data between works, "
                "1,240 at the start, 2,420 at the end"
            ),
        ),
        (
            MemoryFullFinding("scratch", 129_946, 131_072, (("l2", 1024, 4096),)),
            "NEARLY FULL: scratch 127 KiB of 128 KiB (99 %): l2 1 KiB of 4 KiB",
        ),
    ],
)
def test_wording(finding: Finding, words: str) -> None:
    assert cards_of([finding])[0].words() == words


def test_the_second_change_is_an_alternative_and_the_first_that_fits_is_named() -> None:
    changes = [ChangeFinding(("parts",), 100, plan(90)), ChangeFinding(("order",), 100, plan(70))]
    fits, first, second = cards_of([FitFinding("ram", 80, 100), *changes])
    assert (first.title, second.title) == ("DO THIS", "OR")
    assert fits.words().endswith("Reorder brings it to 70 B.")


def test_a_layout_below_the_bound_of_what_lives_is_explained() -> None:
    why = cards_of([LayoutFinding(64, 64, 3, 64)])[0].why
    assert "At tick 3, 64 B are alive at once" in why
    assert why != cards_of([LayoutFinding(64, 64, 3, 60)])[0].why
    assert "4 B" in cards_of([LayoutFinding(64, 60, 3, 60)])[0].why


def test_where_no_change_was_searched_it_says_how_to() -> None:
    found = LayoutFinding(64, 64, 3, 64)
    assert "aidge-nb report --advice" in cards_of([found])[0].why
    assert "--advice" not in cards_of([found, ChangeFinding(("parts",), 64, plan(9))])[0].why


@pytest.mark.parametrize(
    ("limit", "words"),
    [
        (None, "All changes that are known here were tried"),
        (10.0, "stopped after 10 s"),
        (0.0, "A quick search found it"),
    ],
)
def test_the_first_change_says_how_it_was_searched(limit: float | None, words: str) -> None:
    changes = [ChangeFinding(("parts",), 64, plan(size), limit=limit) for size in (9, 8)]
    first, second = cards_of(changes)
    assert (words in first.why, second.why) == (True, "")


def test_views_open_with_the_findings_of_what_they_show() -> None:
    graph, schedule, memory = residual(3)
    scene = build_scene(graph, schedule, memory)
    assert [card.title for card in scene.findings] == ["PEAK", "CAN A LAYOUT HELP?", "DO THIS"]
    meta, _ = scene.payload()
    peak = meta["findings"][0]
    assert peak["tick"] == memory.peak_tick
    live = memory.live_bytes()[memory.peak_tick]
    assert (sum(size for _, size in peak["bar"]), peak["total"]) == (live, memory.peak)
    assert [meta["nodes"]["name"][node] for node, _ in peak["bar"]] == [
        each.node for each in aidge_nb.advice.held_bytes(memory, memory.peak_tick)
    ]
    assert build_scene(graph).findings == ()
    titles = [card.title for card in aidge_nb.widgets.scene_of(mapping_of(4)).findings]
    assert titles[0] == "BOUND BY"


def test_what_to_do_is_said_wherever_a_plan_is_shown() -> None:
    graph = aidge_nb.zoo.load("inception_like", size=16)
    graph.forward_dims([[1, 3, 16, 16]])
    memory = aidge_nb.plan_memory(graph)
    searched = aidge_nb.advice.find_changes(graph, memory, limit=0.0).changes
    assert searched
    for scene in (build_scene(graph, plan=memory), aidge_nb.widgets.explore(graph).bench.scene):
        shown = [card.figure for card in scene.findings if card.kind == "change"]
        assert shown == [card.figure for card in cards_of(searched)]
    # Without the graph, only where the buffers lie can change: not below the bound.
    assert all(card.kind != "change" for card in aidge_nb.widgets.scene_of(memory).findings)
    apart = [
        replace(each, offset=each.offset + memory.peak * (n % 2))
        for n, each in enumerate(each for each in memory.buffers if not each.shares_with)
    ]
    spread = MemoryPlan(memory.order, tuple(apart), 2 * memory.peak, memory.lower_bound)
    do_this = aidge_nb.widgets.scene_of(spread).findings[-1]
    assert do_this.figure.startswith("Lay out again: ")
    assert "other addresses" in do_this.text + do_this.why


def test_a_graph_that_is_not_the_plans_gives_no_advice() -> None:
    graph = aidge_nb.zoo.load("mlp")
    scene = build_scene(graph, plan=MemoryPlan(("other",), (), 64, 64))
    assert [card.kind for card in scene.findings] == ["peak", "layout"]


def test_a_name_that_says_nothing_stands_beside_its_type() -> None:
    found = [PeakFinding(8, 2, "n10", five([8])), PeakFinding(8, 3, "conv1", five([8]))]
    types = {"n10": "Conv2D", "conv1": "Conv2D"}
    headlines = [card.headline for card in cards_of(found, types)]
    assert headlines == ["while {0} (Conv2D) runs (tick 2)", "while {0} runs (tick 3)"]
    chain = aidge_nb.sequential([aidge_nb.ReLU(name="n1"), aidge_nb.Tanh(name="n2")])
    chain.forward_dims([[1, 4]])
    scene = build_scene(chain, plan=aidge_nb.plan_memory(chain))
    assert "{0} (" in scene.findings[0].headline
