"""Small probes of Aidge: what the real one answered, and what this library answers.

The answers were recorded from release 0.10.1 by ``tests/compat/record_probes.py``.
"""

from __future__ import annotations

import ast
import contextlib
import io
import json
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import Enum
from functools import partial
from importlib import import_module
from importlib.resources import files
from pathlib import Path
from typing import Any

import numpy as np

from aidge_nb.compat.recorded import table_lines

PROBES = "probes_0_10_1.txt"
"""One probe a line: an expression, perhaps after statements, then its answer as JSON."""

PACKAGES = ("aidge_onnx", "aidge_export_cpp", "aidge_learning", "aidge_quantization")
"""Names that probes use besides ``core``."""

ARROW = "  # => "

DIFFERENT = dict(line.split(ARROW) for line in table_lines("different_0_10_1.txt"))
"""Why this library answers otherwise; the key is how a probe begins, or the whole of it."""


@dataclass(frozen=True, slots=True)
class Probe:
    """Something that was asked of Aidge, and its answer.

    Attributes
    ----------
    area, code
        Its section, and what was run.
    answer
        What came out, see :func:`told`; ``{"raises": name}`` for an exception.
    """

    area: str
    code: str
    answer: Any

    @property
    def difference(self) -> str:
        """Why this library answers otherwise; empty when it does not."""
        fitting = [why for begin, why in DIFFERENT.items() if self.code.startswith(begin)]
        return fitting[0] if fitting else ""

    def agrees(self, answer: Any) -> bool:
        """Return whether an answer is the recorded one; any exception stands for any other."""
        if isinstance(self.answer, dict) and "raises" in self.answer:
            return isinstance(answer, dict) and "raises" in answer
        return bool(answer == self.answer)


def probes() -> tuple[Probe, ...]:
    """Return the recorded probes."""
    text = files("aidge_nb.compat").joinpath(PROBES).read_text("utf-8")
    return tuple(read_probes(text))


def read_probes(text: str) -> Iterator[Probe]:
    """Yield the probes of a text; those that have no answer yet have None."""
    area = ""
    for line in text.splitlines():
        if re.fullmatch(r"\[[a-z ]+\]", line):
            area = line.strip("[]")
        elif line and not line.startswith("#"):
            code, _, answer = line.partition(ARROW)
            yield Probe(area, code, json.loads(answer) if answer else None)


def ask(code: str, modules: Mapping[str, Any]) -> Any:
    """Run a probe in an empty folder and return its answer.

    Parameters
    ----------
    code
        Statements, then an expression.
    modules
        ``core`` and others that the probe names.
    """
    before = Path.cwd()
    with (
        tempfile.TemporaryDirectory() as folder,
        contextlib.redirect_stdout(io.StringIO()),
        contextlib.redirect_stderr(io.StringIO()),
    ):
        os.chdir(folder)
        try:
            names = {**_words(modules["core"]), **modules}
            *first, last = ast.parse(code).body
            exec(compile(ast.Module(first, []), "probe", "exec"), names)
            value = last.value if isinstance(last, ast.Expr) else ast.Constant(None)
            return told(eval(compile(ast.Expression(value), "probe", "eval"), names))
        except Exception as error:  # noqa: BLE001  # that is an answer, too
            kinds = (each for each in type(error).__mro__ if each.__module__ == "builtins")
            return {"raises": next(kinds).__name__}
        finally:
            os.chdir(before)


def answers_here(asked: tuple[Probe, ...]) -> list[Any]:
    """Ask this library the same; Aidge's names are served for as long as it takes."""
    from aidge_nb.compat.finder import install, uninstall

    install(force=True)
    try:
        modules = {name: import_module(name) for name in PACKAGES}
        core = import_module("aidge_core")
        return [ask(probe.code, {"core": core, **modules}) for probe in asked]
    finally:
        uninstall()


def probe_score() -> tuple[int, int, int]:
    """Count the probes with the same answer here, those that differ for a reason, and all."""
    asked = probes()
    pairs = zip(asked, answers_here(asked), strict=True)
    same = [probe.agrees(answer) for probe, answer in pairs]
    excused = sum(bool(p.difference) and not ok for p, ok in zip(asked, same, strict=True))
    return sum(same), excused, len(asked)


