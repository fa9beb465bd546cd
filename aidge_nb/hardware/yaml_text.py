"""The part of YAML that descriptions of hardware are written in, read and written.

Block and flow mappings and sequences, plain and quoted scalars, comments. Anchors, tags, block
scalars and several documents are refused; a key that comes twice is an error, as two devices of
one name would silently become one.

Reference: YAML 1.2.2, https://yaml.org/spec/1.2.2/
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from aidge_nb.errors import HardwareError, explain

__all__ = ["read_yaml", "write_yaml"]

_NUMBER = re.compile(r"[-+]?(\d+|\d+\.\d*|\.\d+)([eE][-+]?\d+)?")
_WORDS = {"true": True, "false": False, "null": None, "~": None, "": None}
_TOKEN = re.compile(r"\"[^\"]*\"|'[^']*'|[{}\[\],]|:(?=\s|$)|[^{}\[\],:'\"]+|:|['\"]")


def read_yaml(text: str, where: str = "description") -> Any:
    r"""Read a document.

    Raises
    ------
    HardwareError
        Names the line that cannot be read.

    Examples
    --------
    >>> read_yaml("device: mcu\nmemories:\n  ram: {size: 64KiB, kind: ram}  # the only one")
    {'device': 'mcu', 'memories': {'ram': {'size': '64KiB', 'kind': 'ram'}}}
    """
    reader = _Reader(where, _lines(text, where))
    if not reader.lines:
        raise HardwareError(explain(where, "is empty", expected="key: value"))
    value = reader.block(reader.lines[0][1])
    if reader.at < len(reader.lines):
        reader.fail("is indented unlike what is above")
    return value


def _lines(text: str, where: str) -> list[tuple[int, int, str]]:
    """Give number, indent and content of each line; open brackets go on to the next one."""
    found: list[tuple[int, int, str]] = []
    open_brackets = 0
    for number, line in enumerate(text.splitlines(), 1):
        content = _without_comment(line)
        if not content.strip():
            continue
        if "\t" in line[: len(line) - len(line.lstrip())]:
            raise HardwareError(explain(f"{where}, line {number}", "indent with spaces, not tabs"))
        if open_brackets and found:
            found[-1] = (*found[-1][:2], f"{found[-1][2]} {content.strip()}")
        else:
            found.append((number, len(content) - len(content.lstrip()), content.strip()))
        bare = re.sub(r"\"[^\"]*\"|'[^']*'", "", content)
        open_brackets += sum(bare.count(each) for each in "{[") - sum(map(bare.count, "}]"))
    return found


def _without_comment(line: str) -> str:
    quote = ""
    for at, letter in enumerate(line):
        if quote:
            quote = "" if letter == quote else quote
        elif letter in "'\"":
            quote = letter
        elif letter == "#" and (at == 0 or line[at - 1] in " \t"):
            return line[:at].rstrip()
    return line.rstrip()


class _Reader:
    """Reads blocks by their indent."""

    def __init__(self, where: str, lines: list[tuple[int, int, str]]) -> None:
        self.where = where
        self.lines = lines
        self.at = 0

    def fail(self, problem: str, **facts: Any) -> None:
        """Refuse the present line."""
        number, _, content = self.lines[min(self.at, len(self.lines) - 1)]
        where = f"{self.where}, line {number}"
        raise HardwareError(explain(where, problem, found=facts.pop("found", content), **facts))

    def block(self, indent: int) -> Any:
        """Read a mapping, a sequence or a scalar of this indent."""
        if self.lines[self.at][2].startswith("- "):
            return self._sequence(indent)
        return self._mapping(indent)

    def _sequence(self, indent: int) -> list[Any]:
        items = []
        while self._is_at(indent) and self.lines[self.at][2].startswith("- "):
            number, _, content = self.lines[self.at]
            inner = content[2:].lstrip()
            if _key_of(inner) is not None:
                deeper = indent + len(content) - len(inner)
                self.lines[self.at] = (number, deeper, inner)
                items.append(self._mapping(deeper))
            else:
                items.append(self._flow(inner))
                self.at += 1
        return items

    def _mapping(self, indent: int) -> Any:
        values: dict[str, Any] = {}
        while self._is_at(indent):
            content = self.lines[self.at][2]
            split = _key_of(content)
            if split is None:
                if not values:
                    self.at += 1
                    return self._flow(content, self.at - 1)
                self.fail("is no 'key: value'")
                break
            key, rest = split
            if key in values:
                self.fail("comes twice", found=key, cure="Give one of them another name.")
            at = self.at
            self.at += 1
            if rest:
                values[key] = self._flow(rest, at)
            elif self.at < len(self.lines) and (
                self.lines[self.at][1] > indent
                or (self.lines[self.at][1] == indent and self.lines[self.at][2].startswith("- "))
            ):
                values[key] = self.block(self.lines[self.at][1])
            else:
                values[key] = None
        if self.at < len(self.lines) and self.lines[self.at][1] > indent:
            self.fail("is indented unlike what is above")
        return values

    def _is_at(self, indent: int) -> bool:
        return self.at < len(self.lines) and self.lines[self.at][1] == indent

    def _flow(self, text: str, at: int | None = None) -> Any:
        before, self.at = self.at, self.at if at is None else at
        tokens = [token for token in _TOKEN.findall(text) if token.strip()]
        value, rest = self._value(tokens)
        if rest:
            self.fail("has something behind its end", found="".join(rest))
        self.at = before
        return value

    def _value(self, tokens: list[str]) -> tuple[Any, list[str]]:
        if not tokens:
            return None, []
        if tokens[0] == "{":
            return self._flow_mapping(tokens[1:])
        if tokens[0] == "[":
            return self._flow_sequence(tokens[1:])
        words = []
        while tokens and tokens[0] not in ("{", "}", "[", "]", ","):
            words.append(tokens[0])
            tokens = tokens[1:]
        return self._scalar("".join(words).strip()), tokens

    def _flow_mapping(self, tokens: list[str]) -> tuple[dict[str, Any], list[str]]:
        values: dict[str, Any] = {}
        while tokens and tokens[0] != "}":
            if len(tokens) < 2 or tokens[1] != ":":
                self.fail("is no 'key: value'", found=tokens[0].strip())
            key = str(self._scalar(tokens[0].strip()))
            if key in values:
                self.fail("comes twice", found=key, cure="Give one of them another name.")
            values[key], tokens = self._value(tokens[2:])
            tokens = tokens[1:] if tokens[:1] == [","] else tokens
        if not tokens:
            self.fail("lacks a closing brace", expected="}")
        return values, tokens[1:]

    def _flow_sequence(self, tokens: list[str]) -> tuple[list[Any], list[str]]:
        items: list[Any] = []
        while tokens and tokens[0] != "]":
            item, tokens = self._value(tokens)
            items.append(item)
            tokens = tokens[1:] if tokens[:1] == [","] else tokens
        if not tokens:
            self.fail("lacks a closing bracket", expected="]")
        return items, tokens[1:]

    def _scalar(self, text: str) -> Any:
        if len(text) > 1 and text[0] in "'\"" and text[-1] == text[0]:
            return text[1:-1]
        if text[:1] in ("&", "*", "!", "|", ">", "%", "@", "`", "'", '"'):
            self.fail(
                "is YAML that is not used here", found=text, cure=f'Write "{text}" in quotes.'
            )
        if text in _WORDS:
            return _WORDS[text]
        if _NUMBER.fullmatch(text):
            return int(text) if re.fullmatch(r"[-+]?\d+", text) else float(text)
        return text


def _key_of(content: str) -> tuple[str, str] | None:
    """Split 'key: value'; None where it is something else."""
    found = re.match(
        r"(\"[^\"]*\"|'[^']*'|[^\s{}\[\],'\"#:][^{}\[\],#]*?)\s*:(?:\s+(.*))?$", content
    )
    if found is None:
        return None
    return found[1].strip("'\""), (found[2] or "").strip()


def write_yaml(values: Mapping[str, Any]) -> str:
    """Write a document: what lies two levels deep or deeper in flow style.

    Examples
    --------
    >>> print(write_yaml({"device": "mcu", "memories": {"ram": {"size": "64KiB"}}}), end="")
    device: mcu
    memories:
      ram: {size: 64KiB}
    """
    lines = []
    for key, value in values.items():
        if isinstance(value, Mapping) and value:
            lines.append(f"{key}:")
            lines += [f"  {_inline(str(name))}: {_inline(each)}" for name, each in value.items()]
        elif isinstance(value, (list, tuple)) and any(isinstance(e, Mapping) for e in value):
            lines.append(f"{key}:")
            lines += [f"  - {_inline(each)}" for each in value]
        else:
            lines.append(f"{key}: {_inline(value)}")
    return "\n".join(lines) + "\n"


def _inline(value: Any) -> str:
    if isinstance(value, Mapping):
        return (
            "{"
            + ", ".join(f"{_inline(str(key))}: {_inline(each)}" for key, each in value.items())
            + "}"
        )
    if isinstance(value, (list, tuple)):
        return "[" + ", ".join(map(_inline, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    text = str(value)
    plain = isinstance(value, str) and not re.fullmatch(r"[A-Za-z_][\w/*. -]*|\d+\w*[A-Za-z]", text)
    return f'"{text}"' if plain or text in _WORDS else text
