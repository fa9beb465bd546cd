"""Examples for the reference that are too long for a docstring, kept as text in `sessions/`.

A file per package: a line with the name of what is shown, then the session. That of a class names
all of its methods and properties.
"""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

__all__ = ["SETUP", "sessions"]

SETUP = """\
>>> import aidge_nb
>>> import numpy as np
>>> graph = aidge_nb.zoo.load("lenet")
>>> graph.set_backend("cpu")
>>> graph.forward_dims([[1, 1, 32, 32]])
True
>>> order = graph.topological_order()
"""
"""What comes before each."""


@cache
def sessions() -> dict[str, str]:
    """Give the sessions, without what comes before each, by the full name of what they show."""
    found: dict[str, str] = {}
    for path in sorted((Path(__file__).parent / "sessions").glob("*.txt")):
        text = path.read_text("utf-8")
        blocks = re.findall(r"^\[(aidge_nb[\w.]+)\]\n(.*?)(?=^\[aidge_nb|\Z)", text, re.M | re.S)
        found |= {name: session.strip() for name, session in blocks}
    return found
