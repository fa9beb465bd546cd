"""Exercises accept every right answer, refuse every wrong one, and say where to look."""

import random
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

import aidge_nb
from aidge_nb.core.errors import MemoryPlanError
from aidge_nb.course import (
    ChooseTiles,
    Feedback,
    FindQuery,
    PlaceBlocks,
    PredictSteps,
    WantedSchedule,
)
from aidge_nb.memory import plan
from aidge_nb.scheduling import static_schedule


def fork() -> aidge_nb.GraphView:
    """One short branch beside a long one, joined."""
    branches = aidge_nb.parallel(
        [
            aidge_nb.ReLU(name="short"),
            aidge_nb.sequential([aidge_nb.Tanh(name="first"), aidge_nb.Sqrt(name="second")]),
        ]
    )
    return aidge_nb.sequential([aidge_nb.Identity(name="in"), branches, aidge_nb.Add(name="sum")])


# --- steps --------------------------------------------------------------------------------------


def right_steps(view: aidge_nb.GraphView) -> dict[str, tuple[int, int]]:
    schedule = static_schedule(view)
    return {schedule.name_of(f): (f.early, f.late) for f in schedule.firings}


def test_right_steps_are_accepted() -> None:
    feedback = PredictSteps(fork()).check(right_steps(fork()))
    assert feedback.correct
    assert feedback.score == 1


@pytest.mark.parametrize("name", ["in", "short", "first", "second", "sum"])
@pytest.mark.parametrize("shift", [(1, 0), (0, 1), (-1, 0)])
def test_any_wrong_step_is_found(name: str, shift: tuple[int, int]) -> None:
    answer = right_steps(fork())
    early, late = answer[name]
    answer[name] = (early + shift[0], late + shift[1])
    feedback = PredictSteps(fork()).check(answer)
    assert not feedback.correct
    assert feedback.hint.startswith(f"{name}: its {'early' if shift[0] else 'late'} step")
    assert feedback.score == 4 / 5


def test_steps_that_lack_or_are_unknown() -> None:
    answer = right_steps(fork())
    del answer["short"]
    assert "short: give its early" in PredictSteps(fork()).check(answer).hint
    assert "no node 'nobody'" in PredictSteps(fork()).check({"nobody": (0, 0)}).text


# --- blocks -------------------------------------------------------------------------------------

BLOCKS = st.dictionaries(
    st.sampled_from("abcdefgh"),
    st.tuples(st.integers(0, 5), st.integers(1, 4), st.integers(1, 9)).map(
        lambda each: (each[0], each[0] + each[1], each[2])
    ),
    min_size=1,
)


@given(BLOCKS)
def test_the_best_layout_is_accepted(blocks: dict[str, tuple[int, int, int]]) -> None:
    best = plan(dict(blocks))
    offsets = dict(zip(blocks, best.offsets, strict=True))
    assert PlaceBlocks(blocks).check(offsets).correct


@given(BLOCKS, st.integers())
def test_layouts_are_judged_as_a_naive_count_does(
    blocks: dict[str, tuple[int, int, int]], seed: int
) -> None:
    generator = random.Random(seed)
    offsets = {name: generator.randint(0, 12) for name in blocks}
    bytes_at: dict[tuple[int, int], int] = {}
    for name, (lower, upper, size) in blocks.items():
        for tick in range(lower, upper):
            for byte in range(offsets[name], offsets[name] + size):
                bytes_at[tick, byte] = bytes_at.get((tick, byte), 0) + 1
    overlap = max(bytes_at.values()) > 1
    feedback = PlaceBlocks(blocks).check(offsets)
    assert ("overlap" in feedback.text) == overlap
    if not overlap:
        peak = max(offsets[name] + size for name, (_, _, size) in blocks.items())
        assert f"fit in {peak} bytes" in feedback.text
        assert feedback.correct == (peak <= plan(dict(blocks)).peak)


def test_blocks_that_lack_or_are_unknown() -> None:
    exercise = PlaceBlocks({"a": (0, 1, 4)})
    assert "a is not placed" in exercise.check({}).text
    assert "below byte 0" in exercise.check({"a": -1}).text
    assert "no block 'z'" in exercise.check({"a": 0, "z": 0}).text
    with pytest.raises(MemoryPlanError, match="no blocks"):
        PlaceBlocks({})


# --- tiles --------------------------------------------------------------------------------------


@pytest.fixture
def chain() -> aidge_nb.GraphView:
    return tiled_chain()


