"""The commands on a model of the worst names: the terminal and every file stay what they are."""

from __future__ import annotations

import csv
import json
import re
from pathlib import Path

import onnx
import pytest

from aidge_nb.cli import main
from aidge_nb.core.text import csv_plain
from tests.hostile.models import model
from tests.hostile.names import MARKER, WORST
from tests.hostile.test_export import mixed

CONTROLS = re.compile("[\x00-\x09\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2066-\u2069]")


def check_terminal(capsys: pytest.CaptureFixture[str]) -> str:
    captured = capsys.readouterr()
    assert not CONTROLS.search(captured.out + captured.err)
    assert "Traceback" not in captured.err
    assert "defect" not in captured.err
    return captured.out


@pytest.fixture(params=range(4))
def path(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    onnx.save(model(mixed(request.param)), tmp_path / "model.onnx")
    return "model.onnx"


def test_tables(path: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["schedule", path, "-q"]) == 0
    assert len(check_terminal(capsys).splitlines()) == 1 + 4 + 1
    assert main(["memory", path, "-q"]) == 0
    assert len(check_terminal(capsys).splitlines()) == 1 + 4 + 1


def test_files(path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["report", path, "--run", "-q"]) == 0
    page = (tmp_path / "model.html").read_text()
    assert "<script>alert(1)" not in page
    for suffix in ("mmd", "csv", "json", "svg"):
        assert main(["schedule", path, "-q", "-o", f"s.{suffix}"]) == 0
    lines = (tmp_path / "s.mmd").read_text().splitlines()
    assert len(lines) == 4 + 4 + 1
    assert not any("%" in line for line in lines[3:])
    for suffix in ("csv", "json", "svg"):
        assert main(["memory", path, "-q", "-o", f"m.{suffix}"]) == 0
    for name in ("s.csv", "m.csv"):
        with (tmp_path / name).open(newline="") as file:
            rows = list(csv.reader(file))
        assert {len(row) for row in rows} == {len(rows[0])}
        assert not any(cell.startswith(tuple("=+-@\t\r")) for row in rows for cell in row)
    assert not CONTROLS.search((tmp_path / "m.svg").read_text())
    check_terminal(capsys)


def test_a_table_of_buffers_is_planned_by_the_same_names(
    path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["memory", path, "-q", "-o", "m.csv"]) == 0
    assert main(["memory", path, "-q", "-o", "m.json"]) == 0
    names = [each["name"] for each in json.loads((tmp_path / "m.json").read_text())["buffers"]]
    with (tmp_path / "m.csv").open(newline="") as file:
        rows = [row[:4] for row in csv.reader(file)]
    with (tmp_path / "p.csv").open("w", newline="") as file:
        csv.writer(file).writerows(rows)
    assert main(["plan", "p.csv", "-q", "-o", "q.csv"]) == 0
    with (tmp_path / "q.csv").open(newline="") as file:
        found = [csv_plain(row[0]) for row in csv.reader(file)]
    assert found[1:] == names
    assert main(["plan", "q.csv", "--check", "-q"]) == 0
    assert main(["plan", "q.csv", "-q"]) == 0
    check_terminal(capsys)


def test_export(path: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["export", path, "-o", "made"]) == 0
    assert len(check_terminal(capsys).splitlines()) == 3
    assert not list(tmp_path.rglob(MARKER))


@pytest.mark.parametrize("payload", WORST.values(), ids=WORST)
def test_an_error_names_the_node_in_printable_characters(
    payload: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    made = model(lambda name: payload + name)
    made.graph.node[1].op_type = "NoSuch\x1b[31m\u202eOperator"
    onnx.save(made, tmp_path / "m.onnx")
    assert main(["export", str(tmp_path / "m.onnx"), "-o", str(tmp_path / "no")]) == 2
    check_terminal(capsys)
    assert not (tmp_path / "no").exists()
