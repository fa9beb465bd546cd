"""What ``import aidge_nb`` offers, and what it leaves for later."""

from __future__ import annotations

import subprocess
import sys

import pytest

import aidge_nb


def test_every_name_is_there() -> None:
    assert len(set(aidge_nb.__all__)) == len(aidge_nb.__all__)
    assert [name for name in aidge_nb.__all__ if not hasattr(aidge_nb, name)] == []
    assert set(aidge_nb.__all__) <= set(dir(aidge_nb))


def test_no_other_name_is() -> None:
    with pytest.raises(AttributeError, match="module 'aidge_nb' has no attribute 'Conv4D'"):
        aidge_nb.Conv4D  # noqa: B018


@pytest.mark.parametrize("room", ["memory", "onnx_io", "zoo", "kernels", "widgets", "report"])
def test_importing_is_quick_because_rooms_wait(room: str) -> None:
    """Benchmarks measure the time; this holds what makes it short."""
    code = f"import sys, aidge_nb; sys.exit('aidge_nb.{room}' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
