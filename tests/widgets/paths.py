"""A network whose names are long paths, as TensorFlow Lite files have them.

The form of the names is that of files that Keras makes: fused operators have several paths.
"""

from __future__ import annotations

import aidge_nb
from aidge_nb.widgets import Scene, build_scene


def of_paths(turns: int = 6) -> Scene:
    """Make a chain of convolutions; each name begins with ``functional_1/``, but for the last."""
    layers: list[aidge_nb.Node] = []
    for turn in range(turns):
        end = f"_{turn}" if turn else ""
        fused = (f"activation{end}/Relu", f"conv2d{end}/BiasAdd/ReadVariableOp/resource")
        separable = (f"separable_conv2d{end}/depthwise", f"separable_conv2d{end}/BiasAdd")
        layers += [
            _conv(3 if turn == 0 else 8, ";".join(f"functional_1/{path}" for path in fused)),
            aidge_nb.ReLU(name=f"functional_1/batch_normalization{end}/FusedBatchNormV3"),
            _conv(8, ";".join(f"functional_1/{path}" for path in separable)),
            aidge_nb.ReLU(name=f"functional_1/activation_{turns + turn}/Relu6"),
        ]
    layers += [
        aidge_nb.MaxPooling2D([4, 4], "functional_1/average_pooling2d/AvgPool", [4, 4]),
        aidge_nb.Flatten(name="functional_1/flatten/Reshape"),
        aidge_nb.FC(8 * 64, 10, name="functional_1/dense/BiasAdd"),
        aidge_nb.Softmax(1, name="StatefulPartitionedCall:0"),
    ]
    view = aidge_nb.sequential(layers)
    view.forward_dims([[1, 3, 32, 32]])
    return build_scene(view, aidge_nb.static_schedule(view), aidge_nb.plan_memory(view))


def _conv(channels: int, name: str) -> aidge_nb.Node:
    return aidge_nb.PaddedConv2D(channels, 8, [3, 3], name, None, [1] * 4)
