"""The palette can be told apart: contrast with the paper, and by people who see fewer colours."""

import re
from itertools import combinations
from typing import Literal

import numpy as np
import pytest
from numpy.typing import NDArray

from aidge_nb.widgets.palette import FAMILIES, PAPER, family_of, text_on
from aidge_nb.widgets.shared import COLOURS
from tests.house import ROOT

Floats = NDArray[np.float64]

# How people without red or green receptors see linear RGB: Machado, Oliveira, Fernandes (2009).
VISIONS = {
    "usual": np.eye(3),
    "protanopia": np.array(
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ]
    ),
    "deuteranopia": np.array(
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ]
    ),
}
TO_XYZ = np.array([[0.4124, 0.3576, 0.1805], [0.2126, 0.7152, 0.0722], [0.0193, 0.1192, 0.9505]])


def linear(colour: str) -> Floats:
    parts = np.array([int(colour[start : start + 2], 16) for start in (1, 3, 5)]) / 255
    return np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)


def lab(rgb: Floats) -> Floats:
    xyz = TO_XYZ @ np.clip(rgb, 0, 1) / np.array([0.9505, 1.0, 1.089])
    x, y, z = np.where(xyz > 0.008856, np.cbrt(xyz), 7.787 * xyz + 16 / 116)
    return np.array([116 * y - 16, 500 * (x - y), 200 * (y - z)])


def contrast(one: str, other: str) -> float:
    dim, bright = sorted(float(TO_XYZ[1] @ linear(colour)) for colour in (one, other))
    return (bright + 0.05) / (dim + 0.05)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_every_colour_stands_out_from_the_paper(mode: Literal["light", "dark"]) -> None:
    for family in FAMILIES:
        assert contrast(getattr(family, mode), PAPER[mode]) >= 3, family.name


@pytest.mark.parametrize("vision", VISIONS)
@pytest.mark.parametrize("mode", ["light", "dark"])
def test_families_can_be_told_apart(mode: Literal["light", "dark"], vision: str) -> None:
    seen = {
        family.name: lab(VISIONS[vision] @ linear(getattr(family, mode))) for family in FAMILIES
    }
    for one, other in combinations(seen, 2):
        assert np.linalg.norm(seen[one] - seen[other]) >= 15, (one, other)


def test_text_on_colours_can_be_read() -> None:
    for family in FAMILIES:
        for colour in (family.light, family.dark):
            assert contrast(text_on(colour), colour) >= 4.5, family.name


def test_a_type_belongs_to_one_family() -> None:
    types = [kind for family in FAMILIES for kind in family.types]
    assert len(types) == len(set(types))


def test_unknown_types_are_others() -> None:
    assert FAMILIES[family_of("Frobnicate")].name == "other"


def mixed(colour: str, ground: str, share: float) -> str:
    """Return the colour that is seen where one lies on another with an opacity."""
    pairs = [
        (int(colour[start : start + 2], 16), int(ground[start : start + 2], 16))
        for start in (1, 3, 5)
    ]
    return "#" + "".join(f"{round(one * share + two * (1 - share)):02x}" for one, two in pairs)


@pytest.mark.parametrize("mode", ["light", "dark"])
def test_names_can_be_read_on_every_colour_pale_or_not(mode: Literal["light", "dark"]) -> None:
    colours = COLOURS[mode]
    for family in FAMILIES:
        colour = getattr(family, mode)
        assert contrast(text_on(colour), colour) >= 4.5, family.name
        pale = mixed(colour, colours["paper"], COLOURS["pale"])
        assert contrast(colours["ink"], pale) >= 4.5, family.name
    for ground in ("paper", "surface", "back"):
        for ink in ("ink", "muted", "accent", "peak", "good", "caution", "warn"):
            assert contrast(colours[ink], colours[ground]) >= 4.5, (ink, ground)


def test_pale_is_one_shade_and_means_that_a_search_or_filter_leaves_something_out() -> None:
    sources = {
        path: path.read_text("utf-8") for path in (ROOT / "widgets/frontend/src").rglob("*.ts")
    }
    shades = [path.name for path, text in sources.items() if re.search(r"\bconst PALE\b", text)]
    assert shades == ["theme.ts"]
    faded = [
        line.strip()
        for text in sources.values()
        for line in text.splitlines()
        if "isMatch" in line and re.search(r"\? 1 :", line)
    ]
    assert len(faded) >= 6
    assert [line for line in faded if "? 1 : PALE" not in line] == []