def tiled_chain() -> aidge_nb.GraphView:
    convs = [aidge_nb.Conv2D(8, 8, [3, 3], f"conv{number}") for number in range(3)]
    view = aidge_nb.sequential([*convs, aidge_nb.MaxPooling2D([4, 4], "pool", [4, 4])])
    assert view.forward_dims([[1, 8, 38, 38]])
    return view


ALL = ["conv0", "conv1", "conv2", "pool"]


def test_tiles_that_fit_are_accepted(chain: aidge_nb.GraphView) -> None:
    best = aidge_nb.tile_for(chain, 60_000).best
    exercise = ChooseTiles(chain, 60_000)
    too_few = exercise.check(ALL, {2: 1})
    assert not too_few.correct
    assert "too many" in too_few.hint
    (chosen,) = best.chains
    grid = dict(zip((2, 3), chosen.grid, strict=True))
    assert exercise.check(list(chosen.nodes), grid, chosen.halo).correct


def test_tiles_that_cost_too_much_are_not(chain: aidge_nb.GraphView) -> None:
    feedback = ChooseTiles(chain, 60_000).check(ALL, {2: 8, 3: 8})
    assert not feedback.correct
    assert "Halos cost" in feedback.hint


def test_tiles_that_cannot_be(chain: aidge_nb.GraphView) -> None:
    feedback = ChooseTiles(chain, 60_000).check(["conv0", "conv2"], {2: 2})
    assert not feedback.correct
    assert feedback.hint


# --- consumer–producer model --------------------------------------------------------------------


class LineByLine(aidge_nb.ProdConso):
    """Takes and gives one line of two."""

    def __init__(self, op: aidge_nb.Operator) -> None:
        super().__init__(op, False)

    def get_nb_required_data(self, input_idx: int) -> aidge_nb.Elts_t:
        return aidge_nb.Elts_t.data_elts(2)

    def get_required_memory(self, output_idx: int, inputs_size: object = ()) -> aidge_nb.Elts_t:
        return aidge_nb.Elts_t.data_elts(2)


class Never(LineByLine):
    """Waits for more than there is."""

    def get_nb_required_data(self, input_idx: int) -> aidge_nb.Elts_t:
        return aidge_nb.Elts_t.data_elts(9)


def lines() -> aidge_nb.GraphView:
    filtered = aidge_nb.GenericOperator("Filter", 1, 0, 1, name="filter")
    filtered.get_operator().set_forward_dims(lambda dims: [dims[0]])
    image = aidge_nb.Producer([1, 1, 4, 2], name="image")
    view = aidge_nb.sequential([image, filtered])
    assert view.forward_dims()
    return view


def test_a_model_with_the_wanted_schedule_is_accepted() -> None:
    assert WantedSchedule(lines, "filter", ["filter"] * 4).check(LineByLine).correct


def test_a_model_that_runs_on_or_stops_is_not() -> None:
    on = WantedSchedule(lines, "filter", ["filter"] * 3).check(LineByLine)
    assert (on.correct, on.score) == (False, 3 / 4)
    assert "should stop after firing 3" in on.hint
    early = WantedSchedule(lines, "filter", ["filter"] * 5).check(LineByLine)
    assert (early.correct, early.score) == (False, 4 / 5)
    assert "stops after firing 4" in early.hint


@pytest.mark.parametrize(
    ("takes", "gives", "hint"),
    [
        (8, 4, "Firing 5 should be relu, and is filter: filter must give more at a time."),
        (16, 16, "Firing 3 should be filter, and is relu: filter must take less at a time."),
        (8, 32, "Firing 2 should be filter, and is relu: filter must give less at a time."),
    ],
)
def test_the_hint_says_what_to_change(takes: int, gives: int, hint: str) -> None:
    class Model(LineByLine):
        def get_nb_required_data(self, input_idx: int) -> aidge_nb.Elts_t:
            return aidge_nb.Elts_t.data_elts(takes)

        def get_required_memory(self, output_idx: int, inputs_size: object = ()) -> aidge_nb.Elts_t:
            return aidge_nb.Elts_t.data_elts(gives)

    def make() -> aidge_nb.GraphView:
        image = aidge_nb.Producer([1, 1, 4, 8], name="image")
        filtered = aidge_nb.GenericOperator("Filter", 1, 0, 1, name="filter")
        filtered.get_operator().set_forward_dims(lambda dims: [dims[0]])
        view = aidge_nb.sequential([image, filtered, aidge_nb.ReLU(name="relu")])
        view.forward_dims()
        return view

    wanted = WantedSchedule(make, "filter", ["filter"] * 4 + ["relu"])
    assert wanted.check(Model).hint == hint


