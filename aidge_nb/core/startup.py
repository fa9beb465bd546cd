"""Quiet handling of Ctrl-C, and no garbage collection, while ``aidge-nb`` imports modules.

Python would print a traceback of the import in progress, and look through modules, which stay, for
what can go. The package calls :func:`end_quietly` before it imports anything else, and the command
:func:`interrupt_again` when it can handle interruptions itself. Both do nothing when the package is
imported by anything else.
"""

from __future__ import annotations

import gc
import os
import signal
import sys

INTERRUPTED = 130
"""Exit code of a command that was interrupted, as shells have it: 128 + SIGINT."""

TERMINATED = 143
"""Exit code of a command that was asked to end: 128 + SIGTERM."""


def end_quietly() -> None:
    """Make an interruption end the process at once, if this process is the command."""
    if is_command():
        gc.disable()
    if is_command() and signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, _end)


def interrupt_again() -> None:
    """Make an interruption raise KeyboardInterrupt again, and SIGTERM leave in order."""
    if is_command():
        gc.freeze()  # what was imported stays
        gc.enable()
    if signal.getsignal(signal.SIGINT) is _end:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if is_command() and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, _leave)  # so that programs and scratch folders are cleaned up


def make_streams_safe() -> None:
    """Open closed standard streams, and let them replace characters that they cannot write."""
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, "w", encoding="utf-8"))  # noqa: PTH123, SIM115
        elif hasattr(stream, "reconfigure") and stream.errors in (
            *("strict", "surrogateescape"),  # the latter in the locale C
        ):
            stream.reconfigure(errors="replace")


def is_command() -> bool:
    """Return whether this process is ``aidge-nb ...`` or ``python -m aidge_nb ...``."""
    program = sys.argv[0] if sys.argv else ""
    if program == "-m":  # Python replaces it by the file once it has found the module
        return "aidge_nb" in sys.orig_argv
    names = ("aidge-nb", "aidge-nb.exe", "aidge_nb/__main__.py")
    return f"/{program}".replace(os.sep, "/").endswith(tuple(f"/{name}" for name in names))


def _leave(*_: object) -> None:
    raise SystemExit(TERMINATED)


def _end(*_: object) -> None:
    os._exit(INTERRUPTED)
