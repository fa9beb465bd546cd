"""The table of formats: one more line, and all entrances read such files."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from aidge_nb import load_model, load_onnx, zoo
from aidge_nb.cli import main
from aidge_nb.core.errors import OnnxError
from aidge_nb.graph.view import GraphView
from aidge_nb.report import readers, study
from aidge_nb.report.offered import offered
from aidge_nb.report.tab import Tab

MARK = b"TOYS"
CONTENT = b"\0\0\0\0" + MARK + zoo.build("lenet").to_bytes()


def load_toy(source: Any) -> GraphView:
    content = source if isinstance(source, bytes) else Path(source).read_bytes()
    return load_onnx(content[8:])


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> readers.ModelReader:
    """Add a format: this line is all that a new one takes."""
    line = readers.ModelReader("Toy", (".toy",), __name__, "load_toy", MARK, 4)
    monkeypatch.setattr(readers, "READERS", (*readers.READERS, line))
    return line


@pytest.mark.parametrize("name", ["net.toy", "NET.TOY", "net.onnx", "net"])
def test_a_new_line_reads_files_by_ending_and_by_content(
    toy: readers.ModelReader, tmp_path: Path, name: str
) -> None:
    (tmp_path / name).write_bytes(CONTENT)
    assert readers.reader_of(tmp_path / name) is toy
    same = study(zoo.build("lenet")).plan
    found = study(tmp_path / name)
    assert found.title == Path(name).stem
    assert found.plan is not None
    assert same is not None
    assert found.plan.peak == same.peak
    assert len(load_model(str(tmp_path / name)).get_nodes()) == 22


def test_the_command_and_the_page_read_it_too(
    toy: readers.ModelReader, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "net.toy").write_bytes(CONTENT)
    assert main(["schedule", str(tmp_path / "net.toy"), "-q"]) == 0
    assert "pool1" in capsys.readouterr().out
    assert main(["report", "--help"]) == 0
    assert "an ONNX or TFLite or Toy file" in capsys.readouterr().out
    assert json.loads(offered())["file"] == "an .onnx or .tflite or .toy file"
    assert json.loads(Tab().open({"net.toy": CONTENT, "more.bin": b""})[0])["title"] == "net"


def test_what_the_page_offers_is_known_before_the_library_is_imported() -> None:
    code = (
        "import sys; from aidge_nb.report.offered import offered; offered();"
        "print(len([name for name in sys.modules if name.startswith('aidge_nb')]))"
    )
    ran = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert int(ran.stdout) < 30


def test_what_no_format_claims_is_explained_by_the_first(tmp_path: Path) -> None:
    (tmp_path / "net.toy").write_bytes(b"hello")
    with pytest.raises(OnnxError, match="not an ONNX model"):
        load_model(tmp_path / "net.toy")
    with pytest.raises(OnnxError, match="does not exist"):
        load_model(tmp_path / "none.toy")


def test_inputs_of_other_formats_are_those_of_the_file(toy: readers.ModelReader) -> None:
    with pytest.raises(OnnxError, match="the inputs of Toy files are what the file says"):
        load_model(CONTENT, dims={"data": [1, 1, 32, 32]})
    view = load_model(zoo.build("mlp", batch="N"), dims={"data": [2, 784]})
    assert view.annotations["onnx"].inputs[0].dims == ("N", 784)
