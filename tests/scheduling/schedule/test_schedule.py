"""Schedules as values: reading, folding, drawing, and writing them down."""

from __future__ import annotations

import csv
import io
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aidge_nb.core.errors import SchedulingError
from aidge_nb.graph import sequential
from aidge_nb.ops import Pop, ReLU, Sigmoid, Stack, Tanh
from aidge_nb.scheduling import Actor, Firing, StaticSchedule, static_schedule
from aidge_nb.scheduling.schedule.repetitions import find_sections
from aidge_nb.scheduling.schedule.text import factorized_gantt, measured_gantt, static_gantt
from tests import oracle
from tests.graph.nodes import chain


def _schedule(name: str = "lstm_2_pop") -> StaticSchedule:
    return static_schedule(oracle.build_graph(oracle.load(name))[0])


def _of(keys: list[tuple[int, int]]) -> StaticSchedule:
    count = 1 + max((actor for actor, _ in keys), default=-1)
    actors = tuple(Actor(f"n{i}", "T", False, f"n{i}", i) for i in range(count))
    return StaticSchedule(actors, tuple(Firing(a, 0, e, e) for a, e in keys))


class TestReading:
    def test_steps_and_slack(self) -> None:
        schedule = _schedule("diamond_unequal")
        assert schedule.n_steps == 1 + max(f.late for f in schedule.firings)
        assert sum(map(len, schedule.steps())) == len(schedule.firings)
        for number, firings in enumerate(schedule.steps()):
            assert {f.early for f in firings} <= {number}
            assert set(firings) <= set(schedule.at(number))
        for firing in schedule.firings:
            assert all(
                (firing in schedule.at(step)) == (firing.early <= step <= firing.late)
                for step in range(schedule.n_steps)
            )
            assert (firing.slack == 0) == firing.is_critical
            assert (firing in schedule.critical_path()) == firing.is_critical

    def test_early_late_and_slack_by_name(self) -> None:
        schedule = _schedule("diamond_unequal")
        for firing in schedule.firings:
            name = schedule.name_of(firing)
            found = schedule.early(name), schedule.late(name), schedule.slack(name)
            assert found == (firing.early, firing.late, firing.slack)
            assert firing.late < schedule.n_steps  # nothing waits: bounded by the end

    def test_a_later_firing_by_its_number(self) -> None:
        view = sequential([Pop(name="pop"), Stack(4, name="stack")])
        assert view.forward_dims([[4, 3]])
        schedule = static_schedule(view)
        assert [schedule.early("pop", firing=number) for number in range(4)] == [
            firing.early for firing in schedule.firings if schedule.name_of(firing) == "pop"
        ]
        with pytest.raises(SchedulingError, match=r"pop: no such execution \(expected 0 to 3, f"):
            schedule.late("pop", firing=4)

    def test_names_of_nodes_and_of_no_node(self) -> None:
        schedule = static_schedule(chain(*(f"conv{number}" for number in range(20))))
        with pytest.raises(SchedulingError, match=r"no such node .*Did you mean conv1") as raised:
            schedule.slack("convv1")
        assert str(raised.value).split(" Did you")[0].count("conv") <= 13  # 12 names and the wrong
        with pytest.raises(SchedulingError, match=r"several nodes .*one of a \(Unit#0\), a \(Unit"):
            static_schedule(chain("a", "a")).early("a")

    def test_the_node_of_each_firing(self) -> None:
        view = chain("a", "b")
        schedule = static_schedule(view)
        assert [node.name() for node in schedule.nodes(view)] == ["a", "b"]
        with pytest.raises(SchedulingError, match="the graph has no node 'b'"):
            schedule.nodes(chain("a", "c"))

    def test_every_step_has_a_critical_firing(self) -> None:
        schedule = _schedule()
        critical = {f.early for f in schedule.critical_path()}
        assert critical == set(range(schedule.n_steps))

    @pytest.mark.parametrize("step", [-1, 4])
    def test_a_step_that_is_not_there(self, step: int) -> None:
        schedule = static_schedule(chain("a", "b", "c", "d"))
        with pytest.raises(SchedulingError, match=rf"no such step \(expected 0 to 3, found {step}"):
            schedule.at(step)

    def test_empty(self) -> None:
        schedule = StaticSchedule((), ())
        assert (schedule.n_steps, schedule.order, list(schedule.steps())) == (0, (), [])
        assert schedule.to_mermaid() == "gantt\ndateFormat x\naxisFormat %Q\n\n\n"
        assert schedule.sections() == ()
        assert schedule.to_csv() == "name,type,execution,early,late,slack\n"

    def test_text(self) -> None:
        assert repr(static_schedule(chain("a", "b"))) == (
            "StaticSchedule(2 actors, 2 firings, 2 steps)"
        )

    def test_same_graph_same_schedule(self) -> None:
        assert _schedule() == _schedule()
        assert hash(_schedule()) == hash(_schedule())
        assert _schedule() != _schedule("lstm_1_token")


