"""The view of an export: code beside the schedule, files, and the nodes that both speak of."""

from __future__ import annotations

from pathlib import Path

from aidge_nb.export import export, plan_export
from aidge_nb.widgets import scene_of
from tests.export.models import diamond, sequence


def test_a_package_is_shown_with_its_graph_its_order_and_its_memory(tmp_path: Path) -> None:
    package = export(diamond(), tmp_path / "diamond")
    scene = scene_of(package)
    assert set(scene.panels) >= {"graph", "timeline", "memory", "export", "table"}
    assert scene.exported is not None
    assert scene.memory is not None
    assert scene.memory.peak == package.plan.arena_bytes
    assert [row.name for row in scene.exported.rows] == ["fork", "left", "join"]
    assert scene.timeline is not None
    early = dict(zip(scene.timeline.row.tolist(), scene.timeline.early.tolist(), strict=True))
    steps = [early[r] for r, row in enumerate(scene.timeline.rows) if row.name == "join"]
    assert steps == [max(early.values())]


def test_every_line_belongs_to_a_node_of_the_scene(tmp_path: Path) -> None:
    scene = scene_of(export(diamond(), tmp_path / "diamond"))
    assert scene.exported is not None
    for row in scene.exported.rows:
        assert scene.nodes[row.node].name == row.name
    join = scene.exported.rows[-1]
    assert join.code == "nb_add_f32(&join_config, AT_FORK, AT_LEFT, AT_JOIN);"
    (layer,) = (file for file in scene.exported.files if file.name == "join.h")
    assert layer.node == join.node


def test_a_plan_alone_knows_the_types_of_its_nodes() -> None:
    plan = plan_export(diamond())
    types = {node.name: node.type for node in scene_of(plan).nodes}
    assert types == {step.node: step.type for step in plan.walk() if step.node in types}
    assert "?" not in types.values()


def test_the_tree_is_that_of_the_folder(tmp_path: Path) -> None:
    package = export(diamond(), tmp_path / "diamond")
    scene = scene_of(package)
    assert scene.exported is not None
    files = scene.exported.files
    assert sum(f.size for f in files if f.depth == 0) == sum(package.files.values())
    found, above = {}, list[str]()
    for each in files:
        above = [*above[: each.depth], each.name]
        if not each.name.endswith("/"):
            found["".join(above)] = each.size
    assert found == package.files


def test_loops_are_lines_without_a_node() -> None:
    scene = scene_of(plan_export(sequence(500)))
    assert scene.exported is not None
    (loop,) = (row for row in scene.exported.rows if not row.number)
    assert (loop.name, loop.node) == ("500 ×", -1)
    assert len(scene.exported.rows) < 40
    assert not scene.exported.files


def test_the_browser_is_told_and_no_path_of_this_machine(tmp_path: Path) -> None:
    scene = scene_of(export(diamond(), tmp_path / "diamond"))
    meta, _ = scene.payload()
    assert "AT_FORK, AT_LEFT, AT_JOIN" in str(meta["exported"]["rows"])
    assert str(tmp_path) not in str(meta)
    assert scene_of(diamond()).payload()[0]["exported"] is None
