"""The scheduling algorithm in words."""

import aidge_nb
from aidge_nb.graph.view import GraphView
from aidge_nb.scheduling import trace_of
from aidge_nb.widgets import build_scene, cp_debugger
from aidge_nb.widgets.scene.algorithm import ROLES, Stage
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
        "Consumers are asked what they lack",
        "Priors take their place",
        "Producers give their data",
        "Runnable consumers run",
        "Consumers of the next round",
    ]
    assert told[-1].title == "The end"


def test_numbers_are_those_of_the_model() -> None:
    text = " ".join(line for stage in stages(chain()) for line in stage.lines)
    assert "relu cannot run yet: input#0 requires 784 elements from conv in all, 0 were" in text
    assert "data gives 768 elements" in text
    assert "It takes 768 elements of input#0" in text
    assert "and gives 784 elements." in text


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
    text = " ".join(line for stage in stages(model) for line in stage.lines)
    assert "they may run in parallel" in text
    pipeline = oracle.build_graph(oracle.load("pipeline_with_branch"))[0]
    assert any(
        "still-consumer" in line or "asked again" in line
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
