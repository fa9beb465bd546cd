"""What tests of the C kernels share: compilers, and no silent way round them."""

from __future__ import annotations

import shutil

import pytest

from aidge_nb.runtime.backends import c as compiled

COMPILERS = ("gcc", "clang")


@pytest.fixture
def no_fallback(monkeypatch: pytest.MonkeyPatch) -> None:
    """Fail where backend ``c`` would run an operator in NumPy."""

    def fail(type_name: str, reason: str) -> None:
        pytest.fail(f"{type_name} runs in NumPy: {reason}")

    monkeypatch.setattr(compiled, "_tell", fail)


@pytest.fixture(params=COMPILERS)
def compiler(request: pytest.FixtureRequest) -> str:
    """Give each compiler in turn; say loudly when one is missing."""
    name: str = request.param
    if shutil.which(name) is None:
        pytest.skip(f"NOT RUN: {name} is not installed (sudo apt install {name})")
    return name
