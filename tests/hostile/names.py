"""Generate names as a hostile file would have them: fixed ones, and strategies of Hypothesis."""

from __future__ import annotations

from hypothesis import strategies as st

MARKER = "pwned"
"""The file that code in a name would write, into the folder where it runs."""

_CODE = (
    "extern int creat(const char *, unsigned); __attribute__((constructor)) "
    f'static void boom(void) {{ (void)creat("{MARKER}", 420u); }} '
)

WORST = {
    "comment end": f"*/ {_CODE} /*",
    "spliced end": f"*\\\n/ {_CODE} /\\\n*",
    "spliced by CR": f"*\\\r/ {_CODE} /\\\r*",
    "spliced by CR LF": f"*\\\r\n/ {_CODE} /\\\r\n*",
    "spliced with spaces": f"*\\ \t\n/ {_CODE} /\\ \t\n*",
    "spliced by trigraph": f"*??/\n/ {_CODE} /??/\n*",
    "spliced by a trigraph of strangers": f"*\u00e9\u00e9/\n/ {_CODE} /*",
    "string end": f'"}}; {_CODE} static const char *const more[] = {{"',
    "string end by trigraph": f'??/"}}; {_CODE} static const char *const more[] = {{"',
    "string end by replaced characters": f'\u00e9\u00e9/"}}; {_CODE} /*',
    "backslash at the end": "conv\\",
    "trigraph at the end": "conv??/",
    "template": "@configs@",
    "template on a line of its own": "\n@body@\n",
    "directive": f"\n#define relu boom\n{_CODE}",
    "line comment": f"//\n{_CODE}",
    "right to left": "safe\u202e/* \u2066 evil",
    "escape sequences": "\x1b[2J\x1b]0;title\x07\x1b[31mred",
    "controls of 8 bits": "\x9b31m\x85\u2028\u2029",
    "NUL and DEL": "a\x00b\x7f",
    "percent": "%s%n%1000000d",
    "shell": "$(touch pwned) `touch pwned` ; touch pwned |& touch pwned",
    "make": "$(shell touch pwned)\n\ttouch pwned\n",
    "formula": '=cmd|"/C calc"!A0',
    "formula after a tab": "\t=1+1",
    "formulas": "+1-1@SUM(1)",
    "markup": '</title><script>alert(1)</script><img src=x onerror="alert(1)">',
    "mermaid": '%%{init: {"securityLevel": "loose"}}%%\nclick a "javascript:alert(1)"',
    "path": "../../../../tmp/pwned",
    "empty": "",
    "spaces": "  ",
    "long": "x" * 3000,
}
"""The worst names by what they try."""

_FRAGMENTS = (
    *("*", "/", "\\", "?", "??/", "//", "/*", "*/", "\n", "\r", "\t", " ", '"', "'", "`"),
    *("@configs@", "@", "=", "+", "-", "#", "$", "%", "&", "<", ">", "{", "}", ";", ":", "|", ","),
    *("\x1b[31m", "\x07", "\x00", "\x85", "\u2028", "\u202e", "\u2066", "\u200b", "\ufeff"),
    *("\u00e9", "\uff1d", "\U0001f600", "\ud800", "conv", "relu_1", "0", "pwned"),
)


def names(most: int = 12) -> st.SearchStrategy[str]:
    """Return a strategy for hostile names: what formats give a meaning to, and any characters."""
    parts = st.sampled_from(_FRAGMENTS) | st.characters()
    return st.lists(parts, max_size=most).map("".join) | st.sampled_from(sorted(WORST.values()))
