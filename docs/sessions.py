"""Examples of public functions for the reference, kept as text in `sessions.txt`."""

from __future__ import annotations

import re
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


def sessions() -> dict[str, str]:
    """Give the sessions by the full name of what they show."""
    text = (Path(__file__).parent / "sessions.txt").read_text("utf-8")
    blocks = re.findall(r"^\[(aidge_nb[\w.]+)\]\n(.*?)(?=^\[aidge_nb|\Z)", text, re.M | re.S)
    return {name: SETUP + session.strip() for name, session in blocks}
