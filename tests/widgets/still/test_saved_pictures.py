"""Pictures that a notebook keeps of a view: sharp, and bounded."""

from __future__ import annotations

import base64
import re
import struct
from collections.abc import Callable
from typing import Any

import pytest

from aidge_nb.report import study
from aidge_nb.widgets import Scene, build_scene, scene_of, workbench
from aidge_nb.widgets.shared import SAVED
from aidge_nb.widgets.still.saved import NO_PICTURES, bounded, saved_pictures
from tests.widgets.mappings import mapped, odd_mappings
from tests.widgets.models import residual

MOST = SAVED["pictureBytes"]


def png_width(forms: dict[str, Any]) -> int:
    """Read the width of the PNG, in pixels, from its head."""
    head = base64.b64decode(forms["image/png"])[:24]
    assert head[:4] == b"\x89PNG"
    width: int = struct.unpack(">I", head[16:20])[0]
    return width


def svg_of_noise(rects: int) -> str:
    """Write a picture that takes many bytes as SVG, and as PNG."""
    parts = "".join(
        f'<rect x="{n * 7 % 1200}" y="{n * 131 % 690}" width="{3 + n % 17}" height="{2 + n % 11}" '
        f'fill="#{(n * 48_271) % 0xFFFFFF:06x}"/>'
        for n in range(rects)
    )
    head = '<svg xmlns="http://www.w3.org/2000/svg" width="1200" height="700"'
    return f'{head} viewBox="0 0 1200 700">{parts}</svg>'


def test_small_pictures_have_two_pixels_for_each_unit() -> None:
    forms, told = saved_pictures(study("zoo:lenet").scene())
    assert list(forms) == ["image/svg+xml", "image/png"]
    assert png_width(forms) == 2 * told["image/png"]["width"] == 2400


def test_the_width_on_a_page_is_told_where_the_svg_has_none() -> None:
    forms, told = saved_pictures(residual_scene())
    assert 'width="' not in re.match("<svg[^>]*>", forms["image/svg+xml"])[0]  # type: ignore[index]
    assert told == {"image/png": {"width": 1200}}


def residual_scene() -> Scene:
    return build_scene(*residual())


@pytest.mark.parametrize("name", ["mobilenet", "mapping", "2000 works"])
def test_larger_ones_are_as_sharp_as_there_is_room_for(name: str) -> None:
    scenes: dict[str, Callable[[], Scene]] = {
        "mobilenet": lambda: study("zoo:mobilenet_v2").scene(),
        "mapping": lambda: mapped()[1],
        "2000 works": lambda: scene_of(odd_mappings()["2000 works"]),
    }
    forms, told = saved_pictures(scenes[name]())
    assert sum(len(each.encode()) for each in forms.values()) <= MOST
    assert png_width(forms) >= told["image/png"]["width"] == 1200


def test_an_svg_that_leaves_no_room_is_left_out() -> None:
    forms, told = bounded(svg_of_noise(2500))
    assert list(forms) == ["image/png"]
    assert len(forms["image/png"]) <= MOST
    assert told["image/png"]["width"] == 1200
    assert png_width(forms) >= 300


def test_a_picture_of_anything_is_bounded() -> None:
    forms, _ = bounded(svg_of_noise(60_000))
    assert 0 < len(forms["image/png"]) <= MOST


def test_what_has_no_picture_has_none() -> None:
    assert saved_pictures(Scene("nothing")) is NO_PICTURES
    bundle, told = workbench(*residual(), covered=True)._repr_mimebundle_()
    assert told == {}
    assert not any(each.startswith("image/") for each in bundle)
