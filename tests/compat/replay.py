"""Recorded answers of aidge_core 0.10.1: ask for them anew, or ask this library the same.

    python tests/compat/replay.py tests/compat/answers/*.txt

records: run it where aidge_core and aidge_backend_cpu 0.10.1 are installed. A line is Python, whose
last part is an expression, and what it gave there.
"""

from __future__ import annotations

import ast
import json
import math
import os
import pickle
import signal
import sys
import warnings
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np

ARROW = "  # => "
SECONDS = 5
"""How long a line may take while it is recorded."""
ANSWERS = Path(__file__).parent / "answers"


def lines_of(name: str) -> list[tuple[str, Any]]:
    """Return the questions of a file and their recorded answers."""
    return [(code, json.loads(answer)) for code, answer in _split(ANSWERS / f"{name}.txt") if code]


def _split(path: Path) -> Iterator[tuple[str, str]]:
    for line in path.read_text("utf-8").splitlines():
        code, _, answer = line.partition(ARROW)
        yield ("", line) if line.startswith("#") or not line else (code, answer)


def ask(code: str) -> Any:
    """Run a line with whatever serves ``aidge_core``, and return what it gave."""
    core = import_module("aidge_core")
    names = {"core": core, "np": np, "pickle": pickle, "told": told, **_tensors(core)}
    exec(compile(_HELPERS, "helpers", "exec"), names)
    *first, last = ast.parse(code).body
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            exec(compile(ast.Module(first, []), "line", "exec"), names)
            assert isinstance(last, ast.Expr)
            return told(eval(compile(ast.Expression(last.value), "line", "eval"), names))
        except Exception as error:  # noqa: BLE001  # whatever it is, it is the answer
            return {"raises": type(error).__name__}


_HELPERS = """
def run(node, *arrays):
    view = core.get_connected_graph_view(node)
    view.set_backend("cpu")
    return core.SequentialScheduler(view).forward(data=[core.Tensor(each) for each in arrays])
def F(*values):
    return np.array(values, np.float32)
def producer(dims, name=""):
    return core.Producer(core.Tensor(R(*dims)), name)
def R(*dims):
    return (np.arange(np.prod(dims), dtype=np.float32) % 7 - 2).reshape(dims)
def values(dims, shift):
    count = np.prod(dims, dtype=int)
    return ((np.arange(count, dtype=np.float32) * 0.37 + shift * 0.11) % 1 - 0.4).reshape(dims)
def fill(view):
    nodes = list(view.get_nodes())
    for node in list(nodes):
        if hasattr(node.get_operator(), "get_micro_graph"):
            nodes += node.get_operator().get_micro_graph().get_nodes()
    weights = [n for n in nodes if n.type() == "Producer" and n.name().endswith(("_w", "_b"))]
    for index, node in enumerate(sorted(weights, key=lambda n: n.name())):
        dims = list(node.get_operator().get_output(0).dims)
        node.get_operator().set_output(0, core.Tensor(values(dims, index)))
def feed(node, first, second, state=()):
    for index in range(1, 17):
        dims = (first, second)[(index - 1) // 2 % 2]
        tensor = core.Tensor(values(dims if index % 2 else dims[:1], index))
        core.Producer(tensor, f"p{index}").add_child(node, 0, index)
    for index in (17, 18):
        tensor = core.Tensor(values(state or [1, second[0]], index))
        core.Producer(tensor, f"s{index}").add_child(node, 0, index)
def parts(view):
    name = lambda pair: "" if pair is None or pair[0] is None else pair[0].name() or pair[0].type()
    return sorted([n.type(), n.name(), [name(p) for p in n.inputs()]] for n in view.get_nodes())
"""


def _tensors(core: Any) -> dict[str, Any]:
    arrays = {
        "A": np.arange(6, dtype=np.float32).reshape(2, 3),
        "S": np.array(2.5, np.float32),
        "I": np.array([1, 2, 3, 4], np.int32),
        "D": np.array([1.5, 2], np.float64),
        "B": np.array([True, False]),
        "N": np.arange(24, dtype=np.float32).reshape(1, 2, 3, 4),
    }
    return {name: core.Tensor(array) for name, array in arrays.items()}


def told(result: Any) -> Any:
    """Return a result in JSON: tensors as dims, type and values."""
    core = import_module("aidge_core")
    if isinstance(result, core.Tensor):
        dims, dtype = list(result.dims), result.dtype.name
        try:
            return {"dims": dims, "dtype": dtype, "values": told(np.asarray(result))}
        except Exception:  # noqa: BLE001  # as above
            return {"dims": dims, "dtype": dtype}
    if isinstance(result, (np.ndarray, np.generic)):
        return told(result.tolist())
    if isinstance(result, (set, frozenset)):
        return sorted(result)
    if isinstance(result, (list, tuple)):
        return [told(each) for each in result]
    if isinstance(result, complex):
        return [result.real, result.imag]
    if isinstance(result, float) and not math.isfinite(result):
        return str(result)
    if result is None or isinstance(result, (bool, int, str)):
        return result
    if isinstance(result, float):
        return float(f"{result:.6g}")
    return getattr(result, "name", None) or type(result).__name__


def agree(ours: Any, theirs: Any) -> bool:
    """Return whether two answers are the same, but for rounding and the class of an exception."""
    if isinstance(ours, dict) and isinstance(theirs, dict):
        return ours.keys() == theirs.keys() and (
            "raises" in ours or all(agree(ours[key], theirs[key]) for key in ours)
        )
    if isinstance(ours, list) and isinstance(theirs, list):
        return len(ours) == len(theirs) and all(map(agree, ours, theirs))
    if type(ours) is float and type(theirs) in (int, float):
        return math.isclose(ours, theirs, rel_tol=2e-5, abs_tol=2e-6)
    return type(ours) is type(theirs) and bool(ours == theirs)


def _record(path: Path) -> None:
    written = []
    for code, rest in _split(path):
        if not code:
            written.append(rest)
            continue
        here, there = os.pipe()
        if not (child := os.fork()):  # a process of its own: some lines end it
            signal.alarm(SECONDS)  # some do not end
            os.write(there, json.dumps(ask(code)).encode())
            os._exit(0)
        os.close(there)
        os.waitpid(child, 0)
        answer = os.read(here, 1 << 16).decode() or '{"raises": "no end, or the process ends"}'
        os.close(here)
        written.append(code + ARROW + answer)
    path.write_text("\n".join(written) + "\n", "utf-8")


if __name__ == "__main__":
    core = import_module("aidge_core")
    import_module("aidge_backend_cpu")
    core.Log.set_console_level(core.Level.Fatal)
    for each in sys.argv[1:]:
        _record(Path(each))
