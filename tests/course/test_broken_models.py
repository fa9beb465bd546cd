"""Broken models: the fault is found, or the model is made to run in a few calls."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import aidge_nb
from aidge_nb import course
from aidge_nb.course.make_it_run import MOST_CALLS
from aidge_nb.course.models import WHY_SILENT, silent

Cure = Callable[[Path], aidge_nb.GraphView]
SEEDS = {why: next(seed for seed in range(99) if silent(seed)[2] == why) for why in WHY_SILENT}


# --- find the fault -----------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(12))
def test_the_fault_of_a_broken_model_is_found_where_it_was_put(seed: int) -> None:
    asked = course.broken(seed)
    node, port, fault = asked.fault
    assert asked.check(f"{node} {port} {fault}").correct
    assert asked.check((node, port, fault)).correct
    one_wrong = asked.check(f"{node} output#7 {fault}")
    assert one_wrong.right == (node, fault)
    assert 0 < one_wrong.score < 1
    bad = {each.name for each in asked.model.nodes if each.domain == "com.theirs"}
    assert bad == ({node} if fault == "unknown" else set())
    assert [each.name for each in course.broken(seed).model.nodes] == [
        each.name for each in asked.model.nodes
    ]


def test_broken_models_differ_and_have_every_kind_of_fault() -> None:
    found = {course.broken(seed).fault for seed in range(24)}
    assert {fault for _, _, fault in found} == {"unknown", "channels", "dimensions", "features"}
    assert len({node for node, _, _ in found}) > 3


@pytest.mark.parametrize("answer", [3, "", "conv1", "nobody input#0 channels", {"conv1": 0}])
def test_a_fault_of_another_form(answer: Any) -> None:
    assert "form" in course.broken(0).check(answer).text


# --- make it run --------------------------------------------------------------------------------


def give_sizes(path: Path) -> aidge_nb.GraphView:
    graph = aidge_nb.load_onnx(path)
    graph.forward_dims([[1, 3, 16, 16]])
    return graph


def put(factory: Callable[[str], aidge_nb.Node]) -> Cure:
    """Put an operator in the place of theirs."""

    def put_operator(path: Path) -> aidge_nb.GraphView:
        graph = aidge_nb.load_onnx(path)
        aidge_nb.GraphView.replace({graph.get_node("act1")}, {factory("act1")})
        return graph

    return put_operator


def known_operator(seed: int) -> Cure:
    """Put the operator of this library that bears the name of theirs."""
    kind = silent(seed)[1].nodes[1].op_type
    return put({"Relu": aidge_nb.ReLU, "Tanh": aidge_nb.Tanh, "Sigmoid": aidge_nb.Sigmoid}[kind])


def take_flatten_out(path: Path) -> aidge_nb.GraphView:
    graph = aidge_nb.load_onnx(path)
    aidge_nb.GraphView.replace({graph.get_node("flat")}, set())
    return graph


def follow_the_page(path: Path) -> aidge_nb.GraphView:
    return aidge_nb.load_onnx(path.with_name("model-2.onnx"))


def cures(seed: int) -> dict[str, Cure]:
    """Return the cure of each fault."""
    return {
        "open": give_sizes,
        "operator": known_operator(seed),
        "rank": take_flatten_out,
        "page": follow_the_page,
    }


@pytest.mark.parametrize("seed", range(16))
def test_each_fault_is_mended_by_its_own_cure_in_four_calls(seed: int) -> None:
    asked = course.MakeItRun(seed)
    feedback = asked.check(cures(seed)[silent(seed)[2]])
    assert feedback.correct, feedback
    assert not asked.check(aidge_nb.load_onnx).correct
    assert MOST_CALLS == 4


@pytest.mark.parametrize("why", WHY_SILENT)
def test_the_cure_of_another_fault_does_not_help(why: str) -> None:
    asked = course.MakeItRun(SEEDS[why])
    for other, cure in cures(SEEDS[why]).items():
        if other != why:
            try:
                feedback = asked.check(cure)
            except (AttributeError, KeyError):  # of the answer, which looks for a node in vain
                continue
            assert not feedback.correct, other
            assert feedback.hint


def test_what_runs_with_too_many_calls_is_half_right() -> None:
    def long_way(path: Path) -> aidge_nb.GraphView:
        graph = give_sizes(path)
        for _ in range(3):
            graph.forward_dims([[1, 3, 16, 16]])
        return graph

    feedback = course.MakeItRun(SEEDS["open"]).check(long_way)
    assert not feedback.correct
    assert feedback.score == 0.75
    assert feedback.text == "It runs, after 5 calls."


def test_another_operator_in_the_place_of_theirs_gives_other_scores() -> None:
    feedback = course.MakeItRun(SEEDS["operator"]).check(put(aidge_nb.Abs))
    assert "other scores" in feedback.text
    assert feedback.score == 0.5


@pytest.mark.parametrize("answer", [3, "load_onnx(path)", lambda path: None])
def test_an_answer_of_another_form_is_said(answer: Any) -> None:
    assert "a function" in course.MakeItRun(0).check(answer).hint


@pytest.mark.parametrize("why", WHY_SILENT)
def test_the_solution_opens_after_a_try_and_solves(why: str) -> None:
    asked = course.MakeItRun(SEEDS[why])
    assert asked.solution().value is None
    asked.check(aidge_nb.load_onnx)
    line = asked.solution().value

    def make(path: Path) -> Any:
        names = {"aidge_nb": aidge_nb, "path": path}
        if "load_onnx" not in line:
            names["graph"] = aidge_nb.load_onnx(path)
        exec(line, names)
        return names["graph"]

    assert asked.check(make).correct


def test_no_answer_is_none() -> None:
    assert course.MakeItRun(0).check(None) == course.MakeItRun(1).check(None)
