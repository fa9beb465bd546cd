"""Every model of the zoo, small."""

from __future__ import annotations

from typing import Any

SMALL: dict[str, dict[str, Any]] = {
    "densenet_like": {},
    "dinov2_like": {"size": 28, "dim": 16, "heads": 2, "depth": 2},
    "inception_like": {},
    "lenet": {},
    "lstm_classifier": {},
    "mlp": {},
    "mobilenet_v2": {"size": 64, "width": 0.25, "classes": 10},
    "resnet18": {"size": 64, "width": 0.25, "classes": 10},
    "resnet50": {"size": 64, "width": 0.25, "classes": 10},
    "shufflenet_like": {},
    "squeezenet": {"size": 64, "width": 0.5, "classes": 10},
    "tiling_model": {},
}
"""Every model of the zoo, with arguments that make it quick."""
