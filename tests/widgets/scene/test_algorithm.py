"""The scheduling algorithm in words."""

import re

import pytest

import aidge_nb
from aidge_nb.core.errors import AidgeError, GraphError
from aidge_nb.graph.node import Node
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling import static_schedule, trace_of
from aidge_nb.scheduling.model.replay import Replay
from aidge_nb.widgets import build_scene, cp_debugger
from aidge_nb.widgets.scene.algorithm import ROLES, Stage
from aidge_nb.widgets.scene.debugger import debugger_scene
from tests import oracle


def chain() -> GraphView:
    model = aidge_nb.sequential(
        [
            aidge_nb.Producer([1, 3, 16, 16], name="data"),
            aidge_nb.Conv2D(3, 4, [3, 3], name="conv"),
            aidge_nb.ReLU(name="relu"),
        ]
    )
    model.forward_dims()
    return model


def stages(model: GraphView) -> tuple[Stage, ...]:
    return build_scene(traced=model).algorithm


def test_each_round_is_told_in_the_order_of_the_algorithm() -> None:
    told = stages(chain())
    assert [stage.title for stage in told if stage.round == 0] == [
        "Check relu: relu lacks data.",
        "Go back along the edges: conv can run first.",
        "data, conv_w and conv_b give all data at once.",
        "conv runs.",
        "Next, check relu.",
    ]
    assert told[-1].title == "The end: no operator is left to check."


def test_numbers_are_those_of_the_model() -> None:
    text = " ".join(line for stage in stages(chain()) for line in stage.lines)
    assert "relu cannot run yet: input#0 needs 784 elements from conv in total and was" in text
    assert "data gives 768 elements" in text
    assert "It takes 768 elements of input#0" in text
    assert "and gives 784 elements." in text


def test_each_decision_is_one_sentence_in_plain_words() -> None:
    pipeline = oracle.build_graph(oracle.load("pipeline_with_branch"))[0]
    many = aidge_nb.sequential([aidge_nb.Tanh(name="a"), aidge_nb.parallel(relus(7))])
    for model in (chain(), pipeline, many):
        for stage in stages(model):
            assert stage.title.endswith(".")
            assert len(stage.title) < 120
            assert not re.search(r"nobody|still-consumer|take their place|lack$", stage.title)


def relus(count: int) -> list[Node]:
    return [aidge_nb.ReLU(name=f"b{number}") for number in range(count)]


def amounts(told: tuple[Stage, ...]) -> list[dict[int, int]]:
    """Add up what each stage says of the edges."""
    found: list[dict[int, int]] = []
    for stage in told:
        found.append({**(found[-1] if found else {}), **dict(stage.waiting)})
    return found


def test_edges_hold_what_was_given_and_not_taken_yet() -> None:
    model = aidge_nb.sequential(relus(3))
    told = stages(model)
    seen = [
        (stage.title, waiting)
        for stage, waiting in zip(told, amounts(told), strict=True)
        if stage.title.endswith(" runs.")
    ]
    assert seen == [
        ("b0 runs.", {0: 1}),
        ("b1 runs.", {0: 0, 1: 1}),
        ("b2 runs.", {0: 0, 1: 0}),
    ]


def test_edges_are_those_of_the_drawing_and_add_up() -> None:
    pipeline = oracle.build_graph(oracle.load("pipeline_with_branch"))[0]
    scene = build_scene(traced=pipeline)
    assert scene.graph is not None
    replay = Replay(pipeline)
    nodes = [pipeline.get_node(node.name) for node in scene.nodes]
    ends = [(nodes[edge.source], nodes[edge.target]) for edge in pipeline.snapshot().edges]
    drawn = [(edge.source, edge.target) for edge in scene.graph.edges[: len(ends)]]
    assert drawn == [(nodes.index(source), nodes.index(target)) for source, target in ends]
    for stage, waiting in zip(scene.algorithm, amounts(scene.algorithm), strict=True):
        for node, role in stage.nodes:
            if role == "runs":
                replay.fire(nodes[node])
        for number, edge in enumerate(pipeline.snapshot().edges):
            left = replay.left_over(nodes[edge.target], edge.input)
            assert waiting.get(number, 0) == max(0, left)
    assert max(map(len, (stage.waiting for stage in scene.algorithm))) > 1


