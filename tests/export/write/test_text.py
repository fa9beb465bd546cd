"""Names, numbers and templates: what becomes C text."""

from __future__ import annotations

import ctypes
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from aidge_nb.core.errors import ExportError
from aidge_nb.core.text import c_identifier
from aidge_nb.export.write.literals import SymbolTable, literal
from aidge_nb.export.write.sources import fill, template


@given(st.text())
def test_every_name_becomes_an_c_identifier(text: str) -> None:
    assert re.fullmatch(r"[a-z_][a-z0-9_]*", c_identifier(text))


@given(st.lists(st.text(max_size=4), max_size=20))
def test_no_two_names_become_one_c_identifier(texts: list[str]) -> None:
    names = SymbolTable()
    found = [names.new(text) for text in texts]
    assert len(set(found)) == len(found)


def test_keywords_of_c_are_no_identifiers() -> None:
    assert c_identifier("float") == "float_"


@given(st.floats(width=32, allow_nan=False, allow_infinity=False))
def test_no_bit_of_a_float_is_lost(value: float) -> None:
    text = literal(ctypes.c_float, value)
    assert text.endswith("f")
    back = np.float32(float.fromhex(text[:-1]))
    assert back.tobytes() == np.float32(value).tobytes()  # the sign of zero, too


def test_what_has_no_digits_has_a_name() -> None:
    texts = [literal(ctypes.c_float, value) for value in (np.inf, -np.inf, np.nan)]
    assert texts == ["INFINITY", "-INFINITY", "NAN"]


@pytest.mark.parametrize("kind", [ctypes.c_int8, ctypes.c_int32, ctypes.c_int64, ctypes.c_uint64])
def test_whole_numbers_keep_their_ends(kind: type[ctypes.c_int32]) -> None:
    bits, signed = 8 * ctypes.sizeof(kind), kind(-1).value < 0
    ends = (-(2 ** (bits - 1)), 2 ** (bits - 1) - 1) if signed else (0, 2**bits - 1)
    for value in ends:
        python = re.sub(r"U?INT64_C\((\d+)\)", r"\1", literal(kind, value)).rstrip("u")
        assert eval(python) == value


def test_a_template_fills_words_and_lines() -> None:
    text = "a @x@ b\n    @rows@\n  @none@\nend\n"
    assert fill(text, {"x": 1, "rows": "p\n\nq", "none": ""}) == "a 1 b\n    p\n\n    q\nend\n"


def test_a_template_names_what_it_lacks() -> None:
    with pytest.raises(ExportError, match=r"nothing is known of @y@ \(expected x\)"):
        fill("@y@", {"x": 1})


def test_an_unknown_template_is_named() -> None:
    with pytest.raises(ExportError, match="no-such"):
        template("no-such.in")