class TestWritingDown:
    @pytest.mark.parametrize("name", ["lstm_2_pop", "diamond_nested", "split_concat"])
    def test_json_round_trip(self, name: str) -> None:
        schedule = _schedule(name)
        again = StaticSchedule.from_dict(json.loads(json.dumps(schedule.to_dict())))
        assert again == schedule
        assert again.to_mermaid() == schedule.to_mermaid()

    def test_csv(self) -> None:
        schedule = static_schedule(chain('a "quoted", name', "b\nc"))
        rows = list(csv.DictReader(io.StringIO(schedule.to_csv())))
        assert [row["name"] for row in rows] == ['a "quoted", name', "b\nc"]
        assert [row["early"] for row in rows] == ["0", "1"]
        assert rows[0]["slack"] == "0"

    def test_csv_with_a_comma_in_a_type(self) -> None:
        schedule = StaticSchedule((Actor("a", "T,1", False, "a", 0),), (Firing(0, 0, 0, 0),))
        assert next(csv.DictReader(io.StringIO(schedule.to_csv())))["type"] == "T,1"


class TestFolding:
    def test_the_longest_cover_then_the_shortest_period(self) -> None:
        keys = [(0, 0, 0), (1, 1, 1), (0, 2, 2), (1, 3, 3), (0, 4, 4), (1, 5, 5), (2, 6, 6)]
        assert find_sections(keys) == [(0, 2, 3, 2), (6, 1, 1, 0)]
        assert find_sections([(0, i, i) for i in range(4)]) == [(0, 1, 4, 1)]

    def test_steps_must_shift_alike(self) -> None:
        assert find_sections([(0, 0, 0), (0, 1, 1), (0, 3, 3)])[0] == (0, 1, 2, 1)
        assert [s[2] for s in find_sections([(0, 0, 0), (0, 1, 2)])] == [1, 1]

    def test_least_number_of_repetitions(self) -> None:
        keys = [(0, 0, 0), (0, 1, 1), (1, 2, 2)]
        assert find_sections(keys, 3) == [(0, 1, 1, 0), (1, 1, 1, 0), (2, 1, 1, 0)]
        assert find_sections(keys, 1) == [(0, 3, 1, 0)]
        assert find_sections([], 1) == []

    @given(st.lists(st.tuples(st.integers(0, 2), st.integers(0, 3))), st.integers(2, 4))
    def test_unfolding_gives_the_schedule_back(
        self, keys: list[tuple[int, int]], least: int
    ) -> None:
        schedule = _of(keys)
        unfolded = []
        removed = 0
        for section in schedule.sections(least):
            assert section.repeat == 1 or section.repeat >= least
            for copy in range(section.repeat):
                unfolded += [
                    (f.actor, f.early + removed + copy * section.shift) for f in section.firings
                ]
            removed += section.shift * (section.repeat - 1)
        assert unfolded == keys

    def test_diagram(self) -> None:
        schedule = _of([(0, 0), (1, 1), (0, 2), (1, 3), (2, 4)])
        assert schedule.to_factorized_mermaid() == (
            "gantt\ndateFormat x\naxisFormat %Q\n\n"
            "section seq#0 (x2)\n"
            "n0 (T#0) :milestone, active, 0, 0\n"
            "n1 (T#1) :milestone, active, 1, 1\n"
            "section seq#1\n"
            "n2 (T#2) :milestone, 2, 2\n\n"
        )


