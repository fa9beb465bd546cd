from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aidge_nb.core.text import html_text
from aidge_nb.widgets.text import (
    count_text,
    dims_text,
    elide,
    size_text,
    width_of,
)


@given(st.text())
def test_escaped_text_is_well_formed_xml_without_markup(text: str) -> None:
    document = f'<a b="{html_text(text)}">{html_text(text)}</a>'
    root = ET.fromstring(document.encode("utf-8"))
    assert len(root) == 0


@given(st.text(), st.integers(0, 60))
def test_elided_text_is_short_enough(text: str, limit: int) -> None:
    assert len(elide(text, limit)) <= max(limit, 0)


def test_eliding_keeps_both_ends() -> None:
    assert elide("features_17_conv_2", 9) == "feat…nv_2"[:4] + "…" + "nv_2"


def test_eliding_a_very_long_name_is_quick() -> None:
    assert len(elide("x" * 10_000_000, 20)) == 20


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1 KiB"),
        (1536, "1.5 KiB"),
        (7296, "7.13 KiB"),
        (10**10, "9.31 GiB"),
    ],
)
def test_sizes_are_written_with_three_figures(size: int, text: str) -> None:
    assert size_text(size) == text


def test_counts_are_written_with_three_figures() -> None:
    assert [count_text(count) for count in (0, 999, 1000, 25_557_032)] == [
        "0",
        "999",
        "1 k",
        "25.6 M",
    ]


def test_dims_are_written_with_a_times_sign() -> None:
    assert dims_text((1, 3)) == "1×3"


def test_wide_scripts_are_wide() -> None:
    assert width_of("漢字") > width_of("il")
