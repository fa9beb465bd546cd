"""Nothing that might be a solution reaches students: marks are followed, or refused."""

import ast
import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aidge_nb.core.errors import AidgeError
from aidge_nb.course.release import STUB, main, release

SECRET = "forty_two"


def notebook(*sources: str, cell_type: str = "code") -> dict[str, Any]:
    """Make a notebook of cells."""
    cells = [{"cell_type": cell_type, "source": text, "metadata": {}} for text in sources]
    return {"cells": cells}


def released(text: str) -> str:
    """Release a notebook of one cell."""
    return str(release(notebook(text))["cells"][0]["source"])


ACCEPTED = {
    "as nbgrader has it": "### BEGIN SOLUTION\nx = forty_two\n### END SOLUTION\n",
    "trailing spaces": "### BEGIN SOLUTION  \nx = forty_two\n### END SOLUTION\t\n",
    "windows lines": "### BEGIN SOLUTION\r\nx = forty_two\r\n### END SOLUTION\r\n",
    "old mac lines": "### BEGIN SOLUTION\rx = forty_two\r### END SOLUTION\r",
    "lower case": "### begin solution\nx = forty_two\n### end solution",
    "one hash": "# BEGIN SOLUTION\nx = forty_two\n# END SOLUTION",
    "no space": "###BEGIN SOLUTION\nx = forty_two\n###END SOLUTION",
    "two of them": "### BEGIN SOLUTION\nforty_two\n### END SOLUTION\n" * 2,
    "hidden tests": "a = 1\n### BEGIN HIDDEN TESTS\nforty_two\n### END HIDDEN TESTS\n",
}


@pytest.mark.parametrize("text", ACCEPTED.values(), ids=ACCEPTED.keys())
def test_marks_are_followed(text: str) -> None:
    found = released(text)
    assert SECRET not in found
    assert "SOLUTION" not in found.upper()
    assert (STUB in found) == ("hidden" not in text.lower())


def test_indented_marks_keep_the_block() -> None:
    text = (
        "def f():\n    ### BEGIN SOLUTION\n    return forty_two\n    ### END SOLUTION\n"
        "    ### BEGIN HIDDEN TESTS\n    forty_two\n    ### END HIDDEN TESTS\n"
    )
    assert released(text) == f"def f():\n    {STUB}"


REFUSED = {
    "no end": "### BEGIN SOLUTION\nforty_two\n",
    "no begin": "forty_two\n### END SOLUTION\n",
    "crossed": "### BEGIN SOLUTION\nforty_two\n### END HIDDEN TESTS\n",
    "nested": "### BEGIN SOLUTION\n### BEGIN SOLUTION\nforty_two\n### END SOLUTION\n"
    "### END SOLUTION\n",
    "hidden inside a solution": "### BEGIN SOLUTION\n### BEGIN HIDDEN TESTS\nforty_two\n"
    "### END HIDDEN TESTS\n### END SOLUTION\n",
    "beside code": "x = 1  ### BEGIN SOLUTION\nforty_two\n### END SOLUTION\n",
    "another spelling": "### BEGIN_SOLUTION\nforty_two\n### END_SOLUTION\n",
    "with marks that do not show": "### BEGIN\u200b SOLUTION\nforty_two\n### END\u200b SOLUTION\n",
    "of wide letters": "### \uff22\uff25\uff27\uff29\uff2e SOLUTION\nforty_two\n",
    "with more words": "### BEGIN SOLUTION (easy)\nforty_two\n### END SOLUTION\n",
    "the only statement": "if True:\n    ### BEGIN HIDDEN TESTS\n    forty_two\n"
    "    ### END HIDDEN TESTS\n",
}


@pytest.mark.parametrize("text", REFUSED.values(), ids=REFUSED.keys())
def test_what_cannot_be_followed_is_refused(text: str) -> None:
    with pytest.raises(AidgeError, match="notebook, cell 1"):
        released(text)


def test_marks_in_text_are_refused() -> None:
    with pytest.raises(AidgeError, match="cell 1: a mark outside of code"):
        release(notebook("### BEGIN SOLUTION\nforty_two", cell_type="markdown"))


LINES = st.lists(
    st.sampled_from(
        [
            "### BEGIN SOLUTION",
            "### END SOLUTION",
            "  # begin solution ",
            "\t## End Solution",
            "### BEGIN HIDDEN TESTS",
            "### END HIDDEN TESTS",
            "forty_two",
            "    forty_two",
            "a = 1",
            "if a:",
            "%matplotlib inline",
        ]
    ),
    max_size=8,
)


@given(lines=LINES, ends=st.sampled_from(["\n", "\r\n", "\r"]))
def test_accepted_or_refused_and_never_a_leak(lines: list[str], ends: str) -> None:
    """A reader of our own says which lines lie between marks."""
    depth, secrets = 0, 0
    for line in lines:
        words = line.lower()
        depth += ("begin" in words) - ("end" in words)
        secrets += "forty_two" in words and depth == 0
    try:
        found = released(ends.join(lines))
    except AidgeError:
        return
    assert found.count(SECRET) == secrets
    assert "begin" not in found.lower()
    try:
        ast.parse("\n".join(lines).replace("%matplotlib inline", "pass"))
    except SyntaxError:
        return
    ast.parse(found.replace("%matplotlib inline", "pass"))


def test_the_command_writes_nothing_when_one_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    source, target = tmp_path / "source", tmp_path / "release"
    source.mkdir()
    good = json.dumps(notebook("a = 1"))
    (source / "a.ipynb").write_text(good, "utf-8")
    (source / "b.ipynb").write_text(json.dumps(notebook(REFUSED["no end"])), "utf-8")
    assert main([str(source), str(target)]) == 2
    assert "b.ipynb, cell 1: begin solution has no end" in capsys.readouterr().err
    assert not target.exists()
    (source / "b.ipynb").write_text("{", "utf-8")
    assert main([str(source), str(target)]) == 2
