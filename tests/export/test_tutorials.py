"""Every model of the tutorials becomes a program with the bits of the exact runtime."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.export.building import Builder

pytest.importorskip("IPython")

NOTEBOOKS = sorted((Path(__file__).parents[2] / "notebooks").glob("0*.ipynb"))
DIMS = {
    "01_scheduling": {name: [[2, 3]] for name in ("fork", "shared", "ends", "drawn")},
    "05_queries": {"loop": [[2, 3]], "trial": [[2, 3]]},
}
"""Dimensions for graphs that a tutorial only looks at."""

REASONS = (
    "operators without a C kernel",
    "element types (expected float32, found float64",
    "wrong number of dimensions",
)
"""Operators of a tutorial's own have a consumer-producer model and compute nothing; gradients are
checked in double precision; a model that readers are to mend does not fit together. All are named
before anything is written."""


def test_there_are_ten() -> None:
    numbers = ["01", "02", "03", "04", "05", "06", "07", "07b", "08", "09"]
    assert [path.name.partition("_")[0] for path in NOTEBOOKS] == numbers


@pytest.mark.slow
@pytest.mark.parametrize("notebook", NOTEBOOKS, ids=lambda path: str(path.stem))
def test_every_model_has_the_same_bits(
    tmp_path: Path, builder_of: Callable[..., Builder], notebook: Path
) -> None:
    kernels = builder_of("gcc", "-O1").folder
    dims = json.dumps(DIMS.get(notebook.stem, {}))
    words = [sys.executable, "-m", "tests.export.tutorial"]
    words += [str(notebook), str(tmp_path), str(kernels), dims]
    root = Path(__file__).parents[2]
    ran = subprocess.run(words, cwd=root, capture_output=True, text=True)
    assert ran.returncode == 0, ran.stderr[-3000:]
    found = json.loads(ran.stdout.splitlines()[-1])
    assert {name: said for name, said in found["said"].items() if said} == {}
    others = {k: v for k, v in found["refused"].items() if not any(why in v for why in REASONS)}
    assert others == {}
    assert found["said"] or found["refused"]