def told(value: Any) -> Any:
    """Return a value as JSON has it: nodes by name, tensors with dims, type and numbers."""
    if isinstance(value, Enum):
        return value.name
    if value is None or isinstance(value, (bool, str)):
        return value
    if isinstance(value, (int, np.integer)):
        return int(value)
    if isinstance(value, (float, np.floating)):
        return float(f"{value:.6g}")
    if isinstance(value, (set, frozenset)) or type(value).__name__ == "dict_keys":
        return sorted((told(each) for each in value), key=str)
    kind = type(value).__name__
    if kind == "Port":
        return [told(value[0]), value[1]]
    if isinstance(value, (list, tuple)):
        return [told(each) for each in value]
    if kind == "Tensor":
        numbers = np.asarray(value) if value.size else ()
        return {"tensor": [list(value.dims), value.dtype.name, np.ravel(numbers).tolist()]}
    if isinstance(value, np.ndarray):
        return {"array": value.tolist()}
    if isinstance(value, Mapping):
        return {str(key): told(each) for key, each in value.items()}
    if kind == "Node":
        return f"{value.name()} {value.type()}"
    name = getattr(value, "name", None)
    return name if isinstance(name, str) else f"a {kind}"


def _words(core: Any) -> dict[str, Any]:
    """Return the helpers that probes name, bound to one ``aidge_core``."""
    import typing

    loud: list[str] = []
    return {
        "np": np,
        "os": os,
        "typing": typing,
        "LOUD": loud,
        "Loud": partial(_loud, core, loud),
        "Numbers": partial(_numbers, core),
        "tensor": partial(_tensor, core),
        "small": partial(_small, core),
        "run": partial(_run, core),
        "chain": _chain,
        "prepare": _prepare,
        "kinds": lambda graph: sorted(node.type() for node in graph.get_nodes()),
        "names": lambda graph: sorted(node.name() for node in graph.get_nodes()),
        "share": _share,
        "there": lambda name: Path.cwd() / name,
        "load_json": lambda name: json.loads(Path(name).read_text("utf-8")),
        "told_elts": lambda elts: [elts.type.name, elts.data, elts.token],
        "written": lambda folder: sorted(path.name for path in Path(folder).iterdir()),
    }


def _tensor(core: Any, *dims: int) -> Any:
    """Count up from 0."""
    return core.Tensor(np.arange(np.prod(dims), dtype=np.float32).reshape(dims))


def _small(core: Any) -> Any:
    """Make FC, ReLU, FC."""
    parts = [core.FC(4, 3, name="fc0"), core.ReLU(name="act"), core.FC(3, 2, name="fc1")]
    return core.sequential(parts)


def _run(core: Any, graph: Any, *dims: list[int]) -> Any:
    """Compile a graph for some dims, fill its parameters and run it once."""
    graph.compile("cpu", core.dtype.float32, dims=list(dims) or [[2, 4]])
    for node in graph.get_nodes():
        if node.type() == "Producer":
            core.constant_filler(node.get_operator().get_output(0), 1.0)
    data = [_tensor(core, *each) for each in dims or ([2, 4],)]
    core.SequentialScheduler(graph).forward(data=data)
    return graph


def _prepare(graph: Any) -> Any:
    """Return a graph that runs."""
    graph.set_backend("cpu")
    return graph


def _chain(graph: Any) -> list[str]:
    """Return the names of the nodes along the first inputs, up to the output."""
    node, found = next(iter(graph.get_output_nodes())), []
    while node is not None:
        found.append(node.name())
        node = node.get_parent(0)
    return found[::-1]


def _share(one: Any, other: Any, *names: str) -> list[bool]:
    """Tell for some nodes of two graphs whether they have one operator."""
    pairs = [(one.get_node(name), other.get_node(name)) for name in names]
    return [a.get_operator() is b.get_operator() for a, b in pairs]


def _numbers(core: Any) -> Any:
    """Make a database of five pairs."""

    class Numbers(core.Database):  # type: ignore[misc]  # its base is found at run time
        """Pairs of a vector and a number."""

        def get_item(self, index: int) -> list[Any]:
            """Return a pair."""
            data = np.array([index, 2 * index], np.float32)
            return [core.Tensor(data), core.Tensor(np.array([index], np.int32))]

        def len(self) -> int:
            """Count the pairs."""
            return 5

        def get_nb_modalities(self) -> int:
            """Count the members of a pair."""
            return 2

    return Numbers()


def _loud(core: Any, heard: list[str], operator: Any) -> Any:
    """Make an implementation that says that it runs."""

    class Loud(core.OperatorImpl):  # type: ignore[misc]  # its base is found at run time
        """Says so."""

        def forward(self) -> None:
            """Say so."""
            heard.append(operator.type())

    return Loud(operator, "loud")
