"""The layout keeps its promises on any graph: no overlap, edges go down, no chance."""

from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aidge_nb.widgets.layout.layered import GAP, HEIGHT, PITCH, GraphLayout, layered_layout
from aidge_nb.widgets.layout.layering import assign_layers, find_back_edges
from aidge_nb.widgets.layout.ordering import count_crossings, separate

Graph = tuple[list[float], list[tuple[int, int]]]


@st.composite
def graphs(draw: st.DrawFn) -> Graph:
    """Draw any directed graph: with cycles, loops, double edges, in one part or in many."""
    count = draw(st.integers(1, 24))
    node = st.integers(0, count - 1)
    edges = draw(st.lists(st.tuples(node, node), max_size=50))
    widths = draw(st.lists(st.sampled_from([60.0, 120.0, 210.0]), min_size=count, max_size=count))
    return widths, edges


def boxes_overlap(plan: GraphLayout, one: int, other: int) -> bool:
    left, top, right, bottom = plan.box(one)
    other_left, other_top, other_right, other_bottom = plan.box(other)
    return left < other_right and other_left < right and top < other_bottom and other_top < bottom


@given(graphs(), st.booleans())
def test_boxes_do_not_overlap_and_lie_inside(graph: Graph, narrow: bool) -> None:
    plan = layered_layout(*graph, narrow=narrow)
    for one, other in combinations(range(len(graph[0])), 2):
        assert not boxes_overlap(plan, one, other)
    for node in range(len(graph[0])):
        left, top, right, bottom = plan.box(node)
        assert left >= -0.02
        assert right <= plan.width + 0.02
        assert top >= 0
        assert bottom <= plan.height


@given(graphs(), st.booleans())
def test_edges_go_down_unless_they_are_marked_as_going_back(graph: Graph, narrow: bool) -> None:
    widths, edges = graph
    plan = layered_layout(widths, edges, narrow=narrow)
    for (source, target), route in zip(edges, plan.routes, strict=True):
        if not route.back:
            assert plan.layers[source] < plan.layers[target]


@given(graphs(), st.booleans())
def test_routes_start_at_their_source_and_end_on_their_target(graph: Graph, narrow: bool) -> None:
    widths, edges = graph
    plan = layered_layout(widths, edges, narrow=narrow)
    for (source, target), route in zip(edges, plan.routes, strict=True):
        assert route.across[0] == plan.centres[source]
        left, _, right, _ = plan.box(target)
        assert left <= route.across[-1] <= right


@given(graphs(), st.booleans())
def test_long_edges_are_led_around_boxes(graph: Graph, narrow: bool) -> None:
    widths, edges = graph
    plan = layered_layout(widths, edges, narrow=narrow)
    for (source, _), route in zip(edges, plan.routes, strict=True):
        if route.back:
            continue
        for step, x in enumerate(route.across[1:-1], plan.layers[source] + 1):
            for node, layer in enumerate(plan.layers):
                if layer == step:
                    assert abs(plan.centres[node] - x) >= widths[node] / 2 + GAP - 1


@given(graphs(), st.booleans())
def test_edges_that_go_back_are_led_around_boxes(graph: Graph, narrow: bool) -> None:
    widths, edges = graph
    plan = layered_layout(widths, edges, narrow=narrow)
    for (source, target), route in zip(edges, plan.routes, strict=True):
        if not route.back:
            continue
        top, bottom = sorted((plan.layers[source], plan.layers[target]))
        for node, layer in enumerate(plan.layers):
            if top <= layer <= bottom:
                assert abs(plan.centres[node] - route.across[1]) >= widths[node] / 2 + GAP / 2 - 0.1


@given(graphs())
def test_equal_graphs_have_equal_layouts(graph: Graph) -> None:
    assert layered_layout(*graph) == layered_layout(*graph)


@given(graphs())
def test_acyclic_graphs_have_no_edges_back(graph: Graph) -> None:
    widths, edges = graph
    down = [(min(edge), max(edge)) for edge in edges if edge[0] != edge[1]]
    assert not any(route.back for route in layered_layout(widths, down).routes)


