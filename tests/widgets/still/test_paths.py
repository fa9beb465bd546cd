"""Names that are long paths are read in the static picture, as short as they have to be."""

from __future__ import annotations

from xml.etree import ElementTree as ET

from aidge_nb.widgets import to_svg
from tests.widgets.paths import of_paths

SVG = "{http://www.w3.org/2000/svg}"


def test_every_buffer_with_room_has_a_name() -> None:
    scene = of_paths()
    root = ET.fromstring(to_svg(scene))
    texts = ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]
    assert any("names without functional_1/ …" in text for text in texts)
    named = [
        text for text in texts if any(part in text for part in ("Relu", "NormV3", "depthwise"))
    ]
    assert scene.memory is not None
    large = [size for size in scene.memory.size if size >= scene.memory.peak // 4]
    assert len(named) >= len(large) == 24
    assert not any(";functional" in text or "…/" in text for text in texts)


def test_boxes_of_the_graph_have_short_names() -> None:
    root = ET.fromstring(to_svg(of_paths(), "graph"))
    texts = ["".join(each.itertext()) for each in root.iter(f"{SVG}text")]
    assert "0 · Relu" in texts
    assert "0 · FusedBatchNormV3" in texts
    assert "BiasAdd" in " ".join(texts)
