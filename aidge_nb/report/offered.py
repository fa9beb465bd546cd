"""Models and files that the page for dropped networks offers, known before the library loads."""

from __future__ import annotations

import json

from aidge_nb.report.readers import a_dropped_file

OFFERED = (
    "lenet",
    "squeezenet",
    "mobilenet_v2@96",
    "resnet18@64",
    "inception_like",
    "lstm_classifier",
)
"""Models of the zoo that the page offers: each is made in a moment."""


def offered() -> str:
    """Return the models that the page offers, and what it calls the files it takes, as JSON."""
    return json.dumps({"zoo": OFFERED, "file": a_dropped_file()})
