"""What somebody reads who asks for a name that is not served."""

from __future__ import annotations

from collections.abc import Iterable
from difflib import get_close_matches

__all__ = ["not_served"]


def not_served(module: str, name: str, known: Iterable[str] = ()) -> str:
    """Say that a name of Aidge is not served here, and what can be done.

    Examples
    --------
    >>> print(not_served("aidge_onnx", "load_onx", ["load_onnx", "export_onnx"]))
    module 'aidge_onnx' as served by aidge_nb has no 'load_onx' (did you mean load_onnx?); \
`python -m aidge_nb.compat --table` lists what there is
    """
    close = get_close_matches(name, list(known))
    meant = f" (did you mean {', '.join(close)}?)" if close else ""
    return (
        f"module {module!r} as served by aidge_nb has no {name!r}{meant}; "
        "`python -m aidge_nb.compat --table` lists what there is"
    )
