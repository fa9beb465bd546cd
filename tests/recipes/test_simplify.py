"""All recipes on the models of the zoo, and the report of simplify()."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

import aidge_nb
from aidge_nb.core.errors import GraphError
from aidge_nb.recipes import RECIPES, simplify
from tests.recipes.graphs import SMALL, check, kinds, load


@pytest.mark.parametrize("name", SMALL)
@pytest.mark.parametrize("recipe", RECIPES)
def test_numbers_stay_on_models(name: str, recipe: str) -> None:
    view = load(name)
    before = len(view)
    report, _ = check(view, lambda v: simplify(v, [recipe]), exact=RECIPES[recipe].exact)
    assert isinstance(report, aidge_nb.SimplifyReport)
    assert (report.before, report.after) == (before, len(view))
    assert set(report.counts) <= {recipe}
    assert not simplify(view, [recipe])


@pytest.mark.parametrize("name", SMALL)
def test_safe_recipes_together(name: str) -> None:
    view = load(name)
    report, _ = check(view, simplify, exact=False)
    assert view.forward_dims(allow_data_dependency=True)
    assert isinstance(report, aidge_nb.SimplifyReport)
    assert report.after <= report.before
    assert not simplify(view)


def test_what_is_left_of_models() -> None:
    view = load("mobilenet_v2")
    assert simplify(view).counts["fuse_batchnorm"] > 10
    assert "BatchNorm2D" not in kinds(view)
    view = load("dinov2_like")
    report = simplify(view)
    assert (report.counts["fuse_layernorm"], report.counts["fuse_gelu"]) == (5, 2)
    assert {"ReduceMean", "Erf", "Pow", "Sqrt"}.isdisjoint(kinds(view))


def test_report_says_what_and_where() -> None:
    layers = [aidge_nb.Identity(name="same"), aidge_nb.ReLU(name="a"), aidge_nb.ReLU(name="b")]
    report = simplify(aidge_nb.sequential(layers))
    assert report.counts == {"remove_idempotent": 1, "remove_identity": 1}
    assert [each.places for each in report.applications] == [("b (ReLU)",), ("same (Identity)",)]
    assert json.loads(json.dumps(report.to_dict()))["after"] == 1
    assert repr(report) == (
        "SimplifyReport(3 nodes before, 1 after)\n"
        "  remove_idempotent × 1: b (ReLU)\n"
        "  remove_identity × 1: same (Identity)"
    )


def test_report_of_nothing() -> None:
    report = simplify(aidge_nb.sequential([aidge_nb.ReLU()]))
    assert (bool(report), repr(report)) == (False, "SimplifyReport(1 nodes, nothing to do)")


def test_long_lists_of_places_are_cut() -> None:
    names = [aidge_nb.Identity(name=f"i{number}") for number in range(5)]
    report = simplify(aidge_nb.sequential([aidge_nb.Tanh(), *names]), ["remove_identity"])
    assert repr(report).endswith(
        "remove_identity × 5: i0 (Identity), i1 (Identity), i2 (Identity), …"
    )


def test_unknown_recipes() -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU()])
    with pytest.raises(
        GraphError, match=r"simplify: unknown recipe 'remove_identy' \(expected remove_identi"
    ):
        simplify(view, ["remove_identy"])


@pytest.mark.parametrize("apply", [simplify, aidge_nb.remove_identity])
def test_what_is_no_graph(apply: Callable[[Any], object]) -> None:
    with pytest.raises(GraphError, match=r"is not a graph \(expected a GraphView, found list\)"):
        apply([])


def test_graphs_without_dimensions_are_simplified_as_far_as_possible() -> None:
    view = aidge_nb.load_onnx(aidge_nb.zoo.build("mobilenet_v2", **SMALL["mobilenet_v2"]))
    assert simplify(view).counts["fuse_batchnorm"] > 10


def test_an_empty_graph() -> None:
    assert not simplify(aidge_nb.GraphView())


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=lambda recipe: recipe.name)
def test_recipes_are_described(recipe: aidge_nb.recipes.Recipe) -> None:
    assert recipe.summary.endswith(".")
    assert set(recipe.needs) <= {"dims", "values"}
    assert repr(recipe).startswith(f"Recipe({recipe.name}, ")
