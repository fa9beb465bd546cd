import pytest

from aidge_nb.errors import AidgeError
from aidge_nb.widgets import picture, scene_of
from tests.widgets.models import residual


def test_each_value_has_a_picture_and_a_line_of_text() -> None:
    graph, schedule, plan = residual()
    titles = {"Graph of residual": graph, "Schedule of schedule": schedule}
    titles["Memory of memory plan"] = plan
    for title, value in titles.items():
        bundle = picture(value)
        assert set(bundle) == {"image/svg+xml", "text/plain"}
        assert f"<title>{title}</title>" in bundle["image/svg+xml"]
        assert "\n" not in bundle["text/plain"]


def test_values_show_themselves_as_the_views_draw_them() -> None:
    for value in residual():
        assert value._repr_mimebundle_() == picture(value)


def test_other_values_have_no_view() -> None:
    with pytest.raises(AidgeError, match="there is no view of this value"):
        scene_of("lenet")
