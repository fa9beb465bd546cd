"""The stack, the arena and the data of a program are those that its header states."""

from __future__ import annotations

import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from aidge_nb.export import ExportedPackage, export, plan_export
from aidge_nb.export.plan.calls import FORWARD
from aidge_nb.graph import GraphView
from aidge_nb.kernels.c.units import OWN, stack_of
from tests.export.models import diamond, sequence, zoo_small
from tests.export.quantized import qlinear

WITHIN = 2688
"""Bytes by which a program may take less: the figure is the most over builds for many processors
and levels. Clang's softmax takes 4,752 in one of them and 2,071 in the one that is measured."""
PAINTED = """
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include "{name}.h"
{tensors}
static _Alignas(64) unsigned char stack[1 << 17];
static unsigned char *from;
static void *run(void *nothing)
{{
    unsigned char here;
    from = &here;
    {name}_forward({call});
    return nothing;
}}
int main(void)
{{
    pthread_attr_t attributes;
    pthread_t thread;
    size_t free = 0u;
    (void)memset(stack, 0xA5, sizeof(stack));
    (void)pthread_attr_init(&attributes);
    if (pthread_attr_setstack(&attributes, stack, sizeof(stack)) != 0
        || pthread_create(&thread, &attributes, run, NULL) != 0) {{
        return 1;
    }}
    (void)pthread_join(thread, NULL);
    while (stack[free] == 0xA5) {{
        ++free;
    }}
    (void)printf("%ld\\n", (long)(from - &stack[free]));
    return 0;
}}
"""


def painted_stack(package: ExportedPackage, built: Path, compiler: str) -> int:
    """Run the forward function on a stack that was painted; give how much of it was used."""
    plan = package.plan
    both = (*plan.inputs, *plan.outputs)
    tensors = "\n".join(
        f"static _Alignas(16) unsigned char {v.symbol}_[{max(v.nbytes, 1)}];" for v in both
    )
    call = ", ".join(f"(void *){v.symbol}_" for v in both)
    source = built / "painted.c"
    source.write_text(PAINTED.format(name=plan.name, tensors=tensors, call=call))
    program = built / "painted"
    # Functions of the C library are found before the run: finding them takes stack of its own.
    words = [compiler, "-O1", "-w", f"-I{package.folder}/include", str(source), "-Wl,-z,now"]
    words += [str(built / f"lib{plan.name}.a"), "-pthread", "-o", str(program)]
    subprocess.run(words, check=True)
    ran = subprocess.run([str(program)], capture_output=True, text=True, check=True)
    return int(ran.stdout)


def static_bytes(library: Path, tool: str = "size") -> int:
    """Add up what all objects of a library have of memory that is written to."""
    ran = subprocess.run([tool, "-A", str(library)], capture_output=True, text=True, check=True)
    rows = [line.split() for line in ran.stdout.splitlines() if line.startswith((".data", ".bss"))]
    # Tables of functions are constants; a program that can be moved has them among its data.
    found = sum(int(row[1]) for row in rows if not row[0].startswith(".data.rel.ro"))
    named = [line.split() for line in ran.stdout.splitlines() if "_arena" in line.split("  ")[0]]
    return found + sum(int(row[1]) for row in named)


def check_figures(package: ExportedPackage, stack: int, static: int, compiler: str = "gcc") -> None:
    """Compare what was measured with what the header states."""
    plan = package.plan
    upper = plan.name.upper()
    header = (package.folder / "include" / f"{plan.name}.h").read_text()
    assert f"#define {upper}_ARENA_BYTES {plan.arena_bytes}u" in header
    figure = dict(plan.stack_by)[compiler]
    assert f"#define {upper}_STACK_BYTES {figure}u" in header
    assert static == plan.arena_bytes, "there is static memory beside the arena"
    stated = plan.arena_bytes + figure
    assert stated - WITHIN <= stack + static <= stated


MODELS: dict[str, Callable[[], GraphView]] = {
    "diamond": diamond,
    "lenet": lambda: zoo_small("lenet"),
    "mobilenet_v2": lambda: zoo_small("mobilenet_v2"),
    "dinov2_like": lambda: zoo_small("dinov2_like"),
    "sequence": lambda: sequence(5),
    "quantized": lambda: qlinear("int8"),
}


@pytest.mark.parametrize("compiler", ["gcc", "clang"])
@pytest.mark.parametrize(
    "name",
    ["diamond", *(pytest.param(m, marks=pytest.mark.slow) for m in MODELS if m != "diamond")],
)
def test_what_a_program_takes_is_what_its_header_states(
    tmp_path: Path, need_tools: Callable[..., None], name: str, compiler: str
) -> None:
    need_tools("make", "size", compiler)
    package = export(MODELS[name](), tmp_path / name, name=name)
    built = package.build(compiler)
    stack = painted_stack(package, built, compiler)
    check_figures(package, stack, static_bytes(built / f"lib{name}.a"), compiler)


@pytest.mark.slow
@pytest.mark.parametrize("target", ["cortex-m3", "cortex-m4", "cortex-m7", "cortex-m55"])
@pytest.mark.parametrize("name", ["lenet", "sequence", "quantized"])
def test_what_a_program_takes_on_a_board_is_what_its_header_states(
    tmp_path: Path, need_tools: Callable[..., None], name: str, target: str
) -> None:
    need_tools("make", "arm-none-eabi-gcc", "qemu-system-arm")
    from aidge_nb.export.boards.targets import find_target

    board = find_target(target).board
    package = export(MODELS[name](), tmp_path / name, name=name, target=target)
    run = package.run_on(board)
    assert run.is_equal
    library = package.folder / "build" / board / f"lib{name}.a"
    check_figures(package, run.stack, static_bytes(library, "arm-none-eabi-size"))


def test_the_stack_is_that_of_the_kernel_that_takes_most() -> None:
    plan = plan_export(zoo_small("lenet"), target="cortex-m4")
    figures = [stack_of(call.function) for call in plan.calls]
    assert plan.stack == FORWARD + max(each.cortex_m for each in figures)
    host = plan_export(zoo_small("lenet"))
    figures = [stack_of(call.function) for call in host.calls]
    assert dict(host.stack_by) == {
        "gcc": FORWARD + max(each.gcc for each in figures),
        "clang": FORWARD + max(each.clang for each in figures),
    }
    assert host.stack == max(size for _, size in host.stack_by)


def test_a_kernel_that_nobody_measured_has_a_figure_all_the_same() -> None:
    assert stack_of("mine").host == stack_of("mine").cortex_m == OWN


def test_the_header_tells_each_compiler_its_own_figure(tmp_path: Path) -> None:
    package = export(zoo_small("lenet"), tmp_path / "lenet", name="lenet")
    stack = dict(package.plan.stack_by)
    header = (package.folder / "include" / "lenet.h").read_text()
    lines = header.partition("#if defined(__clang__)")[2].split()
    assert stack["gcc"] != stack["clang"]
    assert lines[2] == f"{stack['clang']}u"
    assert lines[6] == f"{stack['gcc']}u"
