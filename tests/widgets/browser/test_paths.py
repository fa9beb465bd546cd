"""Names that are long paths are read on screen: no bar that has room is left without."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

from playwright.sync_api import Browser

from tests.widgets.browser.bench import Bench
from tests.widgets.browser.test_picture import open_menu, saved
from tests.widgets.paths import of_paths

SVG = "{http://www.w3.org/2000/svg}"


def test_each_bar_and_each_buffer_of_the_network_has_a_name(
    browser: Browser, tmp_path: Path, artifacts: Path
) -> None:
    scene = of_paths()
    bench = Bench(browser, viewport={"width": 1440, "height": 1000}).open(scene, tmp_path)
    bench.page.screenshot(path=artifacts / "paths.png")
    open_menu(bench.page)
    root = ET.parse(saved(bench.page, "SVG", tmp_path)).getroot()
    texts = [each.text or "" for each in root.iter(f"{SVG}text")]
    shown = [text for text in texts if text in {"Relu", "NormV3", "depthwise", "Relu6"}]
    assert len(shown) >= 24, "a name on each bar of the blocks"
    for last in ("AvgPool", "Reshape", "BiasAdd", "StaParCall:0"):
        assert last in texts
    in_memory = [text for text in texts if " · " in text and "FusedBatchNormV3" in text]
    assert len(in_memory) >= 6 or texts.count("NormV3") >= 12
    assert "functional_1/ …" in texts, "what is left out is said once"
    assert not any(";" in text and "/" in text for text in texts if len(text) < 40)
    assert bench.complaints == []
    bench.page.close()
