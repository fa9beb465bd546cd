"""Write files completely or not at all."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

_BINARY = getattr(os, "O_BINARY", 0)  # Windows would change line ends


def write_atomically(path: str | os.PathLike[str], content: str | bytes) -> Path:
    """Write a file whole or not at all: beside the target first, then in its place.

    Text is written as UTF-8, line ends as they are. Links are followed; what is no file, such as
    ``/dev/null``, is written directly.

    Raises
    ------
    OSError
        When the folder does not exist or cannot be written; names the target.
    """
    data = content.encode("utf-8") if isinstance(content, str) else content
    target = Path(path).resolve()
    if target.exists() and not target.is_file():
        with naming(path):
            target.write_bytes(data)
        return Path(path)
    with naming(path):
        _write_beside(target, data)
    return Path(path)


@contextmanager
def naming(path: str | os.PathLike[str]) -> Iterator[None]:
    """Name the user's file in system errors, which omit it when the disk is full.

    Examples
    --------
    >>> with naming("page.html"):
    ...     raise OSError(28, "No space left on device")
    Traceback (most recent call last):
    OSError: [Errno 28] No space left on device: 'page.html'
    """
    try:
        yield
    except OSError as error:
        if error.errno is None:
            raise
        raise type(error)(error.errno, error.strerror, str(path)) from error


def _write_beside(target: Path, data: bytes) -> None:
    scratch = target.with_name(f".{target.name}.{os.urandom(4).hex()}")
    handle = os.open(scratch, os.O_WRONLY | os.O_CREAT | os.O_EXCL | _BINARY, 0o600)
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        mode = target.stat().st_mode & 0o777 if target.exists() else 0o666 & ~current_umask()
        os.chmod(scratch, mode)  # noqa: PTH101  # a scratch file is private until it is whole
        os.replace(scratch, target)  # noqa: PTH105
    except BaseException:
        scratch.unlink(missing_ok=True)
        raise


def current_umask() -> int:
    """Return what files that are made may not permit; never anything to their owner.

    Python in a browser begins with a mask that forbids all, and heeds it in ``chmod`` alone.
    """
    mask = os.umask(0)
    os.umask(mask)
    return mask & 0o077
