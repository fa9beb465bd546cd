"""Mutate texts that describe or save something, read and show each, and count failures.

``python -m tests.hostile.text_fuzz COUNT [FIRST]`` prints exceptions that are none of ours; a seed
per text, so that each can be made again.
"""

from __future__ import annotations

import json
import random
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from functools import cache
from html.parser import HTMLParser
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from aidge_nb import hardware
from aidge_nb.cli import main as command
from aidge_nb.core.errors import AidgeError
from aidge_nb.course.release import release
from aidge_nb.hardware import read_constraints, read_target
from aidge_nb.memory import read_problem
from tests.hostile.names import WORST
from tests.hostile.test_values import KINDS, places, values

PIECES: tuple[str, ...] = (
    *("null", "true", "-1", "0", "1e400", "NaN", "[]", "{}", "[[]]", '""', '"\\ud800"', "0x10"),
    *("{", "}", "[", "]", ",", ":", '"', "'", "\n", "\t", " ", "-", "*", "&a", "!!int", "|", "#"),
    *("99999999999999999999", "9223372036854775807", "=", "=1+1", "\x00", "\u202e", "\ufeff"),
)
ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 2, 3.5, 1e300, 1 << 62, 1 << 70, "", "x", "0", "64KiB", "10ms"),
    *([], {}, [[]], [0], ["x"], {"x": 0}, [0, 0], [1, 2, 3, 4]),
)


@dataclass(frozen=True)
class Door:
    """A text, and what reads and shows it."""

    text: str
    read: Callable[[str], object]
    is_json: bool = True


class _Tags(HTMLParser):
    """Refuses what a page would run."""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag in ("script", "img", "iframe", "object") or any(key[:2] == "on" for key, _ in attrs):
            raise RuntimeError(f"the page runs {tag} with {attrs}")


def show(value: Any) -> None:
    """Use a value as a notebook and a file would; what is shown runs nothing."""
    repr(value)
    for name in ("to_dict", "to_csv", "to_text", "to_mermaid", "to_yaml"):
        made = getattr(value, name, None)
        if made is not None:
            made()
    bundle: Any = getattr(value, "_repr_mimebundle_", dict)()
    data = bundle[0] if isinstance(bundle, tuple) else bundle
    for kind in ("text/html", "image/svg+xml"):
        _Tags().feed(data.get(kind, ""))


def _value(kind: str) -> Door:
    value = values()[kind]
    read = type(value).from_dict
    return Door(json.dumps(value.to_dict()), lambda text: show(read(json.loads(text))))


def _csv(text: str, *options: str) -> str:
    """Plan a table by the command; return what it wrote."""
    with TemporaryDirectory() as folder:
        path = Path(folder) / "p.csv"
        path.write_text(text, "utf-8", "replace", "")
        out = StringIO()
        with redirect_stdout(out), redirect_stderr(out):
            command(["plan", str(path), "-q", *options])
        if "internal error" in out.getvalue():
            raise RuntimeError(out.getvalue())
        return out.getvalue()


TABLE = 'id,lower,upper,size,offset\na,0,2,64,0\nb,1,3,32,64\n\'=c,2,4,16,0\n"d,e",0,4,8,96\n'
ARGUMENTS = (
    *("zoo:lenet", "--dims", "1,1,28,28", "--dim", "N=1", "--constant", "a=1", "--limit"),
    *("depth=100", "--policy", "MinimumMemory"),
)


def _arguments(text: str) -> None:
    out = StringIO()
    with redirect_stdout(out), redirect_stderr(out), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        words = json.loads(text)
        command(["schedule", *map(str, words if isinstance(words, list) else [words])])
    if "internal error" in out.getvalue():
        raise RuntimeError(out.getvalue())


NOTEBOOK = {
    "cells": [
        {
            "cell_type": "code",
            "source": ["a = 1\n", "### BEGIN SOLUTION\n", "b = 2\n", "### END SOLUTION"],
            "outputs": [],
            "metadata": {},
        },
        {"cell_type": "markdown", "source": "text", "metadata": {}},
    ],
    "nbformat": 4,
}


