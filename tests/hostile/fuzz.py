"""Mutate models, study and run each, and count the exceptions that are none of ours.

``python -m tests.hostile.fuzz COUNT [FIRST]`` prints where they come from; a seed per file, so
that each can be made again.
"""

from __future__ import annotations

import random
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import numpy as np
import onnx
from google.protobuf.message import DecodeError  # type: ignore[import-untyped]  # no stubs
from onnx import AttributeProto, helper, numpy_helper

from aidge_nb.core.errors import AidgeError
from aidge_nb.core.limits import limits
from aidge_nb.core.log import Level, logger
from aidge_nb.report import study
from tests.hostile.seeds import seed_models

PATIENCE = 20
"""Seconds after which a file counts as one that hangs."""

_NUMBERS = (0, 1, -1, 2, 3, -2, 7, 64, 1 << 31, -(1 << 31), (1 << 63) - 1, -(1 << 63))
_FLOATS = (0.0, -1.0, 1.0, 0.5, 1e-30, 3e38, float("inf"), float("nan"))
_TEXTS = ("", "NOTSET", "VALID", "reverse", "zeros", "none", "é", "Sigmoid", "cubic", "ij->ji", "-")
_TYPES = ("float32", "float64", "float16", "int64", "int32", "int8", "uint8", "bool", "object")
_DIMS: Sequence[list[int]] = ([], [0], [1], [2], [3, 0], [1, 1], [2, 3], [4, 1, 2], [1] * 5)
_NOTHING_TO_MUTATE = (
    *(DecodeError, ValueError, TypeError, LookupError, ArithmeticError, NotImplementedError),
)


def mutated(models: Sequence[bytes], seed: int) -> bytes:
    """Make the file of a seed: one model, with one to three mutations."""
    rng = random.Random(seed)
    data = rng.choice(models)
    for _ in range(rng.choice((1, 1, 2, 3))):
        if rng.random() < 0.2:
            data = _bytes(data, rng)
            continue
        model = onnx.ModelProto()
        try:
            model.ParseFromString(data)
            rng.choice(_MUTATIONS)(model, rng)
            data = model.SerializeToString()
        except _NOTHING_TO_MUTATE:
            continue
    return data


def _bytes(data: bytes, rng: random.Random) -> bytes:
    place = rng.randrange(len(data) + 1)
    kind = rng.randrange(4)
    if kind == 0:
        return data[:place]
    if kind == 1:
        return data[:place] + rng.randbytes(rng.randrange(1, 5)) + data[place:]
    if kind == 2:
        return data[:place] + data[place + rng.randrange(1, 9) :]
    changed = bytearray(data or b"\0")
    changed[place % len(changed)] ^= 1 << rng.randrange(8)
    return bytes(changed)


def _node(model: onnx.ModelProto, rng: random.Random) -> onnx.NodeProto:
    bodies = [model.graph, *model.functions]
    nodes: list[onnx.NodeProto] = [node for body in bodies for node in body.node]
    return rng.choice(nodes)


def _inputs(model: onnx.ModelProto, rng: random.Random) -> None:
    names = _node(model, rng).input
    place = rng.randrange(len(names) + 1)
    kind = rng.randrange(4)
    if kind == 0:
        names.insert(place, rng.choice(["", "nothing", *names]))
    elif kind == 1:
        names.pop(place)
    elif kind == 2:
        names[place] = ""
    else:
        shuffled = rng.sample(list(names), len(names))
        del names[:]
        names.extend(shuffled)


def _outputs(model: onnx.ModelProto, rng: random.Random) -> None:
    names = _node(model, rng).output
    kind = rng.randrange(3)
    if kind == 0:
        names.append(f"more{len(names)}")
    elif kind == 1:
        names.pop()
    else:
        names[rng.randrange(len(names))] = rng.choice(["", "x", "other"])


def _value(rng: random.Random) -> Any:
    return rng.choice(
        [
            rng.choice(_NUMBERS),
            rng.choice(_FLOATS),
            rng.choice(_TEXTS),
            [rng.choice(_NUMBERS) for _ in range(rng.randrange(5))] or [0],
            [rng.choice(_FLOATS)],
            [rng.choice(_TEXTS)],
            numpy_helper.from_array(_array(rng)),
        ]
    )


def _attributes(model: onnx.ModelProto, rng: random.Random) -> None:
    node = _node(model, rng)
    kind = rng.randrange(4)
    schema_names = ["axis", "axes", "group", "pads", "mode", "to", "perm", "keepdims", "dtype"]
    if kind == 0:
        node.attribute.pop(rng.randrange(len(node.attribute)))
    elif kind == 1:
        name = rng.choice([*schema_names, *(each.name for each in node.attribute)])
        node.attribute.append(helper.make_attribute(name, _value(rng)))
    else:
        given = rng.choice(node.attribute)
        if kind == 2:
            value = _value(rng)
        else:  # of the same type
            value = _like(given, rng)
        given.CopyFrom(helper.make_attribute(given.name, value))


