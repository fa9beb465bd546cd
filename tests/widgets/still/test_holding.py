"""Text of pictures keeps its place: what is stated about its length, and where."""

from __future__ import annotations

import re

import pytest

from aidge_nb.widgets.still.svg.holding import hold_text


def lengths(parts: str) -> list[float]:
    return [
        float(found) for found in re.findall(r'textLength="([\d.]+)"', hold_text(parts, 400, 60))
    ]


def test_text_with_room_keeps_its_natural_width() -> None:
    assert lengths('<text x="10" y="20">conv1</text><text x="200" y="20">relu1</text>') == []


def test_text_before_other_text_ends_before_it() -> None:
    (first,) = lengths('<text x="10" y="20">convolution</text><text x="80" y="20">relu1</text>')
    assert first <= 70


@pytest.mark.parametrize("anchor", ["start", "middle", "end"])
def test_text_stays_in_its_box(anchor: str) -> None:
    x = {"start": 102, "middle": 120, "end": 138}[anchor]
    box = '<rect x="100" y="8" width="40" height="18"/>'
    (length,) = lengths(f'{box}<text x="{x}" y="20" text-anchor="{anchor}">conv1</text>')
    assert length <= 40


def test_upright_text_stays_in_its_box_and_a_short_one_is_not_taken_for_upright() -> None:
    turned = 'text-anchor="middle" transform="rotate(-90 24 30)"'
    box = '<rect x="14" y="10" width="14" height="40"/>'
    (length,) = lengths(f'{box}<text x="24" y="30" {turned}>conv1</text>')
    assert length <= 40
    crossing = '<rect x="0" y="0" width="104" height="60"/>'
    assert lengths(f'{crossing}<text x="104" y="20" text-anchor="middle">1</text>') == []


def test_groups_move_and_shrink_what_is_in_them() -> None:
    moved = '<g transform="translate(360 0) scale(0.5)">'
    (length,) = lengths(f'{moved}<text x="0" y="20">a long name of a node</text></g>')
    assert length <= 80
    assert lengths('<g transform="translate(10 0)"><text x="0" y="20">name</text></g>') == []


def test_text_stands_beside_the_key_of_a_legend() -> None:
    key = '<rect x="80" y="10" width="13" height="13"/>'
    (length,) = lengths(f'<text x="10" y="20">convolution</text>{key}')
    assert length <= 70
