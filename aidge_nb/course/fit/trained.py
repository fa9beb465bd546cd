"""Train the network of the puzzle, and keep its weights: what runs at the end knows its bars."""

from __future__ import annotations

import base64
import json
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from aidge_nb import learning
from aidge_nb.course import graphs
from aidge_nb.course.generators import pictures_of_bars
from aidge_nb.runtime import SequentialScheduler

if TYPE_CHECKING:
    from numpy.typing import NDArray

    from aidge_nb.graph.node import Node
    from aidge_nb.graph.view import GraphView

WEIGHTS = Path(__file__).parent / "trained.json"
KINDS = ("upright", "lying", "diagonal")
"""Kinds of bars, in the order of the network's scores."""

STEPS, PICTURES, RATE = 60, 150, 0.02
SHOWN = 5
"""Number of the picture that is shown at the end, among new ones."""


def train() -> dict[str, NDArray[np.float32]]:
    """Train the network; return its weights by name."""
    pictures, kinds = pictures_of_bars(PICTURES, seed=0)
    view = graphs.bars_net()
    runs, optimizer = SequentialScheduler(view), learning.Adam()
    optimizer.set_parameters(_producers(view))
    optimizer.set_learning_rate_scheduler(learning.constant_lr(RATE))
    for _ in range(STEPS):
        (scores,) = runs.forward(data=[pictures])
        optimizer.reset_grad()
        learning.loss.CELoss(scores, kinds)
        runs.backward()
        optimizer.update()
    return {node.name(): np.asarray(_tensor(node).array, "<f4") for node in _producers(view)}


def record() -> None:
    """Train, and keep the weights."""
    kept = {name: base64.b64encode(array.tobytes()).decode() for name, array in train().items()}
    WEIGHTS.write_text(json.dumps(kept, indent=1, sort_keys=True) + "\n", "utf-8")


@cache
def trained() -> dict[str, NDArray[np.float32]]:
    """Return the weights that are kept, by name."""
    kept = json.loads(WEIGHTS.read_text("utf-8"))
    return {name: np.frombuffer(base64.b64decode(text), "<f4") for name, text in kept.items()}


def set_trained(view: GraphView) -> None:
    """Set the weights of the network to those that are kept.

    Parameters
    ----------
    view
        The network, as :func:`aidge_nb.course.graphs.bars_net` makes it.
    """
    for node in _producers(view):
        kept, tensor = trained()[node.name()], _tensor(node)
        tensor.set_array(kept.reshape(tensor.dims).astype(np.float32))


def picture() -> tuple[NDArray[np.float32], str]:
    """Return a picture that the network has never seen, and what the bar in it is."""
    pictures, kinds = pictures_of_bars(SHOWN + 1, seed=99)
    return pictures[SHOWN:], KINDS[int(kinds[SHOWN])]


def _producers(view: GraphView) -> list[Node]:
    return [node for node in view.get_nodes() if node.type() == "Producer"]


def _tensor(node: Node) -> Any:
    return node.get_operator().get_output(0)
