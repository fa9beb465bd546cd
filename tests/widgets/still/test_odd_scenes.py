"""What is odd, but not wrong, has each picture, page, table and text."""

from __future__ import annotations

import csv
import io
import re
from xml.etree import ElementTree as ET

import pytest

from aidge_nb.core.errors import AidgeError
from aidge_nb.widgets import PICTURES, to_html, to_svg
from aidge_nb.widgets.still.table import to_csv
from tests.widgets.odd_scenes import ODD

NUMBER = re.compile(r"(?:x|y|width|height|r|x1|x2|y1|y2|cx|cy)$")


@pytest.mark.parametrize("name", ODD)
def test_every_picture_of_it_is_drawn_with_numbers_alone(name: str) -> None:
    scene = ODD[name]()
    drawn = 0
    for picture in ("", *PICTURES):
        try:
            root = ET.fromstring(to_svg(scene, picture))
        except AidgeError:
            continue  # it has no such picture, and says so
        drawn += 1
        for element in root.iter():
            for key, value in element.attrib.items():
                if NUMBER.match(key):
                    assert -1e7 < float(value) < 1e7, (picture, element.tag, key, value)
            assert "nan" not in (element.get("d") or "").lower()
            assert "inf" not in (element.get("d") or "").lower()
            if key_text := element.text:
                assert len(key_text) < 1000, "a long name is cut"
    assert drawn > 0
    assert to_svg(scene)


@pytest.mark.parametrize("name", ODD)
def test_it_has_a_page_and_a_table(name: str) -> None:
    scene = ODD[name]()
    page = to_html(scene)
    assert "<img" not in page
    rows = list(csv.reader(io.StringIO(to_csv(scene))))
    assert len({len(row) for row in rows}) == 1
    assert len(rows) == 1 + len(scene.nodes)
