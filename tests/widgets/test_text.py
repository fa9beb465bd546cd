from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from aidge_nb.core.text import html_text
from aidge_nb.widgets.text import (
    common_prefix,
    count_text,
    dims_text,
    elide,
    shorten,
    size_text,
    usual_prefix,
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


@given(st.text(), st.integers(0, 60), st.text(max_size=5))
def test_shortened_names_are_short_enough(name: str, limit: int, shared: str) -> None:
    assert len(shorten(shared + name, limit, shared)) <= max(limit, 0)


@pytest.mark.parametrize("limit", [24, 28, 32])
def test_names_that_differ_in_the_middle_stay_apart(limit: int) -> None:
    """As in frontend/test/store.test.ts: the page and the pictures shorten alike."""
    names = [
        f"mobilenetv20_features_bottleneck{block}_{part}_fwd"
        for block in (0, 1, 12)
        for part in ("conv0", "conv1", "batchnorm0")
    ]
    shared = common_prefix([*names, "mobilenetv20_output"])
    assert shared == "mobilenetv20_"
    assert len({shorten(name, limit, shared) for name in names}) == len(names)
    assert shorten("cell0_3x3_reduce_relu", 14) == "c…0_3x3_r…_re…"
    assert shorten("漢字漢字漢字_1", 6) == "漢字漢…_1"
    assert common_prefix(["block_", "block_a"]) == common_prefix(["a_1", "a_2"]) == ""


def test_one_name_in_ten_may_begin_otherwise() -> None:
    """As in frontend/test/store.test.ts."""
    names = [f"mobilenetv20_features_conv{number}" for number in range(18)]
    assert usual_prefix([*names, "reshape_attr_tensor", "output"]) == "mobilenetv20_features_"
    assert usual_prefix([*names, "a", "b", "c"]) == ""
    assert usual_prefix([*names[:8], "reshape"]) == ""
    assert usual_prefix([*names, "mobilenetv20_features_"]) == ""
    assert usual_prefix(names) == common_prefix(names)


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
