"""Stands in for ``aidge_core.utils``: fetches the files that a tutorial needs."""

from __future__ import annotations

from os import PathLike
from pathlib import Path
from typing import Any

from aidge_nb.compat.served.hints import not_served
from aidge_nb.core.errors import AidgeError
from aidge_nb.core.log import Log

__all__ = ["download_file"]


def __getattr__(name: str) -> Any:
    __tracebackhide__ = True  # tracebacks end where the name was asked for
    raise AttributeError(not_served("aidge_core.utils", name, __all__))


def download_file(
    file_path: str | PathLike[str],
    file_url: str,
    block_size: int = 8192,
    show_progress: bool = True,  # accepted and ignored
) -> None:
    """Fetch a file unless it exists; the only function of this package that uses a network.

    Parameters
    ----------
    file_path
        Where it shall lie.
    file_url
        Where it comes from.
    block_size
        Bytes that are read at a time.

    Raises
    ------
    AidgeError
        When it cannot be fetched; no partial file remains.
    """
    path = Path(file_path)
    if path.exists():
        Log.info(f"{path.name} is there already")
        return
    from shutil import copyfileobj
    from urllib.request import urlopen

    partly = path.with_name(path.name + ".part")
    try:
        with urlopen(file_url, timeout=60) as source, partly.open("wb") as target:
            copyfileobj(source, target, block_size)
        partly.replace(path)
    except (OSError, ValueError) as error:
        partly.unlink(missing_ok=True)
        cure = f"Get it by other means and put it at {path}: it is not fetched again."
        raise AidgeError.at(
            "download_file", f"cannot fetch {file_url}", found=str(error), cure=cure
        ) from error
