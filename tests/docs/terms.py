"""First uses of the glossary's terms in the tutorials, and their links.

python -m tests.docs.terms      link those that are not linked yet
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import NamedTuple

NOTEBOOKS = Path(__file__).resolve().parents[2] / "notebooks"
ENTRIES: dict[str, str] = {
    term: " ".join(said.split())
    for term, said in re.findall(
        r"^### (.+)\n\n((?:.+\n)+)", (NOTEBOOKS / "glossary.md").read_text("utf-8"), re.MULTILINE
    )
}
"""What the glossary says of each term."""

LOOKED_FOR = [term for term in ENTRIES if "(" not in term]
"""Terms of one sense; a term with brackets has others, too."""

APART = re.compile(
    r"```.*?```|`[^`]*`|^#+ .*?$|\[[^\]]*\]\((?!glossary)[^)]*\)|\]\([^)]*\)"
    r"|(?<!\*)\*(?![\s*])[^*]+\*|\"[^\"]*\"",
    re.MULTILINE | re.DOTALL,
)
"""Not read: code, headings, titles of other texts, and addresses."""


class Use(NamedTuple):
    """The first use of a term in a tutorial: in which cell, and from where to where."""

    term: str
    cell: int
    start: int
    end: int
    linked: bool

    @property
    def address(self) -> str:
        """Where the term is explained: a heading, by the rule of GitHub and MyST."""
        return f"glossary.md#{anchor(self.term)}"


def anchor(heading: str) -> str:
    return re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-"))


def _pattern(term: str) -> str:
    words = r"\s+".join(map(re.escape, term.split()))
    return rf"{words[:-1]}(?:y|ies)" if words.endswith("y") else rf"{words}(?:s|es)?"


WORDS = re.compile(
    r"(?<![\w–-])(?:"
    + "|".join(f"({_pattern(term)})" for term in sorted(LOOKED_FOR, key=len, reverse=True))
    + r")(?![\w–-])",
    re.IGNORECASE,
)
_ORDER = sorted(LOOKED_FOR, key=len, reverse=True)


def first_uses(texts: list[str]) -> list[Use]:
    """Return the first use of each term in the texts of a tutorial, in order."""
    found: dict[str, Use] = {}
    for cell, text in enumerate(texts):
        read = APART.sub(lambda hidden: "\0" * len(hidden[0]), text)
        for match in WORDS.finditer(read):
            term = _ORDER[(match.lastindex or 0) - 1]
            link = f"](glossary.md#{anchor(term)})"
            linked = text[match.start() - 1 :][:1] == "[" and text.startswith(link, match.end())
            found.setdefault(term, Use(term, cell, match.start(), match.end(), linked))
    return list(found.values())


def tutorials() -> list[Path]:
    return sorted(NOTEBOOKS.glob("[0-9]*.ipynb"))


def texts_of(notebook: dict[str, list[dict[str, str]]]) -> list[str]:
    """Return the text of each cell; that of code is empty."""
    return [
        "".join(cell["source"]) if cell["cell_type"] == "markdown" else ""
        for cell in notebook["cells"]
    ]


def link(path: Path) -> None:
    """Link the first use of each term in a tutorial."""
    notebook = json.loads(path.read_text("utf-8"))
    texts = texts_of(notebook)
    for use in sorted(first_uses(texts), key=lambda use: (use.cell, use.start), reverse=True):
        if not use.linked:
            text = texts[use.cell]
            word = f"[{text[use.start : use.end]}]({use.address})"
            texts[use.cell] = text[: use.start] + word + text[use.end :]
    for cell, text in zip(notebook["cells"], texts, strict=True):
        if cell["cell_type"] == "markdown":
            cell["source"] = text.splitlines(keepends=True)
    path.write_text(json.dumps(notebook, indent=1, ensure_ascii=False) + "\n", "utf-8")


if __name__ == "__main__":
    for each in tutorials():
        link(each)
