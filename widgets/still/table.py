"""Write a scene as a table of comma-separated values."""

from __future__ import annotations

from typing import Any

import numpy as np

from aidge_nb.core.text import csv_text
from aidge_nb.widgets.scene.parts import MemoryMap, Timeline
from aidge_nb.widgets.scene.scene import Scene


def to_csv(scene: Scene) -> str:
    """Write a line for each node: what the table of the view shows.

    Examples
    --------
    >>> import aidge_nb
    >>> from aidge_nb.widgets import scene_of
    >>> print(to_csv(scene_of(aidge_nb.sequential([aidge_nb.ReLU(name="a")]))).rstrip())
    name,type,parameters,macs
    a,ReLU,0,
    """
    columns: dict[str, list[Any]] = {
        "name": [node.name for node in scene.nodes],
        "type": [node.type for node in scene.nodes],
        "parameters": [node.parameters for node in scene.nodes],
        "macs": ["" if node.macs is None else node.macs for node in scene.nodes],
    }
    if scene.timeline is not None:
        columns.update(_firings(scene, scene.timeline))
    if scene.memory is not None:
        columns["max_buffer_bytes"] = _largest(scene, scene.memory)
    return csv_text([columns, *zip(*columns.values(), strict=True)])


def _firings(scene: Scene, timeline: Timeline) -> dict[str, list[Any]]:
    count = len(scene.nodes)
    owner = np.array([-1 if row.producer else row.node for row in timeline.rows], np.int64)
    node = owner[timeline.row] if timeline.row.size else timeline.row
    known = node >= 0
    far = np.iinfo(np.int64).max
    first, slack = np.full(count, far), np.full(count, far)
    np.minimum.at(first, node[known], timeline.early[known])
    np.minimum.at(slack, node[known], (timeline.late - timeline.early)[known])
    times = np.bincount(node[known].astype(np.intp), minlength=count)
    return {
        "first_step": ["" if each == far else int(each) for each in first],
        "slack": ["" if each == far else int(each) for each in slack],
        "firings": times.tolist(),
    }


def _largest(scene: Scene, memory: MemoryMap) -> list[int]:
    found = np.zeros(len(scene.nodes), np.int64)
    np.maximum.at(found, memory.node, memory.buffer_bytes)
    return [int(each) for each in found]
