"""The programs around the forward function: an application, and tests of layers and of kernels."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from aidge_nb.core.text import c_comment, c_string
from aidge_nb.export.plan.parts import KernelCall, Place, ProgramTensor, Step
from aidge_nb.export.plan.record import Recording
from aidge_nb.export.plan.value import ExportPlan
from aidge_nb.export.write.code import Code
from aidge_nb.export.write.literals import c_type
from aidge_nb.export.write.sources import ALIGNMENT, Files, api_values, count_of, fill, template
from aidge_nb.kernels.c.adapters.common import works_on_wholes

_SHOWN = 8
"""The application prints so many elements of each output."""


def application(plan: ExportPlan) -> Files:
    """Write the application and what it shares with the tests."""
    values = _values(plan)
    return {
        "app/main.c": fill(template("main.c.in"), values).encode(),
        "app/files.h": fill(template("files.h.in"), values).encode(),
    }


def layer_test(plan: ExportPlan, *, sums: bool = False) -> Files:
    """Write the test of every layer and of the whole model; by checksums if there are no bytes."""
    values = _values(plan, reads="examples[{0}]")
    values["observe"] = fill(template(f"observe_{'sums' if sums else 'bytes'}.in"), values)
    values["comparison"] = "" if sums else ", bit by bit,"
    values["how"] = " by their checksums" if sums else ", bit by bit"
    values["expected"] = "checksums" if sums else "bytes"
    values["names"] = ",\n".join(c_string(f"{step.node} ({step.type})") for step in plan.walk())
    return {"test/test_layers.c": fill(template("test_layers.c.in"), values).encode()}


def _values(plan: ExportPlan, reads: str = "") -> dict[str, str]:
    values = api_values(plan)
    both = (*plan.inputs, *plan.outputs)
    values["tensors"] = "\n".join(
        f"static {c_type(v.dtype, v.name)} {v.symbol}_[{count_of(plan, v)}];" for v in both
    )
    paths = [f"data/inputs/{v.symbol}.bin" for v in plan.inputs]
    values["examples"] = ", ".join(map(c_string, paths)) or '""'
    values["n_inputs"], values["n_outputs"] = str(len(plan.inputs)), str(len(plan.outputs))
    values["inputs_text"] = _listed(plan.inputs) or "none"
    values["outputs_text"] = _listed(plan.outputs)
    reads = reads or "(argc == 1) ? examples[{0}] : argv[{1}]"
    values["reads"] = "\n".join(
        _file_call("read_file", reads.format(number, number + 1), v)
        for number, v in enumerate(plan.inputs)
    )
    values["call"] = ", ".join(f"{v.symbol}_" for v in both)
    values["prints"] = "\n".join(line for v in plan.outputs for line in _print(plan, v))
    values["writes"] = "\n".join(
        _file_call("write_file", f"argv[{number}]", v)
        for number, v in enumerate(plan.outputs, 1 + len(plan.inputs))
    )
    values["compares"] = "\n".join(
        _file_call("compare_file", c_string(f"data/outputs/{v.symbol}.bin"), v)
        for v in plan.outputs
    )
    return values


def _listed(values: Iterable[ProgramTensor]) -> str:
    return ", ".join(c_comment(f"{v.name} ({v.text})") for v in values)


def _file_call(function: str, path: str, value: ProgramTensor) -> str:
    return f"failed |= {function}({path}, {value.symbol}_, sizeof({value.symbol}_));"


def _print(plan: ExportPlan, value: ProgramTensor) -> Iterator[str]:
    """Write what prints the first elements of an output."""
    count = min(_SHOWN, value.size)
    if value.dtype.is_float and value.dtype.itemsize >= 4:
        form, element = "%g", f"(double){value.symbol}_[i]"
    else:
        form, element = "%ld", f"(long){value.symbol}_[i]"
    yield f'(void)printf("{value.symbol}:");'
    yield f"for (size_t i = 0u; i < {count}u; ++i) {{"
    yield f'    (void)printf(" {form}", {element});'
    yield "}"
    more = f" ... ({value.size} elements)" if value.size > count else ""
    yield f'(void)printf("{more}\\n");'


# --- unit tests -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class KernelTest:
    """A step that stands for the kernels that it calls."""

    functions: tuple[str, ...]
    step: Step


def kernel_tests(plan: ExportPlan) -> tuple[KernelTest, ...]:
    """Choose for each kernel the smallest step that calls it on whole arrays, and is always run."""
    best: dict[str, Step] = {}
    for step in plan.walk():
        for action in step.actions:
            if (
                isinstance(action, KernelCall)
                and not step.choices
                and not _is_scattered(plan, step)
            ):
                known = best.get(action.function)
                if known is None or _weight(step) < _weight(known):
                    best[action.function] = step
    by_step: dict[int, list[str]] = {}
    for function in sorted(best):
        by_step.setdefault(best[function].number, []).append(function)
    steps = {step.number: step for step in best.values()}
    return tuple(KernelTest(tuple(names), steps[number]) for number, names in by_step.items())


def _is_scattered(plan: ExportPlan, step: Step) -> bool:
    """Tell whether a step works part by part, or on pieces: the test of layers covers it."""
    named = {place.name for place in step.sources} | {each.place.name for each in step.writes}
    named |= {buffer.symbol for buffer in plan.buffers if buffer.output < 0}
    operands = [place for call in step.calls for place in call.operands if place.kind == "arena"]
    parts = any(place.kind == "input" and place.offset for place in step.sources)
    parts = parts or any(place.name not in named for place in operands)
    whole = all(works_on_wholes({f.name: f.value for f in call.fields}) for call in step.calls)
    return parts or step.is_by_parts or not whole or any(each.levels for each in step.writes)


def _weight(step: Step) -> int:
    return sum(operand.nbytes for operand in step.writes)


def unit_tests(plan: ExportPlan, tests: Sequence[KernelTest], recording: Recording) -> Files:
    """Write the tests of the kernels, and the bytes that they read."""
    symbols = dict.fromkeys(test.step.symbol for test in tests)
    first: dict[tuple[int, str], bytes] = {}
    for each in recording.written:
        first.setdefault((each.step.number, each.value.symbol), each.content)
    parts, texts, block = [], [], ALIGNMENT
    for number, test in enumerate(tests):
        layout = _Layout(plan, test, recording)
        block = max(block, layout.size)
        texts.append(layout.text(number))
        parts += layout.inputs
        parts += [first[test.step.number, each.value.symbol] for each in test.step.writes]
    values = api_values(plan) | {
        "includes": "\n".join(f'#include "layers/{symbol}.h"' for symbol in symbols),
        "block": str(block),
        "tests": "\n\n".join(texts),
        "calls": "\n".join(f"test_{number}();" for number in range(len(tests)))
        or "(void)differing;\n(void)prepare;\n(void)judge;",
        "count": str(len(tests)),
    }
    return {
        "test/test_kernels.c": fill(template("test_kernels.c.in"), values).encode(),
        "data/kernels.bin": b"".join(parts),
    }


class _Layout:
    """Where the operands of one test lie in its block of memory."""

    def __init__(self, plan: ExportPlan, test: KernelTest, recording: Recording) -> None:
        self._plan, self._test = plan, test
        self._at: dict[tuple[str, str], int] = {}
        self.inputs: list[bytes] = []
        self.size = 0
        self._sizes: list[tuple[int, int]] = []
        sources = {
            (each.kind, each.name): content
            for each, content in zip(
                test.step.sources, recording.reads[test.step.number], strict=True
            )
            if content is not None and each.kind in ("arena", "input")
        }
        written = {operand.place.name: operand for operand in test.step.writes}
        for call in (a for a in test.step.actions if isinstance(a, KernelCall)):
            for place in call.operands:
                key = (place.kind, place.name)
                if place.kind not in ("arena", "input") or key in self._at:
                    continue
                if key in sources and key[1] not in written:
                    self.inputs.append(sources[key])
                    self._sizes.append((self._place(key, len(sources[key])), len(sources[key])))
                elif place.name in written:
                    self._place(key, written[place.name].nbytes)
                else:
                    buffer = next(b for b in plan.buffers if b.symbol == place.name)
                    self._place(key, buffer.value.nbytes)

    def _place(self, key: tuple[str, str], size: int) -> int:
        self._at[key] = self.size
        self.size += -(-size // ALIGNMENT) * ALIGNMENT
        return self._at[key]

    def text(self, number: int) -> str:
        """Write the test."""
        code = Code(self._plan, self._address)
        names = c_string(", ".join(self._test.functions))
        layer = c_string(self._test.step.node)
        outputs = [
            f"different += differing({self._address(each.place)}, {each.nbytes}u);"
            for each in self._test.step.writes
        ]
        lines = [
            "size_t different = 0u;",
            f"prepare({self.size}u);",
            *(f"take(&block[GUARD + {offset}], {size}u);" for offset, size in self._sizes),
            *code.calls(self._test.step),
            *outputs,
            f"judge({names}, {layer}, {self.size}u, different);",
        ]
        body = "\n".join(f"    {line}" for line in lines)
        return f"static void test_{number}(void)\n{{\n{body}\n}}"

    def _address(self, place: Place) -> str:
        return f"&block[GUARD + {self._at[place.kind, place.name]}]"