class TestDrawing:
    @pytest.mark.parametrize("name", ["a:b", "a;b", "two\nlines", "a\r\nb", "%%x", "a%b"])
    def test_names_cannot_end_the_line(self, name: str) -> None:
        text = static_schedule(chain(name)).to_mermaid()
        lines = text.split("\n")
        assert len(lines) == 7
        assert lines[4].count(":") == 1
        assert not set(";%") & set(lines[4])
        assert "\r" not in text

    @pytest.mark.parametrize(
        "name",
        ["title", "section", "click a", "Gantt", "#1", "2020-01-01", "dateFormat", "accTitle"],
    )
    def test_names_are_not_taken_for_keywords(self, name: str) -> None:
        line = static_schedule(chain(name)).to_mermaid().split("\n")[4]
        assert line == f"\N{ZERO WIDTH SPACE}{name} (Unit#0) :milestone, 0, 0"

    @pytest.mark.parametrize("name", ["titles", "sectional", "conv0", "clicker", "", "/a/b", "Ré"])
    def test_other_names_stay_as_they_are(self, name: str) -> None:
        line = static_schedule(chain(name)).to_mermaid().split("\n")[4]
        assert line == f"{name} (Unit#0) :milestone, 0, 0"

    def test_measured(self) -> None:
        assert measured_gantt([("a (T#0)", 0, 12), ("b:c (T#1)", 12, 15)]) == (
            "gantt\ndateFormat x\naxisFormat %Q µs\n\na (T#0) :0, 12\nb_c (T#1) :12, 15\n\n"
        )

    @pytest.mark.parametrize("name", ["a\fb", "a\vb", "a\0b", "a\x1bb", "a\x1fb"])
    def test_characters_that_no_picture_can_hold(self, name: str) -> None:
        line = static_schedule(chain(name)).to_mermaid().split("\n")[4]
        assert line == "a b (Unit#0) :milestone, 0, 0"

    def test_critical_firings_are_marked_when_asked_for(self) -> None:
        schedule = _of([(0, 0), (1, 1), (0, 2), (1, 3), (2, 4)])
        assert "crit" not in static_gantt(schedule) + factorized_gantt(schedule)
        assert static_gantt(schedule, mark_critical=True).split("\n")[4] == (
            "n0 (T#0) :crit, milestone, 0, 0"
        )
        assert factorized_gantt(schedule, mark_critical=True).split("\n")[5] == (
            "n0 (T#0) :crit, milestone, active, 0, 0"
        )

    def test_firings_with_slack_are_not_marked(self) -> None:
        schedule = StaticSchedule((Actor("a", "T", True, "a", 0),), (Firing(0, 0, 0, 1),))
        assert static_gantt(schedule, mark_critical=True).split("\n")[4] == "a (T#0) :0, 1"


@pytest.mark.parametrize("count", [0, -1, 2.5])
def test_numbers_of_repetitions_are_checked(count: int) -> None:
    schedule = static_schedule(sequential([ReLU(), Tanh()]))
    with pytest.raises(SchedulingError, match="a whole number, 1 or more, found"):
        schedule.sections(count)
    assert [section.repeat for section in schedule.sections(1)] == [1]


def test_diagrams_have_no_negative_steps() -> None:
    pops = [Pop(name="pop0"), Sigmoid(), Pop(name="pop1"), Sigmoid(), Stack(3), Stack(2)]
    view = sequential(pops)
    assert view.forward_dims([[2, 3, 3]])
    schedule = static_schedule(view)
    firings = [firing for section in schedule.sections() for firing in section.firings]
    assert min(firing.early for firing in firings) < 0
    assert ":-" not in schedule.to_factorized_mermaid()
