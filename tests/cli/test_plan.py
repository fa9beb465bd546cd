"""The command ``aidge-nb plan``: figures, files and exit codes."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from aidge_nb.cli import main
from aidge_nb.memory import check_offsets
from aidge_nb.memory.place.problem import read_solution

DATA = Path(__file__).parents[1] / "memory" / "place" / "data"
A = str(DATA / "minimalloc" / "A.1048576.csv")
P2 = str(DATA / "planted" / "P2_150.1048576.csv")
HEADER = "id,lower,upper,size"

Write = Callable[[str], str]


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Give what writes the file that is asked about."""

    def put(text: str) -> str:
        (tmp_path / "in.csv").write_text(text, encoding="utf-8")
        return "in.csv"

    return put


def test_a_hard_problem_fits(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", A, "--capacity", "1048576", "-o", "out.csv"]) == 0
    out, err = capsys.readouterr()
    assert out.startswith("peak 1048576 bytes, lower bound 1048576 bytes, gap 0 bytes (optimal)\n")
    assert out.endswith("fits 1048576 bytes\nout.csv\n")
    assert err == ""
    problem, offsets = read_solution(Path("out.csv").read_text(encoding="utf-8"))
    assert offsets is not None
    check_offsets(list(problem.values()), offsets, capacity=1048576)
    assert main(["plan", "out.csv", "--check", "--capacity", "1048576"]) == 0
    assert "no two of 154 buffers overlap: peak 1048576 bytes" in capsys.readouterr().out


def test_what_was_not_fitted_is_not_written(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["plan", P2, "--capacity", "1048576", "--time-limit", "0", "-o", "out.csv"]
    assert main(arguments) == 1
    out, err = capsys.readouterr()
    assert "% above)" in out
    assert "does not fit 1048576 bytes: " in err
    assert "search longer with --time-limit" in err
    assert not Path("out.csv").exists()


def test_without_a_capacity_everything_is_placed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", P2, "--time-limit", "0", "-o", "out.csv"]) == 0
    assert Path("out.csv").exists()
    assert "fit" not in capsys.readouterr().out


def test_offsets_are_aligned(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(f"{HEADER}\na,0,2,3\nb,1,3,3\n")
    assert main(["plan", path, "--alignment", "16"]) == 0
    assert "peak 32 bytes" in capsys.readouterr().out


def test_what_cannot_fit_is_proven(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    ranges = ["3,5,2", "1,4,2", "4,8,4", "5,8,4", "2,3,4", "1,5,2", "0,2,4", "0,1,4"]
    path = write("\n".join([HEADER, *(f"{i},{each}" for i, each in enumerate(ranges))]))
    assert main(["plan", path, "--capacity", "9"]) == 1
    assert "no placement can fit" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("rows", "capacity", "code", "message"),
    [
        ("a,0,2,10,0 b,1,3,10,10", "20", 0, "fits 20 bytes"),
        ("a,0,2,10,0 b,1,3,10,10", "19", 1, "does not fit 19 bytes: 1 bytes too many"),
        ("a,0,2,10,0 b,1,3,10,4", "99", 1, "buffers a and b: overlap at tick 1 in bytes 4 to 10"),
        ("a,0,2,10,-8", "99", 1, "buffer a: negative offset (found -8)"),
    ],
)
def test_offsets_are_checked(
    write: Write,
    capsys: pytest.CaptureFixture[str],
    rows: str,
    capacity: str,
    code: int,
    message: str,
) -> None:
    path = write("\n".join([f"{HEADER},offset", *rows.split()]))
    assert main(["plan", path, "--check", "--capacity", capacity]) == code
    assert message in "".join(capsys.readouterr())


@pytest.mark.parametrize(
    ("text", "arguments", "message"),
    [
        ("", [], "in.csv, line 1: wrong header"),
        (f"{HEADER}\na,0,2,x\n", [], "in.csv, line 2, buffer a: size is not a whole number"),
        (f"{HEADER}\na,0,2,9\nb,1,3,9\n", ["--capacity", "17"], "tick 1: what lives then exceeds"),
        (f"{HEADER}\na,0,2,9\n", ["--capacity", "8"], "buffer a: is larger than the memory by 1"),
        (f"{HEADER}\na,0,2,9\n", ["--capacity", "-1"], "capacity: too small"),
        (f"{HEADER}\na,0,2,9\n", ["--time-limit", "nan"], "time_limit: is not an amount"),
        (f"{HEADER}\na,0,2,9\n", ["--solver", "magic"], "--solver: unknown"),
        (f"{HEADER}\na,0,2,9\n", ["--check"], "in.csv, line 1: nothing to check"),
        (f"{HEADER}\na,0,2,9\n", ["-o", "no/out.csv"], "no/out.csv: the folder no does not exist"),
        (f"{HEADER}\na,0,2,9\n", ["-o", "out.txt"], "out.txt: unknown format '.txt'"),
    ],
)
def test_bad_input_is_refused(
    write: Write,
    capsys: pytest.CaptureFixture[str],
    text: str,
    arguments: list[str],
    message: str,
) -> None:
    assert main(["plan", write(text), "-o", "out.csv", *arguments]) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith(f"aidge-nb: {message}")
    assert not Path("out.csv").exists()


def test_what_cannot_be_read_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "in.csv").write_bytes(b"id\xff\xfe")
    assert main(["plan", "in.csv"]) == 2
    assert main(["plan", "no.csv"]) == 2
    err = capsys.readouterr().err
    assert "in.csv: is not text (expected UTF-8" in err
    assert "no.csv: No such file" in err


def test_people_see_how_it_goes(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    assert main(["plan", A]) == 0
    err = capsys.readouterr().err
    assert "0.00% above the bound, by assembling blocks" in err
    assert err.endswith("\r\033[K")


def test_a_check_speaks_of_no_search(write: Write, capsys: pytest.CaptureFixture[str]) -> None:
    path = write(f"{HEADER},offset\na,0,2,10,0\nb,1,3,10,13\n")
    assert main(["plan", path, "--check", "--capacity", "20"]) == 1
    out, err = capsys.readouterr()
    assert out == (
        "no two of 2 buffers overlap: peak 23 bytes, lower bound 20 bytes, gap 3 bytes\n"
    )
    assert "does not fit 20 bytes: 3 bytes too many; leave out --check" in err
    assert main(["plan", path, "--check", "--capacity", "19"]) == 1
    err = capsys.readouterr().err
    assert "4 bytes too many; no placement can fit" in err
    assert "time-limit" not in err
    assert main(["plan", path, "--capacity", "20"]) == 0


def test_planning_and_checking_count_alike(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--alignment", "64"]
    assert main(["plan", A, "-o", "out.csv", "--time-limit", "0", *arguments]) == 0
    planned = capsys.readouterr().out
    figures = planned.partition(" (")[0]
    assert main(["plan", "out.csv", "--check", *arguments]) == 0
    checked = capsys.readouterr().out
    assert f"overlap, all offsets are multiples of 64: {figures}\n" in checked
    assert main(["plan", "out.csv", "--check", "--alignment", "0"]) == 2
    assert "alignment: too small" in capsys.readouterr().err


def test_few_offsets_are_printed_and_many_can_be_written(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(f"{HEADER}\na,0,2,10\nlonger,1,3,200\n")
    assert main(["plan", path]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "offset  bytes  from  until  buffer"
    rows = {name: int(offset) for offset, _, _, _, name in map(str.split, lines[1:3])}
    problem, _ = read_solution(Path(path).read_text(encoding="utf-8"))
    check_offsets(list(problem.values()), [rows[name] for name in problem], capacity=210)
    assert lines[3].startswith("peak 210 bytes")
    assert main(["plan", path, "-o", "out.csv"]) == 0
    assert "offset  bytes" not in capsys.readouterr().out
    assert main(["plan", A, "--time-limit", "0"]) == 0
    out = capsys.readouterr().out
    assert "offset  bytes" not in out
    assert "-o OUT.csv writes the offsets" in out


def test_the_table_of_a_plan_is_opened(capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("onnx")
    assert main(["memory", "zoo:lenet", "-q", "-o", "m.csv"]) == 0
    capsys.readouterr()
    assert main(["plan", "m.csv"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("m.csv: ")
    assert "nothing wasted\nPEAK: " in out
    assert main(["plan", "m.csv", "--check"]) == 0
    assert "buffers overlap: peak" in capsys.readouterr().out


def test_a_plan_that_was_read_is_shown_and_drawn(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    path = write(f"{HEADER},offset\na,0,2,64,0\nb,2,4,64,64\n")
    assert main(["plan", path, "-o", "out.html"]) == 0
    out = capsys.readouterr().out
    assert out.startswith("in.csv: 2 buffers over 4 ticks, peak 128 bytes, lower bound 64 bytes, ")
    assert "64 bytes wasted\nPEAK: 128 B while tick 0 runs (tick 0): a 64 B, holes 64 B\n" in out
    assert "placed again:\npeak 64 bytes" in out
    assert "Lay out again" in Path("out.html").read_text(encoding="utf-8")
    assert main(["plan", path, "-o", "out.svg"]) == 0
    assert Path("out.svg").read_text(encoding="utf-8").startswith("<svg")
    path = write(f"{HEADER},offset\na,0,2,64,0\nb,1,4,64,32\n")
    assert main(["plan", path]) == 0
    out, err = capsys.readouterr()
    assert "note: in.csv: buffers a and b: overlap at tick 1" in err
    assert "peak 128 bytes" in out


FOREIGN = sorted(
    path
    for path in (Path(__file__).parents[1] / "plan_io" / "samples").iterdir()
    if path.suffix not in (".py", ".md", ".bin") and path.is_file() and "clock" not in path.stem
)


@pytest.mark.parametrize("path", FOREIGN, ids=lambda path: path.name)
def test_plans_of_other_tools_open_in_one_page(
    path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", str(path), "-o", "out.html"]) == 0
    out, err = capsys.readouterr()
    assert "gap 0 bytes (optimal)" in out
    assert err == ""
    assert path.name in Path("out.html").read_text(encoding="utf-8")


def test_broken_plans_of_other_tools_are_bad_input(capsys: pytest.CaptureFixture[str]) -> None:
    Path("x.txt").write_text("[RecordingMicroAllocator] Arena size 5\n", encoding="utf-8")
    assert main(["plan", "x.txt"]) == 2
    assert "x.txt, line 1: is not understood (found " in capsys.readouterr().err


@pytest.mark.parametrize(
    "capacity", ["1024KiB", "1MiB", "1 MiB", "1048576B", "1048.576kB", "1_048_576"]
)
def test_a_capacity_may_have_a_unit(capacity: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["plan", A, "--capacity", capacity]) == 0
    assert "fits 1048576 bytes\n" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("capacity", "message"),
    [
        ("1.5", "needs a number and a unit"),
        ("64 kilo", "units are B, KiB"),
        ("0.3KiB", "must be a whole number of bytes"),
        ("", "needs a number and a unit"),
    ],
)
def test_what_is_no_capacity_is_refused(
    capacity: str, message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["plan", A, "--capacity", capacity, "-o", "out.csv"]) == 2
    assert message in capsys.readouterr().err
    assert not Path("out.csv").exists()


def test_solvers_are_compared_on_files(
    write: Write, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    write("id,lower,upper,size,offset\na,0,2,8,0\nb,1,3,8,32\n")
    (tmp_path / "other.csv").write_text("id,lower,upper,size\n=1+1,0,2,8\n", encoding="utf-8")
    assert main(["plan", "--compare", "in.csv", "other.csv", "--time-limit", "5"]) == 0
    out = capsys.readouterr().out
    rows = [line.split() for line in out.splitlines()]
    assert ["2", "16", "16", "0.00%"] in [row[:4] for row in rows if "aidge_nb" in row]
    (given,) = [row for row in rows if "file" in row]
    assert given[:4] == ["2", "40", "16", "150.00%"]
    assert "TFLM greedy" in out
    assert "Aidge as reserved" in out
    assert sum("other.csv" in line and "optimal" in line for line in out.splitlines()) >= 6


@pytest.mark.parametrize("suffix", ["csv", "json", "svg"])
def test_a_comparison_is_written(
    write: Write, tmp_path: Path, suffix: str, capsys: pytest.CaptureFixture[str]
) -> None:
    write("id,lower,upper,size\na,0,2,8\nb,1,3,8\n")
    assert main(["plan", "--compare", "in.csv", "-o", f"out.{suffix}", "--time-limit", "5"]) == 0
    text = (tmp_path / f"out.{suffix}").read_text(encoding="utf-8")
    assert "aidge_nb" in text
    assert "in.csv" in text
    assert capsys.readouterr().out.endswith(f"out.{suffix}\n")


def test_one_file_is_asked_for_and_comparing_is_not_checking(
    write: Write, capsys: pytest.CaptureFixture[str]
) -> None:
    write("id,lower,upper,size\na,0,2,8\n")
    assert main(["plan"]) == 2
    assert main(["plan", "in.csv", "in.csv"]) == 2
    assert main(["plan", "--compare", "--check", "in.csv"]) == 2
    assert main(["plan", "--compare", "--time-limit", "0", "in.csv"]) == 2
    err = capsys.readouterr().err
    assert "reads one file (expected FILE, found none)" in err
    assert "found in.csv, in.csv" in err
    assert "cannot be combined with --check" in err
    assert "--time-limit: is not an amount" in err
