"""Graphs with their meta-operators opened."""

import aidge_nb
from aidge_nb.graph.view import GraphView
from aidge_nb.report import study
from aidge_nb.widgets import Scene, build_scene, scene_of
from aidge_nb.widgets.scene.graph_drawing import GraphDrawing


def opened(scene: Scene) -> GraphDrawing:
    assert scene.inside is not None
    return scene.inside


def padded() -> GraphView:
    nodes = [
        aidge_nb.PaddedConv2D(2, 2, [3, 3], "conv", None, [1, 1, 1, 1]),
        aidge_nb.ReLU(name="relu"),
    ]
    view = aidge_nb.sequential(nodes)
    view.forward_dims([[1, 2, 8, 8]])
    return view


def test_what_is_inside_stands_in_place_of_the_node() -> None:
    scene = scene_of(padded())
    inside = opened(scene)
    assert [(box.type, box.node) for box in inside.boxes] == [
        ("Pad", 0),
        ("Conv2D", 0),
        ("ReLU", 1),
    ]
    links = {(edge.source, edge.target): edge.label for edge in inside.edges}
    assert links == {(3, 0): "1×2×8×8", (0, 1): "1×2×10×10", (1, 2): "1×2×8×8", (2, 4): "1×2×8×8"}
    assert len(scene.nodes) == 2, "the index space stays that of the graph"


def lstm() -> GraphView:
    view = GraphView()
    view.add(aidge_nb.LSTM(4, 8, 3, name="lstm"))
    return view


def test_loops_inside_go_back() -> None:
    inside = opened(build_scene(lstm()))
    back = [
        (inside.boxes[edge.source].type, inside.boxes[edge.target].type)
        for edge, route in zip(inside.edges, inside.layout.routes, strict=True)
        if route.back
    ]
    assert sorted(back) == [("Add", "Memorize"), ("Mul", "Memorize")]
    gates = [box for box in inside.boxes if box.type == "FC"]
    assert len(gates) == 8
    assert {box.node for box in inside.boxes} == {0}


def test_a_graph_without_meta_operators_has_nothing_to_open() -> None:
    assert scene_of(aidge_nb.sequential([aidge_nb.ReLU(name="a")])).inside is None


def test_a_snapshot_carries_what_is_inside() -> None:
    """What was kept of a graph is drawn as the graph is: in reports and studies, too."""
    for view in (padded(), lstm()):
        assert build_scene(view.snapshot()) == build_scene(view)
        assert opened(build_scene(view.snapshot())).boxes
    scene = study(padded()).scene()
    assert [box.type for box in opened(scene).boxes] == ["Pad", "Conv2D", "ReLU"]


def test_meta_operators_inside_meta_operators_are_opened() -> None:
    conv = aidge_nb.PaddedConv2D(2, 2, [3, 3], "conv", None, [1, 1, 1, 1])
    block = aidge_nb.MetaOperator("Block", aidge_nb.sequential([conv]), "block")
    view = aidge_nb.sequential([block, aidge_nb.ReLU(name="relu")])
    inside = opened(build_scene(view.snapshot()))
    assert [(box.type, box.node) for box in inside.boxes] == [
        ("Pad", 0),
        ("Conv2D", 0),
        ("ReLU", 1),
    ]
    assert {(edge.source, edge.target) for edge in inside.edges} >= {(0, 1), (1, 2)}
