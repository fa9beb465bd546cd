"""Declarations of ONNX operators, version by version.

The table beside this module, ``schemas.json``, was written from the ``onnx`` package by
``.ci/onnx_schemas.py``, so that files can be read and written without it.

Reference: https://onnx.ai/onnx/operators/
"""

from __future__ import annotations

import json
from bisect import bisect_right
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from aidge_nb.core.values import dataclass
from aidge_nb.onnx_io.ir import default_domain

TEXT, NUMBERS = 1, 2
"""Kinds of values that an input may be; both for any type."""


@dataclass(frozen=True)
class OperatorSchema:
    """One version of an operator.

    Attributes
    ----------
    since
        Version of the operator set from which on it holds.
    outputs
        Largest number of outputs.
    attributes
        Number of the kind of each attribute, by name.
    defaults
        Their default values: numbers, texts and lists of them; None for others.
    inputs
        Names in lower case; the last one may stand for many.
    kinds
        ``TEXT``, ``NUMBERS`` or both, for each.
    has_body
        Whether the standard defines it as a function of other operators.
    deprecated
        Whether this version has it no more.
    """

    since: int
    outputs: int
    attributes: Mapping[str, int]
    defaults: Mapping[str, Any]
    inputs: tuple[str, ...]
    kinds: tuple[int, ...]
    has_body: bool
    deprecated: bool


@cache
def _table() -> Mapping[str, Mapping[str, list[list[Any]]]]:
    text = Path(__file__).with_name("schemas.json").read_text("utf-8")
    found: Mapping[str, Mapping[str, list[list[Any]]]] = json.loads(text)
    return found


@cache
def schema_of(op_type: str, version: int, domain: str = "") -> OperatorSchema | None:
    """Return what an operator is in a version of an operator set; None if that has none.

    Examples
    --------
    >>> schema = schema_of("Relu", 13)
    >>> schema.inputs, schema.since, schema_of("Swirl", 13)
    (('x',), 13, None)
    """
    versions = _table().get("" if default_domain(domain) else domain, {}).get(op_type, [])
    place = bisect_right([entry[0] for entry in versions], version)
    if not place:
        return None
    since, outputs, attributes, inputs, kinds, marks = versions[place - 1]
    return OperatorSchema(
        since,
        outputs,
        {name: pair[0] for name, pair in attributes.items()},
        {name: pair[1] if len(pair) > 1 else None for name, pair in attributes.items()},
        tuple(inputs),
        tuple(kinds),
        bool(marks & 1),
        bool(marks & 2),
    )


@cache
def newest_opset() -> int:
    """Return the newest version of the standard operators that the table knows.

    Examples
    --------
    >>> newest_opset() >= 21
    True
    """
    return max(int(entry[0]) for versions in _table()[""].values() for entry in versions)