@cache
def doors() -> Mapping[str, Door]:
    """Return what reads texts, by name."""
    targets = [hardware.target(name) for name in ("mcu", "quad_cluster", "duo_soc")]
    quad = targets[1]
    constraints = hardware.Constraints("quad_cluster", {"l2": 1024}, ("cluster/0/pe",), 0.5)
    made = {kind: _value(kind) for kind in KINDS}
    for target in targets:
        text = json.dumps(target.to_dict())
        made[f"{target.name}, JSON"] = Door(text, lambda text: show(read_target(text)))
        made[f"{target.name}, YAML"] = Door(
            target.to_yaml(), lambda text: show(read_target(text)), is_json=False
        )
    made["constraints, JSON"] = Door(
        json.dumps(constraints.to_dict()), lambda text: show(read_constraints(text, quad))
    )
    made["constraints, YAML"] = Door(
        constraints.to_yaml(), lambda text: show(read_constraints(text, quad)), is_json=False
    )
    made["problem"] = Door(TABLE, read_problem, is_json=False)
    made["plan of a table"] = Door(TABLE, _csv, is_json=False)
    made["check of a table"] = Door(TABLE, lambda text: _csv(text, "--check"), is_json=False)
    made["arguments"] = Door(json.dumps(ARGUMENTS), _arguments)
    made["notebook"] = Door(json.dumps(NOTEBOOK), lambda text: release(json.loads(text)))
    return made


def mutated_text(seed: int) -> tuple[str, str]:
    """Return the door and the text of a seed, with one to three mutations."""
    rng = random.Random(seed)
    name = rng.choice(sorted(doors()))
    door = doors()[name]
    text = door.text
    for _ in range(rng.choice((1, 1, 2, 3))):
        if door.is_json and rng.random() < 0.8:
            try:
                text = json.dumps(_changed(json.loads(text), rng))
                continue
            except ValueError:
                pass
        text = _spliced(text, rng)
    return name, text


def _changed(whole: Any, rng: random.Random) -> Any:
    path = rng.choice(list(places(whole)))
    if not path:
        return rng.choice(ODD)
    inner = whole
    for key in path[:-1]:
        inner = inner[key]
    kind = rng.randrange(5)
    if kind == 0:
        del inner[path[-1]]
    elif kind == 1 and isinstance(inner, dict):
        inner[rng.choice([*WORST.values(), *inner])] = inner.pop(path[-1])
    elif kind == 2:
        other = rng.choice(list(places(whole)))
        value = whole
        for key in other:
            value = value[key]
        inner[path[-1]] = json.loads(json.dumps(value))
    elif kind == 3 and isinstance(inner[path[-1]], (int, float)):
        inner[path[-1]] = rng.choice((inner[path[-1]] + 1, inner[path[-1]] - 1, 0, -1, 7, 1 << 40))
    else:
        inner[path[-1]] = rng.choice((*ODD, rng.choice(sorted(WORST.values()))))
    return whole


def _spliced(text: str, rng: random.Random) -> str:
    place, size = rng.randrange(len(text) + 1), rng.randrange(1, 12)
    kind = rng.randrange(5)
    if kind == 0:
        return text[:place]
    if kind == 1:
        return text[:place] + text[place + size :]
    if kind == 2:
        return text[:place] + rng.choice(sorted(WORST.values())) + text[place:]
    if kind == 3:
        start = rng.randrange(len(text) + 1)
        return text[:place] + text[start : start + 3 * size] + text[place:]
    return text[:place] + rng.choice(PIECES) + text[place + rng.randrange(3) :]


def text_outcome(name: str, text: str) -> str:
    """Read and show a text; return where an exception came from that is none of ours."""
    try:
        doors()[name].read(text)
    except AidgeError:
        return ""
    except json.JSONDecodeError:  # of the test: these doors take plain values
        return ""
    except Exception as error:  # noqa: BLE001  # what is counted
        last = traceback.extract_tb(error.__traceback__)[-1]
        place = "/".join(Path(last.filename).parts[-3:])
        return f"{name}: {type(error).__name__} {place}:{last.lineno} {error}"
    return ""


def text_failures(seeds: range) -> Iterator[str]:
    """Yield the seed and the place of each failure."""
    for seed in seeds:
        place = text_outcome(*mutated_text(seed))
        if place:
            yield f"{seed} {place}"


def main(count: int, first: int = 0) -> None:
    """Print each exception that is none of ours, and how many there are."""
    found = 0
    for place in text_failures(range(first, first + count)):
        found += 1
        sys.stdout.write(f"{place}\n")
        sys.stdout.flush()
    sys.stdout.write(f"{found} of {count}\n")


if __name__ == "__main__":
    main(*map(int, sys.argv[1:]))
