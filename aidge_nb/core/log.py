"""Messages to the user, as levels of the standard logger ``aidge_nb``.

The library logs what it decided; ``Log.set_console_level`` chooses what is shown. Warnings and
errors are shown even when nothing was configured, as Python does by default.
"""

from __future__ import annotations

import logging
import sys
from enum import IntEnum

from aidge_nb.core.text import terminal_lines

NOTICE = 25
logging.addLevelName(NOTICE, "NOTICE")
logger = logging.getLogger("aidge_nb")


class Level(IntEnum):
    """The severity of a message, with Aidge's names."""

    Debug = logging.DEBUG
    """What helps to find an error in this library."""
    Info = logging.INFO
    """What was decided."""
    Notice = NOTICE
    """What was decided, and the caller may not expect."""
    Warn = logging.WARNING
    """What the caller should look at."""
    Error = logging.ERROR
    """What did not work."""
    Fatal = logging.CRITICAL
    """What ends the program."""


def _make_printable(record: logging.LogRecord) -> bool:
    """Escape what does not print: messages have names of strangers."""
    record.msg, record.args = terminal_lines(record.getMessage()), ()
    return True


logger.addFilter(_make_printable)


_FORMAT = logging.Formatter("[%(levelname)s] - %(message)s")


class _Console(logging.StreamHandler):  # type: ignore[type-arg]  # generic only in stubs
    """Write ``[LEVEL] - message`` to the current standard output."""

    def __init__(self) -> None:
        super().__init__(sys.stdout)
        self.setFormatter(_FORMAT)

    def emit(self, record: logging.LogRecord) -> None:
        self.setStream(sys.stdout)
        super().emit(record)


class Log:
    """Choose which messages are shown, with Aidge's names."""

    @staticmethod
    def set_console_level(level: Level) -> None:
        """Show messages of this level and above on standard output.

        Examples
        --------
        >>> Log.set_console_level(Level.Error)
        >>> Log.reset()
        """
        Log.reset()
        console = _Console()
        console.setLevel(level)
        logger.addHandler(console)
        logger.propagate = False
        Log._listen()

    @staticmethod
    def reset() -> None:
        """Restore Python's default: warnings and errors on standard error."""
        for handler in [handler for handler in logger.handlers if isinstance(handler, _Console)]:
            logger.removeHandler(handler)
        logger.setLevel(logging.NOTSET)
        logger.propagate = True

    @staticmethod
    def get_console_level() -> Level:
        """Return the least level that is shown.

        Examples
        --------
        >>> Log.get_console_level()
        <Level.Warn: 30>
        """
        shown = [each.level for each in logger.handlers if isinstance(each, _Console)]
        return Level(shown[0]) if shown else Level.Warn

    @staticmethod
    def set_console_color(enabled: bool) -> None:
        """Return without changes: messages have no colour."""

    @staticmethod
    def set_precision(precision: int) -> None:
        """Return without changes: messages have the digits that matter."""

    @staticmethod
    def set_file_name(name: str) -> None:
        """Write messages to a file as well; an empty name ends that."""
        for handler in [each for each in logger.handlers if isinstance(each, logging.FileHandler)]:
            logger.removeHandler(handler)
            handler.close()
        if name:
            file = logging.FileHandler(name, "w", "utf-8", delay=True)
            file.setFormatter(_FORMAT)
            logger.addHandler(file)
        Log._listen()

    @staticmethod
    def set_file_level(level: Level) -> None:
        """Choose the least level that the file has; all by default."""
        for handler in logger.handlers:
            if isinstance(handler, logging.FileHandler):
                handler.setLevel(level)
        Log._listen()

    @staticmethod
    def _listen() -> None:
        """Let through what the console or the file wants."""
        kinds = (_Console, logging.FileHandler)
        wanted = [each.level for each in logger.handlers if isinstance(each, kinds)]
        logger.setLevel(max(1, min(wanted)) if wanted else logging.NOTSET)

    @staticmethod
    def debug(message: str) -> None:
        """Log a detail that helps to find an error."""
        logger.log(Level.Debug, message)

    @staticmethod
    def info(message: str) -> None:
        """Log a decision."""
        logger.log(Level.Info, message)

    @staticmethod
    def notice(message: str) -> None:
        """Log a decision that may be unexpected."""
        logger.log(Level.Notice, message)

    @staticmethod
    def warn(message: str) -> None:
        """Log a warning."""
        logger.log(Level.Warn, message)

    @staticmethod
    def error(message: str) -> None:
        """Log an error."""
        logger.log(Level.Error, message)

    @staticmethod
    def fatal(message: str) -> None:
        """Log an error that ends the program; the caller ends it."""
        logger.log(Level.Fatal, message)
