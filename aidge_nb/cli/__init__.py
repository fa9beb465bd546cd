"""The command ``aidge-nb``."""

from aidge_nb.cli.command import main

__all__ = ["main"]
