"""Messages of the hardware room: each says what to do about it."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from aidge_nb import hardware
from aidge_nb.core.errors import HardwareError
from aidge_nb.hardware.targets.describe import as_target

# These tell which rule a mapping breaks; what to do depends on who made it.
CHECKERS = {"check.py", "check_counts.py"}


def without_cure(path: Path) -> Iterator[str]:
    """List the calls that build a message of a file, but give it no cure."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Call):
            name = getattr(node.func, "id", getattr(node.func, "attr", ""))
            keywords = {keyword.arg for keyword in node.keywords}
            if name in ("explain", "error") and not keywords & {"cure", None}:
                yield f"{path.name}, line {node.lineno}: {ast.unparse(node)}"


def test_every_message_has_a_cure() -> None:
    room = Path(hardware.__file__).parent
    files = [path for path in sorted(room.glob("*.py")) if path.name not in CHECKERS]
    assert [found for path in files for found in without_cure(path)] == []


def described(**changes: Any) -> dict[str, Any]:
    return {
        "device": "soc",
        "memories": {"ram": {"size": "64KiB"}},
        "devices": {"core": {"pe": {"macs_per_cycle": 1, "frequency": "80MHz"}}},
        "links": [{"between": ["core/pe", "ram"], "bytes_per_cycle": 4}],
        **changes,
    }


def test_what_stands_for_nothing_is_refused() -> None:
    assert as_target(described()).name == "soc"
    alone = [{"group": ["core"], "split": ["tile_h"]}]
    with pytest.raises(HardwareError, match=r"cooperation\[0\]/group: has one member.*remove"):
        as_target(described(cooperation=alone))
    twice = [{"group": ["core", "core"], "split": ["tile_h"]}]
    with pytest.raises(HardwareError, match=r"group: has one member.*Name another device"):
        as_target(described(cooperation=twice))
    devices = {**described()["devices"], "ghost": {}}
    with pytest.raises(HardwareError, match=r"devices/ghost: is a device without parts.*remove"):
        as_target(described(devices=devices))
