import base64

import pytest

import aidge_nb
from aidge_nb.core.errors import AidgeError
from aidge_nb.graph import GraphView
from aidge_nb.widgets import picture, scene_of
from tests.widgets.models import residual


def test_each_value_has_a_picture_and_a_line_of_text() -> None:
    graph, schedule, plan = residual()
    titles = {"Graph of residual": graph, "Schedule of schedule": schedule}
    titles["Memory of memory plan"] = plan
    for title, value in titles.items():
        bundle = picture(value)
        assert set(bundle) == {"image/svg+xml", "image/png", "text/plain"}
        assert f"<title>{title}</title>" in bundle["image/svg+xml"]
        assert "\n" not in bundle["text/plain"]
        assert base64.b64decode(bundle["image/png"]).startswith(b"\x89PNG\r\n\x1a\n")


def test_values_show_themselves_as_the_views_draw_them() -> None:
    for value in residual():
        assert value._repr_mimebundle_() == picture(value)


def test_a_graph_view_shows_itself_in_a_cell() -> None:
    view = aidge_nb.sequential([aidge_nb.FC(4, 2, name="fc"), aidge_nb.ReLU(name="relu")], "net")
    bundle = view._repr_mimebundle_()
    assert bundle == picture(view.snapshot())
    assert "relu" in bundle["image/svg+xml"]
    assert set(GraphView()._repr_mimebundle_()) == {"image/svg+xml", "image/png", "text/plain"}


def test_a_graph_that_cannot_be_drawn_says_why() -> None:
    a, b = aidge_nb.ReLU(name="a"), aidge_nb.Tanh(name="b")
    a.add_child(b)
    b.add_child(a)
    view = GraphView("loop")
    view.add([a, b])
    (text,) = view._repr_mimebundle_().values()
    assert text.startswith("GraphView(loop, 2 nodes): graph: has a cycle without initial data")


def test_other_values_have_no_view() -> None:
    with pytest.raises(AidgeError, match="cannot show this value"):
        scene_of("lenet")