def test_what_runs_is_what_the_trace_says() -> None:
    lstm = aidge_nb.LSTM(in_channels=2, hidden_channels=3, seq_length=3)
    model = aidge_nb.get_connected_graph_view(lstm)
    aidge_nb.expand_metaops(model)
    rounds = trace_of(model)
    scene = build_scene(traced=model)
    names = [node.name for node in scene.nodes]
    for each in rounds:
        ran = {
            names[node]
            for stage in scene.algorithm
            if stage.round == each.number
            for node, role in stage.nodes
            if role == "runs"
        }
        assert ran == set(each.fired)
    assert {role for stage in scene.algorithm for _, role in stage.nodes} <= set(ROLES)


def test_still_consumers_and_parallel_runs_are_explained() -> None:
    branches = aidge_nb.parallel([aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")])
    model = aidge_nb.sequential([aidge_nb.Sigmoid(name="first"), branches])
    told = stages(model)
    assert any("run in parallel: none waits for another." in stage.title for stage in told)
    pipeline = oracle.build_graph(oracle.load("pipeline_with_branch"))[0]
    assert any(
        "data left" in line or "checked again" in line
        for stage in stages(pipeline)
        for line in stage.lines
    )


def test_the_state_of_the_graph_stays_as_it_is() -> None:
    model = chain()
    before = aidge_nb.static_schedule(model)
    view = cp_debugger(model)
    assert "algorithm" in view.panels
    view.close()
    assert aidge_nb.static_schedule(model) == before


def test_the_debugger_shows_graph_schedule_and_stages() -> None:
    view = cp_debugger(chain())
    assert view.panels == ["graph", "timeline", "algorithm"]
    view.close()
    view = cp_debugger(chain(), panels=["algorithm"], tick=1)
    assert view.panels == ["algorithm"]
    view.close()


@pytest.mark.parametrize("name", ["pipeline_with_branch", "lstm"])
def test_the_firings_of_the_stages_are_those_of_the_schedule_in_its_order(name: str) -> None:
    if name == "lstm":
        model = aidge_nb.get_connected_graph_view(
            aidge_nb.LSTM(in_channels=2, hidden_channels=3, seq_length=3, name="lstm")
        )
        aidge_nb.expand_metaops(model)
    else:
        model = oracle.build_graph(oracle.load(name))[0]
    scene = debugger_scene(model, 300)
    assert "timeline" in scene.panels
    assert "factorized" not in scene.panels
    ran = [
        scene.nodes[node].name
        for stage in scene.algorithm
        for node, role in stage.nodes
        if role == "runs"
    ]
    schedule = static_schedule(model)
    actors = schedule.actors
    order = [actors[f.actor].name for f in schedule.firings if not actors[f.actor].producer]
    assert ran == order
    assert scene.lengths["tick"] == len(order)


def test_rounds_that_are_cut_off_have_the_whole_schedule_to_grow_into() -> None:
    scene = debugger_scene(aidge_nb.sequential(relus(9)), 3)
    assert scene.lengths["tick"] == 9
    assert scene.algorithm[-1].title.startswith("The end of what was asked for")


def test_a_cycle_without_initial_data_is_refused() -> None:
    one, other = aidge_nb.Add(name="one"), aidge_nb.Add(name="other")
    one.add_child(other, 0, 0)
    other.add_child(one, 0, 1)
    model = aidge_nb.get_connected_graph_view(one)
    with pytest.raises(GraphError, match=r"cycle without initial data.*Memorize"):
        cp_debugger(model)


def test_names_of_any_length_are_told_and_equal_names_told_apart() -> None:
    long = "long" * 2500
    model = aidge_nb.sequential(
        [aidge_nb.ReLU(name=long), aidge_nb.ReLU(name="same"), aidge_nb.ReLU(name="same")]
    )
    scene = debugger_scene(model, 300)
    ran = [node for stage in scene.algorithm for node, role in stage.nodes if role == "runs"]
    assert ran == [0, 1, 2]
    assert len({node.name for node in scene.nodes}) == 3


def test_an_empty_graph_and_what_is_no_graph() -> None:
    view = cp_debugger(GraphView())
    assert "timeline" not in view.panels
    view.close()
    with pytest.raises(AidgeError):
        cp_debugger("model")  # type: ignore[arg-type]
