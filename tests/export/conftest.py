"""What tests of exports share: the kernels of the library, compiled once per compiler and level."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.export.building import Builder


@pytest.fixture(scope="session")
def builder_of(
    need_tools: Callable[..., None], tmp_path_factory: pytest.TempPathFactory
) -> Callable[..., Builder]:
    """Give what makes a builder of a compiler and an optimization, once for all tests."""
    made: dict[tuple[str, ...], Builder] = {}

    def make(*words: str) -> Builder:
        need_tools(words[0])
        if words not in made:
            made[words] = Builder(tmp_path_factory.mktemp("kernels"), *words)
        return made[words]

    return make


@pytest.fixture(scope="session")
def builder(builder_of: Callable[..., Builder]) -> Builder:
    """Give a builder that is quick."""
    return builder_of("gcc", "-O0")
