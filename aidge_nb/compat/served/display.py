"""Show something in a notebook, if one is running."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from typing import Any

__all__ = ["display"]


def display(bundle: Mapping[str, Any]) -> None:
    """Show a MIME bundle in the running notebook; do nothing outside of one."""
    if "IPython" not in sys.modules:
        return
    from IPython import get_ipython
    from IPython.display import display as show

    if get_ipython() is not None:
        show(dict(bundle), raw=True)  # type: ignore[no-untyped-call]  # IPython's