def _like(given: AttributeProto, rng: random.Random) -> Any:
    if given.type == AttributeProto.INT:
        return rng.choice(_NUMBERS)
    if given.type == AttributeProto.FLOAT:
        return rng.choice(_FLOATS)
    if given.type == AttributeProto.STRING:
        return rng.choice(_TEXTS)
    if given.type == AttributeProto.INTS:
        numbers = list(given.ints)
        if rng.random() < 0.5:
            return [*numbers, rng.choice(_NUMBERS)]
        numbers[rng.randrange(len(numbers))] = rng.choice(_NUMBERS)
        return numbers
    return _value(rng)


def _array(rng: random.Random) -> Any:
    dims, kind = rng.choice(_DIMS), rng.choice(_TYPES)
    if kind == "object":
        return np.full(dims, "text", object)
    with np.errstate(all="ignore"):
        return np.full(dims, rng.choice([0, 1, -1, 2, 5, 1000])).astype(kind)


def _constants(model: onnx.ModelProto, rng: random.Random) -> None:
    given = rng.choice(model.graph.initializer)
    kind = rng.randrange(4)
    array = numpy_helper.to_array(given)
    if kind == 0:
        array = _array(rng)
    elif kind == 1:
        array = np.array(array)
        array[...] = rng.choice(_NUMBERS[:8])
    elif kind == 2:
        given.data_type = rng.randrange(26)
        return
    else:
        array = rng.choice([array.ravel(), array[None], array[:0], np.repeat(array, 2, 0)])
    given.CopyFrom(numpy_helper.from_array(array, given.name))


def _given(model: onnx.ModelProto, rng: random.Random) -> None:
    kind = rng.choice(model.graph.input).type.tensor_type
    dims = kind.shape.dim
    what = rng.randrange(5)
    if what == 0:
        kind.elem_type = rng.randrange(26)
    elif what == 1:
        kind.ClearField("shape")
    elif what == 2:
        dims.pop()
    elif what == 3:
        dims.add().dim_value = rng.choice((0, 1, 2, 3))
    else:
        rng.choice(dims).dim_value = rng.choice((0, 1, 2, 3, 5, -1, 1 << 40))


def _kind(model: onnx.ModelProto, rng: random.Random) -> None:
    schemas = onnx.defs.get_all_schemas()
    node = _node(model, rng)
    if rng.random() < 0.5:
        schema = rng.choice(schemas)
        node.op_type, node.domain = schema.name, schema.domain
    else:
        rng.choice(model.opset_import).version = rng.choice((1, 6, 7, 9, 11, 13, 17, 21, 99))


_MUTATIONS: tuple[Callable[[onnx.ModelProto, random.Random], None], ...] = (
    *(_inputs, _inputs, _outputs, _attributes, _attributes, _constants, _constants, _given, _kind),
)


class _Hung(BaseException):
    """A file took longer than :data:`PATIENCE`."""


@contextmanager
def _patience() -> Iterator[None]:
    def stop(_number: int, _frame: FrameType | None) -> None:
        raise _Hung

    previous = signal.signal(signal.SIGALRM, stop)
    signal.alarm(PATIENCE)
    try:
        yield
    finally:
        signal.alarm(0)
        signal.signal(signal.SIGALRM, previous)


def outcome(data: bytes) -> str:
    """Study and run a file; return where an exception came from that is none of ours."""
    try:
        with warnings.catch_warnings(), np.errstate(all="ignore"), _patience():
            warnings.simplefilter("ignore")
            with limits(constant_bytes=1 << 24, run_seconds=5):
                study(data, run=True).to_html()
    except (AidgeError, OSError):
        return ""
    except _Hung:
        return "hung"
    except Exception as error:  # noqa: BLE001  # what is counted
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = "/".join(Path(last.filename).parts[-3:])
        return f"{type(error).__name__} {place}:{last.lineno} {error}"
    return ""


def main(count: int, first: int = 0) -> None:
    """Print each exception that is none of ours, and how many of which."""
    logger.setLevel(Level.Fatal)
    models = [model.SerializeToString() for model in seed_models()]
    found = 0
    for seed in range(first, first + count):
        place = outcome(mutated(models, seed))
        if place:
            found += 1
            sys.stdout.write(f"{seed} {place}\n")
    sys.stdout.write(f"{found} of {count}\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
