r"""Escape names for the formats that they are written to: one function per format.

Names of nodes, tensors, graphs and memories come from files of strangers. They are data: nothing in
a name may end a comment, a string, a cell, a tag or a line. In build files, linker scripts and
paths names appear as C identifiers only (:func:`c_identifier`); JSON is escaped by :mod:`json`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

_C_PAIRS = re.compile(r"(?<=\*)(?=/)|(?<=/)(?=\*)|(?<=\?)(?=\?)")
"""Between the characters that end or begin a comment, and those that begin a trigraph."""

_C_RESERVED = """
asm auto bool break case char const continue default do double else enum extern false float for
fortran goto if inline int long main register restrict return short signed sizeof static struct
switch true typedef typeof union unix unsigned linux void volatile while
assert board ctype errno files inttypes limits math stdbool stddef stdint stdio stdlib string time
int8_t int16_t int32_t int64_t memcmp memcpy memmove memset size_t
uint8_t uint16_t uint32_t uint64_t i j k l m n
"""
"""Keywords, headers, and what the generated functions use: types, functions, loop counters."""

_OUR_PREFIXES = re.compile(r"nb_|nb$|test_|app_|test$|app$")
"""How the names of kernels and tests in a package begin; no model or node may take them."""

_LONGEST_IDENTIFIER = 40


def _ascii(text: str, keep: str = "") -> str:
    """Keep printable ASCII without backslashes (or with ``keep``); name other characters."""
    if text.isascii() and text.isprintable() and "\\" not in text:
        return text
    return "".join(
        char if char in keep or (" " <= char <= "~" and char != "\\") else f"<U+{ord(char):04X}>"
        for char in text
    )


def c_comment(text: str) -> str:
    r"""Return text for the inside of a C comment: one line of ASCII that cannot end the comment.

    Backslashes (line splices), trigraphs, comment marks and characters that are not printable ASCII
    (line breaks, bidirectional controls) do not survive.

    Examples
    --------
    >>> c_comment("conv */ x"), c_comment("a*\\\n/"), c_comment("??/"), c_comment("été")
    ('conv * / x', 'a*<U+005C><U+000A>/', '? ?/', '<U+00E9>t<U+00E9>')
    """
    return _C_PAIRS.sub(" ", _ascii(text))


def c_string(text: str) -> str:
    r"""Return text as a C string literal of printable ASCII.

    Examples
    --------
    >>> print(c_string('say "hi"'), c_string("a\\b??/"), c_string("a\n"))
    "say \"hi\"" "a\\b\?\?/" "a<U+000A>"
    """
    return '"' + re.sub(r'(["\\?])', r"\\\1", _ascii(text, keep="\\")) + '"'


def c_identifier(text: str) -> str:
    """Return a name as a C identifier: letters, digits and underscores, in lower case.

    The identifier is not reserved, at most 40 characters long (of a long name the end is kept), and
    does not begin as the names of our own files. It is safe in paths, make and linker scripts too.

    Examples
    --------
    >>> c_identifier("/features/features.0/Conv"), c_identifier("3x3"), c_identifier("(FC#1)")
    ('features_features_0_conv', 'n3x3', 'fc_1')
    >>> c_identifier("nb_conv"), c_identifier("test_layers")
    ('my_nb_conv', 'my_test_layers')
    """
    words = re.sub(r"[^0-9a-z]+", "_", text.lower()).strip("_") or "unnamed"
    if words[0].isdigit() or _OUR_PREFIXES.match(words):
        words = f"n{words}" if words[0].isdigit() else f"my_{words}"
    if len(words) > _LONGEST_IDENTIFIER:
        words = f"n{words[1 - _LONGEST_IDENTIFIER :]}"
    return f"{words}_" if words in _C_RESERVED.split() else words


# --- HTML, Markdown, Mermaid ----------------------------------------------------------------

_REPLACEMENT = "\N{REPLACEMENT CHARACTER}"
_NOT_SHOWN = re.compile(
    "[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff"
    "\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"
)
"""Characters that XML 1.0 does not allow, UTF-8 cannot encode, or that turn text around."""

_HTML = str.maketrans({"&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#x27;"})


def drawn_text(text: str) -> str:
    r"""Return text that is drawn as it is: nothing in it turns around what stands beside it.

    Examples
    --------
    >>> drawn_text("a" + chr(0x202E) + "b"), drawn_text("a<b")
    ('a\ufffdb', 'a<b')
    """
    return _NOT_SHOWN.sub(_REPLACEMENT, text)


def html_text(text: str) -> str:
    r"""Return text for HTML, SVG and XML, as content or as the value of an attribute.

    Examples
    --------
    >>> html_text('<img src="x">'), html_text("a" + chr(0) + "b")
    ('&lt;img src=&quot;x&quot;&gt;', 'a\ufffdb')
    """
    return drawn_text(text).translate(_HTML)


def markdown_text(text: str) -> str:
    """Return text for Markdown, also for the cell of a table.

    Examples
    --------
    >>> markdown_text("l1"), markdown_text("a|b")
    ('l1', 'a&#124;b')
    """
    shown = _printable(text, _REPLACEMENT)
    return re.sub(r"[^\w ./-]", lambda match: f"&#{ord(match[0])};", shown)


_DOUBLED = re.compile(r"\$(?=\$)|%(?=%)")
"""Where Mermaid finds formulas and directives."""

_MERMAID = str.maketrans({char: f"#{ord(char)};" for char in '"#;<>&`\\[]{}()|%'})


def mermaid_text(text: str) -> str:
    """Return text for a quoted label of a Mermaid flowchart: one line, no markup, no directive.

    Examples
    --------
    >>> mermaid_text('a "b"'), mermaid_text("%%{init}%%")
    ('a #34;b#34;', '#37;#37;#123;init#125;#37;#37;')
    """
    shown = _printable(" ".join(text.split()), _REPLACEMENT)
    return _broken(shown.translate(_MERMAID)) or " "


def _broken(text: str) -> str:
    return _DOUBLED.sub("\\g<0>\N{ZERO WIDTH SPACE}", text)


def mermaid_title(text: str) -> str:
    """Return text, in quotes, for a title of a Mermaid chart or of one of its axes.

    Charts know no way to write quotes inside.

    Examples
    --------
    >>> print(mermaid_title('peak "KiB"'), mermaid_title(""))
    "peak 'KiB'" "-"
    """
    shown = _printable(" ".join(text.split()), _REPLACEMENT).replace('"', "'") or "-"
    return f'"{_broken(shown)}"'


_GANTT = str.maketrans(":;%", "___")
"""Characters that end a task's name in Mermaid's grammar, or begin a comment."""

_GANTT_KEYWORDS = {
    *("axisformat", "call", "click", "date", "dateformat", "excludes", "href", "includes"),
    *("section", "tickinterval", "title", "todaymarker", "weekday", "weekend"),
}
"""First words that turn a line into something else than a task."""

_GANTT_MARKS = ("#", "acc", "gantt", "inclusiveenddates", "topaxis", *"0123456789")
"""Beginnings that do so: comments, keywords that need no space after them, dates."""


def mermaid_caption(text: str) -> str:
    """Return text for the name of a task in a Mermaid Gantt chart.

    An invisible space begins names that Mermaid would take for a keyword, a comment or a date.

    Examples
    --------
    >>> mermaid_caption("conv:1"), mermaid_caption("title") == chr(0x200B) + "title"
    ('conv_1', True)
    """
    text = _printable(text, " ").translate(_GANTT)
    lower = text.lower()
    is_risky = lower.startswith(_GANTT_MARKS) or lower.split(" ", 1)[0] in _GANTT_KEYWORDS
    return f"\N{ZERO WIDTH SPACE}{text}" if is_risky else text


def _printable(text: str, instead: str) -> str:
    if text.isprintable():
        return text
    return "".join(char if char.isprintable() else instead for char in text)


# --- terminal, CSV --------------------------------------------------------------------------


def terminal_text(text: str) -> str:
    r"""Return text for one line of a terminal: characters that do not print are escaped.

    Examples
    --------
    >>> terminal_text("a\x1b[31m\nb"), terminal_text("conv été")
    ('a\\x1b[31m\\nb', 'conv été')
    """
    if text.isprintable():
        return text
    return "".join(
        char if char.isprintable() else char.encode("unicode_escape").decode() for char in text
    )


def terminal_lines(text: str) -> str:
    r"""Return text of several lines for a terminal; see :func:`terminal_text`.

    Examples
    --------
    >>> terminal_lines("a\x07\nb\n")
    'a\\x07\nb\n'
    """
    return "\n".join(map(terminal_text, text.split("\n")))


_FORMULA_CELL = re.compile(r"'*[=+\-@＝＋－＠\s]|.*\s\Z", re.DOTALL)  # noqa: RUF001 (spreadsheets take full-width signs too)
"""Cells that a spreadsheet computes, or that lose white space at their ends."""


def csv_cell(value: object) -> str:
    r"""Return a cell of a CSV file: None is empty, a text is never a formula.

    A text that a spreadsheet would compute (it begins with ``=``, ``+``, ``-``, ``@``, TAB, CR)
    gets an apostrophe in front, as OWASP recommends; :func:`csv_plain` takes it away again.

    Examples
    --------
    >>> csv_cell("conv,1"), csv_cell("=1+1"), csv_cell(-3), csv_cell(None)
    ('"conv,1"', "'=1+1", '-3', '')
    """
    if value is None:
        return ""
    text = str(value)
    if isinstance(value, str):
        text = f"'{text}" if _FORMULA_CELL.match(text) else text
        text = text.encode("utf-8", "replace").decode()  # halves of surrogate pairs
    return '"' + text.replace('"', '""') + '"' if re.search(r'[",\r\n]', text) else text


def csv_plain(cell: str) -> str:
    """Return the text that :func:`csv_cell` wrote, quotes of CSV already taken away.

    Cells that people wrote lose the white space at their ends.

    Examples
    --------
    >>> csv_plain("'=1+1"), csv_plain(" conv ")
    ('=1+1', 'conv')
    """
    return cell[1:] if cell[:1] == "'" and _FORMULA_CELL.match(cell[1:]) else cell.strip()


def csv_text(rows: Iterable[Iterable[object]]) -> str:
    r"""Write rows as CSV; see :func:`csv_cell`.

    Examples
    --------
    >>> csv_text([("id", "size"), ("@a", 4)])
    "id,size\n'@a,4\n"
    """
    return "".join(",".join(map(csv_cell, row)) + "\n" for row in rows)
