"""Python's side of the page on which a network is dropped."""

from __future__ import annotations

import gzip
import io
import json
import zipfile
from pathlib import Path
from typing import Any

import onnx
import pytest
from onnx import helper

from aidge_nb import load_onnx, zoo
from aidge_nb.core.errors import AidgeError, OnnxError
from aidge_nb.report.offered import OFFERED, offered
from aidge_nb.report.tab import Tab, answer
from aidge_nb.widgets.exploration import Exploration, Settings

RECORDED = Path(__file__).resolve().parents[1] / "tflite_io" / "recorded"


def meta_of(packed: bytes) -> dict[str, Any]:
    data = gzip.decompress(packed)
    length = int.from_bytes(data[:4], "little")
    found: dict[str, Any] = json.loads(data[4 : 4 + length])
    return found


@pytest.fixture
def tab() -> Tab:
    tab = Tab()
    tab.open({"lenet.onnx": zoo.build("lenet").to_bytes()})
    return tab


def test_a_file_is_studied() -> None:
    told, packed = Tab().open({"mine.onnx": zoo.build("lenet").to_bytes()})
    said = json.loads(told)
    assert (said["title"], said["summary"]) == ("mine", "mine: 12 operators, 13 steps, peak 23 KiB")
    assert said["findings"][0].startswith("PEAK: 23 KiB while pool1 runs")
    assert [each["name"] for each in said["controls"]][:2] == ["policy", "strategy"]
    assert meta_of(packed)["title"] == "mine"


def test_one_operator_is_not_called_operators() -> None:
    content = (RECORDED / "matrices.tflite").read_bytes()
    told = json.loads(Tab().open({"matrices.tflite": content})[0])
    assert told["summary"] == "matrices: 1 operator, 2 steps, peak 24 B"


@pytest.mark.parametrize("name", json.loads(offered())["zoo"])
def test_every_model_that_is_offered_is_there(name: str) -> None:
    assert name in OFFERED
    told, _ = Tab().open_zoo(name)
    assert json.loads(told)["findings"]


def test_settings_plan_it_anew(tab: Tab) -> None:
    told, packed = tab.plan(json.dumps({"in_place": False}))
    verdict = json.loads(told)["verdict"]
    graph = load_onnx(zoo.build("lenet"))
    graph.set_backend("cpu")
    graph.forward_dims([[1, 1, 32, 32]])
    expected = Exploration(graph).planned(Settings(in_place=False)).memory
    assert expected is not None
    assert meta_of(packed)["memory"]["peak"] == expected.peak
    assert "against the plan at first" in verdict


def test_the_layers_at_the_peak_in_tiles(tab: Tab) -> None:
    told, packed = tab.tile("")
    said = json.loads(told)
    first = {each["name"]: each["value"] for each in said["controls"]}
    assert set(first) == {"rows", "columns", "halo"}
    assert " … " in said["summary"]
    assert said["summary"].endswith(" instead of 23 KiB")
    assert len(meta_of(packed)["tiles"]["maps"]) > 2
    _, other = tab.tile(json.dumps({**first, "rows": 5}))
    assert "in 5 tiles" in meta_of(other)["title"]
    assert json.loads(tab.tile(json.dumps(first))[0]) == said
    with pytest.raises(AidgeError):
        tab.tile(json.dumps({**first, "rows": 999}))
    assert tab.plan("{}"), "the network is still there"


