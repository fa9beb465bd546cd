"""What a notebook keeps of a view: forms for each host, and no more bytes than needed."""

from __future__ import annotations

import gzip
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from aidge_nb.course import PlaceBlocks, number
from aidge_nb.scheduling.schedule.nest import Actor, Firing
from aidge_nb.scheduling.schedule.static_schedule import StaticSchedule
from aidge_nb.widgets import Workbench, build_scene, workbench
from aidge_nb.widgets.live.bundle import is_unwatched, live_bundle
from aidge_nb.widgets.live.data import view_data
from aidge_nb.widgets.shared import SAVED
from aidge_nb.widgets.still.saved import SavedPictures
from tests.widgets.models import residual
from tests.widgets.still.test_saved_pictures import png_width

PICTURES = SavedPictures({"image/svg+xml": "<svg/>", "image/png": "iVBOR"}, {"image/png": {}})


def run_by(request: dict[str, Any] | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Pretend to be in a kernel that handles a request."""
    shell = SimpleNamespace(kernel=SimpleNamespace(get_parent=lambda: request))
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: shell))


NBCLIENT = {"content": {"allow_stdin": False}, "metadata": {}}
JUPYTERLAB = {"content": {"allow_stdin": True}, "metadata": {"cellId": "4f"}}
NO_INPUT = {"content": {"allow_stdin": False}, "metadata": {"cellId": "4f"}}


def test_a_program_that_runs_a_notebook_gets_no_live_view(monkeypatch: pytest.MonkeyPatch) -> None:
    run_by(NBCLIENT, monkeypatch)
    assert is_unwatched()
    bundle, told = live_bundle("1", "a view", PICTURES)
    assert list(bundle) == ["text/plain", *PICTURES.forms]
    assert told == PICTURES.told


@pytest.mark.parametrize("request_", [JUPYTERLAB, NO_INPUT, {"content": {}}, {}, None])
def test_all_others_get_it(
    request_: dict[str, Any] | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_by(request_, monkeypatch)
    assert not is_unwatched()
    bundle, _ = live_bundle("1", "a view", PICTURES)
    assert list(bundle) == [SAVED["widget"], SAVED["view"], "text/plain", *PICTURES.forms]
    assert bundle[SAVED["view"]] == bundle[SAVED["widget"]]


def test_voila_runs_cells_as_a_program_does_but_shows_widgets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    run_by(NBCLIENT, monkeypatch)
    monkeypatch.setenv("VOILA_REQUEST_URL", "http://127.0.0.1/")
    assert not is_unwatched()


def test_a_view_without_a_picture_stays_a_view(monkeypatch: pytest.MonkeyPatch) -> None:
    run_by(NBCLIENT, monkeypatch)
    assert SAVED["widget"] in live_bundle("1", "covered")[0]


def test_a_board_and_a_question_have_the_same_forms() -> None:
    for view in (PlaceBlocks({"a": (0, 2, 4)}).widget(), number("How many?", 3).widget()):
        bundle, _ = view._repr_mimebundle_()
        expected = {SAVED["view"], SAVED["widget"], "image/svg+xml", "image/png", "text/plain"}
        assert expected == set(bundle)
        assert png_width(bundle) == 2 * 640
        view.close()


# --- data -----------------------------------------------------------------------------------------


def bars(count: int, factor: int) -> StaticSchedule:
    actors = tuple(Actor(f"op{row}", "Conv2D", False, "", row) for row in range(200))
    places = [index * factor % 50_000 for index in range(count)]
    firings = tuple(
        Firing(index % 200, index // 200, place, place + index % 7)
        for index, place in enumerate(places)
    )
    return StaticSchedule(actors, firings)


def test_small_data_travel_as_they_are() -> None:
    view = workbench(*residual())
    assert (view._packed, view._apart) == (b"", 0)
    view.close()


def test_larger_data_travel_packed() -> None:
    scene = build_scene(schedule=bars(20_000, 1))
    view = Workbench(scene)
    assert (view._meta, view._columns, view._apart) == ({}, b"", 0)
    assert len(view._packed) <= SAVED["packedBytes"]
    text = gzip.decompress(view._packed)
    meta, columns = scene.payload()
    assert text.endswith(columns)
    assert int.from_bytes(text[:4], "little") == len(text) - 4 - len(columns)
    assert view_data(meta, columns).packed == view._packed
    view.close()


@pytest.mark.parametrize("factor", [1, 48_271])
def test_the_largest_data_are_not_saved_but_sent_when_asked_for(
    factor: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    view = Workbench(build_scene(schedule=bars(100_000, factor)))
    saved = view.get_state()
    assert (view._meta, view._columns, view._packed) == ({}, b"", b"")
    assert len(repr(saved)) < 10_000
    sent: list[tuple[Any, list[bytes]]] = []
    monkeypatch.setattr(
        type(view), "send", lambda _, content, buffers=None: sent.append((content, buffers))
    )
    view._give_data(view, {"ask": "something else"}, [])
    view._give_data(view, {"ask": "data"}, [])
    [(content, [data])] = sent
    assert content == {"data": view._apart}
    assert gzip.decompress(data).endswith(view.scene.payload()[1])
    first = view._apart
    view.scene = build_scene(schedule=bars(100_000, factor + 2))
    assert view._apart > first  # the page asks again
    view.scene = build_scene(*residual())
    assert (view._apart, view._packed) == (0, b"")
    assert view._meta["title"] == "residual"
    view.close()


def test_a_view_of_100_000_bars_is_small_when_saved() -> None:
    view = Workbench(build_scene(schedule=bars(100_000, 1)))
    bundle, _ = view._repr_mimebundle_()
    assert "image/png" in bundle
    assert sum(len(repr(value)) for value in bundle.values()) <= SAVED["pictureBytes"]
    view.close()
