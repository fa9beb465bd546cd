"""Words that views explain mean in the glossary what they mean there."""

from __future__ import annotations

import json
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
TERMS: dict[str, str] = json.loads((ROOT / "widgets/shared/terms.json").read_text("utf-8"))
ENTRY = re.compile(r"^(\S[^\n]*)\n((?:  [^\n]+\n)+)", re.MULTILINE)


def test_the_glossary_begins_each_term_with_the_sentence_of_its_tooltip() -> None:
    text = (ROOT / "docs" / "glossary.md").read_text("utf-8")
    entries = {term: " ".join(said.split()) for term, said in ENTRY.findall(text)}
    assert TERMS
    for term, sentence in TERMS.items():
        assert entries.get(term, "").startswith(sentence), term
        assert sentence.endswith(".")
