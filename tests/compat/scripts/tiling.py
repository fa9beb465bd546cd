"""The calls of the tutorial on horizontal tiling (seed 002)."""

import aidge_backend_cpu  # noqa: F401
import aidge_core
import aidge_model_explorer
import aidge_onnx  # noqa: F401
import numpy as np

generator = np.random.default_rng(2)


def tensor(*dims):
    """Make a tensor of random numbers."""
    return aidge_core.Tensor(generator.random(dims).astype(np.float32))


model = aidge_core.sequential(
    [
        aidge_core.LeakyReLU(1, name="leakyrelu0"),
        aidge_core.Conv2D(3, 32, [3, 3], name="conv0"),
        aidge_core.BatchNorm2D(32, name="bn0"),
        aidge_core.ReLU(name="relu0"),
    ]
)
aidge_model_explorer.visualize(model, "original_model", embed=True)
given = tensor(4, 3, 66, 66)
conv, norm = model.get_node("conv0"), model.get_node("bn0")
conv.get_operator().set_input(1, tensor(32, 3, 3, 3))
conv.get_operator().set_input(2, tensor(32))
for index in range(1, 5):
    norm.get_operator().set_input(index, tensor(32))
model.compile("cpu", aidge_core.dtype.float32, dims=[[4, 3, 66, 66]])
scheduler = aidge_core.SequentialScheduler(model)
scheduler.forward(data=[given])
before = np.array(model.get_node("relu0").get_operator().get_output(0))
tiled = aidge_core.get_conv_horizontal_tiling(conv, 2, 4)
print("replaced", aidge_core.GraphView.replace({conv, *conv.get_parents()[1:]}, tiled))
model.compile("cpu", aidge_core.dtype.float32)
scheduler.reset_scheduling()
scheduler.forward(data=[given])
after = np.array(model.get_node("relu0").get_operator().get_output(0))
print("equal", (before == after).all())
