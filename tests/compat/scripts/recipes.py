"""Changes a network by recipes; it computes the same afterwards."""

import aidge_backend_cpu  # noqa: F401
import aidge_core
import numpy as np

aidge_core.Log.set_console_level(aidge_core.Level.Error)

core = aidge_core


def kinds(graph):
    """List the types of the operators, without Producers."""
    return sorted(node.type() for node in graph.get_nodes() if node.type() != "Producer")


def filled(graph):
    """Give every parameter numbers."""
    for node in graph.get_nodes():
        if node.type() == "Producer":
            tensor = node.get_operator().get_output(0)
            size = int(np.prod(tensor.dims))
            numbers = (np.arange(size, dtype=np.float32) % 7 + 1) / 10
            node.get_operator().set_output(0, core.Tensor(numbers.reshape(tensor.dims)))


model = core.sequential(
    [
        core.Conv2D(2, 3, [3, 3], name="conv"),
        core.BatchNorm2D(3, name="bn"),
        core.ReLU(name="relu"),
        core.Identity(name="identity"),
        core.Dropout(name="dropout"),
        core.Conv2D(3, 2, [1, 1], name="last"),
    ]
)
model.set_backend("cpu")
filled(model)
for index in range(1, 5):
    name = ("scale", "shift", "mean", "variance")[index - 1]
    print(name, model.get_node("bn").get_operator().input_category(index).name)

print("removed", core.remove_dropout(model), core.remove_identity(model))
print("kinds", kinds(model))
model.compile("cpu", core.dtype.float32, dims=[[1, 2, 6, 6]])
data = core.Tensor((np.arange(72, dtype=np.float32) / 72).reshape(1, 2, 6, 6))
scheduler = core.SequentialScheduler(model)
scheduler.forward(data=[data])
before = np.array(model.get_node("last").get_operator().get_output(0))

core.fuse_batchnorm(model)
print("fused", kinds(model))
scheduler = core.SequentialScheduler(model)
scheduler.forward(data=[data])
after = np.array(model.get_node("last").get_operator().get_output(0))
print(
    "same", np.allclose(before, after, 1e-4, 1e-4), [round(float(x), 3) for x in before.ravel()[:3]]
)

print("metaops", core.fuse_to_metaops(model, "Conv2D->ReLU", "ConvReLU"), kinds(model))
core.expand_metaops(model)
print("expanded", kinds(model))
print("constant", core.set_producers_constant(model))

conv = model.get_node("conv")
tiled = core.get_conv_horizontal_tiling(conv, 2, 2)
parents = [parent for parent in conv.get_parents()[1:] if parent is not None]
print("tiled", core.GraphView.replace({conv, *parents}, tiled), kinds(model).count("Conv2D"))

begin = core.Tanh(name="begin")
model.insert_child(model.get_node("relu"), begin, 0, 0, 0)
print("inserted", begin.get_parent(0).name(), [child.name() for child in begin.get_children()])