def test_a_search_for_more_changes_finds_others_with_their_price(
    tab: Tab, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("aidge_nb.report.tab.ADVICE_SECONDS", 60.0)
    before = json.loads(tab.open_zoo("inception_like")[0])["findings"]
    said = json.loads(tab.advise("{}")[0])
    assert set(said["findings"]) - set(before), "changes that a quick search does not try"
    fits = json.loads(tab.advise(json.dumps({"budget": 200_000}))[0])["findings"]
    assert any("200,000" in line or "195 KiB" in line for line in fits), fits
    assert said["summary"].startswith("inception_like: DO THIS: ")
    assert "stopped" not in " ".join(said["notes"])
    page = tab.save("report")[1].decode()
    assert page.startswith("<!DOCTYPE html>")


def test_what_has_no_plan_has_no_tiles_and_no_advice(tab: Tab) -> None:
    with pytest.raises(AidgeError, match="no network is open"):
        Tab().tile("")
    with pytest.raises(AidgeError, match="no network is open"):
        Tab().advise("{}")
    tab.open_zoo("lstm_classifier")
    with pytest.raises(AidgeError, match="no layers around the peak need less"):
        tab.tile("")


def test_data_beside_the_model(tmp_path: Any) -> None:
    proto = zoo.build("lenet").to_proto()
    onnx.save(proto, tmp_path / "big.onnx", save_as_external_data=True, location="big.bin")
    files = {name: (tmp_path / name).read_bytes() for name in ("big.onnx", "big.bin")}
    assert json.loads(Tab().open(files)[0])["title"] == "big"
    with pytest.raises(OnnxError, match="does not exist"):
        Tab().open({"big.onnx": files["big.onnx"]})


def test_files_that_cannot_be_studied(tab: Tab) -> None:
    with pytest.raises(OnnxError, match=r"^notes.txt: this is not an ONNX model .*plain text"):
        tab.open({"notes.txt": b"hello"})
    model = zoo.build("lenet").to_bytes()
    with pytest.raises(OnnxError, match=r"one of them must be a model.*found a.onnx, b.onnx"):
        tab.open({"a.onnx": model, "b.onnx": model})
    assert tab.save("plan")[0] == "lenet_plan.csv", "what was open is still there"


def test_a_network_without_dimensions_has_no_plan_and_says_why() -> None:
    value = helper.make_tensor_value_info
    node = helper.make_node("Swirl", ["x"], ["y"], name="swirl", domain="own")
    graph = helper.make_graph([node], "g", [value("x", 1, ["N", 3])], [value("y", 1, None)])
    opsets = [helper.make_opsetid("", 17), helper.make_opsetid("own", 1)]
    content = helper.make_model(graph, opset_imports=opsets).SerializeToString()
    tab = Tab()
    told, _ = tab.open({"swirl.onnx": content})
    said = json.loads(told)
    assert said["controls"] == []
    assert any("no memory layout" in note for note in said["notes"])
    with pytest.raises(AidgeError, match="there is no memory layout"):
        tab.save("plan")


def test_what_can_be_saved(tab: Tab) -> None:
    saved = {kind: tab.save(kind) for kind in ("report", "picture", "plan", "schedule", "c")}
    assert [name for name, _ in saved.values()] == [
        "lenet_report.html",
        "lenet.svg",
        "lenet_plan.csv",
        "lenet_schedule.csv",
        "lenet_c.zip",
    ]
    assert saved["report"][1].startswith(b"<!DOCTYPE html>")
    assert saved["picture"][1].startswith(b"<svg")
    with zipfile.ZipFile(io.BytesIO(saved["c"][1])) as archive:
        assert "lenet/Makefile" in archive.namelist()
    with pytest.raises(AidgeError, match="there is no such file"):
        tab.save("gold")


def test_the_page_goes_on_whatever_happens(capsys: pytest.CaptureFixture[str]) -> None:
    tab = Tab()
    assert answer(tab.save, "plan")[0] == "page: no network is open. Drop a file first."
    assert "settings" not in answer(tab.open_zoo, "swirl")[0]

    def fail() -> None:
        raise KeyError("oh")

    error, found = answer(fail)
    assert error.startswith("this is a defect of aidge_nb")
    assert found is None
    assert "KeyError" in capsys.readouterr().err

    def fill() -> None:
        raise MemoryError

    assert "not enough memory in this tab" in answer(fill)[0]
