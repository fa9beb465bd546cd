"""Choose how the data of a view travel, so that a saved notebook stays small.

Small data travel as they are. Larger ones are compressed; what is still too large to be saved goes
in a message of its own, which notebooks do not keep, when the view asks for it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

from aidge_nb.widgets.shared import SAVED
from aidge_nb.widgets.wire.payload import compress


@dataclass(frozen=True, slots=True)
class ViewData:
    """Data of a view.

    Attributes
    ----------
    meta, columns
        The payload of a scene; empty where it is packed.
    packed
        The payload, compressed; empty where it is small.
    """

    meta: dict[str, Any] = field(default_factory=dict)
    columns: bytes = b""
    packed: bytes = b""

    @property
    def is_apart(self) -> bool:
        """Say whether the data are too large to be saved."""
        return len(self.packed) > int(SAVED["packedBytes"])


def view_data(meta: dict[str, Any], columns: bytes) -> ViewData:
    """Pack a payload where it is large.

    Examples
    --------
    >>> view_data({"title": "small"}, b"12").packed
    b''
    >>> packed = view_data({"title": "large"}, bytes(10**6)).packed
    >>> len(packed) < 2000
    True
    """
    size = len(columns) + len(json.dumps(meta))
    if size <= SAVED["plainBytes"]:
        return ViewData(meta, columns)
    return ViewData(packed=compress(meta, columns))
