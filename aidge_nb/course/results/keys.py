"""Keys of teachers, tickets of students, and signatures of result files.

A teacher's key makes a ticket for each name; a ticket signs the files of its student. Whoever has
the key makes the ticket again and checks the signature. A ticket does not tell the key.
"""

from __future__ import annotations

import hashlib
import hmac
import json
import re
import secrets
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from aidge_nb.core.errors import AidgeError, reading
from aidge_nb.core.files import write_atomically

KEY_BYTES = 32
TICKET_LETTERS = 20  # hexadecimal: 80 bits
_KEY = re.compile(rf"[0-9a-f]{{{2 * KEY_BYTES}}}")


def make_key(path: str | Path) -> None:
    """Write a new key to a file that does not exist.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    AidgeError
        When there is a file: with another key, no file of a student can be checked any more.
    """
    if Path(path).exists():
        cure = "Keep the key, or choose another file."
        raise AidgeError.at(str(path), "there is a file already", cure=cure)
    write_atomically(path, secrets.token_hex(KEY_BYTES) + "\n")
    Path(path).chmod(0o600)


def read_key(path: str | Path) -> bytes:
    """Read a key.

    Parameters
    ----------
    path
        The file.

    Raises
    ------
    AidgeError
        For a file that holds no key.
    """
    with reading(str(path), expected="a key"):
        text = Path(path).read_text("ascii").strip()
    if not _KEY.fullmatch(text):
        cure = "Make one with: aidge-nb course key FILE"
        raise AidgeError.at(str(path), "holds no key", cure=cure)
    return bytes.fromhex(text)


def ticket_of(key: bytes, name: str) -> str:
    """Return the ticket of a student.

    Parameters
    ----------
    key
        The teacher's key.
    name
        The student's name; spaces around and between do not matter.

    Examples
    --------
    >>> ticket_of(b"key", "Ada  Lovelace") == ticket_of(b"key", " Ada Lovelace ")
    True
    """
    digest = hmac.new(key, plain_name(name).encode(), hashlib.sha256)
    return digest.hexdigest()[:TICKET_LETTERS]


def plain_name(name: str) -> str:
    """Return a name with single spaces.

    Parameters
    ----------
    name
        The name.
    """
    return " ".join(name.split())


def signature_of(ticket: str, result: Mapping[str, Any]) -> str:
    """Return the signature of a result by a ticket; an earlier signature does not count.

    Parameters
    ----------
    ticket
        The student's ticket.
    result
        The result, as JSON.
    """
    signed = {name: value for name, value in result.items() if name != "signature"}
    text = json.dumps(signed, sort_keys=True, separators=(",", ":"), ensure_ascii=True)
    return hmac.new(ticket.encode(), text.encode(), hashlib.sha256).hexdigest()
