"""Names of models cannot collide with those of the files that every package has."""

from pathlib import Path

import pytest

import aidge_nb
from aidge_nb.core.text import c_identifier
from aidge_nb.export import export


@pytest.mark.parametrize(
    "name", ["nb", "nb_conv", "nb_common", "test_layers", "test_kernels", "app"]
)
def test_names_of_our_own_files_are_left_to_them(name: str, tmp_path: Path) -> None:
    view = aidge_nb.sequential([aidge_nb.ReLU(name="relu")])
    view.compile("cpu", aidge_nb.dtype.float32, dims=[[2]])
    package = export(view, tmp_path / "made", name=name)
    assert c_identifier(name) == f"my_{name}"
    package.build()
    assert package.run().is_equal
