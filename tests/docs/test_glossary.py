"""Words mean in views and tutorials what they mean in the glossary, and lead there."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.docs.terms import ENTRIES, LOOKED_FOR, anchor, first_uses, texts_of, tutorials

ROOT = Path(__file__).parents[2]
TERMS: dict[str, str] = json.loads((ROOT / "widgets/shared/terms.json").read_text("utf-8"))


def test_the_glossary_begins_each_term_with_the_sentence_of_its_tooltip() -> None:
    assert TERMS
    for term, sentence in TERMS.items():
        assert ENTRIES.get(term, "").startswith(sentence), term
        assert sentence.endswith(".")


def test_each_term_has_an_address_of_its_own() -> None:
    assert len({anchor(term) for term in ENTRIES}) == len(ENTRIES)


@pytest.mark.parametrize("path", tutorials(), ids=lambda path: path.stem)
def test_the_first_use_of_each_term_in_a_tutorial_leads_there(path: Path) -> None:
    found = first_uses(texts_of(json.loads(path.read_text("utf-8"))))
    bare = [(use.cell, use.term) for use in found if not use.linked]
    assert not bare, "python -m tests.docs.terms links them"
    assert len(found) >= 5


def test_most_terms_are_used_somewhere() -> None:
    texts = [texts_of(json.loads(path.read_text("utf-8"))) for path in tutorials()]
    used = {use.term for each in texts for use in first_uses(each)}
    assert len(used) > len(LOOKED_FOR) / 2


@pytest.mark.parametrize(
    ("text", "term"),
    [
        ("Two late\nsteps.", "late step"),
        ("All policies.", "policy"),
        ("the **Halo**: rows", "halo"),
        ("[slack](other.md) and [Slack](glossary.md#slack)", "slack"),
    ],
)
def test_uses_are_found(text: str, term: str) -> None:
    (found,) = first_uses([text])
    assert (found.term, found.linked) == (term, "glossary" in text)


@pytest.mark.parametrize(
    "text", ["# Slack", "`slack`", "*slack*", "slacken", "a step-by-step list"]
)
def test_what_is_no_use_is_passed_over(text: str) -> None:
    assert first_uses([text]) == []
