"""The peer of quantization.py: quantizes the digits' network with aidge_quantization.

    PYTHON benchmarks/quantization_aidge.py DATA.npz BITS

in an environment that has aidge_core, aidge_backend_cpu and aidge_quantization. ``DATA.npz`` holds
the weights, ``samples`` to learn ranges from, and ``images``; ``DATA.logits.npy`` gets their
logits. They are right but for a factor: codes are computed as numbers (``fake_quantize``).
"""

from __future__ import annotations

import sys

import aidge_backend_cpu  # noqa: F401  # registers itself
import aidge_core
import aidge_quantization
import numpy as np


def network(weights: dict[str, np.ndarray]) -> aidge_core.GraphView:
    """Make the network for digits of 8 x 8 points."""
    model = aidge_core.sequential(
        [
            aidge_core.PaddedConv2D(1, 16, [3, 3], padding_dims=[1] * 4, name="c1"),
            aidge_core.ReLU(name="r1"),
            aidge_core.MaxPooling2D([2, 2], stride_dims=[2, 2], name="p1"),
            aidge_core.PaddedConv2D(16, 32, [3, 3], padding_dims=[1] * 4, name="c2"),
            aidge_core.ReLU(name="r2"),
            aidge_core.MaxPooling2D([2, 2], stride_dims=[2, 2], name="p2"),
            aidge_core.Flatten(1, name="flat"),
            aidge_core.FC(128, 10, name="fc"),
        ]
    )
    aidge_core.expand_metaops(model)
    model.compile("cpu", aidge_core.dtype.float32, dims=[[1, 1, 8, 8]])
    for node in model.get_nodes():
        for name in ("c1", "c2", "fc") if node.type() in ("Conv2D", "FC") else ():
            for index, kind in ((1, "w"), (2, "b")) if name in node.name() else ():
                values = np.ascontiguousarray(weights[f"{name}_{kind}"])
                producer = node.input(index)[0].get_operator()
                producer.set_output(0, aidge_core.Tensor(values))
    return model


def main(path: str, bits: str) -> None:
    """Quantize, and run."""
    data = np.load(path)
    aidge_core.Log.set_console_level(aidge_core.Level.Fatal)
    model = network(data)
    weights = {"8": aidge_core.dtype.int8, "4": aidge_core.dtype.int4}[bits]
    types = (aidge_core.dtype.int8, weights, aidge_core.dtype.int32)
    aidge_quantization.auto_assign_node_precision(model, *types)
    samples = [aidge_core.Tensor(each[None]) for each in data["samples"]]
    options = {"rescale_inputs": True, "channel_wise": True, "fake_quantize": True}
    aidge_quantization.quantize_network(model, samples, **options)
    scheduler = aidge_core.SequentialScheduler(model)
    images = [aidge_core.Tensor(each[None]) for each in data["images"]]
    logits = np.array([np.array(scheduler.forward(data=[each])[0])[0] for each in images])
    np.save(path.removesuffix(".npz") + ".logits.npy", logits)


if __name__ == "__main__":
    main(*sys.argv[1:])
