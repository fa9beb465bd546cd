"""Stands in for ``aidge_core.utils``: fetches the files that a tutorial needs."""

from __future__ import annotations

import types
from collections.abc import Callable, Generator, Sequence
from functools import wraps
from inspect import signature
from os import PathLike
from pathlib import Path
from subprocess import PIPE, STDOUT, CalledProcessError, Popen
from typing import Any, Union, get_args, get_origin, get_type_hints

from aidge_nb.compat.served.unserved import refusing
from aidge_nb.core.errors import AidgeError
from aidge_nb.core.log import Log

__all__ = [
    "Log",
    "check_types",
    "download_file",
    "is_instance_of",
    "run_command",
    "template_docstring",
    "type_to_str",
    "var_to_type_str",
]

__getattr__ = refusing(__name__, "aidge_core.utils")


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


# --- types of arguments ---------------------------------------------------------------------


def is_instance_of(obj: Any, typ: Any) -> bool:
    """Return whether something has a type, such as ``list[int]``.

    Examples
    --------
    >>> is_instance_of([1, 2], list[int]), is_instance_of(["a"], list[int])
    (True, False)
    """
    origin, inner = get_origin(typ), get_args(typ)
    if typ is Any:
        return True
    if origin is None:
        return isinstance(obj, type(None) if typ is None else typ)
    if origin in (Union, types.UnionType):
        return any(is_instance_of(obj, each) for each in inner)
    if not isinstance(obj, origin):
        return False
    if isinstance(obj, dict):
        pairs = obj.items()
        return all(is_instance_of(k, inner[0]) and is_instance_of(v, inner[1]) for k, v in pairs)
    if isinstance(obj, tuple) and inner[-1:] != (...,):
        same = len(obj) == len(inner)
        return same and all(map(is_instance_of, obj, inner))
    return all(is_instance_of(each, inner[0]) for each in obj)


def type_to_str(typ: Any) -> str:
    """Return the name of a type, with the types inside: ``dict[str, list[int]]``."""
    origin, inner = get_origin(typ), get_args(typ)
    if origin is None:
        return getattr(typ, "__name__", str(typ))
    return f"{type_to_str(origin)}[{', '.join(map(type_to_str, inner))}]"


def var_to_type_str(var: Any) -> str:
    """Return the name of the type of something; what is inside as its first element has it."""
    name = type(var).__name__
    if isinstance(var, dict):
        pair = next(iter(var.items()), None)
        return f"{name}[{', '.join(map(var_to_type_str, pair))}]" if pair else name
    if isinstance(var, (list, tuple, set)) and var:
        return f"{name}[{var_to_type_str(next(iter(var)))}]"
    return name


def check_types(f: Callable[..., Any]) -> Callable[..., Any]:
    """Make a function raise TypeError for arguments that have other types than it declares."""

    @wraps(f)
    def checked(*args: Any, **kwargs: Any) -> Any:
        declared = get_type_hints(f)
        for name, value in signature(f).bind(*args, **kwargs).arguments.items():
            if name in declared and not is_instance_of(value, declared[name]):
                expected = type_to_str(declared[name])
                found = var_to_type_str(value)
                raise TypeError(f"{f.__name__}: {name} is {found}, expected {expected}")
        return f(*args, **kwargs)

    return checked


def template_docstring(template_keyword: str, text_to_replace: str) -> Callable[[Any], Any]:
    """Return a decorator that replaces ``{keyword}`` in a docstring."""

    def replace(function: Any) -> Any:
        doc = function.__doc__ or ""
        function.__doc__ = doc.replace("{" + template_keyword + "}", text_to_replace)
        return function

    return replace


def run_command(command: Sequence[str], cwd: Path | None = None) -> Generator[str, None, int]:
    """Run a command and yield what it prints, line by line; its code is what is returned.

    Raises
    ------
    subprocess.CalledProcessError
        When it fails.
    """
    with Popen(command, stdout=PIPE, stderr=STDOUT, text=True, cwd=cwd) as process:
        yield from process.stdout or ()
    if process.returncode:
        raise CalledProcessError(process.returncode, list(command))
    return process.returncode
