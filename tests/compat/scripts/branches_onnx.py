"""Builds branches, reads a file with names as PyTorch makes them, and looks at attributes."""

import aidge_backend_cpu  # noqa: F401
import aidge_core
import aidge_onnx
import numpy as np
import onnx

aidge_core.Log.set_console_level(aidge_core.Level.Error)

model = aidge_core.sequential(
    [
        aidge_core.FC(4, 3, name="stem"),
        aidge_core.parallel(
            [
                aidge_core.sequential(
                    [aidge_core.ReLU(name="left"), aidge_core.FC(3, 2, name="left_fc")]
                ),
                aidge_core.FC(3, 2, name="right_fc"),
            ]
        ),
        aidge_core.Add(name="sum"),
    ]
)
model.compile("cpu", aidge_core.dtype.float32, dims=[[1, 4]])
for node in model.get_nodes():
    if node.type() == "Producer":
        aidge_core.constant_filler(node.get_operator().get_output(0), 0.5)
scheduler = aidge_core.SequentialScheduler(model)
(output,) = scheduler.forward(data=[aidge_core.Tensor(np.ones((1, 4), np.float32))])
print("inputs", [(node.name(), index) for node, index in model.get_ordered_inputs()])
print("parents", [node.name() for node in model.get_node("sum").get_parents()])
print("output", np.array(output).tolist())

conv = aidge_core.Conv2D(3, 8, [3, 3], stride_dims=[2, 2], name="conv").get_operator()
print("kernel", conv.attr.kernel_dims, conv.attr.kernel_dims == [3, 3])
print("channels", conv.in_channels(), conv.out_channels())
print("order", aidge_core.Transpose([0, 2, 1]).get_operator().attr.output_dims_order)

values = [onnx.helper.make_tensor_value_info(name, 1, [1, 4]) for name in ("x", "y")]
weight = onnx.numpy_helper.from_array(np.full((1, 4), 2, np.float32), "block.0.weight")
nodes = [
    onnx.helper.make_node("Mul", ["x", "block.0.weight"], ["/block.0/out"], "/block.0/Mul"),
    onnx.helper.make_node("Relu", ["/block.0/out"], ["y"], "/block.1/act/Relu"),
]
graph = onnx.helper.make_graph(nodes, "g", values[:1], values[1:], [weight])
opsets = [onnx.helper.make_opsetid("", 17)]
onnx.save(onnx.helper.make_model(graph, opset_imports=opsets, ir_version=8), "block.onnx")
block = aidge_onnx.load_onnx("block.onnx")
print("names", sorted(node.name() for node in block.get_nodes()))
block.set_backend("cpu")
data = aidge_core.Tensor(np.array([[1, -1, 2, -2]], np.float32))
aidge_core.SequentialScheduler(block).forward(data=[data])
act = block.get_node("block_1_act_Relu").get_operator()
print("act", np.array(act.get_output(0)).tolist())
