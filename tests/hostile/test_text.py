"""Escaping functions hold for any name: what a format reads is one comment, string, cell, label."""

from __future__ import annotations

import csv
import io
import re
import unicodedata
from html.parser import HTMLParser

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from aidge_nb.core.text import (
    c_comment,
    c_identifier,
    c_string,
    csv_plain,
    csv_text,
    html_text,
    markdown_text,
    mermaid_caption,
    mermaid_text,
    mermaid_title,
    terminal_lines,
    terminal_text,
)
from aidge_nb.export.write.sources import fill
from tests.hostile.c_tokens import tokens
from tests.hostile.names import WORST, names

some_names = pytest.mark.parametrize("name", WORST.values(), ids=WORST)


def check_c(name: str) -> None:
    comment, string = c_comment(name), c_string(name)
    assert re.fullmatch(r"[ -~]*", comment + string)
    assert "\\" not in comment
    text = f"before /* {comment} */ middle {string} /* 1. {comment} (T)*/ after"
    assert [token for _, token in tokens(text)] == ["before", "middle", string, "after"]
    for around in ("/* {0}\n * {0}\n */", "#define A /* {0} */\nB"):
        assert list(tokens(around.format(comment))) == list(tokens(around.format("plain")))


def check_csv(rows: list[list[str]]) -> None:
    text = csv_text(rows)
    found = list(csv.reader(io.StringIO(text, newline="")))
    wanted = [[cell.encode("utf-8", "replace").decode() for cell in row] for row in rows]
    assert [list(map(csv_plain, row)) for row in found] == wanted
    assert not any(cell.startswith(tuple("=+-@\t\r")) for row in found for cell in row)


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[tuple[str, object]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found.append((tag, [key for key, _ in attrs]))


def check_others(name: str) -> None:
    reader = _Reader()
    reader.feed(f'<a title="{html_text(name)}">{html_text(name)}</a>')
    assert reader.found == [("a", ["title"])]
    for text in (
        *(mermaid_text(name), mermaid_title(name), mermaid_caption(name), terminal_text(name)),
    ):
        assert text.isprintable() or all(
            unicodedata.name(char, "") == "ZERO WIDTH SPACE"
            for char in text
            if not char.isprintable()
        )
    assert not set('"<>[]{}%') & set(mermaid_text(name))
    assert not set(":;%") & set(mermaid_caption(name))
    assert re.fullmatch(r'"[^"\n]+"', mermaid_title(name))
    assert "%%" not in mermaid_title(name)
    assert not set("|<>[]()`*\n") & set(markdown_text(name))
    assert terminal_text(name).isprintable()
    assert len(terminal_lines(name).split("\n")) == len(name.split("\n"))
    assert re.fullmatch(r"[a-z_][a-z0-9_]{0,40}", c_identifier(name))
    filled = fill("a @x@\n@x@\n", {"x": name, "configs": "expanded", "body": "expanded"})
    assert "expanded" not in filled


@some_names
def test_the_worst_names(name: str) -> None:
    check_c(name)
    check_others(name)
    check_csv([["id", "size"], [name, "4"], ["4", name]])


@given(names())
def test_any_name_in_c(name: str) -> None:
    check_c(name)


@given(st.lists(st.lists(names(), min_size=2, max_size=2), min_size=1, max_size=4))
def test_any_name_in_csv_is_no_formula_and_is_read_back(rows: list[list[str]]) -> None:
    check_csv(rows)


@given(names())
def test_any_name_in_other_formats(name: str) -> None:
    check_others(name)


@pytest.mark.slow
@settings(max_examples=3_000)
@given(names(40))
def test_many_names(name: str) -> None:
    check_c(name)
    check_others(name)
    check_csv([[name, name]])


def test_the_tokens_of_the_test_are_those_of_a_compiler() -> None:
    evil = "/* *\\ \n/ int x; /* ??/\n*/"
    assert [token for kind, token in tokens(evil) if kind != "newline"] == ["int", "x", ";"]
    assert [token for _, token in tokens('"??/"" "a')] == ['"\\""', '"', "a"]
