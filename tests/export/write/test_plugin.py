"""Kernels of the user's own."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import pytest

import aidge_nb
from aidge_nb.core.errors import ExportError
from aidge_nb.export import add_kernel, export
from aidge_nb.kernels.c import Site
from tests.export.models import two_relus

HEADER = """
typedef struct my_own_relu_config { int32_t count; } my_own_relu_config;
void my_own_relu(const my_own_relu_config *config, const float *x, float *y);
"""
SOURCE = """
void my_own_relu(const my_own_relu_config *config, const float *x, float *y)
{
    for (int32_t i = 0; i < config->count; ++i) {
        y[i] = (x[i] < 0.0f) ? 0.0f : x[i];
    }
}
"""


@pytest.fixture(scope="module", autouse=True)
def _my_own_relu() -> None:
    @add_kernel("ReLU", header=HEADER, source=SOURCE, target="cortex-m3", template=TEMPLATE)
    def my_own_relu(site: Site) -> Mapping[str, Any]:
        return {"count": site.outputs[0].size}


TEMPLATE = "/* mine: @label@ */\n@includes@\n@configs@\n"


def test_a_kernel_of_a_target_is_used_there_alone(tmp_path: Path) -> None:
    own = export(two_relus(), tmp_path / "own", target="cortex-m3")
    assert [call.function for call in own.plan.calls] == ["my_own_relu", "my_own_relu"]
    assert {"kernels/my_own_relu.c", "kernels/my_own_relu.h"} <= set(own.files)
    assert "kernels/nb_unary.c" not in own.files
    other = export(two_relus(), tmp_path / "other")
    assert "kernels/my_own_relu.c" not in other.files


def test_its_template_is_used(tmp_path: Path) -> None:
    export(two_relus(), tmp_path / "own", target="cortex-m3")
    text = (tmp_path / "own" / "src" / "layers" / "first.h").read_text()
    assert text.startswith("/* mine: first (ReLU) */")


def test_it_gives_the_bits_of_the_runtime(tmp_path: Path, need_tools: Callable[..., None]) -> None:
    need_tools("make", "arm-none-eabi-gcc", "qemu-system-arm")
    package = export(two_relus(), tmp_path / "own", target="cortex-m3")
    assert package.run_on("mps2-an385").is_equal


def test_registering_it_again_replaces_it(tmp_path: Path) -> None:
    for number in (1, 2):

        @add_kernel(
            "Tanh", header=HEADER, source=SOURCE + f"/* version {number} */", target="cortex-m7"
        )
        def again(site: Site) -> Mapping[str, Any]:
            return {"count": site.outputs[0].size}

    view = aidge_nb.sequential([aidge_nb.Tanh(name="tanh")])
    view.forward_dims([[1, 4]])
    package = export(view, tmp_path / "own", target="cortex-m7", name="own")
    (unit,) = package.plan.units[:1]
    assert "version 2" in (tmp_path / "own" / "kernels" / f"{unit}.c").read_text()


def test_a_header_without_a_kernel_is_refused() -> None:
    with pytest.raises(ExportError, match=r"declares no kernel.*found int f"):
        add_kernel("ReLU", header="int f(void);")
