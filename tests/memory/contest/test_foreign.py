"""Programs of others: how they are asked, what of their answers counts, and when they are ended.

Neither is installed with the tests: scripts and a package that behave alike stand in for them. The
real ones (minimalloc at commit 9f5cf81, omnimalloc 1.0.0) were asked by hand.
"""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from aidge_nb.memory import LiveRange, compare_solvers
from aidge_nb.memory.contest import foreign
from aidge_nb.memory.contest.foreign import ask_minimalloc, ask_omnimalloc

RANGES = [LiveRange(0, 2, 8), LiveRange(1, 3, 16)]

MINIMALLOC = """#!{python}
import sys
options = dict(each.lstrip("-").split("=") for each in sys.argv[1:])
lines = open(options["input"]).read().split()
assert lines == ["id,lower,upper,size", "0,0,2,8", "1,1,3,16"], lines
assert (options["capacity"], options["timeout"]) == ("24", "3s")
{answer}
"""

OMNIMALLOC = """
import time
class Allocation:
    def __init__(self, id, size, start, end, offset=None):
        self.id, self.size, self.start, self.end, self.offset = id, size, start, end, offset
class Greedy:
    def __init__(self, timeout=None): self.timeout = timeout
def allocate(given, allocator):
    assert allocator.timeout == 3
    {answer}
"""


@pytest.fixture
def minimalloc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("PATH", str(tmp_path), prepend=":")
    return tmp_path / "minimalloc"


def write_program(path: Path, answer: str) -> None:
    path.write_text(MINIMALLOC.format(python=sys.executable, answer=answer), encoding="utf-8")
    path.chmod(0o755)


WRITES = "open(options['output'], 'w').write('id,lower,upper,size,offset\\n{rows}')"


@pytest.mark.skipif(sys.platform == "win32", reason="scripts are no programs there")
@pytest.mark.parametrize(
    ("answer", "offsets", "note"),
    [
        (WRITES.format(rows="1,1,3,16,0\\n0,0,2,8,16\\n"), [16, 0], ""),
        (WRITES.format(rows="1,1,3,16,0\\n"), None, "its answer lists other buffers"),
        (WRITES.format(rows="1,1\\n"), None, "wrong number of cells"),
        (
            "sys.exit('Elapsed 3s\\nDEADLINE_EXCEEDED: Late.\\nsolver.cc:215')",
            None,
            "DEADLINE_EXCEEDED",
        ),
        ("sys.exit('Opening file failed.')", None, "Opening file failed."),
        ("pass", None, "ended with exit code 0"),
    ],
)
def test_minimalloc_is_asked_for_the_bound(
    minimalloc: Path, answer: str, offsets: list[int] | None, note: str
) -> None:
    write_program(minimalloc, answer)
    found = ask_minimalloc(RANGES, 3)
    assert found.offsets == offsets
    assert note in found.note


@pytest.mark.skipif(sys.platform == "win32", reason="scripts are no programs there")
def test_a_program_that_does_not_end_is_ended(
    minimalloc: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(foreign, "_GRACE", -2.0)
    write_program(minimalloc, "import time; time.sleep(600)")
    assert ask_minimalloc(RANGES, 3) == (None, 0, "not in time", None)


@pytest.fixture
def omnimalloc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    package = tmp_path / "omnimalloc"
    package.mkdir()
    (package / "allocators.py").write_text(
        "from omnimalloc import Greedy\n"
        "class BaseAllocator:\n"
        "    registry = staticmethod(lambda: {'greedy': Greedy})\n",
        encoding="utf-8",
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    return package / "__init__.py"


def test_omnimalloc_is_asked_in_a_process_of_its_own(omnimalloc: Path) -> None:
    answer = "return [Allocation(a.id, a.size, a.start, a.end, 16 * (1 - a.id)) for a in given]"
    omnimalloc.write_text(OMNIMALLOC.format(answer=answer), encoding="utf-8")
    found = ask_omnimalloc("greedy", RANGES, 3)
    assert found.offsets == [16, 0]
    assert found.seconds is not None


def test_what_omnimalloc_says_when_it_fails_is_told(omnimalloc: Path) -> None:
    answer = "raise ValueError('no placement was found')"
    omnimalloc.write_text(OMNIMALLOC.format(answer=answer), encoding="utf-8")
    assert ask_omnimalloc("greedy", RANGES, 3) == (
        None,
        0,
        "ValueError: no placement was found",
        None,
    )


def test_those_that_are_missing_are_named(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    board = compare_solvers({"two": RANGES}, only=["minimalloc"])
    assert board.results == ()
    (line,) = board.how_to_get()
    assert line.startswith("not installed: minimalloc: build it from github.com/google/minimalloc")