def test_without_marked_edges_the_rest_is_acyclic() -> None:
    edges = [(0, 1), (1, 2), (2, 0), (2, 3), (3, 1), (3, 3)]
    back = find_back_edges(4, edges, [False] * 6)
    forward = [edge for edge, skipped in zip(edges, back, strict=True) if not skipped]
    assert sorted(assign_layers(4, forward)) == [0, 1, 2, 3]


def test_a_known_back_edge_is_kept_and_no_other_is_marked() -> None:
    assert find_back_edges(2, [(0, 1), (1, 0)], [True, False]) == [True, False]


def test_a_chain_is_one_straight_column() -> None:
    plan = layered_layout([80.0, 200.0, 80.0], [(0, 1), (1, 2)])
    assert plan.centres == (100.0, 100.0, 100.0)
    assert plan.height == 2 * PITCH + HEIGHT


def test_a_narrow_comb_is_no_wider_than_its_widest_row() -> None:
    spine = [(node, node + 2) for node in range(0, 28, 2)]
    teeth = [(node, node + 1) for node in range(0, 30, 2)]
    leaning = layered_layout([100.0] * 30, spine + teeth)
    narrow = layered_layout([100.0] * 30, spine + teeth, narrow=True)
    assert narrow.layers == leaning.layers
    assert narrow.width < 2 * 100 + 2 * GAP < leaning.width


def test_narrow_branches_lie_beside_what_they_join() -> None:
    trunk = [(node, node + 1) for node in range(14)]
    joined = [edge for node in range(1, 15) for edge in ((14 + node, 28 + node), (28 + node, node))]
    plan = layered_layout([100.0] * 43, trunk + joined, narrow=True)
    assert all(plan.layers[28 + node] == plan.layers[node] - 1 for node in range(1, 15))
    assert plan.width < 4 * (100 + GAP)
    assert layered_layout([100.0] * 43, trunk + joined).width > 14 * (100 + GAP) - GAP - 1


def test_a_drawing_that_does_not_lean_is_the_same_when_narrow() -> None:
    edges = [(0, 1), (0, 2), (1, 3), (2, 3), (3, 4)]
    assert layered_layout([80.0] * 5, edges, narrow=True) == layered_layout([80.0] * 5, edges)


def test_skip_connections_do_not_push_a_chain_aside() -> None:
    chain = [(node, node + 1) for node in range(40)]
    skips = [(node, node + 4) for node in range(0, 37, 4)]
    plan = layered_layout([100.0] * 41, chain + skips)
    assert max(plan.centres) - min(plan.centres) < 100


def test_an_empty_graph_has_an_empty_layout() -> None:
    plan = layered_layout([], [])
    assert (plan.layers, plan.width, plan.height) == ((), 0.0, 0.0)


def test_too_many_long_edges_are_drawn_straight_instead_of_filling_the_memory() -> None:
    chain = [(node, node + 1) for node in range(999)]
    long = [(node, 999) for node in range(900)]
    plan = layered_layout([60.0] * 1000, chain + long)
    assert sum(len(route.across) for route in plan.routes) < 1_000_000
    assert any(len(route.across) == 2 for route in plan.routes[len(chain) :])


def test_crossings_are_undone() -> None:
    edges = [(0, 5), (1, 4), (2, 3)]
    plan = layered_layout([60.0] * 6, edges)
    order = sorted(range(3), key=lambda node: plan.centres[node])
    below = sorted(range(3, 6), key=lambda node: plan.centres[node])
    links = [[target for source, target in edges if source == node] for node in range(6)]
    assert count_crossings([order, below], links) == 0


@given(
    st.lists(st.tuples(st.floats(-1e4, 1e4), st.floats(1, 300), st.floats(0.01, 100)), max_size=30)
)
def test_separation_leaves_the_gap(items: list[tuple[float, float, float]]) -> None:
    wanted, widths, weights = ([item[part] for item in items] for part in range(3))
    centres = separate(wanted, widths, weights, GAP)
    for index in range(1, len(items)):
        least = (widths[index - 1] + widths[index]) / 2 + GAP
        assert centres[index] - centres[index - 1] == pytest.approx(least) or (
            centres[index] - centres[index - 1] > least
        )


def test_nothing_moves_that_has_room() -> None:
    assert separate([0.0, 100.0, 300.0], [10.0] * 3, [1.0] * 3, 5.0) == [0.0, 100.0, 300.0]
