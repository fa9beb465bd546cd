import base64
import gzip
import hashlib
import json
import re
from html.parser import HTMLParser

from aidge_nb.widgets import build_scene, to_html
from aidge_nb.widgets.still.html import BUNDLE
from tests.widgets.models import EVIL, LONG, plan_of, residual, schedule_of, snapshot


class Reader(HTMLParser):
    """Collects tags, and the text of each script."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.scripts: dict[str, str] = {}
        self._script = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._script = (dict(attrs).get("type") or "") if tag == "script" else ""

    def handle_endtag(self, tag: str) -> None:
        self._script = ""

    def handle_data(self, data: str) -> None:
        if self._script:
            self.scripts[self._script] = self.scripts.get(self._script, "") + data


def parse(page: str) -> Reader:
    reader = Reader()
    reader.feed(page)
    return reader


def test_the_page_holds_the_scene() -> None:
    scene = build_scene(*residual())
    packed = parse(to_html(scene)).scripts["text/plain"]
    data = gzip.decompress(base64.b64decode(packed))
    length = int.from_bytes(data[:4], "little")
    meta, columns = scene.payload()
    assert json.loads(data[4 : 4 + length]) == json.loads(json.dumps(meta))
    assert data[4 + length :] == columns


def test_the_page_names_no_address_to_load_from() -> None:
    page = parse(to_html(build_scene(*residual())))
    for tag, attributes in page.tags:
        assert "src" not in attributes, tag
        assert (attributes.get("href") or "data:").startswith("data:")


def test_only_the_bundle_may_run() -> None:
    page = parse(to_html(build_scene()))
    policy = next(
        attributes["content"] or ""
        for tag, attributes in page.tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    )
    digest = hashlib.sha256(page.scripts["module"].encode()).digest()
    assert f"script-src 'sha256-{base64.b64encode(digest).decode()}'" in policy
    assert "default-src 'none'" in policy


def test_names_inject_nothing() -> None:
    names = [EVIL, LONG]
    graph = snapshot(names, [(0, 1)], name=EVIL)
    page = to_html(build_scene(graph, plan=plan_of(names)), EVIL)
    tags = [tag for tag, _ in parse(page).tags]
    assert "img" not in tags
    assert tags.count("script") == 2


def test_500_nodes_take_less_than_3_mb() -> None:
    graph, schedule, plan = residual(125)
    assert len(graph.nodes) > 500
    assert len(to_html(build_scene(graph, schedule, plan)).encode()) < 3_000_000


def test_pages_are_deterministic_and_have_a_title() -> None:
    scene = build_scene(*residual())
    assert to_html(scene) == to_html(scene)
    assert "<title>A &amp; B</title>" in to_html(scene, "A & B")
    assert "<title>residual</title>" in to_html(scene)


def test_without_scripts_the_pictures_are_shown() -> None:
    page = to_html(build_scene(schedule=schedule_of(["a"], [(0, 0)])))
    quiet = re.search(r'<section class="still">(.*)</section>', page, re.DOTALL)
    assert quiet is not None
    assert "<svg" in quiet[1]


def test_the_bundle_is_small_and_plain() -> None:
    text = BUNDLE.read_bytes()
    build = (BUNDLE.parent.parent / "frontend" / "build.mjs").read_text(encoding="utf-8")
    limit = re.search(r'"static/workbench.js", largest: ([\d_]+)', build)
    assert limit is not None
    assert len(text) <= int(limit[1]) <= 316_000
    assert b"</script" not in text
    assert b"https://" not in text
    assert b"eval(" not in text