# --- queries ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("query", "correct", "words"),
    [
        ("Tanh->Sqrt", True, "1 match, as wanted"),
        ("Tanh", False, "second is missing"),
        ("Relu", False, "does not match first, second"),
        ("Tanh->Sqrt-*>Add", False, "It matches sum, which is in no group"),
        ("Tanh->->", False, "The query cannot be read"),
    ],
)
def test_queries(query: str, correct: bool, words: str) -> None:
    feedback = FindQuery(fork(), [["first", "second"]]).check(query)
    assert feedback.correct is correct
    assert words in repr(feedback)


def test_no_answer_is_no_error(chain: aidge_nb.GraphView) -> None:
    for exercise in (
        PredictSteps(fork()),
        PlaceBlocks({"a": (0, 1, 4)}),
        ChooseTiles(chain, 60_000),
        WantedSchedule(lines, "filter", ["filter"]),
        FindQuery(fork(), [["first"]]),
    ):
        assert exercise.check(None).text == "There is no answer yet."


@pytest.mark.parametrize("answer", [3, "later", [1, 2], {1, 2}])
def test_what_has_not_the_form_of_an_answer_is_told_the_form(
    chain: aidge_nb.GraphView, answer: Any
) -> None:
    for feedback, form in (
        (PredictSteps(fork()).check(answer), "a dictionary, as in {'in': (0, 2), …}"),
        (PlaceBlocks({"a": (0, 1, 4)}).check(answer), "a dictionary, as in {'a': 0, …}"),
        (WantedSchedule(lines, "filter", ["filter"]).check(answer), "a class of ProdConso"),
    ):
        assert not feedback.correct
        assert feedback.hint.startswith(f"Give {form}")
    assert not ChooseTiles(chain, 60_000).check_stripes(ALL, answer).correct


def test_stripes() -> None:
    exercise = ChooseTiles(tiled_chain(), 60_000)
    for answer in (3, (3,), ("2", "cache"), "ab"):
        hint = exercise.check_stripes(ALL, answer).hint  # type: ignore[arg-type]
        assert hint == 'Give two things, as in (8, "recompute").'
    assert exercise.check_stripes(ALL, (2, "cache")) == exercise.check(ALL, {2: 2}, "cache")
    assert exercise.check_stripes(ALL, (2, "cache")).correct
    assert exercise.check_stripes(ALL, None).text == "There is no answer yet."


def test_a_part_of_an_answer_may_have_a_wrong_form() -> None:
    for pair in (0, (0,), ("0", "1"), (0.5, 1), None):
        steps: Any = {**right_steps(fork()), "short": pair}
        hint = PredictSteps(fork()).check(steps).hint
        assert hint == "short: give its early and its late step as two numbers, as in (0, 2)."
    half: Any = {"a": 0.5}
    assert "Blocks begin at a whole byte" in PlaceBlocks({"a": (0, 1, 4)}).check(half).hint
    number: Any = int
    hint = WantedSchedule(lines, "filter", ["filter"]).check(number).hint
    assert "a class of ProdConso, without parentheses" in hint


def test_what_nothing_reads_may_wait_for_the_last_node() -> None:
    ends = aidge_nb.parallel(
        [
            aidge_nb.ReLU(name="quick"),
            aidge_nb.sequential([aidge_nb.Tanh(name="a"), aidge_nb.Sqrt(name="b")]),
        ]
    )
    exercise = PredictSteps(ends)
    steps = right_steps(ends)
    early = exercise.check({**steps, "quick": (0, 0)})
    assert early.hint.endswith("Nothing reads it: when does the last node of all run?")
    late = exercise.check({**steps, "quick": (0, 2)})
    assert late.hint.endswith("All would have run before.")


# --- how it looks -------------------------------------------------------------------------------


def test_feedback_shows_itself_and_injects_nothing() -> None:
    bundle = Feedback(False, "<script>", "a & b", 0.999)._repr_mimebundle_()
    assert bundle["text/plain"] == "Not yet (99 %): <script>\nHint: a & b"
    assert "<script>" not in bundle["text/html"]
    assert 'role="status"' in bundle["text/html"]
