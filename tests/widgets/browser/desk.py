"""A question of the course in a real browser, answered by the real Python object."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, expect

from aidge_nb import course
from aidge_nb.widgets.live import answers
from aidge_nb.widgets.live.answers import AnswerSheet
from tests.widgets.browser.bench import FAKE_NOTEBOOK

BUNDLE = Path(answers.__file__).parent.parent / "static" / "course.js"
TOLD = ("answer", "_said", "_hints", "_solution")

CONNECT = """() => {
  const { save_changes } = kernel;
  kernel.save_changes = async () => {
    save_changes();
    const news = await toPython(JSON.stringify(kernel.traits._asked));
    for (const [name, value] of Object.entries(JSON.parse(news))) kernel.set(name, value);
  };
}"""


class Desk:
    """A sheet in a page, whose requests the real Python object answers."""

    def __init__(self, browser: Browser, question: course.Question, **context: Any) -> None:
        self.page: Page = browser.new_page(viewport={"width": 800, "height": 600}, **context)
        self.complaints: list[str] = []
        self.page.on("pageerror", lambda error: self.complaints.append(str(error)))
        self.sheet = AnswerSheet(question)
        self.page.expose_function("toPython", self._serve)
        self.page.goto("about:blank")
        state = {name: getattr(self.sheet, name) for name in ("_question", "_asked", *TOLD)}
        state = json.loads(json.dumps(state))
        self.page.evaluate(FAKE_NOTEBOOK, [BUNDLE.read_text("utf-8"), state, []])
        self.page.evaluate(CONNECT)

    def _serve(self, asked: str) -> str:
        self.sheet.set_trait("_asked", json.loads(asked))
        return json.dumps({name: getattr(self.sheet, name) for name in TOLD})

    def check(self) -> None:
        self.page.get_by_role("button", name="check").click()

    def says(self, text: str) -> None:
        expect(self.page.locator(".anc-said")).to_contain_text(text)

    def drive(self, others: Iterable[Any]) -> None:
        """Give answers that are wrong or half right, then the right one, as a reader gives them."""
        for answer in others:
            given = _typed(answer) if self.sheet._task.kind == "text" else answer
            self.page.evaluate("answer => kernel.set('answer', answer)", given)
            self.check()
            self.says(self.sheet._task.check(answer).text)
            kind = re.compile("wrong|half")
            expect(self.page.locator(".anc-said")).to_have_attribute("data-kind", kind)
        self.page.get_by_role("button", name="show me").click()
        self.page.get_by_role("button", name="set it").click()
        self.check()
        expect(self.page.locator(".anc-said")).to_have_attribute("data-kind", "right")
        assert self.complaints == []
        self.page.close()


def _typed(answer: Any) -> str:
    """Write several numbers as a reader does."""
    return " ".join(map(str, answer.values())) if isinstance(answer, dict) else answer
